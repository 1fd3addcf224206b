"""Ask's dials of what is read: how a chunk grows, and what the reader has room for."""

from __future__ import annotations

from dataclasses import replace

from core.settings import EXPANSIONS, ORDERS
from core.settings.context import READING_UNITS
from pages.ui.ask.dials.dial import SHARE, Dial, Fold, Read
from pages.ui.shared.words import EXPANSION_WORDS, ORDER_WORDS

_UNIT_WORDS = {
    "passages": "Whole passages",
    "sentences": "Single sentences",
    "auto": "Single sentences where it is small",
}


def _grown(name: str) -> Read:
    """Read by the strategy of expansion, whether or not it is at rest."""
    return lambda settings: name in replace(settings.expansion, parent_ratio=1.0, kinds=("guide",)).active_values()


EXPANSION = Fold(
    "expansion",
    "Grow",
    (
        Dial(
            "expansion.strategy",
            "A chunk grows to",
            choices={name: EXPANSION_WORDS.get(name, name) for name in EXPANSIONS},
        ),
        Dial(
            "expansion.window_sentences",
            "Window, sentences each side",
            "Within the section.",
            (0, 20, 1),
            read=_grown("window_sentences"),
        ),
        Dial(
            "expansion.merge_share",
            "Merge from a share of",
            "So much of a parent must be found before it takes the place of its children.",
            (0.05, 1.0, 0.05),
            read=_grown("merge_share"),
        ),
        Dial(
            "expansion.confidence",
            "Trusted from",
            "A chunk whose confidence is below it is not trusted by itself; 0 trusts all.",
            SHARE,
            read=_grown("confidence"),
        ),
        Dial(
            "expansion.parent_ratio",
            "Of the parent, times the chunk",
            "How many times the chunk's size is taken; 0 takes the whole parent.",
            (0.0, 20.0, 0.5),
            read=_grown("parent_ratio"),
        ),
        Dial("expansion.kinds", "Only in", "Genres of documents whose chunks grow; none is all.", read=_grown("kinds")),
        Dial(
            "expansion.max_share",
            "Largest share of the budget",
            "A passage may fill at most this part of the budget; a larger one is cut around the match.",
            (0.01, 1.0, 0.01),
            read=_grown("max_share"),
        ),
        Dial(
            "expansion.share_decay",
            "Less for later chunks",
            "How fast that share falls with the rank; 0 is the same for all.",
            (0.0, 2.0, 0.05),
            read=_grown("share_decay"),
        ),
    ),
    open=True,
)
ASSEMBLY = Fold(
    "assembly",
    "Read",
    (
        Dial("assembly.budget_tokens", "Budget, tokens", "What the reader has room for.", (100, 8000, 50)),
        Dial(
            "assembly.order",
            "Order for the reader",
            choices={name: ORDER_WORDS.get(name, name) for name in ORDERS},
        ),
        Dial("assembly.drop_repeats", "Drop repeated sentences", "A sentence of a better passage is not read again."),
        Dial(
            "assembly.stop_below",
            "End below a likelihood of",
            "Reading ends where it is less likely that anything further belongs to the answer: 0 fills the room, 0.5 "
            "takes only what is sure.",
            (0.0, 1.0, 0.02),
        ),
        Dial(
            "assembly.unit",
            "The room is filled with",
            "Single sentences suit small budgets.",
            choices={name: _UNIT_WORDS.get(name, name) for name in READING_UNITS},
        ),
    ),
    open=True,
)
ANSWERING = Fold(
    "answering",
    "Answer",
    (
        Dial(
            "answering.reader",
            "Mark the short answer",
            "A small reader that comes with Lectern looks for where an answer begins and ends, and orders the lines.",
            read=lambda settings: bool(settings.answering.sentences),
        ),
        Dial("answering.sentences", "Sentences quoted", "At most; 0 quotes none.", (0, 20, 1)),
        Dial(
            "answering.least_support",
            "Least support",
            "Probability below which the library is taken not to say; 0 is off.",
            SHARE,
            read=lambda settings: bool(settings.answering.sentences),
        ),
    ),
)
