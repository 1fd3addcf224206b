"""A question that was made of a document, before anything else of the library was asked about it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.text.analysis import STOP_WORDS, analyse, fold
from core.types import Span

# They point at something that only the text around them names, so a question that holds one cannot stand alone.
POINTING = frozenset(
    "it its itself they them their theirs themselves this these those he him his she her hers we us our ours me my"
    " mine you your yours here there above below following previous next latter former such same another other"
    " others both then again now today yesterday tomorrow so ones neither either ago too whoever whatever".split()
)
_MARKS = re.compile(r"!?\[([^\]\n]*)\]\([^)\s]*\)|\[\d+\]|(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)|`+")
_WORD = re.compile(r"[^\W_]+(?:['’_.-][^\W_]+)*")
FEWEST_WORDS, MOST_WORDS = 3, 24


@dataclass(frozen=True, slots=True)
class Draft:
    """A question with its gold. ``others``: the same asked in other words, () where no rewording can be defended.

    ``gold``: the span that answers, in the document's text; ``answer``: the short answer inside it, in plain words.
    ``kind``: one of ``core.evaluation.making.KINDS``. ``about``: the subject it names, "" where nothing has to be
    known of it.
    """

    kind: str
    question: str
    gold: Span
    answer: str
    others: tuple[str, ...] = ()
    about: str = ""

    @property
    def wordings(self) -> tuple[str, ...]:
        """Every way it can be asked, the plainest first."""
        return (self.question, *self.others)


def plain(text: str) -> str:
    """A text in one line, without what marks emphasis, code, links and notes.

    >>> plain("An *event* is\\n`one` [reading](/r), not two_fold.[3]")
    'An event is one reading, not two_fold.'
    """
    return " ".join(_MARKS.sub(lambda found: found[1] or "", text).split())


def words_of(text: str) -> list[str]:
    """The words of a text in lower case.

    >>> words_of("The site's key_loader, 3.5!")
    ['the', "site's", 'key_loader', '3.5']
    """
    return [word.lower() for word in _WORD.findall(text)]


def stands_alone(question: str) -> bool:
    """Whether a question can be understood without the text it was made of: it points at nothing outside, is neither
    too short nor too long, and names something.

    >>> stands_alone("How long is an access token valid?"), stands_alone("How long does it last there?")
    (True, False)
    """
    words = words_of(question)
    named = len(analyse(question)) >= 1
    if "\\" in question or question.count('"') % 2:
        return False
    return named and FEWEST_WORDS <= len(words) <= MOST_WORDS and not points(words)


def points(words: Sequence[str]) -> bool:
    """Whether words in lower case point at something outside of them; "that" and "one" do where no noun is beside.

    >>> [points(words.split()) for words in ("keys that expire", "after that", "the one is", "on one batch")]
    [False, True, True, False]
    """
    if POINTING & set(words):
        return True
    framed = ["a", *words, "."]
    return any(
        (word == "that" and (before in STOP_WORDS or at == len(words) - 1))
        or (word == "one" and (before in ("the", "that", "which", "each") or after in STOP_WORDS))
        for at, (before, word, after) in enumerate(zip(framed, words, framed[2:], strict=False))
    )


def gives_away(question: str, answer: str) -> bool:
    """Whether a question holds its own answer.

    >>> gives_away("Who is Ada Lovelace?", "ada lovelace"), gives_away("What is 12?", "1")
    (True, False)
    """
    asked, said = words_of(question), words_of(answer)
    return not said or any(asked[at : at + len(said)] == said for at in range(len(asked)))


def overlap(question: str, gold: str) -> float:
    """The share of a question's own words, function words aside, that stand in its gold: 1 is the easiest to find.

    >>> overlap("How long are backups kept?", "Backups are stored for 35 days.")
    0.3333333333333333
    """
    asked = set(analyse(question))
    return len(asked & set(analyse(gold))) / len(asked) if asked else 0.0


def same_wording(question: str) -> str:
    """What near-copies of a wording share: its words without the function words, in order of the alphabet."""
    return " ".join(sorted({fold(token) for token in analyse(question)}))
