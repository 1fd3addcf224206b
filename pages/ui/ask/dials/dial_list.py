"""All dials of the Ask page by stage, with label, help and range."""

from __future__ import annotations

from core.settings.searching import MOST_ANSWERS
from pages.ui.ask.dials.dial import Dial, Fold, fold
from pages.ui.settings.rerankers import NAMES
from pages.ui.shared.words import (
    BRINGS_WORDS,
    ENGINE_WORDS,
    EXPANSION_WORDS,
    FUSION_WORDS,
    GROWING_WORDS,
    ORDER_WORDS,
)

_SHARE = (0.0, 1.0, 0.05)
_DIVERSITY_WORDS = {
    "none": "No: by score alone",
    "mmr": "Novelty against score (MMR)",
}
_RERANKING_UNIT_WORDS = {
    "child": "The chunk",
    "window": "The chunk and the sentences around it",
    "parent": "Its parent",
}
_READING_UNIT_WORDS = {
    "passages": "Whole passages",
    "sentences": "Single sentences",
    "auto": "Single sentences where it is small",
}
_MODEL_HELP = (
    "A second opinion on the best chunks, slower and often better. Lectern's own comes with it. The usual "
    "cross-encoder, about 90 MB, is fetched once, in Settings. Or type the name or the folder of another "
    "sentence-transformers CrossEncoder that lies on this machine."
)
_PARTS_HELP = "It is searched in the parts a language model sees in it as well."
_IMAGINED_HELP = "Meaning is looked for in the middle of the question and answers a language model makes up. 0 is off."
_COVERAGE_HELP = "How much it counts which share of the question's words stands around a chunk. 0 is off."
_FUSION_HELP = "Standard scores weigh how far a chunk stands out in each search; reciprocal ranks its place alone."
_ENGINE_HELP = "They differ in how much words count that stand in most chunks: hardly with FTS5."
_MERGE_HELP = "So much of a parent must be found before it takes the place of its children."
_CONFIDENCE_HELP = "A chunk whose confidence is below it is not trusted by itself; 0 trusts all."
_KINDS_HELP = "Genres of documents, and what passages do themselves, that grow to a section; none is all."
_BRINGS_HELP = "What a chunk leaves unsaid since it stands elsewhere, found by rules, to half the size it may grow to."
_LARGEST_HELP = "A passage may fill at most this part of the budget; a larger one is cut around the match."
_STOP_HELP = (
    "Reading ends where it is less likely that anything further belongs to the answer: 0 fills the room, 0.5 takes "
    "only what is sure."
)
_READER_HELP = "A small reader that comes with Lectern looks for where an answer begins and ends, and orders the lines."

