"""Whether sentences are supported by passages: exactly in numbers, dates, names and negations, by meaning in the rest.

One of the sentences that share most words with a claim is where it is looked for. What is said exactly must stand there
or right beside; what it means is judged by the share of its words that stand there, and by a cross-encoder that reads
both together.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.evidence import Citation, Passage
from core.search.checking.claims import Claim, is_code, names_missing, standing
from core.search.checking.facts import Fact, Facts, facts, lacking, misplaced
from core.search.context.conflicts import content_words
from core.search.context.prompt import REPEATED
from core.text.polarity import opposed, polarity
from core.text.sentences import sentence_spans
from core.types import Span

SUPPORTED, PARTLY, NOT_FOUND = "supported", "partly", "not_found"
VERDICTS = (SUPPORTED, PARTLY, NOT_FOUND)

# By `python -m benchmarks.check_answers`.
SAME_WORDS = 0.8  # share of a claim's words from which on a sentence says the same
MANY_WORDS = 0.5
LIKELY, UNLIKELY = 0.5, 0.2  # probabilities of the cross-encoder
_READ = 3  # places that are read for each claim
_NEAR = 0.8  # of the best share of words: so near to it another sentence says the same

Judge = Callable[[str, Sequence[str]], NDArray[np.float64]]
"""``judge(claim, texts)``: how likely each text says the claim, ``(n,)`` in [0, 1]."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a claim. ``verdict``: of ``VERDICTS``; ``reason``: a sentence. ``spans``: where it was found, or
    what came nearest; ``texts``: theirs.
    """

    claim: Claim
    verdict: str
    reason: str
    spans: tuple[Citation, ...] = ()
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Place:
    """A sentence of a passage. ``above``: what the passage says over it: title, headings, a table's header."""

    text: str
    above: str
    words: frozenset[str]
    passage: Passage
    start: int
    at: int  # among all places, in order

    @property
    def citation(self) -> Citation:
        begin = self.passage.start + self.start
        held = self.passage
        return Citation(held.version_id, held.document, held.source, begin, begin + len(self.text), held.page)


class Checker:
    """Holds claims against passages. ``judge``: the cross-encoder, or a model.

    ``passages``: in any order, each by its ``rank``, which citations name. ``trusted()``: whether what the judge
    just found likely needs not share half of the claim's words.
    """

    def __init__(
        self, passages: Sequence[Passage], judge: Judge, *, trusted: Callable[[], bool] = lambda: False
    ) -> None:
        self._places = _places(passages)
        self._ranks = {passage.rank for passage in passages}
        self._judge = judge
        self._trusted = trusted
        self._facts: dict[str, Facts] = {}

    def check(self, claim: Claim) -> Verdict:
        """The verdict on one claim: by what it cites, and where that does not hold it, or it cites nothing, by all."""
        cited = self._ranks.intersection(claim.cited)
        if not cited:
            return self._held(claim, self._places)
        own = self._held(claim, [place for place in self._places if place.passage.rank in cited])
        if own.verdict == SUPPORTED:
            return own
        wide = self._held(claim, [place for place in self._places if place.passage.rank not in cited])
        if wide.verdict == SUPPORTED:
            ranks = {place.citation: place.passage.rank for place in self._places}
            where = ", ".join(f"[{rank}]" for rank in dict.fromkeys(ranks[span] for span in wide.spans))
            return replace(wide, verdict=PARTLY, reason=f"It stands in {where}, not in what it cites.")
        return own

    def _held(self, claim: Claim, places: Sequence[_Place]) -> Verdict:
        if not places:
            return Verdict(claim, NOT_FOUND, "There is no passage to hold it against.")
        passages = {id(place.passage): place.passage for place in places}.values()
        if verbatim := [_quoted(one, span) for one in passages for span in standing(claim.text, one.text)][:3]:
            spans, texts = zip(*verbatim, strict=True)
            return Verdict(claim, SUPPORTED, "It stands there.", spans, texts)
        if is_code(claim.text):
            return _unlike(claim, passages)
        words = frozenset(content_words(self._of(claim.text).rest))
        shares = np.array([_share(words, place.words) for place in places])
        best, likely = self._nearest(claim, places, shares)
        place, share = places[best], float(shares[best])
        beside = [one for one in places if one.passage is place.passage and abs(one.at - place.at) == 1]
        same = [
            one for one, other in zip(places, shares, strict=True) if other >= max(MANY_WORDS, _NEAR * shares.max())
        ]
        around = [place, *(one for one in (*same, *beside) if one is not place)]
        share = max(share, _share(words, frozenset[str]().union(*(one.words for one in [place, *beside]))) - 0.1)

        def verdict(said: str, reason: str) -> Verdict:
            shown = [place, *(one for one in same if one is not place)][:3]
            return Verdict(claim, said, reason, tuple(one.citation for one in shown), tuple(one.text for one in shown))

        missing = self._missing(claim, around, strict=float(shares[best]) >= SAME_WORDS)
        exact = [fact for fact in missing if fact.kind != "word"]
        if exact and (share >= MANY_WORDS or likely >= UNLIKELY):
            return verdict(NOT_FOUND, _missed(missing))
        if share >= MANY_WORDS and (denied := opposed(polarity(claim.text), polarity(place.text))):
            return verdict(NOT_FOUND, f"One says of “{denied}” what the other denies.")
        if share >= SAME_WORDS and (name := misplaced(self._of(claim.text), self._of(place.text))):
            return verdict(NOT_FOUND, f"{name} stands where the passage has another.")
        alike = not missing and (share >= SAME_WORDS or (likely >= LIKELY and share >= MANY_WORDS))
        if alike or (likely >= LIKELY and self._trusted()):
            return verdict(SUPPORTED, "It stands there." if share >= MANY_WORDS else "A model reads it there.")
        if not exact and (share >= MANY_WORDS or likely >= LIKELY):
            rest = f"{share:.0%} of its words stand there, and the rest is not said in so many words."
            return verdict(PARTLY, _missed(missing) if missing else rest)
        return verdict(NOT_FOUND, _missed(missing) if missing else "No passage says this; the nearest is shown.")

    def _nearest(self, claim: Claim, places: Sequence[_Place], shares: NDArray[np.float64]) -> tuple[int, float]:
        """The place where a claim is looked for, and how likely it says it."""
        top = int(shares.argmax())
        if shares[top] >= 0.95:
            return top, 1.0
        tried = [int(one) for one in np.argsort(-shares, kind="stable")[:_READ]]
        likely = self._judge(claim.text, [f"{places[one].above}\n{places[one].text}" for one in tried])
        worth = {one: float(shares[one]) + float(chance) / 2 for one, chance in zip(tried, likely, strict=True)}
        chosen = max(tried, key=worth.__getitem__)
        return chosen, float(likely[tried.index(chosen)])

    def _missing(self, claim: Claim, around: Sequence[_Place], *, strict: bool) -> list[Fact]:
        """What is said exactly and does not stand in the places; ``strict``: in the first of them."""
        claimed = self._of(claim.text)
        first = around[0]
        missing = list(lacking(claimed, self._of(f"{first.text}\n{first.above}")))
        if not missing or strict:
            return missing
        return list(lacking(claimed, self._of("\n".join(f"{one.text}\n{one.above}" for one in around))))

    def _of(self, text: str) -> Facts:
        if text not in self._facts:
            self._facts[text] = facts(text)
        return self._facts[text]


