"""Sentences in several languages, their hard cases as tables, and the laws of their spans."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.sentences import is_wrapped, sentence_spans

CASES = {
    "English": [
        ["Dr. Smith met Mrs. Jones.", "They spoke."],
        ["It costs 3.50 dollars.", "That is 4.5 % more."],
        ["See Fig. 3 and No. 7.", "Then stop."],
        ["He said no.", "She left."],
        ["He works in the U.S. Army.", "The U.S.", "The end."],
        ["We came at 5 p.m. on Monday.", "It rained."],
        ["Fruit (e.g. apples, pears, etc.) is good.", "Eat it."],
        ["Bring pens, paper, etc.", "The rest is here."],
        ["J. K. Rowling and George R. R. Martin write.", "You read."],
        ["Smith et al. (2003) found it.", "It was new."],
        ["“Stop!” he cried.", "“Why?”", "She ran."],
        ['"Is it true?" she asked.', "It is."],
        ["(It was late.)", "We left."],
        ["Wait... what?", "Well...", "No!"],
        ["It works.[12]", "It does not. [3] [4]", "By contrast, this does."],
        ["Version 2.0.1 is out.", "Get it at example.org/a.b."],
        ["Really?!", "Yes!!", "OK."],
        ["The value p < .05 is small.", "So be it."],
        ["She is taller than I.", "We are not."],
        ["1. Open the door.", "2. Walk in."],
        ["Acme Inc. makes anvils.", "Acme Corp. of Ohio does too."],
        ["He was born in 1990.", "She was not."],
        ["**Bold ends here.**", "*Next* one."],
    ],
    "German": [
        ["Am 3. März kam Dr. Müller.", "Es war kalt."],
        ["Das gilt z. B. für Hunde, d. h. für alle.", "Gut."],
        ["Siehe Abb. 4 und Nr. 5.", "Danach ist Schluss."],
        ["Er sagte: „Komm!“", "Sie kam."],
        ["Im 19. Jahrhundert war das üblich.", "Heute nicht."],
        ["Es kostet ca. 30 Euro bzw. 40 Franken.", "Teuer!"],
    ],
    "French": [
        ["Il a dit : « Viens ! »", "Puis il partit."],
        ["Où vas-tu ?", "Je reste."],
        ["M. Dupont habite p. ex. à Lyon.", "Mme Durand aussi."],
    ],
    "Spanish": [
        ["¿Qué pasa?", "¡Nada!", "El Sr. López vive aquí.", "Fin."],
        ["La Dra. Ruiz llegó a las 5.", "Luego se fue."],
    ],
    "Russian": [
        ["Он родился в 1990 г. в Москве.", "Там холодно."],
        ["Яблоки, груши и т. д.", "Всё, т. е. конец."],
        ["А. С. Пушкин писал стихи.", "Мы читаем."],
    ],
    "Hindi": [["यह एक वाक्य है।", "यह दूसरा है।"]],
    "Arabic": [["هل هذا صحيح؟", "نعم."]],
}
UNSPACED = [
    ["他说：“你好。”", "然后走了。", "真的吗？", "是的！"],
    ["今日は晴れです。", "明日は「雨でしょう。」", "傘を持ってください！"],
]


def sentences(text):
    return [text[span.start : span.end] for span in sentence_spans(text)]


@pytest.mark.parametrize(
    "expected", [case for cases in CASES.values() for case in cases], ids=lambda case: case[0][:30]
)
def test_languages(expected):
    assert sentences(" ".join(expected)) == expected


@pytest.mark.parametrize("expected", UNSPACED)
def test_languages_without_spaces(expected):
    assert sentences("".join(expected)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No stop\n\nbut a blank line", ["No stop", "but a blank line"]),
        ("first\n- one\n- two\n1. three", ["first", "- one", "- two", "1. three"]),
        ("Name: Ada\nBorn: 1815", ["Name: Ada", "Born: 1815"]),
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
