"""The words a passage has and its neighbours have not: TF-IDF within one document, with phrases.

YAKE (Campos et al. 2020, Information Sciences 509) was measured beside it: on leaves of a hundred words its statistics
of sentences and casing have little to go by ("hours", "decided", "writing"), and it takes thirteen times as long. What
tells one passage of a document from the others is how often a word stands here and in how few of the others (Sparck
Jones 1972); phrases are pairs of content words with nothing between them that come back in the document (after RAKE,
Rose et al. 2010).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import log

from core.cancellation import check_cancelled
from core.text.analysis import STOP_WORDS
from core.text.calendar_names import month_of
from core.types import Chunk

_COMMON = 0.5  # words in more than this share of the passages tell none apart
_FEWEST = 8  # passages below which that share says nothing
_ONCE = 0.6  # the weight of a word the whole document has once: it tells passages apart, but seldom what they are about
_TITLED = 1.5  # of a word that stands in the passage's own headings
_PHRASE = 0.8  # a phrase weighs this share of its words' weights together
# Kanji and katakana are written without spaces: their runs are the words, hiragana parts them.
_TOKEN = re.compile(r"[\u3400-\u9fff々]+|[\u30a0-\u30ff]+|[^\s\u3040-\u30ff\u3400-\u9fff]+")
_INNER = re.compile(r"[^\W_](?:.*[^\W_])?", re.DOTALL)
_POSSESSIVE = re.compile(r"['’]s?$")
_WIDE = re.compile(r"[\u30a0-\u30ff\u3400-\u9fff]+")
_HUMP = re.compile(r"[a-z][A-Z]")
_MARKS = ".,;:!?\"'”’)]}*_`|"
# Words that are everywhere and say nothing of a passage, beside the function words.
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

Key = tuple[str, ...]


class Keywords:
    """Keyword statistics of one document; ``leaves`` are the passages that frequencies are taken over."""

    __slots__ = ("_ends", "_shown", "_starts", "_terms", "_weights")

    def __init__(self, text: str, leaves: Sequence[Chunk]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []  # without the punctuation behind
        self._terms: list[tuple[Key, ...]] = []  # of every token: its word, and its phrase with the one before
        self._shown: dict[str, str] = {}  # a word's first form in lower case, else its first form
        self._read(text)
        times = Counter(term for terms in self._terms for term in terms)
        self._terms = [tuple(one for one in terms if len(one) == 1 or times[one] > 1) for terms in self._terms]
        held = Counter(term for leaf in leaves for term in set(self._within(leaf)))
        most = _COMMON * len(leaves) if len(leaves) >= _FEWEST else len(leaves)
        self._weights = {
            term: log(1 + len(leaves) / among) * (_ONCE if times[term] == 1 and len(leaves) > 1 else 1)
            for term, among in held.items()
            if among <= most
        }

    def of(self, chunk: Chunk, most: int) -> tuple[str, ...]:
        """A chunk's keywords, the most telling first; words of a phrase are not named again."""
        titled = {word for title in chunk.headings for word in title.lower().split()}
        counts = Counter(self._within(chunk))
        ranked = {
            term: (1 + log(times)) * self._weights.get(term, 0.0) * (_TITLED if term[0] in titled else 1)
            for term, times in counts.items()
        }
        for first, second in [term for term in ranked if len(term) == 2]:
            own = [ranked[word,] for word in (first, second) if 2 * counts[first, second] >= counts[word,]]
            whole = _PHRASE * (ranked[first,] + ranked[second,])
            # A word that mostly stands in a phrase is named by the phrase.
            ranked[first, second] = max(whole, *(1.001 * weight for weight in own), 0.0)
        chosen: list[Key] = []
        for term in sorted(ranked, key=lambda term: -ranked[term]):
            if len(chosen) == most or not ranked[term]:
                break
            if not any(word in other for other in chosen for word in term):
                chosen.append(term)
        return tuple(" ".join(self._shown[word] for word in term) for term in chosen)

    def _read(self, text: str) -> None:
        before = ""
        for match in _TOKEN.finditer(text):
            check_cancelled()
            token = match.group()
            word, key, opens, closes = _told(token)
            self._starts.append(match.start())
            self._ends.append(match.start() + len(token.rstrip(_MARKS)))
            phrase = before and key and not opens and before != key
            self._terms.append(((key,), (before, key)) if phrase else ((key,),) if key else ())
            before = "" if closes else key
            known = self._shown.get(key)
            if key and (known is None or (word.islower() and not known.islower())):
                self._shown[key] = word

    def _within(self, chunk: Chunk) -> list[Key]:
        """The terms of a chunk; a phrase that begins before it is none of its own."""
        first, last = bisect_left(self._starts, chunk.start), bisect_right(self._ends, chunk.end)
        return [term for at in range(first, last) for term in self._terms[at] if len(term) == 1 or at > first]


@lru_cache(maxsize=65_536)
def _told(token: str) -> tuple[str, str, bool, bool]:
    """A token's word, its key, and whether punctuation stands before and behind it, over which no phrase goes.

    >>> _told("(Sections,"), _told("getUserName()")[1]
    (('Sections', 'section', True, True), '')
    """
    inner = _INNER.search(token)
    if inner is None:
        return token, "", True, True
    word = _POSSESSIVE.sub("", inner.group())
    return word, _key(word), inner.start() > 0, inner.end() < len(token)


def _key(word: str) -> str:
    """Under which a word counts: plural and singular alike; "" for numbers, identifiers and words that say nothing."""
    if _WIDE.fullmatch(word):
        return word if 2 <= len(word) <= 8 else ""
    plain = word.lower()
    if (month_of(plain) and word[0].isupper()) or _HUMP.search(word):
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
