"""The map of a library's needles: copies made and filled, every sentence followed, kept as it goes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from core.embedding import CachedEncoder
from core.evaluation.history import workspace_in, write_json
from core.evaluation.lost_gold import EXCLUDED, fates, gold_leaves
from core.evaluation.needles.facts import Needle, made_needles, own_needles
from core.evaluation.needles.maps import NeedleMap, NeedlePlan, summed
from core.evaluation.needles.planting import Haystack, gathered, planted, staged
from core.evaluation.needles.prompts import ORDERS, Answered, answered, without_retrieval
from core.evaluation.regions import Placed, region
from core.evidence import Context
from core.library import Failure, Incoming, Ingested, Library
from core.plain_values import from_values
from core.search.question.query import Query
from core.search.ranking.stage_scores import Ranking
from core.text.phrases import find_words
from core.types import LanguageModel

FOLDER = "needles"  # in the workspace of a library's benches
_JOURNAL = "asked.json"

Watch = Callable[[str, int, int], None]
"""Told what is being done, and how much of how much; may raise to stop."""


def needle_map(
    library: Library, plan: NeedlePlan, model: LanguageModel | None = None, watch: Watch | None = None, asked: str = ""
) -> NeedleMap:
    """Plant, ask, and follow every sentence from the file to the context and, with ``model``, into the answer.

    All is done in copies below the library's folder of benchmarks; the library is read and nothing else, and lends the
    vectors it has, so that only chunks with a planted sentence are encoded. The same call after a kill goes on where it
    stopped, and what is finished is not done again. ``asked``: a name of the model, so that another one's map is
    another. Raises ``LecternError`` where no prose is there to plant in, ``ModelError``, and what ``watch`` raises.
    """
    place = workspace_in(library.home) / FOLDER / plan.key(library, asked)
    finished = place / "map.json"
    if finished.is_file():
        return from_values(NeedleMap, json.loads(finished.read_text(encoding="ascii")))
    place.mkdir(parents=True, exist_ok=True)
    found = _Mapping(library, plan, model, watch, place).map()
    write_json(finished, asdict(found))
    for part in ("library", "documents"):  # the map is what is kept
        shutil.rmtree(place / part, ignore_errors=True)
    return found


@dataclass(slots=True)
class _Mapping:
    """One call of ``needle_map``. ``rows``: one for each needle or prompt that was asked, kept as they come."""

    library: Library
    plan: NeedlePlan
    model: LanguageModel | None
    watch: Watch | None
    place: Path
    rows: list[dict[str, Any]] = field(default_factory=list)
    encoded: int = 0
    reused: int = 0
    seconds: float = 0.0

    def map(self) -> NeedleMap:
        """Every size, then the prompts without retrieval."""
        begun = perf_counter()
        self._take_up()
        sizes: dict[int, Haystack] = {}
        for size in sorted(self.plan.tokens):
            haystack = gathered(self.library, size)
            sizes.setdefault(haystack.tokens, haystack)  # a library that is smaller than two sizes is one size
        try:
            for haystack in sizes.values():
                for number, needles in enumerate(self._layouts(haystack)):
                    self._layout(haystack, number, needles)
            if self.model is not None and self.plan.prompts:
                self._prompts(self.model)
        finally:
            self.seconds += perf_counter() - begun
            self._keep()
        return replace(summed(self.rows), encoded=self.encoded, reused=self.reused, seconds=self.seconds)

    def _layouts(self, haystack: Haystack) -> list[tuple[Needle, ...]]:
        """Needles that stand in the copy together: made ones all at once, a person's sentence depth by depth."""
        made = made_needles(self.plan.kinds, self.plan.seed, _words(haystack.prose))
        own = zip(*(own_needles(one) for one in self.plan.own), strict=True) if self.plan.own else ()
        return [*([made] if made else []), *map(tuple, own)]

    def _layout(self, haystack: Haystack, number: int, needles: Sequence[Needle]) -> None:
        waiting = [at for at in range(len(needles)) if not self._known(haystack.tokens, number, at)]
        if not waiting:
            return
        alike = self.library.settings.embedding.is_packaged
        lender = CachedEncoder(self.library.model.encoder, self.library.vectors) if alike else None
        with Library.open(self.place / "library", encoder=lender) as shadow:
            self._fill(shadow, haystack, needles, lender)
            for at in waiting:
                self._tell(f"{haystack.tokens:,} tokens: needle", at, len(needles))
                self._note(haystack.tokens, number, at, *self._asked(shadow, needles[at]))

    def _fill(
        self, shadow: Library, haystack: Haystack, needles: Sequence[Needle], lender: CachedEncoder | None
    ) -> None:
        """Bring the copy to hold these documents with these sentences, and nothing else."""
        sentences = [sentence for needle in needles for sentence in needle.sentences]
        paths = staged(planted(haystack, sentences), self.place / "documents")
        kept = {path.resolve() for path in paths}
        for row in shadow.sources():
            if row.parent is None and (row.path is None or row.path.resolve() not in kept):
                shadow.remove(row.id)
        reading = _Reading(self.watch, len(paths), f"{haystack.tokens:,} tokens: ")
        before = lender.borrowed if lender else 0
        report = shadow.ingest([Incoming(str(path), path) for path in paths], reading, self.library.settings)
        lent = lender.borrowed - before if lender else 0
        self.encoded, self.reused = self.encoded + report.encoded - lent, self.reused + report.reused + lent
        self._keep()

    def _asked(self, shadow: Library, needle: Needle) -> tuple[list[tuple[int, dict[str, bool]]], list[Answered]]:
        """Of each sought sentence its depth and the stages it reached; and what the model told."""
        settings, searcher = self.plan.settings or self.library.settings, shadow.searcher
        ranking = searcher.order(searcher.find(Query(needle.question), settings), settings)
        context, _, _ = searcher.fill(ranking, settings, None, searcher.reads(ranking.leaves))
        texts = {version: searcher.text(version) for version in ranking.leaves.version_ids}
        sought = [sentence for sentence in needle.sentences if sentence.sought]
        reached = [(one.depth, reached_stages(_place(texts, one.text), ranking, context)) for one in sought]
        answers: list[Answered] = []
        if self.model is None:
            return reached, answers
        for order in dict.fromkeys((*ORDERS, settings.assembly.order)):
            told, seen = answered(needle, context.passages, order, self.model)
            answers += seen
            if order == settings.assembly.order:
                for (_, stages), right in zip(reached, told, strict=True):
                    stages["answer"] = right
        return reached, answers

    def _prompts(self, model: LanguageModel) -> None:
        """Text as long as each size, with one sentence at each depth, handed over whole."""
        text = gathered(self.library, max(self.plan.prompts)).prose
        offsets = self.library.model.counter.offsets(text)
        needles = made_needles(("plain",), self.plan.seed, _words(text))
        for size in sorted({min(size, len(offsets)) for size in self.plan.prompts}):
            for at, needle in enumerate(needles):
                if not self._known(size, "prompt", at):
                    self._tell(f"{size:,} tokens without retrieval: prompt", at, len(needles))
                    one = without_retrieval(needle, text[: int(offsets[size - 1][1])], model)
                    self._note(size, "prompt", at, [(needle.sentences[0].depth, {"prompt": one.right})], [one])

    def _tell(self, what: str, done: int, total: int) -> None:
        if self.watch is not None:
            self.watch(what, done, total)

    def _known(self, tokens: int, layout: int | str, needle: int) -> bool:
        return any(row["of"] == [tokens, layout, needle] for row in self.rows)

    def _note(
        self,
        tokens: int,
        layout: int | str,
        needle: int,
        sentences: Sequence[tuple[int, Mapping[str, bool]]],
        answers: Sequence[Answered],
    ) -> None:
        told = [asdict(one) for one in answers]
        self.rows.append({"of": [tokens, layout, needle], "sentences": list(sentences), "answers": told})
        self._keep()

    def _keep(self) -> None:
        spent = {"encoded": self.encoded, "reused": self.reused, "seconds": self.seconds}
        write_json(self.place / _JOURNAL, {"rows": self.rows, **spent})

    def _take_up(self) -> None:
        path = self.place / _JOURNAL
        if path.is_file():
            held = json.loads(path.read_text(encoding="ascii"))
            self.rows, self.encoded, self.reused = held["rows"], held["encoded"], held["reused"]
            self.seconds = held["seconds"]


