"""``Cutting``: the facade for everything that determines a library's chunks: own recipes, manual edits, and tiers.

Only ``apply`` and ``recut`` change chunks; the other methods store a recipe or an edit that these apply.
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
from core.parsing import PARSERS, parser_fingerprint
from core.settings import ChunkingSettings
from core.storage.catalogue.filing import tiers
from core.storage.catalogue.filing.sources import SourceRow
from core.storage.catalogue.texts import chunks, documents, recipes
from core.storage.catalogue.texts import edits as stored
from core.storage.catalogue.texts.generations import serving as serving_generation
from core.storage.catalogue.texts.recipes import OwnRecipe
from core.storage.index.outbox import apply_if_possible
from core.types import ChunkTree, Encoder


class Cutting:
    """The recipes and edits of one library.

    ``run(watch)``: creates an ingest run. ``serve(watch)``: makes the generation of the library's embedder the serving
    one, before documents are stored.
    """

    def __init__(self, run: Callable[[Watch | None], Ingest], serve: Callable[[Watch | None], object]) -> None:
        self._run = run
        self._serve = serve
        self._store = run(None).store

    def edits(self, version_id: str) -> list[Edit]:
        """A document's edits, in force or in conflict, in the order they were made."""
        return stored.edits(self._store, version_id)

    def undone(self, version_id: str) -> list[Edit]:
        """A document's undone edits, in the order in which ``redo`` would redo them."""
        return stored.undone_edits(self._store, version_id)

    def edit(self, draft: Edit, tree: ChunkTree | None = None) -> int:
        """Store an edit (made by ``core.chunking.edits.edits``) and return its id.

        ``tree``: the chunk tree it was made on; ``None`` for the stored one. Raises ``LecternError`` if the edit does
        not fit the tree, ``NotFoundError``.
        """
        with self._store.transaction():
            version = documents.require_version(self._store, draft.version_id)
            edited_tree = tree or chunks.tree(self._store, draft.version_id)
            if documents.text_hash(edited_tree.document.text) != version.text_hash:
                raise LecternError("The document was read anew meanwhile.", "Look at it again.")
            if problem := misfit(edited_tree, draft):
                raise LecternError(problem, "Choose another place.")
            return stored.add_edit(self._store, replace(draft, text_hash=version.text_hash))

    def undo(self, version_id: str) -> Edit | None:
        """Undo a document's last edit and return it; ``None`` if there is none."""
        return stored.undo_edit(self._store, version_id)

    def redo(self, version_id: str) -> Edit | None:
        """Redo the edit that was undone last and return it; ``None`` if there is none."""
        return stored.redo_edit(self._store, version_id)

    def drop(self, edit_id: int) -> None:
        """Delete one edit, for example one in conflict. Raises ``NotFoundError``."""
        if not stored.remove_edit(self._store, edit_id):
            raise NotFoundError(f"There is no edit {edit_id}.", "It may have been removed already.")

    def conflicts(self, version_id: str) -> list[Conflict]:
        """A document's edits that cannot be applied fully, each with the reason. Raises ``NotFoundError``."""
        return list(self.as_cut_now(version_id).conflicts) if self.edits(version_id) else []

    def as_cut_now(self, version_id: str) -> Replayed:
        """The chunks of a document by its current recipe and edits, not stored. Raises ``NotFoundError``."""
        by, version = self._prepare(), documents.require_version(self._store, version_id)
        document = documents.document(self._store, version_id)
        return by.cut(document, version.parser, by.document_recipe(version_id, version.kind))[0]

    def is_cut_so(self, version_id: str) -> bool:
        """Whether a document's stored chunks are those of its current recipe and edits. Raises ``NotFoundError``."""
        by, version = self._prepare(), documents.require_version(self._store, version_id)
        return by.is_cut(version_id, version.parser, by.document_recipe(version_id, version.kind))

    def recipes(self) -> list[OwnRecipe]:
        """The own recipes of kinds and documents."""
        return recipes.own_recipes(self._store)

    def set_recipe(self, scope: str, key: str, chunking: ChunkingSettings | None) -> None:
        """Set the own recipe of a kind or a document; ``None`` deletes it. Chunks do not change until ``recut``.

        ``scope``: "kind" or "document"; ``key``: the kind or the version id. Raises ``LecternError`` for another scope,
        ``NotFoundError`` for an unknown document.
        """
        if scope not in recipes.SCOPES:
            raise LecternError(f"A recipe cannot belong to {scope!r}.", f"Choose one of: {', '.join(recipes.SCOPES)}.")
        with self._store.transaction():
            if scope == "document" and chunking is not None:
                documents.require_version(self._store, key)
            recipes.set_own_recipe(self._store, scope, key, chunking)

    def effective_chunking(self, version_id: str) -> tuple[ChunkingSettings, str]:
        """A document's settings and their scope: "library", "kind" or "document". Raises ``NotFoundError``."""
        version, overrides = documents.require_version(self._store, version_id), recipes.overrides(self._store)
        for scope, key in (("document", version_id), ("kind", version.kind)):
            if (scope, key) in overrides:
                return overrides[scope, key], scope
        return self._run(None).settings.chunking, "library"

    def reached(self, scope: str, key: str = "") -> list[SourceRow]:
        """The documents to which the recipe of a scope applies, each by its first live source."""
        return applying.reached(self._store, scope, key)

    def plan(self, scope: str, key: str, chunking: ChunkingSettings | None, tell: Tell | None = None) -> Cost:
        """Estimate the cost of applying a recipe. ``tell(done, total)`` counts documents; it may raise to stop."""
        return applying.plan_apply(self._prepare(), scope, key, chunking, tell)

    def apply(
        self, scope: str, key: str, chunking: ChunkingSettings | None, watch: Watch | None = None
    ) -> IngestReport:
        """Set the own recipe of a kind or a document and chunk the documents to which it applies.

        For the library's settings, use ``Library.apply``. ``watch``: its items are the documents of ``reached``. Raises
        as ``set_recipe``.
        """
        self._serve(watch)
        self.set_recipe(scope, key, chunking)
        return applying.recut(self._run(watch), [row.version_id for row in self.reached(scope, key)])

    def outdated(self) -> list[str]:
        """Documents that an earlier parser read, or one with other settings; ``recut`` parses them again.

        Version ids, in the order they were added.
        """
        parsing = self._run(None).settings.parsing
        current = {kind: parser_fingerprint(kind, parsing) for kind in PARSERS}
        stored_parsers = documents.parsers(self._store)
        return [version_id for version_id, kind, parser in stored_parsers if parser != current.get(kind, parser)]

    def recut(self, version_ids: Sequence[str], watch: Watch | None = None) -> IngestReport:
        """Chunk documents again by their recipes and edits, ``outdated`` ones parsed anew; others cost nothing."""
        self._serve(watch)
        return applying.recut(self._run(watch), version_ids)

    def chunker_resources(
        self, chunker: str, encoder: Encoder, tell: Tell | None = None, version_id: str = ""
    ) -> ChunkerResources:
        """What a chunker needs besides the document, to try out a recipe.

        The chunker ``learned`` is trained if it never was, and a language model may propose chunks; for contexts, only
        cached replies are used. ``tell(done, total)`` counts the sentences to encode for training; it may raise to
        stop.
        """
        dry_run = self._prepare().chunker_resources(chunker, encoder)
        full = self._prepare(teaches=True).chunker_resources(chunker, encoder, tell, version_id)
        return replace(full, situator=dry_run.situator)

    def learn(self, watch: Watch | None = None, *, anyway: bool = False) -> None:
        """Train the chunker ``learned`` again, if a recipe uses it and the library has grown enough, or ``anyway``.

        Progress is reported on the watch's first item. After a cancellation or an error, the old one stays in use.
        """
        run, tell = self._run(None), partial(watch.stage, 0, "chunking") if watch else None
        with suppress(ItemCancelledError, ModelError, StorageError):
            teaching_section_starts.renew(run.store, run.model, run.settings.chunking, tell, anyway=anyway)

    def leave_to_words(self, source_ids: Sequence[int]) -> None:
        """Make documents lexical-only: delete their vectors and encode them no more.

        A document that also has a source outside ``source_ids`` keeps its vectors. Raises ``NotFoundError``.
        """
        tiers.leave_to_words(self._store, source_ids)
        apply_if_possible(self._store)

    def take_from_words(self, source_ids: Sequence[int]) -> list[str]:
        """Undo ``leave_to_words``; return the versions to pass to ``recut``, which encodes them."""
        return tiers.take_from_words(self._store, source_ids)

    def rarely_used(self, older_than_days: int = 0, unread_for_days: int = 0) -> list[int]:
        """Sources that were neither changed nor read for so many days (0: any); see ``tiers.rarely_used``.

        Raises ``LecternError``.
        """
        return tiers.rarely_used(self._store, older_than_days, unread_for_days)

    def tier_cost(self, source_ids: Sequence[int]) -> TierCost:
        """What making these documents lexical-only saves, and what encoding them costs."""
        return tier_cost(tiers.index_usage(self._store, source_ids), self.texts_a_second())

    def texts_a_second(self) -> float:
        """The measured speed of the encoder, or a default."""
        return float(self._store.meta(TEXTS_A_SECOND) or applying.TEXTS_AT_FIRST)

    def loads(self, files: Sequence[tuple[str, int]]) -> list[float]:
        """The estimated work for each ``(kind, bytes)`` file, relative to a typical document of the library."""
        return loads(self._store, files)

    def _prepare(self, *, teaches: bool = False) -> Preparer:
        """A ``Preparer`` for versions in the library. ``teaches``: as there."""
        run, serving = self._run(None), serving_generation(self._store)
        number = serving.number if serving else 0
        return Preparer(
            run.store, run.model, run.settings, number, run.passwords, recut=True, teaches=teaches, writer=run.writer
        )
