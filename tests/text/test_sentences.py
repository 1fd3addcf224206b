"""Sentences in several languages, their hard cases as tables, and the laws of their spans."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.sentences import is_wrapped, sentence_spans

UNSPACED = ("Chinese", "Japanese")
LANGUAGES = (Path(__file__).parent / "hard_sentences.tsv").read_text(encoding="utf-8").split("# ")[1:]
CASES = {part.split("\n")[0]: [line.split("\t") for line in part.strip().split("\n")[1:]] for part in LANGUAGES}


def sentences(text):
    return [text[span.start : span.end] for span in sentence_spans(text)]


@pytest.mark.parametrize("language", list(CASES))
def test_hard_sentences_of_a_language(language):
    between = "" if language in UNSPACED else " "
    cases = CASES[language]
    assert [sentences(between.join(expected)) for expected in cases] == cases


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No stop\n\nbut a blank line", ["No stop", "but a blank line"]),
        ("first\n- one\n- two\n1. three", ["first", "- one", "- two", "1. three"]),
        ("Name: Ada\nBorn: 1815", ["Name: Ada", "Born: 1815"]),
        (
            "From: Acme Inc. <a@acme.org>\nTo: Lee, A. B. <b@b.org>",
            ["From: Acme Inc. <a@acme.org>", "To: Lee, A. B. <b@b.org>"],
        ),
        (
            "This prose is wrapped at a margin, and its line\nbreaks therefore mean nothing at all to\nanyone. Next.",
            [
                "This prose is wrapped at a margin, and its line\nbreaks therefore mean nothing at all to\nanyone.",
                "Next.",
            ],
        ),
        ("one\u2029two", ["one", "two"]),
        ("", []),
        (" \n ", []),
        ("...", ["..."]),
    ],
)
def test_lines(text, expected):
    assert sentences(text) == expected


@pytest.mark.parametrize(
    "expected",
    [
        # Headings, numbered clauses, lists and dialogue stand on lines of their own.
        [
            "1 Definitions",
            "1.1 The Lessee is Acme Inc.",
            "1.2 The Lessor is Dr. Poe.",
            "(a) He owns it.",
            "(b) She rents.",
        ],
        ["§ 1 Mietzins", "(1) Der Mieter zahlt.", "(2) Fällig ist er am 3. Werktag.", "Artikel 3", "a) Fristen"],
        ["Article 3", "3.1 Le preneur paie.", "3.2 Le bailleur attend.", "a) les charges;", "b) les impôts."],
        ["Cláusula 3", "3.1 El arrendatario paga.", "3.2 El arrendador espera.", "a) los gastos;", "b) la luz."],
        ["Статья 3", "3.1 Арендатор платит.", "3.2 Арендодатель ждёт.", "а) расходы;", "б) налоги."],
        ["— Кто там?", "— Это я.", "— Входи."],
        ["– ¿Quién es?", "– Soy yo.", "– Pasa."],
        ["Before you start:", "• Save your work.", "• Close the lid.", "Then go on."],
        ["Ada: Is it on?", "Bob: yes, it is.", "ada: good."],
        ["## Install it", "Run `pip install x.y`.", "## Use it", "Call f(x)."],
    ],
    ids=lambda case: case[0],
)
def test_sentences_on_lines_of_their_own(expected):
    assert sentences("\n".join(expected)) == expected


def test_text_without_capitals():
    text = "we sold the notes on march 3, 2017. they fell to 4.5 million. see no. 7 for more. that is all. " * 3
    assert sentences(text)[:4] == [
        "we sold the notes on march 3, 2017.",
        "they fell to 4.5 million.",
        "see no. 7 for more.",
        "that is all.",
    ]


def test_wrapped_prose_is_told_from_lines():
    assert is_wrapped("of lines that are all about as long\nas the margin lets them be, until the\nlast.", 0, 78)
    assert not is_wrapped("short\nlines\nof a poem", 0, 22)
    assert not is_wrapped("x" * 500 + "\n" + "y" * 480, 0, 981)


PIECES = st.sampled_from(
    ["Dr.", "a", "B.", "end.", "Next", "?!", "。", "\n", "\n\n", " ", "\t", "(x.)", "”", "3.", "- ", "\x85"]
)


@given(st.lists(PIECES | st.text(max_size=5), max_size=40).map("".join), st.data())
def test_sentences_tile_their_span(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    position = start
    for span in sentence_spans(text, start, end):
        assert position <= span.start < span.end <= end
        assert not text[position : span.start].strip()
        assert text[span.start : span.end] == text[span.start : span.end].strip()
        position = span.end
    assert not text[position:end].strip()


@pytest.mark.parametrize(
    "unit", ["a ", "A. ", ". ", "a\n", "\n", " ", "!", "。", "“", "x.", "[1]", "a\n \n", "Dr. ", "a ! "]
)
def test_long_monotonous_texts_are_tiled(unit):
    # 200,000 characters: anything quadratic would hold up the whole suite here.
    text = unit * (200_000 // len(unit))
    spans = sentence_spans(text)
    kept = "".join(text[span.start : span.end] for span in spans)
    assert "".join(kept.split()) == "".join(text.split())
