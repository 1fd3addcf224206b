"""Classifies why a question was missed: why its gold did not reach the context."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.chunking.prefixes import below
from core.evaluation.lost_gold import GoldLeaf
from core.evaluation.records import QuestionOutcome
from core.evaluation.reporting.report import LOST, READ
from core.evidence import Context, Passage
from core.search.context.conflicts import conflicts
from core.search.question.query import Query
from core.search.ranking.catalogue_reads import CatalogueReads
from core.search.ranking.stage_scores import Ranking
from core.search.searcher import Searcher
from core.settings import Settings
from core.storage.catalogue.filing.names import Scope
from core.text.analysis import analyse
from core.text.sentences import parts_sentence
from core.types import Span

CLASSES: Mapping[str, str] = {
    "A": "the passage was cut off from what it needs",
    "B": "the question uses other words than the documents",
    "C": "the passage matches, and others were read instead",
    "D": "the documents do not say, or contradict each other",
}
"""The classes of failures, by the chunk that holds most of the gold:

- A: words of the question stand above or beside the chunk but not in it, or no chunk holds the gold.
- B: words of the question are neither in the chunk nor around it.
- C: a search ranked the chunk among its first ten, or the chunk has most words of the question and lost to others.
- D: the question has no gold and was answered nevertheless, the file with the gold could not be read, or a passage of
  the context contradicts the gold.
"""

READ_AT_LEAST = 0.5  # share of the gold; a question with less of it in the context is missed
TOP_RANKS = 10  # a search that ranks the gold among these has found it
_MISSING_SHARE = 1 / 3  # of the question's words; a chunk that lacks fewer counts as worded like the question


def is_missed(lost: Mapping[str, int]) -> bool:
    """Whether less than half of the gold was read. ``lost``: characters of gold by stage, as ``lost_gold.lost`` has it.

    >>> is_missed({"read": 49, "budget": 51}), is_missed({"read": 50, "search": 50}), is_missed({})
    (True, False, False)
    """
    return lost.get(READ, 0) < READ_AT_LEAST * sum(lost.values())


def lost_at(lost: Mapping[str, int]) -> str:
    """The stage that lost most of the gold, of equals the one nearest to the file; "" where all was read."""
    counts = [(lost[stage], position) for position, stage in enumerate(LOST) if lost.get(stage)]
    return LOST[max(counts)[1]] if counts else ""


def class_of(question: str, stage: str, rank: int, passage: str, around: str, *, contradicted: bool = False) -> str:
    """The class of a missed question that has gold.

    ``stage``: the one that lost most of the gold. ``rank``: the best that any search gave a gold chunk, 0 for none.
    ``passage``: the text of that chunk as it is searched. ``around``: the text above and beside it in its document.

    >>> class_of("How deep is the mill pond?", "search", 40, "It is 3 metres deep.", "The mill pond. It is old.")
    'A'
    >>> class_of("How deep is the mill pond?", "search", 40, "The basin goes down 3 metres.", "Water and wheels.")
    'B'
    >>> class_of("How deep is the mill pond?", "budget", 2, "The mill pond is 3 metres deep.", "")
    'C'
    """
    if contradicted or stage == "reading":
        return "D"
    if stage == "cutting":
        return "A"
    tokens = set(analyse(question))
    missing = tokens - set(analyse(passage))
    if 0 < rank <= TOP_RANKS or len(missing) < _MISSING_SHARE * len(tokens):
        return "C"
    return "A" if 2 * len(missing & set(analyse(around))) >= len(missing) else "B"


@dataclass(frozen=True, slots=True)
class FailureClassifier:
    """Classifies the failure of one question with gold under one preset.

    ``ranks``: the best rank of a gold leaf, by stage.
    """

    searcher: Searcher
    question: str
    settings: Settings
    ranking: Ranking
    ranks: Mapping[str, int]
    reads: CatalogueReads

    def failure(self, leaves: Sequence[GoldLeaf], lost: Mapping[str, int], context: Context) -> str:
        """The class of the failure, "" where the question is not missed.

        ``leaves``: the gold leaves. ``lost`` and ``context``: at one budget.
        """
        if not is_missed(lost):
            return ""
        stage = lost_at(lost)
        if not leaves:
            return class_of(self.question, stage, 0, "", "")
        best = max(leaves, key=lambda leaf: sum(end - start for _, start, end in leaf.held)).index
        table = self.ranking.leaves
        text = self.searcher.text(table.version_ids[table.documents[best]])
        leaf_text = text[int(table.starts[best]) : int(table.ends[best])]
        return class_of(
            self.question,
            stage,
            min((self.ranks[name] for name in ("dense", "alias", "lexical") if name in self.ranks), default=0),
            below(self._searched_prefix(best), leaf_text),
            self._around(best, text),
            contradicted=self._is_contradicted(best, leaf_text, context),
        )

    def _searched_prefix(self, leaf: int) -> str:
        """What is searched of a leaf besides its text: the embedded prefix, and by words headings and title."""
        facts, table = self.reads.facts([leaf])[leaf], self.ranking.leaves
        parts = [part.text for part in facts.prefix if part.kind in self.settings.chunking.read_prefix]
        if self.settings.retrieval.lexical_weight:
            parts += [*facts.headings, table.titles[table.documents[leaf]]]
        return "\n".join(parts)

    def _around(self, leaf: int, text: str) -> str:
        """Title, headings, and the text of the leaf's parent and of one leaf on each side, without the leaf."""
        table = self.ranking.leaves
        same_document, parent = table.documents == table.documents[leaf], table.parent_rows[leaf]
        siblings = np.flatnonzero(same_document & (table.parent_rows == parent)) if parent >= 0 else np.array([leaf])
        first, last = (int(index) for index in np.flatnonzero(same_document)[[0, -1]])
        low, high = max(first, min(int(siblings[0]), leaf) - 1), min(last, max(int(siblings[-1]), leaf) + 1)
        start, end = int(table.starts[leaf]), int(table.ends[leaf])
        headings = self.reads.facts([leaf])[leaf].headings
        before, after = text[int(table.starts[low]) : start], text[end : int(table.ends[high])]
        return "\n".join([table.titles[table.documents[leaf]], *headings, before, after])

    def _is_contradicted(self, leaf: int, leaf_text: str, context: Context) -> bool:
        """Whether a passage of the context contradicts the leaf."""
        table = self.ranking.leaves
        document = table.documents[leaf]
        version, name = table.version_ids[document], table.names[document]
        start, end = int(table.starts[leaf]), int(table.ends[leaf])
        rank = len(context.passages) + 1
        gold = Passage(version, name, name, start, end, leaf_text, 0, (), (Span(start, end),), rank, 0.0, "")

        def similarity(one: str, other: str) -> float:
            vectors = self.searcher.encode([one, other])
            return float(vectors[0] @ vectors[1])

        def splits_sentence(version_id: str, offset: int) -> bool:
            return parts_sentence(self.searcher.text(version_id), offset)

        found = conflicts(self.question, [*context.passages, gold], similarity, splits_sentence)
        return any(side.rank == rank for conflict in found for side in conflict.sides)


def is_answered(searcher: Searcher, question: str, settings: Settings, scope: Scope) -> bool:
    """Whether the library gives an answer, which is a failure for a question without gold."""
    result = searcher.result(searcher.find(Query(question, scope), settings), settings, None)
    return searcher.answer(result, settings.answering).supported


def counted(outcomes: Iterable[QuestionOutcome]) -> dict[str, int]:
    """The number of questions in each class, zeros included."""
    counts = Counter(item.failure for item in outcomes)
    return {name: counts[name] for name in CLASSES}
