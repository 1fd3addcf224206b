"""A dial of Ask: which setting it turns, what it is called, how far it goes, and when it is read at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.errors import SettingsError
from core.settings import Settings


@dataclass(frozen=True, slots=True)
class Dial:
    """One dial. ``name``: of its setting. ``reach``: low, high and step of a slider; the high end gives way to a value.

    ``choices``: value -> words, of a list, of which a tuple may hold several; ``open``: others may be typed. Neither: a
    switch. ``empty``: what a tuple without
    any says. ``writes``: it has a language model write; where none is set up, it is drawn and cannot be turned.
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
        """Of its widget."""
        return f"ask.{self.name}"

    def read(self, settings: Settings) -> bool:
        """Whether the settings make any use of it: where turning it changes nothing, it is not drawn.

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
                turned = replace(now, **{field: value})
            except SettingsError:  # what contradicts another dial is read
                return True
            if turned.active_values() != now.active_values():
                return True
        return False

    def said(self, value: Any) -> str:
        """A value as the dial shows it.

        >>> Dial("assembly.budget_tokens", "Budget").said(1600), Dial("expansion.max_share", "Share").said(0.5)
        ('1,600', '0.50')
        >>> Dial("reranking.model", "Model", choices={"": "Off"}).said(""), Dial("expansion.kinds", "In").said(())
        ('Off', 'all')
        """
        if isinstance(value, tuple):
            words = self.choices or {}
            return ", ".join(words.get(one, one) for one in value) or self.empty
        if self.choices is not None:
            return self.choices.get(value, str(value))
        if isinstance(value, bool):
            return "on" if value else "off"
        return f"{value:,}" if isinstance(value, int) else f"{value:.2f}"


@dataclass(frozen=True, slots=True)
class Fold:
    """The dials of one stage. ``open``: those that most people turn."""

    name: str
    title: str
    dials: tuple[Dial, ...]
    open: bool = False


def fold(name: str, title: str, *dials: Dial, opened: bool = False) -> Fold:
    """The fold of a stage; its dials name the fields of that stage alone."""
    return Fold(name, title, tuple(replace(dial, name=f"{name}.{dial.name}") for dial in dials), opened)
