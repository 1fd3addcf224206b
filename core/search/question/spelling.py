"""Slips of spelling in a question: a word that stands nowhere in the library is read as the one it is a slip of.

Distance as in Damerau, "A technique for computer detection and correction of spelling errors", CACM 1964: a letter too
many, too few, another one, or two exchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from rapidfuzz.distance import OSA

from core.embedding import packaged_counter
from core.storage.catalogue import documents
from core.storage.catalogue.chunks import chunk_rows
from core.storage.index.lexical import rows_with_token, spelling_candidates
from core.storage.store import Store
from core.text.analysis import analyse

_SHORTEST = 5  # letters: shorter words differ from too many others by one
_LONG = 9  # letters from which on two slips are forgiven
_TRIED = 8  # words of the library that are looked at for one
_WORD = re.compile(r"(?<![\w'’.@/_-])[^\W\d_]+(?![\w'’@/_-]|\.\w)")
_LETTERS = re.compile(r"[^\W\d_]+")
_QUOTED = re.compile(r"`[^`\n]*`|“[^”\n]*”|\"[^\"\n]*\"")


@dataclass(frozen=True, slots=True)
class Respelt:
    """``value``: the word as the library has it; ``typed``: as the question does."""

    typed: str
    value: str
    kind: str = field(default="spelling", init=False)

    @property
    def key(self) -> tuple[str, str]:
        """By which it can be taken away."""
        return self.kind, self.typed

    @property
    def words(self) -> str:
        """
        >>> Respelt("coffe", "coffee").words
        'read as: coffee'
        """
        return f"read as: {self.value}"


class Vocabulary(Protocol):
    """The words of a library."""

    def holds(self, token: str) -> bool:
        """Whether some chunk holds a token."""

    def beside(self, token: str) -> Mapping[str, int]:
        """The tokens that begin as this one does and are nearly as long, each with how many chunks hold it."""

    def written(self, token: str) -> str:
        """A word of the library's texts with this token; "" where none is found."""


@dataclass(frozen=True, slots=True)
class LibraryWords:
    """The ``Vocabulary`` of a generation's leaves."""

    store: Store
    generation: int

    def holds(self, token: str) -> bool:
        """Whether some leaf holds a token: the first is looked for, as counting a common one's takes long."""
        return bool(rows_with_token(self.store, self.generation, token, 1))

    def beside(self, token: str) -> Mapping[str, int]:
        """The tokens that are near in the index of words."""
        return spelling_candidates(self.store, self.generation, token)

    def written(self, token: str) -> str:
        """The first word with this token in the leaves that hold it; a title's or heading's is not looked for."""
        for row in chunk_rows(self.store, rows_with_token(self.store, self.generation, token, _TRIED)).values():
            text = documents.text(self.store, row.version_id)[row.start : row.end]
            said = (word.lower() for word in _LETTERS.findall(text) if analyse(word) == [token])
            if word := next(said, ""):
                return word
        return ""


def is_word(word: str) -> bool:
    """Whether the packaged embedder's tokenizer knows a word whole: a slip is read in pieces.

    >>> is_word("coffee"), is_word("coffe")
    (True, False)
    """
    return packaged_counter().count([word]) == [1]


def respelt(
    text: str, vocabulary: Vocabulary, known: Callable[[str], bool], kept: Collection[tuple[str, str]] = ()
) -> tuple[str, tuple[Respelt, ...]]:
    """The text with its slips mended, and what was read otherwise than it was typed.

    ``known``: whether a word is one, whatever the library holds: such a word stays. So do short ones, quoted ones,
    names (a capital after the first word), identifiers, and those whose ``Respelt.key`` is in ``kept``.
    """
    slips = []
    for word in dict.fromkeys(_candidates(text)):
        tokens = analyse(word)
        if Respelt(word, word).key in kept or len(tokens) != 1 or known(word.lower()) or vocabulary.holds(tokens[0]):
            continue
        if value := _meant(word.lower(), tokens[0], vocabulary):
            slips.append(Respelt(word, value))
            text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", value, text)
    return text, tuple(slips)


def _candidates(text: str) -> Iterator[str]:
    plain = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), text)
    for match in _WORD.finditer(plain):
        word = match[0]
        first = not plain[: match.start()].strip()
        if len(word) >= _SHORTEST and (word.islower() or (first and word[1:].islower())):
            yield word


def _meant(word: str, token: str, vocabulary: Vocabulary) -> str:
    """The word of the library that this one is a slip of; "" where nothing is near enough."""
    most = 1 if len(word) < _LONG else 2
    beside = vocabulary.beside(token)
    near = {other: count for other, count in beside.items() if OSA.distance(other, token) <= most}
    likely = sorted(near, key=lambda other: (OSA.distance(other, token), -near[other], other))[:_TRIED]
    found = [(OSA.distance(said, word), -near[other], said) for other in likely if (said := vocabulary.written(other))]
    return min((one for one in found if one[0] <= most), default=(0, 0, ""))[2]
