"""Storing and loading document versions: the parsed ``Document`` with its text and structure."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from core.cancellation import cancellable
from core.errors import NotFoundError, StorageError
from core.storage.catalogue.texts.edits import move_edits
from core.storage.catalogue.texts.following_judgments import VersionText, move_judgments
from core.storage.catalogue.texts.generations import remove_chunks
from core.storage.faults import row_faults
from core.storage.store import Store, now
from core.text.normalise import storable
from core.types import Block, BlockKind, Cell, CellValue, Document, Link, Page, PageBox, Span, WordAudit

_FIRST_ROWS = 4  # of a table: these may be headers that are not marked as such


@dataclass(frozen=True, slots=True)
class Version:
    """The attributes of a document version without its text. ``parser``: fingerprint of the parser that read it."""

    version_id: str
    kind: str
    title: str
    parser: str
    text_hash: str
    characters: int
    size_bytes: int


def text_hash(text: str) -> str:
    """Hex SHA-256 of the canonical text, which judgments and edits anchor to.

    >>> text_hash("")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def put_document(store: Store, document: Document, *, size_bytes: int, parser: str) -> None:
    """Store a parsed document, replacing an earlier parse of the same bytes.

    If the text differs from the earlier one, the version's chunks are deleted in every generation, because their spans
    no longer fit; judgments and manual edits are moved to the new text. Call it in the transaction that also stores the
    chunks and the source. Raises ``StorageError`` for text with lone surrogates.
    """
    try:
        document.text.encode()
    except UnicodeEncodeError as error:
        raise StorageError(
            f"{document.title}: the text has half a character at {error.start}.", "This is a defect of its parser."
        ) from None
    new_hash = text_hash(document.text)
    title = document.title_span
    values = {
        "kind": document.kind,
        "title": storable(document.title),
        "title_start": title.start if title else None,
        "title_end": title.end if title else None,
        "text": document.text,
        "text_hash": new_hash,
        "characters": len(document.text),
        "size_bytes": size_bytes,
        "parser": parser,
        "metadata": json.dumps(dict(document.metadata)),
        "notes": json.dumps(document.notes),
        "words": packed_word_audit(document.words),
        "parsed_at": now(),
        "id": document.version_id,
    }
    with store.transaction():
        existing = store.row("SELECT number, text_hash, text FROM version WHERE id = ?", document.version_id)
        if existing is None:
            marks = ", ".join("?" * len(values))
            number = store.insert(f"INSERT INTO version({', '.join(values)}) VALUES ({marks})", *values.values())
        else:
            number = existing[0]
            if existing[1] != new_hash:
                remove_chunks(store, number)
            for table in ("cell", "block", "link", "page", "page_box"):
                store.write(f"DELETE FROM {table} WHERE version = ?", number)
            assignments = ", ".join(f"{name} = ?" for name in values)
            store.write(f"UPDATE version SET {assignments} WHERE number = ?", *values.values(), number)
        _put_structure(store, number, document)
        before = None if existing is None else VersionText(existing[2], existing[1])
        after = VersionText(document.text, new_hash)
        move_judgments(store, document.version_id, document.version_id, before, after)
        move_edits(store, document.version_id, document.version_id, before, after)
        store.after_commit(lambda: store.files.commit(document.version_id))
        store.touch()


@row_faults("The document")
def document(store: Store, version_id: str) -> Document:
    """The document as it was parsed, without attachments: those are sources of their own. Raises ``NotFoundError``."""
    with store.reading():
        number = version_number(store, version_id)
        kind, title, title_start, title_end, text, metadata, notes, words = store.row(
            "SELECT kind, title, title_start, title_end, text, metadata, notes, words FROM version WHERE number = ?",
            number,
        )
        links = store.rows('SELECT start, "end", target FROM link WHERE version = ? ORDER BY ordinal', number)
        boxes = store.rows(
            'SELECT start, "end", page, x0, y0, x1, y1 FROM page_box WHERE version = ? ORDER BY ordinal', number
        )
        return Document(
            version_id=version_id,
            kind=kind,
            title=title,
            text=text,
            blocks=_blocks(store, number),
            title_span=None if title_start is None else Span(title_start, title_end),
            links=tuple(Link(*row) for row in links),
            pages=pages(store, version_id),
            boxes=tuple(PageBox(*row) for row in boxes),
            metadata=json.loads(metadata),
            notes=tuple(json.loads(notes)),
            words=word_audit(words),
        )


def version(store: Store, version_id: str) -> Version | None:
    """The attributes of a version, ``None`` if it is not in the library."""
    row = store.row(
        "SELECT id, kind, title, parser, text_hash, characters, size_bytes FROM version WHERE id = ?", version_id
    )
    return None if row is None else Version(*row)


def parse_fingerprint(store: Store, version_id: str) -> str:
    """Identifies how a version was parsed: its parser and the hash of its text; "" for an unknown version."""
    known = version(store, version_id)
    return f"{known.parser} {known.text_hash}" if known else ""


