"""Small random worlds of documents, leaves and scores in memory, for the laws of expansion and assembly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import numpy as np
from hypothesis import strategies as st

from core.search.ranking.stage_scores import Ranking
from core.settings import RetrievalSettings
from core.types import PrefixPart
from tests.search.expansion.worlds import table

WORDS = st.sampled_from(
    "the river otter sleeps. Why? 42 naïve 日本語 (see) 👩‍🚀 x9f3 internationalization end! U.S. --- a".split()
)
SPACES = st.sampled_from([" ", " ", " ", "\n", "\n\n", "  ", "\t"])


@dataclass(frozen=True)
class World:
    """Texts and their leaves, ranked; stands in for ``CatalogueReads``."""

    texts: tuple[str, ...]
    ranking: Ranking
    prefixes: Mapping[int, tuple[PrefixPart, ...]] = field(default_factory=dict)
    sort: str = "text"

    def kind(self, document):
        return self.sort

    def text(self, document):
        return self.texts[document]

    def facts(self, leaves):
        starts = self.ranking.leaves.starts
        return {
            leaf: SimpleNamespace(
                chunk_id=f"chunk-{leaf}",
                headings=(f"Part {int(starts[leaf]) % 3}", "of it"),
                prefix=self.prefixes.get(leaf, ()),
            )
            for leaf in leaves
        }

    def prefetch_pages(self, places):
        """Nothing: pages are known."""

    def page(self, document, offset):
        return 1 + offset // 50 if document % 2 else None


@st.composite
def worlds(draw, overlapping=True):
    texts, rows = [], []
    parent = 0
    for document in range(draw(st.integers(1, 4))):
        pieces = draw(st.lists(st.lists(WORDS, min_size=1, max_size=30), min_size=1, max_size=7))
        text, spans = "", []
        for words in pieces:
            text += draw(SPACES)
            start = len(text)
            text += "".join(word + draw(SPACES) for word in words).rstrip()
            spans.append((start, len(text)))
        if overlapping and draw(st.booleans()):
            # As an overlap in the recipe does: a leaf begins inside the one before.
            spans = [
                (max(start - 5, spans[at - 1][0] + 1) if at else start, end) for at, (start, end) in enumerate(spans)
            ]
        for start, end in spans:
            if draw(st.integers(0, 2)) == 0:
                parent += 1
            rows.append((document, start, end, -1 if draw(st.integers(0, 15)) == 0 else parent))
        texts.append(text)
        parent += 1
    return draw(ranked(texts, rows))


SAYINGS = tuple(
    f"The {thing} by the river has stood there since the year of the great flood."
    for thing in ("mill", "bridge", "chapel", "tower", "orchard", "ferry house")
)


@st.composite
def repeating_worlds(draw):
    """Documents that say the same few things, and short things, over and over."""
    texts, rows = [], []
    parent = 0
    for document in range(draw(st.integers(1, 3))):
        text = ""
        leaves = draw(st.lists(st.lists(st.sampled_from((*SAYINGS, "Yes.", "So it is.")), min_size=1, max_size=4)))
        for sentences in leaves or [["Yes."]]:
            text += "\n\n" if text else ""
            start = len(text)
            text += " ".join(sentences)
            parent += draw(st.booleans())
            rows.append((document, start, len(text), parent))
        texts.append(text)
        parent += 1
    return draw(ranked(texts, rows))


@st.composite
def ranked(draw, texts, rows):
    """The world of these texts and leaves, ranked anyhow."""
    count = len(rows)
    final = draw(st.lists(st.floats(-3, 3), min_size=count, max_size=count))
    kept = draw(st.permutations(range(count)))[: draw(st.integers(0, count))]
    return world_of(texts, rows, final, kept)


def world_of(texts, rows, final=None, kept=None, prefixes=None):
    """Texts cut into leaves ``(document, start, end, parent)``; by default each scores 0 and all are kept.

    ``prefixes``: of leaves that have one, by index.
    """
    count = len(rows)
    words = [1 + len(texts[document][start:end].split()) for document, start, end, _ in rows]
    leaves = replace(table(rows, len(texts)), tokens=np.array(words, np.int64), rows=np.arange(100, 100 + count))
    final = np.zeros(count) if final is None else np.array(final)
    kept = np.arange(count) if kept is None else np.array(kept, dtype=np.int64)
    scores = dict.fromkeys(("dense", "lexical", "fused", "neighbours"), final)
    pool = np.arange(count, dtype=np.int64)
    ranking = Ranking("a question", leaves, RetrievalSettings(), pool, scores, kept, {}, {})
    return World(tuple(texts), ranking, prefixes or {})
