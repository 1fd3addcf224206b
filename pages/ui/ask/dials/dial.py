"""A dial of the Ask page: the setting it changes, its label and range, and whether the setting has any effect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.errors import SettingsError
from core.settings import Settings


@dataclass(frozen=True, slots=True)
class Dial:
    """One dial: a slider with ``reach``, a list with ``choices``, a switch without either.

    ``name``: the setting. ``reach``: low, high and step; a present value outside widens the range. ``choices``: label
    by value; a setting that is a tuple can have several. ``open``: other values can be typed. ``empty``: the words for
    an empty tuple. ``writes``: it needs a language model, and is disabled if none is set up.
    """

    name: str
    label: str
    help: str = ""
    reach: tuple[float, float, float] | None = None
    choices: Mapping[str, str] | None = None
    open: bool = False
    writes: bool = False
    empty: str = "all"

    @property
    def key(self) -> str:
        """The key of its widget."""
        return f"ask.{self.name}"

    def read(self, settings: Settings) -> bool:
        """Whether the setting has any effect under ``settings``; a dial without effect is not drawn.

        >>> Dial("retrieval.rrf_k", "Rank constant", reach=(1, 200, 1)).read(Settings())
        False
        """
        stage, _, field = self.name.partition(".")
        now = getattr(settings, stage)
        others: Mapping[type, tuple[Any, ...]] = {bool: (False, True), tuple: ((), tuple(self.choices or ())[:1])}
        kind = type(getattr(now, field))
        ends = self.reach[:2] if self.reach else others[kind] if kind is tuple else tuple(self.choices or others[kind])
        for value in ends:
            try:
                changed = replace(now, **{field: value})
            except SettingsError:  # it contradicts another setting, so it has an effect
                return True
            if changed.active_values() != now.active_values():
                return True
        return False

    def said(self, value: Any) -> str:
        """A value as text, as the dial shows it.

        >>> Dial("assembly.budget_tokens", "Budget").said(1600), Dial("expansion.max_share", "Share").said(0.5)
        ('1,600', '0.50')
        >>> Dial("reranking.model", "Model", choices={"": "Off"}).said(""), Dial("expansion.kinds", "In").said(())
        ('Off', 'all')
        """
        if isinstance(value, tuple):
            words = self.choices or {}
            return ", ".join(words.get(item, item) for item in value) or self.empty
        if self.choices is not None:
            return self.choices.get(value, str(value))
        if isinstance(value, bool):
            return "on" if value else "off"
        return f"{value:,}" if isinstance(value, int) else f"{value:.2f}"


@dataclass(frozen=True, slots=True)
class Fold:
    """The dials of one stage, as a foldable section. ``open``: unfolded at first."""

    name: str
    title: str
    dials: tuple[Dial, ...]
    open: bool = False


def fold(name: str, title: str, *dials: Dial, opened: bool = False) -> Fold:
    """The fold of a stage. ``dials``: with field names only, which get the stage's name as prefix."""
    return Fold(name, title, tuple(replace(dial, name=f"{name}.{dial.name}") for dial in dials), opened)
