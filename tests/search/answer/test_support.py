"""Whether the library says: a probability that grows with the evidence, and a line that keeps silent below it."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import SettingsError
from core.search.answer.candidates import quotables
from core.search.answer.choosing import QuoteOptions
from core.search.answer.line import answer_line, no_line, score_candidates
from core.search.answer.scoring import Mark, mark_in_context, mark_lines, scores
from core.search.answer.support import UNREAD, UNREAD_WORTH, Evidence, evidence, support, unmatched_terms
from core.settings.context import AnsweringSettings
from core.types import Span
from tests.fast_encoder import FastEncoder
from tests.search.answer.support_worlds import Reads, hits_of, passage

TEXT = "A token is valid for 3600 seconds. The office is in Delft."
SHARES = st.floats(0, 1)
GRADED = [field for field in fields(Evidence) if field.name != "other_letters"]
EVIDENCE = st.builds(Evidence, *[SHARES] * len(GRADED), st.sampled_from([0.0, 1.0]))


@given(EVIDENCE, st.sampled_from(GRADED), SHARES)
def test_more_evidence_never_makes_an_answer_less_likely(found, field, value):
    more = replace(found, **{field.name: max(getattr(found, field.name), value)})
    assert 0 <= support(found).probability <= support(more).probability <= 1


def test_weak_evidence_is_not_enough_and_strong_is():
    weak = Evidence(sentence=0.3, words=0.2, passage_words=0.3)
    strong = Evidence(sentence=0.7, words=0.8, passage_words=1.0, marked=0.8, named=1.0)
    usual = AnsweringSettings().least_support
    assert not support(weak, usual).enough
    assert support(weak, usual).sentence.startswith("The library does not say")
    assert not support(weak, usual).unsure
    near = support(weak, 1.5 * support(weak).probability)
    assert (near.enough, near.unsure) == (False, True)
    assert near.sentence.startswith("Perhaps the library does not say: ")
    assert support(strong, usual).enough
    assert support(weak).enough, "0 is off"


@given(EVIDENCE, SHARES, SHARES)
def test_a_likelier_chunk_never_makes_an_answer_less_likely(found, one, other):
    low, high = sorted((one, other))
    assert 0 < support(found, likely=low).probability <= support(found, likely=high).probability < 1


def test_the_words_a_sentence_holds_count_by_their_rarity():
    items = quotables([passage(TEXT)], hits_of([passage(TEXT)]), Reads())
    question = "token lifetime"
    common = evidence(question, [], items, np.zeros(len(items)), None, {"token": 1.0, "lifetim": 9.0})
    rare = evidence(question, [], items, np.zeros(len(items)), None, {"token": 9.0, "lifetim": 1.0})
    assert common.words == pytest.approx(0.1)
    assert rare.words == pytest.approx(0.9)
    assert evidence(question, [], items, np.zeros(len(items))).words == pytest.approx(0.5)


def test_inflected_words_of_a_question_count_in_its_language():
    shown = [passage("Die Verträge der Stadt enden im Dezember.")]
    items = quotables(shown, hits_of(shown), Reads())
    asked = "Wann endet der Vertrag der Städte?"
    german = evidence(asked, shown, items, np.zeros(len(items)), language="german", best=0)
    english = evidence(asked, shown, items, np.zeros(len(items)), best=0)
    assert german.named == 1 > english.named
    assert german.foreign == 1 > english.foreign
    assert support(german).probability > support(english).probability
    assert unmatched_terms(asked, shown, (), "german") == ""
    assert unmatched_terms("wann endeten sie?", [], ["endeten"], "german") == "", "the library has another form of it"
    assert unmatched_terms(asked, shown)


def test_the_language_of_a_question_is_one_of_the_librarys():
    shown = [passage("Die Verträge der Stadt enden im Dezember.")]
    asked, encoder = "Wann endet der Vertrag der Städte?", FastEncoder()
    scored = score_candidates(asked, shown, hits_of(shown), encoder.encode, Reads())
    assert scored.evidence.foreign == 1
    assert not scored.missing


def test_what_the_reader_gives_is_taken_from_0_to_1():
    items = quotables([passage(TEXT)], hits_of([passage(TEXT)]), Reads())
    found = evidence("token", [], items, np.zeros(2), Mark(5.0, items[0].span, -5.0), best=0)
    assert (found.marked, found.worth) == (pytest.approx(0.75), pytest.approx(0.25))
    unread = evidence("token", [], items, np.zeros(2))
    assert (unread.marked, unread.worth) == (UNREAD, UNREAD_WORTH)


def test_a_question_in_other_letters_is_answered_by_its_words_alone():
    shown = [passage("Он написал роман. Лев Толстой родился в 1828 году.")]
    asked, encoder = "Когда родился Лев Толстой?", FastEncoder()
    scored = score_candidates(asked, shown, hits_of(shown), encoder.encode, Reads(), counting)
    best = scored.candidates[int(scores(scored.signals, scored.latin).argmax())]
    assert best.text == "Лев Толстой родился в 1828 году."
    assert not any(scored.marks), "the reader never learned such letters"
    found = support(scored.evidence, 0.4)
    assert found.enough
    assert found == support(scored.evidence, 0.4, likely=0.01) == support(replace(scored.evidence, worth=0.0), 0.4)
    other = evidence("Когда родился Антон Чехов?", shown, scored.candidates, np.zeros(2), best=0, other_letters=True)
    assert not support(other, 0.4).enough
    able = score_candidates(asked, shown, hits_of(shown), encoder.encode, Reads(), counting, multilingual=True)
    assert any(able.marks), "another encoder may know them, so all witnesses are heard"
    assert not able.evidence.other_letters


@dataclass(frozen=True)
class Measured:
    """Marks the first character of what is looked at, and gives it more the longer the whole is."""

    worth: int

    def best(self, start=0, end=None):
        return Found(start, start + 1, self.worth)


@dataclass(frozen=True)
class Found:
    start: int
    end: int
    score: int


def counting(question, texts, above):
    return [Measured(len(text)) for text in texts]


def test_a_line_is_read_by_itself_and_the_best_one_amid_what_stands_around_it():
    alone, beside = passage(TEXT), passage(f"{TEXT} Something else stands there too.")
    both = [quotables([one], hits_of([one]), Reads()) for one in (alone, beside)]
    marks = [mark_lines("token", items, np.zeros(len(items)), counting) for items in both]
    assert marks[1][: len(marks[0])] == marks[0]
    for items, found in zip(both, marks, strict=True):
        assert [mark.score for mark in found] == [item.span.length for item in items]
        amid = mark_in_context("token", items, found, 1, counting)
        assert amid.worth == items[-1].span.end - items[0].span.start
        assert items[1].span.contains(amid.span)
    assert mark_in_context("token", both[0], [None, None], 1, None) is None
    assert mark_lines("token", both[0], np.zeros(len(both[0])), None) == [None] * len(both[0])


def line(question, settings):
    shown, reads = [passage(TEXT)], Reads()
    scored = score_candidates(question, shown, hits_of(shown), FastEncoder().encode, reads)
    return answer_line(QuoteOptions(question, reads.page), scored, settings)


def test_the_line_is_silent_below_the_threshold_alone():
    asked = "zebra habitat and token"
    quiet = line(asked, AnsweringSettings(least_support=0.9))
    told = line(asked, AnsweringSettings(least_support=0))
    assert quiet.answer.quotes == ()
    assert not quiet.support.enough
    assert told.support.enough
    assert quiet.support.probability == told.support.probability


def test_the_line_quotes_what_is_supported():
    told = line("How many seconds is a token valid?", AnsweringSettings(sentences=1))
    assert [quote.text for quote in told.answer.quotes] == ["A token is valid for 3600 seconds."]
    assert told.evidence.words == 0.75, 'all but "many"'


def test_what_is_not_asked_is_not_denied():
    off = no_line()
    assert off.answer.quotes == ()
    assert off.support.enough


@pytest.mark.parametrize(
    "values",
    [
        {"sentences": -1},
        {"least_support": 1.5},
        {"sentences": 21},
    ],
)
def test_settings_are_checked(values):
    with pytest.raises(SettingsError, match="answering"):
        AnsweringSettings(**values)


def test_spans_of_a_quote_lie_in_its_document():
    told = line("Where is the office in Delft?", AnsweringSettings())
    place = told.answer.quotes[0].citation
    assert Span(100, 100 + len(TEXT)).contains(Span(place.start, place.end))


def test_what_nothing_names_is_told_and_counts():
    asked = "Who sold the token in Leiden in 1999?"
    missing = unmatched_terms(asked, [passage(TEXT)], ["sold"])
    assert missing == "nothing that was found mentions “Leiden” or “1999”"
    assert missing in support(Evidence(), 0.9, None, missing).sentence
    other = "Who sold the timeout of a token?"
    assert unmatched_terms(other, [passage(TEXT)], ["timeout"]) == "the word “timeout” is nowhere in the library"
    titled = replace(passage(TEXT), source="2024-timeout-CSD.pdf")
    assert unmatched_terms(other, [titled], ["timeout"]) == "", "a name of a file is no leaf"
    assert unmatched_terms("What says the CSD?", [titled]) == ""
    found = evidence(asked, [passage(TEXT)], [], np.zeros(0))
    assert found.named == 0
    assert evidence("Who sold it in Delft?", [passage(TEXT)], [], np.zeros(0)).named == 1


def test_what_is_named_must_be_said_where_the_best_line_stands():
    shown = [passage(TEXT), passage("In 1999 it was sold.", rank=2, version="w" * 64)]
    items = quotables(shown, hits_of(shown), Reads())
    asked, meaning = "Is a token valid in 1999?", np.zeros(len(items))
    assert evidence(asked, shown, items, meaning, best=0).named == 0
    assert evidence(asked, shown, items, meaning, best=len(items) - 1).named == 1
