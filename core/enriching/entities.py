"""Names, organisations and what is written to be exact: identifiers, paths, addresses. By spelling alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set

from core.enriching.sections import SpanIndex
from core.enriching.shapes import Shape
from core.enriching.vocabulary import Vocabulary, Word
from core.text.analysis import STOP_WORDS
from core.text.calendar_names import SHORT_WEEKDAYS, WEEKDAYS, month_of
from core.types import Span

Found = tuple[int, int, str]

_LINKS = frozenset("of de del der den van von da di la le du y e & ter zu".split())
_ORGANISATIONS = frozenset(
    "inc ltd llc gmbh ag corp corporation company co plc bv b.v sa s.a nv n.v university institute institut"
    " college school bank ministry department committee council commission agency authority foundation association"
    " society group laboratories laboratory labs hospital universität universidad université press union".split()
)
_DAYS = frozenset(map(str.lower, (*WEEKDAYS, *SHORT_WEEKDAYS))) | frozenset(
    "montag dienstag mittwoch donnerstag freitag samstag sonntag".split()
)
_NO_NAMES = frozenset(
    "note notes warning caution important tip info todo see yes no ok please dear hello hi thanks regards figure"
    " table section chapter clause article appendix step part page example question answer summary introduction"
    " conclusion get post put patch delete head options true false none null and or not if then else i'm i've i'd"
    " i'll it's that's we're".split()
)
_POINTED = re.compile(r"(?<![A-Za-z])(?:[A-Z]\.){2,}\Z")
_OPENERS = frozenset(
    "yesterday today tomorrow later earlier recently finally meanwhile however therefore thus although though since"
    " perhaps maybe usually often sometimes never always still also even only every many most some each both either"
    " neither another several nobody somebody everybody nothing everything first second third last next dort gestern"
    " heute hier aber und wenn als nach bei mit für von dans pour avec selon como para con según".split()
)
_MANY_CAPITALS = 0.12  # of the words inside sentences: a language that capitalises nouns, or a text in title case


def names(
    vocabulary: Vocabulary, silent: Sequence[Span], begins: Set[int] = frozenset()
) -> tuple[SpanIndex[str], SpanIndex[str]]:
    """Names, and those of them that say they are organisations.

    ``silent``: headings and code, where capitals mean nothing. ``begins``: where table rows and list items start, which
    no name runs into.

    >>> text = "We asked Ada Lovelace of Fennmark B.V. and the IBM team. The answer came from Ada."
    >>> people, organisations = names(Vocabulary(text), [])
    >>> people.distinct(0, len(text), 9), organisations.distinct(0, len(text), 9)
    (('Ada Lovelace', 'IBM', 'Ada'), ('Fennmark B.V.',))
    """
    places = _outside(vocabulary, silent)
    single = [
        at
        for at in places
        if not _opens_sentence(vocabulary, at, begins) and vocabulary.words[at].plain not in STOP_WORDS
    ]
    all_words = max(1, len(vocabulary.words))
    trusted = len(single) <= _MANY_CAPITALS * all_words or all_words < 60
    inside = _meant(vocabulary, single) if trusted else set()
    people: list[Found] = []
    organisations: list[Found] = []
    for run in _runs(vocabulary, places, begins, trusted):
        start, end = vocabulary.span(run[0])[0], vocabulary.span(run[-1])[1]
        words = [vocabulary.words[at] for at in run]
        if len(run) == 1 and not _is_name(words[0], inside):
            continue
        if _POINTED.search(vocabulary.text, start, end + 1):
            end += 1  # "B.V." at a sentence's end keeps its own stop
        text = " ".join(vocabulary.text[start:end].split())
        last = words[-1].plain.rstrip(".")
        found = organisations if len(run) > 1 and (last in _ORGANISATIONS or _institute(words)) else people
        found.append((start, end, text))
    return SpanIndex(people), SpanIndex(organisations)


def _meant(vocabulary: Vocabulary, single: Sequence[int]) -> set[str]:
    """Words that sentences capitalise at least as often as not: "Heron", but not "Service"."""
    capital = Counter(vocabulary.words[at].plain for at in single)
    small = Counter(word.plain for word in vocabulary.words if not word.shape and word.plain in capital)
    return {plain for plain, times in capital.items() if times >= small[plain]}


def _institute(words: Sequence[Word]) -> bool:
    """ "University of Delft", "Ministry of Health": named by its first word."""
    return len(words) > 2 and words[0].plain in _ORGANISATIONS and words[1].plain in _LINKS


def _outside(vocabulary: Vocabulary, silent: Sequence[Span]) -> list[int]:
    """Indices of the capitalised words outside silent spans."""
    places = vocabulary.places(Shape.CAPITAL)
    spans = iter(sorted(silent))
    current = next(spans, None)
    kept: list[int] = []
    for at in places:
        start = vocabulary.starts[at]
        while current is not None and current.end <= start:
            current = next(spans, None)
        if current is None or start < current.start:
            kept.append(at)
    return kept


def _opens_sentence(vocabulary: Vocabulary, at: int, begins: Set[int]) -> bool:
    """Whether a word stands where any word would be capitalised: after a stop, a quotation mark, a line's number."""
    if at == 0 or vocabulary.words[at].opens or vocabulary.starts[at] in begins:
        return True
    before = vocabulary.words[at - 1]
    if before.stops or not before.plain or _breaks(vocabulary, at):
        return True
    return not before.plain.isalpha() and (
        vocabulary.starts[at - 1] in begins or at == 1 or _breaks(vocabulary, at - 1)
    )


