"""A library in which one dial stands wrong: where neighbours count much, runs of near misses hide the gold."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from core.evaluation.exchange.judged import Judged, judged_questions
from core.library import Incoming, Library
from core.settings import Settings
from core.text.analysis import analyse
from core.types import Vectors

DOCUMENTS, TOPICS_EACH = 6, 6
_SYLLABLES = ("ba", "do", "fi", "gu", "ke", "lo", "mi", "nu", "pe", "ra", "so", "tu", "vo", "we", "za")
_FILLER = "the river was low and people walked along its bank until evening came over meadows and dikes".split()

HIDDEN = Settings().with_values(
    {
        "chunking.max_tokens": 64,
        "chunking.parent_max_tokens": 64,
        "retrieval.neighbour_share": 0.9,
        "retrieval.parent_share": 0.0,
        "retrieval.document_share": 0.0,
        "retrieval.coverage_weight": 0.0,
        "expansion.strategy": "flat",
    }
)
"""The settings of the world: a near miss between two others outranks a paragraph that answers and stands alone."""


def word(draw: random.Random) -> str:
    """A word that no other text has."""
    return "".join(draw.choice(_SYLLABLES) for _ in range(4))


def build(folder: Path, library: Library) -> None:
    """Fill a library with documents, each on some topics, and judge a question for each topic."""
    draw = random.Random(7)
    folder.mkdir()
    spans: dict[str, list[tuple[str, int, int]]] = {}
    for number in range(DOCUMENTS):
        text, name = "", f"note-{number}.txt"
        for _ in range(TOPICS_EACH):
            one, two, three = (word(draw) for _ in range(3))
            miss = [paragraph(draw, one, two) for _ in range(6)]
            hit = paragraph(draw, one, two, three)
            text += "\n\n".join([*miss, paragraph(draw), paragraph(draw), ""])
            spans.setdefault(name, []).append((f"What of {one}, {two} and {three}?", len(text), len(text) + len(hit)))
            text += "\n\n".join([hit, paragraph(draw), paragraph(draw), ""])
        (folder / name).write_text(text, encoding="utf-8")
    library.ingest([Incoming(name, folder / name) for name in spans], settings=HIDDEN)
    versions = {row.name: row.version_id for row in library.sources()}
    for name, judged in spans.items():
        for question, start, end in judged:
            library.judge(question, versions[name], start, end)


def paragraph(draw: random.Random, *words: str) -> str:
    """Three sentences of filler with the words in them."""
    said = [*draw.choices(_FILLER, k=36), *words]
    draw.shuffle(said)
    return " ".join(said).capitalize() + "."


def permuted(library: Library, seed: int) -> Judged:
    """The library's judgments with the gold dealt out anew among the questions."""
    judged = judged_questions(library)
    questions = judged.exchange.questions
    gold = [question.gold for question in questions]
    random.Random(seed).shuffle(gold)
    dealt = tuple(replace(one, gold=other) for one, other in zip(questions, gold, strict=True))
    return replace(judged, exchange=replace(judged.exchange, questions=dealt))


class Contrarian:
    """A re-ranker that likes what shares no word with the question. ``read``: how many passages it was given."""

    max_tokens = 256

    def __init__(self) -> None:
        self.read = 0

    def score(self, question: str, passages: Sequence[str]) -> Vectors:
        self.read += len(passages)
        asked = set(analyse(question))
        return np.array([-len(asked & set(analyse(passage))) for passage in passages], dtype=np.float32)


class Indifferent(Contrarian):
    """A re-ranker to whom all passages are alike: no share of it gains anything."""

    def score(self, question: str, passages: Sequence[str]) -> Vectors:
        return np.zeros_like(super().score(question, passages))
