"""A question drafted from one document, and tests of its wording that need no library."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.text.analysis import STOP_WORDS, analyse, fold
from core.text.markup.inline_tags import blanked
from core.types import Span

# Words that refer to the surrounding text: a question with one of them cannot be understood alone.
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
    """A question with its gold.

    ``kind``: a key of ``core.evaluation.making.making.KINDS``. ``gold``: the span of the document's text that answers.
    ``answer``: the short answer in it, as plain text. ``others``: rewordings, () where none is safe. ``about``: the
    question's subject, for the check that it is identified; "" to skip that check.
    """

    kind: str
    question: str
    gold: Span
    answer: str
    others: tuple[str, ...] = ()
    about: str = ""

    @property
    def wordings(self) -> tuple[str, ...]:
        """The question and its rewordings, the plainest first."""
        return (self.question, *self.others)


def plain(text: str) -> str:
    """A text in one line, without Markdown marks of emphasis, code, links and notes, and without inline tags.

    >>> plain("An *event* is\\n`one` [reading](/r),<br> not two_fold.[3]")
    'An event is one reading, not two_fold.'
    """
    return " ".join(_MARKS.sub(lambda match: match[1] or "", blanked(text)).split())


def words_of(text: str) -> list[str]:
    """The words of a text in lower case.

    >>> words_of("The site's key_loader, 3.5!")
    ['the', "site's", 'key_loader', '3.5']
    """
    return [word.lower() for word in _WORD.findall(text)]


def stands_alone(question: str) -> bool:
    """Whether a question can be understood without its document: it names something, refers to nothing outside it,
    and has ``FEWEST_WORDS`` to ``MOST_WORDS`` words.

    >>> stands_alone("How long is an access token valid?"), stands_alone("How long does it last there?")
    (True, False)
    """
    if "\\" in question or question.count('"') % 2 or not analyse(question):
        return False
    words = words_of(question)
    return FEWEST_WORDS <= len(words) <= MOST_WORDS and not points(words)


def points(words: Sequence[str]) -> bool:
    """Whether lower-case words refer to something outside them. "that" and "one" do where they stand without a noun.

    >>> [points(words.split()) for words in ("keys that expire", "after that", "the one is", "on one batch")]
    [False, True, True, False]
    """
    if POINTING & set(words):
        return True
    padded = ["a", *words, "."]
    return any(
        (word == "that" and (before in STOP_WORDS or index == len(words) - 1))
        or (word == "one" and (before in ("the", "that", "which", "each") or after in STOP_WORDS))
        for index, (before, word, after) in enumerate(zip(padded, words, padded[2:], strict=False))
    )


def gives_away(question: str, answer: str) -> bool:
    """Whether a question contains its own answer. ``True`` for an answer without words.

    >>> gives_away("Who is Ada Lovelace?", "ada lovelace"), gives_away("What is 12?", "1")
    (True, False)
    """
    words, answer_words = words_of(question), words_of(answer)
    size = len(answer_words)
    return not answer_words or any(words[start : start + size] == answer_words for start in range(len(words)))


def overlap(question: str, gold: str) -> float:
    """The share of a question's words, without function words, that its gold has; 1 is the easiest to find.

    >>> overlap("How long are backups kept?", "Backups are stored for 35 days.")
    0.3333333333333333
    """
    tokens = set(analyse(question))
    return len(tokens & set(analyse(gold))) / len(tokens) if tokens else 0.0


def same_wording(question: str) -> str:
    """A key that near-copies share: the question's distinct words without function words, in alphabetical order."""
    return " ".join(sorted({fold(token) for token in analyse(question)}))
