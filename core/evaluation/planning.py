"""In which order a bench runs so that nothing is computed twice, and what it will cost, said before it runs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from core.chunking.plan import BY_VECTORS
from core.evaluation.bench_plan import BenchPlan
from core.evaluation.history import Recording, write_json
from core.evaluation.sharing import reading_key
from core.evaluation.suites import Suite, suite_folder
from core.ingest.applying import estimated_leaf_count
from core.settings import Settings, stage_fingerprint
from core.text.numerals import counted, in_time

KNOWN = "known.json"  # beside the library of a suite's documents: what was learnt of its recipes

CHARACTERS_A_SENTENCE = 120.0  # English prose
# Two cores, leaves of the default size; replaced by what this machine was seen to do, over these documents or others.
TEXTS_A_SECOND = 100.0
READ_A_SECOND, CUT_A_SECOND = 20_000.0, 100_000.0  # characters, beside the encoding: of files, and of what was read
SECONDS_A_CONTEXT = 0.03  # one question under one preset, all budgets, what a re-ranker reads apart
SECONDS_A_PASSAGE = 0.02  # a re-ranker reading 100 tokens: 20 took Lectern's own 0.35 to 0.45 s on two quiet cores


@dataclass(frozen=True, slots=True)
class Cost:
    """Of a bench before it runs. ``recipes``: ways the documents are cut. ``encodings``: texts still to be encoded,
    questions included; ``exact``: every recipe was built before, so that number is known, not reckoned.

    ``passages``: what re-rankers will read at most, once for presets that read the same.
    ``answers``: questions times presets still to be asked; ``resumed``: those an unfinished run of the same plan has
    answered. ``steps``: for each recipe that is still to be asked, the seconds of building it and of asking, as this
    machine was seen to work.
    """

    recipes: int
    presets: int
    questions: int
    encodings: int
    exact: bool
    answers: int
    resumed: int
    steps: tuple[tuple[float, float], ...] = ()
    passages: int = 0

    @property
    def seconds(self) -> float:
        """Of the whole."""
        return sum(map(sum, self.steps))

    @property
    def sentence(self) -> str:
        """For a person, before the button is pressed.

        >>> Cost(2, 6, 40, 900, False, 240, 0, ((9.0, 1.3), (0.0, 2.0))).sentence
        '6 presets, cut in 2 ways, 40 questions: about 900 encodings, about 12 s'
        >>> Cost(1, 2, 40, 0, True, 80, 0, ((0, 18.4),), passages=800).sentence
        '2 presets, cut in 1 way, 40 questions: 0 encodings, up to 800 passages for the re-ranker, about 18 s'
        """
        parts = f"{counted(self.presets, 'preset')}, cut in {counted(self.recipes, 'way')}, "
        parts += f"{counted(self.questions, 'question')}: "
        parts += f"{'' if self.exact else 'about '}{counted(self.encodings, 'encoding')}"
        parts += f", up to {counted(self.passages, 'passage')} for the re-ranker" if self.passages else ""
        parts += f", about {in_time(self.seconds)}"
        done = self.resumed + self.answers
        return f"{parts}; goes on from {self.resumed:,} of {done:,} answers" if self.resumed else parts


def recipe_groups(presets: Mapping[str, Settings]) -> list[tuple[str, ...]]:
    """The presets' names, those that read, cut and encode alike together, in order of first appearance."""
    groups: dict[str, list[str]] = {}
    for name, settings in presets.items():
        groups.setdefault(recipe_of(settings), []).append(name)
    return [tuple(names) for names in groups.values()]


def recipe_of(settings: Settings) -> str:
    """Equal for settings that make the same chunks and vectors."""
    return "-".join(map(stage_fingerprint, (settings.parsing, settings.chunking, settings.embedding)))


def asked_with(suite: Suite, settings: Settings) -> str:
    """Equal for the same questions and the same encoder."""
    return f"{suite.fingerprint()}-{stage_fingerprint(settings.embedding)}"


