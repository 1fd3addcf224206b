"""Small random worlds of documents, trees of up to four levels, references and scores, for the laws of expansion."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from hypothesis import strategies as st

from core.chunking.signals.terms import TermFinder, find_terms
from core.enriching.features import Reference
from core.search.ranking.fusion import best_first
from core.search.ranking.stage_scores import Ranking
from core.settings import RetrievalSettings
from core.storage.index.leaf_vectors import LeafVectors
from core.storage.index.leaves import LeafTable
from core.text.sentences import sentence_spans
from core.types import Span

SENTENCES = st.sampled_from(
    [
        "The river otter sleeps.",
        "Why?",
        "It weighs 42 kg, see section 2.",
        "1. Open the lid.",
        "For example, a dam of 日本語 stones.",
        "Dr. Smith saw none of them in the long wet winter of that year, he says.",
        "```",
        "no stop at all",
    ]
)
GENRES = ("guide", "paper")


@dataclass(frozen=True)
class World:
    """Texts and their chunks, ranked; stands in for ``CatalogueReads`` and notes what is read in
    ``asked``.

    ``chains``: for each leaf the (level, span) of what it stands in, its parent first.
    """

    texts: tuple[str, ...]
    ranking: Ranking
    chains: tuple[tuple[tuple[int, Span], ...], ...]
    pointing: dict[int, tuple[Reference, ...]]
    asked: set[str] = field(default_factory=set)

    @property
    def count(self):
        return len(self.asked)

    def text(self, document):
        self.asked.add("text")
        return self.texts[document]

    def sentences(self, document, start, end):
        return sentence_spans(self.text(document), start, end)

    def terms(self, document):
        return TermFinder(find_terms(self.text(document)))

    def kind(self, document):
        self.asked.add("kind")
        return ("md", "code")[document % 2]

    def genre(self, document):
        self.asked.add("genre")
        return GENRES[document % 2]

    def section_types(self, leaves):
        self.asked.add("section types")
        return {leaf: ("prose", "steps")[leaf % 2] for leaf in leaves}

    def ancestors(self, leaves):
        self.asked.add("ancestors")
        return {leaf: tuple(span for _, span in self.chains[leaf]) for leaf in leaves}

    def references(self, leaves):
        self.asked.add("references")
        return {leaf: self.pointing.get(leaf, ()) for leaf in leaves}

    def linked(self, document, target):
        return None

    def called(self, leaf):
        self.asked.add("calls")
        return [("it", 0, Span(0, len(self.texts[0])))] if leaf % 2 else []


@st.composite
def worlds(draw, overlapping=False):
    texts, rows, chains = [], [], []
    number = 0
    for document in range(draw(st.integers(1, 3))):
        text, spans = "", []
        for leaf in draw(st.lists(st.lists(SENTENCES, min_size=1, max_size=3), min_size=1, max_size=7)):
            text += draw(st.sampled_from([" ", "\n", "\n\n"])) if text else draw(st.sampled_from(["", "  "]))
            start = len(text)
            text += draw(st.sampled_from([" ", "\n"])).join(leaf)
            spans.append(Span(start, len(text)))
        if overlapping:
            spans = [Span(max(0, span.start - 4) if at else span.start, span.end) for at, span in enumerate(spans)]
        texts.append(text + draw(st.sampled_from(["", "\n\nPage 1 of 2"])))
        levels = [draw(groups(len(spans)))] if draw(st.integers(0, 5)) else []
        while levels and len(levels) < 3 and len(levels[-1]) > 1 and draw(st.booleans()):
            levels.append([(levels[-1][a][0], levels[-1][b - 1][1]) for a, b in draw(groups(len(levels[-1])))])
        for at, span in enumerate(spans):
            chain = []
            for level, chunks in enumerate(levels, start=1):
                place = next(place for place, (first, end) in enumerate(chunks) if first <= at < end)
                first, end = chunks[place]
                chain.append((level, Span(spans[first].start, spans[end - 1].end)))
                if level == 1:
                    row = number + place
            rows.append((document, span.start, span.end, row if chain else -1))
            chains.append(tuple(chain))
        number += len(spans) + 1
    ranking = ranked(draw, rows, len(texts))
    return World(tuple(texts), ranking, tuple(chains), draw(pointers(rows, texts)))


def groups(count):
    """Half-open ranges that part ``count`` things."""
    return st.sets(st.integers(1, count)).map(
        lambda cuts: [*zip([0, *sorted(cuts - {count})], [*sorted(cuts - {count}), count], strict=True)]
    )


@st.composite
def pointers(draw, rows, texts):
    found = {}
    for leaf, (document, start, end, _) in enumerate(rows):
        if draw(st.integers(0, 2)) == 0:
            target = Span(draw(st.integers(0, len(texts[document]) - 1)), len(texts[document]))
            kind = draw(st.sampled_from(["section", "link", "citation"]))
            found[leaf] = (
                Reference(kind, start, min(end, start + 9), "section 2", draw(st.sampled_from([None, target]))),
            )
    return found


def ranked(draw, rows, documents):
    count = len(rows)
    pool = np.array(sorted(draw(st.sets(st.integers(0, count - 1), min_size=1))), dtype=np.int64)
    scores = draw(
        st.lists(
            st.sampled_from([-1.5, -0.5, 0.0, 0.5, 1.0, 2.5, float("nan")]), min_size=len(pool), max_size=len(pool)
        )
    )
    final = np.array(scores, float)
    kept = best_first(final)[: draw(st.integers(0, count))]
    return Ranking("a question", table(rows, documents), RetrievalSettings(), pool, {"neighbours": final}, kept, {}, {})


def meant(ranking, intent):
    """The ranking of a question that wants that kind of answer."""
    return replace(ranking, understood=replace(ranking.understood, intent=intent))


def ranking_of(leaves, scores, kept):
    """The ranking of leaves by what the last stage says of each, best of the ``kept`` first."""
    final, pool = np.array(scores, float), np.arange(len(scores))
    return Ranking("q", leaves, RetrievalSettings(), pool, {"neighbours": final}, np.array(kept, int), {}, {})


def table(rows, documents=1):
    """A leaf table of (document, start, end, parent row); a leaf has a token for about five characters."""
    columns = np.array(rows, np.int64).reshape(len(rows), 4)
    return LeafTable(
        revision=1,
        generation=1,
        dimension=1,
        rows=np.arange(1000, 1000 + len(rows), dtype=np.int64),
        documents=columns[:, 0].astype(np.int32),
        starts=columns[:, 1].copy(),
        ends=columns[:, 2].copy(),
        tokens=1 + (columns[:, 2] - columns[:, 1]) // 5,
        parent_rows=columns[:, 3].copy(),
        vectors=LeafVectors.from_matrix(np.zeros((len(rows), 1), np.float32)),
        version_ids=tuple(f"version-{place}" for place in range(documents)),
        titles=tuple(f"Document {place}" for place in range(documents)),
        names=tuple(f"{place}.md" for place in range(documents)),
    )
