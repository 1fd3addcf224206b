"""Spelling correction of questions: a word that the library lacks is replaced by a similar one that it has.

Similarity is the edit distance of Damerau, "A technique for computer detection and correction of spelling errors", CACM
1964: insertion, deletion or substitution of a letter, or transposition of two.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from rapidfuzz.distance import OSA

from core.embedding import packaged_counter
from core.storage.catalogue.texts import documents
from core.storage.catalogue.texts.chunks import chunk_rows
from core.storage.index.lexical import rows_with_token, spelling_candidates
from core.storage.store import Store
from core.text.analysis import analyse

_SHORTEST = 5  # letters; a shorter word is one edit away from too many others
_LONG = 9  # letters; from this length on a distance of 2 is allowed
_MOST_CANDIDATES = 8  # library words compared with one word
_WORD = re.compile(r"(?<![\w'’.@/_-])[^\W\d_]+(?![\w'’@/_-]|\.\w)")
_LETTERS = re.compile(r"[^\W\d_]+")
_QUOTED = re.compile(r"`[^`\n]*`|“[^”\n]*”|\"[^\"\n]*\"")


@dataclass(frozen=True, slots=True)
class Respelt:
    """A corrected word. ``typed``: as in the question. ``value``: as in the library."""

    typed: str
    value: str
    kind: str = field(default="spelling", init=False)

    @property
    def key(self) -> tuple[str, str]:
        """The key by which the user removes it."""
        return self.kind, self.typed

    @property
    def words(self) -> str:
        """
        >>> Respelt("coffe", "coffee").words
        'read as: coffee'
        """
        return f"read as: {self.value}"


class Vocabulary(Protocol):
    """The words of a library. Tokens are analysed: lower case, stemmed."""

    def holds(self, token: str) -> bool:
        """Whether any chunk contains the token."""

    def beside(self, token: str) -> Mapping[str, int]:
        """Tokens that begin like this one and are about as long, with the number of chunks that contain each."""

    def written(self, token: str) -> str:
        """A word of the library's texts whose token this is; "" if none is found."""


@dataclass(frozen=True, slots=True)
class LibraryWords:
    """The ``Vocabulary`` of a generation's leaves."""

    store: Store
    generation: int

    def holds(self, token: str) -> bool:
        """Whether any leaf contains the token. Only one is looked up: counting all of a common token takes long."""
        return bool(rows_with_token(self.store, self.generation, token, 1))

    def beside(self, token: str) -> Mapping[str, int]:
        """Similar tokens of the lexical index."""
        return spelling_candidates(self.store, self.generation, token)

    def written(self, token: str) -> str:
        """The first word with this token in the text of the leaves that contain it; titles and headings are ignored."""
        rows = rows_with_token(self.store, self.generation, token, _MOST_CANDIDATES)
        for row in chunk_rows(self.store, rows).values():
            text = documents.text(self.store, row.version_id)[row.start : row.end]
            words = (word.lower() for word in _LETTERS.findall(text) if analyse(word) == [token])
            if word := next(words, ""):
                return word
        return ""


def is_word(word: str) -> bool:
    """Whether the packaged embedder's tokenizer has the word as one token; a misspelt word is split into several.

    >>> is_word("coffee"), is_word("coffe")
    (True, False)
    """
    return packaged_counter().count([word]) == [1]


def correct_spelling(
    text: str, vocabulary: Vocabulary, known: Callable[[str], bool], kept: Collection[tuple[str, str]] = ()
) -> tuple[str, tuple[Respelt, ...]]:
    """The text with its spelling corrected, and the corrections.

    ``known(word)``: whether a word is correct although the library lacks it. Never corrected are known, short and
    quoted words, names (a capital after the first word), identifiers, and words whose ``Respelt.key`` is in ``kept``.
    """
    corrections = []
    for word in dict.fromkeys(_checkable_words(text)):
        tokens = analyse(word)
        if Respelt(word, word).key in kept or len(tokens) != 1 or known(word.lower()) or vocabulary.holds(tokens[0]):
            continue
        if value := _correction(word.lower(), tokens[0], vocabulary):
            corrections.append(Respelt(word, value))
            text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", value, text)
    return text, tuple(corrections)


def _checkable_words(text: str) -> Iterator[str]:
    """Words long enough to check, without quoted ones, names and identifiers."""
    plain = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), text)
    for match in _WORD.finditer(plain):
        word = match[0]
        first = not plain[: match.start()].strip()
        if len(word) >= _SHORTEST and (word.islower() or (first and word[1:].islower())):
            yield word


def _correction(word: str, token: str, vocabulary: Vocabulary) -> str:
    """The library's word nearest to this one, among equals the most frequent; "" when none is near enough."""
    limit = 1 if len(word) < _LONG else 2
    similar = vocabulary.beside(token)
    near = {other: count for other, count in similar.items() if OSA.distance(other, token) <= limit}
    nearest = sorted(near, key=lambda other: (OSA.distance(other, token), -near[other], other))[:_MOST_CANDIDATES]
    # Distances of words, since different words may share a stemmed token.
    candidates = [
        (OSA.distance(written, word), -near[other], written)
        for other in nearest
        if (written := vocabulary.written(other))
    ]
    return min((candidate for candidate in candidates if candidate[0] <= limit), default=(0, 0, ""))[2]
