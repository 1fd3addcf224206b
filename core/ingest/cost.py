"""What reading files would cost, before it is done: the same figures for the page, the commands and a folder's plan.

Pages and chunks are reckoned from bytes: as this library's own documents of a kind turned out where it holds enough of
them, else as files of that kind usually are. Time is this machine's own pace, or not known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.chunking.plan import Writer
from core.settings import ChunkingSettings
from core.storage.catalogue.replies import tokens_per_second
from core.storage.catalogue.statistics import KindFigures, kind_figures
from core.storage.catalogue.tiers import IndexUsage
from core.storage.store import Store
from core.text.numerals import counted, in_bytes, in_time

SECONDS_A_DOCUMENT = "preference.seconds_a_document"  # kept with the library: how fast its machine reads documents
_ENOUGH = 3  # documents of a kind, to know it by them
_MANY_CHUNKS = 100  # to know by them what a chunk takes of the index
_CHARACTERS_A_CHUNK = 350
_CHUNKS_A_DOCUMENT = 8  # about what opening, storing and telling of any document take
_BYTES_A_CHUNK = 8000  # of text, words, vectors and Chroma together
_BYTES_A_TOKEN = 3.5
_BYTES_A_PROMPT = 900  # beside the document: a chunk, and what is asked
_TEXT_A_BYTE = {  # characters; a kind that is not named is text
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
}
_BYTES_A_PAGE = {"pdf": 60_000, "pptx": 30_000, "ppt": 30_000, "odp": 30_000}


@dataclass(frozen=True, slots=True)
class Cost:
    """``kinds``: files by kind, the most first. ``pages``: of kinds that have any. ``index_bytes``: beside the files
    themselves. ``seconds``: ``None`` where this library has read nothing yet. ``measured``: files of kinds that were
    reckoned by the library's own documents. ``requests``: to a language model, at most, which reads about
    ``prompt_tokens`` in ``writing_seconds``, ``None`` where it was never asked.
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
        """How pages and chunks were reckoned, as a phrase."""
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
    """What reading files, each a kind and its bytes, would cost; ``None``: in a library that is not there yet.

    ``writer``: what is asked for what ``chunking`` wants written of every document; ``None``: nobody.
    """
    room = writer.room if writer else 0
    if store is None:
        return reckon(files, {}, None, None, chunking, room)
    known, bytes_a_chunk = kind_figures(store, _MANY_CHUNKS)
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
    """``known``: what the library's documents came to, by kind; ``None`` for what it has not measured yet. ``room``:
    bytes of the prompts that ``chunking`` has written; 0: nobody is asked.

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
        seen, before = known.get(kind), chunks
        if seen and seen.documents >= _ENOUGH and seen.size_bytes:
            share = sizes[kind] / seen.size_bytes
            pages, chunks, measured = pages + share * seen.pages, chunks + share * seen.chunks, measured + count
        else:
            characters = sizes[kind] * _TEXT_A_BYTE.get(kind, 1.0)
            chunks += max(count, characters / _CHARACTERS_A_CHUNK)
            pages += count if kind == "image" else sizes[kind] / _BYTES_A_PAGE[kind] if kind in _BYTES_A_PAGE else 0
        if room and chunking is not None and chunking.asks:
            # Each prompt shows the whole document, or as much of it as there is room for.
            shown = min(room, (chunks - before) / count * _CHARACTERS_A_CHUNK + _BYTES_A_PROMPT)
            asked = (chunks - before) * len(chunking.asked_of_a_leaf) + count * ("document" in chunking.aliases)
            requests, tokens = requests + asked, tokens + asked * shown / _BYTES_A_TOKEN
    seconds = None
    if seconds_a_document is not None:
        held = sum(seen.documents for seen in known.values())
        usual = sum(seen.chunks for seen in known.values()) / held if held else 0
        seconds = round(seconds_a_document * (chunks / usual if usual else kinds.total()), 1)
    index = round(chunks * (bytes_a_chunk or _BYTES_A_CHUNK))
    most_first = dict(kinds.most_common())
    figures = (sizes.total(), round(pages), round(chunks), index, seconds, measured, round(requests), round(tokens))
    return Cost(most_first, *figures)


def loads(store: Store, files: Sequence[tuple[str, int]]) -> list[float]:
    """How much each file, a kind and its bytes, is to read: 1 for what the library's usual document is, or, in an
    empty one, the usual one of these. By its chunks, and what any document takes besides.
    """
    known, _ = kind_figures(store, _MANY_CHUNKS)
    takes = [_CHUNKS_A_DOCUMENT + reckon([file], known, None, None).chunks for file in files]
    held = sum(seen.documents for seen in known.values())
    chunks = sum(seen.chunks for seen in known.values())
    usual = _CHUNKS_A_DOCUMENT + chunks / held if held else sum(takes) / max(1, len(takes))
    return [each / usual for each in takes]


@dataclass(frozen=True, slots=True)
class TierCost:
    """What leaving documents to their words saves, and what encoding them takes. ``chunks``: leaves with a vector,
    ``unencoded``: without. ``freed_bytes``: in the catalogue and, about, in Chroma. ``seconds``: to encode the chunks,
    or, of what is unencoded, these; about. ``asked``: questions in the log, ``read`` of which read one of them.
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
        """For a person, before the button is pressed.

        >>> TierCost(2, 1204, 0, 4_100_000, 300.0, 340, 12).leaving
        '2 documents, 1,204 chunks: about 4.1 MB of vectors are freed. To have them back takes about 5 min of \
encoding. Of 340 questions in the log 12 read one of them; such questions find them by words alone.'
        """
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
        """
        >>> TierCost(2, 0, 1204, 0, 300.0).encoding
        '2 documents, 1,204 chunks to encode, about 5 min.'
        """
        what = f"{counted(self.documents, 'document')}, {counted(self.unencoded, 'chunk')}"
        return f"{what} to encode, about {in_time(self.seconds)}."


def tier_cost(held: IndexUsage, texts_a_second: float) -> TierCost:
    """Of documents that hold so much, by an encoder of this speed."""
    freed = held.vector_bytes + held.chroma_bytes
    seconds = (held.leaves or held.unencoded) / texts_a_second
    return TierCost(held.documents, held.leaves, held.unencoded, freed, seconds, held.asked, held.read)


def sentence(cost: Cost) -> str:
    """A cost in words, the same everywhere.

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
    """What a language model would have to read, as a sentence without its stop.

    >>> asking(52, 90_000, 600)
    'The language model is asked 52 times at most and reads about 90,000 tokens, about 10 min'
    """
    time = "how long that takes is not known yet" if seconds is None else f"about {in_time(seconds)}"
    return f"The language model is asked {counted(requests, 'time')} at most and reads about {tokens:,} tokens, {time}"
