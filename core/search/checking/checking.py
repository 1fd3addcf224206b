"""Whether passages support the claims of a text.

A claim is compared with the sentence of a passage that is nearest to it. Its numbers, dates, names and negations must
be there or in a neighbouring sentence; the rest is judged by the share of its words that are there, and by a
cross-encoder that reads claim and sentence together.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.evidence import Citation, Passage
from core.search.checking.claims import Claim, find_verbatim, is_code, names_missing
from core.search.checking.facts import Fact, Facts, facts, misplaced, missing_facts
from core.search.context.conflicts import content_words
from core.search.context.prompt import REPEATED
from core.text.polarity import opposed, polarity
from core.text.sentences import sentence_spans
from core.types import Span

SUPPORTED, PARTLY, NOT_FOUND = "supported", "partly", "not_found"
VERDICTS = (SUPPORTED, PARTLY, NOT_FOUND)

# By `python -m benchmarks.check_answers`.
SAME_WORDS = 0.8  # with this share of a claim's words a sentence says the same
MANY_WORDS = 0.5
JUDGED_LIKELY, JUDGED_POSSIBLE = 0.5, 0.2  # probabilities of the judge
_JUDGED = 3  # sentences that the judge reads for each claim
_NEAR_BEST = 0.8  # sentences with this part of the best share of words count as saying the same

Judge = Callable[[str, Sequence[str]], NDArray[np.float64]]
"""``judge(claim, texts)``: the probability that each text says the claim, ``(n,)`` in [0, 1]."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result for one claim. ``verdict``: one of ``VERDICTS``. ``reason``: a sentence for the user.

    ``spans``, ``texts``: the sentences that support it, or the nearest ones.
    """

    claim: Claim
    verdict: str
    reason: str
    spans: tuple[Citation, ...] = ()
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of a passage. ``header``: title, headings and repeated table header above it.

    ``words``: content words of the sentence and its header. ``start``: offset in the passage. ``index``: among the
    sentences of all passages.
    """

    text: str
    header: str
    words: frozenset[str]
    passage: Passage
    start: int
    index: int

    @property
    def with_header(self) -> str:
        return f"{self.header}\n{self.text}"

    @property
    def citation(self) -> Citation:
        return _citation_of(self.passage, Span(self.start, self.start + len(self.text)))[0]


class Checker:
    """Checks claims against passages.

    ``passages``: in any order; citations name their ``rank``. ``judge``: the packaged re-ranker or a language model.
    ``trusted()``: whether the judge's last result suffices without shared words, as a language model's does.
    """

    def __init__(
        self, passages: Sequence[Passage], judge: Judge, *, trusted: Callable[[], bool] = lambda: False
    ) -> None:
        self._passage_sentences = _sentences(passages)
        self._ranks = {passage.rank for passage in passages}
        self._judge = judge
        self._trusted = trusted
        self._facts: dict[str, Facts] = {}

    def check(self, claim: Claim) -> Verdict:
        """The verdict on one claim, by the passages it cites.

        If these do not support it, the others are checked too: with their support it is ``PARTLY`` supported. A claim
        that cites none of the passages is checked against all.
        """
        cited = self._ranks.intersection(claim.cited)
        if not cited:
            return self._check_against(claim, self._passage_sentences)
        in_cited = [sentence for sentence in self._passage_sentences if sentence.passage.rank in cited]
        verdict = self._check_against(claim, in_cited)
        if verdict.verdict == SUPPORTED:
            return verdict
        in_others = [sentence for sentence in self._passage_sentences if sentence.passage.rank not in cited]
        by_others = self._check_against(claim, in_others)
        if by_others.verdict == SUPPORTED:
            ranks = {sentence.citation: sentence.passage.rank for sentence in self._passage_sentences}
            where = ", ".join(f"[{rank}]" for rank in dict.fromkeys(ranks[span] for span in by_others.spans))
            return replace(by_others, verdict=PARTLY, reason=f"It stands in {where}, not in what it cites.")
        return verdict

    def _check_against(self, claim: Claim, sentences: Sequence[_Sentence]) -> Verdict:
        """The verdict on a claim by these sentences alone."""
        if not sentences:
            return Verdict(claim, NOT_FOUND, "There is no passage to hold it against.")
        passages = {id(sentence.passage): sentence.passage for sentence in sentences}.values()
        verbatim = [
            _citation_of(passage, span) for passage in passages for span in find_verbatim(claim.text, passage.text)
        ]
        if verbatim:
            spans, texts = zip(*verbatim[:3], strict=True)
            return Verdict(claim, SUPPORTED, "It stands there.", spans, texts)
        if is_code(claim.text):
            return _code_verdict(claim, passages)
        words = frozenset(content_words(self._facts_of(claim.text).rest))
        shares = np.array([_share(words, sentence.words) for sentence in sentences])
        best, likely = self._nearest(claim, sentences, shares)
        nearest = sentences[best]
        adjacent = [
            sentence
            for sentence in sentences
            if sentence.passage is nearest.passage and abs(sentence.index - nearest.index) == 1
        ]
        threshold = max(MANY_WORDS, _NEAR_BEST * shares.max())
        similar = [
            sentence
            for sentence, share in zip(sentences, shares, strict=True)
            if share >= threshold and sentence is not nearest
        ]
        context_words = frozenset[str]().union(*(sentence.words for sentence in [nearest, *adjacent]))
        share = max(float(shares[best]), _share(words, context_words) - 0.1)

        def verdict(name: str, reason: str) -> Verdict:
            shown = [nearest, *similar][:3]
            spans, texts = tuple(one.citation for one in shown), tuple(one.text for one in shown)
            return Verdict(claim, name, reason, spans, texts)

        evidence = [nearest, *similar, *adjacent]
        missing = self._missing(claim, evidence, strict=float(shares[best]) >= SAME_WORDS)
        exact = [fact for fact in missing if fact.kind != "word"]
        if exact and (share >= MANY_WORDS or likely >= JUDGED_POSSIBLE):
            return verdict(NOT_FOUND, _missing_words(missing))
        if share >= MANY_WORDS and (denied := opposed(polarity(claim.text), polarity(nearest.text))):
            return verdict(NOT_FOUND, f"One says of “{denied}” what the other denies.")
        if share >= SAME_WORDS and (name := misplaced(self._facts_of(claim.text), self._facts_of(nearest.text))):
            return verdict(NOT_FOUND, f"{name} stands where the passage has another.")
        same = not missing and (share >= SAME_WORDS or (likely >= JUDGED_LIKELY and share >= MANY_WORDS))
        if same or (likely >= JUDGED_LIKELY and self._trusted()):
            return verdict(SUPPORTED, "It stands there." if share >= MANY_WORDS else "A model reads it there.")
        if not exact and (share >= MANY_WORDS or likely >= JUDGED_LIKELY):
            rest = f"{share:.0%} of its words stand there, and the rest is not said in so many words."
            return verdict(PARTLY, _missing_words(missing) if missing else rest)
        return verdict(NOT_FOUND, _missing_words(missing) if missing else "No passage says this; the nearest is shown.")

    def _nearest(self, claim: Claim, sentences: Sequence[_Sentence], shares: NDArray[np.float64]) -> tuple[int, float]:
        """The index of the sentence nearest to a claim, by shared words and the judge, and the judge's probability.

        The judge is not called if a sentence has nearly all words of the claim.
        """
        top = int(shares.argmax())
        if shares[top] >= 0.95:
            return top, 1.0
        candidates = np.argsort(-shares, kind="stable")[:_JUDGED].tolist()
        probabilities = self._judge(claim.text, [sentences[index].with_header for index in candidates])
        scores = [
            float(shares[index]) + float(likely) / 2 for index, likely in zip(candidates, probabilities, strict=True)
        ]
        best = int(np.argmax(scores))
        return candidates[best], float(probabilities[best])

    def _missing(self, claim: Claim, sentences: Sequence[_Sentence], *, strict: bool) -> list[Fact]:
        """Facts of the claim that none of the sentences states; ``strict``: that the first one does not state."""
        claimed = self._facts_of(claim.text)
        texts = [f"{sentence.text}\n{sentence.header}" for sentence in sentences]
        missing = list(missing_facts(claimed, self._facts_of(texts[0])))
        if not missing or strict:
            return missing
        return list(missing_facts(claimed, self._facts_of("\n".join(texts))))

    def _facts_of(self, text: str) -> Facts:
        if text not in self._facts:
            self._facts[text] = facts(text)
        return self._facts[text]


