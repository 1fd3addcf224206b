"""The named presets."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from core.errors import SettingsError
from core.settings.all_settings import Settings
from core.settings.chunking import WIDEST_PARENT
from core.settings.searching import PACKAGED_RERANKER


def _preset(**values: Any) -> Settings:
    return Settings().with_values({name.replace("__", "."): value for name, value in values.items()})


_LEAF_SCORES_ONLY = {  # a leaf's score depends on the leaf alone
    "retrieval__neighbour_share": 0.0,
    "retrieval__parent_share": 0.0,
    "retrieval__document_share": 0.0,
    "retrieval__coverage_weight": 0.0,
}


def _baseline(chunker: str, size: int, parent_size: int, *, overlap: int = 0, **values: Any) -> Settings:
    """Common practice: sizes in characters, dense search alone, no prefix, no expansion."""
    return _preset(
        chunking__chunker=chunker,
        chunking__unit="characters",
        chunking__max_tokens=size,
        chunking__overlap_tokens=overlap,
        chunking__parent_max_tokens=parent_size,
        chunking__prefix=(),
        retrieval__dense_weight=1.0,
        retrieval__lexical_weight=0.0,
        **{**_LEAF_SCORES_ONLY, "expansion__strategy": "flat", "assembly__unit": "passages", **values},
    )


PRESETS: dict[str, Settings] = {
    "default": Settings(),
    # Its other re-ranking settings are the defaults; ``docs/reranker.md`` says how they were chosen.
    "careful": _preset(reranking__model=PACKAGED_RERANKER, assembly__unit="sentences"),
    "flat": _preset(expansion__strategy="flat"),
    "meaning-only": _preset(retrieval__lexical_weight=0.0, retrieval__dense_weight=1.0, **_LEAF_SCORES_ONLY),
    "words-only": _preset(retrieval__dense_weight=0.0, retrieval__lexical_weight=1.0, **_LEAF_SCORES_ONLY),
    "recursive": _preset(chunking__chunker="recursive"),
    "fixed": _preset(chunking__chunker="fixed"),
    "structure": _preset(chunking__chunker="structure"),
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
    "recursive-1000-200": _baseline("recursive", 1000, WIDEST_PARENT, overlap=200),
    "parent-2000-400": _baseline(
        "recursive", 400, 2000, expansion__strategy="parent", expansion__max_share=1.0, expansion__share_decay=0.0
    ),
}

# The sizes follow common recommendations: expository text in parents of 400 to 900 tokens and children of 60 to 160
# (the default), code in units of up to 500, contracts by clause with 3 to 5 sentences, papers by claim, technical text
# by 1 to 2 sentences, logs by 5 to 15 minutes. ``docs/ablations.md`` and ``docs/chunkers.md`` have their measurements;
# ``docs/retrieval.md`` has those of what the presets for code, contracts, logs and conversations bring, and says why no
# preset sets its own window. The chunking of "tickets" and "sentence-windows" was not measured.

BASELINES: tuple[str, ...] = ("fixed-1000", "recursive-1000-200", "parent-2000-400")
"""Presets with the common practice elsewhere, as baselines for all others.

``fixed-1000`` cuts every 1,000 characters, at a word boundary. ``recursive-1000-200`` splits paragraphs and sentences
to 1,000 characters with an overlap of 200. ``parent-2000-400`` retrieves children of 400 characters and returns their
parents of up to 2,000, whole where the budget allows. ``core.chunking.chunkers.recursive`` documents the differences to
the usual recursive splitter.
"""


def preset(name: str) -> Settings:
    """The settings of a named preset. Raises ``SettingsError`` for an unknown name."""
    if name not in PRESETS:
        raise SettingsError(f"There is no preset {name!r}.", f"Choose one of: {', '.join(PRESETS)}.")
    return PRESETS[name]


CAREFUL_MODEL = "careful.reranker"  # a library's preference: the re-ranker of Careful, "" for the packaged one
_QUESTION_STAGES = ("understanding", "retrieval", "diversity", "reranking", "expansion", "assembly", "answering")


def carefully(settings: Settings, model: str = PACKAGED_RERANKER) -> Settings:
    """A library's settings with the changes that the preset ``careful`` makes to the stages of a question.

    ``model``: the re-ranker to turn on. Its other settings stay as the library has them: its blend may have been fitted
    to the user's judgments.

    >>> carefully(Settings().with_value("retrieval.k", 7)).retrieval.k, carefully(Settings()).reranking.blend
    (7, 0.4)
    >>> carefully(Settings().with_value("reranking.blend", 0.7)).reranking.blend
    0.7
    """
    careful, default = PRESETS["careful"], Settings()
    changed: dict[str, Any] = {}
    for stage in _QUESTION_STAGES:
        before, after = getattr(default, stage), getattr(careful, stage)
        for item in fields(after):
            if getattr(before, item.name) != getattr(after, item.name):
                changed[f"{stage}.{item.name}"] = getattr(after, item.name)
    return settings.with_values(changed | {"reranking.model": model})
