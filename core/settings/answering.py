"""What the answer line quotes, when it says that the library does not say, and whose word counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.errors import SettingsError
from core.settings.checks import within


@dataclass(frozen=True, slots=True)
class AnsweringSettings:
    """``sentences``: quotes shown at most, 0 is off; of cells that satisfy an asked comparison there may be more.
    ``least_support``: probability of an answer in the library below which "the library does not say" stands in place
    of quotes, 0 is off; how the default was found stands in ``core.answering.support``. ``authority``: which
    documents' word counts where passages contradict each other, () is off.

    An entry of ``authority`` ranks patterns of document names, titles, or kinds, best first: "handbook > notes",
    "*.md > pdf > *". Before a colon it may name the subject it is for: "tokens: api.md > handbook". Of several entries
    the first that knows at least one side counts, those with a subject before those without.
    """

    sentences: int = 3
    least_support: float = 0.24
    authority: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        within("answering.sentences", self.sentences, 0, 20)
        within("answering.least_support", self.least_support, 0, 1)
        for entry in self.authority:
            patterns = entry.rpartition(":")[2].split(">")
            if not all(pattern.strip() for pattern in patterns):
                raise SettingsError(
                    f"answering.authority has the entry {entry!r}.",
                    "Write names or kinds of documents, best first: handbook > notes, or tokens: api.md > handbook.",
                )

    def telling(self) -> dict[str, Any]:
        """The values that matter: nothing else is read where no sentence is quoted.

        >>> AnsweringSettings(sentences=0, authority=("a > b",)).telling()
        {'sentences': 0, 'authority': ('a > b',)}
        """
        told: dict[str, Any] = {"sentences": self.sentences, "least_support": self.least_support}
        if not self.sentences:
            del told["least_support"]
        if self.authority:
            told["authority"] = self.authority
        return told
