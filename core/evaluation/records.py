"""The outcome of each question under a preset, one JSON line each, so that a killed bench can resume."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from core.atomic_files import written_whole
from core.evaluation.regions import Placed
from core.plain_values import from_values

_PACKED = ".gz"


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """The outcome of one question (``id``) under one preset.

    - ``scores``: in [0, 1] by metric, ``None`` where a metric does not apply.
    - ``contexts``: the retrieved spans at each budget in characters, most relevant first.
    - ``documents``: the document ranking, best first.
    - ``best``: the highest score of any leaf, by stage.
    - ``ranks``: the best 1-based rank of a leaf that holds gold, by stage; a stage that ranks none is absent.
    - ``lost``: at each budget, characters of gold by where they were lost (``core.evaluation.lost_gold``).
    - ``milliseconds``: by stage, for one context.
    - ``prompt_tokens``, ``characters``: sizes of the context at each budget.
    - ``ended``: sizes of the context that may end early: "characters", "tokens", and "tokens_to_gold" if it has gold.
    - ``failure``: class of the miss (``core.evaluation.failures.classes``); "" for no miss, or where not measured.
    - ``answer``: the answer that was scored, "" where the plan asks for none.
    - ``gold_at``: share of the timed context, in reading order, before its first gold; ``None`` where it has none.
    """

    id: str
    scores: Mapping[str, float | None]
    contexts: Mapping[int, tuple[Placed, ...]]
    documents: tuple[str, ...]
    best: Mapping[str, float]
    ranks: Mapping[str, int]
    lost: Mapping[int, Mapping[str, int]]
    milliseconds: Mapping[str, float]
    prompt_tokens: Mapping[int, int]
    characters: Mapping[int, int]
    ended: Mapping[str, int] = field(default_factory=dict)
    failure: str = ""
    answer: str = ""
    gold_at: float | None = None

    def to_json(self) -> str:
        """One line, without its newline."""
        row = {name: getattr(self, name) for name in self.__slots__}
        return json.dumps(row, separators=(",", ":"))  # ASCII: a file name may contain surrogates, which UTF-8 rejects

    @classmethod
    def from_json(cls, line: str) -> QuestionOutcome:
        """The outcome that ``to_json`` wrote. Raises ``ValueError`` for any other line."""
        return from_values(cls, json.loads(line))


class Journal:
    """A preset's outcomes in an append-only file, which ``pack`` compresses once it is complete."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._packed = path.with_name(path.name + _PACKED)

    def add(self, outcome: QuestionOutcome) -> None:
        """Append an outcome. It is kept if the process dies."""
        with self._path.open("a", encoding="ascii") as file:
            file.write(outcome.to_json() + "\n")

    def read(self) -> Iterator[QuestionOutcome]:
        """The outcomes in the order they were added. Safe while another process writes: skips an incomplete line."""
        for line in self._lines():
            # A line damaged by a crash is skipped, so that its question is asked again.
            with suppress(ValueError):
                yield QuestionOutcome.from_json(line)

    def count(self) -> int:
        """The number of lines, without parsing them."""
        return sum(1 for _ in self._lines())

    def mend(self) -> None:
        """Truncate an incomplete last line that a killed process left. For the writer, before it adds."""
        if not self._path.is_file():
            return
        data = self._path.read_bytes()
        complete = data.rfind(b"\n") + 1
        if complete < len(data):
            with self._path.open("r+b") as file:
                file.truncate(complete)

    def pack(self) -> None:
        """Replace the file by a compressed one. Nothing can be added after that."""
        if not self._path.is_file():
            return
        # Without a time stamp, equal outcomes give equal bytes.
        with (
            written_whole(self._packed) as unfinished,
            self._path.open("rb") as plain,
            unfinished.open("wb") as file,
            gzip.GzipFile("", "wb", 6, file, 0) as packed,
        ):
            while block := plain.read(1 << 20):
                packed.write(block)
        self._path.unlink()

    def _lines(self) -> Iterator[str]:
        if self._packed.is_file():
            with gzip.open(self._packed, "rt", encoding="ascii", newline="\n") as file:
                yield from file
        elif self._path.is_file():
            with self._path.open(encoding="ascii", errors="replace", newline="\n") as file:
                yield from (line for line in file if line.endswith("\n"))