def _quoted(passage: Passage, span: Span) -> tuple[Citation, str]:
    """A place of a passage, and its text."""
    start, end = passage.start + span.start, passage.start + span.end
    cited = Citation(passage.version_id, passage.document, passage.source, start, end, passage.page)
    return cited, passage.text[span.start : span.end]


def _unlike(claim: Claim, passages: Collection[Passage]) -> Verdict:
    """The verdict on a piece of a program that stands nowhere word for word."""
    nearest = min(passages, key=lambda one: len(names_missing(claim.text, one.text)))
    missing = names_missing(claim.text, nearest.text)
    cited, text = _quoted(nearest, Span(0, len(nearest.text)))
    if missing:
        said = f"It does not stand there: {', '.join(missing[:5])}."
        return Verdict(claim, NOT_FOUND, said, (cited,), (text,))
    return Verdict(claim, PARTLY, "Its names stand there, not in this order and with these signs.", (cited,), (text,))


def _missed(missing: Sequence[Fact]) -> str:
    """
    >>> _missed([Fact("number", "15 hours", True), Fact("name", "Ada")])
    'It does not stand there: the number 15 hours (of something else), the name Ada.'
    """
    said = [
        f"the {'term' if fact.kind == 'code' else fact.kind} {fact.text}"
        + (" (of something else)" if fact.unit_alone else "")
        for fact in missing
    ]
    return f"It does not stand there: {', '.join(said)}."


def _share(words: frozenset[str], held: frozenset[str]) -> float:
    return len(words & held) / len(words) if words else 1.0


def _places(passages: Sequence[Passage]) -> list[_Place]:
    found: list[_Place] = []
    for passage in passages:
        prefix = [part.text for part in passage.prefix if part.kind in REPEATED]
        above = "\n".join(dict.fromkeys([passage.document, *passage.headings, *prefix]))
        known = frozenset(content_words(above))
        for span in sentence_spans(passage.text):
            text = passage.text[span.start : span.end]
            found.append(_Place(text, above, frozenset(content_words(text)) | known, passage, span.start, len(found)))
    return found


def counted(verdicts: Sequence[Verdict]) -> Mapping[str, int]:
    """How many sentences have each verdict."""
    return {name: sum(one.verdict == name for one in verdicts) for name in VERDICTS}
