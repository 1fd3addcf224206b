"""What a question asks of a number: read by its words, told in one form, and what it asks to be listed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.retrieval.bounds import comparison_in


@pytest.mark.parametrize(
    ("question", "low", "high", "closed", "unit"),
    [
        ("Which regions above 5 %?", 5, None, False, "%"),
        ("regions with more than 5 percent growth", 5, None, False, "%"),
        ("plans under €50", None, 50, False, "eur"),
        ("plans that cost at most EUR 1,250.50", None, 1250.5, True, "eur"),
        ("at least 4 cores", 4, None, True, ""),
        ("more than 3 or more devices", 3, None, True, ""),
        ("batteries below 3.4 V", None, 3.4, False, "v"),
        ("delays between 20 ms and 300 ms", 20, 300, True, "ms"),
        ("growth between 5 and 2 %", 2, 5, True, "%"),
        ("load >= 80%", 80, None, True, "%"),
        ("growth below -1 %", None, -1, False, "%"),
        ("regions with 5 % or more", 5, None, True, "%"),
        ("plans of €50 or less", None, 50, True, "eur"),
        ("regions that did not grow above 5 %", None, 5, True, "%"),
        ("regions whose growth doesn't exceed 5 %", None, 5, True, "%"),
        ("regions that never fell below 5 %", 5, None, True, "%"),
        ("areas not in Delft and above 5 %", 5, None, False, "%"),  # what is denied is the place
        ("teams with more than 2 million users", 2e6, None, False, ""),
        ("sales over €1.5m", 1.5e6, None, False, "eur"),
        ("sales above 20k", 20e3, None, False, ""),
        ("sales between 5 and 10 million euros", 5e6, 10e6, True, "eur"),
        ("regions with no fewer than 5 stores", 5, None, True, ""),
        ("contracts no longer than 3 days", None, 3, True, "d"),
        ("growth greater than or equal to 5 %", 5, None, True, "%"),
        ("growth equal to or less than 5 %", None, 5, True, "%"),
        ("regions with growth over 5 but under 10 %", 5, 10, False, "%"),
        ("sales above 5 and below 10 million", 5e6, 10e6, False, ""),
        ("loads lower than 5 %, higher than 2 %", 2, 5, False, "%"),
        ("plans over 1 200 euros", 1200, None, False, "eur"),
        ("plans over 1\u202f200\u00a0€", 1200, None, False, "eur"),
        ("plans over CHF 1'200", 1200, None, False, "chf"),
        ("apps with more than 5M users", 5e6, None, False, ""),
        ("sales above 5m EUR", 5e6, None, False, "eur"),
        ("growth above +.5 %", 0.5, None, False, "%"),
        ("trains above 100 km/h", 100, None, False, "km/h"),
        ("rooms below 60 °F", None, 60, False, "°f"),
        ("lines with no delay over 300 ms", None, 300, True, "ms"),
        ("regions without growth above 5 %", None, 5, True, "%"),
        ("regions that do not have a growth of more than 5 %", None, 5, True, "%"),
        ("all regions except those above 5 %", None, 5, True, "%"),
        ("customers who did not leave pay more than €50", 50, None, False, "eur"),  # what they did not do is another
        ("regions above 5 % over 3 years", 5, None, False, "%"),
        ("regions above 5 % between 2012 and 2016", 5, None, False, "%"),
        ("plans under €50 per month", None, 50, False, "eur"),
        ("services slower than 100 ms", 100, None, False, "ms"),
        ("services not faster than 2 seconds", 2, None, True, "s"),
        ("laps faster than 60 s", None, 60, False, "s"),
        ("cars faster than 200 km/h", 200, None, False, "km/h"),
        ("lines slower than 50 mbps", None, 50, False, "mbit/s"),
        ("bridges older than 50 years", 50, None, False, "year"),
        ("items over 500 grams", 500, None, False, "g"),
        ("items over 2.5 kgs", 2.5, None, False, "kg"),
        ("items of more than 1 ton", 1, None, False, "ton"),
        ("roads above 5 kilometres", 5, None, False, "km"),
        ("boards below 50 centimeters", None, 50, False, "cm"),
        ("files above 10 megabytes", 10, None, False, "mb"),
        ("files above 10 MiB", 10, None, False, "mib"),
        ("tanks below 3 litres", None, 3, False, "l"),
        ("files over 1.500 MB", 1.5, None, False, "mb"),
        ("sales above €1.250 million", 1.25e6, None, False, "eur"),
        ("regions that fell below 5 %", None, 5, False, "%"),  # a level
    ],
)
def test_what_is_asked_of_a_number(question, low, high, closed, unit):
    found = comparison_in(question)
    assert (found.low, found.high, found.closed_low or found.closed_high, found.unit) == (low, high, closed, unit)


def test_of_a_range_each_end_may_be_meant_itself_or_not():
    found = comparison_in("parcels of at least 5 and less than 10 kg")
    assert found.value == "at least 5 and below 10 kg"
    assert [found.holds(value) for value in (4.9, 5, 9.9, 10)] == [False, True, True, False]


@pytest.mark.parametrize(
    "question",
    [
        *("Which regions grew?", "more than a race", "between 2012 and 2016", "Is it over?", "the cases of 2020"),
        *("above-5", "above 5-10 %", "above 5 - 10", "older than 12/05/2020", "later than 10:30, over 10:30"),
        *("less than 1/3 of the users", "between 30 s and 2 min", "not between 5 and 10", "over 5 years ago"),
        *("faster than 100", "slower than 5 kg", "older than 1950", "younger than 1950"),
        *("above 1.500 €", "more than €1.500", "more than 1.500 users", "between €5 and €1.500", "over 5 kg per day"),
        *("regions that failed to exceed 5 %", "hardly any region above 5 %", "barely above 5 %", "far above 5 %"),
        *("slightly more than 5 %", "nearly above 5 %", "faster by more than 5 ms", "changed by over 5 %"),
        *("versions below 3.10", "releases older than 3.2.1", "more than 5 kg/m3", "over 1 2000"),
        "regions above 5 % with fewer than 100 customers",  # half of what is asked would be no answer
        *("above 5 % or below -2 %", "above 10 and below 5", "above 5 and above 7", "between 5 and 10 and above 7"),
    ],
)
def test_what_compares_with_no_number_or_with_more_than_one_range(question):
    assert comparison_in(question) is None


@pytest.mark.parametrize(
    ("question", "listed"),
    [
        ("Which regions grew above 5 %?", {"region", "grew"}),
        ("Show me all of our devices below 3 V", {"devic"}),
        ("Above 5 %, which regions?", {"region"}),
        ("Are there any regions above 5 %?", {"region"}),
        ("regions which grew above 5 %", {"region"}),
        ("Tell me in which regions growth is above 5 %", {"region", "growth"}),
        ("Please list customers who pay more than €50", {"custom"}),
        ("regions with a customer count above 5", {"region"}),
        ("Who has more than 10 days of leave?", {"leav"}),
        ("What happens when load is above 80 %?", set()),
        ("How do I raise a limit above 80 %?", set()),
        ("Why is the load above 80 %?", set()),
        ("Is anything above 80 %?", {"anyth"}),
        ("Which regions do not have growth above 5 %?", {"region"}),
        ("Which regions grew above 5 % in 2024?", {"region", "grew"}),
        ("Which regions grew above 5 % since 2024?", set()),
        ("Which regions grew above 5 % from May to June 2024?", set()),
        ("Which regions grew above 5 % between 2012 and 2016?", set()),
        ("Which regions grew above 5 % over 3 years?", set()),
        ("Which regions grew above 5 % last year?", set()),
        ("Which regions grew above 5 % or have an alarm?", set()),
    ],
)
def test_what_is_asked_to_be_listed(question, listed):
    assert set(comparison_in(question).listed) == listed


def test_what_is_denied_is_still_asked_of():
    """The words between a denial and its bound name the column."""
    assert "growth" in comparison_in("Which regions do not have growth above 5 %?").subject


@pytest.mark.parametrize(
    ("question", "falling"),
    [
        ("Which regions shrank by more than 5 %?", {"shrank"}),
        ("Which regions declined in the South by over 5 %?", {"declin"}),
        ("Which regions had a decline of more than 5 %?", {"declin"}),
        ("Which regions saw a more than 5 % drop?", {"drop"}),
        ("Which regions are more than 5 % lower?", {"lower"}),
        ("Which regions fell to less than 5 %?", set()),
        ("Which regions fell below 5 %?", set()),
        ("Which regions that shrank in the South did very well with growth above 5 %?", set()),
    ],
)
def test_how_far_something_fell_is_no_level(question, falling):
    assert comparison_in(question).falling == falling


@pytest.mark.parametrize(
    ("question", "noun", "further", "times"),
    [
        ("Which items weigh over 500 stones?", {"stone"}, set(), set()),
        ("Which items weigh over 500 in the North?", set(), set(), set()),
        ("Which items weigh over 500 kg in May 2024?", set(), set(), {"2024-05"}),
        ("Which gauges are above 1 m and have no alarm in 2024?", set(), {"alarm"}, {"2024"}),
        ("Which gauges are above 1 m, and by how much?", set(), set(), set()),
        ("In 2023, which gauges are above 2024?", set(), set(), {"2023"}),
    ],
)
def test_what_is_said_around_a_number(question, noun, further, times):
    found = comparison_in(question)
    assert (found.noun, found.further, found.times) == (noun, further, times)


NUMBERS = st.integers(-(10**9), 10**9) | st.integers(-(10**6), 10**6).map(lambda number: number / 4)
BOUNDS = st.sampled_from(["above", "below", "at least", "at most", "does not exceed", "is never below"])
UNITS = [
    *("", " %", " ms", " kg", " volts", " hours", " euros", " francs", " km/h", " °F"),
    " thousand",
    " million dollars",
]


@given(NUMBERS, BOUNDS, st.sampled_from(UNITS))
def test_what_is_told_is_understood_as_what_was_asked(number, bound, unit):
    asked = comparison_in(f"Which regions have growth that {bound} {number:,}{unit}?")
    again = comparison_in(f"regions {asked.value}")
    words = {"subject": asked.subject, "beside": asked.beside, "listed": asked.listed, "plain": asked.plain}
    assert replace(again, start=0, end=0, **words) == replace(asked, start=0, end=0)


@given(NUMBERS, NUMBERS, st.booleans(), st.booleans(), st.sampled_from(UNITS[:10]), NUMBERS)
def test_a_range_is_told_by_two_bounds_in_any_order(one, other, low, high, unit, value):
    least, most = sorted((one, other))
    bounds = [f"{'at least' if low else 'above'} {least}{unit}", f"{'at most' if high else 'below'} {most}{unit}"]
    found = [comparison_in(f"regions {' and '.join(order)}") for order in (bounds, bounds[::-1])]
    assert found[0].key == found[1].key == comparison_in(f"regions {found[0].value}").key
    expected = (value >= least if low else value > least) and (value <= most if high else value < most)
    assert found[0].holds(value) == expected


@given(NUMBERS, NUMBERS)
def test_a_denial_holds_for_exactly_the_other_numbers(number, value):
    plain = comparison_in(f"regions above {number}")
    denied = comparison_in(f"regions that are not above {number}")
    assert plain.holds(value) != denied.holds(value)


@given(st.text(max_size=60), st.sampled_from(["above 5 %", "not below €3", "between 2 and 9 kg", "5 V or more"]))
def test_any_words_around_leave_it_in_the_question(words, bound):
    question = f"{words} {bound} {words}"
    found = comparison_in(question)
    assert found is None or question[found.start : found.end].strip()
    assert found is None or (found.low is None) != (found.high is None) or found.low <= found.high
