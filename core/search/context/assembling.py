"""Fills a context: extents become passages within a budget, most relevant first, no character twice."""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.evidence import Passage
from core.search.context.candidates import SMALL, sentence_candidates
from core.search.context.ending import FEWEST_LEAVES, LEAST_ANSWERABLE, UNSURE_BUDGET, Ending, gold_ahead
from core.search.context.filling import Budget, ContextCandidate, Filling, extent_candidates
from core.search.context.prompt import PassageHeaders, widest_number
from core.search.expansion.growth import Extent
from core.search.ranking.catalogue_reads import CatalogueReads
from core.search.ranking.stage_scores import Ranking
from core.settings import AssemblySettings
from core.text.sentences import sentence_spans
from core.types import Span

# A child cut at the end of the budget must keep at least this many characters.
SHORTEST_CUT = 40
# Limit of the passages of a context, raised to the number of extents; sentences can make more passages than these.
MOST_PASSAGES = 99

KEPT = "kept"
CAME_IN = "its text came in with a better child's passage"
ALONE = "the child alone: the rest of its parent did not fit the budget"
CUT = "cut where the budget ends"
ENDED = "the context ended before it"
POOR = ENDED + ": anything further is {likely:.0%} likely to belong to the answer, and reading ends below {least:.0%}"
UNSURE = ENDED + ": the library is {likely:.0%} likely to answer at all, so no more than {amount:,} {unit} are read"
TOO_LONG = "none of its sentences fits what is left of the budget"
AROUND = "only sentences beside it are read"
OVER = "the budget of {amount:,} {unit} ended before it"


