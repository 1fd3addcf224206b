"""Document versions: canonical text and structure in, the same ``Document`` out."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from core.cancellation import breathing
from core.errors import NotFoundError, StorageError
from core.storage.catalogue.edits import take_edits_along
from core.storage.catalogue.following_judgments import VersionText, follow_judgments
from core.storage.catalogue.generations import remove_chunks
from core.storage.catalogue.word_audits import plain_words, word_audit
from core.storage.faults import row_faults
from core.storage.store import Store, now
from core.text.normalise import storable
from core.types import Block, BlockKind, Cell, CellValue, Document, Link, Page, PageBox, Span, WordAudit

_FIRST_ROWS = 4  # of a table, where headers stand that nothing says are headers


@dataclass(frozen=True, slots=True)
class Version:
    """What is known of a document version without its text. ``parser``: fingerprint of the parser that read it."""

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
    """Keep a version's parse, in place of an earlier one of the same bytes.

    Chunks of the version stay where the text is the same and go, in every generation, where it is another: their
    spans would lie. Judgments and edits by hand follow to the new text. Call it in the transaction that also swaps the
    chunks and names the source. Raises ``StorageError`` for text that no encoding can hold.
    """
    try:
        document.text.encode()
    except UnicodeEncodeError as error:
        raise StorageError(
            f"{document.title}: the text has half a character at {error.start}.", "This is a defect of its parser."
        ) from None
    hashed = text_hash(document.text)
    title = document.title_span
    values = {
        "kind": document.kind,
        "title": storable(document.title),
        "title_start": title.start if title else None,
        "title_end": title.end if title else None,
        "text": document.text,
        "text_hash": hashed,
        "characters": len(document.text),
        "size_bytes": size_bytes,
        "parser": parser,
        "metadata": json.dumps(dict(document.metadata)),
        "notes": json.dumps(document.notes),
        "words": plain_words(document.words),
        "parsed_at": now(),
        "id": document.version_id,
    }
    with store.transaction():
        known = store.row("SELECT number, text_hash, text FROM version WHERE id = ?", document.version_id)
        if known is None:
            marks = ", ".join("?" * len(values))
            number = store.insert(f"INSERT INTO version({', '.join(values)}) VALUES ({marks})", *values.values())
        else:
            number = known[0]
            if known[1] != hashed:
                remove_chunks(store, number)
            for table in ("cell", "block", "link", "page", "page_box"):
                store.write(f"DELETE FROM {table} WHERE version = ?", number)
            changed = ", ".join(f"{name} = ?" for name in values)
            store.write(f"UPDATE version SET {changed} WHERE number = ?", *values.values(), number)
        _put_structure(store, number, document)
        before = None if known is None else VersionText(known[2], known[1])
        after = VersionText(document.text, hashed)
        follow_judgments(store, document.version_id, document.version_id, before, after)
        take_edits_along(store, document.version_id, document.version_id, before, after)
        store.after_commit(lambda: store.files.named(document.version_id))
        store.touch()


@row_faults("The document")
def document(store: Store, version_id: str) -> Document:
    """The version as it was parsed, without its attachments, which are sources. Raises ``NotFoundError``."""
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
    """What is known of a version, ``None`` when it is not in the library."""
    row = store.row(
        "SELECT id, kind, title, parser, text_hash, characters, size_bytes FROM version WHERE id = ?", version_id
    )
    return None if row is None else Version(*row)


def reading_of(store: Store, version_id: str) -> str:
    """Names how a version was read, by parser and text; "" when it is not in the library."""
    known = version(store, version_id)
    return f"{known.parser} {known.text_hash}" if known else ""


def known_version(store: Store, version_id: str) -> Version:
    """As ``version``. Raises ``NotFoundError`` where it is not in the library."""
    found = version(store, version_id)
    if found is None:
        raise _no_document(version_id)
    return found


def texts(store: Store, version_ids: Sequence[str]) -> dict[str, str]:
    """Canonical texts by version; versions that are gone are absent."""
    wanted = "SELECT id, text FROM version WHERE id IN (SELECT value FROM json_each(?))"
    return dict(store.rows(wanted, list(version_ids)))


def text(store: Store, version_id: str) -> str:
    """The canonical text. Raises ``NotFoundError``."""
    found = texts(store, [version_id])
    if version_id not in found:
        raise _no_document(version_id)
    return found[version_id]


@row_faults("The second reading of the document")
def words(store: Store, version_id: str) -> WordAudit | None:
    """What a second reading of the file said, ``None`` where none was made. Raises ``NotFoundError``."""
    row = store.row("SELECT words FROM version WHERE id = ?", version_id)
    if row is None:
        raise _no_document(version_id)
    return word_audit(row[0])


def pages(store: Store, version_id: str) -> tuple[Page, ...]:
    """The pages of a version and how they were read; () without any. Raises ``NotFoundError``."""
    found = "SELECT number, width, height, reading, confidence FROM page WHERE version = ? ORDER BY ordinal"
    with store.reading():
        return tuple(Page(*row) for row in store.rows(found, version_number(store, version_id)))


def heading_counts(store: Store) -> dict[str, int]:
    """How many headings each version has that a live source names; a version without any is absent."""
    counted = (
        "SELECT version.id, COUNT(*) FROM block JOIN version ON version.number = block.version WHERE block.kind = ?"
        " AND EXISTS (SELECT 1 FROM source WHERE version = block.version AND trashed_at IS NULL)"
        " GROUP BY block.version"
    )
    return dict(store.rows(counted, BlockKind.HEADING.value))


def blocks(store: Store, version_id: str, start: int, end: int) -> tuple[Block, ...]:
    """The version's blocks that reach into ``[start, end)``, in text order.

    Of tables the cells that do and those of the header and the first rows alone; of the parts, which a long listing has
    by the thousand, those of lists alone.
    """
    with store.reading():
        return _blocks(store, version_number(store, version_id), (start, end))


def page_at(store: Store, version_id: str, offset: int) -> int | None:
    """The 1-based page that holds the character at ``offset``; between runs, the page of the next one.

    After the last run it is the last run's page. ``None`` without pages. What ``core.text.places.page_of`` says of a
    whole document, by two steps in an index.
    """
    return pages_at(store, [(version_id, offset)])[0]


def pages_at(store: Store, places: Sequence[tuple[str, int]]) -> list[int | None]:
    """``page_at`` of each place, a version and an offset, by one statement."""
    runs = "FROM page_box AS run WHERE run.version = wanted.version AND run.start"
    before = f"{runs} <= place ORDER BY run.start DESC, ordinal DESC LIMIT 1"
    found = store.rows(
        "WITH wanted(at, version, place) AS (SELECT key, (SELECT number FROM version"
        " WHERE id = json_extract(value, '$[0]')), json_extract(value, '$[1]') FROM json_each(?))"
        f' SELECT (SELECT page {before}), (SELECT "end" > place {before}),'
        f" (SELECT page {runs} > place ORDER BY run.start, ordinal LIMIT 1) FROM wanted ORDER BY at",
        places,
    )
    return [before if inside or after is None else after for before, inside, after in found]


def version_number(store: Store, version_id: str) -> int:
    """The catalogue's number of a version. Raises ``NotFoundError``."""
    number = store.value("SELECT number FROM version WHERE id = ?", version_id)
    if number is None:
        raise _no_document(version_id)
    return int(number)


