"""The plan of a bench: a suite, the presets to compare on it, and what to measure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from core.evaluation.history import RunPlan
from core.evaluation.suites import Suite
from core.settings import Settings


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """What to measure beyond the four character budgets.

    ``token_budgets``: contexts of that many tokens too; () is off. ``answers``: also score the library's answers
    against the suite's. They are quoted sentences, which have to be encoded, or what the language model named in
    ``written_by`` writes. ``failures``: classify the cause of each miss (``core.evaluation.failures.classes``).
    Raises ``SettingsError`` for a token budget that the settings do not allow.

    >>> BenchOptions((500, 250, 500)).token_budgets
    (250, 500)
    """

    token_budgets: tuple[int, ...] = ()
    answers: bool = False
    failures: bool = False
    written_by: str = ""

    def __post_init__(self) -> None:
        for tokens in self.token_budgets:
            Settings().with_value("assembly.budget_tokens", tokens)
        object.__setattr__(self, "token_budgets", tuple(sorted(set(self.token_budgets))))


@dataclass(frozen=True, slots=True)
class BenchPlan:
    """A suite and the presets to measure on it, by name in the order of the report.

    ``revision``: for a suite made of a library's judgments, that library's revision; else ``None``. ``skipped``:
    (grid cell, reason) of combinations that are not valid settings, for the report.
    """

    suite: Suite
    presets: Mapping[str, Settings]
    options: BenchOptions = BenchOptions()
    revision: int | None = None
    skipped: tuple[tuple[str, str], ...] = ()

    @property
    def run_plan(self) -> RunPlan:
        """The part of the plan that decides the figures. Its key names the run's folder."""
        return RunPlan(self.suite.name, self.suite.fingerprint(), self.presets, asdict(self.options), self.revision)
