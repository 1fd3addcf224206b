"""Ask's dials of what is done with a ranking: how it is spread, and read again."""

from __future__ import annotations

from core.settings import DIVERSITIES, RERANKING_UNITS
from pages.ui.ask.dials.dial import SHARE, Dial, Fold, Read
from pages.ui.settings.rerankers import NAMES

_DIVERSITY_WORDS = {
    "none": "No: by score alone",
    "mmr": "Novelty against score (MMR)",
    "clusters": "One of each group of like chunks first",
}
_UNIT_WORDS = {"child": "The chunk", "window": "The chunk and the sentences around it", "parent": "Its parent"}
_MODEL_WORDS = {"": "Off", **NAMES}


def _varied(name: str) -> Read:
    return lambda settings: name in settings.diversity.active_values()


def _reranked(name: str) -> Read:
    return lambda settings: name in settings.reranking.active_values()


DIVERSITY = Fold(
    "diversity",
    "Spread",
    (
        Dial(
            "diversity.method",
            "Spread what is found",
            choices={name: _DIVERSITY_WORDS.get(name, name) for name in DIVERSITIES},
        ),
        Dial(
            "diversity.relevance",
            "Relevance against novelty (λ)",
            "1 is relevance by itself.",
            SHARE,
            read=_varied("relevance"),
        ),
        Dial(
            "diversity.cluster_similarity",
            "Alike from",
            "Cosine to a group's best chunk from which a chunk belongs to it.",
            SHARE,
            read=_varied("cluster_similarity"),
        ),
        Dial(
            "diversity.candidates",
            "Best chunks spread",
            "Those behind them follow as they were.",
            (2, 500, 1),
            read=_varied("candidates"),
        ),
    ),
)
RERANKING = Fold(
    "reranking",
    "Re-rank",
    (
        Dial(
            "reranking.model",
            "Read the best again with",
            "A second opinion on the best chunks, slower and often better. Lectern's own comes with it. The "
            "usual cross-encoder, about 90 MB, is fetched once with "
            "`hf download`, never by Lectern itself. Or type the name or the folder of another sentence-transformers "
            "CrossEncoder that lies on this machine.",
            choices=_MODEL_WORDS,
            open=True,
        ),
        Dial(
            "reranking.candidates", "Candidates", "How many are read again.", (1, 200, 1), read=_reranked("candidates")
        ),
        Dial(
            "reranking.keep",
            "Kept of them",
            "How many chunks go on after it; 0 keeps all.",
            (0, 100, 1),
            read=_reranked("keep"),
        ),
        Dial(
            "reranking.unit",
            "It reads",
            choices={name: _UNIT_WORDS.get(name, name) for name in RERANKING_UNITS},
            read=_reranked("unit"),
        ),
        Dial(
            "reranking.window_sentences",
            "Sentences each side",
            "Around the chunk.",
            (0, 20, 1),
            read=_reranked("window_sentences"),
        ),
        Dial(
            "reranking.prefix",
            "It reads the headings too",
            "Title, headings and table header before each chunk, as the embedder reads them.",
            read=_reranked("prefix"),
        ),
        Dial(
            "reranking.blend",
            "Its share of the score",
            "The rest is the ranking before it; 1 decides alone.",
            SHARE,
            read=_reranked("blend"),
        ),
        Dial(
            "reranking.neighbour_share",
            "Heard beside",
            "How much a chunk is thought of as the best of it and the two beside it; 0 is off.",
            SHARE,
            read=_reranked("neighbour_share"),
        ),
        Dial(
            "reranking.timeout_seconds",
            "Time limit, seconds",
            "After it the order so far is taken; 0 is off.",
            (0.0, 60.0, 1.0),
            read=_reranked("timeout_seconds"),
        ),
    ),
)
