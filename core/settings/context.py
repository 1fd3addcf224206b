"""From a ranking to what is read: how children grow, what fills the context, what the answer line quotes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from core.settings.checks import check, dial
from core.settings.preparing import GENRES, SECTION_TYPES

_GROWN = ("max_share", "share_decay")
# What each strategy reads, so that a dial it does not read names nothing.
_READ: dict[str, tuple[str, ...]] = {
    "flat": (),
    "parent": (*_GROWN, "parent_ratio", "kinds"),
    "needed": (*_GROWN, "parent_ratio", "kinds"),
    "window": (*_GROWN, "window_sentences"),
    "gated-parent": (*_GROWN, "parent_ratio", "kinds", "confidence"),
    "auto-merge": (*_GROWN, "merge_share"),
    "anchored": _GROWN,
    "neighbours": (*_GROWN, "confidence"),
}
EXPANSIONS = tuple(_READ)
GROWING = (*GENRES, *(name for name in SECTION_TYPES if name not in GENRES))
"""What ``expansion.kinds`` may name: genres of documents, and what passages do where no genre is called so."""
BRINGS = ("question", "definitions", "session", "calls")
"""What a passage may be read with that stands elsewhere."""
_AT_REST = {"parent_ratio": 0.0, "kinds": ()}


@dataclass(frozen=True, slots=True)
class ExpansionSettings:
    """How a child grows before it is read.

    ``strategy``: "flat" leaves it; "parent" takes its parent; "needed" takes it where the child is code, a table, a
    list or talk, and leaves prose alone; "window" takes the sentences around it; "gated-parent" takes the parent of a
    child that is not trusted by itself; "auto-merge" puts a parent in the place of its children where enough of them
    were retrieved, level by level; "anchored" grows evenly to both sides of it; "neighbours" adds what a child that is
    not trusted refers to, and the leaves beside it.

    ``max_share``: the share of the budget the best child's passage may fill; a larger parent is cut to whole leaves
    around the child. 1 is off. ``share_decay``: the share of the child at rank r is ``max_share / r ** share_decay``,
    so that the best evidence is read with its surroundings and the rest leaves room; 0 is off. Both hold for every
    strategy that grows; a merged parent may fill the shares of its retrieved children together.

    ``window_sentences``: on each side; 0 is off. ``parent_ratio``: how many times the child's size is taken of its
    parent; 0 takes the whole parent. ``kinds`` (of ``GROWING``): only children of documents of these genres, and those
    that do this themselves ("definition", "steps"), take their parents; () for all. ``confidence``: children below it,
    from 0 to 1, are not trusted by themselves (see ``core.search.expansion.relevance``); 0 trusts all.
    ``merge_share``: how much of a parent must be retrieved to be merged, from 0 to 1.

    ``brings``: what a passage is read with that stands elsewhere (``core.search.expansion.companions``), () is off:
    the "question" a turn answers, the "definitions" of a contract's terms, the entries of its "session" in a log, what
    code "calls", where it was cut by its syntax.
    """

    strategy: str = dial("needed", among=EXPANSIONS)
    max_share: float = dial(0.25, 0.01, 1)
    share_decay: float = dial(0.5, 0, 2)
    window_sentences: int = dial(2, 0, 20)
    parent_ratio: float = dial(0.0, 0, 20)
    kinds: tuple[str, ...] = dial((), among=GROWING)
    confidence: float = dial(0.5, 0, 1)
    merge_share: float = dial(0.5, 0.05, 1)
    brings: tuple[str, ...] = dial((), among=BRINGS)

    def __post_init__(self) -> None:
        check("expansion", self)

    def active_values(self) -> dict[str, Any]:
        """The values that decide the extents: what this strategy does not read is left out, and so is a dial at rest.

        >>> ExpansionSettings("flat", max_share=0.5).active_values()
        {'strategy': 'flat'}
        >>> ExpansionSettings(confidence=0.9).active_values()
        {'strategy': 'needed', 'max_share': 0.25, 'share_decay': 0.5}
        """
        told: dict[str, Any] = {"strategy": self.strategy}
        for name in _READ[self.strategy]:
            value = getattr(self, name)
            if name not in _AT_REST or value != _AT_REST[name]:
                told[name] = value
        if self.brings:
            told |= {name: getattr(self, name) for name in (*_GROWN, "brings")}
        return told


ORDERS = ("relevance", "document", "edges", "blend")
READING_UNITS = ("passages", "sentences", "auto")


@dataclass(frozen=True, slots=True)
class AssemblySettings:
    """What the reader gets. ``budget_tokens``: room for passages. ``order``: of the passages in the prompt.

    ``stop_below``: the context ends, though there is room, where it is less likely than this that anything from there
    on belongs to the answer (``core.search.context.ending``); 0 fills the room.
    ``unit``: what fills the room, best first: "passages" as they were expanded; single "sentences" of the best of them;
    "auto" takes sentences where the budget is small (``core.search.context.candidates``) and passages elsewhere.
    """

    budget_tokens: int = dial(2000, 50, 1_000_000)
    order: str = dial("relevance", among=ORDERS)
    stop_below: float = dial(0.14, 0, 1)
    unit: str = dial("auto", among=READING_UNITS)

    def __post_init__(self) -> None:
        check("assembly", self)

    def active_values(self) -> dict[str, Any]:
        """The values that matter: what is off is left out, so that a dial that came later names nothing anew.

        >>> AssemblySettings().active_values()
        {'budget_tokens': 2000, 'order': 'relevance', 'stop_below': 0.14}
        >>> AssemblySettings(stop_below=0).active_values()
        {'budget_tokens': 2000, 'order': 'relevance'}
        """
        told = asdict(self)
        if self.unit == "auto":
            del told["unit"]
        return {name: value for name, value in told.items() if value}


@dataclass(frozen=True, slots=True)
class AnsweringSettings:
    """``sentences``: quotes shown at most, 0 is off.
    ``least_support``: probability of an answer in the library below which "the library does not say" stands in place
    of quotes, 0 is off; how the default was found stands in ``core.search.answer.support``. ``reader``: whether the
    small reader that comes with Lectern marks the short answers.
    """

    sentences: int = dial(3, 0, 20)
    least_support: float = dial(0.4, 0, 1)
    reader: bool = True

    def __post_init__(self) -> None:
        check("answering", self)

    def active_values(self) -> dict[str, Any]:
        """The values that matter: nothing else is read where no sentence is quoted.

        >>> AnsweringSettings(sentences=0, reader=False).active_values()
        {'sentences': 0}
        """
        told: dict[str, Any] = {"sentences": self.sentences, "least_support": self.least_support}
        if not self.sentences:
            del told["least_support"]
        elif not self.reader:
            told["reader"] = False
        return told
