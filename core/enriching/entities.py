"""Names, organisations and what is written to be exact: identifiers, paths, addresses. By spelling alone."""

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
from core.text.calendar_names import SHORT_WEEKDAYS, WEEKDAYS, month_of
from core.text.tokens import whitespace_windows
from core.types import Span

_LINKS = frozenset("of de del der den van von da di la le du y e & ter zu".split())
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
    # What is only ever written in capitals, and names nobody: times, money, asides.
    " eoy eod eom eow ytd yoy qoq mtd qtd fy asap fyi tbd tba tbc eta etd ooo nb ps aka rsvp faq btw imo imho afaik"
    " am pm utc gmt cet cest est edt cst cdt pst pdt bst usd eur gbp chf jpy cny inr aud cad sek nok dkk"
    " vat kpi roi ebit ebitda capex opex".split()
) | frozenset(map(str.lower, (*WEEKDAYS, *SHORT_WEEKDAYS, *(f"{day}s" for day in WEEKDAYS))))  # fmt: skip
# What opens sentences in capitals, before a name or not.
_OPENERS = frozenset(
    "yesterday today tomorrow later earlier recently finally meanwhile however therefore thus although though since"
    " perhaps maybe usually often sometimes never always still also even only every many most some each both either"
    " neither another several nobody somebody everybody nothing everything first second third last next dort gestern"
    " heute hier aber und wenn als nach bei mit für von dans pour avec selon como para con según".split()
)
_MANY_CAPITALS = 0.12  # of the words: a language that capitalises nouns, or a text in title case
_MOST_WORDS = 8  # of a name
_WORD = regex.compile(r"(?:\p{Lu}\.){2,}|[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}.'’&-]*[\p{L}\p{M}\p{N}])?")
_INNER = regex.compile(r"\p{Ll}\p{Lu}")
_POSSESSIVE = regex.compile(r"['’]s?$")


class _Word(NamedTuple):
    """``plain``: in lower case, without a possessive. ``apart``: the marks or the empty line before it, "" for none.

    ``fresh``: any word would be capitalised here: after a stop, a quotation mark, at the beginning of a line.
    """

    start: int
    end: int
    text: str
    plain: str
    apart: str
    fresh: bool

    @property
    def pale(self) -> bool:
        """Whether it only looks like a name: a function word, a month, "Note"."""
        return self.plain in _NO_NAMES or self.plain in _OPENERS or bool(month_of(self.plain))


def names(text: str, silent: Sequence[Span], begins: Set[int] = frozenset()) -> tuple[SpanIndex[str], SpanIndex[str]]:
    """Names, and those of them that say they are organisations.

    ``silent``: headings and code, where capitals mean nothing. ``begins``: where table rows and list items start, which
    no name runs into.

    >>> text = "We asked Ada Lovelace of Fennmark B.V. and the IBM team. The answer came from Ada."
    >>> people, organisations = names(text, [])
    >>> people.distinct(0, len(text), 9), organisations.distinct(0, len(text), 9)
    (('Ada Lovelace', 'IBM', 'Ada'), ('Fennmark B.V.',))
    """
    words = list(_words(text, begins))
    spans = sorted(silent)
    starts = [span.start for span in spans]
    capital = [
        at
        for at, word in enumerate(words)
        if word.text[0].isupper()
        and ((inside := bisect_right(starts, word.start) - 1) < 0 or word.start >= spans[inside].end)
    ]
    single = [words[at].plain for at in capital if not words[at].fresh and words[at].plain not in STOP_WORDS]
    linked = len(single) <= _MANY_CAPITALS * len(words) or len(words) < 60
    small = Counter(word.plain for word in words if not word.text[0].isupper())
    # Words that sentences capitalise at least as often as not: "Heron", but not "Service".
    meant = {plain for plain, times in Counter(single).items() if times >= small[plain]} if linked else set[str]()
    people: list[tuple[int, int, str]] = []
    organisations: list[tuple[int, int, str]] = []
    for run in _runs(words, capital, linked):
        shouted = all(word.text.isupper() for word in run) and any(small[word.plain] for word in run)
        if shouted or (len(run) == 1 and not _is_name(run[0], meant)):
            continue
        found = organisations if len(run) > 1 and _is_organisation(run) else people
        found.append(
            (run[0].start, run[-1].end, _POSSESSIVE.sub("", " ".join(text[run[0].start : run[-1].end].split())))
        )
    return SpanIndex(people), SpanIndex(organisations)


def _words(text: str, begins: Set[int]) -> Iterator[_Word]:
    before = 0
    for match in cancellable(_WORD.finditer(text)):
        start, end = match.span()
        gap = text[before:start]
        fresh = not before or start in begins or "\n" in gap or bool(gap.strip(" ,;\u00a0"))
        apart = "\n" if start in begins or "\n\n" in gap else gap.strip()
        yield _Word(start, end, match.group(), _POSSESSIVE.sub("", match.group().lower()), apart, fresh)
        before = end


def _runs(words: Sequence[_Word], capital: Sequence[int], linked: bool) -> Iterator[list[_Word]]:
    """Capitalised words that stand together, function words at the head left off.

    ``linked``: small words may stand between them ("Sanne de Wit"), which a language that capitalises nouns forbids.
    """
    position = 0
    while position < len(capital):
        first = last = capital[position]
        position += 1
        while words[first].pale and position < len(capital) and capital[position] == last + 1:
            first = last = capital[position]  # "Yesterday Ada"
            position += 1
        while position < len(capital) and _goes_on(words[first : capital[position] + 1], last - first, linked):
            last = capital[position]
            position += 1
        if not words[first].pale and last - first < _MOST_WORDS:
            yield list(words[first : last + 1])