def _no_document(version_id: str) -> NotFoundError:
    return NotFoundError(f"No document has the version {version_id[:12]!r}.", "It may have been removed.")


def _put_structure(store: Store, number: int, document: Document) -> None:
    rows: dict[str, list[tuple[object, ...]]] = {"block": [], "link": [], "page": [], "page_box": []}
    parted: list[tuple[str, int, int]] = []
    for at, block in enumerate(document.blocks):
        parts = json.dumps([[part.start, part.end] for part in block.parts])
        if block.cells:  # for each of them SQLite looks its block up, and reads all of that row
            parted.append((parts, number, at))
            parts = "[]"
        header = (block.header.start, block.header.end) if block.header else (None, None)
        spans = (block.start, block.end, block.level, parts, *header)
        rows["block"].append((at, block.kind.value, *spans, storable(block.language)))
    for at, link in enumerate(document.links):
        rows["link"].append((at, link.start, link.end, storable(link.target)))
    for at, page in enumerate(document.pages):
        rows["page"].append((at, page.number, page.width, page.height, page.reading, page.confidence))
    for at, box in enumerate(document.boxes):
        rows["page_box"].append((box.start, at, box.end, box.page, box.x0, box.y0, box.x1, box.y1))
    for table, found in rows.items():
        if found:
            marks = ", ".join("?" * (1 + len(found[0])))
            store.write_many(f"INSERT INTO {table} VALUES ({marks})", ((number, *row) for row in breathing(found)))
    cells = (  # one by one, here and where they are read: a sheet may have millions
        (number, at, place, cell.row, cell.column, cell.start, cell.end, *_typed(cell.value), cell.header)
        for at, block in enumerate(document.blocks)
        for place, cell in enumerate(block.cells)
    )
    store.write_many("INSERT INTO cell VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", breathing(cells))
    store.write_many("UPDATE block SET parts = ? WHERE version = ? AND ordinal = ?", parted)


@row_faults("A block of the document")
def _blocks(store: Store, number: int, within: tuple[int, int] | None = None) -> tuple[Block, ...]:
    """The blocks of a version with all they have or, ``within`` a stretch, those that ``blocks`` tells of."""
    start, end = within or (0, 0)
    reaching = ' AND start < ?3 AND "end" > ?2' if within else ""
    parts_of = "CASE kind WHEN 'list' THEN parts ELSE '[]' END" if within else "parts"
    values = (number, start, end) if within else (number,)
    cells: dict[int, list[Cell]] = {}
    with store.reading() as connection:
        found = store.rows(
            f'SELECT ordinal, kind, start, "end", level, {parts_of}, header_start, header_end, language FROM block'
            f" WHERE version = ?1{reaching} ORDER BY ordinal",
            *values,
        )
        # Not joined: SQLite would look a cell's block up for each cell, and a table's is as long as the table.
        near = f' AND (header OR "row" < {_FIRST_ROWS} OR (start < ?3 AND "end" > ?2))' if within else ""
        for block, row, column, cell_start, cell_end, kind, value, header in connection.execute(
            'SELECT block, "row", "column", start, "end", type, value, header FROM cell WHERE version = ?1'
            f" AND block IN (SELECT value FROM json_each(?{len(values) + 1})){near} ORDER BY block, ordinal",
            (*values, json.dumps([row[0] for row in found])),
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
        for ordinal, kind, block_start, block_end, level, parts, header_start, header_end, language in found
    )


def _typed(value: CellValue) -> tuple[str, CellValue]:
    """The type's name and a value SQLite can hold.

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
            return "number", value  # NaN becomes NULL, and is read back as NaN
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
