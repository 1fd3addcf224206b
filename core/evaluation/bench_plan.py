"""What a bench is ordered with: a suite, the presets it is asked under, and what to measure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from core.evaluation.history import RunPlan
from core.evaluation.suites import Suite
from core.settings import Settings


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """What to measure beyond the four budgets. ``token_budgets``: contexts of so many tokens too, () is off.

    ``answers``: what the library answers is scored against the suite's answers: the sentences it quotes, which have to
    be encoded, or what the language model named in ``written_by`` writes.
    ``failures``: each missed question is told the class of its cause (``core.evaluation.failures.classes``).
    Raises ``SettingsError`` for a budget no context can have.

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
    """``presets``: by name, in the order of the report. ``revision``: of the library whose judgments the suite is,
    ``None`` for another suite. ``skipped``: cells of a grid that cannot be, and why, for the report.
    """

    suite: Suite
    presets: Mapping[str, Settings]
    options: BenchOptions = BenchOptions()
    revision: int | None = None
    skipped: tuple[tuple[str, str], ...] = ()

    @property
    def run_plan(self) -> RunPlan:
        """What of it decides the figures, and names the run."""
        return RunPlan(self.suite.name, self.suite.fingerprint(), self.presets, asdict(self.options), self.revision)
