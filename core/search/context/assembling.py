"""Extents to passages within a budget: most relevant first, never the same character twice, never over the room."""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from operator import not_

from core.evidence import Passage
from core.search.context.candidates import SMALL, sentence_candidates
from core.search.context.ending import LEAST, LITTLE, UNSURE, Ending, outlook
from core.search.context.filling import Budget, ContextCandidate, Filling, whole_candidates
from core.search.context.prompt import Notes, widest_number
from core.search.expansion.growth import Extent
from core.search.ranking.catalogue_reads import CatalogueReads
from core.search.ranking.stage_scores import Ranking
from core.settings import AssemblySettings
from core.text.sentences import sentence_spans
from core.types import Span

# Fewer characters than this are not worth a citation of their own when the budget ends inside a child.
SHORTEST_CUT = 40
# So many passages a context may always have: single sentences make more of them than there are extents.
MOST_PASSAGES = 99

KEPT = "kept"
CAME_IN = "its text came in with a better child's passage"
ALONE = "the child alone: the rest of its parent did not fit the budget"
CUT = "cut where the budget ends"
JOINED = "{number} found chunks that touch, as one passage; for the best of them {reason}"
ENDED = "the context ended before it"
POOR = ENDED + ": anything further is {likely:.0%} likely to belong to the answer, and reading ends below {least:.0%}"
HARDLY = ENDED + ": the library is {likely:.0%} likely to answer at all, so no more than {amount:,} {unit} are read"
TOO_LONG = "none of its sentences fits what is left of the budget"
AROUND = "only sentences beside it are read"
OVER = "the budget of {amount:,} {unit} ended before it"


@dataclass(frozen=True, slots=True)
class Assembled:
    """``passages`` in relevance order; ``used`` of the budget's amount; ``fates`` by leaf index, for every extent.

    ``ending``: where the context ends, or would at the usual dial; ``None`` where nothing was found. ``reached``: of
    how many extents, best first, more than the child was looked at.
    """

    passages: tuple[Passage, ...]
    used: int
    fates: Mapping[int, str]
    ending: Ending | None = None
    reached: int = 0


def assemble(
    ranking: Ranking,
    extents: Sequence[Extent],
    budget: Budget,
    reads: CatalogueReads,
    settings: AssemblySettings | None = None,
    *,
    preview: bool = True,
    first: int | None = None,
) -> Assembled:
    """Fill the budget in relevance order. ``settings``: ``None`` for the defaults; their budget and order are not read.

    An extent that does not fit is tried as its child alone; the child that does not fit either is cut at a sentence
    (failing that, a word), and the context ends there. It ends before what is unlikely to add to the answer
    (``core.search.context.ending``). A single sentence that does not fit is passed over. ``preview``: where the room
    is filled, tell where it would have ended, which takes filling it a second time. ``first``: so many extents are
    looked at; where that is not enough, nothing is told but a ``reached`` beyond them. ``None``: as many as it takes.
    """
    settings = settings or AssemblySettings()
    if len(ranking.pool) < LEAST:
        settings = replace(settings, stop_below=0)
    most = max(MOST_PASSAGES, len(extents))
    notes = Notes(ranking.leaves, reads, widest_number(most, budget))
    candidates: list[ContextCandidate] = []
    if reads_sentences(settings, budget):
        candidates = sentence_candidates(ranking, extents, reads)
    if not candidates:
        candidates = whole_candidates(ranking.leaves, extents)
    likely = outlook(ranking, [candidate.child for candidate in candidates])

    def filled(settings: AssemblySettings) -> _Context:
        context = _Context(budget, settings, Filling(budget, reads.text, notes.above, most), first)
        little = LITTLE[budget.unit]
        if settings.stop_below and likely and likely[0] < UNSURE and budget.amount > little:
            context.filling.budget = replace(budget, amount=little)
            context.hardly = HARDLY.format(likely=likely[0], amount=little, unit=budget.unit)
        context.offer(candidates, likely)
        return context

    if budget.headed:
        notes.expect([], [(candidate.document, candidate.wanted.start) for candidate in candidates[:first]])
    context = filled(settings)
    again = preview and not settings.stop_below
    usual = filled(replace(settings, stop_below=AssemblySettings().stop_below)) if again else context
    reached = max(context.reached, usual.reached)
    if first is not None and reached > first:
        return Assembled((), 0, {}, reached=reached)
    ended = next((at for at, one in enumerate(candidates) if ENDED in usual.refused.get(one.child, "")), None)
    ending = None
    if ended is not None:
        ranks = {leaf: rank for rank, leaf in enumerate(ranking.pool[ranking.kept].tolist(), start=1)}
        ending = Ending(ranks.get(candidates[ended].child, 0), likely[ended], usual.refused[candidates[ended].child])
    return Assembled(
        context.passages(ranking, notes),
        context.filling.used,
        context.fates(extents),
        ending,
        reached,
    )


def reads_sentences(settings: AssemblySettings, budget: Budget) -> bool:
    """Whether the room is filled with single sentences, where there are any."""
    return settings.unit == "sentences" or (settings.unit == "auto" and budget.amount <= SMALL[budget.unit])