def _citation_of(passage: Passage, span: Span) -> tuple[Citation, str]:
    """The citation and the text of a span, given by offsets in the passage."""
    start, end = passage.start + span.start, passage.start + span.end
    citation = Citation(passage.version_id, passage.document, passage.source, start, end, passage.page)
    return citation, passage.text[span.start : span.end]


def _code_verdict(claim: Claim, passages: Collection[Passage]) -> Verdict:
    """The verdict on a piece of code that no passage contains verbatim."""
    nearest = min(passages, key=lambda passage: len(names_missing(claim.text, passage.text)))
    missing = names_missing(claim.text, nearest.text)
    citation, text = _citation_of(nearest, Span(0, len(nearest.text)))
    if missing:
        reason = f"It does not stand there: {', '.join(missing[:5])}."
        return Verdict(claim, NOT_FOUND, reason, (citation,), (text,))
    reason = "Its names stand there, not in this order and with these signs."
    return Verdict(claim, PARTLY, reason, (citation,), (text,))


def _missing_words(missing: Sequence[Fact]) -> str:
    """
    >>> _missing_words([Fact("number", "15 hours", True), Fact("name", "Ada")])
    'It does not stand there: the number 15 hours (of something else), the name Ada.'
    """
    described = [
        f"the {'term' if fact.kind == 'code' else fact.kind} {fact.text}"
        + (" (of something else)" if fact.unit_alone else "")
        for fact in missing
    ]
    return f"It does not stand there: {', '.join(described)}."


def _share(words: frozenset[str], others: frozenset[str]) -> float:
    """The share of ``words`` that are among the others; 1 for no words."""
    return len(words & others) / len(words) if words else 1.0


def _sentences(passages: Sequence[Passage]) -> list[_Sentence]:
    """The sentences of all passages, in order."""
    sentences: list[_Sentence] = []
    for passage in passages:
        prefix = [part.text for part in passage.prefix if part.kind in REPEATED]
        header = "\n".join(dict.fromkeys([passage.document, *passage.headings, *prefix]))
        header_words = frozenset(content_words(header))
        for span in sentence_spans(passage.text):
            text = passage.text[span.start : span.end]
            words = frozenset(content_words(text)) | header_words
            sentences.append(_Sentence(text, header, words, passage, span.start, len(sentences)))
    return sentences


def counted(verdicts: Sequence[Verdict]) -> Mapping[str, int]:
    """How many sentences have each verdict."""
    return {name: sum(one.verdict == name for one in verdicts) for name in VERDICTS}
