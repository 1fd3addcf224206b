"""What is read out of a question before it is searched, or written for it, and how much of it weighs in the ranking."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from core.settings.checks import within

BOOSTS = ("anchor_boost", "intent_boost", "genre_boost", "place_boost", "comparison_boost")
MOST_ANSWERS = 8  # as many as HyDE's paper takes


@dataclass(frozen=True, slots=True)
class UnderstandingSettings:
    """From a question's words to conditions, anchors and leanings, without a model; and what a model may write for it.

    ``filters``: operators (``type:pdf``, ``"exact phrase"``, ``-word``) and stated places, types and genres filter;
    off, they are words like any others. ``anchors``: "figure 3", a code symbol, a file's name are recognised.
    ``split``: a question that asks two things is searched in parts. The boosts are in standard deviations of the
    score, 0 is off: ``anchor_boost`` for a leaf with every named anchor, ``intent_boost`` for one of the sort that is
    asked for, ``genre_boost`` for a document of the genre that is hinted at, ``place_boost`` for a document, folder,
    collection or time that is hinted at, ``comparison_boost`` for a table row that satisfies an asked comparison.
    ``prefer_recent``: the newest document gains so many standard deviations over the oldest, 0 is off.

    With a language model, and not at all without: ``rewrite``: the question is searched in the model's words.
    ``decompose``: it is searched in the parts that the model sees in it as well, which take the place of those that
    ``split`` sees. ``imagined_answers``: the search by meaning looks for the mean of the question and so many answers
    that the model makes up, 0 is off.
    """

    filters: bool = True
    anchors: bool = True
    split: bool = False
    anchor_boost: float = 0.0
    intent_boost: float = 0.0
    genre_boost: float = 0.0
    place_boost: float = 0.0
    comparison_boost: float = 0.0
    prefer_recent: float = 0.0
    rewrite: bool = False
    decompose: bool = False
    imagined_answers: int = 0

    def __post_init__(self) -> None:
        for name in (*BOOSTS, "prefer_recent"):
            within(f"understanding.{name}", getattr(self, name), 0, 10)
        within("understanding.imagined_answers", self.imagined_answers, 0, MOST_ANSWERS)

    @property
    def leaning(self) -> bool:
        """Some boost is on: the ranking has a stage for it."""
        # Asked for every ranking, and so without the dictionary that ``telling`` makes.
        others = any(getattr(self, name) for name in (*BOOSTS, "prefer_recent") if name != "anchor_boost")
        return others or bool(self.anchors and self.anchor_boost)

    @property
    def writes(self) -> bool:
        """A language model is asked to write something."""
        return self.rewrite or self.decompose or self.imagined_answers > 0

    def telling(self) -> dict[str, Any]:
        """The values that change a ranking: what is off, or waits for something that is off, is left out.

        >>> UnderstandingSettings(anchors=False, anchor_boost=1, genre_boost=0.5).telling()
        {'filters': True, 'genre_boost': 0.5}
        """
        told = {name: value for name, value in asdict(self).items() if value}
        if not self.anchors:
            told.pop("anchor_boost", None)
        if "anchor_boost" not in told:
            told.pop("anchors", None)  # they are shown, and decide nothing
        return told
