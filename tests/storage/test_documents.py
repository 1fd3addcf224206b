"""A document comes back as it was parsed, whatever it holds."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import NotFoundError, StorageError
from core.storage.catalogue.texts.chunks import recipe, tree
from core.storage.catalogue.texts.documents import (
    document,
    page_at,
    put_document,
    text,
    text_hash,
    texts,
    version,
    words,
)
from core.storage.index.leaves import load_leaves
from core.storage.store import Store
from core.text.places import page_of
from core.types import Block, BlockKind, Cell, Document, Link, Page, PageBox, Span, WordAudit
from tests.storage.builders import ingest

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
VALUES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT
COUNTS = st.integers(0, 10**9)
AUDITS = st.builds(
    WordAudit,
    TEXT,
    COUNTS,
    COUNTS,
    COUNTS,
    st.lists(st.tuples(TEXT, COUNTS), max_size=2).map(tuple),
    COUNTS,
    st.lists(TEXT, max_size=2).map(tuple),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with Store.open(tmp_path_factory.mktemp("library"), write=True) as opened:
        yield opened


@st.composite
def documents(draw) -> Document:
    body = draw(TEXT)
    points = st.integers(0, len(body))

    def span() -> Span:
        return Span(*sorted((draw(points), draw(points))))

    def inside(outer: Span) -> Span:
        place = st.integers(outer.start, outer.end)
        return Span(*sorted((draw(place), draw(place))))

    edges = sorted(draw(st.lists(points, max_size=6)))
    blocks = []
    for start, end in zip(edges[::2], edges[1::2], strict=False):
        whole = Span(start, end)
        cells = [inside(whole) for _ in range(draw(st.integers(0, 3)))]
        blocks.append(
            Block(
                draw(st.sampled_from(BlockKind)),
                start,
                end,
                level=draw(st.integers(0, 6)),
                parts=tuple(inside(whole) for _ in range(draw(st.integers(0, 2)))),
                header=draw(st.none() | st.just(inside(whole))),
                cells=tuple(
                    Cell(place, 1, cell.start, cell.end, draw(VALUES), draw(st.booleans()))
                    for place, cell in enumerate(cells)
                ),
                language=draw(TEXT),
            )
        )
    spans = [span() for _ in range(draw(st.integers(0, 4)))]
    return Document(
        version_id=draw(st.text("0123456789abcdef", min_size=64, max_size=64)),
        kind=draw(st.sampled_from(["markdown", "pdf"])),
        title=draw(TEXT),
        text=body,
        blocks=tuple(blocks),
        title_span=draw(st.none() | st.just(span())),
        links=tuple(Link(item.start, item.end, draw(TEXT)) for item in spans),
        pages=tuple(Page(number, 612.0, 792.5) for number in range(1, draw(st.integers(1, 3)))),
        boxes=tuple(PageBox(item.start, item.end, 1, 0.5, 1.5, 2.25, 3.125) for item in spans),
        metadata=draw(st.dictionaries(TEXT, TEXT, max_size=3)),
        notes=tuple(draw(st.lists(TEXT, max_size=2))),
        words=draw(st.none() | AUDITS),
    )


@given(documents(), documents())
def test_a_document_comes_back_as_it_was(store, first, second) -> None:
    put_document(store, first, size_bytes=3, parser="one")
    assert document(store, first.version_id) == first
    assert words(store, first.version_id) == first.words
    # the same bytes, read by another parser
    other = Document(
        first.version_id,
        *(getattr(second, name) for name in ("kind", "title", "text", "blocks", "title_span", "links", "pages")),
        boxes=second.boxes,
        metadata=second.metadata,
        notes=second.notes,
        words=second.words,
    )
    put_document(store, other, size_bytes=3, parser="two")
    assert document(store, first.version_id) == other
    known = version(store, first.version_id)
    assert known is not None
    assert (known.parser, known.text_hash, known.characters) == ("two", text_hash(other.text), len(other.text))


def test_not_a_number_is_kept_as_such(store) -> None:
    table = Block(BlockKind.TABLE, 0, 3, cells=(Cell(0, 0, 0, 3, math.nan), Cell(0, 1, 0, 0, -math.inf)))
    put_document(store, Document("f" * 64, "text", "t", "NaN", (table,)), size_bytes=3, parser="one")
    cells = document(store, "f" * 64).blocks[0].cells
    assert math.isnan(cells[0].value)
    assert cells[1].value == -math.inf


def test_text_no_encoding_holds_is_refused_with_a_sentence(store) -> None:
    with pytest.raises(StorageError, match="half a character at 2"):
        put_document(store, Document("e" * 64, "text", "t", "ab\ud800"), size_bytes=3, parser="one")
    assert version(store, "e" * 64) is None


def test_unknown_versions(store) -> None:
    assert version(store, "nothing") is None
    assert texts(store, ["nothing"]) == {}
    for ask in (document, text):
        with pytest.raises(NotFoundError):
            ask(store, "nothing")


def test_pages_by_place(store) -> None:
    runs = tuple(PageBox(start, start + 9, 1 + start // 50, 0, start, 10, start + 1) for start in range(0, 100, 10))
    whole = Document("d" * 64, "pdf", "t", "x" * 100, pages=(Page(1, 9, 9), Page(2, 9, 9)), boxes=runs)
    put_document(store, whole, size_bytes=3, parser="one")
    offsets = (0, 45, 49, 50, 99, 500)  # 49 lies between two runs, 99 after the last
    assert [page_at(store, "d" * 64, offset) for offset in offsets] == [1, 1, 2, 2, 2, 2]
    assert [page_at(store, "d" * 64, offset) for offset in range(100)] == [page_of(whole, at) for at in range(100)]


def test_another_parse_takes_the_chunks_of_another_text_with_it(tmp_path) -> None:
    with Store.open(tmp_path, write=True) as store:
        ingest(store, "one", "A text that one parser reads so.")
        known = document(store, load_leaves(store).version_ids[0])
        put_document(store, known, size_bytes=3, parser="two")
        assert tree(store, known.version_id).document == known  # same text: the chunks stay
        read_anew = Document(known.version_id, "text", "t", "A text that another reads otherwise.")
        put_document(store, read_anew, size_bytes=3, parser="three")
        assert recipe(store, known.version_id) is None
        assert len(load_leaves(store)) == 0