def parsers(store: Store) -> list[tuple[str, str, str]]:
    """Version id, kind and parser of every document with a live source, in the order they were added."""
    return store.rows(
        "SELECT id, kind, parser FROM version"
        " WHERE number IN (SELECT version FROM source WHERE trashed_at IS NULL) ORDER BY number"
    )


def require_version(store: Store, version_id: str) -> Version:
    """The attributes of a version. Raises ``NotFoundError``."""
    known = version(store, version_id)
    if known is None:
        raise _no_document(version_id)
    return known


def texts(store: Store, version_ids: Sequence[str]) -> dict[str, str]:
    """Canonical texts by version id; unknown versions are absent."""
    query = "SELECT id, text FROM version WHERE id IN (SELECT value FROM json_each(?))"
    return dict(store.rows(query, list(version_ids)))


def text(store: Store, version_id: str) -> str:
    """The canonical text. Raises ``NotFoundError``."""
    by_version = texts(store, [version_id])
    if version_id not in by_version:
        raise _no_document(version_id)
    return by_version[version_id]


@row_faults("The second reading of the document")
def words(store: Store, version_id: str) -> WordAudit | None:
    """The version's check for lost text, ``None`` where none was made. Raises ``NotFoundError``."""
    row = store.row("SELECT words FROM version WHERE id = ?", version_id)
    if row is None:
        raise _no_document(version_id)
    return word_audit(row[0])


def pages(store: Store, version_id: str) -> tuple[Page, ...]:
    """The pages of a version; () for formats without pages. Raises ``NotFoundError``."""
    query = "SELECT number, width, height, reading, confidence FROM page WHERE version = ? ORDER BY ordinal"
    with store.reading():
        return tuple(Page(*row) for row in store.rows(query, version_number(store, version_id)))


def heading_counts(store: Store) -> dict[str, int]:
    """The number of headings of each version that has a live source; versions without headings are absent."""
    query = (
        "SELECT version.id, COUNT(*) FROM block JOIN version ON version.number = block.version WHERE block.kind = ?"
        " AND EXISTS (SELECT 1 FROM source WHERE version = block.version AND trashed_at IS NULL)"
        " GROUP BY block.version"
    )
    return dict(store.rows(query, BlockKind.HEADING.value))


def blocks(store: Store, version_id: str, start: int, end: int) -> tuple[Block, ...]:
    """The blocks that overlap ``[start, end)``, in text order, without details that callers do not need.

    Tables have only their header cells, the cells of their first rows, and those that overlap the range. Only lists
    have ``parts``: a long code listing has thousands. ``header`` is ``None``.
    """
    with store.reading():
        return _blocks(store, version_number(store, version_id), (start, end))


def page_at(store: Store, version_id: str, offset: int) -> int | None:
    """The 1-based page of the character at ``offset``; ``None`` for a document without pages.

    Between two text runs it is the page of the next one, after the last run the page of the last. The same as
    ``core.text.places.page_of``, but by index lookups instead of reading all runs.
    """
    return pages_at(store, [(version_id, offset)])[0]


def pages_at(store: Store, places: Sequence[tuple[str, int]]) -> list[int | None]:
    """``page_at`` of each ``(version id, offset)``, in one statement."""
    runs = "FROM page_box AS run WHERE run.version = wanted.version AND run.start"
    before = f"{runs} <= place ORDER BY run.start DESC, ordinal DESC LIMIT 1"
    rows = store.rows(
        "WITH wanted(at, version, place) AS (SELECT key, (SELECT number FROM version"
        " WHERE id = json_extract(value, '$[0]')), json_extract(value, '$[1]') FROM json_each(?))"
        f' SELECT (SELECT page {before}), (SELECT "end" > place {before}),'
        f" (SELECT page {runs} > place ORDER BY run.start, ordinal LIMIT 1) FROM wanted ORDER BY at",
        places,
    )
    return [previous if inside or following is None else following for previous, inside, following in rows]


def version_number(store: Store, version_id: str) -> int:
    """The row number of a version in the catalogue. Raises ``NotFoundError``."""
    number = store.value("SELECT number FROM version WHERE id = ?", version_id)
    if number is None:
        raise _no_document(version_id)
    return int(number)


def _no_document(version_id: str) -> NotFoundError:
    return NotFoundError(f"No document has the version {version_id[:12]!r}.", "It may have been removed.")


