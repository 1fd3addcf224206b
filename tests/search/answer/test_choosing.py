"""Quotes: verbatim, cited where they stand, one where one suffices, each text once, best first."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.search.answer.candidates import LONGEST
from core.search.answer.choosing import QuoteOptions
from core.search.answer.line import answer_line, score_candidates
from core.settings.context import AnsweringSettings
from core.types import Block, BlockKind, Span
from tests.fast_encoder import FastEncoder
from tests.search.answer.support_worlds import TABLE, Reads, hits_of, passage, table

TEXT = (
    "A token is valid for 3600 seconds. The office is in Delft and has a blue safe. "
    "Nobody may keep a token longer than it is valid. Yes."
)
LIST = "To roll back:\n1. Stop the service.\n2. Put the old file back.\n3. Start the service again.\n"


class Marked:
    """A reader that marks some words wherever they stand."""

    def __init__(self, *words):
        self.words = words

    def __call__(self, question, texts, above):
        return [Seen(text, self.words) for text in texts]


class Seen:
    def __init__(self, text, words):
        self.text, self.words = text, words
        self.worth = 5.0 if any(word in text for word in words) else -5.0

    def best(self, start=0, end=None):
        inside = self.text[start:end]
        place = next((inside.index(word) for word in self.words if word in inside), None)
        if place is None:
            return Place(start, start + 1, -9.0)
        word = next(word for word in self.words if word in inside)
        return Place(start + place, start + place + len(word), 9.0)


class Place:
    def __init__(self, start, end, score):
        self.start, self.end, self.score = start, end, score


def quotes(question, *passages, reads=None, limit=3, intent="", read=None, differing=(), encode=None):
    reads = reads or Reads()
    scored = score_candidates(question, passages, hits_of(passages), encode or FastEncoder().encode, reads, read)
    settings = AnsweringSettings(sentences=limit, least_support=0)
    return answer_line(QuoteOptions(question, reads.page, intent, differing, encode), scored, settings).answer.quotes


def test_a_quote_is_verbatim_with_its_place():
    (quote,) = quotes("How many seconds is a token valid?", passage(TEXT))
    assert quote.text == "A token is valid for 3600 seconds."
    place = quote.citation
    assert (place.start, place.end) == (100, 100 + len(quote.text))
    assert (place.document, place.source, place.version_id, place.page) == ("Handbook", "handbook.md", "v" * 64, 2)


def test_what_a_heading_denies_is_quoted_with_it():
    said = "Store bananas in the refrigerator."
    (quote,) = quotes("Where are bananas stored?", passage(said, headings=("Food", "Never do this")))
    assert (quote.told, quote.text, quote.kind) == ("Never do this", said, "sentence")
    (plain,) = quotes("Where are bananas stored?", passage(said, headings=("Never do this", "Food")))
    assert plain.told == ""


def test_one_line_suffices_where_one_thing_is_asked():
    assert len(quotes("How many seconds is a token valid?", passage(TEXT))) == 1
    assert len(quotes("How are tokens kept?", passage(TEXT), intent="procedure")) > 1
    assert len(quotes("How are tokens kept?", passage(TEXT), intent="procedure", limit=1)) == 1
    assert quotes("anything", limit=3) == ()


def test_the_same_words_are_quoted_once():
    twice = [passage(TEXT), passage(TEXT, rank=2, version="w" * 64), passage(TEXT.upper(), rank=3, version="x" * 64)]
    found = quotes("How many seconds is one token and another?", *twice, intent="comparison")
    assert len({" ".join(quote.text.split()).casefold() for quote in found}) == len(found)
    assert found[0].citation.version_id == "v" * 64, "of equals the more relevant passage is cited"


def test_the_short_answer_is_marked_inside_its_sentence():
    (quote,) = quotes("Where is the safe?", passage(TEXT), read=Marked("Delft"))
    assert quote.text.startswith("The office")
    assert quote.text[quote.short.start : quote.short.end] == "Delft"


def test_what_the_reader_marks_comes_first():
    for words in ("3600", "Nobody"):
        assert words in quotes("What is said of it?", passage(TEXT), read=Marked(words))[0].text


def test_a_line_that_leads_a_list_in_brings_the_list():
    starts = [LIST.index(mark) for mark in ("1.", "2.", "3.")]
    ends = [start + LIST[start:].index("\n") for start in starts]
    parts = tuple(Span(100 + start, 100 + end) for start, end in zip(starts, ends, strict=True))
    reads = Reads(Block(BlockKind.LIST, parts[0].start, parts[-1].end, parts=parts))
    for asked in ("How do I roll back?", "How is the service stopped?"):
        found = quotes(asked, passage(LIST), reads=reads, intent="procedure")
        assert "1. Stop the service.\n2. Put the old file back.\n3. Start the service again." in found[0].text
        assert len(found[0].text) <= LONGEST


def test_the_asked_cell_of_a_table_is_quoted_with_what_it_is_of():
    (quote,) = quotes("What was the availability of intake in Q3 2026?", passage(TABLE), reads=Reads(table()))
    assert (quote.text, quote.told, quote.kind) == ("99.92 %", "Availability of intake › Q3 2026", "cell")
    start = 100 + TABLE.index("99.92 %")
    assert (quote.citation.start, quote.citation.end) == (start, start + len("99.92 %"))


def test_a_row_is_quoted_whole_where_no_cell_is_told_unless_the_reader_marks_one():
    asked = "How available was the intake, availability?"
    (whole,) = quotes(asked, passage(TABLE), reads=Reads(table()))
    assert (whole.text, whole.told) == ("Availability of intake | 99.97 % | 99.92 %", "")
    (cell,) = quotes(asked, passage(TABLE), reads=Reads(table()), read=Marked("99.97 %"))
    assert (cell.text, cell.told) == ("99.97 %", "Availability of intake › Q2 2026")


def test_the_title_speaks_for_a_sentence_that_leaves_its_subject_out():
    named = passage("It lives for one whole hour.", rank=2, headings=["Access token lifetime"])
    other = passage("It lives for two whole hours.", rank=1, version="w" * 64, headings=["Opening times"])
    assert quotes("What is the access token lifetime?", other, named)[0].citation.version_id == "v" * 64


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_the_readers_order_does_not_matter(order):
    ranked = {1: passage(TEXT), 2: passage("Seconds are valid. Tokens are not valid.", rank=2, version="w" * 64)}
    found = quotes("Are tokens valid?", *[ranked[rank] for rank in order])
    assert found == quotes("Are tokens valid?", ranked[1], ranked[2])


WORDS_OF = st.lists(st.sampled_from("token valid second office delft safe keep otter".split()), min_size=2, max_size=8)
TEXTS = st.lists(WORDS_OF.map(lambda words: " ".join(words).capitalize() + "."), min_size=1, max_size=6).map(" ".join)


@given(st.lists(TEXTS, min_size=1, max_size=4), WORDS_OF.map(" ".join), st.sampled_from(["", "procedure"]))
def test_scores_stay_in_bounds_and_quotes_are_in_their_documents(texts, question, intent):
    passages = [passage(text, rank=rank, version=str(rank) * 64) for rank, text in enumerate(texts, 1)]
    by_version = {item.version_id: item for item in passages}
    found = quotes(question, *passages, intent=intent, read=Marked("otter", "safe"))
    assert len(found) <= 3
    assert all(before.score >= after.score for before, after in pairwise(found))
    for quote in found:
        holder = by_version[quote.citation.version_id]
        assert 0 <= quote.score <= 1
        assert holder.text[quote.citation.start - holder.start : quote.citation.end - holder.start] == quote.text
        assert quote.short is None or Span(0, len(quote.text)).contains(quote.short)


@pytest.mark.model
def test_a_question_in_a_script_without_spaces_is_answered(encoder):
    text = (
        "東京支社は港区にあります。東京支社の営業時間は午前九時から午後六時までです。"
        "大阪支社の営業時間は午前十時から午後五時までです。休日は土曜日と日曜日です。"
    )
    for asked, said in (
        ("東京支社の営業時間は?", "午前九時"),
        ("大阪支社の営業時間は?", "午前十時"),
        ("休日は何曜日?", "土曜"),
    ):
        quote = quotes(asked, passage(text), encode=encoder.encode)[0]
        assert said in quote.text
        assert quote.text.count("。") == 1


def test_sides_that_differ_are_quoted_together():
    one, other = (
        passage("A token is valid for 3600 seconds."),
        passage("A token lives for 900 seconds.", rank=2, version="w" * 64),
    )
    sides = [("v" * 64, Span(100, 134)), ("w" * 64, Span(100, 130))]
    found = quotes("How many seconds is a token valid?", one, other, differing=sides)
    assert [quote.citation.version_id[0] for quote in found] == ["v", "w"]


def test_another_number_in_another_document_is_quoted_too():
    def found(said, question="How much is the rent for half a plot?", marked="€29"):
        first = "The rent stays at €26 for half a plot until the committee of the garden decides."
        second = passage(said, rank=2, version="w" * 64, document="Minutes of 2026")
        return [quote.text for quote in quotes(question, passage(first), second, read=Marked("€26", marked))]

    newer = "The rent stays at €29 for half a plot until the committee of the garden decides."
    assert len(found(newer)) == 2, "nearly the same words, and yet not the same"
    assert len(found(newer.replace("€29", "€26"))) == 1
    assert len(found(newer.replace("€29", "29 days"), marked="29 days")) == 1, "of another unit"
    assert len(found(newer, "How much is the rent for half a plot in 2025?")) == 1, "it is not of that year"


@pytest.mark.model
def test_a_cell_is_found_by_what_its_headers_mean(encoder):
    rows = "Line | Q2 | Q3\nNet sales | 41 | 43\nResearch and development | 7 | 8\n"
    asked = "What was the revenue in the third quarter?"
    quote = quotes(asked, passage(rows), reads=Reads(table(rows)), encode=encoder.encode)[0]
    assert (quote.told, quote.text) == ("Net sales › Q3", "43")


@pytest.mark.model
def test_how_many_asks_for_no_column_of_all(encoder):
    rows = "City | Police force size | All\nChicago | 12120 | 0.875\nDetroit | 4500 | 0.37\n"
    quote = quotes("How many cops does Chicago have?", passage(rows), reads=Reads(table(rows)), encode=encoder.encode)[
        0
    ]
    assert "12120" in quote.text
