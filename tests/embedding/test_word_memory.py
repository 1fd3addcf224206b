"""Tokens put together from remembered words are those of the whole text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.pre_tokenizers import Whitespace

from core.embedding import WordPieceCounter, packaged, tokenizer
from core.embedding.tokenizer import WordMemory

DEFINITION = (packaged.model_directory() / "tokenizer.json").read_text(encoding="utf-8")
PIECES = ["word", "Words,", "un\u0301e", "\u0301", "語です", "[SEP]", "[SEP", "]", "x" * 120, "a\x0cb", "\x1c"]
PIECES += ["\u2028", "\u00a0", "👩\u200d👦", "각", "don't", "3.14", " ", "\n\n", "\t", "\r\n", "  "]
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=30).map("".join)


@pytest.fixture(scope="module")
def bare():
    tokenizer = Tokenizer.from_str(DEFINITION)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


REMEMBERING = WordPieceCounter.from_json(DEFINITION, "remembering")


@given(TEXTS, TEXTS)
def test_words_that_were_read_before_change_nothing(bare, before, text):
    REMEMBERING.count([before, text[:5]])
    whole = bare.encode(text, add_special_tokens=False)
    assert [tuple(span) for span in REMEMBERING.offsets(text).tolist()] == whole.offsets
    assert REMEMBERING.count([text, before]) == [len(whole), len(bare.encode(before, add_special_tokens=False))]


def test_a_full_memory_begins_anew(monkeypatch):
    monkeypatch.setattr(tokenizer, "_MOST_CACHED", 20)
    asked: list[str] = []

    def read(text: str) -> np.ndarray:
        asked.append(text)
        return np.array([(at, at + 1) for at, letter in enumerate(text) if letter != "\n"])

    memory = WordMemory(read)
    assert memory.count(["a bb", "a bb a"]) == [3, 4]
    assert memory.count(["bb", "ccc ddd eee"]) == [2, 9]
    assert memory.count(["bb"]) == [2]
    assert asked == ["a\nbb", "ccc\nddd\neee", "bb"]


def test_a_tokenizer_with_rules_of_its_own_reads_whole_texts():
    tokenizer = Tokenizer.from_str(DEFINITION)
    tokenizer.pre_tokenizer = Whitespace()
    counter = WordPieceCounter(tokenizer, "other")
    assert counter._words is None
    assert counter.offsets("two words").tolist() == [[0, 3], [4, 9]]
