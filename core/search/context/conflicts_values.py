"""The values that a sentence states and another may contradict: a number with its unit, a date, or a yes or no.

Conservative: a range, an estimate, a change or an example states no value, and two different numbers of one unit are
taken for two cases, so that neither counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from core.enriching.dates import dates
from core.enriching.keywords import singular
from core.text.analysis import analyse
from core.text.sentences import asks
from core.text.values.calendar_names import YEAR
from core.text.values.numerals import NUMBER_WORDS
from core.text.values.quantities import MONEY, SCALE, figure, in_base, scale_of, spelt, tolerance
from core.types import Span

NUMBER, DATE, NEGATION = "number", "date", "negation"
EXACTLY, AT_MOST, AT_LEAST = "", "at most ", "at least "
_LONGEST_SENTENCE, _FEWEST_WORDS = 400, 3

_NO_PROSE = re.compile(r"[{}<>=|\\\t]|::|->|https?:|^\s*[$#>/]")
_UNSURE = re.compile(
    r"\b(?:for (?:example|instance)|e\.g|such as|suppose|assum\w+|perhaps|probably|maybe|might|would|could|used to|i|"
    r"formerly|previously|originally|yet|either|neither|whether|instead of|rather than|some|several|other|another|"
    r"different|usually|often|typically|sometimes|mean|median|average|depends?|compared|not only)\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|never|cannot)\b|n[’']t\b", re.IGNORECASE)
_TRUTH = re.compile(r"\b(?:is|are|was|were|has|have|can|may|must|will|does|do|supports?|includes?|allows?)\b")
_SPELT = spelt(0)
_FIGURE = r"\d{1,3}(?:[, \u202f\u00a0']\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_VALUE = re.compile(
    rf"{MONEY}(?<![\w.,:/#@§-])"
    rf"(?:(?P<figure>(?:(?<!\d )[-−])?(?:{_FIGURE}))(?![.,:/]?\d)|(?P<spelt>(?i:{_SPELT}|an?))(?=[\s-]))"
    rf"{SCALE}(?:[\s\u00a0\u202f-]{{0,2}}(?P<unit>[%‰€]|°[CF]|[^\W\d_]+(?:/[a-z]\b)?)(?:\s(?P<noun>[a-z]{{2,}}s)\b)?)?"
)
_PER = re.compile(r"(?:\s(?:per|an?|each|every)\s|/)(?P<of>[a-z]+)\b")
_JOINED = r"\s*(?:[-–—~,;/±]|\b(?:to|and|or)\b)\s*"
_LOOSE_BEFORE = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|nearly|almost|circa|by|first|last|next|past|between|from|to|than)|[~≈±×*+^])"
    rf"\s*(?:the\s)?\Z|(?:\d|\b(?:{_SPELT}))(?:\s?[%a-z]+)?{_JOINED}\Z",
    re.IGNORECASE,
)
_LOOSE_AFTER = re.compile(
    r"\s*(?:more|less|fewer|longer|shorter|later?|earl\w+|ago|old\w*|higher|lower|faster|slower|off|discount|extra|"
    rf"additional|left|points?|or so)\b|{_JOINED}(?:up to )?[$€£]?(?:\d|(?:{_SPELT})\b)",
    re.IGNORECASE,
)
_BOUNDS = {  # patterns for the text before and after a value
    AT_MOST: r"\b(?:up to|at (?:the )?most|no(?:t)? (?:more|longer) than|maximum(?: of| is)?|less than|under|below|"
    r"within)\s*\Z|\A\s(?:at (?:the )?most|or less|maximum)\b",
    AT_LEAST: r"\b(?:at least|no(?:t)? (?:less|fewer) than|minimum(?: of| is)?|more than|over|above)\s*\Z"
    r"|\A(?:\s(?:or more)\b|\+)",
}
_YEAR = re.compile(YEAR)
_YEAR_OR_VERSION = re.compile(rf"{YEAR}|\d+\.\d+")
_DAY = re.compile(r"\d{4}-\d\d(?:-\d\d)?")
_PLAIN = re.compile(r"\D{8,160}[.!]")  # a sentence that may be denied: short, without figures
_THOUSANDS = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_NO_COUNT = frozenset({"a", "an", "zero"})


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a sentence. Only values of the same ``kind`` and ``measure`` are compared.

    ``kind``: ``NUMBER``, ``DATE`` or ``NEGATION``. ``measure``: the base unit or the counted noun; for a negation the
    words of the sentence. ``amount``: in that unit, an ISO date, or False for a denial. ``span``: in the sentence.
    ``unit``: as written. ``bound``: ``EXACTLY``, ``AT_MOST`` or ``AT_LEAST``. ``step``: the value of the last digit of
    a rounded number, 0 for other numbers.
    """

    kind: str
    measure: str
    amount: float | str | bool
    span: Span
    unit: str = ""
    bound: str = EXACTLY
    step: float = 0.0

    @property
    def normal(self) -> str:
        """The normalised value, for the user: "3600 s", "at most 500 event", "2026-03-31", "no"."""
        if isinstance(self.amount, bool):
            return "yes" if self.amount else "no"
        return self.amount if isinstance(self.amount, str) else f"{self.bound}{self.amount:.10g} {self.measure}"


