"""Pieces to canonical text, and the parser that runs readers in a worker."""

from __future__ import annotations

import json
import traceback
from email.message import EmailMessage
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import CancelledError, ParseError, WorkerError
from core.parsing import flow_parser, parse
from core.parsing.flow import Item, ParsedFile, Piece, TableCell, Words, compose, tidy
from core.parsing.flow_parser import FlowParser
from core.parsing.sandbox.sandbox import WorkerPool, failure
from core.plain_values import from_values, to_values
from core.settings import ParsingSettings
from core.types import BlockKind, Document
from tests.parsing.laws import assert_laws

SLOW = b"<p>x <a href=y>b</a> <i>c</i>" * 400_000  # several seconds of any machine's time
TEXT = st.text(alphabet="ab |\n\t\r\0\x85\u2028\xa0\u200b\ufeffé😀", max_size=12)


@st.composite
def words(draw: st.DrawFn) -> Words:
    text = draw(TEXT)
    ends = sorted(draw(st.lists(st.integers(0, len(text)), max_size=4)))
    pairs = zip(ends[::2], ends[1::2], strict=False)
    return Words(text, tuple((start, end, "x:y") for start, end in pairs if start < end))


CELLS = st.builds(TableCell, words(), st.sampled_from(["auto", 1, None, "a"]), st.booleans())
PIECES = st.one_of(
    st.builds(
        Piece, st.sampled_from([kind for kind in BlockKind if kind not in (BlockKind.LIST, BlockKind.TABLE)]), words(),
        st.integers(0, 9),
    ),
    st.builds(
        lambda items: Piece(BlockKind.LIST, items=tuple(items)),
        st.lists(st.builds(Item, words(), st.sampled_from(["-", "2.", ""]), st.integers(0, 20)), min_size=1),
    ),
    st.builds(
        lambda rows, heads: Piece(BlockKind.TABLE, rows=tuple(map(tuple, rows)), header_rows=min(heads, len(rows))),
        st.lists(st.lists(CELLS, max_size=3), max_size=4),
        st.integers(0, 4),
    ),
)  # fmt: skip


@given(st.lists(PIECES, max_size=8))
def test_whatever_pieces_hold_the_laws_are_kept(pieces: list[Piece]) -> None:
    flow = compose(pieces)
    assert_laws(Document("0", "html", "T", flow.text, tuple(flow.blocks), links=tuple(flow.links)))
    kinds = [block.kind for block in flow.blocks]
    assert kinds == sorted(kinds, key=lambda kind: kind is BlockKind.FURNITURE)


@given(st.lists(PIECES, max_size=4))
def test_pieces_survive_the_pipe(pieces: list[Piece]) -> None:
    reading = ParsedFile(tuple(pieces), "T", {"author": "A"}, ("note",))
    assert from_values(ParsedFile, json.loads(json.dumps(to_values(reading)))) == reading


@given(words())
def test_tidying_twice_changes_nothing(given_words: Words) -> None:
    once = tidy(given_words)
    assert tidy(once) == once
    assert "".join(once.text.split()) == "".join(
        char for char in "".join(given_words.text.split()) if char not in "\0\u200b\ufeff"
    )


def test_time_and_memory_have_limits() -> None:
    with pytest.raises(WorkerError, match=r"slow\.html could not be read: it was not read within 1 seconds"):
        FlowParser("html", ParsingSettings(timeout_seconds=1)).parse(SLOW, "slow.html")
    with pytest.raises(WorkerError, match=r"slow\.html needs more than 256 MB of memory"):
        FlowParser("html", ParsingSettings(memory_megabytes=256)).parse(b"word " * 20_000_000, "slow.html")


def test_writing_down_what_was_read_can_be_stopped_and_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.cancellation._INTERVAL_SECONDS", 0.0)

    def stop(*_: object) -> None:
        if "compose" in {frame.name for frame in traceback.extract_stack()}:
            raise CancelledError("stop")

    rows = b"a,b\n1,2\n" * 20
    with pytest.raises(CancelledError):
        FlowParser("csv", ParsingSettings()).parse(rows, "a.csv", stop)
    monkeypatch.setattr(flow_parser, "monotonic", count(0, 400).__next__)
    with pytest.raises(WorkerError, match=r"a\.csv could not be read: it was not read within 600 seconds. Split"):
        FlowParser("csv", ParsingSettings()).parse(rows, "a.csv")


def test_attachments_come_along_whole() -> None:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@example.org", "b@example.org", "Ducks"
    message.set_content("See the files.")
    files = {"large.bin": bytes(range(256)) * 40_000, "empty.bin": b"", "Ente ä.txt": "Ä".encode()}
    for name, data in files.items():
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    found = parse(message.as_bytes(), "mail.eml", ParsingSettings())
    assert {attachment.name: attachment.data for attachment in found.attachments} == files


def test_what_the_second_reading_did_not_finish_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = WorkerPool("tests.parsing.halting_flow_worker")
    monkeypatch.setattr(flow_parser, "pool", lambda: pool)
    found = FlowParser("html", ParsingSettings(timeout_seconds=2)).parse(b"<p>read", "a.html")
    assert found.text == "read"
    assert found.words is None
    assert found.notes == ("The second reading, which tells of lost words, did not finish.",)
    with pytest.raises(WorkerError, match=r"a\.csv could not be read: the process that read it died"):
        FlowParser("csv", ParsingSettings()).parse(b"x", "a.csv")
    with pytest.raises(WorkerError, match=r"a\.epub could not be read: the worker's answer made no sense"):
        FlowParser("epub", ParsingSettings()).parse(b"x", "a.epub")
    pool.close()


@pytest.mark.parametrize(
    ("problem", "kind", "says"),
    [
        ({"kind": "parse", "message": "a.odt is odd.", "remedy": "Mend it."}, ParseError, "a.odt is odd. Mend it."),
        ({"kind": "memory"}, WorkerError, "a.odt needs more than 2048 MB of memory"),
        ({"kind": "damaged", "message": "KeyError: 1"}, ParseError, "a.odt is damaged or cut short"),
    ],
)
def test_failures_are_sentences(problem: dict[str, str], kind: type[ParseError], says: str) -> None:
    error = failure(problem, "a.odt", 2048)
    assert type(error) is kind
    assert str(error).startswith(says)


def test_a_document_without_words_is_refused() -> None:
    with pytest.raises(ParseError, match=r"blank\.html holds no text"):
        parse(b"<html><body><hr></body></html>", "blank.html", ParsingSettings())
