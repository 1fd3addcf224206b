"""Cost estimates for ingesting files and for the lexical-only tier, as shown by pages, commands and folder plans.

Pages and chunks are estimated from file sizes: by the library's own documents of the same kind if there are enough of
them, otherwise by typical figures. Time is estimated from the measured pace of this machine, or unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.chunking.plan import Writer
from core.settings import ChunkingSettings
from core.storage.catalogue.filing.tiers import IndexUsage
from core.storage.catalogue.replies import tokens_per_second
from core.storage.catalogue.statistics import KindFigures, kind_figures
from core.storage.store import Store
from core.text.values.numerals import counted, in_bytes, in_time

SECONDS_A_DOCUMENT = "preference.seconds_a_document"  # meta key: the measured pace of ingestion
_MIN_DOCUMENTS = 3  # of a kind, to estimate by the library's own
_MIN_CHUNKS = 100  # to estimate the index size per chunk by the library's own
_CHARACTERS_A_CHUNK = 350
_CHUNKS_A_DOCUMENT = 8  # the fixed work per document, in chunks
_BYTES_A_CHUNK = 8000  # in the catalogue, lexical index, vectors and Chroma together
_BYTES_A_TOKEN = 3.5
_BYTES_A_PROMPT = 900  # besides the document: the chunk and the instruction
_CHARACTERS_A_BYTE = {  # of a file; 1 for kinds that are not listed
    "pdf": 0.03,
    "docx": 0.06,
    "doc": 0.06,
    "odt": 0.06,
    "pptx": 0.01,
    "ppt": 0.01,
    "odp": 0.01,
    "pages": 0.02,
    "xlsx": 0.05,
    "ods": 0.02,
    "epub": 0.2,
    "html": 0.15,
    "jats": 0.5,
    "xml": 0.5,
    "rtf": 0.2,
    "notebook": 0.3,
    "chat": 0.2,
    "image": 0.001,
    "eml": 0.3,
    "msg": 0.03,
    "mbox": 0.3,
    "calendar": 0.5,
    "contacts": 0.3,
    "references": 0.5,
    "records": 0.3,
}
_BYTES_A_PAGE = {"pdf": 60_000, "pptx": 30_000, "ppt": 30_000, "odp": 30_000}


@dataclass(frozen=True, slots=True)
class Cost:
    """The estimated cost of ingesting files.

    ``kinds``: the number of files by kind, most frequent first. ``pages``: of kinds with pages. ``index_bytes``:
    without the originals. ``seconds``: ``None`` if this machine's pace is unknown. ``measured``: files estimated by the
    library's own documents. ``requests``: to a language model at most, with ``prompt_tokens`` in total.
    ``writing_seconds``: the time for them; ``None`` if its speed is unknown.
    """

    kinds: Mapping[str, int]
    size_bytes: int
    pages: int
    chunks: int
    index_bytes: int
    seconds: float | None
    measured: int
    requests: int = 0
    prompt_tokens: int = 0
    writing_seconds: float | None = None

    @property
    def files(self) -> int:
        return sum(self.kinds.values())

    @property
    def basis(self) -> str:
        """A phrase on how pages and chunks were estimated."""
        if self.measured == self.files:
            return "reckoned by this library's own documents"
        usual = "by the bytes of each kind, as such files usually are"
        return f"reckoned {usual}" if not self.measured else f"reckoned partly by this library's own, partly {usual}"


def cost_of(
    store: Store | None,
    files: Iterable[tuple[str, int]],
    chunking: ChunkingSettings | None = None,
    writer: Writer | None = None,
) -> Cost:
    """The estimated cost of ingesting ``(kind, bytes)`` files.

    ``store``: ``None`` for a library that does not exist yet. ``writer``: the language model that ``chunking`` would
    call, or ``None``.
    """
    room = writer.room if writer else 0
    if store is None:
        return reckon(files, {}, None, None, chunking, room)
    known, bytes_a_chunk = kind_figures(store, _MIN_CHUNKS)
    pace = store.meta(SECONDS_A_DOCUMENT)
    cost = reckon(files, known, float(pace) if pace else None, bytes_a_chunk, chunking, room)
    speed = tokens_per_second(store)
    return replace(cost, writing_seconds=cost.prompt_tokens / speed) if speed and cost.requests else cost


def reckon(
    files: Iterable[tuple[str, int]],
    known: Mapping[str, KindFigures],
    seconds_a_document: float | None,
    bytes_a_chunk: float | None,
    chunking: ChunkingSettings | None = None,
    room: int = 0,
) -> Cost:
    """The estimated cost of ``(kind, bytes)`` files.

    ``known``: figures of the library's documents by kind. ``seconds_a_document``, ``bytes_a_chunk``: measured values,
    ``None`` if there are none. ``room``: the largest prompt in bytes; 0 without a language model.

    >>> known = {"pdf": KindFigures(10, 1_000_000, 20, 40)}
    >>> cost = reckon([("pdf", 500_000), ("text", 3500)], known, 2.0, None)
    >>> cost.pages, cost.chunks, cost.seconds, cost.measured
    (10, 30, 15.0, 1)
    >>> wanted = ChunkingSettings(aliases=("summary", "document"))
    >>> reckon([("text", 3500)], {}, None, None, wanted, 8000).requests
    11
    """
    kinds: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for kind, size in files:
        kinds[kind] += 1
        sizes[kind] += size
    pages = chunks = requests = tokens = 0.0
    measured = 0
    for kind, count in kinds.items():
        own, chunks_before = known.get(kind), chunks
        if own and own.documents >= _MIN_DOCUMENTS and own.size_bytes:
            share = sizes[kind] / own.size_bytes
            pages, chunks, measured = pages + share * own.pages, chunks + share * own.chunks, measured + count
        else:
            characters = sizes[kind] * _CHARACTERS_A_BYTE.get(kind, 1.0)
            chunks += max(count, characters / _CHARACTERS_A_CHUNK)
            pages += count if kind == "image" else sizes[kind] / _BYTES_A_PAGE[kind] if kind in _BYTES_A_PAGE else 0
        if room and chunking is not None and chunking.asks:
            kind_chunks = chunks - chunks_before
            # Each prompt contains the whole document, or as much of it as fits.
            prompt_bytes = min(room, kind_chunks / count * _CHARACTERS_A_CHUNK + _BYTES_A_PROMPT)
            kind_requests = kind_chunks * len(chunking.asked_of_a_leaf) + count * ("document" in chunking.aliases)
            requests, tokens = requests + kind_requests, tokens + kind_requests * prompt_bytes / _BYTES_A_TOKEN
    seconds = None
    if seconds_a_document is not None:
        mean_chunks = _mean_chunks(known)
        seconds = round(seconds_a_document * (chunks / mean_chunks if mean_chunks else kinds.total()), 1)
    return Cost(
        kinds=dict(kinds.most_common()),
        size_bytes=sizes.total(),
        pages=round(pages),
        chunks=round(chunks),
        index_bytes=round(chunks * (bytes_a_chunk or _BYTES_A_CHUNK)),
        seconds=seconds,
        measured=measured,
        requests=round(requests),
        prompt_tokens=round(tokens),
    )


def _mean_chunks(known: Mapping[str, KindFigures]) -> float:
    """The mean number of chunks of the library's documents; 0 without documents."""
    documents = sum(figures.documents for figures in known.values())
    return sum(figures.chunks for figures in known.values()) / documents if documents else 0.0


