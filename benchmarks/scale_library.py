"""Synthetic libraries of any size from a seed, written through the catalogue's transactions and its outbox.

Parsing, chunking and encoding are left out, since their cost per leaf does not depend on the size of the library. The
leaves have the length of prose and word frequencies of a natural language. Their vectors are distributed around their
document's vector, which lies near its subject's, with different variances along the dimensions.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from core.chunking.auditing import Audit
from core.ingest.ingest import BATCH_TEXTS
from core.ingest.prepared import Cut, new_leaves
from core.library import Library
from core.storage.catalogue.filing.sources import point_source
from core.storage.catalogue.texts.chunks import Recipe, swap_chunks
from core.storage.catalogue.texts.documents import put_document
from core.storage.catalogue.texts.generations import begin_generation
from core.storage.index.cache import CatalogueVectors
from core.storage.index.outbox import apply_outbox
from core.types import Block, BlockKind, Chunk, ChunkTree, Document, Encoder, Span, Vectors

DIMENSION = 384
SUBJECTS, WORDS, OWN_WORDS = 2000, 40_000, 150  # in total; and the words typical of a subject
LEAVES_A_DOCUMENT, LEAVES_A_SECTION = 20, 4
TOKENS_A_WORD = 1.3
_COUNTED = (
    "SELECT (SELECT count(DISTINCT version) FROM source WHERE trashed_at IS NULL),"
    " (SELECT count(*) FROM chunk WHERE level = 0)"
)
_RECIPE = Recipe("made-up-1", "made up", {})


@dataclass(frozen=True, slots=True)
class Made:
    """A made-up document. ``vectors``: (leaves, 384) float32 of unit norm, aligned with ``tree.leaves``."""

    tree: ChunkTree
    vectors: Vectors


class World:
    """Generates documents and questions; equal seeds generate equal ones."""

    def __init__(self, seed: int = 0) -> None:
        drawn = np.random.default_rng(seed)
        syllables = [first + vowel for first in "bdfgklmnprstvz" for vowel in ("a", "e", "i", "o", "u", "an", "er")]
        spoken = ("".join(drawn.choice(syllables, size)) for size in itertools.cycle((2, 3, 3, 4)))
        self._words = np.array(list(itertools.islice(dict.fromkeys(itertools.islice(spoken, 3 * WORDS)), WORDS)))
        frequency = 1 / (np.arange(len(self._words)) + 2.7)  # the Zipf–Mandelbrot law
        self._often = np.cumsum(frequency / frequency.sum())
        self._own = drawn.integers(200, len(self._words), (SUBJECTS, OWN_WORDS))
        # A few dimensions have most of the variance, as in the vectors of language models.
        self._spread = (np.arange(1, DIMENSION + 1) ** -0.35).astype(np.float32)
        self._centres = drawn.standard_normal((SUBJECTS, DIMENSION), np.float32) * self._spread
        self.seed = seed

    def documents(self, first: int) -> Iterator[Made]:
        """Documents without end, from a number on; a number always gives the same document."""
        return map(self.document, itertools.count(first))

    def document(self, number: int) -> Made:
        """The document of a number: about twenty leaves on one subject, in sections."""
        drawn, subject = self._drawn(number)
        count = int(np.clip(drawn.lognormal(np.log(LEAVES_A_DOCUMENT) - 0.18, 0.6), 2, 200))
        paragraphs = [self._paragraph(drawn, subject) for _ in range(count)]
        title = f"{' '.join(self._words[drawn.choice(self._own[subject], 3)])} {number}".capitalize()
        vectors = self._near(drawn, self._centres[subject] + 0.6 * self._step(drawn, 1), count)
        return Made(_tree(title, paragraphs), vectors)

    def _drawn(self, number: int) -> tuple[np.random.Generator, int]:
        """The random generator of a document, after its first draw, and the subject drawn."""
        drawn = np.random.default_rng((self.seed, 1, number))
        return drawn, int(drawn.integers(SUBJECTS))

    def question(self, number: int, documents: int) -> tuple[str, Vectors]:
        """A question of seven words from one of the first ``documents``, and a vector near that of its subject.

        All words are in the document: others would be corrected as misspellings, which is rare in real questions.
        """
        drawn = np.random.default_rng((self.seed, 2, number))
        asked = int(drawn.integers(documents))
        words = re.findall(r"[^\W\d_]+", self.document(asked).tree.document.text.lower())
        said = drawn.choice(list(dict.fromkeys(words)), 7, replace=False)
        about = self._centres[self._drawn(asked)[1]]
        return f"{' '.join(said).capitalize()} {number}?", self._near(drawn, about, 1)[0]

    def _paragraph(self, drawn: np.random.Generator, subject: int) -> str:
        count = int(np.clip(drawn.normal(66, 12), 15, 84))
        words = self._spoken(drawn, count)
        own = drawn.random(count) < 0.25
        words[own] = self._words[drawn.choice(self._own[subject], int(own.sum()))]
        for place in np.flatnonzero(drawn.random(count) < 0.02):
            words[place] = str(drawn.integers(2, 2000))
        sentences = (" ".join(words[at : at + 14]).capitalize() for at in range(0, count, 14))
        return ". ".join(sentences) + "."

    def _spoken(self, drawn: np.random.Generator, count: int) -> NDArray[np.str_]:
        return self._words[np.minimum(np.searchsorted(self._often, drawn.random(count)), len(self._words) - 1)]

    def _step(self, drawn: np.random.Generator, count: int) -> Vectors:
        return drawn.standard_normal((count, DIMENSION), np.float32) * self._spread

    def _near(self, drawn: np.random.Generator, centre: Vectors, count: int) -> Vectors:
        vectors = centre + 0.6 * self._step(drawn, count)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def _tree(title: str, paragraphs: Sequence[str]) -> ChunkTree:
    text = "\n\n".join(paragraphs)
    version = hashlib.sha256(text.encode()).hexdigest()
    ends = np.cumsum([len(one) + 2 for one in paragraphs]) - 2
    spans = [Span(int(end) - len(one), int(end)) for one, end in zip(paragraphs, ends, strict=True)]
    chunks: list[Chunk] = []
    for first in range(0, len(spans), LEAVES_A_SECTION):
        inside = spans[first : first + LEAVES_A_SECTION]
        section = Span(inside[0].start, inside[-1].end)
        for level, parent, span in [(1, None, section), *((0, f"{version[:24]}-{first}-1", one) for one in inside)]:
            said = text[span.start : span.end]
            tokens = round(TOKENS_A_WORD * len(said.split()))
            name = f"{version[:24]}-{first if level else span.start}-{level}"
            chunks.append(Chunk(name, level, parent, span.start, span.end, said, tokens, tokens))
    blocks = tuple(Block(BlockKind.PARAGRAPH, span.start, span.end) for span in spans)
    return ChunkTree(Document(version, "text", title, text, blocks), tuple(chunks))


class KnownQuestions:
    """An encoder that returns given vectors for a world's questions, but lets ``real`` encode every text first.

    So a question takes as long to encode as with ``real``, the model that ships with Lectern.
    """

    fingerprint, dimension, max_tokens = "made-up-1", DIMENSION, 256

    def __init__(self, questions: dict[str, Vectors], real: Encoder) -> None:
        self._questions, self._real = questions, real

    def encode(self, texts: Sequence[str], progress: object = None) -> Vectors:
        """``(n, 384)`` float32: the given vectors of questions; for other texts, those of the real encoder."""
        read = self._real.encode(texts)
        return np.stack([self._questions.get(text, vector) for text, vector in zip(texts, read, strict=True)])


def put(library: Library, made: Made, carry: bool = True) -> int:
    """Store a document by the steps of an ingest. Returns the number of its leaves. ``carry``: update Chroma too."""
    store, tree = library._store, made.tree
    data = tree.document.text.encode()
    visible = len("".join(tree.document.text.split()))
    texts = tuple(leaf.text for leaf in tree.leaves)
    cut = Cut(tree, Audit(visible, visible), _RECIPE, "made-up-1", len(data), texts, None, {})
    keys = [f"{KnownQuestions.fingerprint} {leaf.chunk_id}" for leaf in tree.leaves]
    store.files.stage(data)
    indexed = new_leaves(cut, "english", iter(keys))
    with store.transaction():
        CatalogueVectors(store).put(dict(zip(keys, made.vectors, strict=True)))
        put_document(store, tree.document, size_bytes=cut.size_bytes, parser=cut.parser)
        swap_chunks(store, tree, recipe=cut.recipe, audit=cut.audit, leaves=indexed)
        point_source(store, name=f"{tree.document.title}.txt", version_id=tree.document.version_id)
    if carry:
        apply_outbox(store)
    return len(keys)


def fill(library: Library, world: World, leaves: int) -> dict[str, float]:
    """Store documents until the library has this many leaves, updating Chroma after every ``BATCH_TEXTS`` leaves.

    Returns the seconds spent on generating them, on the catalogue and on Chroma, and the number of leaves added.
    """
    taken = {"making": 0.0, "catalogue": 0.0, "chroma": 0.0, "leaves": 0.0}
    begin_generation(library._store, KnownQuestions.fingerprint, DIMENSION)
    documents, there = library._store.row(_COUNTED)  # ``stats`` would also measure every file
    clock, untold = perf_counter(), 0

    def lap(what: str) -> None:
        nonlocal clock
        now = perf_counter()
        taken[what], clock = taken[what] + now - clock, now

    for made in world.documents(documents):
        lap("making")
        count = put(library, made, carry=False)
        taken["leaves"], untold = taken["leaves"] + count, untold + count
        lap("catalogue")
        full = there + taken["leaves"] >= leaves
        if full or untold >= BATCH_TEXTS:
            apply_outbox(library._store)
            untold = 0
            lap("chroma")
        if full:
            break
    return taken