def _put_structure(store: Store, number: int, document: Document) -> None:
    rows: dict[str, list[tuple[object, ...]]] = {"block": [], "link": [], "page": [], "page_box": []}
    table_parts: list[tuple[str, int, int]] = []
    for ordinal, block in enumerate(document.blocks):
        parts = json.dumps([[part.start, part.end] for part in block.parts])
        if block.cells:  # set last: SQLite reads the block's row for each inserted cell, which is slow for a long row
            table_parts.append((parts, number, ordinal))
            parts = "[]"
        header = (block.header.start, block.header.end) if block.header else (None, None)
        columns = (block.start, block.end, block.level, parts, *header)
        rows["block"].append((ordinal, block.kind.value, *columns, storable(block.language)))
    for ordinal, link in enumerate(document.links):
        rows["link"].append((ordinal, link.start, link.end, storable(link.target)))
    for ordinal, page in enumerate(document.pages):
        rows["page"].append((ordinal, page.number, page.width, page.height, page.reading, page.confidence))
    for ordinal, box in enumerate(document.boxes):
        rows["page_box"].append((box.start, ordinal, box.end, box.page, box.x0, box.y0, box.x1, box.y1))
    for table, entries in rows.items():
        if entries:
            marks = ", ".join("?" * (1 + len(entries[0])))
            store.write_many(f"INSERT INTO {table} VALUES ({marks})", ((number, *row) for row in cancellable(entries)))
    cells = (  # streamed, since a sheet may have millions of cells
        (number, block_ordinal, ordinal, cell.row, cell.column, cell.start, cell.end, *_typed(cell.value), cell.header)
        for block_ordinal, block in enumerate(document.blocks)
        for ordinal, cell in enumerate(block.cells)
    )
    store.write_many("INSERT INTO cell VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", cancellable(cells))
    store.write_many("UPDATE block SET parts = ? WHERE version = ? AND ordinal = ?", table_parts)


@row_faults("A block of the document")
def _blocks(store: Store, number: int, within: tuple[int, int] | None = None) -> tuple[Block, ...]:
    """All blocks of a version; ``within``: those that overlap this range, reduced as ``blocks`` describes."""
    start, end = within or (0, 0)
    overlapping = ' AND start < ?3 AND "end" > ?2' if within else ""
    parts_column = "CASE kind WHEN 'list' THEN parts ELSE '[]' END" if within else "parts"
    values = (number, start, end) if within else (number,)
    cells: dict[int, list[Cell]] = {}
    with store.reading() as connection:
        rows = store.rows(
            f'SELECT ordinal, kind, start, "end", level, {parts_column}, header_start, header_end, language FROM block'
            f" WHERE version = ?1{overlapping} ORDER BY ordinal",
            *values,
        )
        # No join: SQLite would read the block's row, which is as long as the table, for each of its cells.
        near = f' AND (header OR "row" < {_FIRST_ROWS} OR (start < ?3 AND "end" > ?2))' if within else ""
        for block, row, column, cell_start, cell_end, kind, value, header in connection.execute(
            'SELECT block, "row", "column", start, "end", type, value, header FROM cell WHERE version = ?1'
            f" AND block IN (SELECT value FROM json_each(?{len(values) + 1})){near} ORDER BY block, ordinal",
            (*values, json.dumps([row[0] for row in rows])),
        ):
            cell = Cell(row, column, cell_start, cell_end, _value(kind, value), bool(header))
            cells.setdefault(block, []).append(cell)
    return tuple(
        Block(
            BlockKind(kind),
            block_start,
            block_end,
            level,
            tuple(Span(*part) for part in json.loads(parts)),
            None if header_start is None or within else Span(header_start, header_end),
            tuple(cells.get(ordinal, ())),
            language,
        )
        for ordinal, kind, block_start, block_end, level, parts, header_start, header_end, language in rows
    )


def _typed(value: CellValue) -> tuple[str, CellValue]:
    """The name of the value's type and an equivalent that SQLite can store.

    >>> _typed(True), _typed(2**70), _typed(None)
    (('boolean', 1), ('integer', '1180591620717411303424'), ('empty', None))
    """
    match value:
        case None:
            return "empty", None
        case bool():
            return "boolean", int(value)
        case int():
            return "integer", value if -(2**63) <= value < 2**63 else str(value)
        case float():
            return "number", value  # SQLite stores NaN as NULL; ``_value`` turns it back
        case _:
            return "text", storable(value)


def _value(kind: str, value: CellValue) -> CellValue:
    match kind:
        case "boolean":
            return bool(value)
        case "integer":
            return int(value or 0)
        case "number":
            return math.nan if value is None else float(value)
        case _:
            return value


def word_audit(stored: str | None) -> WordAudit | None:
    """The word audit that ``packed_word_audit`` packed; ``None`` for ``None``.

    >>> word_audit(packed_word_audit(WordAudit("a", 2, 1, missing=1, examples=("x",)))).examples
    ('x',)
    """
    if stored is None:
        return None
    reader, words, in_text, in_metadata, dropped, missing, examples = json.loads(stored)
    reasons = tuple((reason, count) for reason, count in dropped)
    return WordAudit(reader, words, in_text, in_metadata, reasons, missing, tuple(examples))


def packed_word_audit(words: WordAudit | None) -> str | None:
    """A word audit as JSON; ``None`` for ``None``."""
    if words is None:
        return None
    return json.dumps(
        [words.reader, words.words, words.in_text, words.in_metadata, words.dropped, words.missing, words.examples]
    )
