"""Sentence segmentation by rules, for several languages: no model, linear time.

A stop ends a sentence unless an abbreviation, an initial or a list number is before it, or the text after it shows that
the sentence goes on. The cases are in the tests.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice

from core.text.spans import trimmed_pieces
from core.types import Span

# Abbreviations that never end a sentence, because a name or a reference follows.
_TITLES = frozenset(
    "dr mr mrs ms mx prof st sr sra srta dra mme mlle hr hrn fr frl herr gen col lt sgt capt cmdr maj rev hon gov sen"
    " rep pres av dipl ing vs cf ca bzw sog z.b d.h u.a v.a i.e e.g ie eg viz resp approx incl inkl exkl ggf evtl vgl"
    " bspw usf ul ud uds vd vds p.ej p.ex ste sres sras dres avda т.е т.к т.н т.д им гр г-н г-жа ул проф акад".split()
)
_EXACT_TITLES = frozenset("Pr MM EE Fa".split())  # in other letter case they are words: "good PR."
# Abbreviations only before a number or a name of what they refer to: "No. 7", "Fig. 3", "S. 12".
_REFERENCES = frozenset(
    "no nos nr nr. núm num nº n° fig figs abb tab tbl eq eqs sec sect ch chap kap art arts vol vols p pp s pg ed eds bd"
    " para par cl al app ex ref refs col fed civ crim evid abs gem urt beschl az env pág págs"
    " рис табл стр с гл п ст ч д кв".split()
)
_ALSO_WORDS = frozenset("no fed sec ex app al".split())  # after these, "I" is a pronoun and not a numeral
# Abbreviations that may end a sentence: the next word decides.
_AMBIGUOUS = frozenset(
    "etc usw al inc ltd co corp llc plc bros jr sr u.s u.k u.n e.u u.s.a a.m p.m ph.d m.d b.a m.a b.sc m.sc d.c a.d b.c"
    " jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun dept est govt"
    " min max avg std approx ave blvd rd mt ft v т.п янв февр апр авг сент окт нояб дек"
    " др г гг в вв тыс млн млрд руб".split()
)
_MONTHS = frozenset(
    "januar jänner februar märz april mai juni juli august september oktober november dezember jahrhundert jh"
    " klasse stock etage auflage kapitel mal platz werktag tag woche monat quartal absatz satz".split()
)
# Words that, after an abbreviation, nearly always begin a sentence.
_STARTERS = frozenset(
    "the this that these those it its he she they we you i there here in on at for from with by as if when while after"
    " before since because although however but and or so yet a an our their his her my your what who where why how"
    " der die das ein eine er sie es wir ihr ich und aber le la les un une il elle nous vous je el los las yo"
    " он она они мы вы это".split()
)

_ABBREVIATIONS = _TITLES | _REFERENCES | _AMBIGUOUS

_CLOSERS = r"[\"'”’“‘»›)\]}*_`]*"
_CITATION = r"(?:[ \u00a0]?\[\d{1,3}(?:[-–,] ?\d{1,3}){0,9}\]|[¹²³⁰-⁹])*"
_STOPS = ".!?…‼⁇⁈⁉؟۔।॥։"
_WIDE_STOPS = "。！？｡"
_BREAKS = "\n\u2028\u2029\x0b\x0c\x85"
_CANDIDATE = re.compile(
    # The first characters of all alternatives are in one leading set, which makes scanning three times as fast.
    rf"[{_STOPS}{_WIDE_STOPS}{_BREAKS} \u00a0\u202f](?:"
    rf"(?<=[{_STOPS}])(?P<stop>[{_STOPS}]*){_CLOSERS}(?:[ \u00a0\u202f]»)?{_CITATION}(?=\s|\Z)"
    rf"|(?<=[{_WIDE_STOPS}])(?P<wide>[{_WIDE_STOPS}]*[”’」』）】》〉｣\"')\]]*)"
    r"|(?P<spaced>(?<=[\w»)][ \u00a0\u202f])[!?]+(?:[ \u00a0\u202f]»)?(?=\s|\Z))"
    rf"|(?<=[{_BREAKS}])(?P<line>\s*))"
)
_MARKER = re.compile(
    r"(?:[-*+•‣▪◦–—·]|\(?(?:\d{1,3}(?:\.\d{1,3}){0,4}|[A-Za-z]|[ivxIVX]{1,4})[.)]|\d{1,3}(?:\.\d{1,3}){1,4}|\(\w{1,3}\)|\|"
    r"|#{1,6}|>)(?=\s)|[-*_]{3}|\|"
)
_ADDRESS = re.compile(r"<[^<>@\s]+@[^<>@\s]+>")
_TURN = re.compile(r"[^\s:][^\n:]{0,38}:\s|\[?\d{1,4}[-:./]\d{1,2}")
_BEFORE = re.compile(r".*[\s(\[{\"'“‘«„‹¿¡/]", re.DOTALL)  # the text before the last word
_ACRONYM = re.compile(r"(?:[^\W\d_]\.-?)+[^\W\d_]$")
_ELIDED = re.compile(r"(?:[cdjlmnst]|qu)['’](?=\w)")
_SPACED_TITLE = re.compile(r"\b(?:h\. ?c|i\. ?V\. ?m)$")
_WORD = re.compile(r"[^\W\d_]+")
_OPENERS = "\"'“‘«„‹([{*_`¿¡-–—"
_LOOKBACK = 32
_CASE_SAMPLE = 2000
_CAPITAL = re.compile("[A-ZÀ-ÖØ-ÞΑ-ΫЀ-Я\u0530-\u1eff\u3040-\uffef]")  # or a letter of a script without case
_WIDEST_MARGIN = 140
_NARROWEST_MARGIN = 30


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """The sentences of ``[start, end)`` in order, trimmed; only blanks are left between them.

    A blank line always ends a sentence. A line break ends one where the next line begins a list item, or where the
    lines are not prose wrapped at a margin.

    >>> text = "Dr. Smith paid 3.50 in No. 7. He left (e.g. at noon). 好。是！"
    >>> [text[span.start : span.end] for span in sentence_spans(text)]
    ['Dr. Smith paid 3.50 in No. 7.', 'He left (e.g. at noon).', '好。', '是！']
    """
    stop = len(text) if end is None else end
    ends: list[int] = []
    begin = start
    paragraph_end, wrapped = start, False  # of the current paragraph, and whether its lines are wrapped prose
    cased = is_cased(text, start, stop)
    for match in _CANDIDATE.finditer(text, start, stop):
        if match.lastgroup == "line":
            if match.end() >= stop:
                continue
            if match.start() >= paragraph_end:
                paragraph_end, wrapped = _paragraph(text, begin, match.start(), stop)
            if not _ends_at_line(text, match, stop, wrapped):
                continue
            at = match.start()
        else:
            at = match.end()
            if match.lastgroup != "wide" and not _ends_at_stop(text, match, begin, stop, cased):
                continue
        ends.append(at)
        begin = at
    return trimmed_pieces(text, start, [*ends, stop])


def is_cased(text: str, start: int, end: int) -> bool:
    """Whether the text uses capital letters, so that they show where sentences begin; ``True`` for short texts.

    >>> is_cased("we sold it. they paid for it in march. " * 9, 0, 300), is_cased("It is. So it is.", 0, 16)
    (False, True)
    """
    stop = min(end, start + _CASE_SAMPLE)
    if stop - start < _CASE_SAMPLE // 10:
        start, stop = max(0, start - _CASE_SAMPLE // 4), stop + _CASE_SAMPLE // 4
    sample = text[start:stop]
    if len(sample) < 120:
        return True
    enough = 1 + len(sample) // 300
    return sum(1 for _ in islice(_CAPITAL.finditer(sample), enough)) == enough


def is_wrapped(text: str, start: int, end: int) -> bool:
    """Whether the lines of a paragraph are prose wrapped at a margin, so that its line breaks have no meaning.

    >>> is_wrapped("of lines that are all about as long\\nas the margin lets them be, until the\\nlast.", 0, 78)
    True
    >>> is_wrapped("name: Ada\\nborn: 1815\\n", 0, 20)
    False
    """
    lines = [len(line) for line in text[start:end].split("\n")]
    longest = max(lines)
    if longest > _WIDEST_MARGIN or longest < _NARROWEST_MARGIN or len(lines) < 2:
        return False
    full = sum(length >= 0.6 * longest for length in lines[:-1])
    return full >= 0.7 * (len(lines) - 1)


def _paragraph(text: str, begin: int, line_break: int, stop: int) -> tuple[int, bool]:
    """Where the paragraph around ``line_break`` ends, and whether its lines are wrapped prose."""
    first = text.rfind("\n", begin, line_break) + 1 or begin
    blank = _blank_line(text, line_break, stop)
    return blank, is_wrapped(text, first, blank)


_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")


def _blank_line(text: str, position: int, stop: int) -> int:
    match = _BLANK_LINE.search(text, position, stop)
    return match.start() if match else stop


def _ends_at_line(text: str, match: re.Match[str], stop: int, wrapped: bool) -> bool:
    """Whether a sentence ends at the line break of ``match``."""
    gap = match.group()
    if gap.count("\n") > 1 or gap[0] in "\u2029\x0c":
        return True
    following = match.end()
    if _MARKER.match(text, following, stop):
        return True
    if wrapped:
        return False
    if text[following].islower() and text[match.start() - 1 : match.start()].isalpha():
        # The next line goes on in lower case, and so does the sentence, unless the line is a speaker's turn.
        return _TURN.match(text, following, stop) is not None
    return True


def _ends_at_stop(text: str, match: re.Match[str], begin: int, stop: int, cased: bool) -> bool:
    """Whether a sentence ends at the stop of ``match``. ``begin``: where the sentence begins."""
    mark = text[match.start() : match.end("stop")] if match.lastgroup == "stop" else "!"
    follow = _first_visible(text, match.end(), stop)
    if follow >= stop:
        return True
    if text[follow] == "<" and _ADDRESS.match(text, follow, stop):
        return False  # "Acme Inc. <mail@acme.example>"
    position = follow
    while position < stop and text[position] in _OPENERS:
        position += 1
    character = text[position] if position < stop else ""
    if cased and character.islower() and not _MARKER.match(text, follow, stop):
        return False
    if character == "." and mark == ".":
        return False  # ". . ."
    if text[follow] in "–—" and "\n" not in text[match.end() : follow]:
        after_dash = _first_visible(text, follow + 1, stop)
        if after_dash < stop and text[after_dash].islower():
            return False  # "Who is there? — she asked."
    if mark != ".":
        return cased or not character.islower() or mark[0] not in ".…"
    stop_at = match.start()
    low = max(begin, stop_at - _LOOKBACK)
    end = stop_at - text.startswith("\n", stop_at - 1)  # a stop alone on a line ends the line above
    before = _BEFORE.match(text, low, end)
    word = text[before.end() if before else low : end]
    if len(word) > 1 and word.isalpha() and word.lower() not in _ABBREVIATIONS and word not in _EXACT_TITLES:
        return True  # a fast exit for most sentences
    return _ends_at_full_stop(word, text, stop_at, begin, position, stop)


def _ends_at_full_stop(word: str, text: str, stop_at: int, begin: int, position: int, stop: int) -> bool:
    """The same for a full stop at ``stop_at`` after a word that may be an abbreviation. ``position``: the next word."""
    lower = _ELIDED.sub("", word.lower().lstrip("*_"), count=1)
    following = _WORD.match(text, position, min(stop, position + 24))
    next_word = following.group() if following else ""
    if word.isdigit():
        opens_line = not text[begin : stop_at - len(word)].strip() or text[stop_at - len(word) - 1] == "\n"
        if opens_line and len(word) <= 3:
            return False  # "1. An item"
        return not (len(word) <= 2 and next_word.lower() in _MONTHS)
    starts_sentence = next_word.lower() in _STARTERS or not next_word
    if len(word) == 1 and word.isalpha() and not word.islower():
        if position < stop and (text[position].isdigit() or _is_initial(text, position, next_word)):
            return False
        return starts_sentence
    if len(word) == 1 and word.islower() and _is_initial(text, position, next_word):
        return False  # "z. B.", "т. д."
    if lower in _TITLES or word in _EXACT_TITLES or _SPACED_TITLE.search(text, max(begin, stop_at - 8), stop_at):
        return False
    number_follows = position < stop and (text[position].isdigit() or text[position] == "§")
    if lower in _REFERENCES:
        numeral = len(next_word) == 1 or _is_roman(next_word)
        referred = (numeral and not (next_word == "I" and lower in _ALSO_WORDS)) or next_word.lower() in _REFERENCES
        return not (number_follows or (position < stop and referred))
    if lower in _AMBIGUOUS or _ACRONYM.match(word):
        if number_follows:
            return False
        return starts_sentence or (lower in {"etc", "usw"} and next_word[:1].isupper())
    return True


def _is_initial(text: str, position: int, word: str) -> bool:
    return len(word) == 1 and text[position + 1 : position + 2] == "."


def _is_roman(word: str) -> bool:
    return bool(word) and set(word) <= set("IVXLC")


_VISIBLE = re.compile(r"\S")
_ENDED = re.compile(rf"[{_STOPS}{_WIDE_STOPS}][\"'”’“‘»›)\]}}*_`」』）】》]*\Z")
_ASKS = re.compile(r"[?？؟][\s\"'”’»)\]*_]*\Z")


def _first_visible(text: str, position: int, stop: int) -> int:
    match = _VISIBLE.search(text, position, stop)
    return match.start() if match else stop


def asks(text: str) -> bool:
    """Whether a text ends with a question mark, before any closing quotes, brackets or emphasis.

    >>> asks("Where is it?"), asks("«¿Dónde está?» "), asks("It asks: where?, and goes on.")
    (True, True, False)
    """
    return _ASKS.search(text) is not None


def is_ended(sentence: str) -> bool:
    """Whether a sentence ends with a stop, unlike a heading, a list item or a line of code.

    >>> is_ended('He said: "It grinds rye."'), is_ended("「はい。」"), is_ended("return flour")
    (True, True, False)
    """
    return _ENDED.search(sentence[-8:]) is not None


def is_in_sentences(text: str, span: Span) -> bool:
    """Whether at least half of a span is in sentences that end with a stop; else it is code, a table or a list.

    >>> is_in_sentences("It grinds wheat. Rye too.", Span(0, 25)), is_in_sentences("wheat = 3\\nrye = 4", Span(0, 17))
    (True, False)
    """
    sentences = sentence_spans(text, span.start, min(span.end, len(text)))  # a damaged record may end after the text
    ended = sum(item.end - item.start for item in sentences if is_ended(text[item.start : item.end]))
    return 2 * ended >= sum(item.end - item.start for item in sentences)


def is_half(sentence: Span, passage: Span, parts: Callable[[int], bool]) -> bool:
    """Whether an edge of the passage that is also an edge of ``sentence`` cuts a sentence of the document.

    ``parts(place)``: whether a cut there is inside a sentence (``parts_sentence``).

    >>> [is_half(Span(5, 9), Span(*passage), lambda place: True) for passage in ((0, 9), (5, 20), (0, 20))]
    [True, True, False]
    """
    return any(map(parts, {passage.start, passage.end} & {sentence.start, sentence.end}))


_CONTEXT = 1000  # characters on each side that are looked at


def parts_sentence(text: str, place: int) -> bool:
    """Whether a cut at ``place`` is inside a sentence, judged by the text near it.

    >>> [parts_sentence("It is old. It grinds rye.", place) for place in (0, 10, 11, 16, 25)]
    [False, False, False, True, False]
    """
    near = sentence_spans(text, max(0, place - _CONTEXT), min(len(text), place + _CONTEXT))
    return any(span.start < place < span.end for span in near)
