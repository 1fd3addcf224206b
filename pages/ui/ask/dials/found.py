"""Ask's dials of what is found: how a question is read, and how it is searched."""

from __future__ import annotations

from core.settings import FUSIONS, Settings
from core.settings.searching import MOST_ANSWERS
from pages.ui.ask.dials.dial import SHARE, Dial, Fold
from pages.ui.shared.words import FUSION_WORDS

_BOOST = (0.0, 3.0, 0.1)
_FIELD = "How much a word counts there, in the search for words. 0 leaves it out."


def _by_words(settings: Settings) -> bool:
    return bool(settings.retrieval.lexical_weight)


UNDERSTANDING = Fold(
    "understanding",
    "Understand",
    (
        Dial("understanding.filters", "Read filters", 'type:pdf, in:handbook, after:2023, "exact phrase", -word.'),
        Dial(
            "understanding.rewrite", "Reword the question", "It is searched in a language model's words.", writes=True
        ),
        Dial(
            "understanding.decompose",
            "Find parts in it",
            "It is searched in the parts a language model sees in it as well.",
            writes=True,
        ),
        Dial(
            "understanding.imagined_answers",
            "Imagined answers",
            "Meaning is looked for in the middle of the question and answers a language model makes up. 0 is off.",
            (0, MOST_ANSWERS, 1),
            writes=True,
        ),
    ),
)
RETRIEVAL = Fold(
    "retrieval",
    "Find",
    (
        Dial(
            "retrieval.dense_weight",
            "Weight of meaning",
            "How much the encoder's similarity counts. 0 switches this search off.",
            SHARE,
        ),
        Dial(
            "retrieval.lexical_weight",
            "Weight of words",
            "How much shared words count (BM25). 0 switches this search off.",
            SHARE,
        ),
        *(
            Dial(f"retrieval.{field}_boost", label, _FIELD, _BOOST, read=_by_words)
            for field, label in (
                ("title", "Words in the title"),
                ("headings", "Words in headings"),
                ("captions", "Words in captions"),
                ("text", "Words in the text"),
            )
        ),
        Dial(
            "retrieval.coverage_weight",
            "Weight of coverage",
            "How much it counts which share of the question's words stands around a chunk. 0 is off.",
            SHARE,
        ),
        Dial(
            "retrieval.neighbour_share",
            "Share of neighbours",
            "The part of its neighbours' scores a chunk gains. 0 is off.",
            SHARE,
        ),
        Dial("retrieval.parent_share", "Share of its parent's best", "Of the best chunk's score. 0 is off.", SHARE),
        Dial("retrieval.document_share", "Share of its document's best", "Of the best chunk's score. 0 is off.", SHARE),
        Dial(
            "retrieval.k",
            "Chunks kept (k)",
            "How many of the best chunks go on to grow and fill the budget.",
            (1, 200, 1),
        ),
        Dial(
            "retrieval.min_similarity",
            "Least similarity",
            "Cosine below which a chunk is dropped. −1 is off.",
            (-1.0, 1.0, 0.05),
        ),
        Dial(
            "retrieval.fusion",
            "Scores are joined by",
            "Standard scores weigh how far a chunk stands out in each search; reciprocal ranks its place alone.",
            choices={name: FUSION_WORDS.get(name, name) for name in FUSIONS},
        ),
        Dial(
            "retrieval.rrf_k",
            "Rank constant",
            "The larger, the less the first ranks stand out.",
            (1, 200, 1),
            read=lambda settings: settings.retrieval.fusion == "rrf",
        ),
    ),
    open=True,
)
