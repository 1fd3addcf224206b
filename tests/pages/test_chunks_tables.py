"""The table that a chunk stands in, as it is copied from its card."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from core.parsing import parse
from core.settings import ParsingSettings
from core.types import Block, BlockKind, Cell, Document, Span
from pages.ui.chunks import card as chunks_tables
from pages.ui.chunks.card import table_of

SAMPLES = Path(__file__).resolve().parents[2] / "data" / "samples" / "documents"
TEXT = "a | b\n1 | 2\n\nBetween.\n\nc | d\n3 | 4\n5 | 6"
TWO = Document("v", "text", "T", TEXT, (Block("table", 0, 11, header=Span(0, 5)), Block("table", 23, 40)))


@pytest.mark.parametrize(
    ("span", "first"), [(Span(0, 3), "a,b"), (Span(8, 30), "c,d"), (Span(4, 25), "a,b"), (Span(12, 22), None)]
)
def test_of_two_tables_it_is_the_one_the_chunk_holds_most_of(span: Span, first: str | None) -> None:
    made = table_of(TWO, span)
    assert (made and made["csv"].splitlines()[0]) == first


@pytest.mark.parametrize("name", ["capacity-plan.xlsx", "device-register.csv"])
def test_a_sheet_is_copied_whole_from_any_of_its_rows(name: str) -> None:
    document = parse((SAMPLES / name).read_bytes(), name, ParsingSettings())
    table = next(block for block in document.blocks if block.kind == BlockKind.TABLE)
    last = table.parts[-1]
    made = table_of(document, last)
    assert made == table_of(document, table.span)
    assert made is not None
    rows, records = list(csv.reader(io.StringIO(made["csv"]))), json.loads(made["json"])
    body = len({cell.row for cell in table.cells if not cell.header})
    assert len(records) == body
    assert len(rows) == len({cell.row for cell in table.cells})
    assert {len(row) for row in rows} == {len(records[0])}


def test_what_is_too_large_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    far = Block("table", 0, 3, cells=(Cell(0, 0, 0, 1, "a"), Cell(0, 60_000, 2, 3, "b")))
    assert table_of(Document("v", "text", "T", "a b", (far,)), Span(0, 1)) is None
    monkeypatch.setattr(chunks_tables, "LARGEST", 30)
    made = table_of(TWO, Span(0, 1))
    assert made is not None
    assert len(made["json"]) <= 30
    assert table_of(TWO, Span(24, 30)) is None, "its JSON is longer than that"