@dataclass(frozen=True, slots=True)
class Assembled:
    """The result of ``assemble``.

    ``passages``: in relevance order. ``used``: how much of the budget they take. ``fates``: for every extent, by its
    child's leaf index, "kept" or the reason why it was left out. ``ending``: where the context ends early, or would
    under the default setting; ``None`` if it does not. ``reached``: how many candidates, best first, were considered.
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
    """Fill the budget in order of relevance.

    If an extent does not fit, its child alone is tried. If the child does not fit either, it is cut at the end of a
    sentence, failing that of a word, and the context ends there. A single sentence that does not fit is skipped. The
    context also ends before candidates that are unlikely to add to the answer (``core.search.context.ending``).

    ``settings``: ``None`` for the defaults; their budget and order are not used. ``preview``: when
    ``settings.stop_below`` is off, report in ``ending`` where the default would have ended the context, which takes a
    second filling. ``first``: consider only this many candidates; if they do not suffice, the result is empty but for a
    ``reached`` greater than ``first``. ``None``: consider all.
    """
    settings = settings or AssemblySettings()
    if len(ranking.pool) < FEWEST_LEAVES:
        settings = replace(settings, stop_below=0)
    most_passages = max(MOST_PASSAGES, len(extents))
    headers = PassageHeaders(ranking.leaves, reads, widest_number(most_passages, budget))
    candidates: list[ContextCandidate] = []
    if reads_sentences(settings, budget):
        candidates = sentence_candidates(ranking, extents, reads)
    if not candidates:
        candidates = extent_candidates(ranking.leaves, extents)
    probabilities = gold_ahead(ranking, [candidate.child for candidate in candidates])

    def fill(settings: AssemblySettings) -> _Context:
        context = _Context(budget, settings, Filling(budget, reads.text, headers.header, most_passages), first)
        small = UNSURE_BUDGET[budget.unit]
        if settings.stop_below and probabilities and probabilities[0] < LEAST_ANSWERABLE and budget.amount > small:
            context.filling.budget = replace(budget, amount=small)
            context.unsure = UNSURE.format(likely=probabilities[0], amount=small, unit=budget.unit)
        context.offer(candidates, probabilities)
        return context

    if budget.counts_headers:
        headers.prefetch([], [(candidate.document, candidate.extent.start) for candidate in candidates[:first]])
    context = previewed = fill(settings)
    if preview and not settings.stop_below:
        previewed = fill(replace(settings, stop_below=AssemblySettings().stop_below))
    reached = max(context.reached, previewed.reached)
    if first is not None and reached > first:
        return Assembled((), 0, {}, reached=reached)
    ending = None
    for candidate, probability in zip(candidates, probabilities, strict=True):
        refusal = previewed.refused.get(candidate.child, "")
        if ENDED in refusal:
            ranks = {leaf: rank for rank, leaf in enumerate(ranking.pool[ranking.kept].tolist(), start=1)}
            ending = Ending(ranks.get(candidate.child, 0), probability, refusal)
            break
    return Assembled(
        context.passages(ranking, headers),
        context.filling.used,
        context.fates(extents),
        ending,
        reached,
    )


def reads_sentences(settings: AssemblySettings, budget: Budget) -> bool:
    """Whether the context is filled with single sentences, if the extents have any."""
    return settings.unit == "sentences" or (settings.unit == "auto" and budget.amount <= SMALL[budget.unit])


@dataclass(slots=True)
class _Context:
    """The state of a context that is being filled.

    ``first``: as in ``assemble``. ``unsure``: why the budget is small, "" if it is not. ``taken``: each candidate with
    the span taken for it and the reason of its extent. ``refused``: the reason by child. ``ended``: why the context
    ended, "" while it has not. ``shown``: children in a passage, known after ``passages``. ``reached``: number of
    candidates considered.
    """

    budget: Budget
    settings: AssemblySettings
    filling: Filling
    first: int | None = None
    unsure: str = ""
    taken: list[tuple[ContextCandidate, Span, str]] = field(default_factory=list)
    refused: dict[int, str] = field(default_factory=dict)
    ended: str = ""
    shown: set[int] = field(default_factory=set)
    reached: int = 0

    def offer(self, candidates: Sequence[ContextCandidate], probabilities: Sequence[float]) -> None:
        """Take the candidates that fit, best first.

        ``probabilities``: for each candidate, that gold is still ahead, itself included.
        """
        for index, (candidate, probability) in enumerate(zip(candidates, probabilities, strict=True)):
            if not self.ended:
                self.reached = index + 1
                if index == self.first:
                    return
            if self.filling.covers(candidate.document, candidate.core):
                self.taken.append((candidate, candidate.core, CAME_IN))
                continue
            if not self.ended and probability < self.settings.stop_below and self.taken:
                self.ended = POOR.format(likely=probability, least=self.settings.stop_below)
            if refusal := self.ended or self._try(candidate):
                self.refused.setdefault(candidate.child, refusal)

    def _try(self, candidate: ContextCandidate) -> str:
        """Take the candidate, or else its core, or else a beginning of the core; return "" or the reason of refusal."""
        if self.unsure and candidate.extent != candidate.core:
            candidate = replace(candidate, extent=candidate.core, reason=ALONE)
        if self._take(candidate, candidate.extent, candidate.reason):
            return ""
        if candidate.core != candidate.extent and self._take(candidate, candidate.core, ALONE):
            return ""
        if candidate.is_sentence:
            return TOO_LONG
        self.ended = self._over_budget()
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

    def _over_budget(self) -> str:
        return self.unsure or OVER.format(amount=self.budget.amount, unit=self.budget.unit)

    def fates(self, extents: Sequence[Extent]) -> dict[int, str]:
        """The fate of each extent's child; to be called after ``passages``."""
        around = dict.fromkeys((candidate.child for candidate, _, _ in self.taken), AROUND)
        over_budget = dict.fromkeys((extent.child for extent in extents), self._over_budget())
        fates = {**over_budget, **self.refused, **around, **dict.fromkeys(self.shown, KEPT)}
        return {child: fates[child] for child in over_budget}

    def passages(self, ranking: Ranking, headers: PassageHeaders) -> tuple[Passage, ...]:
        """One passage for each run, ranked by the best candidate in it."""
        leaves = ranking.leaves
        members: dict[tuple[int, Span], list[tuple[ContextCandidate, str]]] = {}
        for candidate, span, reason in self.taken:  # best first: so are the members of each run
            run = self.filling.run_of(candidate.document, span.start)
            if run is not None:
                members.setdefault((candidate.document, run), []).append((candidate, reason))
        headers.prefetch(
            [candidate.child for candidate, _, _ in self.taken], [(document, run.start) for document, run in members]
        )
        passages: list[Passage] = []
        for rank, ((document, run), group) in enumerate(members.items(), start=1):
            children: dict[int, Span] = {}
            for candidate, _ in group:
                child = Span(int(leaves.starts[candidate.child]), int(leaves.ends[candidate.child]))
                if child.overlap(run):
                    children.setdefault(candidate.child, Span(max(child.start, run.start), min(child.end, run.end)))
            self.shown.update(children)
            best, reason = group[0]
            passages.append(
                Passage(
                    version_id=leaves.version_ids[document],
                    document=leaves.titles[document],
                    source=leaves.names[document],
                    start=run.start,
                    end=run.end,
                    text=self.filling.text(document)[run.start : run.end],
                    tokens=self.filling.size(document, run),
                    chunk_ids=tuple(headers.facts[child].chunk_id for child in children),
                    children=tuple(children.values()),
                    rank=rank,
                    score=best.relevance,
                    reason=reason,
                    **headers.parts(document, run.start)._asdict(),
                )
            )
        return tuple(passages)


def _beginning(filling: Filling, document: int, child: Span) -> Span | None:
    """The longest prefix of the child that fits and ends with a sentence or, failing that, a word; ``None`` if none."""
    text = filling.text(document)
    for sentence in reversed(sentence_spans(text, child.start, child.end)[:-1]):
        cut = Span(child.start, sentence.end)
        if cut.length >= SHORTEST_CUT and filling.fits(document, cut):
            return cut
    ends = [
        offset
        for offset in range(child.start + SHORTEST_CUT, child.end)
        if text[offset].isspace() and not text[offset - 1].isspace()
    ]
    fitting = bisect.bisect_left(ends, True, key=lambda end: not filling.fits(document, Span(child.start, end)))
    return Span(child.start, ends[fitting - 1]) if fitting else None
