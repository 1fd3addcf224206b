"""The lexical analysis: what a person types finds what a document says."""

from __future__ import annotations

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.analysis import STOP_WORDS, analyse, stem


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("user name", "getUserName()"),
        ("getusername", "getUserName()"),
        ("userName", "user_name = 3"),
        ("e1042", "error E-1042 appeared"),
        ("E-1042", "code e1042"),
        ("2500", "2,500 events"),
        ("naive", "a naïve reader"),
        ("running", "it runs"),
        ("covid 19", "COVID-19"),
        ("std vector", "std::vector<int>"),
        ("US", "the U.S. market"),
        ("京都", "東京都"),
        ("STRASSE", "Straße"),
    ],
)
def test_a_question_finds_the_document(question, document):
    assert set(analyse(question)) & set(analyse(document))


def test_versions_with_the_point_elsewhere_differ():
    assert analyse("2.10") != analyse("21.0")


@given(st.text())
def test_tokens_hold_letters_and_digits_only_and_no_capitals(text):
    for token in analyse(text):
        assert re.fullmatch(r"[^\W_]+", token)
        assert token == token.casefold() or not token.isascii()


@given(st.text(), st.text())
def test_analysis_of_lines_is_the_analysis_of_each(first, second):
    assert analyse(f"{first}\n{second}") == analyse(first) + analyse(second)


def test_function_words_are_dropped():
    assert analyse("what is the of") == []
    assert "not" in STOP_WORDS


def test_threads_that_stem_at_once_do_not_mix_their_words():
    words = ["".join(letters) + "ational" for letters in product("bcdfgl", "aeiou", "nrst")]
    alone = {word: stem(word) for word in words}
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(lambda order: {word: stem(word) for word in order}, [words, words[::-1]] * 2))
    finally:
        sys.setswitchinterval(interval)
    assert together == [alone] * 4


def test_a_megabyte_without_a_blank_is_analysed_in_one_go():
    assert len(analyse("a1" * 500_000)) == 1
