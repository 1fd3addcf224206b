"""The chunks of a map with their vectors: those of the drawn cut, or of all that is indexed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from core.types import Vectors
from pages.ui.chunks.state import PanelState
from pages.ui.shared import services

MOST = 4000  # chunks of a library on one map


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Chunks and their vectors. ``spans``: version, start and end of each. ``left_out``: how many have none, or are
    too many.
    """

    vectors: Vectors
    texts: tuple[str, ...]
    spans: tuple[tuple[str, int, int], ...]
    documents: tuple[str, ...]
    headings: tuple[str, ...]
    left_out: int
    name: str


def of_cut(panel: PanelState) -> Points:
    """The chunks of the drawn cut whose vectors are known."""
    cut, library = panel.cut, services.library()
    found = library.vectors.get(list(dict.fromkeys(cut.keys)))
    kept = [(leaf, found[key]) for leaf, key in zip(cut.tree.leaves, cut.keys, strict=True) if key in found]
    title = cut.tree.document.title
    return Points(
        np.stack([vector for _, vector in kept]) if kept else np.zeros((0, 1), dtype=np.float32),
        tuple(leaf.text for leaf, _ in kept),
        tuple((cut.version, leaf.start, leaf.end) for leaf, _ in kept),
        (title,) * len(kept),
        tuple(leaf.headings[-1] if leaf.headings else "no heading" for leaf, _ in kept),
        len(cut.keys) - len(kept),
        f"{cut.version} {hash(cut.keys)} {len(kept)}",
    )


def of_library() -> Points:
    """The first indexed chunks of the whole library."""
    return _of_library(str(services.home()), services.library().revision())


@st.cache_resource(max_entries=2, show_spinner=False)
def _of_library(place: str, revision: int) -> Points:
    searcher = services.library().searcher
    leaves = searcher.snapshot().leaves
    count = min(MOST, len(leaves))
    spans, texts = [], []
    for at in range(count):
        version = leaves.version_ids[leaves.documents[at]]
        start, end = int(leaves.starts[at]), int(leaves.ends[at])
        spans.append((version, start, end))
        texts.append(searcher.text(version)[start:end])
    titles = tuple(leaves.titles[document] for document in leaves.documents[:count])
    vectors = np.ascontiguousarray(leaves.vectors[:count])
    return Points(vectors, tuple(texts), tuple(spans), titles, titles, len(leaves) - count, f"library {revision}")
