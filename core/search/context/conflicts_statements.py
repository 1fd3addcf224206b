"""A value together with what it is said of, in words that can be held against those of another statement."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, product

from core.search.context.conflicts_values import NEGATION, Value
from core.text.analysis import analyse
from core.text.quantities import BASE_UNITS
from core.types import Passage, Span

# Words of one property are one word: "valid for" and "expires after" say the same of a token.
_PROPERTIES = (
    "lifetime expire expires expired expiry expiration valid validity live lives last lasts",
    "keep keeps kept retain retains retained retention store stored",
    "delete deletes deleted deletion purge purged",
    "limit limits limited maximum capped minimum allowed hold holds",
    "cost costs price priced fee charge charged",
    "require requires required need needs needed",
    "release released publish published",
    "begin begins start starts",
    "end ends close closes",
)
_PROPERTY = {word: f"={row.split()[0]}" for row in _PROPERTIES for word in row.split()}
_OPPOSED = frozenset("above below inside outside without".split())  # function words that tell cases apart
_LIGHT = frozenset("must shall also one always exactly currently now per every within only cannot never".split())
_WORD = re.compile(r"[^\W_]+(?:[_.'’/-]+[^\W_]+)*")
_NUMBERED = re.compile(r"[\s#*_]*(?:\d+(?:\.\d+)*[.)]?\s+)?")
_PARTS = re.compile(r"[;:,]\s|\s[-–—]\s|\s\(|\)|\s(?:and|but|while|whereas|so that|which|because|although)\s")
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|can|may|must|will|shall|does|do)\b")
_CONDITION = re.compile(
    r"(?:\b(?:if|when|whenever|unless|during|while|except|once)|\A\W*(?:after|before|without|with|at|on|in|for|from|by))"
    r"\s(?P<words>[^,;:.()]*)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """``value``, at ``span`` of ``text``, the sentence; ``sentence``: where that stands in the document.

    ``before``, ``after``: the subject and the clause around the value. ``words``: theirs; ``known``: those of the whole
    sentence, its headings and its title, which hold for it too. ``pairs``: neighbouring words. ``limits``: names,
    figures and conditions, which a statement of the same case has to know.
    """

    value: Value
    passage: Passage
    sentence: Span
    before: str
    after: str
    words: frozenset[str]
    known: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    limits: frozenset[str]

    @property
    def text(self) -> str:
        """The sentence."""
        return self.passage.text[self.sentence.start - self.passage.start : self.sentence.end - self.passage.start]


def statement(value: Value, passage: Passage, sentence: Span) -> Statement:
    """What is stated where the ``value`` stands, ``sentence`` being its sentence in the document's text."""
    text = passage.text[sentence.start - passage.start : sentence.end - passage.start]
    numbered = _NUMBERED.match(text)
    begin = start = numbered.end() if numbered else 0
    end = len(text)
    for part in _PARTS.finditer(text):
        if part.end() <= value.span.start:
            start = part.end()
        elif part.start() >= value.span.end:
            end = part.start()
            break
    opening = _VERB.search(text, begin, start)
    subject = text[begin : opening.start()] if opening else ""
    before, after = subject + text[start : value.span.start], text[value.span.end : end]
    said = f"{before}, {after}" if value.kind != NEGATION else text
    words = set(content_words(said))
    if (counted := value.measure.partition("/")[0]) not in BASE_UNITS and value.kind != NEGATION:
        words.update(content_words(counted))
    if len(words) < 2 and passage.headings:
        words.update(content_words(passage.headings[-1]))
    context = " ".join([passage.document, *passage.headings])
    named = [word[0] for word in _WORD.finditer(said) if any(map(str.isdigit, word[0])) or _is_name(said, word)]
    rest = f"{text[: value.span.start]}, {text[value.span.end :]}"
    cases = [match["words"] for match in _CONDITION.finditer(rest)]
    return Statement(
        value,
        passage,
        sentence,
        before,
        after,
        frozenset(words),
        frozenset([*words, *content_words(text), *content_words(context)]),
        frozenset(_pairs(said)),
        frozenset(content_words(" ".join([*named, *cases]))),
    )


def content_words(text: str) -> list[str]:
    """The words of a text that say what it is about, in order: stems, and one word for those of one property.

    >>> content_words("How long is an access token valid? They expire.")
    ['long', 'access', 'token', '=lifetime', '=lifetime']
    """
    return [stem for match in _WORD.finditer(text.lower()) for stem in _stems(match[0])]


def written_words(text: str, wanted: frozenset[str]) -> tuple[str, ...]:
    """The words of a text in small letters, each once, that are one of the wanted content words."""
    return tuple(
        dict.fromkeys(word[0] for word in _WORD.finditer(text.lower()) if wanted.intersection(_stems(word[0])))
    )


@lru_cache(maxsize=50_000)
def _stems(word: str) -> tuple[str, ...]:
    if word in _PROPERTY or word in _OPPOSED:
        return (_PROPERTY.get(word, word),)
    return () if word in _LIGHT or word.endswith(("n't", "n’t")) else tuple(analyse(word)[:1])


def _is_name(text: str, word: re.Match[str]) -> bool:
    """Whether a word is capitalised within the text."""
    return word[0][0].isupper() and bool(text[: word.start()].strip(" \n\"'“‘(*_"))


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Content words with nothing but a space or a hyphen between them."""
    for one, other in pairwise(_WORD.finditer(text.lower())):
        if text[one.end() : other.start()] in {" ", "-"}:
            yield from product(_stems(one[0]), _stems(other[0]))
