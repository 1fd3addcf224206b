"""What ``ablations.py`` measures: the dials with their cells, each one thing away from the default, and the suites."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.settings import BASELINES, PRESETS, USUAL_PREFIX, Settings

DEFAULT = "default"
SAMPLES = Path(__file__).resolve().parents[1] / "data" / "samples"


@dataclass(frozen=True, slots=True)
class Dial:
    """One dial: the question it answers, and its cells by name; the default stands among them in the table.

    ``left_out``: suites it is not measured on, for it would encode too much. ``note``: said below the question, "" for
    nothing.
    """

    title: str
    question: str
    cells: Mapping[str, Settings]
    left_out: tuple[str, ...] = ()
    note: str = ""

    @property
    def presets(self) -> dict[str, Settings]:
        """What one run asks: the default and the cells."""
        return {DEFAULT: Settings(), **self.cells}


@dataclass(frozen=True, slots=True)
class Part:
    """Some questions of a suite: those from ``first`` in steps of ``step``. ``metric``: their headline.

    ``tunes``: settings may be chosen by them.
    """

    title: str
    suite: str
    metric: str
    tunes: bool
    first: int = 0
    step: int = 1

    @property
    def every(self) -> slice:
        return slice(self.first, None, self.step)


# Even lines of chroma tune and odd ones tell; the first line is number 1.
PARTS = (
    Part("chroma, even lines", "chroma", "recall", tunes=True, first=1, step=2),
    Part("covidqa", "covidqa", "recall", tunes=True),
    Part("qmsum", "qmsum", "attained", tunes=True),
    Part("code", "code", "recall", tunes=True),
    Part("chroma, odd lines", "chroma", "recall", tunes=False, step=2),
    Part("scifact", "scifact", "recall", tunes=False),
    Part("samples", "samples", "recall", tunes=False),
)


def cell(**values: object) -> Settings:
    return Settings().with_values({name.replace("__", "."): value for name, value in values.items()})


def weighted(dense: float, lexical: float) -> Settings:
    return cell(retrieval__dense_weight=dense, retrieval__lexical_weight=lexical)


def reread(preset: str, **values: object) -> Settings:
    # No time limit: what a busy machine could not finish is no finding.
    values["timeout_seconds"] = 0
    return PRESETS[preset].with_values({f"reranking.{name}": value for name, value in values.items()})


NOTHING_ADDED: dict[str, object] = {
    "retrieval__coverage_weight": 0,
    "retrieval__parent_share": 0,
    "retrieval__document_share": 0,
    "retrieval__neighbour_share": 0,
}

DIALS = (
    Dial(
        "The whole",
        "What did the first default (A1) find: weights 0.5 / 0.5, a neighbour share of 0.3, no other evidence?",
        {
            "A1's default": cell(
                **{
                    **NOTHING_ADDED,
                    "retrieval__dense_weight": 0.5,
                    "retrieval__lexical_weight": 0.5,
                    "retrieval__neighbour_share": 0.3,
                    "expansion__strategy": "parent",
                    "assembly__unit": "passages",
                }
            ),
        },
    ),
    Dial(
        "Fusion",
        "How are the search by meaning and the search by words put together?",
        {
            "weights 0.8 / 0.2": weighted(0.8, 0.2),
            "weights 0.5 / 0.5": weighted(0.5, 0.5),
            "weights 0.3 / 0.7": weighted(0.3, 0.7),
            "reciprocal rank": cell(retrieval__fusion="rrf"),
            "reciprocal rank, nothing added": cell(retrieval__fusion="rrf", **NOTHING_ADDED),
            "meaning alone": weighted(1, 0),
            "meaning alone, nothing added": PRESETS["meaning-only"],
            "words alone": weighted(0, 1),
            "words alone, nothing added": PRESETS["words-only"],
            "words by rank-bm25": cell(retrieval__lexical_engine="rank-bm25"),
        },
        note="Nothing added: without coverage and without any share of a parent, a document or a neighbour.",
    ),
    Dial(
        "Evidence around a child",
        "Are words found around a child, and the scores of its parent, document and neighbours, evidence for it?",
        {
            "without coverage": cell(retrieval__coverage_weight=0),
            "coverage 0.2": cell(retrieval__coverage_weight=0.2),
            "coverage 0.6": cell(retrieval__coverage_weight=0.6),
            "without parent share": cell(retrieval__parent_share=0),
            "parent share 1": cell(retrieval__parent_share=1),
            "without document share": cell(retrieval__document_share=0),
            "document share 0.6": cell(retrieval__document_share=0.6),
            "without neighbour share": cell(retrieval__neighbour_share=0),
            "neighbour share 0.3": cell(retrieval__neighbour_share=0.3),
            "without any of them": cell(**NOTHING_ADDED),
        },
    ),
    Dial(
        "Expansion",
        "How does a child grow before it is read? The default takes its parent where it is no prose.",
        {
            "flat": PRESETS["flat"],
            "parent": cell(expansion__strategy="parent"),
            "window of 1": cell(expansion__strategy="window", expansion__window_sentences=1),
            "window of 2": cell(expansion__strategy="window"),
            "window of 4": cell(expansion__strategy="window", expansion__window_sentences=4),
            "auto-merge": cell(expansion__strategy="auto-merge"),
            "auto-merge at 0.3": cell(expansion__strategy="auto-merge", expansion__merge_share=0.3),
            "anchored": cell(expansion__strategy="anchored"),
            "neighbours": cell(expansion__strategy="neighbours"),
        },
    ),
    Dial(
        "What is brought",
        "Is what a passage leaves unsaid, because it stands elsewhere, read beside it?",
        {
            "question of a turn": cell(expansion__brings=("question",)),
            "definitions of terms": cell(expansion__brings=("definitions",)),
            "session of a log": cell(expansion__brings=("session",)),
            "parents of definitions and steps": cell(
                expansion__strategy="parent", expansion__kinds=("definition", "steps", "architecture")
            ),
        },
        left_out=("scifact",),
        note="Contracts, logs and notes that refer to one another stand in no suite: `benchmarks.growth` makes them.",
    ),
    Dial(
        "Assembly",
        "What fills the room, and what is left out of it?",
        {
            "sentences": cell(assembly__unit="sentences"),
            "passages, where room is small too": cell(assembly__unit="passages"),
        },
        note="The order of the passages in the prompt is no row: the same characters are read in any order.",
    ),
    Dial(
        "Diversity",
        "May the children that go on repeat one another?",
        {
            "MMR 0.7": cell(diversity__method="mmr"),
            "MMR 0.9": cell(diversity__method="mmr", diversity__relevance=0.9),
        },
    ),
    Dial(
        "What is understood of a question",
        "Do operators filter?",
        {
            "without filters": cell(understanding__filters=False),
        },
        note="Hardly a question of the suites states a condition: a row like the default's says no more than that it"
        " does no harm.",
    ),
    Dial(
        "Re-ranking",
        "Are the first 20 better ordered when Lectern's own cross-encoder reads each with the question (*Careful*)?",
        {
            "careful": reread("careful"),
            "careful, without neighbours": reread("careful", neighbour_share=0),
        },
        left_out=("covidqa", "scifact"),
        note="It reads 20 children a question. More of it, on all suites, stands in `docs/reranker.md`.",
    ),
    Dial(
        "Size of a leaf",
        "How many tokens may a retrieved child have (the embedder reads at most 256)?",
        {f"{size} tokens": cell(chunking__max_tokens=size) for size in (64, 160, 230)},
        left_out=("scifact",),
    ),
    Dial(
        "Overlap",
        "Does a child repeat the end of the one before it, up to a quarter of its size?",
        {
            "overlap 27": cell(chunking__overlap_tokens=27),
            "overlap 27, adaptive": cell(chunking__overlap_tokens=27, chunking__overlap="adaptive"),
        },
        left_out=("scifact",),
    ),
    Dial(
        "Prefix",
        "Does the embedder read the title and heading path above each child?",
        {
            "without prefix": cell(chunking__prefix=()),
        },
    ),
    Dial(
        "What a model writes",
        "What do prefixes, summaries and questions find that a language model writes of a child?",
        {
            "prefix, every child": cell(chunking__prefix=(*USUAL_PREFIX, "written")),
            "prefix, unclear children": cell(
                chunking__prefix=(*USUAL_PREFIX, "written"), chunking__written_for="unclear"
            ),
            "summaries": cell(chunking__aliases=("summary", "document")),
            "questions": cell(chunking__aliases=("questions",)),
            "all of them": cell(
                chunking__prefix=(*USUAL_PREFIX, "written"), chunking__aliases=("summary", "questions", "document")
            ),
        },
        left_out=("covidqa", "qmsum", "scifact", "chroma", "code"),
        note="No model is asked: a script returns the document's title and first sentence, the child's own first"
        " sentence, and asks for its subject. So the rows show the machinery and what it costs, not what a model is"
        " worth.",
    ),
    Dial(
        "Common practice",
        "What do others' usual settings find, with the same weights of the encoder?",
        {name: PRESETS[name] for name in BASELINES},
        left_out=("covidqa", "scifact"),
    ),
)
