"""Finds names, organisations, identifiers, paths, URLs and mail addresses by spelling alone."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from itertools import chain
from typing import NamedTuple

import regex

from core.cancellation import cancellable
from core.enriching.span_index import SpanIndex
from core.text.analysis import STOP_WORDS
from core.text.tokens import whitespace_windows
from core.text.values.calendar_names import SHORT_WEEKDAYS, WEEKDAYS, month_of
from core.types import Span

_PARTICLES = frozenset("of de del der den van von da di la le du y e & ter zu".split())
_ORGANISATIONS = frozenset(
    "inc ltd llc gmbh ag corp corporation company co plc bv b.v sa s.a nv n.v university institute institut"
    " college school bank ministry department committee council commission agency authority foundation association"
    " society group laboratories laboratory labs hospital universität universidad université press union".split()
)
_NO_NAMES = STOP_WORDS | frozenset(
    "note notes warning caution important tip info todo see yes no ok please dear hello hi thanks regards figure"
    " table section chapter clause article appendix step part page example question answer summary introduction"
    " conclusion get post put patch delete head options true false none null montag dienstag mittwoch donnerstag"
    " freitag samstag sonntag i'm i've i'd i'll it's that's we're"
    # Abbreviations in capitals that are no names: times, money, asides.
    " eoy eod eom eow ytd yoy qoq mtd qtd fy asap fyi tbd tba tbc eta etd ooo nb ps aka rsvp faq btw imo imho afaik"
    " am pm utc gmt cet cest est edt cst cdt pst pdt bst usd eur gbp chf jpy cny inr aud cad sek nok dkk"
    " vat kpi roi ebit ebitda capex opex".split()
) | frozenset(map(str.lower, (*WEEKDAYS, *SHORT_WEEKDAYS, *(f"{day}s" for day in WEEKDAYS))))  # fmt: skip
# Words that begin sentences, possibly right before a name.
_OPENERS = frozenset(
    "yesterday today tomorrow later earlier recently finally meanwhile however therefore thus although though since"
    " perhaps maybe usually often sometimes never always still also even only every many most some each both either"
    " neither another several nobody somebody everybody nothing everything first second third last next dort gestern"
    " heute hier aber und wenn als nach bei mit für von dans pour avec selon como para con según".split()
)
_MANY_CAPITALS = 0.12  # share of capitalised words above which the language capitalises nouns, or the text is a title
_MOST_WORDS = 8  # words of a name
_WORD = regex.compile(r"(?:\p{Lu}\.){2,}|[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}.'’&-]*[\p{L}\p{M}\p{N}])?")
_INNER = regex.compile(r"\p{Ll}\p{Lu}")
_POSSESSIVE = regex.compile(r"['’]s?$")


class _Word(NamedTuple):
    """A word of the text. ``plain``: in lower case, without possessive. ``separator``: marks or a blank line before it.

    ``ambiguous``: whether any word could be capitalised here: after a stop or quote, or at the start of a line.
    """

    start: int
    end: int
    text: str
    plain: str
    separator: str
    ambiguous: bool

    @property
    def is_common(self) -> bool:
        """Whether it is a common word that is no name on its own: a function word, a month, "Note"."""
        return self.plain in _NO_NAMES or self.plain in _OPENERS or bool(month_of(self.plain))


def names(text: str, excluded: Sequence[Span], begins: Set[int] = frozenset()) -> tuple[SpanIndex[str], SpanIndex[str]]:
    """The names in a text, and separately the names of organisations.

    ``excluded``: headings and code, in which capitals are no sign of names. ``begins``: starts of table rows and list
    items; no name goes across them.

    >>> text = "We asked Ada Lovelace of Fennmark B.V. and the IBM team. The answer came from Ada."
    >>> people, organisations = names(text, [])
    >>> people.distinct(0, len(text), 9), organisations.distinct(0, len(text), 9)
    (('Ada Lovelace', 'IBM', 'Ada'), ('Fennmark B.V.',))
    """
    words = list(_words(text, begins))
    spans = sorted(excluded)
    starts = [span.start for span in spans]
    capital = [
        at
        for at, word in enumerate(words)
        if word.text[0].isupper()
        and ((inside := bisect_right(starts, word.start) - 1) < 0 or word.start >= spans[inside].end)
    ]
    inside_sentences = [
        words[at].plain for at in capital if not words[at].ambiguous and words[at].plain not in STOP_WORDS
    ]
    particles = len(inside_sentences) <= _MANY_CAPITALS * len(words) or len(words) < 60
    lower_case = Counter(word.plain for word in words if not word.text[0].isupper())
    # Words that are capitalised inside sentences at least as often as not: "Heron", but not "Service".
    names_in_sentences: set[str] = set()
    if particles:
        names_in_sentences = {plain for plain, count in Counter(inside_sentences).items() if count >= lower_case[plain]}
    people: list[tuple[int, int, str]] = []
    organisations: list[tuple[int, int, str]] = []
    for run in _runs(words, capital, particles):
        emphasised = all(word.text.isupper() for word in run) and any(lower_case[word.plain] for word in run)
        if emphasised or (len(run) == 1 and not _is_name(run[0], names_in_sentences)):
            continue
        start, end = run[0].start, run[-1].end
        name = _POSSESSIVE.sub("", " ".join(text[start:end].split()))
        target = organisations if len(run) > 1 and _is_organisation(run) else people
        target.append((start, end, name))
    return SpanIndex(people), SpanIndex(organisations)


def _words(text: str, begins: Set[int]) -> Iterator[_Word]:
    """The words of a text in order."""
    before = 0
    for match in cancellable(_WORD.finditer(text)):
        start, end = match.span()
        gap = text[before:start]
        ambiguous = not before or start in begins or "\n" in gap or bool(gap.strip(" ,;\u00a0"))
        separator = "\n" if start in begins or "\n\n" in gap else gap.strip()
        yield _Word(start, end, match.group(), _POSSESSIVE.sub("", match.group().lower()), separator, ambiguous)
        before = end


def _runs(words: Sequence[_Word], capital: Sequence[int], particles: bool) -> Iterator[list[_Word]]:
    """Runs of adjacent capitalised words, without common words at their beginning.

    ``capital``: indices of the capitalised words. ``particles``: whether particles may be between them ("Sanne
    de Wit"), which misleads in a language that capitalises nouns.
    """
    position = 0
    while position < len(capital):
        first = last = capital[position]
        position += 1
        while words[first].is_common and position < len(capital) and capital[position] == last + 1:
            first = last = capital[position]  # "Yesterday Ada"
            position += 1
        while position < len(capital) and _continues(words[first : capital[position] + 1], last - first, particles):
            last = capital[position]
            position += 1
        if not words[first].is_common and last - first < _MOST_WORDS:
            yield list(words[first : last + 1])


def _continues(words: Sequence[_Word], last: int, particles: bool) -> bool:
    """Whether a name that ends with ``words[last]`` so far continues at the last of the words."""
    between, after = words[last + 1 : -1], words[-1]
    if len(between) > (2 if particles else 0) or after.is_common:
        return False
    initial = not between and len(words[last].text) <= 2 and after.separator == "."  # "J. Smith"
    if (after.separator and not initial) or any(word.separator or word.plain not in _PARTICLES for word in between):
        return False
    return not (last and any(word.plain == "of" for word in between))  # "Bank of England", not "Ada Lovelace of London"


def _is_organisation(run: Sequence[_Word]) -> bool:
    """Whether the last word is one of organisations, or the first, as in "University of Delft"."""
    by_first = run[0].plain in _ORGANISATIONS and len(run) > 2 and run[1].plain in _PARTICLES
    return run[-1].plain.rstrip(".") in _ORGANISATIONS or by_first


def _is_name(word: _Word, names_in_sentences: set[str]) -> bool:
    """Whether a single capitalised word is a name: an acronym, one capitalised inside sentences, or "SpaceX"."""
    letters = word.text.replace("-", "").replace("'", "").isalpha()
    if word.text.isupper():
        return 2 <= len(word.text) <= 6 and letters
    return len(word.text) > 2 and letters and (word.plain in names_in_sentences or _INNER.search(word.text) is not None)


_IDENTIFIER = regex.compile(
    r"(?P<url>(?:\b(?:https?|ftp|sftp|file|git|ssh)://|\bwww\.)[^\s<>\"'`{}|\\^]{2,2000})"
    r"|(?<![\w.+-])(?P<email>[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6})"
    r"|(?<![\w</])(?P<path>(?:~|\.{1,2})?(?:/[\w.@%+~{}<>:*-]{0,64}[\w}>*]){2,40}/?|(?:~|\.{1,2})/[\w.@%+~-]{1,64}"
    r"|/[a-z][\w.{}<>-]{0,64}[\w}>]|[A-Za-z]:\\[\w.\\-]{0,200}\w|(?:[\w.@-]{1,64}/){1,20}[\w@-]{1,64}\.[A-Za-z]\w{0,5})"
    r"|(?<![\w-])(?P<symbol>[A-Z][A-Z0-9]{0,9}-\d{1,7}(?![\w-])|--[a-z][\w-]*[a-z0-9]"
    r"|[$@]?[^\W\d]\w*+(?:(?:\.|::?|->|[#-])[^\W\d]\w*+)*+(?:\(\))?(?!@))"
)
_CAMEL_CASE = regex.compile(r"[a-z][A-Z]|[A-Z][a-z]+[A-Z][a-z]|[a-z]\d+[A-Z]")
_IDENTIFIER_MARK = regex.compile(r"::|->|[^_$@]_|^--|^[A-Z][A-Z0-9]*-\d+$")  # in identifiers only
_BRANDS = frozenset(
    "McDonald iPhone iPad iOS macOS eBay YouTube GitHub GitLab LinkedIn PhD KiB MiB GiB TiB kHz MHz GHz kWh MWh".split()
)
_WINDOW = 50_000  # characters searched between two checks for cancellation
_LONGEST_SYMBOL = 64  # characters; longer ones are keys or hashes


def identifiers(text: str) -> dict[str, SpanIndex[str]]:
    """The symbols, paths, URLs and mail addresses of a text, by kind; "()" is added to the name of a called function.

    >>> by_kind = identifiers("Call `get_user` on https://example.org, or mail a@example.org.")
    >>> {kind: values.distinct(0, 99, 9) for kind, values in by_kind.items()}
    {'symbol': ('get_user',), 'path': (), 'url': ('https://example.org',), 'email': ('a@example.org',)}
    """
    items: dict[str, list[tuple[int, int, str]]] = {"symbol": [], "path": [], "url": [], "email": []}
    windows = cancellable(whitespace_windows(text, _WINDOW))
    for match in chain.from_iterable(_IDENTIFIER.finditer(text, window.start, window.end) for window in windows):
        kind, value = match.lastgroup or "", match.group()
        if kind == "symbol":
            called = value.endswith("()") or text[match.end() : match.end() + 1] == "("
            if not _is_symbol(value, called, _in_backticks(text, *match.span())):
                continue
            value = f"{value.removesuffix('()').strip('$@')}()" if called else value
        elif kind == "url":
            value = _without_punctuation(value)
        elif kind == "email":
            value = value.rstrip(".-")
        items[kind].append((match.start(), match.start() + len(value.removesuffix("()")), value))
    return {kind: SpanIndex(values) for kind, values in items.items()}


def _in_backticks(text: str, start: int, end: int) -> bool:
    return text[start - 1 : start] == "`" and text[end : end + 1] in ("`", "(")


def _without_punctuation(url: str) -> str:
    """A URL without the punctuation of the sentence at its end."""
    while url and (
        url[-1] in ".,;:!?*_'" or (url[-1] in ")]" and url.count(url[-1]) > url.count("(["[url[-1] == "]"]))
    ):
        url = url[:-1]
    return url


def _is_symbol(name: str, called: bool, quoted: bool) -> bool:
    """Whether a word is an identifier. ``called``: a bracket follows it; ``quoted``: it is in backticks."""
    bare = name.removesuffix("()").strip("$@")
    if not quoted and bare.isalpha() and (bare.islower() or bare.istitle()) and not name.endswith("()"):
        return False  # a fast exit for most words
    if not 2 <= len(bare) <= _LONGEST_SYMBOL or bare in _BRANDS:
        return False
    if quoted or _IDENTIFIER_MARK.search(bare):
        return True
    camel_case = _CAMEL_CASE.search(bare) is not None and not bare.isupper()
    if "-" in bare or ":" in bare or "#" in bare:
        return False
    return camel_case or (called and ("." in bare or name.endswith("()")))
