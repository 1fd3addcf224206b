"""A budget, and what is taken of it so far: disjoint runs of documents, what each costs, and the sentences in them."""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from core.search.expansion.growth import Extent
from core.storage.index.leaves import LeafTable
from core.text.sentences import is_ended, sentence_spans
from core.text.spans import subtract_spans, trim
from core.types import Span, TokenCounter


@dataclass(frozen=True, slots=True)
class Budget:
    """``amount`` in ``unit`` ("tokens" or "characters"). ``size(text)`` counts; ``headed``: heading lines count too."""

    amount: int
    unit: str
    size: Callable[[str], int]
    headed: bool


def characters(amount: int) -> Budget:
    """Room in characters of document text alone, as evaluation suites count it.

    >>> characters(1000).size("four")
    4
    """
    return Budget(amount, "characters", len, headed=False)


def tokens(amount: int, counter: TokenCounter) -> Budget:
    """Room in tokens, the passages' heading lines included."""
    return Budget(amount, "tokens", lambda text: counter.count([text])[0], headed=True)


@dataclass(frozen=True, slots=True)
class ContextCandidate:
    """``wanted`` for the leaf ``child``; if it does not fit, ``core`` alone.

    ``single``: a sentence by itself, passed over where it does not fit; any other candidate is cut there.
    """

    child: int
    document: int
    core: Span
    wanted: Span
    relevance: float
    reason: str
    single: bool = False


def whole_candidates(leaves: LeafTable, extents: Sequence[Extent]) -> list[ContextCandidate]:
    """Each extent as it is, its child the core; of an extent that does not hold all of its child, the extent."""
    children = [extent.child for extent in extents]
    made: list[ContextCandidate] = []
    for extent, *own in zip(extents, leaves.starts[children].tolist(), leaves.ends[children].tolist(), strict=True):
        wanted = core = Span(extent.start, extent.end)
        if extent.start <= own[0] and own[1] <= extent.end and own != [extent.start, extent.end]:
            core = Span(*own)
        made.append(ContextCandidate(extent.child, extent.document, core, wanted, extent.relevance, extent.reason))
    return made


_VISIBLE = re.compile(r"\S")
_START, _END = attrgetter("start"), attrgetter("end")


@dataclass(slots=True)
class Filling:
    """What is taken so far, as ``runs`` by document: sorted, more than blanks between two of them, at most ``most``.

    ``text(document)``: its canonical text. ``above(document, start)``: what the prompt has above a run from there on.
    """

    budget: Budget
    text: Callable[[int], str]
    above: Callable[[int, int], str]
    most: int
    runs: dict[int, list[Span]] = field(default_factory=dict)
    used: int = 0
    _count: int = 0
    _sizes: dict[tuple[int, Span], int] = field(default_factory=dict)

    def run_of(self, document: int, place: int) -> Span | None:
        """The run that holds the character at ``place``."""
        runs = self.runs.get(document, [])
        at = bisect.bisect_right(runs, place, key=_START) - 1
        return runs[at] if at >= 0 and place < runs[at].end else None

    def covers(self, *places: tuple[int, Span]) -> list[bool]:
        """Whether all of the span of each document is read already."""
        runs = ((span, self.run_of(document, span.start)) for document, span in places)
        return [run is not None and span.end <= run.end for span, run in runs]

    def fits(self, document: int, spans: Sequence[Span]) -> bool:
        """Whether the whole with these spans would keep the budget."""
        return self._grown(document, spans) is not None

    def take(self, document: int, spans: Sequence[Span]) -> bool:
        """Take all of the spans if the whole still fits, else none."""
        grown = self._grown(document, spans)
        if grown is not None:
            self.runs[document], self._count, self.used = grown
        return grown is not None

    def size(self, document: int, run: Span) -> int:
        """What a run costs of the budget."""
        key = (document, run)
        if key not in self._sizes:
            body = self.text(document)[run.start : run.end]
            if self.budget.headed:
                body = f"{self.above(document, run.start)}\n{body}"
            self._sizes[key] = self.budget.size(body)
        return self._sizes[key]

    def _grown(self, document: int, spans: Sequence[Span]) -> tuple[list[Span], int, int] | None:
        """The document's runs with the spans among them, the number of all runs and what they cost then; ``None``
        where that is too much.
        """
        text = self.text(document)
        runs = list(self.runs.get(document, ()))
        added, replaced = set[Span](), list[Span]()
        for span in spans:
            low, high, joined = place(text, runs, span)
            for run in runs[low:high]:
                if run in added:
                    added.remove(run)
                else:
                    replaced.append(run)
            added.add(joined)
            runs[low:high] = [joined]
        used = self.used + sum(self.size(document, run) for run in added)
        used -= sum(self.size(document, run) for run in replaced)
        count = self._count + len(runs) - len(self.runs.get(document, ()))
        return (runs, count, used) if used <= self.budget.amount and count <= self.most else None


