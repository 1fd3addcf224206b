"""Quotes: verbatim, cited where they stand, each text once, best first."""

from __future__ import annotations

import json
import unicodedata
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answering import choose_quotes, quote_scores, sentences_of
from core.answering.extractive import (
    ABOVE,
    AROUND,
    BESIDE,
    KIND,
    LEAST,
    LIT,
    LONGEST,
    MEANING,
    PASSAGES,
    RANK,
    SENTENCES,
    WORDS,
)
from core.answering.prose import is_prose
from core.types import Block, BlockKind, Span
from tests.answering.support_worlds import TABLE, passage, table
from tests.fast_encoder import FastEncoder

TEXT = (
    "A token is valid for 3600 seconds. The office is in Delft and has a blue safe. "
    "Nobody may keep a token longer than it is valid. Yes."
)


def no_headings(version_id: str) -> list[Span]:
    return []


def answer(question, passages, tables=None, **options):
    encoder = FastEncoder()
    sentences = sentences_of(passages, no_headings, *([tables] if tables else []))
    vectors = encoder.encode([question, *(item.reading for item in sentences)])
    return choose_quotes(question, vectors[0], sentences, vectors[1:], lambda version, offset: offset // 50, **options)


def test_a_quote_is_verbatim_with_its_place():
    quotes = answer("How many seconds is a token valid?", [passage(TEXT)]).quotes
    assert quotes[0].text == "A token is valid for 3600 seconds."
    place = quotes[0].citation
    assert (place.start, place.end) == (100, 100 + len(quotes[0].text))
    assert (place.document, place.source, place.version_id, place.page) == ("Handbook", "handbook.md", "v" * 64, 2)
    assert all(before.score >= after.score for before, after in pairwise(quotes))
    assert all(LEAST <= quote.score <= 1 for quote in quotes)


def test_nothing_that_supports_is_no_answer():
    assert answer("zebra xylophone", [passage(TEXT)]).quotes == ()
    assert answer("anything", []).quotes == ()
    assert answer("", [passage(TEXT)]).quotes == ()


def test_the_same_words_are_quoted_once():
    twice = [passage(TEXT), passage(TEXT, rank=2, version="w" * 64), passage(TEXT.upper(), rank=3, version="x" * 64)]
    quotes = answer("How many seconds is a token valid?", twice).quotes
    texts = [" ".join(quote.text.split()).casefold() for quote in quotes]
    assert len(texts) == len(set(texts))
    assert quotes[0].citation.version_id == "v" * 64, "of equals the more relevant passage is cited"


RAW = """The token expires in 3600 seconds, as `expires_in` says.

{
"expires_in": 3600,
"token_type": "Bearer", "message": "The token expires in 3600 seconds."
}

| Token | expires in seconds | 3600 |

token = client.post(expires_in=3600, seconds=True)

# The token expires in seconds, 3600 of them.

expires in seconds for token
"""


def test_only_what_was_said_is_quoted():
    shown = passage(RAW)
    plain = [quote.text for quote in answer("When does the token expire in seconds?", [shown], limit=9).quotes]
    first = "The token expires in 3600 seconds, as `expires_in` says."
    assert first in plain
    assert not [text for text in plain if set(text) & set('{}|="')]
    # In a listing that what is no whole comment is not quoted either; all of it still counts as evidence.
    listing = Span(100 + RAW.index("{"), 100 + len(RAW))
    items = sentences_of([shown], no_headings, code=lambda *place: [listing])
    said = [item.text for item in items if item.prose]
    assert said == [first, "# The token expires in seconds, 3600 of them."]
    assert len(items) == len(sentences_of([shown], no_headings)) > len(said)


def test_a_line_of_a_table_is_quoted_by_its_cells_alone():
    text = "Plan and its price in euros.\nRiver and sea cost 54 euros a month.\n"
    raw = Block(BlockKind.TABLE, 100 + text.index("River"), 100 + len(text) - 1)  # a table whose cells nobody read
    items = sentences_of([passage(text)], no_headings, lambda *place: [raw])
    assert [(item.text, item.prose) for item in items] == [
        ("Plan and its price in euros.", True),
        ("River and sea cost 54 euros a month.", False),
    ]


@given(st.lists(st.sampled_from("tea is free on Fridays a river gate opens".split()), min_size=4, max_size=20))
def test_words_are_prose_however_they_are_marked(found):
    said = " ".join(found).capitalize() + "."
    for text in (said, f"- {said}", f"> {said}", f"1. {said}", f"“{said}”", f"**{said}**", f"# {said}", f"// {said}"):
        assert is_prose(text)
        assert is_prose(text, in_code=True)
    fields = json.dumps({word: word for word in found})
    assert not is_prose(fields)
    assert not is_prose(f"| {' | '.join(found)} |")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("東京支社の営業時間は午前九時から午後六時までです。", True),
        ("访问令牌的有效期为3600秒，之后失效。", True),
        ("「受付」は九時に開きます。", True),
        ("東京", False),
        ("สำนักงานเปิดเวลาเก้าโมงเช้า", True),
        ("ฝน", False),
        ("कार्यालय सुबह नौ बजे खुलता है।", True),
        ("कार्यालय", False),
        ("اللغةُ العربيّةُ جميلةٌ جدًّا، نعم.", True),
        ("הַמִּשְׂרָד נִפְתָּח בְּתֵשַׁע.", True),
        (unicodedata.normalize("NFD", "Das Büro öffnet früh."), True),
        (unicodedata.normalize("NFD", "사무실은 아홉 시에 문을 엽니다."), True),
        ("می‌شود و نمی‌شود.", True),  # joiners stand within words
        ("¿Cuándo „abre“?", True),
        ("| 東京 | 九時 | 六時 |", False),
        ('"営業時間": "午前九時から"', False),
        ("受付 = 開く(九時) + 閉じる(六時)", False),
    ],
)
def test_words_of_every_script_are_words(text, said):
    assert is_prose(text) is said


