"""Slips of spelling: read as the library writes the word, told, and taken back; all else stays as it was typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.cli import contract
from core.library import Incoming, Library
from core.search.question.spelling import Respelt, correct_spelling, is_word
from core.settings import Settings
from core.text.analysis import analyse
from tests.fast_encoder import FastEncoder

NOTE = """# Kitchen

The coffee machine is descaled every three months. Its warranty ends after two years.

The refrigerator stands on the first floor; gardening tools hang beside it.
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spelling")
    (folder / "kitchen.md").write_text(NOTE, encoding="utf-8")
    with Library.open(folder / "home", encoder=FastEncoder()) as library:
        library.ingest([Incoming("kitchen.md", path=folder / "kitchen.md")])
        yield library


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("when is the coffe machine descaled", "when is the coffee machine descaled"),
        ("how long is the waranty of the refridgerator", "how long is the warranty of the refrigerator"),
        ("Gardning tools", "gardening tools"),
        ("where is the flour", "where is the flour"),  # a word of its own, however near to "floor"
        ("who is Coffe?", "who is Coffe?"),  # a name
        ("`coffe` or waranty_end?", "`coffe` or waranty_end?"),
        ("zzyzxq", "zzyzxq"),
    ],
)
def test_a_slip_is_searched_as_the_library_writes_it(library, typed, read):
    understood = library.search(typed, Settings()).understood
    assert (understood.question, understood.text) == (typed, read)


def test_what_was_read_is_told_and_can_be_taken_back(library):
    typed = "when is the coffe machine descaled"
    (chip,) = library.search(typed, Settings()).understood.chips
    assert (chip.typed, chip.value) == ("coffe", "coffee")
    taken = library.search(typed, Settings(), ignored=frozenset({chip.key}))
    assert taken.understood.text == typed
    assert not taken.understood.chips
    told = contract.answer(library.search(typed, Settings()), {})["understood"]
    assert told == [{"kind": "spelling", "value": "coffee", "words": "read as: coffee", "filters": False}]


class Words:
    """A vocabulary of whole words."""

    def __init__(self, words: list[str]) -> None:
        self.by_token = {tokens[0]: word for word in words if len(tokens := analyse(word)) == 1}

    def holds(self, token):
        return token in self.by_token

    def beside(self, token):
        return dict.fromkeys(self.by_token, 1)

    def written(self, token):
        return self.by_token[token]


WORD = st.text("abcdefghij", min_size=1, max_size=12)


@given(st.lists(WORD, max_size=20), st.lists(WORD, max_size=6))
def test_what_the_library_holds_stays_and_what_is_read_is_of_the_library(held, asked):
    text, slips = correct_spelling(" ".join(asked), Words(held), is_word)
    assert len(text.split()) == len(asked)
    for typed, read in zip(asked, text.split(), strict=True):
        assert read == typed or (read in held and Respelt(typed, read) in slips and typed not in held)
    assert correct_spelling(text, Words(held), is_word) == (text, ())
