"""The laws every parsed document keeps, checked without the code under test."""

from __future__ import annotations

from core.parsing.flow import ParsedFile, compose
from core.types import BlockKind, Document


def composed(reading: ParsedFile, kind: str = "text") -> Document:
    """What a reader gives, as the document that it becomes; it keeps the laws."""
    flow = compose(reading.pieces)
    made = Document(
        version_id="0" * 64,
        kind=kind,
        title=reading.title or "A title",
        text=flow.text,
        blocks=tuple(flow.blocks),
        links=tuple(flow.links),
        pages=reading.pages,
        boxes=tuple(flow.boxes),
        metadata=reading.metadata,
        notes=reading.notes,
    )
    assert_laws(made)
    return made


def kinds(document: Document) -> list[tuple[str, str]]:
    """Kind and text of every block."""
    return [(block.kind.value, document.text[block.start : block.end]) for block in document.blocks]


def assert_laws(document: Document) -> None:
    text = document.text
    assert document.title.strip()
    assert "\r" not in text
    assert not text.startswith("\ufeff")
    text.encode("utf-8")
    covered = bytearray(len(text))
    previous = 0
    for block in document.blocks:
        assert previous <= block.start < block.end <= len(text), block
        assert text[block.start : block.end].strip(), block
        assert not text[block.start].isspace(), block
        assert not text[block.end - 1].isspace(), block
        covered[block.start : block.end] = b"\1" * (block.end - block.start)
        previous = block.end
        place = block.start
        for part in block.parts:
            assert place <= part.start < part.end <= block.end, block
            place = part.end
        for cell in block.cells:
            assert block.start <= cell.start <= cell.end <= block.end
            if cell.start < cell.end:
                assert not text[cell.start].isspace()
                assert not text[cell.end - 1].isspace()
        assert (block.level > 0) is (block.kind is BlockKind.HEADING)
    lost = [char for char, inside in zip(text, covered, strict=True) if not inside and not char.isspace()]
    assert not lost, lost[:40]
    place = 0
    for link in document.links:
        assert place <= link.start < link.end <= len(text)
        place = link.end
    if document.title_span:
        assert text[document.title_span.start : document.title_span.end].strip()
    _assert_boxes(document)


def _assert_boxes(document: Document) -> None:
    sizes = {page.number: page for page in document.pages}
    boxed = bytearray(len(document.text))
    place = 0
    for box in document.boxes:
        assert place <= box.start < box.end
        place = box.end
        page = sizes[box.page]
        assert 0 <= box.x0 <= box.x1 <= page.width, box
        assert 0 <= box.y0 <= box.y1 <= page.height, box
        boxed[box.start : box.end] = b"\1" * (box.end - box.start)
    if document.pages:
        bare = {char for char, inside in zip(document.text, boxed, strict=True) if not inside}
        assert bare <= {" ", "\n", "|"}, bare