def estimate(
    plan: BenchPlan,
    workspace: Path,
    held: Collection[str] = (),
    texts: Mapping[str, int] | None = None,
    texts_a_second: float = TEXTS_A_SECOND,
) -> Cost:
    """What ``run_bench`` of this plan will have to do. Reads no document and encodes nothing: milliseconds.

    ``held``: recipes (``recipe_of``) whose vectors the run is handed. ``texts``: characters of documents that were read
    before, by version id; of others, before the first run over them, a file's bytes are taken for characters.
    ``texts_a_second``: how fast the encoder is, where no bench in ``workspace`` has seen it.
    """
    suite, presets = plan.suite, plan.presets
    known = EarlierBenches.of(workspace / suite_folder(suite), texts_a_second)
    stopped = Recording.stopped(workspace, plan.run_plan)
    questions = len(suite.questions)
    asked = {name: min(questions, stopped.journals[name].count()) if stopped else 0 for name in presets}
    waiting = [names for names in recipe_groups(presets) if any(asked[name] < questions for name in names)]
    exact, lengths = True, texts or {}
    characters = known.characters or sum(lengths.get(item.version_id, item.size) for item in suite.documents)
    sentences: set[str] = set()  # what reads them, once for all chunkers that cut by their vectors
    encoders = set(known.questions)
    passages: Counter[str] = Counter()
    encodings, steps, standing = 0, list[tuple[float, float]](), known.recipes[-1:]
    for names in waiting:
        settings, before = presets[names[0]], encodings
        # A text that two recipes share is encoded once; what they do not share is not known before both are cut.
        if recipe_of(settings) not in known.recipes and recipe_of(settings) not in held:
            exact = False
            encodings += estimated_leaf_count(characters, settings.chunking)
            reader = "-".join(map(stage_fingerprint, (settings.parsing, settings.embedding)))
            if settings.chunking.chunker in BY_VECTORS and reader not in sentences:
                sentences.add(reader)
                encodings += round(characters / CHARACTERS_A_SENTENCE)
        cut = 0.0 if standing == (recipe_of(settings),) else characters / known.characters_a_second[bool(standing)]
        standing = (recipe_of(settings),)
        built = encodings
        encodings += 0 if asked_with(suite, settings) in encoders else questions
        encoders.add(asked_with(suite, settings))
        read = _reread(presets, names, {name: questions - asked[name] for name in names})
        passages += read
        asking = (encodings - built) / known.texts_a_second
        asking += sum(count * known.seconds_a_passage.get(model, SECONDS_A_PASSAGE) for model, count in read.items())
        asking += sum(questions - asked[name] for name in names) * known.seconds_an_answer
        steps.append((cut + (built - before) / known.texts_a_second, asking))
    return Cost(
        recipes=len(recipe_groups(presets)),
        presets=len(presets),
        questions=questions,
        encodings=encodings,
        exact=exact,
        answers=questions * len(presets) - sum(asked.values()),
        resumed=sum(asked.values()),
        steps=tuple(steps),
        passages=sum(passages.values()),
    )


def _reread(presets: Mapping[str, Settings], names: Sequence[str], questions: Mapping[str, int]) -> Counter[str]:
    """Passages of a group by the re-ranker that is to read them; ``questions``: still to be asked of each preset."""
    passages: Counter[str] = Counter()
    reading: dict[Hashable, int] = {}  # questions: the presets of a group that read alike have it read once
    for name in names:
        chosen, key = presets[name].reranking, reading_key(presets[name])
        more = 0 if chosen.off else max(0, questions[name] - reading.get(key, 0))
        reading[key] = reading.get(key, 0) + more
        passages[chosen.model] += chosen.candidates * more
    return passages


@dataclass(frozen=True, slots=True)
class EarlierBenches:
    """What earlier benches over the same documents saw. ``recipes``: those that were built, all their texts encoded;
    the last one stands in the library.

    ``questions``: suites (``asked_with``) whose questions are. ``seconds_a_passage``: by re-ranker. ``characters``: of
    the documents as they were read, 0 before. ``characters_a_second``: beside the encoding, where files are read and
    where what was read is cut anew.
    """

    recipes: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    texts_a_second: float = TEXTS_A_SECOND
    seconds_an_answer: float = SECONDS_A_CONTEXT
    characters: int = 0
    seconds_a_passage: Mapping[str, float] = field(default_factory=dict)
    characters_a_second: tuple[float, float] = (READ_A_SECOND, CUT_A_SECOND)

    @classmethod
    def of(cls, folder: Path, texts_a_second: float = TEXTS_A_SECOND) -> EarlierBenches:
        """As it was kept beside the library in ``folder``; before, the speeds that the latest bench beside it saw,
        ``texts_a_second`` and what is usual where there was none.
        """
        path = folder / KNOWN
        if not path.is_file():
            others = sorted(folder.parent.glob(f"*/{KNOWN}"), key=lambda other: other.stat().st_mtime)
            if not others:
                return cls(texts_a_second=texts_a_second)
            return replace(cls.of(others[-1].parent), recipes=(), questions=(), characters=0)
        row: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        passages = row.get("seconds_a_passage")
        beside = row.get("characters_a_second")
        # Before passages were counted apart, a re-ranker's reading was part of what an answer took; before reading was,
        # it was part of what a text took.
        texts_a_second = row["texts_a_second"] if beside else texts_a_second
        speeds = texts_a_second, SECONDS_A_CONTEXT if passages is None else row["seconds_an_answer"]
        sure = tuple(row.get("recipes", ())), tuple(row.get("questions", ()))
        beside = beside or (READ_A_SECOND, CUT_A_SECOND)
        return cls(*sure, *speeds, row.get("characters", 0), passages or {}, (beside[0], beside[1]))

    def keep(self, folder: Path) -> None:
        """For the next bench."""
        write_json(folder / KNOWN, asdict(self))
