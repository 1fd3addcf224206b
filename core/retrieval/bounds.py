"""What a question asks of a number: "regions above 5 %", "plans that do not exceed €50". Pure; English only.

Small on purpose: one bound or a range, one unit, no sums and no arithmetic between units.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.retrieval.amounts import amount, amount_pattern, in_full, in_words, is_money, is_speed, is_time, scale_said
from core.retrieval.bound_words import falling_words, further_words, is_blurred, leads_on
from core.retrieval.dated import is_open, times_in, without_times
from core.retrieval.denials import DENYING
from core.text.analysis import STOP_WORDS, analyse

_ABOVE = (
    r"(?:above|over|exceed(?:s|ing|ed)?|beyond|in excess of|>"
    r"|(?:more|greater|larger|higher|longer|bigger|heavier|older) than)"
)
_BELOW = r"(?:below|under|<|(?:less|fewer|lower|smaller|shorter|lighter|younger|cheaper) than)"
_PACE = r"(?:faster|slower) than"  # above or below, as the unit has it
_LEAST = r"(?:at least|a minimum of|>=|≥)"
_MOST = r"(?:at most|up to|a maximum of|<=|≤)"
_BOUND = re.compile(
    rf"(?<!\w)(?P<equal>equal to or )?(?P<how>{_LEAST}|{_MOST}|{_ABOVE}|{_BELOW}|{_PACE})(?P<too> or equal to)?"
    rf"(?:(?<=[<>=≥≤])\s*|\s+){amount_pattern()}(?P<more>\s+or (?:more|less|fewer)\b)?",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    rf"(?<![\w.,]){amount_pattern()}\s+(?:or|and) (?:(?P<up>more|higher|above|greater|over)|less|lower|fewer|below)\b",
    re.IGNORECASE,
)
_RANGE = re.compile(rf"\bbetween\s+{amount_pattern('low')}\s+and\s+{amount_pattern('high')}", re.IGNORECASE)
# What denies the words behind it: "did not grow by", "does not have a growth of", "without growth", "no [longer than]",
# "except those". Another verb in between ends it: "who did not leave pay more than".
_ANY = r"(?:\s+(?!(?:and|or|but)\b)[^\W\d_]+)"
_ADVERB = r"(?:\s+(?:yet|ever|really|even|always|quite|\w+ly))?"
_DENIED = re.compile(
    rf"(?:(?:\b(?:not|never|cannot)|n['’]t){_ADVERB}"
    rf"(?:\s+(?:have|has|had|having|show|see|reach|report|get)(?:\s+(?:an?|any|the))?{_ANY}{{0,2}}"
    rf"|{_ANY}?(?:\s+(?:by|to|at|up|any|much|far|been|well|\w+ly))?)"
    rf"|\bno|\b(?:without|(?:with|has|have|had|having|shows?|showed) no)(?:\s+(?:an?|any))?{_ANY}{{0,2}}"
    rf"|\b(?:except(?: for)?|excluding|other than|apart from)(?:\s+(?:those|ones|all|any|the|that|which|are|is|with))*)"
    r"\s+\Z",
    re.IGNORECASE,
)
_EXCEPTS = re.compile(rf"{DENYING}|\bthan\b", re.IGNORECASE)
# What may stand between two bounds of one range: "above 5 % but also below 10 %".
_JOINED = re.compile(r"[\s,]*(?:(?:and|but|yet|also|still|is|are|was|were|that|it)\b[\s,]*)*", re.IGNORECASE)
# Numbers that are ordered by their parts, 3.10 behind 3.9, and times that are gone ("over 5 years ago").
_VERSION = re.compile(r"\b(?:versions?|releases?|firmware|builds?)(?: numbers?)?(?: of)?\s+\Z", re.IGNORECASE)
_AGO = re.compile(r"\s+(?:\w+\s+)?ago\b", re.IGNORECASE)
_RATE = re.compile(r"(?:\s?/\s?|\s+per\s+)[^\W\d_]")
_AGED = re.compile(r"(?:older|younger) than", re.IGNORECASE)
_NOUN = re.compile(r"\s*[-\s]\s*(?P<noun>[^\W\d_][\w²³]*)")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_CALL = re.compile(
    r"\A\W*(?:please\s+)?(?:list|show|name|find|give|count|tell)\b|\b(?:which|what|who|how (?:many|much))\b",
    re.IGNORECASE,
)
# A comparison that says when or why something is so selects no rows.
_CONDITION = re.compile(
    r"\A\W*(?:why|when|how(?! (?:many|much)\b))\b|\b(?:if|when|whenever|while|unless|because|once)\b", re.IGNORECASE
)
_MOST_SAID = 8  # bounds: who says more asks for no single range
_REACH = 120  # characters before a bound in which its denial stands, or before a question word what it belongs to
_LISTED = 2  # words: what is asked for comes first, and what it does follows


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is asked of a number: ``low`` and ``high`` bounds, ``None`` where open.

    ``closed_low``, ``closed_high``: that bound itself will do. ``unit``: in one form, "" for none. ``subject``: the
    question's other words, as tokens; ``beside``: of the one that names what is counted, ``counts`` where the number
    stands before it ("400 gateways"); ``listed``: of what is to be named ("which *regions*"), in order, () where the
    question asks for something else, or for more than is understood. ``excepts``: something besides the bound is denied
    or excepted ("outside Europe"). ``plain``: its numbers were told without a unit and a scale. ``noun``: of the word
    right behind such a number. ``falling``: of words that say how far something fell, or by what it differs.
    ``further``: of what is asked besides, behind "and" or the like. ``times``: as ``core.retrieval.dated`` has them.
    ``[start, end)``: of the question.
    """

    low: float | None
    high: float | None
    closed_low: bool
    closed_high: bool
    unit: str
    subject: frozenset[str]
    beside: frozenset[str]
    start: int
    end: int
    listed: tuple[str, ...] = ()
    counts: bool = False
    excepts: bool = False
    plain: bool = False
    noun: frozenset[str] = frozenset()
    falling: frozenset[str] = frozenset()
    further: frozenset[str] = frozenset()
    times: frozenset[str] = frozenset()

    @property
    def kind(self) -> str:
        """As other things that are read out of a question have one."""
        return "comparison"

    @property
    def value(self) -> str:
        """What it comes to, in one form however it was asked.

        >>> asked = ("that don't exceed 5 percent", ">= EUR 1,250.50", "3 V or less", "over 5 and up to 9 %")
        >>> [found.value for found in map(comparison_in, asked) if found]
        ['at most 5 %', 'at least €1,250.5', 'at most 3 V', 'above 5 and at most 9 %']
        """
        if self.low is None:
            return f"{'at most' if self.closed_high else 'below'} {in_words(self.high or 0.0, self.unit)}"
        rises = "at least" if self.closed_low else "above"
        if self.high is None:
            return f"{rises} {in_words(self.low, self.unit)}"
        low, high = in_words(self.low, self.unit if is_money(self.unit) else ""), in_words(self.high, self.unit)
        if self.closed_low and self.closed_high:
            return f"between {low} and {high}"
        return f"{rises} {low} and {'at most' if self.closed_high else 'below'} {high}"

    @property
    def words(self) -> str:
        """For a chip."""
        return self.value

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from others, wherever it stands in the question."""
        return self.kind, self.value

    def holds(self, value: float) -> bool:
        """Whether a number satisfies it.

        >>> [found.holds(5) for found in map(comparison_in, ("above 5", "not above 5", "over 4 and up to 5")) if found]
        [False, True, True]
        """
        enough = self.low is None or value > self.low or (self.closed_low and value == self.low)
        return enough and (self.high is None or value < self.high or (self.closed_high and value == self.high))


@dataclass(frozen=True, slots=True)
class _Said:
    """One bound of a question, or the range of two, at ``[start, end)`` of it, its denial included.

    ``bare``: where it begins without that. ``scaled``: by what its number was told, 1000000 for "5 million". ``how``:
    the words of the bound, "" where they stand behind the number.
    """

    low: float | None
    high: float | None
    closed_low: bool
    closed_high: bool
    unit: str
    scaled: int
    start: int
    bare: int
    end: int
    how: str = ""


def comparison_in(question: str) -> Comparison | None:
    """What a question asks of a number; ``None`` where it compares with none, or with more than one range says. Pure.

    >>> found = comparison_in("Which regions grew above 5 %?")
    >>> found.low, found.high, found.unit, sorted(found.subject), found.listed
    (5.0, None, '%', ['grew', 'region'], ('region', 'grew'))
    >>> comparison_in("plans between €10 and €50").high, comparison_in("more than one way")
    (50.0, None)
    >>> comparison_in("Which teams have more than 2 million users?").low
    2000000.0
    >>> comparison_in("regions above 5 % with fewer than 100 customers")  # half of what is asked would be no answer
    """
    found: list[_Said] = []
    whole = True
    matches = _matches(question)
    for match in matches if len(matches) <= _MOST_SAID else ():
        said = _range(match) if match.re is _RANGE else _bound(match)
        if said is None:
            return None
        if _is_period(question, said, found):
            whole = False
        else:
            found.append(said)
    if len(found) == 2 and _JOINED.fullmatch(question, found[0].end, found[1].start):
        found = [joined] if (joined := _together(*found)) is not None else []
    if len(found) != 1:
        return None
    asked = _about(question, found[0])
    return asked if whole else replace(asked, listed=())


def _matches(question: str) -> list[re.Match[str]]:
    """Ranges and bounds in order, none over another."""
    kept: list[re.Match[str]] = []
    for pattern in (_RANGE, _BOUND, _BEHIND):
        for match in pattern.finditer(question):
            if all(match.end() <= other.start() or other.end() <= match.start() for other in kept):
                kept.append(match)
    return sorted(kept, key=lambda match: match.start())


def _bound(match: re.Match[str]) -> _Said | None:
    """``None`` for what cannot be told: no number, a rate, a time that is gone, a year of birth, a version."""
    question, said, (bare, end) = match.string, match.groupdict(), match.span()
    read = amount(match)
    if read is None or _AGO.match(question, end) or (_RATE.match(question, end) and not is_money(read[1])):
        return None
    value, unit = read
    if how := said.get("how") or "":
        rises = re.fullmatch(f"{_LEAST}|{_ABOVE}", how, re.IGNORECASE) is not None
        if pace := re.fullmatch(_PACE, how, re.IGNORECASE):
            if not (is_time(unit) or is_speed(unit)):
                return None
            rises = (pace.group()[0] in "fF") is is_speed(unit)
        if not unit and _AGED.fullmatch(how) and _is_year(value):
            return None
        itself = re.fullmatch(f"{_LEAST}|{_MOST}", how, re.IGNORECASE) is not None
        closed = itself or any(said[name] for name in ("equal", "too", "more"))
    else:
        rises, closed = said["up"] is not None, True
    start = bare
    if (denied := _denied(question, bare)) is not None:
        rises, closed, start = not rises, not closed, denied.start()
    if (not unit and _VERSION.search(question[:start])) or is_blurred(question[:bare]):
        return None
    low, high = (value, None) if rises else (None, value)
    return _Said(low, high, closed and rises, closed and not rises, unit, scale_said(match), start, bare, end, how)


def _denied(question: str, before: int) -> re.Match[str] | None:
    return _DENIED.search(question, max(0, before - _REACH), before)


def _range(match: re.Match[str]) -> _Said | None:
    low, high = amount(match, "low"), amount(match, "high")
    start, end = match.span()
    if low is None or high is None or _denied(match.string, start):
        return None  # what lies outside of a range is no range
    return _together(
        _Said(low[0], None, True, False, low[1], scale_said(match, "low"), start, start, end),
        _Said(None, high[0], False, True, high[1], scale_said(match, "high"), start, start, end),
        turned=True,
    )


def _together(one: _Said, other: _Said, *, turned: bool = False) -> _Said | None:
    """The range of two bounds in the order they were told, ``None`` where they make none.

    Unit and scale that the first lacks the other one tells: "between 5 and 10 million euros". ``turned``: the greater
    number may come first.
    """
    if one.unit and other.unit and one.unit != other.unit:
        return None
    if one.scaled == 1:
        one = replace(
            one,
            low=None if one.low is None else in_full(one.low, other.scaled),
            high=None if one.high is None else in_full(one.high, other.scaled),
        )
    rising, falling = (one, other) if one.high is None else (other, one)
    low, high = rising.low, falling.high
    if low is None or high is None or rising.high is not None or falling.low is not None:
        return None
    if low > high:
        if not turned:
            return None
        low, high = high, low
    unit, scaled = one.unit or other.unit, max(one.scaled, other.scaled)
    return replace(
        one,
        low=low,
        high=high,
        closed_low=rising.closed_low,
        closed_high=falling.closed_high,
        unit=unit,
        scaled=scaled,
        end=other.end,
    )


def _is_period(question: str, said: _Said, before: Sequence[_Said]) -> bool:
    """Whether a bound or range tells of time alone: "between 2012 and 2016", or "above 5 % over 3 years"."""
    if said.low is not None and said.high is not None:
        return not said.unit and _is_year(said.low) and _is_year(said.high)
    return bool(before) and is_time(said.unit) and not question[before[-1].end : said.start].strip()


def _about(question: str, said: _Said) -> Comparison:
    """With the tokens around it, and of the word that names what is counted: the next one behind a bare number ("400
    gateways"), else the last one before ("a battery below 3 V").
    """
    head, tail = question[: said.bare], question[said.end :]
    before, after = analyse(head), analyse(tail)
    noun = frozenset[str]() if said.unit else _noun(tail)
    around = f"{head} | {tail}"
    listed = () if leads_on(tail) or is_open(around) else _listed(question, said.start, said.end)
    return Comparison(
        said.low,
        said.high,
        said.closed_low,
        said.closed_high,
        said.unit,
        frozenset([*before, *after]),
        noun or frozenset(before[-1:]),
        said.start,
        said.end,
        listed,
        bool(noun),
        _EXCEPTS.search(question[: said.start]) is not None or _EXCEPTS.search(tail) is not None,
        not said.unit and said.scaled == 1,
        noun,
        falling_words(head, said.how, tail),
        further_words(without_times(tail)),
        times_in(around),
    )


def _noun(tail: str) -> frozenset[str]:
    """The tokens of the word right behind a number.

    >>> _noun(" stones of it"), _noun(" in the North"), _noun(" km², or so")
    (frozenset({'stone'}), frozenset(), frozenset({'km2'}))
    """
    match = _NOUN.match(tail)
    return frozenset(analyse(match["noun"]) if match else ())


def _listed(question: str, start: int, end: int) -> tuple[str, ...]:
    """The first words of what is to be named, as tokens; () where the comparison is a condition of something else.

    >>> [_listed(text, text.index("above"), len(text)) for text in (
    ...     "Which of our sales regions are above 5 %", "What happens if the load is above 5 %", "regions above 5 %")]
    [('sale', 'region'), (), ('region',)]
    """
    if _CONDITION.search(question[:start]):
        return ()
    call = next((match for match in _CALL.finditer(question) if _calls(question[: match.start()])), None)
    if call and call.group().lower() == "who":
        return tuple(dict.fromkeys([*analyse(question[:start]), *analyse(question[end:])]))
    first = call.end() if call else 0
    part = question[first:start] if first < start else question[max(first, end) :]
    found: list[str] = []
    for word in _WORD.findall(part):
        if word.casefold() in STOP_WORDS:
            if found:
                break
        elif len(found := [*found, word]) == _LISTED:
            break
    return tuple(dict.fromkeys(analyse(" ".join(found))))


def _calls(before: str) -> bool:
    """Whether a question word asks, and does not go on about the word before it.

    >>> _calls("Tell me in "), _calls("Yes, "), _calls("regions ")
    (True, True, False)
    """
    words = _WORD.findall(before[-_REACH:])
    return not words or not before.rstrip()[-1].isalnum() or words[-1].casefold() in STOP_WORDS


def _is_year(value: float) -> bool:
    return value == int(value) and 1500 <= value <= 2100