def loads(store: Store, files: Sequence[tuple[str, int]]) -> list[float]:
    """The estimated work for each ``(kind, bytes)`` file, relative to a typical document.

    Work is measured in chunks plus a fixed amount per document. The typical document is the mean of the library, or of
    ``files`` if it is empty.
    """
    known, _ = kind_figures(store, _MIN_CHUNKS)
    work = [_CHUNKS_A_DOCUMENT + reckon([file], known, None, None).chunks for file in files]
    is_empty = not any(figures.documents for figures in known.values())
    typical = sum(work) / max(1, len(work)) if is_empty else _CHUNKS_A_DOCUMENT + _mean_chunks(known)
    return [each / typical for each in work]


@dataclass(frozen=True, slots=True)
class TierCost:
    """What making documents lexical-only saves, and what encoding them costs.

    ``chunks``: encoded leaves; ``unencoded``: the others. ``freed_bytes``: in the catalogue and, estimated, in Chroma.
    ``seconds``: to encode the chunks, or the unencoded ones if there are no others. ``asked``: questions in the log;
    ``read``: those of them with one of the documents in their context.
    """

    documents: int
    chunks: int
    unencoded: int
    freed_bytes: int
    seconds: float
    asked: int = 0
    read: int = 0

    @property
    def leaving(self) -> str:
        """The consequences of making them lexical-only, for display.

        >>> TierCost(2, 1204, 0, 4_100_000, 300.0, 340, 12).leaving
        '2 documents, 1,204 chunks: about 4.1 MB of vectors are freed. To have them back takes about 5 min of \
encoding. Of 340 questions in the log 12 read one of them; such questions find them by words alone.'
        >>> TierCost(0, 0, 0, 0, 0.0, 340, 0).leaving
        'No document is concerned.'
        """
        if not self.documents:
            return "No document is concerned."
        what = f"{counted(self.documents, 'document')}, {counted(self.chunks, 'chunk')}"
        freed = f"about {in_bytes(self.freed_bytes)} of vectors are freed"
        back = f"To have them back takes about {in_time(self.seconds)} of encoding."
        lost = "No question is in the log, so who would miss them is not known."
        if self.asked:
            found = f"{self.read:,} read one of them; such questions find them by words alone."
            lost = f"Of {counted(self.asked, 'question')} in the log {found}"
        return f"{what}: {freed}. {back} {lost}"

    @property
    def encoding(self) -> str:
        """The cost of encoding them, for display.

        >>> TierCost(2, 0, 1204, 0, 300.0).encoding
        '2 documents, 1,204 chunks to encode, about 5 min.'
        """
        what = f"{counted(self.documents, 'document')}, {counted(self.unencoded, 'chunk')}"
        return f"{what} to encode, about {in_time(self.seconds)}."


