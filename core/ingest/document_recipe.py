"""How one document is cut: which settings decide for it, by which edits by hand, and that in words."""

from __future__ import annotations

from dataclasses import dataclass

from core.chunking import Edit
from core.settings import ChunkingSettings
from core.storage.catalogue.documents import text_hash
from core.storage.catalogue.edits import edits_ahead
from core.storage.catalogue.judgments import VersionText
from core.storage.catalogue.recipes import own_chunking
from core.storage.store import Store


@dataclass(frozen=True, slots=True)
class DocumentRecipe:
    """How one document is cut: by the settings that decide for it, and by its edits by hand."""

    chunking: ChunkingSettings
    edits: tuple[Edit, ...] = ()


def way(
    store: Store,
    library: ChunkingSettings,
    version_id: str,
    kind: str,
    text: str | None = None,
    before: str | None = None,
) -> DocumentRecipe:
    """How a version of this kind is cut now: by its own recipe, else its kind's, else the library's settings.

    ``text``: what it is to be stored with, ``None`` where it is stored already. ``before``: the version its source is
    about to leave for it, which hands its edits and own recipe on; ``None`` where none does.
    """
    chunking = own_chunking(store, kind, version_id, before) or library
    new = None if text is None else VersionText(text, text_hash(text))
    return DocumentRecipe(chunking, tuple(edits_ahead(store, version_id, new, before)))


def describe(settings: ChunkingSettings, edits: int = 0) -> str:
    """A recipe in words. ``edits``: by hand, on the document.

    >>> describe(ChunkingSettings(chunker="fixed", max_tokens=100, parent_max_tokens=700, overlap_tokens=20))
    'fixed · child 100 · parent 700 · overlap 20'
    >>> describe(ChunkingSettings(chunker="fixed", max_tokens=400, parent_max_tokens=2000, unit="characters"))
    'fixed · child 400 · parent 2000 characters'
    >>> describe(ChunkingSettings(), edits=2)
    'structure · child 110 · parent 700 · 2 edits'
    """
    overlap = f" · overlap {settings.overlap_tokens}" if settings.overlap_tokens else ""
    unit = f" {settings.unit}" if settings.unit != "tokens" else ""
    hand = f" · {edits} edit{'' if edits == 1 else 's'}" if edits else ""
    return f"{settings.chunker} · child {settings.max_tokens} · parent {settings.parent_room}{unit}{overlap}{hand}"
