"""The display names and score scales of the stages of a ranking."""

from __future__ import annotations

from dataclasses import dataclass

KEPT = "kept"  # the last column of the drawing: the chunks that go on, in order
_DEVIATIONS, _RANKS = "standard deviations above the mean", "sum of weighted reciprocal ranks"


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage's names in a sentence (``word``) and as a column (``short``), and its score's scale, "": the fusion's."""

    word: str
    short: str
    scale: str = ""


STAGES = {
    "dense": Stage("meaning", "Meaning", "cosine, from -1 to 1"),
    "alias": Stage("what else it is found by", "Alias", "cosine, from -1 to 1"),
    "lexical": Stage("words", "Words", "BM25, higher is better"),
    "coverage": Stage("words around", "Around", "share of the question's words found around it, from 0 to 1"),
    "fused": Stage("fused", "Fused"),
    "parent": Stage("with its section", "Section"),
    "document": Stage("with its document", "Document"),
    "neighbours": Stage("with neighbours", "Near"),
    "diverse": Stage("spread", "Spread", "the order in which it was chosen, as a falling score"),
    "reranked": Stage("re-ranked", "Re-ranked", "the re-ranker's own, blended with the ranking before it"),
    KEPT: Stage("kept", "Kept", "place among those that go on"),
}
_FUSED = ("fused", "parent", "document", "neighbours")


def stage(name: str) -> Stage:
    """The names of a stage; an unknown one gets names made of its key.

    >>> stage("lexical").word, stage("best_sentence").word, stage("best_sentence").short
    ('words', 'best sentence', 'Best sentence')
    """
    word = name.replace("_", " ").replace("-", " ")
    return STAGES.get(name) or Stage(word, word[:1].upper() + word[1:], "higher is better")


def scale(name: str, fusion: str) -> str:
    """The scale of a stage's score in words, for tooltips.

    >>> scale("dense", "rrf"), scale("fused", "rrf")
    ('cosine, from -1 to 1', 'sum of weighted reciprocal ranks')
    >>> scale("neighbours", "zscore")
    "standard deviations above the mean, with a share of its neighbours'"
    """
    fused = _RANKS if fusion == "rrf" else _DEVIATIONS
    also = {
        "parent": ", with a share of the best of its section",
        "document": ", with a share of the best of its document",
        "neighbours": ", with a share of its neighbours'",
    }
    return stage(name).scale or f"{fused}{also.get(name, '')}"


def digits(name: str, fusion: str) -> int:
    """The number of decimals to show of a stage's scores; reciprocal ranks, all below 0.04, need four.

    >>> digits("dense", "rrf"), digits("fused", "zscore"), digits("fused", "rrf")
    (2, 2, 4)
    """
    return 4 if fusion == "rrf" and name in (*_FUSED, "diverse") else 2
