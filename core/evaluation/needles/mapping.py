"""Runs a needle test: fills copies of a library, asks for every needle, and stores each result as it comes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from core.embedding import CachedEncoder
from core.evaluation.bench import IngestProgress
from core.evaluation.history import workspace_in, write_json
from core.evaluation.lost_gold import EXCLUDED, fates, gold_leaves
from core.evaluation.needles.facts import Needle, generate_needles, own_needles
from core.evaluation.needles.maps import NeedleMap, NeedlePlan, needle_map_of
from core.evaluation.needles.planting import Haystack, gather_haystack, plant_sentences, write_documents
from core.evaluation.needles.prompts import ORDERS, Answered, ask_model, ask_without_retrieval
from core.evaluation.regions import Placed, region
from core.evidence import Context
from core.library import Incoming, Library
from core.plain_values import from_values
from core.search.question.query import Query
from core.search.ranking.stage_scores import Ranking
from core.text.phrases import find_words
from core.types import LanguageModel

FOLDER = "needles"  # below the workspace of the library's benches
_JOURNAL = "asked.json"

Watch = Callable[[str, int, int], None]
"""Receives (activity, done, total). May raise to stop."""


def needle_map(
    library: Library, plan: NeedlePlan, model: LanguageModel | None = None, watch: Watch | None = None, asked: str = ""
) -> NeedleMap:
    """Plant needles in copies of the library and follow each to the context and, with ``model``, into the answer.

    The copies are made below the library's benchmark folder. The library itself is only read, and its vectors are
    reused, so that only chunks with a planted sentence are encoded. After a kill the same call resumes; a finished map
    is returned at once. ``asked``: the model's name, which is part of the map's identity. Raises ``LecternError`` for a
    library without prose, ``ModelError``, and what ``watch`` raises.
    """
    folder = workspace_in(library.home) / FOLDER / plan.key(library, asked)
    map_file = folder / "map.json"
    if map_file.is_file():
        return from_values(NeedleMap, json.loads(map_file.read_text(encoding="ascii")))
    folder.mkdir(parents=True, exist_ok=True)
    result = _Mapping(library, plan, model, watch, folder).map()
    write_json(map_file, asdict(result))
    for part in ("library", "documents"):
        shutil.rmtree(folder / part, ignore_errors=True)
    return result


@dataclass(slots=True)
class _Mapping:
    """One call of ``needle_map``. ``rows``: one for each needle or prompt, stored in the journal as they come."""

    library: Library
    plan: NeedlePlan
    model: LanguageModel | None
    watch: Watch | None
    folder: Path
    rows: list[dict[str, Any]] = field(default_factory=list)
    encoded: int = 0
    reused: int = 0
    seconds: float = 0.0

    def map(self) -> NeedleMap:
        """Ask for all needles in copies of every size, then in prompts without retrieval."""
        start = perf_counter()
        self._load_journal()
        haystacks: dict[int, Haystack] = {}
        for size in sorted(self.plan.tokens):
            haystack = gather_haystack(self.library, size)
            haystacks.setdefault(haystack.tokens, haystack)  # sizes beyond the library's give the same haystack
        try:
            for haystack in haystacks.values():
                for number, needles in enumerate(self._layouts(haystack)):
                    self._run_layout(haystack, number, needles)
            if self.model is not None and self.plan.prompts:
                self._run_prompts(self.model)
        finally:
            self.seconds += perf_counter() - start
            self._store_journal()
        return replace(needle_map_of(self.rows), encoded=self.encoded, reused=self.reused, seconds=self.seconds)

    def _layouts(self, haystack: Haystack) -> list[tuple[Needle, ...]]:
        """Groups of needles for one copy each: all generated ones, and the user's by depth."""
        generated = generate_needles(self.plan.kinds, self.plan.seed, _words(haystack.prose))
        own = zip(*(own_needles(item) for item in self.plan.own), strict=True) if self.plan.own else ()
        return [*([generated] if generated else []), *map(tuple, own)]

    def _run_layout(self, haystack: Haystack, number: int, needles: Sequence[Needle]) -> None:
        open_indices = [index for index in range(len(needles)) if not self._has_row(haystack.tokens, number, index)]
        if not open_indices:
            return
        can_reuse = self.library.settings.embedding.is_packaged
        encoder = CachedEncoder(self.library.model.encoder, self.library.vectors) if can_reuse else None
        with Library.open(self.folder / "library", encoder=encoder) as copy:
            self._fill(copy, haystack, needles, encoder)
            for index in open_indices:
                self._report(f"{haystack.tokens:,} tokens: needle", index, len(needles))
                self._add_row(haystack.tokens, number, index, *self._ask(copy, needles[index]), needles[index].kind)

    def _fill(
        self, copy: Library, haystack: Haystack, needles: Sequence[Needle], encoder: CachedEncoder | None
    ) -> None:
        """Make the copy hold exactly the haystack's documents with the needles' sentences."""
        sentences = [sentence for needle in needles for sentence in needle.sentences]
        paths = write_documents(plant_sentences(haystack, sentences), self.folder / "documents")
        resolved = {path.resolve() for path in paths}
        for row in copy.sources():
            if row.parent is None and (row.path is None or row.path.resolve() not in resolved):
                copy.remove(row.id)
        label = f"{haystack.tokens:,} tokens: "
        progress = IngestProgress(
            len(paths), partial(self._report, f"{label}document"), partial(self._report, f"{label}text")
        )
        hits_before = encoder.borrowed if encoder else 0
        report = copy.ingest([Incoming(str(path), path) for path in paths], progress, self.library.settings)
        hits = encoder.borrowed - hits_before if encoder else 0
        self.encoded, self.reused = self.encoded + report.encoded - hits, self.reused + report.reused + hits
        self._store_journal()

    def _ask(self, copy: Library, needle: Needle) -> tuple[list[tuple[int, dict[str, bool]]], list[Answered]]:
        """(depth, stages reached) of each sought sentence, and the model's answers."""
        settings, searcher = self.plan.settings or self.library.settings, copy.searcher
        ranking = searcher.order(searcher.find(Query(needle.question), settings), settings)
        context, _, _ = searcher.fill(ranking, settings, None, searcher.reads(ranking.leaves))
        texts = {version: searcher.text(version) for version in ranking.leaves.version_ids}
        sought = [sentence for sentence in needle.sentences if sentence.sought]
        reached = [(item.depth, reached_stages(_sentence_span(texts, item.text), ranking, context)) for item in sought]
        answers: list[Answered] = []
        if self.model is None:
            return reached, answers
        for order in dict.fromkeys((*ORDERS, settings.assembly.order)):
            is_right, in_prompt = ask_model(needle, context.passages, order, self.model)
            answers += in_prompt
            if order == settings.assembly.order:
                for (_, stages), right in zip(reached, is_right, strict=True):
                    stages["answer"] = right
        return reached, answers

    def _run_prompts(self, model: LanguageModel) -> None:
        """Ask without retrieval: prompts of each size that hold the text with one sentence, at each depth in turn."""
        text = gather_haystack(self.library, max(self.plan.prompts)).prose
        token_spans = self.library.model.counter.offsets(text)
        needles = generate_needles(("plain",), self.plan.seed, _words(text))
        for size in sorted({min(size, len(token_spans)) for size in self.plan.prompts}):
            for index, needle in enumerate(needles):
                if not self._has_row(size, "prompt", index):
                    self._report(f"{size:,} tokens without retrieval: prompt", index, len(needles))
                    answer = ask_without_retrieval(needle, text[: int(token_spans[size - 1][1])], model)
                    stages = [(needle.sentences[0].depth, {"prompt": answer.right})]
                    self._add_row(size, "prompt", index, stages, [answer])

    def _report(self, activity: str, done: int, total: int) -> None:
        if self.watch is not None:
            self.watch(activity, done, total)

    def _has_row(self, tokens: int, layout: int | str, needle: int) -> bool:
        return any(row["of"] == [tokens, layout, needle] for row in self.rows)

    def _add_row(
        self,
        tokens: int,
        layout: int | str,
        needle: int,
        sentences: Sequence[tuple[int, Mapping[str, bool]]],
        answers: Sequence[Answered],
        kind: str = "",
    ) -> None:
        values = [asdict(answer) for answer in answers]
        row = {"of": [tokens, layout, needle], "kind": kind, "sentences": list(sentences), "answers": values}
        self.rows.append(row)
        self._store_journal()

    def _store_journal(self) -> None:
        costs = {"encoded": self.encoded, "reused": self.reused, "seconds": self.seconds}
        write_json(self.folder / _JOURNAL, {"rows": self.rows, **costs})

    def _load_journal(self) -> None:
        path = self.folder / _JOURNAL
        if path.is_file():
            journal = json.loads(path.read_text(encoding="ascii"))
            self.rows, self.encoded, self.reused = journal["rows"], journal["encoded"], journal["reused"]
            self.seconds = journal["seconds"]