def test_a_comment_of_a_script_without_capitals_is_whole_where_it_is_ended():
    for text in ("受付は九時に開きます。", "कार्यालय सुबह नौ बजे खुलता है।"):
        assert is_prose(f"# {text}", in_code=True)
        assert not is_prose(f"# {text[:-1]}", in_code=True)


@pytest.mark.model
def test_a_question_in_a_script_without_spaces_is_answered(encoder):
    text = (
        "東京支社は港区にあります。東京支社の営業時間は午前九時から午後六時までです。"
        "大阪支社の営業時間は午前十時から午後五時までです。休日は土曜日と日曜日です。"
    )
    sentences = sentences_of([passage(text)], no_headings)
    for asked, said in (
        ("東京支社の営業時間は?", "午前九時"),
        ("大阪支社の営業時間は?", "午前十時"),
        ("休日は何曜日?", "土曜"),
    ):
        vectors = encoder.encode([asked, *(item.reading for item in sentences)])
        quotes = choose_quotes(asked, vectors[0], sentences, vectors[1:], lambda version, offset: None).quotes
        assert said in quotes[0].text
        assert quotes[0].text in text
        assert quotes[0].text.count("。") == 1


@given(st.text(max_size=80))
def test_any_text_is_judged_and_more_strictly_in_a_listing(text):
    assert is_prose(text) or not is_prose(text, in_code=True)


def test_at_most_so_many():
    assert len(answer("token valid seconds office", [passage(TEXT)], limit=1).quotes) == 1
    assert answer("token valid seconds office", [passage(TEXT)], limit=0).quotes == ()


def test_sentences_of_children_come_first():
    late = passage(TEXT, children=[Span(100 + TEXT.index("Nobody"), 100 + len(TEXT))])
    texts = [item.text for item in sentences_of([late], no_headings)]
    assert texts[0].startswith("Nobody")
    assert "Yes." not in texts, "a sentence of one word supports nothing"


def test_the_cost_is_bounded():
    many = [passage("Short sentence number one stands here. " * 40, rank=rank) for rank in range(1, 20)]
    chosen = sentences_of(many, no_headings)
    assert len(chosen) == SENTENCES
    assert {item.passage.rank for item in chosen} <= set(range(1, PASSAGES + 1))
    endless = passage("word " * LONGEST)
    assert sentences_of([endless], no_headings) == []


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_the_readers_order_does_not_matter(order):
    ranked = {1: passage(TEXT), 2: passage("Seconds are valid. Tokens are not valid.", rank=2, version="w" * 64)}
    found = answer("Are tokens valid?", [ranked[rank] for rank in order])
    assert found == answer("Are tokens valid?", [ranked[1], ranked[2]])


def test_similarity_below_nothing_counts_as_nothing():
    sentences = sentences_of([passage(TEXT)], no_headings)
    query = np.array([1.0, 0.0], np.float32)
    vectors = np.tile(np.array([-1.0, 0.0], np.float32), (len(sentences), 1))
    scores = quote_scores("token valid 3600 second", query, sentences, vectors)
    assert scores[0] == pytest.approx(WORDS + AROUND + RANK + LIT), (
        "all words, in the best passage's child; no likeness"
    )


def test_a_heading_is_no_answer_and_what_follows_it_is():
    text = "## Access token lifetime\n\nAn access token lives 3600 seconds."
    shown = passage(text, start=0)
    quoted = [item.text for item in sentences_of([shown], lambda version_id: [Span(0, 24)])]
    assert quoted == ["An access token lives 3600 seconds."]


def test_the_weights_are_shares_of_one():
    assert pytest.approx(1.0) == MEANING + WORDS + AROUND + ABOVE + BESIDE + RANK + LIT


