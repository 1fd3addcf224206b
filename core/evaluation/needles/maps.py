"""What to plant and ask, and what came of it: for every depth and size how many sentences each stage still has."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from core.errors import LecternError
from core.evaluation.history import CODE
from core.evaluation.needles.facts import KINDS, Own
from core.evaluation.needles.prompts import ORDERS, Answered
from core.library import Library
from core.settings import Settings

STAGES = {
    "read": "its words stand in the text that was read of the file",
    "cut": "one chunk holds it whole",
    "searched": "a search has its chunk among its first",
    "ordered": "the ranking keeps its chunk",
    "context": "it stands whole in what the reader gets",
    "answer": "the language model's answer holds it",
    "prompt": "the answer holds it where text of this size is handed over without retrieval",
}


@dataclass(frozen=True, slots=True)
class NeedlePlan:
    """What to plant and ask. ``tokens``: sizes of the copy. ``kinds``: of made needles, (): none. ``own``: a person's.

    ``settings``: how it is asked, ``None``: as the library is. ``prompts``: sizes in tokens of prompts without
    retrieval, for a language model alone. Raises ``LecternError`` for a plan that plants nothing.
    """

    tokens: tuple[int, ...] = (10_000, 100_000)
    kinds: tuple[str, ...] = tuple(KINDS)
    own: tuple[Own, ...] = ()
    settings: Settings | None = None
    prompts: tuple[int, ...] = (1_000, 4_000)
    seed: int = 0

    def __post_init__(self) -> None:
        if unknown := set(self.kinds) - set(KINDS):
            raise LecternError(f"There is no kind of needle {min(unknown)!r}.", f"Choose among: {', '.join(KINDS)}.")
        if not (self.kinds or self.own) or not self.tokens or min((*self.tokens, *self.prompts)) < 500:
            raise LecternError("This plants nothing.", "Name a kind or a sentence, and sizes of 500 tokens or more.")

    def key(self, library: Library, model: str) -> str:
        """The same for the same plan, documents and code."""
        told = asdict(replace(self, settings=None)), (self.settings or library.settings).to_dict()
        documents = [row.version_id for row in library.sources()]
        value = json.dumps([told, documents, model, CODE], sort_keys=True)
        return hashlib.sha256(value.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Cell:
    """Of the sentences planted at ``depth`` percent of ``tokens``: how many this stage still has."""

    depth: int
    tokens: int
    stage: str
    found: int
    planted: int


@dataclass(frozen=True, slots=True)
class NeedleMap:
    """``answers``: each sentence that stood in a prompt, where, and whether it was told. ``encoded`` and ``reused``:
    texts of the copies, by whether the library had their vectors.
    """

    cells: tuple[Cell, ...]
    answers: tuple[Answered, ...] = ()
    encoded: int = 0
    reused: int = 0
    seconds: float = 0.0

    def by_place(self, order: str) -> dict[int, tuple[int, int]]:
        """How many sentences were told of how many, by the fifth of the prompt (0 to 4) they stood in."""
        asked = [(min(4, int(5 * item.share)), item.right) for item in self.answers if item.order == order]
        counts, right = Counter(at for at, _ in asked), Counter(at for at, told in asked if told)
        return {at: (right[at], counts[at]) for at in sorted(counts)}

    @property
    def sentences(self) -> list[str]:
        """What was found, in words: how many are left at each stage, and what the order of the passages does."""
        told = []
        for stage, said in STAGES.items():
            cells = [cell for cell in self.cells if cell.stage == stage]
            found, count = sum(cell.found for cell in cells), sum(cell.planted for cell in cells)
            if cells:
                told.append(f"{found} of {count} ({found / count:.0%}): {said}.")
        for order in ORDERS:
            places = self.by_place(order).values()
            if places:
                right, asked = (sum(values) for values in zip(*places, strict=True))
                told.append(f"With the order {order!r} {right} of {asked} that stood in the prompt were told.")
        return told


def summed(rows: Sequence[Mapping[str, Any]]) -> NeedleMap:
    """The cells of what was written down, a row a needle or a prompt."""
    counts: Counter[tuple[int, int, str]] = Counter()
    found: Counter[tuple[int, int, str]] = Counter()
    answers: list[Answered] = []
    for row in rows:
        for depth, stages in row["sentences"]:
            for stage, reached in stages.items():
                key = row["of"][0], depth, stage
                counts[key] += 1
                found[key] += bool(reached)
        answers += [Answered(**item) for item in row["answers"]]
    keys = sorted(counts, key=lambda key: (key[0], list(STAGES).index(key[2]), key[1]))
    cells = (Cell(key[1], key[0], key[2], found[key], counts[key]) for key in keys)
    return NeedleMap(tuple(cells), tuple(answers))