def place(text: str, runs: Sequence[Span], span: Span) -> tuple[int, int, Span]:
    """``(low, high, joined)``: the span joins ``runs[low:high]``, which it meets or is parted from by blanks alone.

    ``runs``: sorted, with more than blanks between two of them; so it stays with ``joined`` in the place of those.

    >>> place("ab  cd ef", [Span(0, 2), Span(7, 9)], Span(4, 6))
    (0, 2, Span(start=0, end=9))
    """
    low = bisect.bisect_left(runs, span.start, key=_END)
    if low and not _VISIBLE.search(text, runs[low - 1].end, span.start):
        low -= 1
    high = bisect.bisect_right(runs, span.end, key=_START)
    if high < len(runs) and not _VISIBLE.search(text, span.end, runs[high].start):
        high += 1
    met = [span, *runs[low:high]]
    return low, high, Span(min(run.start for run in met), max(run.end for run in met))


# Letters and digits a sentence must have to be looked for again: what is shorter ("Yes, it does.") is said again for
# reasons of its own, and so is most of what does not end as a sentence: lines of code, rows, items of a list.
LEAST_LETTERS = 25
LEAST_UNENDED = 100
# What is left beside a repeated sentence is worth a passage from so many characters on: any that says something new is.
SHORTEST_REST = LEAST_LETTERS


def said(sentence: str) -> str:
    """What two sentences have in common that say the same: letters and digits in small; "" for one that is too short.

    >>> said("The Mill  grinds wheat, rye\\nand *barley*.")
    'themillgrindswheatryeandbarley'
    >>> said("Yes, it does."), said("the_mill = grind(wheat, rye, barley)")
    ('', '')
    """
    letters = "".join(filter(str.isalnum, sentence)).casefold()
    return letters if len(letters) >= (LEAST_LETTERS if is_ended(sentence) else LEAST_UNENDED) else ""


def fresh(
    text: str, span: Span, read: Collection[str], held: Callable[[Span], bool] = lambda span: False
) -> tuple[list[Span], set[str]]:
    """The parts of a span that are left without repeated sentences, and what these parts say.

    ``read``: what the context says. ``held(sentence)``: whether it is read at this very place, and so no repetition.
    Parts end where a sentence is left out and nowhere else: each is the text as it stands, and a citation of it holds.
    What one part says twice therefore stays; what an earlier part of the same span says goes.

    >>> mill = "The mill by the river grinds the wheat of all four villages."
    >>> fresh(f"Hear! {mill} It is old, and the oldest of its wheels was made in 1650.", Span(0, 124), {said(mill)})[0]
    [Span(start=67, end=124)]
    """
    told: set[str] = set()  # in the parts that are closed
    part: set[str] = set()
    repeated: list[Span] = []
    for sentence in sentence_spans(text, span.start, span.end):
        words = said(text[sentence.start : sentence.end])
        if not words or held(sentence):
            continue
        if words in read or words in told:
            repeated.append(sentence)
            told |= part
            part = set()
        else:
            part.add(words)
    if not repeated:
        return [span], part
    rests = (trim(text, rest.start, rest.end) for rest in subtract_spans([span], repeated))
    parts = [rest for rest in rests if rest is not None and rest.length >= SHORTEST_REST]
    return parts, told | part