def test_the_title_speaks_for_a_sentence_that_leaves_its_subject_out():
    named = passage("It lives for one whole hour.", headings=["Access token lifetime"])
    other = passage("It lives for two whole hours.", rank=1, version="w" * 64, headings=["Opening times"])
    quotes = answer("What is the access token lifetime?", [other, named]).quotes
    assert quotes[0].citation.version_id == "v" * 64


def test_what_holds_the_kind_of_thing_asked_for_comes_first():
    items = sentences_of([passage("Gateways are counted by Ada. Gateways are 42 by count.")], no_headings)
    vectors = np.tile(np.array([1.0, 0.0], np.float32), (2, 1))
    plain = quote_scores("gateways", np.array([1.0, 0.0], np.float32), items, vectors)
    asked = quote_scores("gateways", np.array([1.0, 0.0], np.float32), items, vectors, "number")
    assert asked[1] - plain[1] == pytest.approx(KIND)
    assert asked[0] == pytest.approx(plain[0])


def test_the_asked_cell_of_a_table_is_quoted_with_its_place():
    shown = passage(TABLE)
    quotes = answer("What was the availability of intake in Q3 2026?", [shown], lambda *place: [table()]).quotes
    assert quotes[0].text == "99.92 %"
    assert quotes[0].told == "Availability of intake › Q3 2026"
    start = 100 + TABLE.index("99.92 %")
    assert (quotes[0].citation.start, quotes[0].citation.end) == (start, start + len("99.92 %"))


def test_a_row_is_quoted_whole_where_no_cell_is_told():
    quotes = answer("How available was the intake, availability?", [passage(TABLE)], lambda *place: [table()]).quotes
    assert quotes[0].text == "Availability of intake | 99.97 % | 99.92 %"
    assert quotes[0].told == ""


def test_a_row_is_quoted_whole_where_two_things_are_asked():
    asked = "What was the availability of intake in Q3 2026, and what was it before?"
    quotes = answer(asked, [passage(TABLE)], lambda *place: [table()]).quotes
    assert quotes[0].text == "Availability of intake | 99.97 % | 99.92 %"


def test_rows_are_read_with_their_headers_and_not_again_as_lines():
    items = sentences_of([passage(TABLE)], no_headings, lambda *place: [table()])
    assert [item.reading for item in items] == [
        "Figure: Availability of intake; Q2 2026: 99.97 %; Q3 2026: 99.92 %",
        "Figure: Alerts sent; Q2 2026: 1,200; Q3 2026: 1,340",
    ]


def test_a_row_cut_off_by_the_passage_is_no_row():
    cut = passage(TABLE[: TABLE.index("1,340") + 2])
    items = sentences_of([cut], no_headings, lambda *place: [table()])
    assert [item.row is not None for item in items] == [True]


@pytest.mark.parametrize(
    "asked", ["How long is a token valid?", "- *How long is a token valid?*", '"Is a token valid?"']
)
def test_a_sentence_that_asks_is_evidence_and_no_quote(asked):
    items = sentences_of([passage(f"{asked}\n\n{TEXT}")], no_headings)
    assert [item.prose for item in items[:2]] == [False, True]
    found = answer("How long is a token valid?", [passage(f"{asked}\n\n{TEXT}")])
    assert found.quotes[0].text.startswith("A token is valid")
    assert not any("?" in quote.text for quote in found.quotes)


def test_half_a_sentence_is_evidence_and_no_quote():
    text = (
        "The wall is raised. A token is valid for 3600 seconds unless it is withdrawn before. The office is in Delft."
    )
    half = passage(text[: text.index(" unless")])
    items = sentences_of([half], no_headings, cut=lambda version, place: place == half.end)
    assert [(item.text, item.prose) for item in items] == [
        ("The wall is raised.", True),
        ("A token is valid for 3600 seconds", False),
    ]
    late = passage(text[text.index("3600") :])
    items = sentences_of([late], no_headings, cut=lambda version, place: place == late.start)
    assert [item.prose for item in items] == [False, True]


WORDS_OF = st.lists(st.sampled_from("token valid second office delft safe keep otter".split()), min_size=2, max_size=8)
TEXTS = st.lists(WORDS_OF.map(lambda words: " ".join(words).capitalize() + "."), min_size=1, max_size=6).map(" ".join)


@given(st.lists(TEXTS, min_size=1, max_size=4), WORDS_OF.map(" ".join))
def test_scores_stay_in_bounds_and_quotes_are_in_their_documents(texts, question):
    passages = [passage(text, rank=rank, version=str(rank) * 64) for rank, text in enumerate(texts, 1)]
    by_version = {item.version_id: item for item in passages}
    quotes = answer(question, passages).quotes
    assert len(quotes) <= 3
    for quote in quotes:
        holder = by_version[quote.citation.version_id]
        assert LEAST <= quote.score <= 1
        assert holder.text[quote.citation.start - holder.start : quote.citation.end - holder.start] == quote.text
