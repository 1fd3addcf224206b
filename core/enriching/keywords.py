"""Keywords of passages: TF-IDF (Sparck Jones 1972) over the passages of one document, for words and phrases.

Phrases are pairs of adjacent content words that occur more than once in the document (after RAKE, Rose et al. 2010).
YAKE (Campos et al. 2020, Information Sciences 509) was measured in comparison: its statistics of sentences and casing
are weak on leaves of a hundred words ("hours", "decided", "writing"), and it takes thirteen times as long.
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
from core.text.values.calendar_names import month_of
from core.types import Chunk

_COMMON = 0.5  # words in more than this share of the passages are no keywords ...
_FEWEST = 8  # ... in documents with at least this many passages
_ONCE = 0.6  # factor for a word that occurs once in the document: distinctive, but seldom the topic
_TITLED = 1.5  # factor for a word of the passage's headings
_PHRASE = 0.8  # weight of a phrase as a share of the sum of its words' weights
# Kanji and katakana are written without spaces: a run of them is a word, and hiragana separate words.
_TOKEN = re.compile(r"[\u3400-\u9fff々]+|[\u30a0-\u30ff]+|[^\s\u3040-\u30ff\u3400-\u9fff]+")
_INNER = re.compile(r"[^\W_](?:.*[^\W_])?", re.DOTALL)
_POSSESSIVE = re.compile(r"['’]s?$")
_WIDE = re.compile(r"[\u30a0-\u30ff\u3400-\u9fff]+")
_CAMEL_CASE = re.compile(r"[a-z][A-Z]")
_MARKS = ".,;:!?\"'”’)]}*_`|"
# Common words besides the function words.
_COMMON_WORDS = frozenset(
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

Term = tuple[str, ...]  # the keys of one word, or of the two words of a phrase


class Keywords:
    """The keyword statistics of one document. ``leaves``: the passages for document frequencies."""

    __slots__ = ("_ends", "_shown", "_starts", "_terms", "_weights")

    def __init__(self, text: str, leaves: Sequence[Chunk]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []  # without punctuation at the end
        self._terms: list[tuple[Term, ...]] = []  # for each token: its word, and the phrase with the word before
        self._shown: dict[str, str] = {}  # key to the form shown: the first one in lower case, else the first
        self._read(text)
        counts = Counter(term for terms in self._terms for term in terms)
        self._terms = [tuple(term for term in terms if len(term) == 1 or counts[term] > 1) for terms in self._terms]
        frequencies = Counter(term for leaf in leaves for term in set(self._within(leaf)))
        most = _COMMON * len(leaves) if len(leaves) >= _FEWEST else len(leaves)
        self._weights = {
            term: log(1 + len(leaves) / frequency) * (_ONCE if counts[term] == 1 and len(leaves) > 1 else 1)
            for term, frequency in frequencies.items()
            if frequency <= most
        }

    def of(self, chunk: Chunk, most: int) -> tuple[str, ...]:
        """At most ``most`` keywords of a chunk, by falling weight; words of a phrase are not repeated."""
        titled = {word for title in chunk.headings for word in title.lower().split()}
        counts = Counter(self._within(chunk))
        weights = {
            term: (1 + log(count)) * self._weights.get(term, 0.0) * (_TITLED if term[0] in titled else 1)
            for term, count in counts.items()
        }
        for first, second in [term for term in weights if len(term) == 2]:
            # A word that mostly occurs in this phrase gives way to the phrase.
            replaced = [weights[word,] for word in (first, second) if 2 * counts[first, second] >= counts[word,]]
            phrase_weight = _PHRASE * (weights[first,] + weights[second,])
            weights[first, second] = max(phrase_weight, *(1.001 * weight for weight in replaced), 0.0)
        keywords: list[Term] = []
        for term in sorted(weights, key=lambda term: -weights[term]):
            if len(keywords) == most or not weights[term]:
                break
            if not any(word in other for other in keywords for word in term):
                keywords.append(term)
        return tuple(" ".join(self._shown[word] for word in term) for term in keywords)

    def _read(self, text: str) -> None:
        """Fills the token lists."""
        before = ""
        for match in _TOKEN.finditer(text):
            check_cancelled()
            token = match.group()
            word, key, opens, closes = _analysed(token)
            self._starts.append(match.start())
            self._ends.append(match.start() + len(token.rstrip(_MARKS)))
            phrase = before and key and not opens and before != key
            self._terms.append(((key,), (before, key)) if phrase else ((key,),) if key else ())
            before = "" if closes else key
            shown = self._shown.get(key)
            if key and (shown is None or (word.islower() and not shown.islower())):
                self._shown[key] = word

    def _within(self, chunk: Chunk) -> list[Term]:
        """The terms of a chunk, without a phrase that begins before it."""
        first, last = bisect_left(self._starts, chunk.start), bisect_right(self._ends, chunk.end)
        return [term for at in range(first, last) for term in self._terms[at] if len(term) == 1 or at > first]


@lru_cache(maxsize=65_536)
def _analysed(token: str) -> tuple[str, str, bool, bool]:
    """A token's word, its key, and whether punctuation is before and after it, across which there are no phrases.

    >>> _analysed("(Sections,"), _analysed("getUserName()")[1]
    (('Sections', 'section', True, True), '')
    """
    inner = _INNER.search(token)
    if inner is None:
        return token, "", True, True
    word = _POSSESSIVE.sub("", inner.group())
    return word, _key(word), inner.start() > 0, inner.end() < len(token)


def _key(word: str) -> str:
    """The key under which a word is counted, the same for plural and singular; "" for a word that is no keyword."""
    if _WIDE.fullmatch(word):
        return word if 2 <= len(word) <= 8 else ""
    plain = word.lower()
    if (month_of(plain) and word[0].isupper()) or _CAMEL_CASE.search(word):
        return ""
    if len(plain) < 3 or plain in STOP_WORDS or plain in _COMMON_WORDS or not plain.replace("-", "").isalpha():
        return ""
    return singular(plain)


def singular(word: str) -> str:
    """The singular of an English plural, by its ending alone; other words as they are.

    >>> [singular(word) for word in ("sections", "policies", "boxes", "status", "class", "analysis")]
    ['section', 'policy', 'box', 'status', 'class', 'analysis']
    """
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("xes", "ches", "shes", "sses")) else word[:-1]