def _goes_on(words: Sequence[_Word], last: int, linked: bool) -> bool:
    """Whether the name whose last word so far is ``last`` goes on at the last of the words."""
    between, after = words[last + 1 : -1], words[-1]
    if len(between) > (2 if linked else 0) or after.pale:
        return False
    initial = not between and len(words[last].text) <= 2 and after.apart == "."  # "J. Smith"
    if (after.apart and not initial) or any(word.apart or word.plain not in _LINKS for word in between):
        return False
    return not (last and any(word.plain == "of" for word in between))  # "Bank of England", not "Ada Lovelace of London"


def _is_organisation(run: Sequence[_Word]) -> bool:
    """Whether the last word says so, or the first: "University of Delft"."""
    by_first = run[0].plain in _ORGANISATIONS and len(run) > 2 and run[1].plain in _LINKS
    return run[-1].plain.rstrip(".") in _ORGANISATIONS or by_first


def _is_name(word: _Word, meant: set[str]) -> bool:
    """Whether one capitalised word alone is a name: an acronym, seen capitalised in the middle of a sentence, or with
    capitals inside ("SpaceX"), which no sentence's beginning gives it.
    """
    letters = word.text.replace("-", "").replace("'", "").isalpha()
    if word.text.isupper():
        return 2 <= len(word.text) <= 6 and letters
    return len(word.text) > 2 and letters and (word.plain in meant or _INNER.search(word.text) is not None)


_THING = regex.compile(
    r"(?P<url>(?:\b(?:https?|ftp|sftp|file|git|ssh)://|\bwww\.)[^\s<>\"'`{}|\\^]{2,2000})"
    r"|(?<![\w.+-])(?P<email>[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6})"
    r"|(?<![\w</])(?P<path>(?:~|\.{1,2})?(?:/[\w.@%+~{}<>:*-]{0,64}[\w}>*]){2,40}/?|(?:~|\.{1,2})/[\w.@%+~-]{1,64}"
    r"|/[a-z][\w.{}<>-]{0,64}[\w}>]|[A-Za-z]:\\[\w.\\-]{0,200}\w|(?:[\w.@-]{1,64}/){1,20}[\w@-]{1,64}\.[A-Za-z]\w{0,5})"
    r"|(?<![\w-])(?P<symbol>[A-Z][A-Z0-9]{0,9}-\d{1,7}(?![\w-])|--[a-z][\w-]*[a-z0-9]"
    r"|[$@]?[^\W\d]\w*+(?:(?:\.|::?|->|[#-])[^\W\d]\w*+)*+(?:\(\))?(?!@))"
)
_HUMP = regex.compile(r"[a-z][A-Z]|[A-Z][a-z]+[A-Z][a-z]|[a-z]\d+[A-Z]")
_MARKED = regex.compile(r"::|->|[^_$@]_|^--|^[A-Z][A-Z0-9]*-\d+$")  # what only identifiers have
_BRANDS = frozenset(
    "McDonald iPhone iPad iOS macOS eBay YouTube GitHub GitLab LinkedIn PhD KiB MiB GiB TiB kHz MHz GHz kWh MWh".split()
)
_AT_ONCE = 50_000  # characters
_LONGEST_SYMBOL = 64  # characters; what is longer is a key or a hash


def things(text: str) -> dict[str, SpanIndex[str]]:
    """Identifiers, paths, URLs and mail addresses by kind; "()" is added to what is called.

    >>> found = things("Call `get_user` on https://example.org, or mail a@example.org.")
    >>> {kind: finds.distinct(0, 99, 9) for kind, finds in found.items()}
    {'symbol': ('get_user',), 'path': (), 'url': ('https://example.org',), 'email': ('a@example.org',)}
    """
    items: dict[str, list[tuple[int, int, str]]] = {"symbol": [], "path": [], "url": [], "email": []}
    windows = cancellable(whitespace_windows(text, _AT_ONCE))  # what has no blank and no thing is read in one go
    for match in chain.from_iterable(_THING.finditer(text, window.start, window.end) for window in windows):
        kind, said = match.lastgroup or "", match.group()
        if kind == "symbol":
            called = said.endswith("()") or text[match.end() : match.end() + 1] == "("
            if not _is_symbol(said, called, _in_backticks(text, *match.span())):
                continue
            said = f"{said.removesuffix('()').strip('$@')}()" if called else said
        elif kind == "url":
            said = _unclosed(said)
        elif kind == "email":
            said = said.rstrip(".-")
        items[kind].append((match.start(), match.start() + len(said.removesuffix("()")), said))
    return {kind: SpanIndex(values) for kind, values in items.items()}


def _in_backticks(text: str, start: int, end: int) -> bool:
    return text[start - 1 : start] == "`" and text[end : end + 1] in ("`", "(")


def _unclosed(url: str) -> str:
    """A URL without the sentence's own punctuation at its end."""
    while url and (
        url[-1] in ".,;:!?*_'" or (url[-1] in ")]" and url.count(url[-1]) > url.count("(["[url[-1] == "]"]))
    ):
        url = url[:-1]
    return url


def _is_symbol(name: str, called: bool, quoted: bool) -> bool:
    """``called``: a bracket follows; ``quoted``: it stands in backticks."""
    bare = name.removesuffix("()").strip("$@")
    if not quoted and bare.isalpha() and (bare.islower() or bare.istitle()) and not name.endswith("()"):
        return False  # as nearly every word
    if not 2 <= len(bare) <= _LONGEST_SYMBOL or bare in _BRANDS:
        return False
    if quoted or _MARKED.search(bare):
        return True
    humped = _HUMP.search(bare) is not None and not bare.isupper()
    if "-" in bare or ":" in bare or "#" in bare:
        return False
    return humped or (called and ("." in bare or name.endswith("()")))
