"""What a preset did with each question, kept line by line, so that a killed bench goes on where it stopped."""

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
    """One preset and one question.

    ``scores``: shares in [0, 1], ``None`` where a metric does not apply. ``contexts``: at each budget of characters
    the spans that were read, most relevant first. ``documents``: ranked, best first. ``best``: the highest score of
    any leaf, by stage. ``ranks``: 1-based rank of the best leaf that holds gold, by stage; a stage that ranked none is
    absent. ``lost``: at each budget, characters of gold by where they went (``core.evaluation.lost_gold``).
    ``milliseconds``: by stage, for one context. ``prompt_tokens`` and ``characters``: of the context at each budget.
    ``ended``: of the context that ends by itself, "characters", "tokens", and where gold is read "tokens_to_gold".
    ``failure``: the class of what kept the gold from being read (``core.evaluation.failures.classes``), "" where it was
    or nobody looked. ``answer``: that was scored, "" where none was asked for. ``gold_at``: the share of the timed
    context, as the reader has it, that stands before its first gold; ``None`` where it holds none.
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
        return json.dumps(row, separators=(",", ":"))  # in ASCII: a file's name may hold what UTF-8 cannot write

    @classmethod
    def from_json(cls, line: str) -> QuestionOutcome:
        """The record that ``to_json`` wrote. Raises ``ValueError`` for what is none."""
        return from_values(cls, json.loads(line))


class Journal:
    """A preset's records in a file, appended as they are made; ``pack`` makes the finished file small."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._packed = path.with_name(path.name + _PACKED)

    def add(self, measured: QuestionOutcome) -> None:
        """Append a record; what was added stays when the process dies."""
        with self._path.open("a", encoding="ascii") as file:
            file.write(measured.to_json() + "\n")

    def read(self) -> Iterator[QuestionOutcome]:
        """The records in the order they were added. Safe beside the one that writes: an unfinished line is left out."""
        for line in self._lines():
            # A line that a crash of the machine damaged is passed over: its question is asked again.
            with suppress(ValueError):
                yield QuestionOutcome.from_json(line)

    def count(self) -> int:
        """How many records there are, without reading them; one that is there twice counts twice."""
        return sum(1 for _ in self._lines())

    def mend(self) -> None:
        """Cut off a last line that a killed process left unfinished: for the one that writes, before it adds."""
        if not self._path.is_file():
            return
        data = self._path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            with self._path.open("r+b") as file:
                file.truncate(whole)

    def pack(self) -> None:
        """Compress what will not grow any more."""
        if not self._path.is_file():
            return
        # Without a time stamp: the same records are the same bytes.
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
