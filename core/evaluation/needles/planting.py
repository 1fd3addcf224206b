"""Copies of a library's documents with sentences planted in them, as files to read anew; the originals are left alone.

Prose takes sentences, each at the end of a paragraph. A file whose text is its own (plain text, Markdown) is planted in
as it is; of another format the copy is Markdown of what was read of it, without its tables' typing and its pages.
Code, tables and whatever else is no prose is copied and takes up room.
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
from core.storage.catalogue.sources import SourceRow
from core.types import BlockKind, Document, TokenCounter

_NO_PROSE = frozenset({"code", "csv", "xlsx", "xls", "ods", "notebook"})
_LEFT_OUT = frozenset({BlockKind.FURNITURE, BlockKind.FRONT_MATTER, BlockKind.RULE})


@dataclass(frozen=True, slots=True)
class HaystackDocument:
    """A document of the copy. ``places``: where sentences may be planted in ``text``, ascending; () where nowhere, and
    then ``data`` is the file itself.
    """

    name: str
    text: str = ""
    places: tuple[int, ...] = ()
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class Haystack:
    """``tokens``: the room that was asked for, or what the library has where that is less."""

    items: tuple[HaystackDocument, ...]
    tokens: int

    @property
    def prose(self) -> str:
        """The text that sentences are planted in, one document after another."""
        return "\n\n".join(item.text for item in self.items if item.places)


def gathered(library: Library, tokens: int) -> Haystack:
    """The library's documents in the order they were added, up to so many tokens of text; the last one is cut.

    Raises ``LecternError`` where no prose is among them.
    """
    counter, room = library.model.counter, tokens
    rows: dict[str, SourceRow] = {}
    for row in library.sources():
        if row.parent is None:
            rows.setdefault(row.version_id, row)
    items: list[HaystackDocument] = []
    for version, row in rows.items():
        if room <= 0:
            break
        document = library.document(version)
        if row.document_kind in _NO_PROSE:
            count = counter.count([document.text])[0]
            if count <= room:
                items.append(HaystackDocument(row.name, data=library.original(version)))
                room -= count
            continue
        whole = _prose(document, row.name)
        fitting = _within(whole, room, counter)
        if fitting.places:
            items.append(fitting)
            room -= counter.count([fitting.text])[0]
            if len(fitting.text) < len(whole.text):  # the last paragraph that fits is in
                room = 0
    if not any(item.places for item in items):
        raise LecternError(
            "There is no prose in this library to plant sentences in.", "Add a text, a page, a paper or a mail."
        )
    return Haystack(tuple(items), tokens if room <= 0 else tokens - room)


def _prose(document: Document, name: str) -> HaystackDocument:
    if document.kind in OWN_TEXT:
        ends = [block.end for block in document.blocks if block.kind == BlockKind.PARAGRAPH]
        return HaystackDocument(name, document.text, tuple(len(document.text[:end].rstrip()) for end in ends))
    parts: list[str] = []
    places, length = [], 0
    for block in document.blocks:
        said = document.text[block.start : block.end].strip()
        if not said or block.kind in _LEFT_OUT:
            continue
        parts.append(f"{'#' * max(1, block.level)} {said}" if block.kind == BlockKind.HEADING else said)
        length += len(parts[-1]) + 2
        if block.kind == BlockKind.PARAGRAPH:
            places.append(length - 2)
    return HaystackDocument(f"{Path(name).stem}.md", "\n\n".join(parts), tuple(places))


def _within(document: HaystackDocument, room: int, counter: TokenCounter) -> HaystackDocument:
    """What has room of a document, up to the end of a paragraph; without places where not even one has."""
    offsets = counter.offsets(document.text)
    if len(offsets) <= room:
        return document
    places = tuple(place for place in document.places if place <= int(offsets[room - 1][1]))
    return HaystackDocument(document.name, document.text[: places[-1]] if places else "", places)


def planted(haystack: Haystack, sentences: Sequence[Sentence]) -> list[HaystackDocument]:
    """The documents with each sentence at its depth: after the paragraph that ends nearest to that share of all prose.

    Sentences of one depth stand behind different paragraphs, as far as there are so many.
    """
    begins = accumulate((len(item.text) for item in haystack.items), initial=0)
    places = [
        (begin + place, number, place)
        for number, (item, begin) in enumerate(zip(haystack.items, begins, strict=False))
        for place in item.places
    ]
    whole = sum(len(item.text) for item in haystack.items)
    chosen: dict[int, list[tuple[int, str]]] = defaultdict(list)
    taken: dict[int, int] = defaultdict(int)  # sentences by place: the emptiest of the nearest is next
    for sentence in sentences:
        target = whole * sentence.depth / 100
        near = sorted(places, key=lambda one: abs(one[0] - target))[: max(1, len(places) // 10)]
        at, number, place = min(near, key=lambda one: taken[one[0]])
        taken[at] += 1
        chosen[number].append((place, sentence.text))
    return [_with(item, chosen[number]) for number, item in enumerate(haystack.items)]


def _with(item: HaystackDocument, sentences: Iterable[tuple[int, str]]) -> HaystackDocument:
    text = item.text
    for place, said in sorted(sentences, reverse=True):  # from the end, so that places before it stay
        text = f"{text[:place]} {said}{text[place:]}"
    return HaystackDocument(item.name, text, item.places, item.data)


def staged(items: Sequence[HaystackDocument], folder: Path) -> list[Path]:
    """The documents as files, each in a folder of its own; what is there and right is left alone."""
    paths = []
    for number, item in enumerate(items):
        data = item.data if not item.places else item.text.encode()
        path = folder / f"{number:05d}" / safe_name(item.name)
        if not path.is_file() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            with written_whole(path) as unfinished:
                unfinished.write_bytes(data)
        paths.append(path)
    return paths
