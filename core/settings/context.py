"""The settings that turn a ranking into a context and an answer: expansion, assembly and answering."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from core.settings.checks import check, dial
from core.settings.preparing import GENRES, SECTION_TYPES

_SHARES = ("max_share", "share_decay")
# The fields that each strategy uses. A fingerprint leaves the others out.
_STRATEGY_FIELDS: dict[str, tuple[str, ...]] = {
    "flat": (),
    "parent": (*_SHARES, "kinds"),
    "needed": (*_SHARES, "kinds"),
    "window": (*_SHARES, "window_sentences"),
    "auto-merge": (*_SHARES, "merge_share"),
    "anchored": _SHARES,
    "neighbours": (*_SHARES, "confidence"),
}
EXPANSIONS = tuple(_STRATEGY_FIELDS)
GROWING = (*GENRES, *(name for name in SECTION_TYPES if name not in GENRES))
"""The values of ``expansion.kinds``: genres of documents, and section types without a genre of the same name."""
BRINGS = ("question", "definitions", "session", "calls")
"""The values of ``expansion.brings``: related text from elsewhere that can be added to a passage."""


@dataclass(frozen=True, slots=True)
class ExpansionSettings:
    """How a retrieved leaf ("child") is expanded to a passage.

    ``strategy``: what a child is replaced by or extended with:

    - "flat": nothing. "parent": its parent. "needed": its parent if it is code, a table, a list or a conversation;
      nothing for prose.
    - "window": the sentences around it. "anchored": text on both sides in equal parts. "neighbours": if its confidence
      is low, the adjacent leaves and what it refers to.
    - "auto-merge": the parent replaces its children where enough of them were retrieved, level by level.

    ``max_share``: the largest share of the budget for the best child's passage; a larger parent is reduced to whole
    leaves around the child. 1 is off. ``share_decay``: the child at rank r gets ``max_share / r ** share_decay``; 0 is
    off. Both apply to every strategy but "flat"; a merged parent gets the shares of its children together.

    ``window_sentences``: on each side; 0 is off. ``kinds`` (of ``GROWING``): genres and section types whose children
    take their parents; () for all. ``confidence``: children below it, in [0, 1], have a low confidence
    (``core.search.expansion.relevance``); with 0 none has. ``merge_share``: share of a parent, in [0, 1], that must be
    retrieved for a merge.

    ``brings``: text from elsewhere that is added to a passage (``core.search.expansion.companions``), () is off: the
    "question" that a turn answers, the "definitions" of a contract's terms, the other entries of a log "session", the
    functions that code "calls" (if it was chunked by syntax).
    """

    strategy: str = dial("needed", among=EXPANSIONS)
    max_share: float = dial(0.25, 0.01, 1)
    share_decay: float = dial(0.5, 0, 2)
    window_sentences: int = dial(2, 0, 20)
    kinds: tuple[str, ...] = dial((), among=GROWING)
    confidence: float = dial(0.5, 0, 1)
    merge_share: float = dial(0.5, 0.05, 1)
    brings: tuple[str, ...] = dial((), among=BRINGS)

    def __post_init__(self) -> None:
        check("expansion", self)

    def active_values(self) -> dict[str, Any]:
        """The values that affect the passages: those that this strategy uses, without some that are off.

        >>> ExpansionSettings("flat", max_share=0.5).active_values()
        {'strategy': 'flat'}
        >>> ExpansionSettings(confidence=0.9).active_values()
        {'strategy': 'needed', 'max_share': 0.25, 'share_decay': 0.5}
        """
        active: dict[str, Any] = {"strategy": self.strategy}
        for name in _STRATEGY_FIELDS[self.strategy]:
            if name != "kinds" or self.kinds:
                active[name] = getattr(self, name)
        if self.brings:
            active |= {name: getattr(self, name) for name in (*_SHARES, "brings")}
        return active


ORDERS = ("relevance", "document", "edges", "blend")
READING_UNITS = ("passages", "sentences", "auto")


@dataclass(frozen=True, slots=True)
class AssemblySettings:
    """How the context is assembled.

    ``budget_tokens``: limit of all passages together. ``order``: of the passages in the prompt. ``stop_below``: the
    context ends early where the probability that any further text belongs to the answer is below this
    (``core.search.context.ending``); 0 fills the budget. ``unit``: what fills the budget, best first: expanded
    "passages", single "sentences" of the best passages, or "auto": sentences for a small budget
    (``core.search.context.candidates``), else passages.
    """

    budget_tokens: int = dial(2000, 50, 1_000_000)
    order: str = dial("relevance", among=ORDERS)
    stop_below: float = dial(0.14, 0, 1)
    unit: str = dial("auto", among=READING_UNITS)

    def __post_init__(self) -> None:
        check("assembly", self)

    def active_values(self) -> dict[str, Any]:
        """The values that affect the context, without those that are off: new settings keep old fingerprints.

        >>> AssemblySettings().active_values()
        {'budget_tokens': 2000, 'order': 'relevance', 'stop_below': 0.14}
        >>> AssemblySettings(stop_below=0).active_values()
        {'budget_tokens': 2000, 'order': 'relevance'}
        """
        values = asdict(self)
        if self.unit == "auto":
            del values["unit"]
        return {name: value for name, value in values.items() if value}


@dataclass(frozen=True, slots=True)
class AnsweringSettings:
    """How questions are answered with quotes.

    ``sentences``: the largest number of quotes, 0 is off. ``least_support``: with a lower probability that the library
    has an answer, it answers that it does not say; 0 is off. ``core.search.answer.support`` explains the default.
    ``reader``: whether the packaged extractive reader marks the short answers.
    """

    sentences: int = dial(3, 0, 20)
    least_support: float = dial(0.4, 0, 1)
    reader: bool = True

    def __post_init__(self) -> None:
        check("answering", self)

    def active_values(self) -> dict[str, Any]:
        """The values that affect answers; only ``sentences`` where that is 0.

        >>> AnsweringSettings(sentences=0, reader=False).active_values()
        {'sentences': 0}
        """
        if not self.sentences:
            return {"sentences": 0}
        active: dict[str, Any] = {"sentences": self.sentences, "least_support": self.least_support}
        return active if self.reader else active | {"reader": False}