def reached_stages(span: Placed | None, ranking: Ranking, context: Context) -> dict[str, bool]:
    """Which stages a span (version, start, end) reached; none of them for ``None``, a sentence in no document."""
    if span is None:
        return dict.fromkeys(("read", "cut", "searched", "ordered", "context"), False)
    leaves = ranking.leaves
    documents = {version: number for number, version in enumerate(leaves.version_ids)}
    holding = gold_leaves([span], documents, leaves.documents, leaves.starts, leaves.ends)
    leaf_fates = fates(ranking, holding)
    retrieved = region((passage.version_id, passage.start, passage.end) for passage in context.passages)
    return {
        "read": True,
        "cut": any(span in leaf.held for leaf in holding),
        "searched": any(fate not in ("search", EXCLUDED) for fate in leaf_fates),
        "ordered": "budget" in leaf_fates,  # which means kept by the ranking
        "context": retrieved.common(region([span])) == span[2] - span[1],
    }


def _sentence_span(texts: Mapping[str, str], sentence: str) -> Placed | None:
    """The first occurrence of a sentence's words, with any white space between them; ``None`` for none."""
    for version, text in texts.items():
        for span in find_words(text, sentence, 1):
            return version, span.start, span.end
    return None


def _words(text: str) -> set[str]:
    return {word.lower() for word in text.split()}