@lru_cache(maxsize=4096)  # changing a setting mostly brings the same sentences again
def values_of(sentence: str) -> tuple[Value, ...]:
    """The values of a sentence, in order; () for a question, an example, an opinion, a table row or code.

    >>> [value.normal for value in values_of("Valid for 15 minutes; a batch holds at most 1 MB, or 600 events.")]
    ['900 s', 'at most 1000000 bytes', '600 event']
    >>> [value.normal for value in values_of("It ended on 5 March 2024.") + values_of("Tea is not free.")]
    ['2024-03-05', 'no']
    >>> values_of("It takes 5 to 10 minutes."), values_of("It costs 3 % more this year."), values_of("Is it 5 EUR?")
    ((), (), ())
    """
    if len(sentence) > _LONGEST_SENTENCE or len(sentence.split()) < _FEWEST_WORDS or asks(sentence):
        return ()
    if _NO_PROSE.search(sentence) or _UNSURE.search(sentence):
        return ()
    negations = _NOT.findall(sentence)
    numbers: list[Value] = []
    if not negations:
        numbers = [value for match in _VALUE.finditer(sentence) if (value := _number(sentence, match))]
    values = [
        value
        for value in numbers
        if not any(value.measure == other.measure and differ(value, other) for other in numbers)
    ]
    found_dates = list(dates(sentence)) if not negations and _YEAR.search(sentence) else []
    if len(found_dates) == 1:
        start, end, date = found_dates[0]
        if _DAY.fullmatch(date):
            values.append(Value(DATE, "", date, Span(start, end)))
    if not values and len(negations) < 2 and _PLAIN.fullmatch(sentence):
        verb = (_NOT if negations else _TRUTH).search(sentence)
        if verb:
            words = " ".join(sorted(set(analyse(_NOT.sub(" ", sentence)))))
            values.append(Value(NEGATION, words, not negations, Span(*verb.span())))
    return tuple(values)


def _number(sentence: str, match: re.Match[str]) -> Value | None:
    """The value of a number with a unit or a counted noun; ``None`` without, or if it is approximate or relative."""
    written, scale = match["figure"] or match["spelt"].lower(), scale_of(match)
    number = scale * (figure(written) if match["figure"] else NUMBER_WORDS.get(written, 1))
    measured = _measured(match, written, number, scale)
    if measured is None:
        return None
    amount, measure, unit, span = measured
    end = span.end
    per = _PER.match(sentence, end)
    if per is not None and per["of"] not in {"the", "of"}:
        each, of = in_base(1, per["of"]), per["of"]
        if each is not None and each[1] == "s" and each[0] < 86_400:
            amount, of = amount / each[0], "s"
        measure, end = f"{measure}/{of}", per.end()
    before, after = sentence[: match.start()], sentence[end:]
    bound = next(
        (one for one, words in _BOUNDS.items() if re.search(words, before, re.IGNORECASE) or re.match(words, after)),
        EXACTLY,
    )
    if _LOOSE_AFTER.match(after) or (not bound and _LOOSE_BEFORE.search(before)):
        return None
    decimals = len(written.partition(".")[2])
    step = abs(amount / number) * scale * 0.1**decimals if number and (decimals or scale > 1) else 0.0
    return Value(NUMBER, measure, amount, Span(span.start, end), unit, bound, step)


def _measured(match: re.Match[str], written: str, number: float, scale: float) -> tuple[float, str, str, Span] | None:
    """The amount in its base unit, the measure, the unit as written, and the span; ``None`` without a unit or noun."""
    unit, start = match["unit"] or "", match.start("figure" if match["figure"] else "spelt")
    if match["money"] and (based := in_base(number, match["money"])) is not None:
        if _THOUSANDS.fullmatch(written):
            return None  # "€1.200" means 1,200 euros to many readers, and nobody writes 1.2 like this
        end = max(map(match.end, ("figure", "spelt", "scale")))
        return *based, match["money"], Span(match.start(), end)
    if unit and (based := in_base(number, unit)) is not None:
        if written in _NO_COUNT and len(unit) < 3:
            return None
        return *based, unit, Span(start, match.end("unit"))
    counted = match["noun"] if not unit.endswith("s") and unit.islower() else unit
    if not counted or not counted.islower() or len(counted) < 3 or written in _NO_COUNT:
        return None
    if scale == 1 and _YEAR_OR_VERSION.fullmatch(written):
        return None
    return number, singular(counted), unit, Span(start, match.end("noun" if counted != unit else "unit"))


def differ(one: Value, other: Value) -> bool:
    """Whether two values of the same kind and measure contradict each other.

    >>> one, at_most, other = (values_of(f"The upload is {text}.")[0] for text in ("2 GB", "at most 1 GB", "2000 MB"))
    >>> differ(one, at_most), differ(one, other), differ(at_most, values_of("It is only 3 MB.")[0])
    (True, False, False)
    """
    a, b = one.amount, other.amount
    if isinstance(a, str) and isinstance(b, str):
        return not (a.startswith(b) or b.startswith(a))
    if isinstance(a, bool | str) or isinstance(b, str):
        return a != b
    close = tolerance(one.measure, one.unit, other.unit) * max(abs(a), abs(b))
    if abs(a - b) <= max(close, one.step / 2, other.step / 2):
        return False
    if one.bound == other.bound:
        return True  # of the same limit
    if EXACTLY not in {one.bound, other.bound}:
        return False
    exact, limit, bound = (a, b, other.bound) if one.bound == EXACTLY else (b, a, one.bound)
    return exact > limit if bound == AT_MOST else exact < limit
