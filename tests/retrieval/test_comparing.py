"""Numbers that are compared: the rows of tables that satisfy what a question asks, exactly."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.library import Incoming, Library
from core.retrieval.bounds import comparison_in
from core.retrieval.comparing import Listing, leaves_with, rows_listed, rows_satisfying
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
ITEMS = """# Items

| Item | Weight (kg) | Length (m) | Price | Mass (stones) | Sizes | Loss |
|---|---|---|---|---|---|---|
| Bolt | 0.4 | 0.1 | €2 | 1 | 500 GB | 9 % |
| Beam | 600 | 12 | €1,600 | 90 | about 2 TB | 1 % |
| Total | 600.4 | 12.1 | €1,602 | 91 | 2.5 TB | 4 % |
"""
GAUGES = """# Water

| Gauge | Level (m) | Alarm | Built | Depth |
|---|---|---|---|---|
| Delft | 1.20 | no | 1890 | 1.250 |
| Leiden | 0.80 | yes | 1999 | 950 |
| Gouda | 2.10 | yes | 1950 | 3.100 |
"""
COUNTS = {
    f"Headcount {year}.md": f"# Headcount\n\n| Team | People |\n|---|---|\n| Alpha | {one} |\n| Beta | {other} |\n"
    for year, one, other in ((2022, 12, 40), (2023, 22, 30))
}
MONTHS = "month,shop,turnover\n2024-01,Ghent,120\n2024-01,Lier,80\n2024-02,Ghent,150\n2024-02,Lier,195\n"
CROPS = """# Crops of 2022

## Crops in 2024

What the farms bear.

| Farm | Yield |
|---|---|
| Mill | 6 % |

Crops of the farms in 2023.

