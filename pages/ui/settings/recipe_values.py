"""The values of a recipe's dials: their ranges, and the settings that they make together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import inf
from typing import Any

from core.errors import SettingsError
from core.settings import PREFIX_KINDS, ChunkingSettings
from pages.ui.shared import words

Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Slider:
    """The range of a number's dial. A present value outside the range widens it, as settings can come from elsewhere.

    ``most``: the limit of ``high`` after it is scaled to another unit, such as characters.
    """

    label: str
    low: float
    high: float
    step: float
    help: str = ""
    most: float = inf


SLIDERS: Mapping[str, Slider] = {
    "parent_ratio": Slider("Parent, times the chunk", 1.5, 10, 0.5),
    "levels": Slider("Levels below the document", 2, 6, 1, "Each further level is a parent of parents."),
    "sentences": Slider("Sentences a chunk", 1, 12, 1),
    "semantic_percentile": Slider("Percentile of differences", 0, 100, 1, "Cuts above it: higher cuts less."),
    "semantic_absolute": Slider("Cuts below the similarity", -1, 1, 0.01, "Cosine. Higher cuts more."),
    "semantic_zscore": Slider("Standard deviations below", -3, 5, 0.1, "Higher cuts less."),
    "semantic_interquartile": Slider("Interquartile ranges below", -3, 5, 0.1, "Higher cuts less."),
    "semantic_gradient": Slider("Percentile of slopes", 0, 100, 1, "Cuts at steeper falls: higher cuts less."),
    "semantic_buffer": Slider("Neighbouring sentences", 0, 5, 1, "Taken together on either side of a gap."),
    "learned_probability": Slider("Probability of a start", 0.01, 0.99, 0.01, "Higher cuts less."),
    "tiling_window": Slider("Window, sentences", 1, 30, 1, "Words compared on either side of a gap."),
    "tiling_depth": Slider("Depth, standard deviations", -3, 3, 0.1, "Higher cuts less."),
    "table_columns": Slider("Columns a slice", 0, 20, 1, "0 keeps rows whole."),
    "clause_sentences": Slider("Sentences of a clause a chunk", 0, 12, 1, "0 keeps clauses whole where they fit."),
    "overlap_percent": Slider("Overlap, percent of the chunk", 0, 33, 1, "The larger of both counts."),
    "log_minutes": Slider("Window, minutes", 1, 60, 1),
    "log_gap_minutes": Slider("A silence ends a session, minutes", 1, 60, 1),
    "conversation_turns": Slider("Turns a chunk", 1, 30, 1),
}
SIZES = ("max_tokens", "parent_max_tokens", "overlap_tokens", "prefix_max_tokens", "min_tokens")
FIELDS = {field.name: field for field in fields(ChunkingSettings)}


def sliders(reads: int, specials: int) -> Mapping[str, Slider]:
    """All sliders by setting, for an encoder that reads ``reads`` tokens, ``specials`` of them special ones.

    >>> dial = sliders(512, 2)["max_tokens"]
    >>> dial.high, dial.help
    (510, 'Prefix included. The encoder reads 512 tokens, 2 of them its own.')
    """
    room = min(reads - specials, 8192)
    half = room // 2
    own = f"Prefix included. The encoder reads {reads:,} tokens, {specials:,} of them its own."
    grows = "What a chunk found by a question grows to."
    return {
        **SLIDERS,
        "max_tokens": Slider("Chunk, at most ", 16, room, 1, own, most=8192),
        "parent_max_tokens": Slider("Parent, at most ", 100, max(4000, 4 * room), 50, grows, most=65_536),
        "overlap_tokens": Slider("Overlap, at most ", 0, half, 1, "Whole sentences of the chunk before.", most=4096),
        "prefix_max_tokens": Slider("Prefix, at most ", 0, half, 1, "Never more than half of the chunk.", most=4096),
        "min_tokens": Slider("Smallest piece, ", 0, half, 1, "Smaller ones join a neighbour. 0 is off.", most=4096),
    }


def fitted(values: Mapping[str, Any]) -> tuple[ChunkingSettings, list[str]]:
    """The settings that dials make, and a sentence for each value that another one limits. Raises ``SettingsError``.

    >>> from dataclasses import asdict
    >>> settings, limits = fitted({**asdict(ChunkingSettings()), "max_tokens": 900, "overlap_tokens": 700})
    >>> settings.overlap_tokens, limits
    (450, ['Overlap is held at 450, half of the chunk.', 'The parent is held at 900, the size of the chunk.'])
    """
    limited = {name: values[name] for name in FIELDS}
    size, limits = limited["max_tokens"], []
    for name, label in (("overlap_tokens", "Overlap"), ("min_tokens", "The smallest piece")):
        if limited[name] > size // 2:
            limited[name] = size // 2
            limits.append(f"{label} is held at {size // 2:,}, half of the chunk.")
    if limited["parent_max_tokens"] < size:
        limited["parent_max_tokens"] = size
        limits.append(f"The parent is held at {size:,}, the size of the chunk.")
    limited["prefix"], limited["anchors"] = tuple(limited["prefix"]), tuple(limited["anchors"])
    return replace(ChunkingSettings(), **limited), limits


def settings_or_reason(values: Mapping[str, Any], otherwise: ChunkingSettings) -> tuple[ChunkingSettings, list[str]]:
    """``fitted``; for values that are no valid settings, ``otherwise`` and the sentence that says why."""
    try:
        return fitted(values)
    except SettingsError as error:
        return otherwise, [words.escaped(str(error))]


def in_order(kinds: Sequence[str]) -> tuple[str, ...]:
    """Kinds of prefix in the order in which the encoder reads them.

    >>> in_order(["heading", "title"])
    ('title', 'heading')
    """
    return tuple(kind for kind in PREFIX_KINDS if kind in kinds)


def late_or_not(on: bool) -> str:
    """The setting ``vectors`` with late chunking on or off."""
    return "late" if on else "chunk"