def tier_cost(usage: IndexUsage, texts_a_second: float) -> TierCost:
    """The cost for documents with this index usage and an encoder of this speed."""
    freed = usage.vector_bytes + usage.chroma_bytes
    seconds = (usage.leaves or usage.unencoded) / texts_a_second
    return TierCost(usage.documents, usage.leaves, usage.unencoded, freed, seconds, usage.asked, usage.read)


def sentence(cost: Cost) -> str:
    """A cost in words, for display.

    >>> sentence(reckon([("pdf", 6_000_000), ("text", 700)], {}, None, None))
    '2 files (1 pdf, 1 text; 6.0 MB), about 100 pages and 516 chunks, 4.1 MB of index; how long it takes is not yet \
known: this library has read nothing here. Pages and chunks are reckoned by the bytes of each kind, as such files \
usually are.'
    """
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in cost.kinds.items())
    pages = f"{counted(cost.pages, 'page')} and " if cost.pages else ""
    time = "how long it takes is not yet known: this library has read nothing here"
    if cost.seconds is not None:
        minutes = max(1, round(cost.seconds / 60))
        time = f"about {counted(minutes, 'minute')} at this machine's pace" if cost.seconds >= 60 else "under a minute"
    files, chunks = counted(cost.files, "file"), counted(cost.chunks, "chunk")
    bulk, index = in_bytes(cost.size_bytes), in_bytes(cost.index_bytes)
    return (
        f"{files} ({kinds}; {bulk}), about {pages}{chunks}, {index} of index; "
        f"{time}. {f'{asking(cost.requests, cost.prompt_tokens, cost.writing_seconds)}. ' if cost.requests else ''}"
        f"Pages and chunks are {cost.basis}."
    )


def asking(requests: int, tokens: int, seconds: float | None) -> str:
    """The cost of a language model in words, without a full stop.

    >>> asking(52, 90_000, 600)
    'The language model is asked 52 times at most and reads about 90,000 tokens, about 10 min'
    """
    time = "how long that takes is not known yet" if seconds is None else f"about {in_time(seconds)}"
    return f"The language model is asked {counted(requests, 'time')} at most and reads about {tokens:,} tokens, {time}"
