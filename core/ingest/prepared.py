"""An item on its way in: what comes, and what became of it before it is stored."""

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
from core.storage.catalogue.chunks import NewLeaf, Recipe
from core.storage.catalogue.sources import FileStamp
from core.storage.schema.steps import NO_VECTOR
from core.text.languages import indexed_tokens
from core.text.pooling import EncoderInput
from core.types import Chunk, ChunkTree

_PROBLEMS = {PasswordNeededError: "password", TextLayerMissingError: "ocr", UnsupportedKindError: "kind"}
# Text that a chunk is parted from, and what it leaves unsaid.
_REPEATED = ("table_header", "signature", "speaker", "written")


@dataclass(frozen=True, slots=True)
class DocumentRecipe:
    """How one document is cut: by the settings that decide for it, and by its edits by hand."""

    chunking: ChunkingSettings
    edits: tuple[Edit, ...] = ()


def describe(settings: ChunkingSettings, edits: int = 0) -> str:
    """A recipe in words. ``edits``: by hand, on the document.

    >>> describe(ChunkingSettings(chunker="fixed", max_tokens=100, parent_max_tokens=700, overlap_tokens=20))
    'fixed · child 100 · parent 700 · overlap 20'
    >>> describe(ChunkingSettings(chunker="fixed", max_tokens=400, parent_max_tokens=2000, unit="characters"))
    'fixed · child 400 · parent 2000 characters'
    >>> describe(ChunkingSettings(), edits=2)
    'structure · child 110 · parent 700 · 2 edits'
    """
    overlap = f" · overlap {settings.overlap_room}" if settings.overlap_room else ""
    unit = f" {settings.unit}" if settings.unit != "tokens" else ""
    hand = f" · {edits} edit{'' if edits == 1 else 's'}" if edits else ""
    return f"{settings.chunker} · child {settings.max_tokens} · parent {settings.parent_room}{unit}{overlap}{hand}"


def problem_of(error: LecternError) -> str:
    """What would help: "password", "ocr", "kind" (nothing here reads it); "" when nothing is known to."""
    return next((mark for kind, mark in _PROBLEMS.items() if isinstance(error, kind)), "")


@dataclass(frozen=True, slots=True)
class Incoming:
    """Something to ingest: a file by ``path``, or an upload whose bytes are staged under ``content_hash``.

    ``name``: as the person gave it; the path of a file, or the upload's name. ``source``: one in the trash that is to
    come back, its bytes given by ``content_hash``.
    """

    name: str
    path: Path | None = None
    content_hash: str | None = None
    source: int | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """A document cut and ready, its ``texts`` still to be encoded. ``attached``: names of the files found in it now,
    ``None`` where it was not read again. ``found``: about its chunks, by their ids. ``sentences``: that were encoded to
    find out where to cut.
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
        """Whether it is left to its words alone: nothing of it is encoded."""
        return not self.texts


@dataclass(frozen=True, slots=True)
class Member:
    """One document of what came in, and the source it is to stand under.

    ``shown``: its name for people; ``name``: its source's own. ``cut`` ``None``: it is in the library as it should be.
    ``parent``: of an attachment, the version it is attached to. ``source``: one in the trash to be made live.
    ``before``: the version its source is about to leave for this one, handing on edits by hand and an own recipe.
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
    """An item's documents, mails before what is attached to them.

    ``failed``: attachments the library holds that could not be read again, by their shown names; they stay as they are.
    ``by_words``: it is in the library and waits for its vectors alone.
    """

    index: int
    item: Incoming
    members: tuple[Member, ...]
    failed: tuple[tuple[str, LecternError], ...] = ()
    by_words: bool = False

    @property
    def texts(self) -> Iterator[EncoderInput]:
        """What the encoder has to read, in the order of the members."""
        for member in self.members:
            yield from member.cut.texts if member.cut else ()


def keyed(made: Cut, keys: Iterator[str]) -> Iterator[tuple[Chunk, str, list[tuple[str, str]]]]:
    """Each leaf with its vector's key and its aliases', by their names: ``keys`` stand in the order of the texts.

    What is left to its words takes none of them.
    """
    keys = repeat(NO_VECTOR) if made.left else keys
    for leaf in made.tree.leaves:
        yield leaf, next(keys), [(name, next(keys)) for name, _ in aliases_of(leaf)]


def new_leaves(made: Cut, language: str, keys: Iterator[str]) -> list[NewLeaf]:
    """What the indexes need of a document's leaves, with its own of the vectors' keys."""
    document = made.tree.document
    beside = cache(partial(indexed_tokens, language=language))  # many leaves have the same title, path and caption
    captions = captions_of(document.text, document.blocks, [leaf.span for leaf in made.tree.leaves])
    leaves = []
    for (leaf, key, aliases), caption in zip(keyed(made, keys), captions, strict=True):
        check_cancelled()
        repeated = "\n".join(part.text for part in leaf.prefix if part.kind in _REPEATED)
        words = indexed_tokens(f"{repeated}\n{leaf.text}" if repeated else leaf.text, language)
        headings = beside("\n".join(leaf.headings))
        title = beside(document.title)
        leaves.append(NewLeaf(leaf.chunk_id, key, title, headings, words, beside(caption), aliases))
    return leaves
