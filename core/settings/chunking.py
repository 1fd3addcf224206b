"""The dials of chunking: every one always valid, and a recipe named by those alone that its chunker reads."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import regex

from core.errors import SettingsError
from core.settings.checks import check, dial, within

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
FORMER_PREFIX = "context"  # what older settings may name, and nobody makes: it gained nothing
WRITTEN_FOR = ("every", "unclear")
ALIAS_KINDS = ("summary", "questions", "document")
QUESTIONS = 3  # that a model writes of a leaf

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
"""The dials of each chunker beside the common ones; a chunker that is not named has none of its own."""

# What a chunker leaves to another where its own structure is absent: that one's dials decide then too.
_LEAVES_TO = {
    "semantic": ("texttiling",),
    "cluster": ("texttiling",),
    "learned": ("semantic", "texttiling"),
    "auto": ("table", "log", "conversation", "clause"),
}
# Kinds of prefix that only some chunkers make.
_MADE_BY = {
    "signature": ("code", "auto"),
    "speaker": ("conversation", "auto"),
    "sentences": ("table", "auto"),
}
# Dials younger than the first recipes, each at the value that says what was always done: a fingerprint leaves them out
# there, so that a new dial does not make every document stale and change the id of every chunk.
_ALWAYS_SO = {
    "unit": "tokens",
    "overlap": "even",
    "parents": "structure",
    "levels": 2,
    "vectors": "chunk",
    "written_for": "every",
    "aliases": (),
    "overlap_percent": 0.0,
}
_YOUNGER = {"table_key": "", "clause_sentences": 0}  # the same, of dials of one chunker
_COMMON = ("chunker", "max_tokens", "overlap_tokens", "parent_max_tokens", "prefix", "prefix_max_tokens")
_LONGEST_ANCHOR = 200  # characters of a pattern


@dataclass(frozen=True, slots=True)
class ChunkingSettings:
    """How a document becomes a tree. Sizes are tokens of the embedder's own tokenizer, unless ``unit`` says otherwise.

    ``max_tokens``: a leaf's limit, its prefix included, special tokens not. ``min_tokens``: a smaller piece joins a
    neighbour where both fit, 0 is off. ``overlap_tokens``: 0 is off. ``overlap_percent``: the same as a share of
    ``max_tokens``; the larger of both counts. ``overlap``: "adaptive" takes all of it before a leaf that begins inside
    a table, list, code block or sentence, or with a table or code that prose stands right before, half before one that
    begins elsewhere in a paragraph, a quarter before another whole block; "fixed" has no adaptive one.
    ``parent_max_tokens``: a parent's limit. ``parents``: made of sections ("structure"), of ``parent_ratio`` times
    ``max_tokens`` ("ratio"), or of sections within that size ("both"). ``levels``: of chunks below the document; above
    2 each further level may hold ``parent_ratio`` times the one below. ``prefix``: kinds of prefix parts the embedder
    reads, () is off; "written" is what a leaf leaves unsaid, in a language model's words. ``aliases``: further texts a
    leaf is found by, in a language model's words, each with a vector of its own: its "summary", the "questions" it
    answers, and for a document's first leaf the summary of the whole "document"; () is off. ``written_for``: the model
    writes of "every" leaf or those that are "unclear" alone. ``prefix_max_tokens``: the cap on a leaf's whole prefix,
    which never takes more than half of the leaf; where a model writes, as much is kept free in every leaf, half of it
    for its words. ``unit``: what all these sizes count. With "characters" (code points) they are what other libraries
    call chunk size, and nothing holds a leaf within what the embedder reads: leaves it reads only in part are counted
    as truncated. ``vectors``: of a leaf read by itself ("chunk"), or pooled from its tokens as they were read with what
    stands around it ("late"), which says what a prefix otherwise would: none is read then, and none takes room.

    The rest are dials of one chunker each (``DIALS``); their units: ``sentences`` and ``semantic_buffer`` and
    ``tiling_window`` sentences, ``semantic_percentile`` and ``semantic_gradient`` percent, ``semantic_absolute`` a
    cosine, ``semantic_zscore`` and ``tiling_depth`` standard deviations, ``semantic_interquartile`` interquartile
    ranges, ``learned_probability`` a probability, ``log_*`` minutes, ``table_columns`` columns (0 is off),
    ``table_key`` a column's name ("" is off), ``clause_sentences`` sentences of a clause in a leaf (0 is off).
    """

    chunker: str = dial("structure", among=CHUNKERS)
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
        within("chunking.parent_max_tokens", self.parent_max_tokens, self.max_tokens, 65_536)
        for pattern in self.anchors:
            _check_anchor(pattern)

    @property
    def read_prefix(self) -> tuple[str, ...]:
        """The kinds of prefix parts that the embedder reads before a leaf; () where it reads none.

        >>> ChunkingSettings(prefix=("title",)).read_prefix, ChunkingSettings(vectors="late").read_prefix
        (('title',), ())
        """
        return () if self.vectors == "late" else self.prefix

    @property
    def is_written(self) -> bool:
        """Whether a language model is to say before a leaf what it leaves unsaid."""
        return "written" in self.read_prefix

    @property
    def asked_of_a_leaf(self) -> tuple[str, ...]:
        """What a language model is to write of a leaf, a prompt each; () where it writes of none.

        >>> ChunkingSettings(prefix=("written",), aliases=("questions", "document")).asked_of_a_leaf
        ('written', 'questions')
        """
        told = ("written",) if self.is_written else ()
        return (*told, *(kind for kind in ALIAS_KINDS if kind in self.aliases and kind != "document"))

    @property
    def most_aliases(self) -> int:
        """How many texts a leaf is found by beside its own, at most; the document's summary not counted."""
        return ("summary" in self.aliases) + QUESTIONS * ("questions" in self.aliases)

    @property
    def asks(self) -> bool:
        """Whether a language model is to write anything of a document."""
        return bool(self.asked_of_a_leaf or self.aliases)

    @property
    def overlap_room(self) -> int:
        """What of the leaf before is repeated at most, in ``unit``; 0 is off.

        >>> ChunkingSettings(overlap_percent=20).overlap_room, ChunkingSettings(overlap_tokens=30).overlap_room
        (22, 30)
        """
        return max(self.overlap_tokens, int(self.max_tokens * self.overlap_percent / 100))

    @property
    def prefix_room(self) -> int:
        """What a prefix may take, in ``unit``: small leaves need no other dial turned with them.

        >>> ChunkingSettings(max_tokens=20, prefix_max_tokens=32).prefix_room
        10
        """
        return min(self.prefix_max_tokens, self.max_tokens // 2)

    @property
    def parent_room(self) -> int:
        """What a parent may hold, in ``unit``, whether sections or a ratio decide; never less than a leaf.

        >>> ChunkingSettings(max_tokens=100, parents="ratio", parent_ratio=3).parent_room
        300
        """
        if self.parents == "structure":
            return self.parent_max_tokens
        return min(65_536, max(self.max_tokens, int(self.max_tokens * self.parent_ratio)))

    def active_values(self) -> dict[str, Any]:
        """The values that decide the chunks: what this chunker does not read is left out, and so is a dial at rest.

        >>> ChunkingSettings(sentences=5).active_values() == ChunkingSettings().active_values()
        True
        >>> ChunkingSettings("sentence", sentences=5).active_values() == ChunkingSettings("sentence").active_values()
        False
        """
        values = asdict(self)
        told = {name: values[name] for name in _COMMON}
        told["prefix"] = tuple(kind for kind in self.read_prefix if self.chunker in _MADE_BY.get(kind, (self.chunker,)))
        told |= {name: values[name] for name, rest in _ALWAYS_SO.items() if values[name] != rest}
        if not self.overlap_room or self.chunker == "fixed":  # whose windows overlap by a size alone
            told.pop("overlap", None)
        if not self.asked_of_a_leaf:
            told.pop("written_for", None)
        if self.parents != "structure":
            del told["parent_max_tokens"]
        if self.parents != "structure" or self.levels > 2:
            told["parent_ratio"] = self.parent_ratio
        for chunker in (self.chunker, *_LEAVES_TO.get(self.chunker, ())):
            for name in DIALS.get(chunker, ()):
                rule = name.removeprefix("semantic_")
                chosen = rule not in THRESHOLDS or rule == self.semantic_threshold  # not of a rule not chosen
                if chosen and (name not in _YOUNGER or values[name] != _YOUNGER[name]):
                    told[name] = values[name]
        if "table_columns" in told:
            told["table_sentences"] = False  # a dial that is gone: what was cut with it off is not stale
        return told


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