@dataclass(slots=True)
class _Context:
    """The context while it grows: what was taken for whom and why, and why the others were not.

    ``lit``: the children that stand in a passage. ``first``: as ``assemble`` has it.
    """

    budget: Budget
    settings: AssemblySettings
    filling: Filling
    first: int | None = None
    hardly: str = ""
    taken: list[tuple[ContextCandidate, Span, str]] = field(default_factory=list)
    refused: dict[int, str] = field(default_factory=dict)
    ended: str = ""
    lit: set[int] = field(default_factory=set)
    reached: int = 0

    def offer(self, candidates: Sequence[ContextCandidate], likely: Sequence[float]) -> None:
        """Take what fits of the candidates, best first.

        ``likely``: for each the probability that gold is still to come, the candidate's own included.
        """
        for at, (candidate, chance) in enumerate(zip(candidates, likely, strict=True)):
            if self.ended:
                rest = candidates[at:]
                covered = self.filling.covers(*((one.document, one.core) for one in rest))
                self.taken += [(one, one.core, CAME_IN) for one in compress(rest, covered)]
                for one in compress(rest, map(not_, covered)):
                    self.refused.setdefault(one.child, self.ended)
                return
            self.reached = at + 1
            if at == self.first:
                return
            if self.filling.covers((candidate.document, candidate.core))[0]:
                self.taken.append((candidate, candidate.core, CAME_IN))
                continue
            if chance < self.settings.stop_below and self.taken:
                self.ended = POOR.format(likely=chance, least=self.settings.stop_below)
            if refusal := self.ended or self._tried(candidate):
                self.refused.setdefault(candidate.child, refusal)

    def _tried(self, candidate: ContextCandidate) -> str:
        """Takes the candidate, or its core, or a beginning of it; else says why not."""
        if self.hardly and candidate.wanted != candidate.core:
            candidate = replace(candidate, wanted=candidate.core, reason=ALONE)
        if self._take(candidate, candidate.wanted, candidate.reason):
            return ""
        if candidate.core != candidate.wanted and self._take(candidate, candidate.core, ALONE):
            return ""
        if candidate.single:
            return TOO_LONG
        self.ended = self._over()
        cut = _beginning(self.filling, candidate.document, candidate.core)
        if cut is None:
            return self.ended
        self._take(candidate, cut, CUT)
        return ""

    def _take(self, candidate: ContextCandidate, span: Span, reason: str) -> bool:
        if not self.filling.take(candidate.document, span):
            return False
        self.taken.append((candidate, span, reason))
        return True

    def _over(self) -> str:
        return self.hardly or OVER.format(amount=self.budget.amount, unit=self.budget.unit)

    def fates(self, extents: Sequence[Extent]) -> dict[int, str]:
        """What became of each extent's child; known once the passages are made."""
        around = dict.fromkeys((candidate.child for candidate, _, _ in self.taken), AROUND)
        over = dict.fromkeys((extent.child for extent in extents), self._over())
        fates = {**over, **self.refused, **around, **dict.fromkeys(self.lit, KEPT)}
        return {child: fates[child] for child in over}

    def passages(self, ranking: Ranking, notes: Notes) -> tuple[Passage, ...]:
        """One passage for each run, ranked by the best that was taken into it."""
        leaves = ranking.leaves
        members: dict[tuple[int, Span], list[tuple[ContextCandidate, str]]] = {}
        for candidate, span, reason in self.taken:  # best first, so the first member of a run is its best
            run = self.filling.run_of(candidate.document, span.start)
            if run is not None:
                members.setdefault((candidate.document, run), []).append((candidate, reason))
        notes.expect(
            [candidate.child for candidate, _, _ in self.taken], [(document, run.start) for document, run in members]
        )
        passages: list[Passage] = []
        for rank, ((document, run), group) in enumerate(members.items(), start=1):
            lit: dict[int, Span] = {}
            for candidate, _ in group:
                child = Span(int(leaves.starts[candidate.child]), int(leaves.ends[candidate.child]))
                if child.overlap(run):
                    lit.setdefault(candidate.child, Span(max(child.start, run.start), min(child.end, run.end)))
            self.lit.update(lit)
            begins = notes.at(document, run.start)
            passages.append(
                Passage(
                    version_id=leaves.version_ids[document],
                    document=leaves.titles[document],
                    source=leaves.names[document],
                    start=run.start,
                    end=run.end,
                    text=self.filling.text(document)[run.start : run.end],
                    tokens=self.filling.size(document, run),
                    chunk_ids=tuple(notes.facts[child].chunk_id for child in lit),
                    children=tuple(lit.values()),
                    rank=rank,
                    score=group[0][0].relevance,
                    reason=_joined(group),
                    **begins._asdict(),
                )
            )
        return tuple(passages)


def _joined(group: Sequence[tuple[ContextCandidate, str]]) -> str:
    """Why a passage is as it is: the reason of its best child, which is not the only one where others touched it."""
    reason = group[0][1]
    number = len({candidate.child for candidate, why in group if why != CAME_IN})
    return reason if number < 2 else JOINED.format(number=number, reason=reason)


def _beginning(filling: Filling, document: int, child: Span) -> Span | None:
    """The longest beginning of the child that fits, ending at a sentence or, failing that, at a word."""
    text = filling.text(document)
    for sentence in reversed(sentence_spans(text, child.start, child.end)[:-1]):
        cut = Span(child.start, sentence.end)
        if cut.length >= SHORTEST_CUT and filling.fits(document, cut):
            return cut
    ends = [
        place
        for place in range(child.start + SHORTEST_CUT, child.end)
        if text[place].isspace() and not text[place - 1].isspace()
    ]
    # Sizes grow with the end, so the longest that fits is found by bisection.
    fitting = bisect.bisect_left(ends, True, key=lambda end: not filling.fits(document, Span(child.start, end)))
    return Span(child.start, ends[fitting - 1]) if fitting else None
