"""Numbers that are compared: read out of questions, and the rows of tables that satisfy them, exactly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.library import Incoming, Library
from core.retrieval.comparing import comparison_in, leaves_with, rows_satisfying
from core.storage.leaves import load_leaves
from core.storage.store import Store
from tests.fast_encoder import FastEncoder

REGIONS = """# Growth by region

Growth of the regions in the year.

| Region | Growth | Customers |
|---|---|---|
| North | 4.9 % | 1,200 |
| South | 5.0 % | 300 |
| East | 5.1 % | 40 |
| West | -2 % | 5 |

## Delays

| Line | Delay (ms) | Load |
|---|---|---|
| red | 300 | 12 % |
| blue | 20 | 50 % |
"""
DEVICES = "Serial,Battery (V),Price\n" + "".join(f"d{n},{3 + n / 10:.1f},€{10 * n}\n" for n in range(12))


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


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    home = tmp_path_factory.mktemp("comparing")
    with Library.open(home / "library", encoder=FastEncoder()) as library:
        for name, text in (("regions.md", REGIONS), ("devices.csv", DEVICES), ("prose.md", "Regions grew above 5 %.")):
            (home / name).write_text(text, encoding="utf-8")
        assert not library.ingest([Incoming(path.name, path=path) for path in sorted(home.glob("*.*"))]).failures
    with Store.open(home / "library", write=False) as store:
        yield store, load_leaves(store)


def found(stored, question):
    store, leaves = stored
    asked = comparison_in(question)
    rows = rows_satisfying(store, asked, leaves.version_ids)
    return [row.cells[0].text for row in rows]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which regions grew above 5 %?", ["East"]),
        ("Which regions have a growth of at least 5 %?", ["South", "East"]),
        ("Which regions had a growth below 0 percent?", ["West"]),
        ("Which regions have fewer than 100 customers?", ["East", "West"]),
        ("Which regions have more than 1,000 customers?", ["North"]),
        ("Which lines have a delay over 100 ms?", ["red"]),
        ("Which lines have a load between 10 and 20 %?", ["red"]),
        ("Which devices have a battery below 3.25 V?", ["d0", "d1", "d2"]),
        ("Which serial has a price above €100?", ["d11"]),
        ("Which ducks are above 5 %?", []),  # no table is about ducks
        ("Which regions grew above 5 kg?", []),  # and none weighs regions
        ("Which lines have a delay over 1 s?", []),  # no arithmetic: milliseconds are not seconds
    ],
)
def test_the_rows_that_satisfy(stored, question, expected):
    assert found(stored, question) == expected


def test_a_row_is_a_span_with_its_cells_and_lies_in_leaves(stored):
    store, leaves = stored
    rows = rows_satisfying(store, comparison_in("Which regions grew above 5 %?"), leaves.version_ids)
    (row,) = rows
    assert row.header == "Growth"
    assert (row.cell.text, row.cell.value) == ("5.1 %", 5.1)
    text = REGIONS[row.start : row.end]
    assert text.split(" | ") == ["East", "5.1 %", "40"]
    for cell in (*row.cells, row.cell):
        assert REGIONS[cell.start : cell.end] == cell.text
    mask = leaves_with(leaves, rows)
    assert mask.any()
    assert all(leaves.starts[at] < row.end and leaves.ends[at] > row.start for at in mask.nonzero()[0])


@given(bound=st.integers(-10, 140), word=st.sampled_from(["above", "below", "at least", "at most"]))
def test_exactly_the_numbers_on_the_asked_side(stored, bound, word):
    holds = {"above": bound.__lt__, "below": bound.__gt__, "at least": bound.__le__, "at most": bound.__ge__}[word]
    expected = [f"d{n}" for n in range(12) if holds(10 * n)]
    assert found(stored, f"Which serial has a price {word} €{bound}?") == expected


def test_a_version_that_is_gone_answers_nothing(stored):
    assert rows_satisfying(stored[0], comparison_in("regions above 5 %"), ["0" * 64]) == []