FOLDS: tuple[Fold, ...] = (
    fold(
        "understanding",
        "Understand",
        Dial("filters", "Read filters", 'type:pdf, in:handbook, after:2023, "exact phrase", -word.'),
        Dial("rewrite", "Reword the question", "It is searched in a language model's words.", writes=True),
        Dial("decompose", "Find parts in it", _PARTS_HELP, writes=True),
        Dial("imagined_answers", "Imagined answers", _IMAGINED_HELP, (0, MOST_ANSWERS, 1), writes=True),
    ),
    fold(
        "retrieval",
        "Find",
        Dial("dense_weight", "Weight of meaning", "How much the encoder's similarity counts. 0 is off.", _SHARE),
        Dial("lexical_weight", "Weight of words", "How much shared words count (BM25). 0 is off.", _SHARE),
        Dial("coverage_weight", "Weight of coverage", _COVERAGE_HELP, _SHARE),
        Dial("neighbour_share", "Share of neighbours", "The part of their scores a chunk gains. 0 is off.", _SHARE),
        Dial("parent_share", "Share of its parent's best", "Of the best chunk's score. 0 is off.", _SHARE),
        Dial("document_share", "Share of its document's best", "Of the best chunk's score. 0 is off.", _SHARE),
        Dial("k", "Chunks kept (k)", "How many of the best go on to grow and fill the budget.", (1, 200, 1)),
        Dial(
            "min_similarity", "Least similarity", "Cosine below which a chunk is dropped. −1 is off.", (-1.0, 1.0, 0.05)
        ),
        Dial("fusion", "Scores are joined by", _FUSION_HELP, choices=FUSION_WORDS),
        Dial("lexical_engine", "Words are searched by", _ENGINE_HELP, choices=ENGINE_WORDS),
        Dial("rrf_k", "Rank constant", "The larger, the less the first ranks stand out.", (1, 200, 1)),
        opened=True,
    ),
    fold(
        "diversity",
        "Spread",
        Dial("method", "Spread what is found", choices=_DIVERSITY_WORDS),
        Dial("relevance", "Relevance against novelty (λ)", "1 is relevance by itself.", _SHARE),
        Dial("candidates", "Best chunks spread", "Those behind them follow as they were.", (2, 500, 1)),
    ),
    fold(
        "reranking",
        "Re-rank",
        Dial("model", "Read the best again with", _MODEL_HELP, choices={"": "Off", **NAMES}, open=True),
        Dial("candidates", "Candidates", "How many are read again.", (1, 200, 1)),
        Dial("keep", "Kept of them", "How many chunks go on after it; 0 keeps all.", (0, 100, 1)),
        Dial("unit", "It reads", choices=_RERANKING_UNIT_WORDS),
        Dial("window_sentences", "Sentences each side", "Around the chunk.", (0, 20, 1)),
        Dial("blend", "Its share of the score", "The rest is the ranking before it; 1 decides alone.", _SHARE),
        Dial(
            "neighbour_share",
            "Heard beside",
            "How much a chunk is thought of as the best of it and the two beside it; 0 is off.",
            _SHARE,
        ),
        Dial(
            "timeout_seconds", "Time limit, seconds", "After it the order so far is taken; 0 is off.", (0.0, 60.0, 1.0)
        ),
    ),
    fold(
        "expansion",
        "Grow",
        Dial("strategy", "A chunk grows to", choices=EXPANSION_WORDS),
        Dial("window_sentences", "Window, sentences each side", "Within the section.", (0, 20, 1)),
        Dial("merge_share", "Merge from a share of", _MERGE_HELP, (0.05, 1.0, 0.05)),
        Dial("confidence", "Trusted from", _CONFIDENCE_HELP, _SHARE),
        Dial("kinds", "Only in", _KINDS_HELP, choices=GROWING_WORDS),
        Dial("brings", "Read beside it", _BRINGS_HELP, choices=BRINGS_WORDS, empty="nothing"),
        Dial("max_share", "Largest share of the budget", _LARGEST_HELP, (0.01, 1.0, 0.01)),
        Dial(
            "share_decay",
            "Less for later chunks",
            "How fast that share falls with the rank; 0 is the same for all.",
            (0.0, 2.0, 0.05),
        ),
        opened=True,
    ),
    fold(
        "assembly",
        "Read",
        Dial("budget_tokens", "Budget, tokens", "What the reader has room for.", (100, 8000, 50)),
        Dial("order", "Order for the reader", choices=ORDER_WORDS),
        Dial("stop_below", "End below a likelihood of", _STOP_HELP, (0.0, 1.0, 0.02)),
        Dial("unit", "The room is filled with", "Single sentences suit small budgets.", choices=_READING_UNIT_WORDS),
        opened=True,
    ),
    fold(
        "answering",
        "Answer",
        Dial("reader", "Mark the short answer", _READER_HELP),
        Dial("sentences", "Sentences quoted", "At most; 0 quotes none.", (0, 20, 1)),
        Dial("least_support", "Least support", "Likelihood below which the library does not say; 0 is off.", _SHARE),
    ),
)
