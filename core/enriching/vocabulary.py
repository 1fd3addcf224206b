"""A document's words, each looked at once: what a word is does not depend on where it stands.

A long document has a hundred thousand words and some thousand different ones. Rules about a word's shape run over the
different ones; what is left for each place is one look-up.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

from core.enriching.shapes import Shape, Thing, number_like, things_in
from core.text.analysis import STOP_WORDS
from core.text.calendar_names import month_of

# Kanji and katakana are written without spaces: their runs are the words, hiragana parts them.
_TOKEN = re.compile(r"[\u3400-\u9fff々]+|[\u30a0-\u30ff]+|[^\s\u3040-\u30ff\u3400-\u9fff]+")
_INNER = re.compile(r"[^\W_](?:.*[^\W_])?", re.DOTALL)
_POSSESSIVE = re.compile(r"['’]s?$")
_WIDE = re.compile(r"[\u30a0-\u30ff\u3400-\u9fff]+")
_REFERRING = frozenset(
    "section sections sec sect chapter chapters chap ch clause clauses paragraph paragraphs part parts appendix"
    " annex article articles art figure figures fig figs table tables tab abschnitt abschnitte kapitel ziffer"
    " anhang artikel abbildung abbildungen abb tabelle tabellen sección capítulo artículo figura tabla chapitre"
    " annexe tableau see siehe 표 그림 図 図表 图 表".split()
)
# Words that are everywhere and say nothing of a passage; function words of English are in STOP_WORDS.
_PALE = frozenset(
    "able across actually almost alone along already although always among another anyone anything around away"
    " became become becomes behind beside best better bring brought called came cannot come comes cost costs day"
    " days decide decided different does done either else end enough etc even ever every everyone everything fact"
    " far find first five four full gave general get gets getting give given gives going gone good got great half"
    " happen happened happens hard hold holds hour hours however important instead keep keeps kept kind knew know"
    " known knows last later least leave left less let like likely little long longer look made main make makes"
    " making many matter mean means meant might minute minutes month months much must near nearly need needed"
    " needs never new next nobody nothing now often old one ones onto others ought part parts people per perhaps"
    " place possible put puts quite rather read real really run runs said sake say says second seconds see seen"
    " set sets several show shown shows simply since small some someone something sometimes soon still such sure"
    " take taken takes tell ten thing things think third though three thus till time times today together told"
    " took toward try two under unless until unlike upon use used uses using usual usually various via want wants"
    " way ways week weeks well went whatever whether within without word work works would write writing written"
    " year years yes yet def return returns elif import class self none true false null str int var const function"
    " public private static void async await raise except lambda http https www com org html".split()
)


class Word(NamedTuple):
    """What is known of a word, wherever it stands. Offsets are from the token's own start.

    ``start``, ``end``: without the punctuation around it. ``key``: under which it counts as a keyword, "" when it
    never does. ``plain``: lower-case, without a possessive. ``opens``, ``closes``: punctuation before and after it,
    over which no phrase goes. ``stops``: it ends a sentence. ``shape``: the ``Shape`` flags of its letters.
    ``things``: what is written exactly in it.
    """

    start: int
    end: int
    text: str
    plain: str
    key: str
    opens: bool
    closes: bool
    stops: bool
    shape: int
    things: tuple[Thing, ...] = ()


class Vocabulary:
    """The tokens of one text in order: ``starts[i]`` and ``words[i]``, one ``Word`` for all its places."""

    __slots__ = ("_flags", "starts", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        matches = list(_TOKEN.finditer(text))
        self.starts = [match.start() for match in matches]
        tokens = [match.group() for match in matches]
        known = {token: word_of(token) for token in dict.fromkeys(tokens)}
        self.words = [known[token] for token in tokens]
        self._flags: dict[int, list[int]] = {}
        shaped = {token: word.shape for token, word in known.items() if word.shape}
        for at, token in enumerate(tokens):
            if token in shaped:
                self._flags.setdefault(shaped[token], []).append(at)

    def places(self, shape: Shape) -> list[int]:
        """Indices of the words that show any of these shapes, in order."""
        lists = [found for flags, found in self._flags.items() if flags & shape]
        return sorted(at for found in lists for at in found)

    def span(self, at: int) -> tuple[int, int]:
        """Where word ``at`` stands, without the punctuation around it."""
        word, start = self.words[at], self.starts[at]
        return start + word.start, start + word.end

    def between(self, start: int, end: int) -> tuple[int, int]:
        """Indices ``[first, last)`` of the tokens whose words lie in ``[start, end)``."""
        first, last = bisect_left(self.starts, start), bisect_left(self.starts, end)
        while last > first and self.span(last - 1)[1] > end:
            last -= 1  # a cut inside a word leaves it to nobody
        return first, last


def word_of(token: str) -> Word:
    """What is known of a token.

    >>> word_of("(sections,")[2:8]
    ('sections', 'sections', 'section', True, True, False)
    >>> word_of("getUserName()").shape
    8
    """
    inner = _INNER.search(token)
    if inner is None:
        return Word(0, len(token), token, "", "", True, True, token[-1] in ".!?:|", 0)
    start, end = inner.span()
    text = inner.group()
    plain = _POSSESSIVE.sub("", text.lower())
    shape = Shape(0)
    if text[0].isupper():
        shape |= Shape.CAPITAL
    if number_like(text):
        shape |= Shape.NUMBER
    if month_of(plain):
        shape |= Shape.MONTH
    things = things_in(token)
    if things:
        shape = Shape.THING
    if plain in _REFERRING or "§" in token:
        shape |= Shape.REFERRING
    if "[" in token or any(mark in token for mark in "¹²³⁴⁵⁶⁷⁸⁹⁰"):
        shape |= Shape.BRACKET
    tail = token[end:].rstrip("\"'”’)]}*_`")
    key = "" if things and not (text.isalpha() and text.islower()) else _key(text, plain)  # `ledger` is a word too
    stops = tail.endswith((".", "!", "?", ":", "|"))
    return Word(start, end, text, plain, key, start > 0, end < len(token), stops, int(shape), things)


def _key(text: str, plain: str) -> str:
    """Under which a word counts as a keyword: plural and singular alike; "" for numbers and words that say nothing."""
    if _WIDE.fullmatch(text):
        return text if 2 <= len(text) <= 8 else ""
    if month_of(plain) and text[0].isupper():
        return ""
    if len(plain) < 3 or plain in STOP_WORDS or plain in _PALE or not plain.replace("-", "").isalpha():
        return ""
    return singular(plain)


def singular(word: str) -> str:
    """A plural's singular by its ending alone; other words as they are.

    >>> [singular(word) for word in ("sections", "policies", "boxes", "status", "class", "analysis")]
    ['section', 'policy', 'box', 'status', 'class', 'analysis']
    """
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("xes", "ches", "shes", "sses")) else word[:-1]
