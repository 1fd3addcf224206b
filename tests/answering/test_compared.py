"""Comparisons answered from tables: cells first, told and cited in place, supported whatever the threshold."""

from __future__ import annotations

import pytest

from core.answering import ROWS
from core.contract import answered
from core.library import Incoming, Library
from core.settings import AnsweringSettings, Settings
from tests.fast_encoder import FastEncoder

REGIONS = """# Growth by region

Regions grew above expectation. Growth of the regions in the year, as every region told it.

| Region | Growth | Customers |
|---|---|---|
| North | 4.9 % | 1,200 |
| South | 5.0 % | 300 |
| East | 5.1 % | 40 |
| West | 7 % | 5 |
"""
STOCKS = """# Stocks

Stocks of the depots, in thousands of tyres.

| Depot | Stock |
|---|---|
| Hull | 12 |
| Kent | 3 |
"""
METERS = "Meter,Level (cm)\n" + "".join(f"m{n},{n}\n" for n in range(40))
QUESTION = "Which regions grew above 5 %?"
SILENT = AnsweringSettings(least_support=1)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    home = tmp_path_factory.mktemp("compared")
    for name, text in (("regions.md", REGIONS), ("meters.csv", METERS), ("stocks.md", STOCKS)):
        (home / name).write_text(text, encoding="utf-8")
    with Library.open(home / "library", encoder=FastEncoder()) as opened:
        assert not opened.ingest([Incoming(path.name, path=path) for path in sorted(home.glob("*.*"))]).failures
        yield opened


def asked(library, question, ignored=frozenset(), settings=None):
    return library.searcher.search(question, settings or Settings(), None, ignored=ignored)


def test_the_cells_that_satisfy_are_quoted_in_place_whatever_the_threshold(library):
    line = library.searcher.answer(asked(library, QUESTION), SILENT)
    told = [(quote.told, quote.text) for quote in line.answer.quotes]
    assert told == [("East › Growth", "5.1 %"), ("West › Growth", "7 %")]
    for quote in line.answer.quotes:
        place = quote.citation
        assert REGIONS[place.start : place.end] == quote.text
        assert (place.document, place.source) == ("Growth by region", "regions.md")
    assert line.supported
    assert line.support.sentence == line.compared.sentence == "In tables, 2 numbers are above 5 %."
    assert line.text == "East › Growth: 5.1 %\nWest › Growth: 7 %"


def test_sentences_fill_what_cells_leave_and_never_say_a_row(library):
    result = asked(library, QUESTION)
    line = library.searcher.answer(result, AnsweringSettings(sentences=5, least_support=0))
    assert [bool(quote.told) for quote in line.answer.quotes[:3]] == [True, True, False]
    assert len(line.answer.quotes) <= 5
    table = REGIONS.index("| Region")
    others = [quote.citation for quote in line.answer.quotes[2:] if quote.citation.source == "regions.md"]
    assert others
    assert all(place.end <= table for place in others), "the rows that do not satisfy look like a part of the list"
    one = library.searcher.answer(result, AnsweringSettings(sentences=1, least_support=0))
    assert len(one.answer.quotes) == 2, "a list is not cut by the number of sentences"


def test_what_is_taken_away_or_satisfied_by_nothing_leaves_all_as_it_was(library):
    plain = asked(library, QUESTION)
    (chip,) = [one for one in plain.understood.chips if one.kind == "comparison"]
    assert (chip.words, chip.key) == ("above 5 %", ("comparison", "above 5 %"))
    away = asked(library, QUESTION, frozenset({chip.key}))
    assert away.understood.comparison is None
    assert [hit.chunk_id for hit in away.hits] == [hit.chunk_id for hit in plain.hits]
    silent = library.searcher.answer(away, SILENT)
    assert (silent.answer.quotes, silent.compared, silent.supported) == ((), None, False)
    assert silent.text.startswith("The library does not say")
    nothing = library.searcher.answer(asked(library, "Which regions grew above 50 %?"), SILENT)
    assert (nothing.answer.quotes, nothing.compared) == ((), None)
    off = library.searcher.answer(plain, AnsweringSettings(sentences=0))
    assert (off.answer.quotes, off.compared) == ((), None)


def test_taking_it_away_takes_the_boost_away_too(library):
    boosted = Settings().with_value("understanding.comparison_boost", 3)
    raised = asked(library, QUESTION, settings=boosted)
    away = asked(library, QUESTION, frozenset({("comparison", "above 5 %")}), boosted)
    assert [hit.scores for hit in away.hits] != [hit.scores for hit in raised.hits]


def test_of_many_the_first_are_quoted_and_the_others_counted(library):
    line = library.searcher.answer(asked(library, "Which meters have a level of at least 15 cm?"), SILENT)
    assert [quote.told for quote in line.answer.quotes] == [f"m{n} › Level (cm)" for n in range(15, 15 + ROWS)]
    assert (line.compared.quoted, line.compared.count, line.compared.more) == (ROWS, 25, 25 - ROWS)
    assert line.text.splitlines()[-1] == line.compared.sentence
    assert "25 numbers are at least 15 cm; 10 of them quoted" in line.compared.sentence


def test_what_the_numbers_are_told_in_is_said(library):
    line = library.searcher.answer(asked(library, "Which depots have a stock of more than 10 thousand?"), SILENT)
    assert line.text == "Hull › Stock, in thousands: 12"


def test_the_contract_tells_what_was_compared(library):
    result = asked(library, QUESTION)
    told = answered(result, library.searcher.answer(result, SILENT))
    assert {"kind": "comparison", "value": "above 5 %", "words": "above 5 %", "filters": False} in told["understood"]
    assert told["answer"]["compared"] == {"asked": "above 5 %", "quoted": 2, "found": 2}
    assert told["answer"]["supported"] is True
    for cited in told["answer"]["citations"]:
        assert REGIONS[cited["start"] : cited["end"]] == cited["quote"]
