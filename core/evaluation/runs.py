"""Runs: what the reader got for each question and budget, in the suite's own names, so anyone can score it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from core.evaluation.regions import Placed
from core.evaluation.suites import Question, Suite


@dataclass(frozen=True, slots=True)
class Run:
    """One preset, question and budget. ``context``: spans, most relevant first; ``documents``: ranked, best first."""

    preset: str
    id: str
    budget: int
    context: tuple[Placed, ...]
    documents: tuple[str, ...]

    def to_json(self) -> str:
        """One line of a runs file, without its newline.

        >>> Run("default", "q1", 1000, (("a.md", 0, 9),), ("a.md",)).to_json()
        '{"preset": "default", "id": "q1", "budget": 1000, "context": [["a.md", 0, 9]], "documents": ["a.md"]}'
        """
        row = {
            "preset": self.preset,
            "id": self.id,
            "budget": self.budget,
            "context": [list(item) for item in self.context],
            "documents": list(self.documents),
        }
        return json.dumps(row)


Runs = Callable[[Run], None]
"""Receives the runs of a preset, question by question, once all of its questions are asked."""


class Names:
    """From document versions to the names a suite's questions use.

    Documents with the same bytes are one version with several names. A question sees the name its own judgments use;
    where they use several, or none, the first in name order (a span of such a version takes the name whose gold it
    overlaps most). So scoring the printed names is scoring the versions, but where one question has gold in two
    documents of the same bytes: only one of the two places can be read.
    """

    def __init__(self, suite: Suite) -> None:
        self._names: dict[str, list[str]] = {}
        for document in suite.documents:
            self._names.setdefault(document.version_id, []).append(document.name)

    def place(self, version_id: str, start: int, end: int, question: Question) -> Placed:
        """The span under the name ``question`` uses for its document."""
        names = self._names[version_id]
        if len(names) == 1:
            return names[0], start, end
        gold = [(span.document, min(end, span.end) - max(start, span.start)) for span in question.gold]
        judged = {name for name, _ in gold}
        overlaps = {name: sum(max(0, size) for other, size in gold if other == name) for name in names}
        # max keeps the first of equals, and names stand in order.
        return max(names, key=lambda name: (overlaps[name], name in judged)), start, end

    def ranked(self, version_ids: tuple[str, ...], question: Question) -> tuple[str, ...]:
        """The documents' names, best first; of equal documents those judged relevant, else the first."""
        judged = set(question.relevant_documents or ()) or {span.document for span in question.gold}
        ranked: list[str] = []
        for version_id in version_ids:
            names = self._names[version_id]
            ranked.extend([name for name in names if name in judged] or names[:1])
        return tuple(ranked)
