"""Applying a changed recipe or embedder to the documents of a library, and estimating the cost beforehand.

The recipe is stored first, then the documents are chunked again one by one. After an interruption the rest can be done
later; until then, a document is searched with its old chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from core.chunking.plan import BY_VECTORS
from core.chunking.prefixes import encoder_inputs
from core.chunking.signals.series import sentences
from core.chunking.situating import with_aliases
from core.embedding import vector_key
from core.errors import CancelledError, ModelError
from core.ingest.cost import asking
from core.ingest.ingest import TEXTS_A_SECOND, Ingest, ItemCancelledError, Watch
from core.ingest.prepared import Incoming
from core.ingest.preparing import Preparer
from core.ingest.reports import Failure, Ingested, IngestReport
from core.settings import ChunkingSettings
from core.storage.catalogue.filing import sources
from core.storage.catalogue.filing.sources import SourceRow
from core.storage.catalogue.filing.tiers import is_lexical_only
from core.storage.catalogue.replies import tokens_per_second
from core.storage.catalogue.texts import documents, generations
from core.storage.catalogue.texts import recipes as stored
from core.storage.index.cache import CatalogueVectors
from core.storage.index.outbox import apply_outbox
from core.storage.store import Store
from core.text.values.numerals import counted, in_time
from core.types import VectorCache

_CHARACTERS_A_TOKEN = 4.3  # English prose in MiniLM's word pieces
_FILL = 0.8  # mean size of a leaf, relative to the maximum
TEXTS_AT_FIRST = 100.0  # assumed speed of the encoder in texts per second (two cores) until it has been measured

Tell = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Cost:
    """The estimated cost of applying a recipe.

    ``documents``: how many change. ``chunks_now``, ``chunks_then``: their leaves before and after.
    ``texts_to_encode``: distinct texts without a cached vector. ``seconds``: an estimate. ``exact``: ``False`` if the
    new chunks depend on sentences to encode, on a language model or on the untrained chunker ``learned``.
    ``requests``: to the language model, with ``prompt_tokens`` in total. ``writing_seconds``: the time for them;
    ``None`` if its speed is unknown.
    """

    documents: int
    chunks_now: int
    chunks_then: int
    texts_to_encode: int
    seconds: float
    exact: bool = True
    requests: int = 0
    prompt_tokens: int = 0
    writing_seconds: float | None = None

    @property
    def sentence(self) -> str:
        """The estimate in words, for display before the user starts.

        >>> Cost(1, 40, 52, 1200, 12.3).sentence, Cost(0, 0, 0, 0, 0.0).sentence
        ('1 document, 40 chunks now and 52 then: 1,200 texts to encode, about 12 s', 'Nothing would change.')
        >>> Cost(1, 40, 52, 52, 1, False, 52, 90_000, 600).sentence.partition("; ")[2]
        'the language model is asked 52 times at most and reads about 90,000 tokens, about 10 min'
        """
        if not self.documents:
            return "Nothing would change."
        about = "" if self.exact else "about "
        documents, texts = counted(self.documents, "document"), about + counted(self.texts_to_encode, "text")
        chunks = f"{self.chunks_now:,} chunks now and {about}{self.chunks_then:,} then"
        sentence = f"{documents}, {chunks}: {texts} to encode, about {in_time(self.seconds)}"
        if not self.requests:
            return sentence
        requests = asking(self.requests, self.prompt_tokens, self.writing_seconds)
        return f"{sentence}; {requests[0].lower()}{requests[1:]}"


def reached(store: Store, scope: str, key: str) -> list[SourceRow]:
    """The documents to which the recipe of a scope applies, each by its first live source.

    ``scope``: "document", "kind" or "library". ``key``: the version id or the document kind.
    """
    overrides = stored.overrides(store)
    rows: dict[str, SourceRow] = {}
    for row in sources.sources(store):
        has_own = ("document", row.version_id) in overrides
        applies = {
            "document": row.version_id == key,
            "kind": row.document_kind == key and not has_own,
            "library": not has_own and ("kind", row.document_kind) not in overrides,
        }
        if applies[scope]:
            rows.setdefault(row.version_id, row)
    return list(rows.values())


def plan_apply(by: Preparer, scope: str, key: str, chunking: ChunkingSettings | None, tell: Tell | None = None) -> Cost:
    """The cost of applying a recipe, found by chunking every affected document without storing the result.

    Nothing is encoded, no chunker trained and no language model called; where the chunks depend on these, the cost is
    an estimate. A document that needs to be parsed again is chunked by its stored text. ``tell(done, total)`` counts
    documents and may raise to stop.
    """
    by = replace(by, teaches=False, skipped_prompts=[], _recipes={}, _starts={})
    overrides = dict(stored.overrides(by.store))
    if scope != "library":
        overrides.pop((scope, key), None)
        if chunking is not None:
            overrides[scope, key] = chunking
    library = chunking if scope == "library" and chunking is not None else by.settings.chunking
    rows, started = reached(by.store, scope, key), perf_counter()
    planned: list[_Planned] = []
    leaves_before = 0
    for number, row in enumerate(rows):
        if tell:
            tell(number, len(rows))
        document = _planned(by, row, stored.resolve(library, overrides, row.document_kind, row.version_id))
        if document is not None:
            planned.append(document)
            leaves_before += row.chunks
    keys = list(dict.fromkeys(key for document in planned for key in document.keys))
    estimated_leaves = sum(document.leaves for document in planned if not document.encoded)
    texts = len(keys) - len(CatalogueVectors(by.store).known(keys)) + estimated_leaves
    speed = float(by.store.meta(TEXTS_A_SECOND) or TEXTS_AT_FIRST)
    seconds = perf_counter() - started + texts / speed
    leaves = sum(document.leaves for document in planned)
    if by.skipped_prompts and chunking is not None:
        # Each reply adds texts to encode: a written prefix changes the leaf's text, an alias is a text of its own.
        prompts, aliases = len(chunking.asked_of_a_leaf), chunking.most_aliases
        texts_per_prompt = (aliases + chunking.is_written) / prompts if prompts else 1
        texts = min(
            leaves * (1 + aliases) + len(planned) * ("document" in chunking.aliases),
            texts + round(texts_per_prompt * len(by.skipped_prompts)),
        )
    prompt_tokens = sum(by.skipped_prompts)
    pace = tokens_per_second(by.store)
    return Cost(
        documents=len(planned),
        chunks_now=leaves_before,
        chunks_then=leaves,
        texts_to_encode=texts,
        seconds=seconds,
        exact=not by.skipped_prompts and all(document.exact for document in planned),
        requests=len(by.skipped_prompts),
        prompt_tokens=prompt_tokens,
        writing_seconds=prompt_tokens / pace if pace else None,
    )


@dataclass(frozen=True, slots=True)
class _Planned:
    """A document as it would be chunked.

    ``keys``: of the vectors it needs. ``exact``: ``False`` if the number of ``leaves`` may differ in the end.
    ``encoded``: ``False`` if its sentences are not encoded yet; ``keys`` are then theirs.
    """

    leaves: int
    keys: Sequence[str]
    exact: bool = True
    encoded: bool = True


def _planned(by: Preparer, row: SourceRow, chunking: ChunkingSettings) -> _Planned | None:
    """How a document would be chunked; ``None`` if it is chunked so already or was removed meanwhile."""
    version = documents.version(by.store, row.version_id)
    if version is None:
        return None
    recipe = replace(by.document_recipe(row.version_id, version.kind), chunking=chunking)
    lexical_only = is_lexical_only(by.store, row.version_id)
    if by.is_cut(row.version_id, version.parser, recipe, left=lexical_only):
        return None
    document, encoder = documents.document(by.store, row.version_id), by.model.encoder
    if chunking.chunker in BY_VECTORS:
        spans = sentences(document)
        keys = [vector_key(encoder.fingerprint, document.text[span.start : span.end]) for span in spans]
        if len(CatalogueVectors(by.store).known(keys)) < len(set(keys)):
            return _Planned(estimated_leaf_count(version.characters, chunking), keys, False, encoded=False)
    chunked, _ = by.cut(document, version.parser, recipe)
    own = encoder_inputs(chunked.tree, chunking, by.model.counter, encoder.max_tokens)
    inputs = () if lexical_only else with_aliases(chunked.tree, own)
    untrained = (
        chunking.chunker == "learned" and by.store.writable and by.chunker_resources("learned", encoder).starts is None
    )
    return _Planned(len(own), [vector_key(encoder.fingerprint, text) for text in inputs], exact=not untrained)


def estimated_leaf_count(characters: int, chunking: ChunkingSettings) -> int:
    """The estimated number of leaves of a text, by its length and the size settings only.

    >>> estimated_leaf_count(43_000, ChunkingSettings(max_tokens=125, prefix=()))
    100
    """
    body = max(1, chunking.max_tokens - chunking.overlap_room - chunking.prefix_room * bool(chunking.read_prefix) / 2)
    unit = _CHARACTERS_A_TOKEN if chunking.unit == "tokens" else 1.0
    return round(characters / (unit * _FILL * body))


def recut(run: Ingest, version_ids: Sequence[str] | None = None, lender: VectorCache | None = None) -> IngestReport:
    """Chunk documents (``None``: all) again by their recipes and edits; those that are up to date cost nothing.

    ``lender``: as in ``Ingest``.
    """
    names: dict[str, str] = {}
    for row in sources.sources(run.store):
        names.setdefault(row.version_id, row.name)  # the name of the first source, as in the first ingest
    run.keep_sources, run.lender = True, lender
    selected = dict.fromkeys(names if version_ids is None else version_ids)
    return run.run([Incoming(names[version], content_hash=version) for version in selected if version in names])


def fill_generation(run: Ingest, items: int | None = None) -> IngestReport | None:
    """If the run's embedder is not the serving one, build its generation and make it the serving one.

    Returns the report, ``None`` if there was nothing to do. Failed documents are listed and missing in the new
    generation. Raises ``ModelError``, and keeps the serving generation, if all fail. ``items``: the number of queue
    items that the run's watch reports on while they wait; ``None``: it reports on the documents.
    """
    encoder = run.model.encoder
    generation = generations.begin_generation(run.store, encoder.fingerprint, encoder.dimension)
    if generation.serving:
        return None
    run.generation = generation.number
    if run.watch and items is not None:
        live = {row.version_id for row in sources.sources(run.store)}
        run.watch = OnItems(run.watch, items, len(live), "renewing")
    report = recut(run)
    if report.failures and not report.documents:
        generations.drop_generation(run.store, generation.number)
        raise ModelError(
            f"No document could be moved to the new embedder: {report.failures[0].reason}",
            "The library is as it was. Choose another embedder, or mend this one and apply it again.",
        )
    failed = generations.unfinished_versions(run.store, generation.number) if report.failures else []
    generations.serve(run.store, generation.number, without=failed)
    return report


def drop_others(run: Ingest) -> None:
    """Delete all generations except the serving one."""
    for other in generations.generations(run.store):
        if not other.serving:
            generations.drop_generation(run.store, other.number)
    apply_outbox(run.store)


@dataclass(slots=True)
class OnItems:
    """A ``Watch`` for work on ``documents`` that is shown as the progress of one of ``items`` items of another watch.

    It reports the number of finished documents. ``called``: the stage to report; "" for the stage of the current
    document, with "encoding 3 of 12" for its texts (or, of a single document, their numbers as the progress). The first
    item is used until it is cancelled, then the next one; when all are cancelled, so is the work.
    """

    watch: Watch
    items: int
    documents: int
    called: str = ""
    _done: int = 0
    _item: int = 0

    def stage(self, index: int, stage: str, done: int, total: int) -> None:
        """Report the number of finished documents, or of encoded texts."""
        progress = (self.called or stage, min(self._done, self.documents), self.documents)
        if stage == "encoding" and total and not self.called:
            with_texts = f"{stage} {done:,} of {total:,}", *progress[1:]
            progress = with_texts if self.documents > 1 else (stage, done, total)
        while self._item < self.items:
            try:
                self.watch.stage(self._item, *progress)
            except ItemCancelledError:
                self._item += 1
            else:
                return
        raise CancelledError("Every file was cancelled.")

    def finished(self, index: int, outcome: Ingested | Failure) -> None:
        """Count a finished document."""
        self._done += 1
