"""What decides how a library's documents are cut, behind one face: recipes of kinds and documents, and edits by hand;
and which of them are not encoded then.

Nothing here changes a chunk but ``apply`` and ``recut``: a recipe or an edit is kept first, and documents follow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from core.chunking.edits.edits import Conflict, Edit
from core.chunking.edits.replay import Replayed, misfit
from core.chunking.plan import ChunkerResources
from core.errors import LecternError, ModelError, NotFoundError, StorageError
from core.ingest import applying, teaching_section_starts
from core.ingest.applying import Cost, Tell
from core.ingest.cost import TierCost, loads, tier_cost
from core.ingest.ingest import TEXTS_A_SECOND, Ingest, ItemCancelledError, Watch
from core.ingest.preparing import Preparer
from core.ingest.reports import IngestReport
from core.settings import ChunkingSettings
from core.storage.catalogue import chunks, documents, recipes, tiers
from core.storage.catalogue import edits as stored
from core.storage.catalogue.generations import serving as serving_generation
from core.storage.catalogue.recipes import OwnRecipe
from core.storage.catalogue.sources import SourceRow
from core.storage.index.outbox import carry_if_possible
from core.types import ChunkTree, Encoder


class Cutting:
    """The recipes and edits of one library. ``run`` makes what cuts and stores its documents.

    ``serve``: makes sure that the generation of the library's embedder serves before documents are stored in it.
    """

    def __init__(self, run: Callable[[Watch | None], Ingest], serve: Callable[[Watch | None], object]) -> None:
        self._run = run
        self._serve = serve
        self._store = run(None).store

    def edits(self, version_id: str) -> list[Edit]:
        """A document's edits that are in force or wait for a place to be, in the order they were made."""
        return stored.edits(self._store, version_id)

    def undone(self, version_id: str) -> list[Edit]:
        """Those of a document that ``redo`` would do again, the next one first."""
        return stored.undone_edits(self._store, version_id)

    def edit(self, draft: Edit, tree: ChunkTree | None = None) -> int:
        """Keep an edit (``core.chunking.edits.edits`` makes drafts) and return its number.

        ``tree``: the cut it was made on, ``None`` for the one that is indexed. Raises ``LecternError`` with a sentence
        for one that this cut has no place for, ``NotFoundError``.
        """
        with self._store.transaction():
            version = documents.known_version(self._store, draft.version_id)
            seen = tree or chunks.tree(self._store, draft.version_id)
            if documents.text_hash(seen.document.text) != version.text_hash:
                raise LecternError("The document was read anew meanwhile.", "Look at it again.")
            if said := misfit(seen, draft):
                raise LecternError(said, "Choose another place.")
            return stored.add_edit(self._store, replace(draft, text_hash=version.text_hash))

    def undo(self, version_id: str) -> Edit | None:
        """Take a document's last edit back and return it; ``None`` where there is none."""
        return stored.undo_edit(self._store, version_id)

    def redo(self, version_id: str) -> Edit | None:
        """Do again what was undone last and return it; ``None`` where nothing is, or a new edit was made since."""
        return stored.redo_edit(self._store, version_id)

    def drop(self, edit_id: int) -> None:
        """Forget one edit for good, such as one that no longer fits. Raises ``NotFoundError``."""
        if not stored.remove_edit(self._store, edit_id):
            raise NotFoundError(f"There is no edit {edit_id}.", "It may have been removed already.")

    def conflicts(self, version_id: str) -> list[Conflict]:
        """The edits of a document that are not, or not wholly, in force, each with why. Raises ``NotFoundError``."""
        return list(self.as_cut_now(version_id).conflicts) if self.edits(version_id) else []

    def as_cut_now(self, version_id: str) -> Replayed:
        """A document as its recipe and edits would cut it now. Raises ``NotFoundError``."""
        by, known = self._prepare(), documents.known_version(self._store, version_id)
        document = documents.document(self._store, version_id)
        return by.cut(document, known.parser, by.document_recipe(version_id, known.kind))[0]

    def is_cut_so(self, version_id: str) -> bool:
        """Whether a document's chunks are those its recipe and edits ask for. Raises ``NotFoundError``."""
        by, known = self._prepare(), documents.known_version(self._store, version_id)
        return by.is_cut(version_id, known.parser, by.document_recipe(version_id, known.kind))

    def recipes(self) -> list[OwnRecipe]:
        """The kinds and documents that are cut by a recipe of their own."""
        return recipes.own_recipes(self._store)

    def set_recipe(self, scope: str, key: str, chunking: ChunkingSettings | None) -> None:
        """Keep how a kind ("kind", its name) or a document ("document", its version) is cut; ``None``: as the wider
        scope says. Chunks stay until the documents are cut anew.

        Raises ``LecternError`` for another scope, ``NotFoundError`` for a document that is not in the library.
        """
        if scope not in recipes.SCOPES:
            raise LecternError(f"A recipe cannot belong to {scope!r}.", f"Choose one of: {', '.join(recipes.SCOPES)}.")
        with self._store.transaction():
            if scope == "document" and chunking is not None:
                documents.known_version(self._store, key)
            recipes.set_own_recipe(self._store, scope, key, chunking)

    def effective_chunking(self, version_id: str) -> tuple[ChunkingSettings, str]:
        """How a document is cut, and which scope decides it: "library", "kind" or "document". ``NotFoundError``."""
        version, known = documents.known_version(self._store, version_id), recipes.overrides(self._store)
        for scope, key in (("document", version_id), ("kind", version.kind)):
            if (scope, key) in known:
                return known[scope, key], scope
        return self._run(None).settings.chunking, "library"

    def reached(self, scope: str, key: str = "") -> list[SourceRow]:
        """The first live source of every document that a recipe of this scope decides for."""
        return applying.reached(self._store, scope, key)

    def plan(self, scope: str, key: str, chunking: ChunkingSettings | None, tell: Tell | None = None) -> Cost:
        """What applying a recipe would do; nothing is kept. ``tell(done, total)`` counts documents, may raise."""
        return applying.plan_apply(self._prepare(), scope, key, chunking, tell)

    def apply(
        self, scope: str, key: str, chunking: ChunkingSettings | None, watch: Watch | None = None
    ) -> IngestReport:
        """Set the recipe of a kind or a document and cut what it decides for. ``Library.apply`` is the library's own.

        The watch's items are the documents of ``reached``. Raises as ``set_recipe``.
        """
        self._serve(watch)
        self.set_recipe(scope, key, chunking)
        return applying.recut(self._run(watch), [row.version_id for row in self.reached(scope, key)])

    def recut(self, version_ids: Sequence[str], watch: Watch | None = None) -> IngestReport:
        """Cut some documents by their recipes and edits, each swapped whole; what is cut so already costs nothing."""
        self._serve(watch)
        return applying.recut(self._run(watch), version_ids)

    def chunker_resources(
        self, chunker: str, encoder: Encoder, tell: Tell | None = None, version_id: str = ""
    ) -> ChunkerResources:
        """What a chunker is handed beside the document, to try a recipe. Where sections start is learned now if it
        never was, and cuts are proposed; contexts are those that were written, no other is asked for.

        ``tell(done, total)`` counts the sentences to learn from that need encoding, and may raise to stop.
        """
        looks = self._prepare().chunker_resources(chunker, encoder)
        tries = self._prepare(teaches=True).chunker_resources(chunker, encoder, tell, version_id)
        return replace(tries, situator=looks.situator)

    def learn(self, watch: Watch | None = None, *, anyway: bool = False) -> None:
        """Teach ``learned`` anew where a recipe uses it and the library has outgrown what it learned, or ``anyway``.

        The watch's first item is told of it; cancelling that, like any fault, leaves what was learned before in use.
        """
        run, tell = self._run(None), partial(watch.stage, 0, "chunking") if watch else None
        with suppress(ItemCancelledError, ModelError, StorageError):
            teaching_section_starts.renew(run.store, run.model, run.settings.chunking, tell, anyway=anyway)

    def leave_to_words(self, source_ids: Sequence[int]) -> None:
        """Have documents searched by their words alone from now on: their vectors are dropped, and none are made.

        One that another source holds too, which is not left, keeps its meaning. Raises ``NotFoundError``.
        """
        tiers.leave_to_words(self._store, source_ids)
        carry_if_possible(self._store)

    def take_from_words(self, source_ids: Sequence[int]) -> list[str]:
        """Undo ``leave_to_words``, and return the versions that ``recut`` is to encode by that."""
        return tiers.take_from_words(self._store, source_ids)

    def rarely_used(self, older_than_days: int = 0, unread_for_days: int = 0) -> list[int]:
        """The sources that have not changed and were not read for so many days, as ``tiers.rarely_used`` has it; 0: not
        asked. Those that are left to their words are not among them. Raises ``LecternError``.
        """
        return tiers.rarely_used(self._store, older_than_days, unread_for_days)

    def tier_cost(self, source_ids: Sequence[int]) -> TierCost:
        """What leaving these documents to their words would save, and what encoding them takes."""
        return tier_cost(tiers.held_by(self._store, source_ids), self.texts_a_second())

    def texts_a_second(self) -> float:
        """How fast the encoder was seen to be in this library, for an estimate of what a cut would take."""
        return float(self._store.meta(TEXTS_A_SECOND) or applying.TEXTS_AT_FIRST)

    def loads(self, files: Sequence[tuple[str, int]]) -> list[float]:
        """How much each file, a kind and its bytes, is to read: 1 for a usual document here."""
        return loads(self._store, files)

    def _prepare(self, *, teaches: bool = False) -> Preparer:
        """What cuts documents now, compared with how they are indexed."""
        run, serving = self._run(None), serving_generation(self._store)
        number = serving.number if serving else 0
        return Preparer(
            run.store, run.model, run.settings, number, run.passwords, recut=True, teaches=teaches, writer=run.writer
        )
