"""What the reader gets, and in which order."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from core.settings.checks import one_of, within

ORDERS = ("relevance", "document", "edges", "blend")
READING_UNITS = ("passages", "sentences", "auto")


@dataclass(frozen=True, slots=True)
class AssemblySettings:
    """What the reader gets. ``budget_tokens``: room for passages. ``order``: of the passages in the prompt.

    ``drop_repeats``: a sentence that stands in a better passage is left out of the others. ``least_gain``: the context
    ends before the passage that gains less (``core.assembly.gain``), though there is room; 0 is off.
    ``unit``: what fills the room, best first: "passages" as they were expanded; single "sentences" of the best of them;
    "auto" takes sentences where the budget is small (``core.assembly.sentences``) and passages elsewhere.
    """

    budget_tokens: int = 2000
    order: str = "relevance"
    drop_repeats: bool = False
    least_gain: float = 0.0
    unit: str = "passages"

    def __post_init__(self) -> None:
        within("assembly.budget_tokens", self.budget_tokens, 50, 1_000_000)
        one_of("assembly.order", self.order, ORDERS)
        within("assembly.least_gain", self.least_gain, 0, 1)
        one_of("assembly.unit", self.unit, READING_UNITS)

    def telling(self) -> dict[str, Any]:
        """The values that matter: what is off is left out, so that a dial that came later names nothing anew.

        >>> AssemblySettings().telling()
        {'budget_tokens': 2000, 'order': 'relevance'}
        >>> AssemblySettings(least_gain=0.1).telling()
        {'budget_tokens': 2000, 'order': 'relevance', 'least_gain': 0.1}
        """
        told = asdict(self)
        if self.unit == "passages":
            del told["unit"]
        return {name: value for name, value in told.items() if value}
