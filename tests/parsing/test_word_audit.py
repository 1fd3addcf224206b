"""The loss audit counts every word once, forgives what is no loss, and finds every loss that is one."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parsing.audit.word_audit import audit_words, words_of
from core.types import Attachment, Block, BlockKind, Cell, Document, Link, Span

WORDS = st.lists(st.sampled_from("a b ab ba bab c ca abc stra ße straße ﬁne fine 東京 1 12 2".split()), max_size=30)


def document(text: str, **more) -> Document:
    return Document("0" * 64, "text", "T", text, title_span=Span(0, 0), **more)


@given(WORDS, WORDS, st.dictionaries(st.sampled_from(["hidden", "deleted"]), WORDS), WORDS)
def test_every_word_goes_to_one_place(text, second, dropped, beside) -> None:
    audit = audit_words(
        document(" ".join(text), metadata={"subject": " ".join(beside)}), second, "a test", dropped=dropped
    )
    left_out = sum(count for _, count in audit.dropped)
    assert audit.words == len(words_of(" ".join(second)))
    assert audit.words == audit.in_text + audit.in_metadata + left_out + audit.missing
    assert min(audit.in_text, audit.in_metadata, audit.missing) >= 0
    assert all(count > 0 for _, count in audit.dropped)
    assert bool(audit.examples) is bool(audit.missing)
    assert set(audit.examples) <= set(words_of(" ".join(second)))
    # Joining and parting may only find more than counting does, and never more letters than the text has.
    exactly = (Counter(words_of(" ".join(second))) & Counter(words_of(" ".join(text)))).total()
    assert audit.in_text >= exactly


@given(WORDS, st.randoms())
def test_a_text_lacks_nothing_of_itself_in_any_order(words, random) -> None:
    shuffled = random.sample(words, len(words))
    audit = audit_words(document(" ".join(words)), shuffled, "a test")
    assert (audit.missing, audit.in_text) == (0, audit.words)


@given(st.lists(st.from_regex(r"[a-z]{4,9}", fullmatch=True), min_size=1, max_size=20, unique=True), st.data())
def test_a_word_cut_out_is_found_missing(words, data) -> None:
    place = data.draw(st.integers(0, len(words) - 1))
    rest = words[:place] + words[place + 1 :]
    neighbours = {a + b for a in words for b in words}
    if neighbours & set(words):
        return  # one word here is two others joined: no loss of its letters
    audit = audit_words(document(" ".join(rest)), words, "a test")
    assert (audit.missing, audit.examples) == (1, (words[place],))


@given(st.text(max_size=60))
def test_words_of_words_are_themselves(text) -> None:
    assert words_of(" ".join(words_of(text))) == words_of(text)


@pytest.mark.parametrize(
    ("text", "second"),
    [
        ("An example of hyphens.", ["An exam-", "ple of hyphens."]),
        ("An exam- ple of hyphens.", ["An example of hyphens."]),
        ("An example. 7 8", ["7 An exam-", "8 ple."]),
        ("The ﬁrst oﬃce", ["the first office"]),
        ("soft\u00adware", ["software"]),
        ("STRASSE", ["straße"]),
        ("東京都は広い", ["東京", "都は広い"]),
        ("twice twice", ["twice"]),
        ("co\u2011operate", ["co-operate"]),
    ],
)
def test_what_is_no_loss(text, second) -> None:
    audit = audit_words(document(text), second, "a test")
    assert (audit.missing, audit.in_text) == (0, audit.words)


def test_a_part_that_is_a_word_elsewhere_stays_counted() -> None:
    # "put" stands alone once and inside "input" once: both are there, and neither is there twice.
    assert audit_words(document("input put"), ["in-", "put", "put"], "a test").missing == 0
    audit = audit_words(document("input put"), ["in-", "put", "put", "put"], "a test")
    assert (audit.missing, audit.examples) == (1, ("put",))
    audit = audit_words(document("in put"), ["input", "in"], "a test")
    assert (audit.missing, audit.examples) == (1, ("input",))


def test_what_stands_beside_the_text_is_told_apart() -> None:
    text = "Total | 30%\n\nSee the site"
    whole = document(
        text,
        blocks=(
            Block(BlockKind.TABLE, 0, 11, cells=(Cell(0, 0, 0, 5, "Total"), Cell(0, 1, 8, 11, 0.3))),
            Block(BlockKind.PARAGRAPH, 13, 25),
        ),
        links=(Link(21, 25, "https://example.org/page"),),
        metadata={"author": "Ada"},
        notes=("Sheet Drafts is hidden.",),
        attachments=(Attachment("plan.pdf", b""),),
    )
    second = ["Total 0.3", "See the site https://example.org/page", "Ada", "Drafts", "plan.pdf", "secret", "lost lost"]
    audit = audit_words(whole, second, "a test", {"hidden": ["secret", "other"], "deleted": ["secret"]})
    assert audit.in_text == len("total see the site".split())
    assert audit.in_metadata == len("0 3 https example org page ada drafts plan pdf".split())
    assert audit.dropped == (("hidden", 1),)
    assert (audit.missing, audit.examples) == (2, ("lost",))


def test_a_text_in_a_cell_is_no_second_supply() -> None:
    whole = document("Total", blocks=(Block(BlockKind.TABLE, 0, 5, cells=(Cell(0, 0, 0, 5, "Total"),)),))
    assert audit_words(whole, ["Total Total"], "a test").missing == 1
