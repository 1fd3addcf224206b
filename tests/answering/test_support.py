"""Whether the library says: a probability that grows with the evidence, and a line that keeps silent below it."""

from __future__ import annotations

import math
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answering import Evidence, answer_line, evidence, rarity_of, sentences_of, support
from core.answering.support import RECOMMENDED, REREAD, log_odds
from core.errors import SettingsError
from core.retrieval.comparing import Listing
from core.settings.answering import AnsweringSettings
from core.types import Span
from tests.answering.support_worlds import passage
from tests.fast_encoder import FastEncoder

TEXT = "A token is valid for 3600 seconds. The office is in Delft."
SHARES = st.floats(0, 1)


class Reads:
    """A catalogue that counts what is read of it."""

    def __init__(self):
        self.count = 0

    def headings(self, version_id):
        self.count += 1
        return []

    def tables(self, version_id, start, end):
        self.count += 1
        return []

    def code(self, version_id, start, end):
        self.count += 1
        return []

    def rows(self, asked, passages, most):
        self.count += 1
        return Listing()

    def page(self, version_id, offset):
        self.count += 1

    def cut(self, version_id, place):
        return False

    def rarity(self, tokens):
        self.count += 1
        return dict.fromkeys(tokens, 1.0)


@given(st.builds(Evidence, SHARES, SHARES, SHARES, SHARES, SHARES), st.sampled_from(fields(Evidence)), SHARES)
def test_more_evidence_never_makes_an_answer_less_likely(found, field, value):
    more = replace(found, **{field.name: max(getattr(found, field.name), value)})
    assert 0 <= support(found).probability <= support(more).probability <= 1


def test_weak_evidence_is_not_enough_and_strong_is():
    weak = Evidence(similarity=0.25, gap=0.03, sentence=0.3, words=0.2, passage_words=0.3)
    strong = Evidence(similarity=0.7, gap=0.2, sentence=0.7, words=0.8, passage_words=1.0)
    assert AnsweringSettings().least_support == RECOMMENDED
    assert not support(weak, RECOMMENDED).enough
    assert support(weak, RECOMMENDED).sentence.startswith("The library does not say")
    assert support(strong, RECOMMENDED).enough
    assert support(weak).enough, "0 is off"


@given(st.builds(Evidence, SHARES, SHARES, SHARES, SHARES, SHARES), SHARES, SHARES)
def test_a_likelier_chunk_never_makes_an_answer_less_likely(found, one, other):
    low, high = sorted((one, other))
    assert 0 < support(found, likely=low).probability <= support(found, likely=high).probability < 1


def test_what_a_reranker_read_counts_beside_the_evidence():
    found = Evidence(similarity=0.5)
    made = support(found, likely=0.9)
    odds = REREAD.bias + REREAD.evidence * log_odds(found) + REREAD.reading * math.log(9)
    assert made.probability == pytest.approx(1 / (1 + math.exp(-odds)))
    assert support(found, likely=None) == support(found)
    assert REREAD.reading >= 0


def test_the_words_a_sentence_holds_count_by_their_rarity():
    items = sentences_of([passage(TEXT)], lambda version: [])
    question = "token lifetime"
    common = evidence(question, [], [], items, np.zeros(len(items)), {"token": 1.0, "lifetim": 9.0})
    rare = evidence(question, [], [], items, np.zeros(len(items)), {"token": 9.0, "lifetim": 1.0})
    assert common.words == pytest.approx(0.1)
    assert rare.words == pytest.approx(0.9)
    assert evidence(question, [], [], items, np.zeros(len(items))).words == pytest.approx(0.5)


def test_the_gap_is_to_the_tenth_best_in_any_order():
    similar = [0.1 * step for step in range(12)]
    found = evidence("token", similar[::-1], [], [], np.zeros(0))
    assert found == evidence("token", similar, [], [], np.zeros(0))
    assert (found.similarity, found.gap) == (pytest.approx(1.1), pytest.approx(0.9))


def test_a_word_nothing_holds_weighs_most():
    weights = rarity_of({"a": 50, "b": 1, "c": 0}, 100)
    assert 0 < weights["a"] < weights["b"] < weights["c"]


def line(question, settings, reads=None, encoder=None, similar=(0.2,)):
    return answer_line(
        question, [passage(TEXT)], similar, (encoder or FastEncoder()).encode, reads or Reads(), settings
    )


def test_the_line_is_silent_below_the_threshold_alone():
    asked = "zebra habitat and token"
    quiet = line(asked, AnsweringSettings(least_support=0.9))
    told = line(asked, AnsweringSettings(least_support=0))
    assert quiet.answer.quotes == ()
    assert not quiet.support.enough
    assert told.support.enough
    assert quiet.support.probability == told.support.probability


def test_the_line_quotes_what_is_supported():
    told = line("How many seconds is a token valid?", AnsweringSettings(sentences=1), similar=(0.8, 0.5))
    assert [quote.text for quote in told.answer.quotes] == ["A token is valid for 3600 seconds."]
    assert told.evidence.words == 0.75, 'all but "many"'


def test_a_line_that_is_off_reads_and_encodes_nothing():
    class Refusing:
        def encode(self, texts):
            raise AssertionError(texts)

    reads = Reads()
    off = line("token", AnsweringSettings(sentences=0, least_support=0.5), reads, Refusing())
    assert (off.answer.quotes, reads.count) == ((), 0)
    assert off.support.enough, "what is not asked is not denied"


@pytest.mark.parametrize(
    "values",
    [
        {"sentences": -1},
        {"least_support": 1.5},
        {"authority": ("a > ",)},
        {"authority": ("tokens:",)},
        {"sentences": 21},
    ],
)
def test_settings_are_checked(values):
    with pytest.raises(SettingsError, match="answering"):
        AnsweringSettings(**values)


def test_a_setting_that_is_not_read_is_not_told():
    off = AnsweringSettings(sentences=0, least_support=0.4)
    assert off.telling() == AnsweringSettings(sentences=0).telling()
    assert AnsweringSettings(least_support=0.4).telling() != AnsweringSettings().telling()


def test_spans_of_a_quote_lie_in_its_document():
    told = line("Where is the office in Delft?", AnsweringSettings())
    place = told.answer.quotes[0].citation
    assert Span(100, 100 + len(TEXT)).contains(Span(place.start, place.end))
