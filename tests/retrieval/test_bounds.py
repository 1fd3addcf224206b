"""What a question asks of a number: read by its words, told in one form, and what it asks to be listed."""

from __future__ import annotations

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
    ],
)
def test_what_is_asked_of_a_number(question, low, high, closed, unit):
    found = comparison_in(question)
    assert (found.low, found.high, found.closed, found.unit) == (low, high, closed, unit)


@pytest.mark.parametrize(
    "question",
    ["Which regions grew?", "more than a race", "between 2012 and 2016", "Is it over?", "the cases of 2020", "above-5"],
)
def test_what_compares_with_no_number(question):
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
    ],
)
def test_what_is_asked_to_be_listed(question, listed):
    assert set(comparison_in(question).listed) == listed


NUMBERS = st.integers(-(10**9), 10**9) | st.integers(-(10**6), 10**6).map(lambda number: number / 4)
BOUNDS = st.sampled_from(["above", "below", "at least", "at most", "does not exceed", "is never below"])
UNITS = st.sampled_from(["", " %", " ms", " kg", " volts", " hours", " euros", " thousand", " million dollars"])


@given(NUMBERS, BOUNDS, UNITS)
def test_what_is_told_is_understood_as_what_was_asked(number, bound, unit):
    asked = comparison_in(f"Which regions have growth that {bound} {number:,}{unit}?")
    again = comparison_in(f"regions {asked.value}")
    assert (again.low, again.high, again.closed, again.unit) == (asked.low, asked.high, asked.closed, asked.unit)
    assert again.key == asked.key


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
