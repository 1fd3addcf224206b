"""Group a bench's presets so that nothing is computed twice, and estimate its cost before it runs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from core.chunking.plan import BY_VECTORS
from core.evaluation.bench_plan import BenchPlan
from core.evaluation.history import Recording, write_json
from core.evaluation.sharing import reading_key
from core.evaluation.suites import Suite, suite_folder
from core.ingest.applying import estimated_leaf_count
from core.plain_values import from_values
from core.settings import Settings, stage_fingerprint
from core.text.values.numerals import counted, in_time

KNOWN = "known.json"  # holds ``EarlierBenches``, next to the library of a suite's documents

CHARACTERS_A_SENTENCE = 120.0  # English prose
# Speeds on two cores with leaves of the default size, used until a bench on this machine has measured its own.
TEXTS_A_SECOND = 100.0
READ_A_SECOND, CUT_A_SECOND = 20_000.0, 100_000.0  # characters, without encoding: reading files, re-chunking documents
SECONDS_A_CONTEXT = 0.03  # one question under one preset at all budgets, without re-ranking
SECONDS_A_PASSAGE = 0.02  # a re-ranker on 100 tokens: the packaged one took 0.35 to 0.45 s for 20 on two idle cores
MIN_SPEED_SAMPLE = 200  # texts encoded, or passages re-ranked, below which a measured speed is not kept


@dataclass(frozen=True, slots=True)
class Cost:
    """The estimated cost of a bench.

    ``recipes``: distinct ways to chunk the documents. ``encodings``: texts still to be encoded, questions included;
    ``exact``: whether that number is known, because every recipe was built before. ``passages``: an upper bound on
    those that re-rankers read, counted once for presets that share the reading. ``answers``: outcomes (questions times
    presets) still to be computed; ``resumed``: those that an unfinished run of the same plan already has. ``steps``:
    (seconds to build, seconds to ask) for each recipe with open questions, at the speeds measured on this machine.
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
        """Estimated seconds of the whole bench."""
        return sum(map(sum, self.steps))

    @property
    def sentence(self) -> str:
        """The cost as a sentence for the user.

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
    """The presets' names grouped by recipe, in order of first appearance."""
    groups: dict[str, list[str]] = {}
    for name, settings in presets.items():
        groups.setdefault(recipe_of(settings), []).append(name)
    return [tuple(names) for names in groups.values()]


def recipe_of(settings: Settings) -> str:
    """A key of the parsing, chunking and embedding settings: equal keys give the same chunks and vectors."""
    return "-".join(map(stage_fingerprint, (settings.parsing, settings.chunking, settings.embedding)))


def question_vectors_key(suite: Suite, settings: Settings) -> str:
    """A key of a suite's questions and an encoder: equal keys give the same question vectors."""
    return f"{suite.fingerprint()}-{stage_fingerprint(settings.embedding)}"


def estimate(
    plan: BenchPlan,
    workspace: Path,
    held: Collection[str] = (),
    texts: Mapping[str, int] | None = None,
    texts_a_second: float = TEXTS_A_SECOND,
) -> Cost:
    """The cost of ``run_bench`` with this plan. Takes milliseconds: it reads no document and encodes nothing.

    ``held``: recipes (``recipe_of``) whose vectors are in the cache that the run will get. ``texts``: the lengths in
    characters of documents that were read before, by version id; for other documents, until a bench has read them, a
    file's size in bytes is used. ``texts_a_second``: the encoder's speed, used where no bench in ``workspace``
    measured one.
    """
    suite, presets = plan.suite, plan.presets
    earlier = EarlierBenches.of(workspace / suite_folder(suite), texts_a_second)
    unfinished = Recording.stopped(workspace, plan.run_plan)
    questions = len(suite.questions)
    done = {name: min(questions, unfinished.journals[name].count()) if unfinished else 0 for name in presets}
    groups = recipe_groups(presets)
    open_groups = [names for names in groups if any(done[name] < questions for name in names)]
    exact, lengths = True, texts or {}
    characters = earlier.characters or sum(lengths.get(item.version_id, item.size) for item in suite.documents)
    sentences_by: set[str] = set()  # (reader, encoder) keys whose sentences are counted, shared by all such chunkers
    question_keys = set(earlier.questions)
    passages: Counter[str] = Counter()
    encodings, steps, current_recipe = 0, list[tuple[float, float]](), earlier.recipes[-1:]
    for names in open_groups:
        settings, encodings_before = presets[names[0]], encodings
        recipe = recipe_of(settings)
        # An upper bound: texts that two recipes share are encoded once, but which ones is not known before chunking.
        if recipe not in earlier.recipes and recipe not in held:
            exact = False
            encodings += estimated_leaf_count(characters, settings.chunking)
            key = "-".join(map(stage_fingerprint, (settings.parsing, settings.embedding)))
            if settings.chunking.chunker in BY_VECTORS and key not in sentences_by:
                sentences_by.add(key)
                encodings += round(characters / CHARACTERS_A_SENTENCE)
        building = (encodings - encodings_before) / earlier.texts_a_second
        if current_recipe != (recipe,):
            building += characters / earlier.characters_a_second[1 if current_recipe else 0]
        current_recipe = (recipe,)
        new_questions = 0 if question_vectors_key(suite, settings) in question_keys else questions
        question_keys.add(question_vectors_key(suite, settings))
        encodings += new_questions
        group_passages = _reranked_passages(presets, names, {name: questions - done[name] for name in names})
        passages += group_passages
        asking = new_questions / earlier.texts_a_second
        for model, count in group_passages.items():
            asking += count * earlier.seconds_a_passage.get(model, SECONDS_A_PASSAGE)
        asking += sum(questions - done[name] for name in names) * earlier.seconds_an_answer
        steps.append((building, asking))
    return Cost(
        recipes=len(groups),
        presets=len(presets),
        questions=questions,
        encodings=encodings,
        exact=exact,
        answers=questions * len(presets) - sum(done.values()),
        resumed=sum(done.values()),
        steps=tuple(steps),
        passages=sum(passages.values()),
    )


