"""Recipes applied: to one document, to a kind, or to the library, or to a new embedder; what that costs.

A recipe is set first and documents are cut after it, each swapped whole: what is interrupted goes on from there, and a
document that was not reached yet is still answered from as it was.
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
from core.storage.catalogue import documents, generations, sources
from core.storage.catalogue import recipes as stored
from core.storage.catalogue.replies import tokens_per_second
from core.storage.catalogue.sources import SourceRow
from core.storage.catalogue.tiers import is_lexical_only
from core.storage.index.cache import CatalogueVectors
from core.storage.index.outbox import apply_outbox
from core.storage.store import Store
from core.text.numerals import counted, in_time

_CHARACTERS_A_TOKEN = 4.3  # English prose in MiniLM's word pieces
_PACKED = 0.8  # how full leaves are, on average
TEXTS_AT_FIRST = 100.0  # a second, on two cores, until this library has seen how fast its encoder is

Tell = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Cost:
    """What applying a recipe would do. ``documents``: that are cut otherwise by it; ``chunks_now`` and
    ``chunks_then``: their leaves. ``texts_to_encode``: distinct ones without a vector yet. ``seconds``: about.
    Not ``exact``: sentences must be encoded, a language model asked, or ``learned`` has to learn, before it is known
    where cuts fall. ``requests``: to the language model, which reads ``prompt_tokens`` in ``writing_seconds``, both
    about; ``None`` where it was never asked.
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
        """For a person, before the button is pressed.

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
        said = f"{documents}, {chunks}: {texts} to encode, about {in_time(self.seconds)}"
        asked = asking(self.requests, self.prompt_tokens, self.writing_seconds)
        return f"{said}; {asked[0].lower()}{asked[1:]}" if self.requests else said


def reached(store: Store, scope: str, key: str) -> list[SourceRow]:
    """The first live source of every document that a recipe of this scope decides for."""
    known = stored.overrides(store)
    found: dict[str, SourceRow] = {}
    for row in sources.sources(store):
        own = ("document", row.version_id) in known
        decides = {
            "document": row.version_id == key,
            "kind": row.document_kind == key and not own,
            "library": not own and ("kind", row.document_kind) not in known,
        }
        if decides[scope]:
            found.setdefault(row.version_id, row)
    return list(found.values())


def plan_apply(by: Preparer, scope: str, key: str, chunking: ChunkingSettings | None, tell: Tell | None = None) -> Cost:
    """What applying a recipe would do: every document it reaches is cut, and nothing is kept.

    Where a chunker reads the vectors of sentences that are not encoded yet, those are counted and the leaves reckoned.
    Nor is anything learned, or a language model asked: where that still has to be, what would be cut is not known
    exactly.
    ``tell(done, total)`` counts documents and may raise to stop. A document that its parser would read anew first is
    cut as it is read now.
    """
    by = replace(by, teaches=False, skipped_prompts=[], _recipes={}, _starts={})
    known = dict(stored.overrides(by.store))
    if scope != "library":
        known.pop((scope, key), None)
        if chunking is not None:
            known[scope, key] = chunking
    library = chunking if scope == "library" and chunking is not None else by.settings.chunking
    rows, started = reached(by.store, scope, key), perf_counter()
    planned: list[_Planned] = []
    now_ = 0
    for number, row in enumerate(rows):
        if tell:
            tell(number, len(rows))
        found = _planned(by, row, stored.resolve(library, known, row.document_kind, row.version_id))
        if found is not None:
            planned.append(found)
            now_ += row.chunks
    keys = list(dict.fromkeys(key for found in planned for key in found.keys))
    reckoned = sum(found.leaves for found in planned if not found.encoded)
    texts = len(keys) - len(CatalogueVectors(by.store).known(keys)) + reckoned
    speed = float(by.store.meta(TEXTS_A_SECOND) or TEXTS_AT_FIRST)
    seconds = perf_counter() - started + texts / speed
    exact = not by.skipped_prompts and all(found.exact for found in planned)
    leaves, tokens = sum(found.leaves for found in planned), sum(by.skipped_prompts)
    if by.skipped_prompts and chunking is not None:
        # What is written before a leaf is encoded with it, and what it is found by besides, by itself.
        prompts, beside = len(chunking.asked_of_a_leaf), chunking.most_aliases
        each = (beside + chunking.is_written) / prompts if prompts else 1
        texts = min(
            leaves * (1 + beside) + len(planned) * ("document" in chunking.aliases),
            texts + round(each * len(by.skipped_prompts)),
        )
    pace = tokens_per_second(by.store)
    return Cost(
        len(planned),
        now_,
        leaves,
        texts,
        seconds,
        exact,
        len(by.skipped_prompts),
        tokens,
        tokens / pace if pace else None,
    )


@dataclass(frozen=True, slots=True)
class _Planned:
    """A document as it would be cut. ``keys``: of the vectors it needs; not ``encoded``: of its sentences alone.

    Not ``exact``: it may be cut otherwise in the end.
    """

    leaves: int
    keys: Sequence[str]
    exact: bool = True
    encoded: bool = True


def _planned(by: Preparer, row: SourceRow, chunking: ChunkingSettings) -> _Planned | None:
    """``None`` for a document that is cut so already."""
    known = documents.version(by.store, row.version_id)
    if known is None:
        return None  # it was removed meanwhile
    chosen = replace(by.document_recipe(row.version_id, known.kind), chunking=chunking)
    left = is_lexical_only(by.store, row.version_id)
    if by.is_cut(row.version_id, known.parser, chosen, left=left):
        return None
    document, encoder = documents.document(by.store, row.version_id), by.model.encoder
    if chunking.chunker in BY_VECTORS:
        spans = sentences(document)
        needed = [vector_key(encoder.fingerprint, document.text[span.start : span.end]) for span in spans]
        if len(CatalogueVectors(by.store).known(needed)) < len(set(needed)):
            return _Planned(reckoned_leaves(known.characters, chunking), needed, False, encoded=False)
    made, _ = by.cut(document, known.parser, chosen)
    own = encoder_inputs(made.tree, chunking, by.model.counter, encoder.max_tokens)
    inputs = () if left else with_aliases(made.tree, own)
    learns = (
        chunking.chunker == "learned" and by.store.writable and by.chunker_resources("learned", encoder).starts is None
    )
    return _Planned(len(own), [vector_key(encoder.fingerprint, text) for text in inputs], exact=not learns)


def reckoned_leaves(characters: int, chunking: ChunkingSettings) -> int:
    """About how many leaves a text of so many characters will have, by the sizes alone.

    >>> reckoned_leaves(43_000, ChunkingSettings(max_tokens=125, prefix=()))
    100
    """
    body = max(1, chunking.max_tokens - chunking.overlap_room - chunking.prefix_room * bool(chunking.read_prefix) / 2)
    unit = _CHARACTERS_A_TOKEN if chunking.unit == "tokens" else 1.0
    return round(characters / (unit * _PACKED * body))


def recut(run: Ingest, version_ids: Sequence[str] | None = None) -> IngestReport:
    """Cut documents, ``None`` for all, by their recipes and edits, each swapped whole; what is cut so already costs
    nothing.
    """
    names: dict[str, str] = {}
    for row in sources.sources(run.store):
        names.setdefault(row.version_id, row.name)  # a version is read under its first name
    run.keep_sources = True
    wanted = dict.fromkeys(names if version_ids is None else version_ids)
    return run.run([Incoming(names[one], content_hash=one) for one in wanted if one in names])


def fill_generation(run: Ingest, items: int | None = None) -> IngestReport | None:
    """Where the run's embedder is another than the serving one's: fill its generation and flip to it.

    Returns what that cost; ``None`` where nothing had to be done. What fails is listed and stays out: one document
    must not keep the others from their new vectors. Raises ``ModelError`` where all fail: then nothing is flipped.
    ``items``: the run's watch knows so many items that wait for it;
    ``None``: it knows the documents themselves.
    """
    encoder = run.model.encoder
    wanted = generations.begin_generation(run.store, encoder.fingerprint, encoder.dimension)
    if wanted.serving:
        return None
    run.generation = wanted.number
    if run.watch and items is not None:
        live = {row.version_id for row in sources.sources(run.store)}
        run.watch = OnItems(run.watch, items, len(live), "renewing")
    report = recut(run)
    if report.failures and not report.documents:
        generations.drop_generation(run.store, wanted.number)
        raise ModelError(
            f"No document could be moved to the new embedder: {report.failures[0].reason}",
            "The library is as it was. Choose another embedder, or mend this one and apply it again.",
        )
    failed = generations.unfinished_versions(run.store, wanted.number) if report.failures else []
    generations.serve(run.store, wanted.number, without=failed)
    return report


def drop_others(run: Ingest) -> None:
    """Forget the generations that do not serve."""
    for other in generations.generations(run.store):
        if not other.serving:
            generations.drop_generation(run.store, other.number)
    apply_outbox(run.store)


@dataclass(slots=True)
class OnItems:
    """A ``Watch`` of ``documents`` that is told on the first of ``items`` items of another watch: how many are done.

    ``called``: what is said instead of each document's stage. Without it, the texts that are encoded meanwhile are told
    behind "encoding", as "encoding 3 of 12", and in the place of documents where there is one. An item cancelled
    meanwhile hands on to the next; when all are, the work is cancelled.
    """

    watch: Watch
    items: int
    documents: int
    called: str = ""
    _done: int = 0
    _item: int = 0

    def stage(self, index: int, stage: str, done: int, total: int) -> None:
        """Shows documents done, whatever happens to one of them."""
        told = (self.called or stage, min(self._done, self.documents), self.documents)
        if stage == "encoding" and total and not self.called:
            several = f"{stage} {done:,} of {total:,}", *told[1:]
            told = several if self.documents > 1 else (stage, done, total)
        while self._item < self.items:
            try:
                self.watch.stage(self._item, *told)
            except ItemCancelledError:
                self._item += 1
            else:
                return
        raise CancelledError("Every file was cancelled.")

    def finished(self, index: int, outcome: Ingested | Failure) -> None:
        """One document more."""
        self._done += 1
