"""The four classes of a missed question: what it was that kept the gold from being read."""

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
from core.storage.catalogue.names import Scope
from core.text.analysis import analyse
from core.text.sentences import parts_sentence
from core.types import Span

CLASSES: Mapping[str, str] = {
    "A": "the passage was cut off from what it needs",
    "B": "the question uses other words than the documents",
    "C": "the passage was found and lost later",
    "D": "the documents do not say, or contradict each other",
}
"""A: words that the question asks with stand above or beside the chunk and not in it, or no chunk holds the gold. B:
they stand neither there nor around. C: a search had it among its first ten, or its words are all there and others came
before. D: the question has no gold and is answered all the same, the file that has it cannot be read, or a passage that
was read contradicts it."""

READ_AT_LEAST = 0.5  # of its gold: a question of which less is read is missed
NEAR = 10  # a search that has the gold among so many has found it
_MISSING = 1 / 3  # of the question's words: with fewer the passage says what is asked in its words


def is_missed(lost: Mapping[str, int]) -> bool:
    """Whether less than half of the gold was read. ``lost``: characters by where they went.

    >>> is_missed({"read": 49, "budget": 51}), is_missed({"read": 50, "search": 50}), is_missed({})
    (True, False, False)
    """
    return lost.get(READ, 0) < READ_AT_LEAST * sum(lost.values())


def lost_at(lost: Mapping[str, int]) -> str:
    """The stage that lost most of the gold, "" where all was read; of equal ones the first after the file."""
    parts = [(lost[stage], place) for place, stage in enumerate(LOST) if lost.get(stage)]
    return LOST[max(parts)[1]] if parts else ""


def class_of(question: str, stage: str, found: int, passage: str, around: str, *, contradicted: bool = False) -> str:
    """The class of a missed question that has gold.

    ``stage``: that lost most of it. ``found``: the best rank that a search gave a chunk of it, 0 for none. ``passage``:
    that chunk as the searches read it, ``around``: what stands above and beside it in its document.

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
    asked = set(analyse(question))
    missing = asked - set(analyse(passage))
    if 0 < found <= NEAR or len(missing) < _MISSING * len(asked):
        return "C"
    return "A" if 2 * len(missing & set(analyse(around))) >= len(missing) else "B"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with gold under one preset. ``ranks``: of the best leaf that holds gold, by stage."""

    searcher: Searcher
    question: str
    settings: Settings
    ranking: Ranking
    ranks: Mapping[str, int]
    reads: CatalogueReads

    def failure(self, leaves: Sequence[GoldLeaf], lost: Mapping[str, int], context: Context) -> str:
        """The class of the question, "" where it is not missed.

        ``leaves``: that hold gold. ``lost`` and ``context``: of one budget.
        """
        if not is_missed(lost):
            return ""
        stage = lost_at(lost)
        if not leaves:
            return class_of(self.question, stage, 0, "", "")
        best = max(leaves, key=lambda leaf: sum(end - start for _, start, end in leaf.held)).index
        table = self.ranking.leaves
        text = self.searcher.text(table.version_ids[table.documents[best]])
        said = text[int(table.starts[best]) : int(table.ends[best])]
        return class_of(
            self.question,
            stage,
            min((self.ranks[name] for name in ("dense", "alias", "lexical") if name in self.ranks), default=0),
            below(self._above(best), said),
            self._around(best, text),
            contradicted=self._contradicted(best, said, context),
        )

    def _above(self, leaf: int) -> str:
        """What the searches read of a leaf besides its text: its prefix, as far as the embedder gets it, and fields."""
        facts, words, table = self.reads.facts([leaf])[leaf], self.settings.retrieval, self.ranking.leaves
        parts = [part.text for part in facts.prefix if part.kind in self.settings.chunking.read_prefix]
        if words.lexical_weight:
            parts += facts.headings if words.headings_boost else ()
            parts += [table.titles[table.documents[leaf]]] if words.title_boost else []
        return "\n".join(parts)

    def _around(self, leaf: int, text: str) -> str:
        """Title, headings, and what the leaf's parent and its neighbours hold besides it."""
        table = self.ranking.leaves
        own, parent = table.documents == table.documents[leaf], table.parent_rows[leaf]
        kin = np.flatnonzero(own & (table.parent_rows == parent)) if parent >= 0 else np.array([leaf])
        first, last = (int(end) for end in np.flatnonzero(own)[[0, -1]])
        low, high = max(first, min(int(kin[0]), leaf) - 1), min(last, max(int(kin[-1]), leaf) + 1)
        start, end = int(table.starts[leaf]), int(table.ends[leaf])
        headings = self.reads.facts([leaf])[leaf].headings
        beside = text[int(table.starts[low]) : start], text[end : int(table.ends[high])]
        return "\n".join([table.titles[table.documents[leaf]], *headings, *beside])

    def _contradicted(self, leaf: int, said: str, context: Context) -> bool:
        """Whether something that was read says otherwise than the gold."""
        table = self.ranking.leaves
        version, name = (kept[table.documents[leaf]] for kept in (table.version_ids, table.names))
        start, end = int(table.starts[leaf]), int(table.ends[leaf])
        rank = len(context.passages) + 1
        gold = Passage(version, name, name, start, end, said, 0, (), (Span(start, end),), rank, 0.0, "")

        def alike(one: str, other: str) -> float:
            vectors = self.searcher.encode([one, other])
            return float(vectors[0] @ vectors[1])

        def cut(held: str, place: int) -> bool:
            return parts_sentence(self.searcher.text(held), place)

        found = conflicts(self.question, [*context.passages, gold], alike, cut)
        return any(side.rank == rank for conflict in found for side in conflict.sides)


def is_answered(searcher: Searcher, question: str, settings: Settings, scope: Scope) -> bool:
    """Whether the library quotes an answer: to a question that its documents do not answer, that is a failure."""
    result = searcher.result(searcher.find(Query(question, scope), settings), settings, None)
    return searcher.answer(result, settings.answering).supported


def counted(outcomes: Iterable[QuestionOutcome]) -> dict[str, int]:
    """How many questions each class has, all four named."""
    counts = Counter(item.failure for item in outcomes)
    return {name: counts[name] for name in CLASSES}