def _reranked_passages(
    presets: Mapping[str, Settings], names: Sequence[str], questions: Mapping[str, int]
) -> Counter[str]:
    """Passages that each re-ranker will read for the presets ``names``. ``questions``: open ones of each preset."""
    passages: Counter[str] = Counter()
    counted_questions: dict[Hashable, int] = {}  # by ``reading_key``: presets that share the reading pay for it once
    for name in names:
        reranking, key = presets[name].reranking, reading_key(presets[name])
        additional = 0 if reranking.off else max(0, questions[name] - counted_questions.get(key, 0))
        counted_questions[key] = counted_questions.get(key, 0) + additional
        passages[reranking.model] += reranking.candidates * additional
    return passages


@dataclass(frozen=True, slots=True)
class EarlierBenches:
    """What earlier benches over the same documents built and how fast, as ``known.json`` stores it.

    ``recipes``: those whose chunks are encoded; the library serves the last one. ``questions``: keys
    (``question_vectors_key``) of the questions that are encoded. ``characters``: length of all documents as read, 0
    before the first reading. ``seconds_a_passage``: by re-ranker. ``characters_a_second``: without encoding, of
    (reading files, re-chunking what was read).
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
        """The record in ``folder``, which holds the library of a suite's documents.

        Where there is none: the speeds of the newest record in the folders next to it, else ``texts_a_second`` and
        the defaults.
        """
        path = folder / KNOWN
        if not path.is_file():
            others = sorted(folder.parent.glob(f"*/{KNOWN}"), key=lambda other: other.stat().st_mtime)
            if not others:
                return cls(texts_a_second=texts_a_second)
            return replace(cls.of(others[-1].parent), recipes=(), questions=(), characters=0)
        return from_values(cls, json.loads(path.read_text(encoding="utf-8")))

    def after_build(
        self, recipe: str, characters: int, seconds: float, encoded: int, texts_a_second: float
    ) -> EarlierBenches:
        """This record updated by a build of ``recipe`` that took ``seconds`` for documents of ``characters``.

        ``encoded``: how many texts the build encoded, at ``texts_a_second``.
        """
        read, cut = self.characters_a_second
        speed = characters / max(1e-3, seconds - encoded / texts_a_second)
        if recipe not in self.recipes[-1:]:  # else nothing was read or chunked
            read, cut = (read, speed) if self.recipes else (speed, cut)
        return replace(
            self,
            recipes=(*(other for other in self.recipes if other != recipe), recipe),
            texts_a_second=texts_a_second if encoded >= MIN_SPEED_SAMPLE else self.texts_a_second,
            characters=characters,
            characters_a_second=(read, cut),
        )

    def after_asking(
        self, key: str, reranked: Mapping[str, tuple[int, float]], outcomes: int, seconds: float | None
    ) -> EarlierBenches:
        """This record updated by ``outcomes``, questions times presets, that took ``seconds``; ``None``: not measured.

        ``key``: ``question_vectors_key`` of the questions. ``reranked``: (passages, seconds) of each re-ranker, which
        ``seconds`` includes.
        """
        speeds = {model: spent / count for model, (count, spent) in reranked.items() if count >= MIN_SPEED_SAMPLE}
        seconds_an_answer = self.seconds_an_answer
        if seconds is not None:
            seconds_an_answer = (seconds - sum(spent for _, spent in reranked.values())) / outcomes
        return replace(
            self,
            questions=tuple(sorted({*self.questions, key})),
            seconds_a_passage={**self.seconds_a_passage, **speeds},
            seconds_an_answer=seconds_an_answer,
        )

    def keep(self, folder: Path) -> None:
        """Write the record into ``folder``."""
        write_json(folder / KNOWN, asdict(self))
