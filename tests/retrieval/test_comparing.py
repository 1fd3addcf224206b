"""Numbers that are compared: the rows of tables that satisfy what a question asks, exactly."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.library import Incoming, Library
from core.retrieval.bounds import comparison_in
from core.retrieval.comparing import leaves_with, rows_listed, rows_satisfying
from core.storage.leaves import load_leaves
from core.storage.store import Store
from core.types import Passage, Span
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
SALES = """# Sales

Sales of the areas, in thousands of euros.

| # | Area | Revenue | Growth | Churn | Shops |
|---|---|---|---|---|---|
| 1 | Delta | 900 | 6 % | 1 % | 3 |
| 2 | Polder | 1,500 | 3 % | 9 % | 12 |
| 3 | Total | 2,400 | 4 % | 5 % | 15 |
"""
PLANS = """# Plans

Plans and what they cost.

| Plan | Price | Users (k) | Year | Speed (km/h) | Reach (km) |
|---|---|---|---|---|---|
| Free | €0 | 25 | 2019 | 90 | 400 |
| Team | €60 | 8 | 2021 | 120 | 30 |
| Swiss | CHF 60 | 2.01 | 2020 | 80 | 200 |
"""
DISKS = """# Disks

What the disks hold and weigh.

| Disk | Capacity | Weight | Warranty |
|---|---|---|---|
| Slim | 500 GB | 95 g | 2 years |
| Tall | **2,000 GB** | 0.7 kg | 5 years |
| Wide | 4 TB | 640 g | none |
| Deep | 250 GB | 1.2 kg | 5 years |
"""
TOWNS = """# Towns

Towns of two years.

| Rank | Town | Continent | Year | Growth |
|---|---|---|---|---|
| 1 | Pisa | Europe | 2023 | 6 % |
| 2 | Delft | Europe | 2023 | 8 % |
| 3 | Pisa | Europe | 2024 | 7 % |
| 4 | Nara | Asia | 2024 | 9 % |
"""
RIVERS = """# Rivers

How rivers rose.