def reached_stages(place: Placed | None, ranking: Ranking, context: Context) -> dict[str, bool]:
    """Which stages a place (version, start, end) reached; ``None``: its words are in no document."""
    stages = dict.fromkeys(("read", "cut", "searched", "ordered", "context"), False)
    if place is None:
        return stages
    leaves = ranking.leaves
    documents = {version: number for number, version in enumerate(leaves.version_ids)}
    held = gold_leaves([place], documents, leaves.documents, leaves.starts, leaves.ends)
    came = fates(ranking, held)
    read = region((one.version_id, one.start, one.end) for one in context.passages)
    return {
        "read": True,
        "cut": any(place in leaf.held for leaf in held),
        "searched": any(fate not in ("search", EXCLUDED) for fate in came),
        "ordered": "budget" in came,  # it was kept, whatever the budget did to it
        "context": read.common(region([place])) == place[2] - place[1],
    }


def _place(texts: Mapping[str, str], sentence: str) -> Placed | None:
    """The first place of a sentence's words, whatever blanks stand between them."""
    for version, text in texts.items():
        for span in find_words(text, sentence, 1):
            return version, span.start, span.end
    return None


def _words(text: str) -> set[str]:
    return {word.lower() for word in text.split()}


class _Reading:
    """An ingest's progress as the map's."""

    def __init__(self, watch: Watch | None, total: int, what: str) -> None:
        self._watch, self._total, self._what, self._done = watch, total, what, 0

    def stage(self, index: int, stage: str, done: int, total: int) -> None:
        if self._watch and stage == "encoding" and total:
            self._watch(f"{self._what}text", done, total)
        else:
            self._tell()

    def finished(self, index: int, outcome: Ingested | Failure) -> None:
        self._done = min(self._done + 1, self._total)
        self._tell()

    def _tell(self) -> None:
        if self._watch:
            self._watch(f"{self._what}document", self._done, self._total)
