"""The stages of a ranking in words; one that is not known here is called by its own name."""

from __future__ import annotations

from dataclasses import dataclass

KEPT = "kept"  # the last column of a ladder: which chunks go on, in which order
_DEVIATIONS, _RANKS = "standard deviations above the mean", "sum of weighted reciprocal ranks"


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage in words: by itself, over a column, and the scale of its score, "" for that of the fusion."""

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
    """A stage in words.

    >>> stage("lexical").word, stage("best_sentence").word, stage("best_sentence").short
    ('words', 'best sentence', 'Best sentence')
    """
    said = name.replace("_", " ").replace("-", " ")
    return STAGES.get(name) or Stage(said, said[:1].upper() + said[1:], "higher is better")


def scale(name: str, fusion: str) -> str:
    """What a stage's number means, for its tooltip.

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
    """Decimals that tell a stage's scores apart: reciprocal ranks all lie below 0.04.

    >>> digits("dense", "rrf"), digits("fused", "zscore"), digits("fused", "rrf")
    (2, 2, 4)
    """
    return 4 if fusion == "rrf" and name in (*_FUSED, "diverse") else 2