| Farm | Yield |
|---|---|
| Hill | 7 % |
"""
UMSATZ = "Filiale;Umsatz (Tsd. €);Wachstum;Preis\nNord;1.200;7,2 %;1,500\nOst;780;5,0 %;2\nWest;2.400;12 %;4\n"
TERMS = "Term,Begin,End,Value\nT1,2023-01-01,2024-03-01,€500\nT2,2024-01-05,2025-12-31,€1200\n"
FEES = 'Teller,Fee 2023 (k€),Fee 2024 (k€)\nIda,900,"1,200"\nUwe,300,250\n'
DEVICES = "Serial,Battery (V),Price\n" + "".join(f"d{n},{3 + n / 10:.1f},€{10 * n}\n" for n in range(12))


FILES = {
    "regions.md": REGIONS,
    "sales.md": SALES,
    "plans.md": PLANS,
    "towns.md": TOWNS,
    "rivers.md": RIVERS,
    "disks.md": DISKS,
    "devices.csv": DEVICES,
    "items.md": ITEMS,
    "gauges.md": GAUGES,
    **COUNTS,
    "months.csv": MONTHS,
    "crops.md": CROPS,
    "umsatz.csv": UMSATZ,
    "terms.csv": TERMS,
    "fees.csv": FEES,
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
    asked = comparison_in(question)
    return rows_listed(stored[0], asked, passages, most) if asked else Listing()


VERSIONS = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in FILES.items()}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which regions grew above 5 %?", [("East", "Growth", "5.1 %")]),
        ("Which regions did not grow by 5 % or more?", [("North", "Growth", "4.9 %"), ("West", "Growth", "-2 %")]),
        ("Which areas are above 5 %?", [("Delta", "Growth", "6 %"), ("Polder", "Churn", "9 %")]),  # no column is named
        ("Which areas have a revenue above 1 million?", [("Polder", "Revenue", "1,500")]),  # a total is no area
        ("Is the total revenue of the areas above 1 million?", [("Total", "Revenue", "2,400")]),
        ("Which areas have a revenue of at most 0.9 million?", [("Delta", "Revenue", "900")]),
        ("Which areas have a revenue of at most 900,000?", []),  # in euros, or in thousands of them as written
        ("Which areas have a revenue of at most 900?", []),
        ("Which areas have a revenue of at least 10?", [("Delta", "Revenue", "900"), ("Polder", "Revenue", "1,500")]),
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
        ("Which plans cost more than €50?", []),  # what francs are in euros nobody says
        ("Which plans cost more than 50 francs?", []),  # of a column that is of euros
        ("Which plans have more than 20,000 users?", ["Free"]),
        ("Which plans have more than 5 users?", ["Free", "Team", "Swiss"]),  # users are counted in full
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
        ("Which disks hold at least 500 GB?", []),  # no arithmetic: what 4 TB are in GB cannot be told
        ("Is the capacity of the disk called Slim above 400 GB?", [("Slim", "500 GB")]),  # of which it can
        ("Which disks have a weight below 1 kg?", []),
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
    ("Which towns grew above 6 % and lie in Europe?", []),  # no column says what lying is
    ("Which towns grew above 6 % and continent Europe?", [("Delft", "8 %"), ("Pisa", "7 %")]),
    ("Which towns with a good rank grew above 6 %?", []),  # another column, and no row named by it
    ("Which towns grew above 6 % since 2024?", []),
    ("Which towns grew above 6 % in May 2024?", []),  # a year's growth is not that of a month
]


@pytest.mark.parametrize(
    ("question", "name", "expected"),
    [
        ("Which items have a weight over 500 grams?", "items.md", []),
        ("Which items have a weight over 500 kilos?", "items.md", ["Beam"]),
        ("Which items have a weight over 5 stones?", "items.md", []),  # of what is told in kilograms
        ("Which items have a mass over 5 stones?", "items.md", ["Beam"]),
        ("Which items have a mass over 5 carats?", "items.md", []),  # units that are not known, and not the same
        ("Which items have a length above 5 kilometres?", "items.md", []),
        ("Which items have a length above 5 meters?", "items.md", ["Beam"]),
        ("Which items have a price above 1.500 €?", "items.md", []),
        ("Which items shrank by more than 5 %?", "items.md", []),
        ("Which items had a loss of more than 5 %?", "items.md", ["Bolt"]),  # how far it fell is what is told
        ("Which items have sizes above 400 GB?", "items.md", []),  # "about 2 TB" may satisfy
        ("Which regions shrank by more than 5 %?", "regions.md", []),
        ("Which lines are slower than 100 ms?", "regions.md", ["red"]),
        ("Which lines are faster than 100 ms?", "regions.md", ["blue"]),
        ("Which gauges have a level above 1 metre?", "gauges.md", ["Delft", "Gouda"]),
        ("Which gauges have a level above 1 metre and no alarm?", "gauges.md", []),
        ("Which gauges with an alarm have a level above 1 metre?", "gauges.md", []),
        ("Which gauges have a level above 1 metre or an alarm?", "gauges.md", []),
        ("Which gauges were built in a year older than 1950?", "gauges.md", []),
        ("Which gauges have a level above 1 metre and were built in 1950?", "gauges.md", ["Gouda"]),
        ("Which gauges have a depth above 2?", "gauges.md", []),  # 1.250 beside 950
        ("Which Filiale has an Umsatz above 1,000,000 €?", "umsatz.csv", ["Nord", "West"]),
        ("Which Filiale has an Umsatz below 100,000 €?", "umsatz.csv", []),
        ("Which Filiale has an Umsatz above 1,000?", "umsatz.csv", []),  # or a million, for all that it says
        ("Which Filiale has a Preis below 3?", "umsatz.csv", []),  # 1,500 beside 7,2 %
    ],
)
def test_a_list_that_may_not_be_whole_is_none(stored, question, name, expected):
    word = next(word for word in ("Beam", "red", "Delft", "Ost") if word in FILES[name])
    assert [row.label for row in listed(stored, question, (name, word)).rows] == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which teams have more than 20 people in 2022?", ["40"]),
        ("Which teams have more than 20 people in 2021?", []),
        ("Which teams have more than 20 people?", ["40", "22", "30"]),
        ("Which shops had a turnover above 100 in 2024-01?", ["120"]),
        ("Which shops had a turnover above 100 in February?", ["150", "195"]),
        ("Which shops had a turnover above 100 in January 2024?", ["120"]),
        ("Which shops had a turnover above 100 in January 2023?", []),
        ("Which shops had a turnover above 100 in 2024?", ["120", "150", "195"]),
        ("Which farms have a yield above 5 % in 2024?", ["6 %"]),
        ("Which farms have a yield above 5 % in 2023?", ["7 %"]),
        ("Which farms have a yield above 5 % in 2022?", []),  # each table says another year, nearer than the title
        ("Which terms have a value above €100?", ["€500", "€1200"]),
        ("Which terms have a value above €100 and end in 2025?", ["€1200"]),
        ("Which teller has a fee above 1,000 in 2024?", []),  # in euros, or in thousands of them
        ("Which teller has a fee above €1,000 in 2024?", ["1,200", "250"]),
        ("Which terms have a value above €100 in 2024?", []),  # that begin, or that end?
        ("Which regions grew above 5 % in 2024?", []),  # nothing says which year it was
    ],
)
def test_a_time_that_is_asked_for_must_be_told(stored, question, expected):
    words = [("Headcount 2022.md", "Beta"), ("Headcount 2023.md", "Beta"), ("months.csv", "Lier")]
    held = [*words, ("crops.md", "Mill"), ("crops.md", "Hill"), ("terms.csv", "T1"), ("fees.csv", "Ida")]
    held += [("regions.md", "East")]
    assert [row.cell.text for row in listed(stored, question, *held).rows] == expected


def test_what_a_caption_tells_numbers_in_stands_with_them(stored):
    (row,) = listed(stored, "Which areas have a revenue above 1 million?").rows
    assert row.told_in == "in thousands"
    (row,) = listed(stored, "Which plans have more than 20,000 users?", ("plans.md", "Free")).rows
    assert (row.header, row.told_in) == ("Users (k)", "")


def test_the_tables_that_were_looked_at_are_told(stored):
    held = [("Headcount 2022.md", "Beta"), ("Headcount 2023.md", "Beta")]
    tables = listed(stored, "Which teams have more than 20 people in 2022?", *held).tables
    assert [version for version, _ in tables] == [VERSIONS[name] for name, _ in held]
    assert FILES["Headcount 2022.md"][tables[0][1].start :].startswith("| Team")


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
