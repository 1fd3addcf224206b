"""How a retrieved child grows before it is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.settings.checks import one_of, within

_GROWN = ("max_share", "share_decay")
# What each strategy reads, so that a dial it does not read names nothing.
_READ: dict[str, tuple[str, ...]] = {
    "flat": (),
    "parent": (*_GROWN, "parent_ratio", "kinds"),
    "window": (*_GROWN, "window_sentences"),
    "gated-parent": (*_GROWN, "parent_ratio", "kinds", "confidence"),
    "auto-merge": (*_GROWN, "merge_share"),
    "anchored": _GROWN,
    "neighbours": (*_GROWN, "confidence"),
}
EXPANSIONS = tuple(_READ)
_AT_REST = {"parent_ratio": 0.0, "kinds": ()}


@dataclass(frozen=True, slots=True)
class ExpansionSettings:
    """How a child grows before it is read.

    ``strategy``: "flat" leaves it; "parent" takes its parent; "window" takes the sentences around it; "gated-parent"
    takes the parent of a child that is not trusted by itself; "auto-merge" puts a parent in the place of its children
    where enough of them were retrieved, level by level; "anchored" grows evenly to both sides of it; "neighbours" adds
    what a child that is not trusted refers to, and the leaves beside it.

    ``max_share``: the share of the budget the best child's passage may fill; a larger parent is cut to whole leaves
    around the child. 1 is off. ``share_decay``: the share of the child at rank r is ``max_share / r ** share_decay``,
    so that the best evidence is read with its surroundings and the rest leaves room; 0 is off. Both hold for every
    strategy that grows; a merged parent may fill the shares of its retrieved children together.

    ``window_sentences``: on each side; 0 is off. ``parent_ratio``: how many times the child's size is taken of its
    parent; 0 takes the whole parent. ``kinds``: of the documents whose children take their parents, () for all.
    ``confidence``: children below it, from 0 to 1, are not trusted by themselves (see ``core.expansion.standing``);
    0 trusts all. ``merge_share``: how much of a parent must be retrieved to be merged, from 0 to 1.
    """

    strategy: str = "parent"
    max_share: float = 0.25
    share_decay: float = 0.5
    window_sentences: int = 2
    parent_ratio: float = 0.0
    kinds: tuple[str, ...] = ()
    confidence: float = 0.5
    merge_share: float = 0.5

    def __post_init__(self) -> None:
        one_of("expansion.strategy", self.strategy, EXPANSIONS)
        within("expansion.max_share", self.max_share, 0.01, 1)
        within("expansion.share_decay", self.share_decay, 0, 2)
        within("expansion.window_sentences", self.window_sentences, 0, 20)
        within("expansion.parent_ratio", self.parent_ratio, 0, 20)
        within("expansion.confidence", self.confidence, 0, 1)
        within("expansion.merge_share", self.merge_share, 0.05, 1)

    def telling(self) -> dict[str, Any]:
        """The values that decide the extents: what this strategy does not read is left out, and so is a dial at rest.

        >>> ExpansionSettings("flat", max_share=0.5).telling()
        {'strategy': 'flat'}
        >>> ExpansionSettings(confidence=0.9).telling()
        {'strategy': 'parent', 'max_share': 0.25, 'share_decay': 0.5}
        """
        told: dict[str, Any] = {"strategy": self.strategy}
        for name in _READ[self.strategy]:
            value = getattr(self, name)
            if name not in _AT_REST or value != _AT_REST[name]:
                told[name] = value
        return told
