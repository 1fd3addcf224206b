"""A bench as it is ordered: what the page puts in the queue and the worker takes out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.evaluation.bench import BenchOptions
from core.settings import Settings
from core.storage.store import settings_from


@dataclass(frozen=True, slots=True)
class Plan:
    """``name``: of the suite, as people call it. ``revision``: of the library whose judgments ``folder`` holds."""

    folder: Path
    name: str
    presets: Mapping[str, Settings]
    skipped: tuple[tuple[str, str], ...] = ()
    options: BenchOptions = field(default_factory=BenchOptions)
    revision: int | None = None

    def payload(self) -> dict[str, Any]:
        """Fit for JSON; ``from_payload`` makes an equal plan of it.

        >>> plan = Plan(Path("suite"), "Suite", {"default": Settings()}, (("a", "b"),), BenchOptions((500,)))
        >>> Plan.from_payload(plan.payload()) == plan
        True
        """
        return {
            "folder": str(self.folder),
            "name": self.name,
            "presets": {name: settings.to_dict() for name, settings in self.presets.items()},
            "skipped": [list(item) for item in self.skipped],
            "token_budgets": list(self.options.token_budgets),
            "answers": self.options.answers,
            "revision": self.revision,
        }

    @classmethod
    def from_payload(cls, row: Mapping[str, Any]) -> Plan:
        """The plan that ``payload`` wrote."""
        return cls(
            folder=Path(row["folder"]),
            name=row["name"],
            presets={name: settings_from(values) for name, values in row["presets"].items()},
            skipped=tuple((cell, reason) for cell, reason in row["skipped"]),
            options=BenchOptions(tuple(row["token_budgets"]), row["answers"]),
            revision=row["revision"],
        )
