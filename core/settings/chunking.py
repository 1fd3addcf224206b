"""The settings of chunking. A recipe's fingerprint includes only those that its chunker uses."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import regex

from core.errors import SettingsError
from core.settings.checks import check, dial, within

WIDEST_PARENT = 65_536  # the largest allowed; overlap does not cross parents, so who wants none takes one for all

CHUNKERS = (
    "auto",
    "structure",
    "recursive",
    "fixed",
    "sentence",
    "semantic",
    "cluster",
    "learned",
    "texttiling",
    "code",
    "table",
    "log",
    "conversation",
    "clause",
    "claim",
    "anchored",
    "proposed",
)
UNITS = ("tokens", "characters")
OVERLAPS = ("even", "adaptive")
PARENTS = ("structure", "ratio", "both")
VECTORS = ("chunk", "late")
THRESHOLDS = ("percentile", "absolute", "zscore", "interquartile", "gradient")
ANCHOR_PLACES = ("start", "inside")
USUAL_PREFIX = ("title", "heading", "table_header", "signature", "speaker", "sentences")
PREFIX_KINDS = (*USUAL_PREFIX, "written")
FORMER_PREFIX = "context"  # a kind that older settings may name; no longer made, and ignored
WRITTEN_FOR = ("every", "unclear")
ALIAS_KINDS = ("summary", "questions", "document")
QUESTIONS = 3  # questions that a language model writes for a leaf

_SEMANTIC = ("semantic_threshold", *(f"semantic_{name}" for name in THRESHOLDS), "semantic_buffer", "min_tokens")
_TILING = ("tiling_window", "tiling_depth", "min_tokens")

DIALS: dict[str, tuple[str, ...]] = {
    "sentence": ("sentences", "min_tokens"),
    "semantic": _SEMANTIC,
    "cluster": ("min_tokens",),
    "learned": ("learned_probability", "min_tokens"),
    "texttiling": _TILING,
    "table": ("table_columns", "table_key"),
    "log": ("log_minutes", "log_gap_minutes"),
    "conversation": ("conversation_turns",),
    "clause": ("clause_sentences",),
    "anchored": ("anchors", "anchor_at"),
}
"""The settings that only one chunker uses, by chunker. A chunker that is missing here has none."""

# The chunkers that a chunker falls back to where a document lacks its structure: it uses their settings too.
_FALLBACKS = {
    "semantic": ("texttiling",),
    "cluster": ("texttiling",),
    "learned": ("semantic", "texttiling"),
    "auto": ("table", "log", "conversation", "clause"),
}
# The kinds of prefix that only some chunkers make.
_PREFIX_CHUNKERS = {
    "signature": ("code", "auto"),
    "speaker": ("conversation", "auto"),
    "sentences": ("table", "auto"),
}
# Settings that were added later, with the value that means the earlier behaviour. A fingerprint leaves them out at that
# value, so that a new setting does not make every document stale and change every chunk id.
_LATER_SETTINGS = {
    "unit": "tokens",
    "overlap": "even",
    "parents": "structure",
    "levels": 2,
    "vectors": "chunk",
    "written_for": "every",
    "aliases": (),
    "overlap_percent": 0.0,
}
_LATER_DIALS = {"table_key": "", "clause_sentences": 0}  # the same, for settings of one chunker
_COMMON = ("chunker", "max_tokens", "overlap_tokens", "parent_max_tokens", "prefix", "prefix_max_tokens")
_LONGEST_ANCHOR = 200  # characters of a pattern


@dataclass(frozen=True, slots=True)
class ChunkingSettings:
    """How a document is chunked into a tree. Sizes are in tokens of the embedder, or as ``unit`` says.

    Leaves:

    - ``chunker``: the method, one of ``CHUNKERS``. ``max_tokens``: limit of a leaf with its prefix, without special
      tokens. ``min_tokens``: smaller pieces are merged with a neighbour where both fit; 0 is off.
    - ``overlap_tokens``: 0 is off. ``overlap_percent``: the same in percent of ``max_tokens``; the larger one counts.
    - ``overlap``: "even" is always the full overlap. "adaptive" is the full overlap before a leaf that begins inside a
      table, list, code block or sentence, or with a table or code directly after prose; half before a leaf that begins
      elsewhere in a paragraph; a quarter before another whole block. "fixed" chunks have no adaptive overlap.
    - ``unit``: "tokens", or "characters" (code points), as chunk size is counted in other libraries. With characters a
      leaf may exceed what the embedder reads; such leaves are counted as truncated.

    Parents:

    - ``parents``: sections ("structure"), spans of ``parent_ratio`` times ``max_tokens`` ("ratio"), or sections within
      that size ("both"). ``parent_max_tokens``: limit of a parent made of sections.
    - ``levels``: of chunks below the document. Each level above 2 may hold ``parent_ratio`` times the one below.

    What is embedded:

    - ``prefix``: kinds of text embedded before a leaf, () is off; "written" is context written by a language model.
      ``prefix_max_tokens``: limit of the whole prefix, which is never more than half of the leaf. With "written" this
      much is reserved in every leaf, half of it for the model's text.
    - ``aliases``: further texts, written by a language model, each with a vector that also retrieves the leaf: its
      "summary", the "questions" it answers and, for the first leaf, a summary of the whole "document"; () is off.
    - ``written_for``: whether the model writes for "every" leaf or only for those that are "unclear" by themselves.
    - ``vectors``: "chunk" embeds each leaf by itself. "late" pools its token embeddings from a longer window around it
      (late chunking), which replaces the prefix.

    Settings of one chunker (``DIALS``), by unit: sentences: ``sentences``, ``semantic_buffer``, ``tiling_window``,
    ``clause_sentences`` (of a clause in a leaf, 0 is off). Percent: ``semantic_percentile``, ``semantic_gradient``.
    Cosine: ``semantic_absolute``. Standard deviations: ``semantic_zscore``, ``tiling_depth``. Interquartile ranges:
    ``semantic_interquartile``. Probability: ``learned_probability``. Minutes: ``log_*``. Columns: ``table_columns``
    (0 is off). A column's name: ``table_key`` ("" is off). ``anchors``: regular expressions that begin a leaf.
    """

    chunker: str = dial("auto", among=CHUNKERS)
    max_tokens: int = dial(110, 8, 8192)
    overlap_tokens: int = 0
    parent_max_tokens: int = 700
    prefix: tuple[str, ...] = dial(USUAL_PREFIX, among=PREFIX_KINDS)
    prefix_max_tokens: int = dial(32, 0, 4096)
    unit: str = dial("tokens", among=UNITS)
    min_tokens: int = 0
    overlap: str = dial("even", among=OVERLAPS)
    overlap_percent: float = dial(0.0, 0, 33)
    parents: str = dial("structure", among=PARENTS)
    parent_ratio: float = dial(5.0, 1.5, 20)
    levels: int = dial(2, 2, 6)
    vectors: str = dial("chunk", among=VECTORS)
    written_for: str = dial("every", among=WRITTEN_FOR)
    aliases: tuple[str, ...] = dial((), among=ALIAS_KINDS)
    sentences: int = dial(3, 1, 100)
    semantic_threshold: str = dial("percentile", among=THRESHOLDS)
    semantic_percentile: float = dial(75.0, 0, 100)
    semantic_absolute: float = dial(0.4, -1, 1)
    semantic_zscore: float = dial(1.0, -5, 5)
    semantic_interquartile: float = dial(1.0, -5, 5)
    semantic_gradient: float = dial(80.0, 0, 100)
    semantic_buffer: int = dial(2, 0, 10)
    learned_probability: float = dial(0.5, 0.01, 0.99)
    tiling_window: int = dial(5, 1, 100)
    tiling_depth: float = dial(-0.5, -3, 3)
    table_columns: int = dial(0, 0, 1000)
    table_key: str = ""
    log_minutes: int = dial(10, 1, 1440)
    log_gap_minutes: int = dial(5, 1, 1440)
    conversation_turns: int = dial(6, 1, 100)
    clause_sentences: int = dial(0, 0, 100)
    anchors: tuple[str, ...] = ()
    anchor_at: str = dial("start", among=ANCHOR_PLACES)

    def __post_init__(self) -> None:
        object.__setattr__(self, "prefix", tuple(kind for kind in self.prefix if kind != FORMER_PREFIX))
        check("chunking", self)
        for name in ("overlap_tokens", "min_tokens"):
            within(f"chunking.{name}", getattr(self, name), 0, self.max_tokens // 2)
        within("chunking.parent_max_tokens", self.parent_max_tokens, self.max_tokens, WIDEST_PARENT)
        for pattern in self.anchors:
            _check_anchor(pattern)

    @property
    def read_prefix(self) -> tuple[str, ...]:
        """The kinds of prefix that are embedded before a leaf; () for none.

        >>> ChunkingSettings(prefix=("title",)).read_prefix, ChunkingSettings(vectors="late").read_prefix
        (('title',), ())
        """
        return () if self.vectors == "late" else self.prefix

    @property
    def is_written(self) -> bool:
        """Whether a language model writes a prefix for leaves."""
        return "written" in self.read_prefix

    @property
    def asked_of_a_leaf(self) -> tuple[str, ...]:
        """The kinds of text that a language model writes for a leaf, one prompt each; () for none.

        >>> ChunkingSettings(prefix=("written",), aliases=("questions", "document")).asked_of_a_leaf
        ('written', 'questions')
        """
        written = ("written",) if self.is_written else ()
        return (*written, *(kind for kind in ALIAS_KINDS if kind in self.aliases and kind != "document"))

    @property
    def most_aliases(self) -> int:
        """The largest number of aliases of a leaf, without the summary of the document."""
        return ("summary" in self.aliases) + QUESTIONS * ("questions" in self.aliases)

    @property
    def asks(self) -> bool:
        """Whether a language model writes anything for a document."""
        return bool(self.asked_of_a_leaf or self.aliases)

    @property
    def overlap_room(self) -> int:
        """The largest overlap in ``unit``; 0 is off.

        >>> ChunkingSettings(overlap_percent=20).overlap_room, ChunkingSettings(overlap_tokens=30).overlap_room
        (22, 30)
        """
        return max(self.overlap_tokens, int(self.max_tokens * self.overlap_percent / 100))

    @property
    def prefix_room(self) -> int:
        """The limit of a prefix in ``unit``: ``prefix_max_tokens``, but at most half of a leaf.

        >>> ChunkingSettings(max_tokens=20, prefix_max_tokens=32).prefix_room
        10
        """
        return min(self.prefix_max_tokens, self.max_tokens // 2)

    @property
    def parent_room(self) -> int:
        """The limit of a parent in ``unit``, at least that of a leaf.

        >>> ChunkingSettings(max_tokens=100, parents="ratio", parent_ratio=3).parent_room
        300
        """
        if self.parents == "structure":
            return self.parent_max_tokens
        return min(WIDEST_PARENT, max(self.max_tokens, int(self.max_tokens * self.parent_ratio)))

    def active_values(self) -> dict[str, Any]:
        """The values that affect the chunks: those that this chunker uses, without later settings at their old value.

        >>> ChunkingSettings(sentences=5).active_values() == ChunkingSettings().active_values()
        True
        >>> ChunkingSettings("sentence", sentences=5).active_values() == ChunkingSettings("sentence").active_values()
        False
        """
        values = asdict(self)
        active = {name: values[name] for name in _COMMON}
        active["prefix"] = tuple(
            kind for kind in self.read_prefix if self.chunker in _PREFIX_CHUNKERS.get(kind, (self.chunker,))
        )
        active |= {name: values[name] for name, former in _LATER_SETTINGS.items() if values[name] != former}
        if not self.overlap_room or self.chunker == "fixed":  # its overlap is always even
            active.pop("overlap", None)
        if not self.asked_of_a_leaf:
            active.pop("written_for", None)
        if self.parents != "structure":
            del active["parent_max_tokens"]
        if self.parents != "structure" or self.levels > 2:
            active["parent_ratio"] = self.parent_ratio
        for chunker in (self.chunker, *_FALLBACKS.get(self.chunker, ())):
            for name in DIALS.get(chunker, ()):
                rule = name.removeprefix("semantic_")
                is_used = rule not in THRESHOLDS or rule == self.semantic_threshold  # else of a threshold not chosen
                if is_used and (name not in _LATER_DIALS or values[name] != _LATER_DIALS[name]):
                    active[name] = values[name]
        if "table_columns" in active:
            active["table_sentences"] = False  # a removed setting: chunks made with it off must not become stale
        if self.chunker == "recursive":
            active["separators"] = "syntax"  # chunks of code that were cut at patterns of lines become stale
        return active


def _check_anchor(pattern: str) -> None:
    if not pattern or len(pattern) > _LONGEST_ANCHOR:
        raise SettingsError(
            f"chunking.anchors holds a pattern of {len(pattern)} characters.",
            f"A pattern has 1 to {_LONGEST_ANCHOR} characters.",
        )
    try:
        problem = "it matches an empty text, and so every line" if regex.match(pattern, "") else ""
    except (regex.error, RecursionError, OverflowError) as error:
        problem = f"it is not a regular expression: {error}"
    if problem:
        raise SettingsError(
            f"chunking.anchors holds {pattern!r}, and {problem}.",
            "Write a plain word, or escape its special characters with a backslash.",
        )
