"""The plan of a needle test and its result: how many sentences reach each stage, by depth and library size."""

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
    """What to plant and how to ask for it.

    ``tokens``: sizes of the library's copy. ``kinds``: of generated needles, () for none. ``own``: the user's needles.
    ``settings``: ``None`` for the library's. ``prompts``: sizes in tokens of prompts without retrieval, used only with
    a language model. Raises ``LecternError`` for a plan that plants nothing.
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
        """Sixteen hex digits, equal for equal plans, documents, models and code."""
        plan = asdict(replace(self, settings=None)), (self.settings or library.settings).to_dict()
        documents = [row.version_id for row in library.sources()]
        value = json.dumps([plan, documents, model, CODE], sort_keys=True)
        return hashlib.sha256(value.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Cell:
    """How many of the sentences ``planted`` at ``depth`` percent of ``tokens`` reached ``stage`` (``found``)."""

    depth: int
    tokens: int
    stage: str
    found: int
    planted: int


@dataclass(frozen=True, slots=True)
class KindCount:
    """How many of the sentences ``planted`` for needles of a ``kind`` reached ``stage`` (``found``)."""

    kind: str
    stage: str
    found: int
    planted: int


@dataclass(frozen=True, slots=True)
class NeedleMap:
    """The result of a needle test. ``answers``: one for each planted sentence in a prompt of the language model.

    ``kinds``: the same sentences by kind of needle; () of a map from before they were counted so.

    ``encoded`` and ``reused``: the number of the copies' texts without and with a vector in the library.
    """

    cells: tuple[Cell, ...]
    answers: tuple[Answered, ...] = ()
    encoded: int = 0
    reused: int = 0
    seconds: float = 0.0
    kinds: tuple[KindCount, ...] = ()

    def by_kind(self, stage: str) -> list[str]:
        """What a stage lost, a phrase a kind, the worst first; kinds that lost nothing are named together at the end.

        >>> kinds = (KindCount("plain", "cut", 11, 11), KindCount("several", "cut", 30, 33))
        >>> NeedleMap((), kinds=kinds).by_kind("cut")
        ['several (three sentences for one question): 3 of 33 lost', 'plain: none lost']
        """
        counts = sorted((count for count in self.kinds if count.stage == stage), key=lambda at: at.found / at.planted)
        lost = [count for count in counts if count.found < count.planted]
        kept = ", ".join(count.kind for count in counts if count.found == count.planted)
        meanings = {kind: f"{kind} ({meaning})" for kind, meaning in KINDS.items()}
        phrases = [f"{meanings.get(at.kind, at.kind)}: {at.planted - at.found} of {at.planted} lost" for at in lost]
        return [*phrases, *([f"{kept}: none lost"] if kept else [])]

    def by_place(self, order: str) -> dict[int, tuple[int, int]]:
        """(right answers, sentences) by the fifth of the prompt (0 to 4) that held the sentence."""
        answers = [(min(4, int(5 * item.share)), item.right) for item in self.answers if item.order == order]
        counts = Counter(fifth for fifth, _ in answers)
        right = Counter(fifth for fifth, is_right in answers if is_right)
        return {fifth: (right[fifth], counts[fifth]) for fifth in sorted(counts)}

    @property
    def sentences(self) -> list[str]:
        """The result in words: how many sentences reach each stage, and the effect of the order of the passages."""
        sentences = []
        for stage, meaning in STAGES.items():
            cells = [cell for cell in self.cells if cell.stage == stage]
            found, count = sum(cell.found for cell in cells), sum(cell.planted for cell in cells)
            if cells:
                sentences.append(f"{found} of {count} ({found / count:.0%}): {meaning}.")
        for order in ORDERS:
            fifths = self.by_place(order).values()
            if fifths:
                right, count = (sum(values) for values in zip(*fifths, strict=True))
                sentences.append(f"With the order {order!r} {right} of {count} that stood in the prompt were told.")
        return sentences


def needle_map_of(rows: Sequence[Mapping[str, Any]]) -> NeedleMap:
    """The map of a journal's rows, one a needle or prompt."""
    counts: Counter[tuple[int, int, str]] = Counter()
    found: Counter[tuple[int, int, str]] = Counter()
    counts_of_kind: Counter[tuple[str, str]] = Counter()
    found_of_kind: Counter[tuple[str, str]] = Counter()
    answers: list[Answered] = []
    for row in rows:
        for depth, stages in row["sentences"]:
            for stage, reached in stages.items():
                key = row["of"][0], depth, stage
                counts[key] += 1
                found[key] += bool(reached)
                if kind := row.get("kind"):
                    counts_of_kind[kind, stage] += 1
                    found_of_kind[kind, stage] += bool(reached)
        answers += [Answered(**item) for item in row["answers"]]
    keys = sorted(counts, key=lambda key: (key[0], list(STAGES).index(key[2]), key[1]))
    cells = (Cell(key[1], key[0], key[2], found[key], counts[key]) for key in keys)
    kinds = (KindCount(*key, found_of_kind[key], count) for key, count in counts_of_kind.items())
    return NeedleMap(tuple(cells), tuple(answers), kinds=tuple(kinds))
