"""Copies documents of a library and plants sentences in the copies, as files to be read anew.

Sentences are planted in prose, each at the end of a paragraph. The copy of plain text or Markdown is the file's text;
the copy of another format is Markdown made of the text that was read. Code, tables and other files without prose are
copied unchanged and count towards the size.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from core.atomic_files import written_whole
from core.errors import LecternError
from core.evaluation.needles.facts import Sentence
from core.evaluation.suites import OWN_TEXT, safe_name
from core.library import Library
from core.storage.catalogue.filing.sources import SourceRow
from core.types import BlockKind, Document, TokenCounter

_NO_PROSE = frozenset({"code", "csv", "xlsx", "xls", "ods", "notebook"})
_SKIPPED_BLOCKS = frozenset({BlockKind.FURNITURE, BlockKind.FRONT_MATTER, BlockKind.RULE})


@dataclass(frozen=True, slots=True)
class HaystackDocument:
    """A document of the copy. ``offsets``: where sentences may be planted in ``text``, ascending.

    A document without such offsets is copied as the bytes ``data``.
    """

    name: str
    text: str = ""
    offsets: tuple[int, ...] = ()
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class Haystack:
    """The documents to plant in. ``tokens``: the requested size, or the library's where that is smaller."""

    items: tuple[HaystackDocument, ...]
    tokens: int

    @property
    def prose(self) -> str:
        """The text that sentences can be planted in, one document after another."""
        return "\n\n".join(item.text for item in self.items if item.offsets)


def gather_haystack(library: Library, tokens: int) -> Haystack:
    """The library's documents in the order they were added, up to ``tokens`` tokens; the last one is truncated.

    Raises ``LecternError`` where none of them is prose.
    """
    counter, remaining = library.model.counter, tokens
    rows: dict[str, SourceRow] = {}
    for row in library.sources():
        if row.parent is None:
            rows.setdefault(row.version_id, row)
    items: list[HaystackDocument] = []
    for version, row in rows.items():
        if remaining <= 0:
            break
        document = library.document(version)
        if row.document_kind in _NO_PROSE:
            count = counter.count([document.text])[0]
            if count <= remaining:
                items.append(HaystackDocument(row.name, data=library.original(version)))
                remaining -= count
            continue
        whole = _prose(document, row.name)
        fitting = _truncated(whole, remaining, counter)
        if fitting.offsets:
            items.append(fitting)
            remaining -= counter.count([fitting.text])[0]
            if len(fitting.text) < len(whole.text):  # no further paragraph fits
                remaining = 0
    if not any(item.offsets for item in items):
        raise LecternError(
            "There is no prose in this library to plant sentences in.", "Add a text, a page, a paper or a mail."
        )
    return Haystack(tuple(items), tokens if remaining <= 0 else tokens - remaining)


def _prose(document: Document, name: str) -> HaystackDocument:
    if document.kind in OWN_TEXT:
        ends = [block.end for block in document.blocks if block.kind == BlockKind.PARAGRAPH]
        return HaystackDocument(name, document.text, tuple(len(document.text[:end].rstrip()) for end in ends))
    parts: list[str] = []
    offsets, length = [], 0
    for block in document.blocks:
        text = document.text[block.start : block.end].strip()
        if not text or block.kind in _SKIPPED_BLOCKS:
            continue
        parts.append(f"{'#' * max(1, block.level)} {text}" if block.kind == BlockKind.HEADING else text)
        length += len(parts[-1]) + 2
        if block.kind == BlockKind.PARAGRAPH:
            offsets.append(length - 2)
    return HaystackDocument(f"{Path(name).stem}.md", "\n\n".join(parts), tuple(offsets))


def _truncated(document: HaystackDocument, tokens: int, counter: TokenCounter) -> HaystackDocument:
    """The document up to the last paragraph end within ``tokens`` tokens; without offsets where there is none."""
    token_spans = counter.offsets(document.text)
    if len(token_spans) <= tokens:
        return document
    offsets = tuple(offset for offset in document.offsets if offset <= int(token_spans[tokens - 1][1]))
    return HaystackDocument(document.name, document.text[: offsets[-1]] if offsets else "", offsets)


def plant_sentences(haystack: Haystack, sentences: Sequence[Sentence]) -> list[HaystackDocument]:
    """The documents with each sentence planted after the paragraph whose end is nearest to its depth in all prose.

    Of the nearest tenth of the paragraphs the one with the fewest planted sentences is used, so that sentences of one
    depth are spread.
    """
    document_starts = accumulate((len(item.text) for item in haystack.items), initial=0)
    slots = [  # (offset in all prose, document, offset in the document)
        (start + offset, number, offset)
        for number, (item, start) in enumerate(zip(haystack.items, document_starts, strict=False))
        for offset in item.offsets
    ]
    length = sum(len(item.text) for item in haystack.items)
    by_document: dict[int, list[tuple[int, str]]] = defaultdict(list)
    counts: dict[int, int] = defaultdict(int)  # planted sentences by offset in all prose
    for sentence in sentences:
        target = length * sentence.depth / 100
        nearest = sorted(slots, key=lambda slot: abs(slot[0] - target))[: max(1, len(slots) // 10)]
        position, number, offset = min(nearest, key=lambda slot: counts[slot[0]])
        counts[position] += 1
        by_document[number].append((offset, sentence.text))
    return [_with_sentences(item, by_document[number]) for number, item in enumerate(haystack.items)]


def _with_sentences(item: HaystackDocument, sentences: Iterable[tuple[int, str]]) -> HaystackDocument:
    text = item.text
    for offset, sentence in sorted(sentences, reverse=True):  # from the end, so that earlier offsets stay valid
        text = f"{text[:offset]} {sentence}{text[offset:]}"
    return HaystackDocument(item.name, text, item.offsets, item.data)


def write_documents(items: Sequence[HaystackDocument], folder: Path) -> list[Path]:
    """Write each document to a numbered folder, unless the file is already there with the same content."""
    paths = []
    for number, item in enumerate(items):
        data = item.text.encode() if item.offsets else item.data
        path = folder / f"{number:05d}" / safe_name(item.name)
        if not path.is_file() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            with written_whole(path) as unfinished:
                unfinished.write_bytes(data)
        paths.append(path)
    return paths