| River | Rise 2023 | Rise 2024 | Salt |
|---|---|---|---|
| **High** | 2 % | 9 % | 7 % |
| Low | 8 % | 1 % | 0 % |
"""
DEVICES = "Serial,Battery (V),Price\n" + "".join(f"d{n},{3 + n / 10:.1f},€{10 * n}\n" for n in range(12))


FILES = {
    "regions.md": REGIONS,
    "sales.md": SALES,
    "plans.md": PLANS,
    "towns.md": TOWNS,
    "rivers.md": RIVERS,
    "disks.md": DISKS,
    "devices.csv": DEVICES,
    "prose.md": "Regions grew above 5 %.",
}


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    home = tmp_path_factory.mktemp("comparing")
    with Library.open(home / "library", encoder=FastEncoder()) as library:
        for name, text in FILES.items():
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


def listed(stored, question, *held, most=10):
    """What is listed in answer where the context holds these words of these files, the most relevant first."""
    passages = []
    for rank, (name, words) in enumerate(held or [("regions.md", "East"), ("sales.md", "Delta")], 1):
        start, version = FILES[name].index(words), VERSIONS[name]
        place = start, start + len(words)
        passages.append(Passage(version, name, name, *place, words, 1, (), (Span(*place),), rank, 1.0, ""))
    return rows_listed(stored[0], comparison_in(question), passages, most)


VERSIONS = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in FILES.items()}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which regions grew above 5 %?", [("East", "Growth", "5.1 %")]),
        ("Which regions did not grow by 5 % or more?", [("North", "Growth", "4.9 %"), ("West", "Growth", "-2 %")]),
        ("Which areas are above 5 %?", [("Delta", "Growth", "6 %"), ("Polder", "Churn", "9 %")]),  # no column is named
        ("Which areas have a revenue above 1 million?", [("Polder", "Revenue", "1,500")]),  # a total is no area
        ("Is the total revenue of the areas above 1 million?", [("Total", "Revenue", "2,400")]),
        ("Which areas have a revenue of at most 900,000?", [("Delta", "Revenue", "900")]),
        ("Which areas have more than 5 shops?", [("Polder", "Shops", "12")]),  # nobody counts shops in euros
        ("Which areas do not have growth above 5 %?", [("Polder", "Growth", "3 %")]),
        ("Which areas have a revenue above €2,000?", []),  # no unit is borne by what only stands in thousands of them
        ("Did the growth of East exceed 5 %?", [("East", "Growth", "5.1 %")]),
        ("Did the growth of North exceed 5 %?", []),  # the row that is named does not
        ("What is the total growth of Polder, if above 2 %?", []),  # a condition of something else
        ("Which lawyer handles regions with growth above 5 %?", []),  # no table tells of lawyers
        ("How do I report growth above 5 %?", []),
    ],
)
def test_the_rows_that_answer_are_told_by_label_and_header(stored, question, expected):
    rows = listed(stored, question).rows
    assert [(row.label, row.header, row.cell.text) for row in rows] == expected


def test_a_table_of_the_context_answers_whole_and_no_other(stored):
    asked = "Which regions have fewer than 500 customers?"
    assert [row.label for row in listed(stored, asked, ("regions.md", "North")).rows] == ["South", "East", "West"]
    assert listed(stored, asked, ("prose.md", "Regions"), ("regions.md", "red")).rows == ()
    without_caption = listed(stored, "Which devices have a battery below 3.25 V?", ("devices.csv", "d7"))
    assert [row.label for row in without_caption.rows] == ["d0", "d1", "d2"]  # the title says that it is of devices


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which plans cost more than €50?", ["Team"]),  # francs are no euros
        ("Which plans cost more than 50 francs?", []),  # of a column that is of euros
        ("Which plans have more than 20,000 users?", ["Free"]),
        ("Which plans have at most 2,010 users?", ["Swiss"]),  # as a person reckons 2.01 thousand
        ("Which plans go above 100 km/h?", ["Team"]),
        ("Which plans go beyond 100 km?", ["Free", "Swiss"]),
        ("Which plans are older than 5 years?", []),  # which year it was is no number of years
    ],
)
def test_units_and_scales_are_those_of_the_column(stored, question, expected):
    assert [row.label for row in listed(stored, question, ("plans.md", "Free")).rows] == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which disks hold at least 500 GB?", [("Slim", "500 GB"), ("Tall", "**2,000 GB**")]),
        ("Which disks have a weight below 1 kg?", [("Tall", "0.7 kg")]),  # no arithmetic: grams are not kilograms
        ("Which disks have a warranty of more than 2 years?", [("Tall", "5 years"), ("Deep", "5 years")]),
        ("Which disks hold more than 3 l?", []),
    ],
)
def test_cells_that_bear_their_unit_are_numbers(stored, question, expected):
    rows = listed(stored, question, ("disks.md", "Slim")).rows
    assert [(row.label, row.cell.text) for row in rows] == expected


ROWS_NAMED = [
    ("Which towns grew above 5 % in 2024?", [("Pisa", "7 %"), ("Nara", "9 %")]),
    ("Which towns in Europe grew above 5 % in 2023?", [("Pisa", "6 %"), ("Delft", "8 %")]),
    ("Which towns of the top 3 grew above 8 %?", [("Nara", "9 %")]),  # a place in an order names no row
    ("Which towns grew above 5 % in 2025?", []),
    ("Which towns outside Europe grew above 5 %?", []),  # it may mean all that it does not name
    ("Which towns grew above 5 %, except Pisa?", []),
]


def test_years_in_headers_tell_columns_apart(stored):
    for year, expected in (("2023", ["Low"]), ("2024", ["High"]), ("2025", [])):
        asked = f"Which rivers had a rise of more than 5 % in {year}?"
        assert [row.label for row in listed(stored, asked, ("rivers.md", "Low")).rows] == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    ROWS_NAMED,
)
def test_rows_that_are_named_by_any_of_their_cells_answer_alone(stored, question, expected):
    rows = listed(stored, question, ("towns.md", "Pisa")).rows
    assert [(row.label, row.cell.text) for row in rows] == expected


@given(bound=st.integers(-10, 140), most=st.integers(0, 14))
def test_as_many_as_asked_for_are_listed_and_all_are_counted(stored, bound, most):
    asked = f"Which devices have a price above €{bound}?"
    listing = listed(stored, asked, ("devices.csv", "d1"), most=most)
    every = [row.cell for row in rows_satisfying(stored[0], comparison_in(asked), [VERSIONS["devices.csv"]])]
    assert listing.count == len(every) == sum(10 * n > bound for n in range(12))
    assert [row.cell for row in listing.rows] == every[:most]
