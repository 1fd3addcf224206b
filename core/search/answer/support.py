"""Whether the library answers a question at all: a probability made of what was found."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from core.evidence import Passage
from core.search.answer.asking import keys, unmet
from core.search.answer.candidates import PASSAGES, Quotable
from core.search.answer.scoring import Mark, scaled
from core.text.analysis import analyse
from core.text.calendar_names import spell_out_periods

# What is taken for ``marked`` where nothing reads: between what a reader gives with an answer and without.
UNREAD, UNREAD_WORTH = 0.33, 0.53
_WORD = re.compile(r"[^\W\d_][\w-]+")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for an answer, each 0 where it is not known.

    ``sentence``: cosine to the best sentence. ``words``: the largest share of the question's words, rare ones counting
    more, that one sentence holds; ``passage_words``: that one passage with its title and headings holds. ``marked``:
    what the reader gives the short answer it marks in the best line amid what stands around it, from 0 at log-odds of
    -10 to 1 at 10; ``worth``: the re-ranker's score of what was read there, in the same way. ``named``: the share of
    what the question names that the passage of the best line says, 1 where it names nothing.
    """

    sentence: float = 0.0
    words: float = 0.0
    passage_words: float = 0.0
    marked: float = 0.0
    named: float = 0.0
    worth: float = 0.0


# Logistic regression by ``benchmarks/answer_weights.py``, every set with the same weight, on questions of code, covidqa
# and held-out articles of SQuAD and Natural Questions, each asked of the whole library, without the documents that hold
# its gold, with another's name or rarest word in the place of its own, and, of SQuAD, those people wrote that only seem
# to be answered. Area under the curve on halves not learnt from: 0.84, 0.86, 0.91, 0.86 (0.82, 0.84, 0.91, 0.83 where
# the best line is read by itself alone). How many of the words one sentence holds adds nothing to the rest. At the
# default of ``AnsweringSettings.least_support`` 86 % of the questions with an answer get quotes, and 66 % of those
# without one are told so (means of the four sets). To the re-ranker that followed a fit of all of it anew parts them no
# better on halves not learnt from (0.85, 0.89, 0.85, 0.80; as it stands 0.84, 0.89, 0.85, 0.80): only the bias moved,
# from -5.5 toward the -6 that fits best.
WEIGHTS = Evidence(sentence=2.25, passage_words=1.2, marked=2.0, named=1.55, worth=2.45)
BIAS = -5.65


# The same regression on both log-odds, over 137 to 298 askings of code, covidqa and SQuAD. Of those not learnt from,
# area under the curve: code 0.817 to 0.823, covidqa 0.820 to 0.814, SQuAD 0.905 to 0.900, all within chance.
REREAD_BIAS, OF_EVIDENCE, OF_READING = 0.65, 0.85, 0.5  # where a calibrated re-ranker read, in log-odds
_SURE = 1e-6  # a probability is never taken for nearer to 0 or 1: its log-odds would outweigh everything


@dataclass(frozen=True, slots=True)
class Support:
    """``probability`` in [0, 1] that the library holds an answer. ``enough``: it is not below the threshold asked for.

    ``sentence``: says so, for people.
    """

    probability: float
    enough: bool
    sentence: str


def evidence(
    question: str,
    passages: Sequence[Passage],
    candidates: Sequence[Quotable],
    meaning: NDArray[np.float64],
    mark: Mark | None = None,
    rarity: Mapping[str, float] | None = None,
    best: int | None = None,
) -> Evidence:
    """The evidence for an answer among what was found.

    ``meaning``: ``(len(candidates),)``, cosine to each candidate. ``mark``: what the reader marks in the best one amid
    what stands around it. ``rarity``: what each token of the question weighs (see ``rarity_of``); ``None``: the same.
    ``best``: the place of the candidate that would be quoted first.

    >>> evidence("Why?", [], [], np.zeros(0))
    Evidence(sentence=0.0, words=0.0, passage_words=0.0, marked=0.33, named=1.0, worth=0.53)
    """
    weights = {token: (rarity or {}).get(token, 1.0) for token in analyse(question)}
    total = sum(weights.values()) or 1.0

    def share(text: str) -> float:
        return sum(weights[token] for token in weights.keys() & set(analyse(text))) / total

    held = sorted(passages, key=lambda passage: passage.rank)[:PASSAGES]
    whole = [_whole(passage) for passage in held]
    named = keys(question)
    around = whole if best is None else [_whole(candidates[best].passage)]
    met = max((len(named) - len(unmet(named, [text])) for text in around), default=0)
    return Evidence(
        sentence=float(np.max(meaning)) if len(meaning) else 0.0,
        words=max((share(item.reading) for item in candidates), default=0.0),
        passage_words=max(map(share, whole), default=0.0),
        marked=UNREAD if mark is None else scaled(mark.score),
        named=met / len(named) if named else 1.0,
        worth=UNREAD_WORTH if mark is None else scaled(mark.worth),
    )


def unnamed(question: str, passages: Sequence[Passage], absent: Collection[str] = ()) -> tuple[str, ...]:
    """What the question names and none of the passages, with title and headings, says; and the first of its other words
    that stands nowhere in the library: the tokens ``absent`` do not.
    """
    missing = unmet(keys(question), map(_whole, passages))
    nowhere = (
        word
        for word in _WORD.findall(question)
        if (tokens := analyse(spell_out_periods(word)))
        and set(tokens) <= set(absent)
        and not any(word in name for name in missing)
    )
    return (*missing, *islice(nowhere, 1))


def _whole(passage: Passage) -> str:
    return " ".join([passage.document, passage.source, *passage.headings, passage.text])


def rarity_of(holders: Mapping[str, int], total: int) -> dict[str, float]:
    """What each token weighs: ln(1 + (N - n + 0.5) / (n + 0.5)) where n of N chunks hold it, as BM25 has it.

    A token that no chunk holds weighs most, so that asking of what the library never names costs support.

    >>> {token: round(weight, 2) for token, weight in rarity_of({"the": 90, "heron": 2, "zebra": 0}, 100).items()}
    {'the': 0.11, 'heron': 3.7, 'zebra': 5.31}
    """
    return {token: math.log(1 + (total - count + 0.5) / (count + 0.5)) for token, count in holders.items()}


def support(found: Evidence, least: float = 0.0, likely: float | None = None, missing: Sequence[str] = ()) -> Support:
    """The probability of an answer. ``least``: below it "the library does not say", 0 is off.

    ``likely``: the probability of the likeliest chunk that a calibrated re-ranker read, ``None`` where none did.
    ``missing``: what the question names and nothing that was found says, as ``unnamed`` has it.

    >>> support(Evidence(), least=0.5).enough, support(Evidence()).enough
    (False, True)
    """
    total = sum((float(getattr(WEIGHTS, one.name) * getattr(found, one.name)) for one in fields(Evidence)), BIAS)
    if likely is not None:
        sure = min(max(likely, _SURE), 1 - _SURE)
        total = REREAD_BIAS + OF_EVIDENCE * total + OF_READING * math.log(sure / (1 - sure))
    probability = 1 / (1 + math.exp(-total))
    enough = not least or probability >= least
    if enough:
        return Support(probability, True, f"The library is likely to say: {probability:.0%}.")
    held = f"no sentence holds more than {found.words:.0%} of the question's words"
    if missing:
        held = f"nothing that was found mentions {' or '.join(missing)}"
    return Support(probability, False, f"The library does not say: an answer is {probability:.0%} likely, and {held}.")
