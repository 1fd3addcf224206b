"""Questions that ask several things, taken apart where a new question word begins."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.text.analysis import STOP_WORDS

_BEFORE = r"(?:(?:for|in|on|at|by|to|from|with|of|under|within|since|until) )?"
_ASKING = rf"{_BEFORE}(?-i:(?!WHO\b))(?:what|which|who|whom|whose|when|where|why|how)\b"
_ASKS = re.compile(
    rf"\W*(?:{_ASKING}|(?:is|are|was|were|do|does|did|can|could|may|must|should|will|has|have) )", re.IGNORECASE
)
# Behind a comma alone, "which" and "who" go on about what was said; "what", "why" and "how" ask anew.
_JOINT = re.compile(
    rf"\s*[,;]?\s+(?:and|or|but)\s+(?={_ASKING})|\s*[,;]\s+(?={_BEFORE}(?:what|why|how)\b)|(?<=\?)\s+(?=\S)",
    re.IGNORECASE,
)
_ASKING_AT_END = re.compile(
    r"\b(?:what|which|who|whom|whose|when|where|why|how|to|of|and|or|is|are|about)\W*\Z", re.IGNORECASE
)
_OPEN_BETWEEN = re.compile(r"(?i)\bbetween\b(?!.*\band\b)")  # "between when it rains and when it floods"
_POINTING_BACK = re.compile(r"(?i)\b(?:it|its|they|them|their|this|that|these|those|he|she|his|her|him|one|so|there)\b")
_WORD = re.compile(r"[\w][\w'’.-]*\w|\w")
_PALE = frozenset("many much long often must have has does did was were".split())
_LEAST = 2  # telling words that a part must hold for itself, or lend from the first


@dataclass(frozen=True, slots=True)
class Part:
    """One of several things a question asks, at ``[start, end)`` of it.

    ``text``: what to search for; where the part points back ("... and who gets it"), with the first part's subject.
    """

    text: str
    start: int
    end: int

    @property
    def kind(self) -> str:
        """What it is, among all that is understood."""
        return "asked"

    @property
    def value(self) -> str:
        """The same as ``text``."""
        return self.text

    @property
    def key(self) -> tuple[str, str]:
        """By which it can be taken away."""
        return self.kind, self.text

    @property
    def words(self) -> str:
        """For a chip.

        >>> Part("What is the rate", 0, 16).words
        'searched apart: What is the rate'
        """
        return f"searched apart: {self.text}"


def parts_of(question: str) -> tuple[Part, ...]:
    """The things that a conjunctive question asks, in order; () where it asks one. Pure.

    >>> [part.text for part in parts_of("What is the rate and which database does it use?")]
    ['What is the rate', 'which database does it use (rate)']
    >>> parts_of("Where and when was the mill built?"), parts_of("What do ducks and geese eat?")
    ((), ())
    """
    if not _ASKS.match(question):
        return ()
    spans = _spans(question)
    if len(spans) < 2:
        return ()
    subject = _subject(question[slice(*spans[0])])
    found: list[Part] = []
    for at, (start, end) in enumerate(spans):
        own = question[start:end]
        leans = at > 0 and (_POINTING_BACK.search(own) is not None or len(_telling(own)) < _LEAST)
        found.append(Part(f"{own} ({subject})" if leans and subject else own, start, end))
    return tuple(found)


def _spans(question: str) -> list[tuple[int, int]]:
    """Where the parts stand. A part that would hold no telling word of its own stays with the one before it."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _JOINT.finditer(question):
        before = question[start : match.start()]
        if _ASKING_AT_END.search(before) or _OPEN_BETWEEN.search(before) or not _telling(before):
            continue
        rest = _JOINT.search(question, match.end())
        following = question[match.end() : rest.start() if rest else len(question)]
        if not _says_something(following):
            continue
        spans.append(_trimmed(question, start, match.start()))
        start = match.end()
    spans.append(_trimmed(question, start, len(question)))
    return spans


def _says_something(part: str) -> bool:
    """Whether a part asks something: "why not earlier" and "which database" do, "why" and "how" do not."""
    return len(_WORD.findall(part)) >= (2 if _telling(part) else 3)


def _trimmed(question: str, start: int, end: int) -> tuple[int, int]:
    while end > start and question[end - 1] in " \t\n?.!,;":
        end -= 1
    while start < end and question[start].isspace():
        start += 1
    return start, end


def _telling(part: str) -> list[str]:
    return [word for word in _WORD.findall(part) if word.lower() not in STOP_WORDS]


def _subject(part: str) -> str:
    """What the first part is about: its telling words."""
    return " ".join(word for word in _telling(part) if word.lower() not in _PALE)
