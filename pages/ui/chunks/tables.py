"""The table that a chunk stands in, to be copied into a sheet or a program."""

from __future__ import annotations

from core.chunking.signals.rows import table_csv, table_json
from core.types import Block, BlockKind, Document, Span

LARGEST = 200_000  # characters of a table that is sent to the page, as text and in either form
_MOST_CELLS = 50_000  # of its grid, empty ones among them


def table_of(document: Document, span: Span) -> dict[str, str] | None:
    """The whole table that a span touches as ``{"csv", "json"}``, of several the one it holds most of.

    ``None`` where it touches none, or one too large to be sent.

    >>> document = Document("v", "text", "t", "Before. a | b", (Block("table", 8, 13),))
    >>> table_of(document, Span(0, 9)), table_of(document, Span(0, 8))
    ({'csv': 'a,b\\r\\n', 'json': '[{"column 1": "a", "column 2": "b"}]'}, None)
    """

    def shared(block: Block) -> int:
        return min(block.end, span.end) - max(block.start, span.start)

    touched = [block for block in document.blocks if block.kind == BlockKind.TABLE and shared(block) > 0]
    table = max(touched, key=shared, default=None)
    if table is None or table.end - table.start > LARGEST or _grid(table) > _MOST_CELLS:
        return None
    made = {"csv": table_csv(document, table), "json": table_json(document, table)}
    return made if max(map(len, made.values())) <= LARGEST else None


def _grid(table: Block) -> int:
    """Cells of the rows and columns that have one; 0 where the parser kept none, and the text alone says it."""
    return len({cell.row for cell in table.cells}) * max((cell.column + 1 for cell in table.cells), default=0)