def _breaks(vocabulary: Vocabulary, at: int) -> bool:
    """Whether a line ends before a word."""
    return "\n" in vocabulary.text[vocabulary.starts[at - 1] : vocabulary.starts[at]]


def _runs(vocabulary: Vocabulary, places: Sequence[int], begins: Set[int], linked: bool) -> Iterator[list[int]]:
    """Capitalised words that stand together, function words at the head left off.

    ``linked``: small words may stand between them ("Sanne de Wit"), which a language that capitalises nouns forbids.
    """
    position = 0
    while position < len(places):
        run = [places[position]]
        position += 1
        while position < len(places) and (step := _joined(vocabulary, run, places[position], begins, linked)):
            run.extend(range(run[-1] + 1, run[-1] + 1 + step))
            position += 1
        while run and _is_pale(vocabulary, run[0]):
            run = run[1:]
            while run and not vocabulary.words[run[0]].shape & Shape.CAPITAL:
                run = run[1:]
        if run and len(run) <= 8:
            yield run


def _is_pale(vocabulary: Vocabulary, at: int) -> bool:
    """Whether a word only looks like a name: a function word, a month, "Note"."""
    word = vocabulary.words[at]
    return (
        word.plain in STOP_WORDS
        or word.plain in _NO_NAMES
        or bool(month_of(word.plain))
        or word.plain in _DAYS
        or word.plain in _OPENERS
    )


def _joined(vocabulary: Vocabulary, run: Sequence[int], after: int, begins: Set[int], linked: bool) -> int:
    """How many words further the name goes on at ``after``; 0 when it does not."""
    words, last = vocabulary.words, run[-1]
    step = after - last
    if step > (3 if linked else 1) or words[after].opens or vocabulary.starts[after] in begins:
        return 0
    if "\n\n" in vocabulary.text[vocabulary.starts[last] : vocabulary.starts[after]]:
        return 0
    if words[last].closes and not _initial(words[last], vocabulary.text[vocabulary.span(last)[1]]):
        return 0
    if _is_pale(vocabulary, after):
        return 0
    between = words[last + 1 : after]
    if len(run) > 1 and any(word.plain == "of" for word in between):
        return 0  # "Bank of England", not "Ada Lovelace of London"
    return step if all(word.plain in _LINKS and not word.closes for word in between) else 0


def _initial(word: Word, mark: str) -> bool:
    """ "J." of "J. Smith", "Dr." of "Dr. Smith"."""
    return mark == "." and len(word.text) <= 2


def _is_name(word: Word, inside: set[str]) -> bool:
    """Whether one capitalised word alone is a name: an acronym, or seen capitalised in the middle of a sentence."""
    text = word.text
    if word.plain in _NO_NAMES or word.plain in STOP_WORDS or month_of(word.plain) or word.plain in _DAYS:
        return False
    if text.isupper():
        return 2 <= len(text) <= 6 and text.isalpha()
    return len(text) > 2 and word.plain in inside and text.replace("-", "").replace("'", "").isalpha()


def things(vocabulary: Vocabulary) -> dict[str, SpanIndex[str]]:
    """Identifiers, paths, URLs and mail addresses by kind.

    >>> found = things(Vocabulary("Call `get_user` on https://example.org, or mail a@example.org."))
    >>> {kind: finds.distinct(0, 99, 9) for kind, finds in found.items()}
    {'symbol': ('get_user',), 'path': (), 'url': ('https://example.org',), 'email': ('a@example.org',)}
    """
    items: dict[str, list[Found]] = {"symbol": [], "path": [], "url": [], "email": []}
    for at in vocabulary.places(Shape.THING):
        for thing in vocabulary.words[at].things:
            start = vocabulary.starts[at] + thing.at
            items[thing.kind].append((start, start + len(thing.text.removesuffix("()")), thing.text))
    return {kind: SpanIndex(values) for kind, values in items.items()}
