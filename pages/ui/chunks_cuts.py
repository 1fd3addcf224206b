"""The cuts of documents that are at hand: those made last, and what they are made of."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from threading import RLock

import streamlit as st

from core.chunking import Edit, Replayed
from core.chunking.edits import edits_fingerprint
from core.settings import ChunkingSettings, EnrichingSettings, stage_fingerprint
from pages.ui import readings, services
from pages.ui.chunks_cut import Cut
from pages.ui.chunks_pieces import Piece
from pages.ui.chunks_tasks import Task

PIECES = 4  # documents whose tokens and sentence vectors stay in memory
KEPT = 24  # cuts, so that a dial turned back shows at once what was there


class _Bench:
    """The pieces and cuts of one library."""

    def __init__(self) -> None:
        self.pieces: OrderedDict[Hashable, Piece] = OrderedDict()
        self.cuts: OrderedDict[Hashable, Cut] = OrderedDict()
        self.lock = RLock()


@st.cache_resource(max_entries=4, show_spinner=False)
def _bench(place: str, encoder: str, enriching: EnrichingSettings) -> _Bench:
    return _Bench()


def bench() -> _Bench:
    """The bench of the library this window looks at."""
    library = services.library()
    return _bench(str(services.home()), library.model.encoder.fingerprint, library.settings.enriching)


def piece(version: str) -> Piece:
    """A document on the bench."""
    held, document, library = bench(), readings.document(version), services.library()
    with held.lock:
        found = held.pieces.pop(version, None) or Piece(library, document)
        held.pieces[version] = found
        while len(held.pieces) > PIECES:
            held.pieces.popitem(last=False)
        return found


def cut_key(version: str, settings: ChunkingSettings, edits: Sequence[Edit]) -> str:
    """Names a cut. What ``learned`` makes also depends on the library, whose headings teach it."""
    taught = f" {services.library().revision()}" if settings.chunker == "learned" else ""
    return f"{version} {stage_fingerprint(settings)} {edits_fingerprint(edits)}{taught}"


def known_cut(key: str) -> Cut | None:
    """A cut that was made before, if it is still there."""
    held = bench()
    with held.lock:
        found = held.cuts.get(key)
        if found is not None:
            held.cuts.move_to_end(key)
        return found


def cutting(version: str, settings: ChunkingSettings, edits: Sequence[Edit]) -> Task[Cut]:
    """The work of making a cut, begun; what comes of it is kept."""
    held, on_bench = bench(), piece(version)
    readings.text(version)  # made here, where Streamlit's caches know the window
    key = cut_key(version, settings, edits)

    def work(task: Task[Cut]) -> Cut:
        made = on_bench.cut(settings, edits, task)
        with held.lock:
            held.cuts[key] = made
            while len(held.cuts) > KEPT:
                held.cuts.popitem(last=False)
        return made

    return Task(key, work)


def applied_cut(version: str, settings: ChunkingSettings, recipe: str) -> Cut:
    """A document as it is indexed. ``settings``: its own; ``recipe``: the fingerprint of how it is cut."""
    return _applied(str(services.home()), version, recipe, settings, services.library().settings.enriching)


@st.cache_resource(max_entries=8, show_spinner=False)
def _applied(place: str, version: str, recipe: str, settings: ChunkingSettings, enriching: EnrichingSettings) -> Cut:
    library = services.library()
    held = Cut(library, settings, Replayed(library.tree(version)), library.audit(version), stored=True)
    held.__dict__["reading"] = readings.reading(version)  # the same the reader has
    return held
