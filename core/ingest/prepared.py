"""Data types of an ingest: incoming items, and their chunked documents before they are stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import repeat
from pathlib import Path

from core.cancellation import check_cancelled
from core.chunking.auditing import Audit
from core.chunking.edits.edits import Edit
from core.chunking.signals.captions import captions_of
from core.chunking.situating import aliases_of
from core.enriching.features import Features
from core.errors import LecternError, PasswordNeededError, TextLayerMissingError, UnsupportedKindError
from core.settings import ChunkingSettings
from core.storage.catalogue.filing.sources import FileStamp
from core.storage.catalogue.texts.chunks import NewLeaf, Recipe
from core.storage.schema.steps import NO_VECTOR
from core.text.languages import indexed_tokens
from core.text.pooling import EncoderInput
from core.types import Chunk, ChunkTree

_PROBLEMS = {PasswordNeededError: "password", TextLayerMissingError: "ocr", UnsupportedKindError: "kind"}
# Kinds of prefix that are indexed with the leaf's text: what it was separated from, and what was written about it.
_INDEXED_PREFIXES = ("table_header", "signature", "speaker", "written")


@dataclass(frozen=True, slots=True)
class DocumentRecipe:
    """How one document is chunked: by which settings, and with which manual edits."""

    chunking: ChunkingSettings
    edits: tuple[Edit, ...] = ()


def describe(settings: ChunkingSettings, edits: int = 0) -> str:
    """A label for a recipe. ``edits``: the number of manual edits.

    >>> describe(ChunkingSettings(chunker="fixed", max_tokens=100, parent_max_tokens=700, overlap_tokens=20))
    'fixed · child 100 · parent 700 · overlap 20'
    >>> describe(ChunkingSettings(chunker="fixed", max_tokens=400, parent_max_tokens=2000, unit="characters"))
    'fixed · child 400 · parent 2000 characters'
    >>> describe(ChunkingSettings(), edits=2)
    'auto · child 110 · parent 700 · 2 edits'
    """
    overlap = f" · overlap {settings.overlap_room}" if settings.overlap_room else ""
    unit = f" {settings.unit}" if settings.unit != "tokens" else ""
    hand = f" · {edits} edit{'' if edits == 1 else 's'}" if edits else ""
    return f"{settings.chunker} · child {settings.max_tokens} · parent {settings.parent_room}{unit}{overlap}{hand}"


def problem_of(error: LecternError) -> str:
    """The cause of a failure: "password" or "ocr" is needed, "kind" is unsupported; "" for any other."""
    return next((mark for kind, mark in _PROBLEMS.items() if isinstance(error, kind)), "")


@dataclass(frozen=True, slots=True)
class Incoming:
    """An item to ingest: a file at ``path``, or bytes staged under ``content_hash``.

    ``name``: the path of the file as the user gave it, or the upload's name. ``source``: a source in the trash to
    restore, with its ``content_hash``.
    """

    name: str
    path: Path | None = None
    content_hash: str | None = None
    source: int | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """A chunked document that is not stored yet.

    ``texts``: to be encoded. ``attached``: the names of its attachments; ``None`` if it was not parsed again.
    ``found``: the features of its chunks by chunk id. ``sentences``: the number of sentences encoded for chunking.
    """

    tree: ChunkTree
    audit: Audit
    recipe: Recipe
    parser: str
    size_bytes: int
    texts: tuple[EncoderInput, ...]
    attached: tuple[str, ...] | None
    found: Mapping[str, Features]
    sentences: int = 0

    @property
    def left(self) -> bool:
        """Whether it is lexical-only: nothing is encoded."""
        return not self.texts


@dataclass(frozen=True, slots=True)
class Member:
    """One document of an item, and the source that will point to it.

    ``shown``: display name; ``name``: of its source. ``cut``: ``None`` if the library has it with the current recipe.
    ``parent``: the version of an attachment's mail. ``source``: a source in the trash to restore. ``before``: the
    version that its source points to now, from which it takes over manual edits and own recipe.
    """

    shown: str
    name: str
    version_id: str
    path: Path | None = None
    stamp: FileStamp | None = None
    parent: str | None = None
    source: int | None = None
    before: str | None = None
    cut: Cut | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """The documents of an item, mails before their attachments.

    ``failed``: (display name, error) of attachments in the library that could not be parsed again and stay unchanged.
    ``by_words``: it is stored without vectors already.
    """

    index: int
    item: Incoming
    members: tuple[Member, ...]
    failed: tuple[tuple[str, LecternError], ...] = ()
    by_words: bool = False

    @property
    def texts(self) -> Iterator[EncoderInput]:
        """The texts to encode, in the order of the members."""
        for member in self.members:
            yield from member.cut.texts if member.cut else ()


def leaves_with_keys(cut: Cut, keys: Iterator[str]) -> Iterator[tuple[Chunk, str, list[tuple[str, str]]]]:
    """``(leaf, vector key, aliases)`` of each leaf; an alias is (name, vector key).

    ``keys``: in the order of ``Cut.texts``. A lexical-only document consumes none of them.
    """
    keys = repeat(NO_VECTOR) if cut.left else keys
    for leaf in cut.tree.leaves:
        yield leaf, next(keys), [(name, next(keys)) for name, _ in aliases_of(leaf)]


def new_leaves(cut: Cut, language: str, keys: Iterator[str]) -> list[NewLeaf]:
    """The index entries of a document's leaves. ``keys``: as in ``leaves_with_keys``."""
    document = cut.tree.document
    cached_tokens = cache(partial(indexed_tokens, language=language))  # many leaves share title, headings and caption
    captions = captions_of(document.text, document.blocks, [leaf.span for leaf in cut.tree.leaves])
    leaves = []
    for (leaf, key, aliases), caption in zip(leaves_with_keys(cut, keys), captions, strict=True):
        check_cancelled()
        prefix = "\n".join(part.text for part in leaf.prefix if part.kind in _INDEXED_PREFIXES)
        leaves.append(
            NewLeaf(
                chunk_id=leaf.chunk_id,
                vector_key=key,
                title=cached_tokens(document.title),
                headings=cached_tokens("\n".join(leaf.headings)),
                text=indexed_tokens(f"{prefix}\n{leaf.text}" if prefix else leaf.text, language),
                captions=cached_tokens(caption),
                aliases=aliases,
            )
        )
    return leaves
