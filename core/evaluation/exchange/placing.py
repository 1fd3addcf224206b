"""Where the words of a quotation without offsets are in a document, however it was typed."""

from __future__ import annotations

import re
from bisect import bisect_right

from core.text.anchoring import Finder
from core.text.phrases import occurrences
from core.text.spans import non_blank_length
from core.types import Span

EXACT, TYPED_OTHERWISE, WORDS_ALONE = 0, 1, 2
_LEAST_LETTERS = 12  # from which on a quotation is looked for with blanks inside its words
_FEWEST_WORDS = 4  # words from which on they identify a passage without the marks between them
_WORD = re.compile(r"[^\W_]+")
_QUOTED = "\"'“”„‘’«»… "


class Places:
    """Finds quotations in one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._finder = Finder(text)
        self._joined: str | None = None  # the text's words in lower case, each before and after a blank
        self._offsets: list[int] = []  # of each word in ``_joined``
        self._words: list[Span] = []

    def of(self, quote: str) -> tuple[int, list[Span]]:
        """How closely the text has a quotation, and every place of it; no place where it has not.

        ``EXACT``: letter for letter, as whole words. ``TYPED_OTHERWISE``: in other case, with other blanks, line ends,
        or marks of emphasis, code and links. ``WORDS_ALONE``: the same words, whatever is between them.

        >>> text = Places("Tokens are *valid*: 14 days. Not 140 days!")
        >>> text.of("14 days"), text.of("TOKENS  are valid")
        ((0, [Span(start=20, end=27)]), (1, [Span(start=0, end=17)]))
        >>> text.of("“are valid 14 days …”"), text.of("4 days")
        ((2, [Span(start=7, end=27)]), (2, []))
        """
        quote = quote.strip(_QUOTED) or quote
        found = [Span(*place) for place in occurrences(self.text, quote)]
        exact = [place for place in found if self.text[place.start : place.end] == quote]
        if exact or found:
            return (EXACT, exact) if exact else (TYPED_OTHERWISE, found)
        if non_blank_length(quote) >= _LEAST_LETTERS and (place := self._finder.find(quote, "", "", 0)) is not None:
            return TYPED_OTHERWISE, [place]  # blanks inside words
        words = _WORD.findall(quote.lower())
        return WORDS_ALONE, self._by_words(words) if len(words) >= _FEWEST_WORDS else []

    def _by_words(self, words: list[str]) -> list[Span]:
        if self._joined is None:
            self._join()
        joined, sought, places = self._joined or "", f" {' '.join(words)} ", list[Span]()
        at = joined.find(sought)
        while at >= 0:
            first = bisect_right(self._offsets, at + 1) - 1
            places.append(Span(self._words[first].start, self._words[first + len(words) - 1].end))
            at = joined.find(sought, at + 1)
        return places

    def _join(self) -> None:
        parts, length = [""], 1
        for match in _WORD.finditer(self.text):
            word = match[0].lower()
            parts.append(word)
            self._offsets.append(length)
            self._words.append(Span(*match.span()))
            length += len(word) + 1
        self._joined = " ".join([*parts, ""])
