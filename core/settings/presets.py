"""The named presets: settings that differ from ``Settings()`` in values alone."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from core.errors import SettingsError
from core.settings.all_settings import Settings
from core.settings.searching import PACKAGED_RERANKER


def _preset(**values: Any) -> Settings:
    return Settings().with_values({name.replace("__", "."): value for name, value in values.items()})


_ONE_SEARCH = {  # nothing added to what a search says of each leaf by itself
    "retrieval__neighbour_share": 0.0,
    "retrieval__parent_share": 0.0,
    "retrieval__document_share": 0.0,
    "retrieval__coverage_weight": 0.0,
}


def _baseline(chunker: str, size: int, parent_size: int, *, overlap: int = 0, **values: Any) -> Settings:
    """Common practice: sizes in characters, meaning alone, the embedder reads the chunk and nothing else."""
    return _preset(
        chunking__chunker=chunker,
        chunking__unit="characters",
        chunking__max_tokens=size,
        chunking__overlap_tokens=overlap,
        chunking__parent_max_tokens=parent_size,
        chunking__prefix=(),
        retrieval__dense_weight=1.0,
        retrieval__lexical_weight=0.0,
        **{**_ONE_SEARCH, "expansion__strategy": "flat", "assembly__unit": "passages", **values},
    )


_WIDEST_PARENT = 65_536  # overlap stays inside a parent: where none is read, one as wide as can be is in nobody's way

PRESETS: dict[str, Settings] = {
    "default": Settings(),
    # Candidates, blend and neighbours are the re-ranker's defaults, by ``benchmarks.reranker_figures`` on the
    # tuning suites.
    "careful": _preset(reranking__model=PACKAGED_RERANKER, assembly__unit="sentences"),
    "flat": _preset(expansion__strategy="flat"),
    "meaning-only": _preset(retrieval__lexical_weight=0.0, retrieval__dense_weight=1.0, **_ONE_SEARCH),
    "words-only": _preset(retrieval__dense_weight=0.0, retrieval__lexical_weight=1.0, **_ONE_SEARCH),
    "recursive": _preset(chunking__chunker="recursive"),
    "fixed": _preset(chunking__chunker="fixed"),
    "auto": _preset(chunking__chunker="auto"),
    "semantic": _preset(chunking__chunker="semantic"),
    "cluster": _preset(chunking__chunker="cluster"),
    "texttiling": _preset(chunking__chunker="texttiling"),
    "late": _preset(chunking__vectors="late"),
    "code": _preset(
        chunking__chunker="code",
        chunking__max_tokens=200,
        chunking__parent_max_tokens=500,
        expansion__brings=("calls",),
    ),
    "legal": _preset(chunking__chunker="clause", chunking__max_tokens=160, expansion__brings=("definitions",)),
    "papers": _preset(chunking__chunker="claim"),
    "logs": _preset(
        chunking__chunker="log", chunking__max_tokens=200, chunking__log_minutes=10, expansion__brings=("session",)
    ),
    "tables": _preset(chunking__chunker="table"),
    "chats": _preset(chunking__chunker="conversation", expansion__brings=("question",)),
    "tickets": _preset(
        chunking__chunker="conversation",
        chunking__conversation_turns=2,
        retrieval__document_share=0.6,
        expansion__brings=("question",),
    ),
    "sentence-windows": _preset(
        chunking__chunker="sentence",
        chunking__sentences=1,
        reranking__model=PACKAGED_RERANKER,
        reranking__candidates=20,
        reranking__keep=3,
        expansion__strategy="window",
    ),
    "sentences-2": _preset(chunking__chunker="sentence", chunking__sentences=2),
    "sentences-4": _preset(chunking__chunker="sentence", chunking__sentences=4),
    "fixed-1000": _baseline("fixed", 1000, 1000),
    "recursive-1000-200": _baseline("recursive", 1000, _WIDEST_PARENT, overlap=200),
    "parent-2000-400": _baseline(
        "recursive", 400, 2000, expansion__strategy="parent", expansion__max_share=1.0, expansion__share_decay=0.0
    ),
}

# Where the numbers come from: expository text in parents of 400 to 900 tokens and children of 60 to 160 (the default),
# code in units of up to 500, contracts by clause and 3 to 5 sentences, papers by claim, technical text by 1 to 2
# sentences, logs by 5 to 15 minutes. ``docs/ablations.md`` and ``docs/chunkers.md`` say what was measured of them, and
# ``docs/retrieval.md`` what is worth that those for code, contracts, logs and talk bring, and why none names a window
# of its own; of the cuts of those for tickets and sentence windows nothing was.

BASELINES: tuple[str, ...] = ("fixed-1000", "recursive-1000-200", "parent-2000-400")
"""Presets that do what is common elsewhere, with the same weights: what every other preset has to beat.

``fixed-1000`` cuts every 1,000 characters, at a word. ``recursive-1000-200`` cuts paragraphs and sentences to 1,000
characters with 200 of overlap. ``parent-2000-400`` finds children of 400 characters and hands on their parents of up to
2,000, whole wherever the budget has room for one. ``core.chunking.chunkers.recursive`` says where ours and the usual
recursive splitter part.
"""


def preset(name: str) -> Settings:
    """The settings of a named preset. Raises ``SettingsError`` for an unknown name."""
    if name not in PRESETS:
        raise SettingsError(f"There is no preset {name!r}.", f"Choose one of: {', '.join(PRESETS)}.")
    return PRESETS[name]


CAREFUL_MODEL = "careful.reranker"  # a library's preference: what Careful reads with, "" for Lectern's own
_OF_A_QUESTION = ("understanding", "retrieval", "diversity", "reranking", "expansion", "assembly", "answering")


def carefully(settings: Settings, model: str = PACKAGED_RERANKER) -> Settings:
    """A library's settings with what the preset ``careful`` changes of a question's way.

    The dials of the re-ranker stay as the library has them: the share which was fitted to its judgments is one. Its
    model alone is the preset's, in whose place ``model`` may stand.

    >>> carefully(Settings().with_value("retrieval.k", 7)).retrieval.k, carefully(Settings()).reranking.blend
    (7, 0.4)
    >>> carefully(Settings().with_value("reranking.blend", 0.7)).reranking.blend
    0.7
    """
    preset, usual = PRESETS["careful"], Settings()
    changed: dict[str, Any] = {}
    for stage in _OF_A_QUESTION:
        before, after = getattr(usual, stage), getattr(preset, stage)
        for one in fields(after):
            if getattr(before, one.name) != getattr(after, one.name):
                changed[f"{stage}.{one.name}"] = getattr(after, one.name)
    return settings.with_values(changed | {"reranking.model": model})
