"""The probability that the library holds an answer to a question, from the evidence in the search result."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from core.evidence import Passage
from core.search.answer.asking import missing_terms, named_terms, passage_text
from core.search.answer.candidates import PASSAGES, Quotable
from core.search.answer.scoring import Mark, scale_log_odds
from core.text.languages import ENGLISH, indexed_tokens, is_in_latin_letters
from core.text.values.calendar_names import spell_out_periods

# Values of ``marked`` and ``worth`` without a reader: between those with an answer and without.
UNREAD, UNREAD_WORTH = 0.33, 0.53
_WORD = re.compile(r"[^\W\d_][\w-]+")


@dataclass(frozen=True, slots=True)
class Evidence:
    """The features of the support probability, 0 if unknown; or their weights.

    ``sentence``: the best cosine of a candidate. ``words``: the largest idf-weighted share of the question's terms in
    one candidate. ``passage_words``: the same for one passage with title and headings. ``marked``: the log-odds of the
    reader's short answer in the best line, read with its surroundings, scaled by ``scale_log_odds``. ``worth``: the
    reader's score of that text, scaled alike. ``named``: the share of the question's named terms that the passage of
    the best line contains, 1 if it has none. ``foreign``: 1 for a question in another language than English that is
    written in Latin letters. ``other_letters``: 1 for one in letters that the encoder did not learn.
    """

    sentence: float = 0.0
    words: float = 0.0
    passage_words: float = 0.0
    marked: float = 0.0
    named: float = 0.0
    worth: float = 0.0
    foreign: float = 0.0
    other_letters: float = 0.0


# Logistic regression by ``benchmarks/answer_weights.py`` on questions of code, covidqa and held-out articles of SQuAD
# and Natural Questions, all sets weighted equally. Each question was asked of the whole library; without the documents
# with its gold; and with its name or rarest word replaced by another question's. Of SQuAD, its unanswerable questions
# were added. Area under the curve on held-out halves: 0.84, 0.86, 0.91, 0.86 (0.82, 0.84, 0.91, 0.83 if the best line
# is read without its surroundings). ``words`` adds nothing to the other features. At the default of
# ``AnsweringSettings.least_support`` 86 % of the answerable questions get quotes and 66 % of the others are rejected
# (means of the four sets). For the current re-ranker a new fit separates no better on held-out halves (0.85, 0.89,
# 0.85, 0.80; with these weights 0.84, 0.89, 0.85, 0.80), so only the bias was moved, from -5.5 toward the best fit, -6.
# ``foreign``: encoder and reader learned from English, and give less to what answers in German or Spanish. The best
# constant for it is 1.2 on German and 0.5 on Spanish XQuAD, asked in the same four ways.
WEIGHTS = Evidence(sentence=2.25, passage_words=1.2, marked=2.0, named=1.55, worth=2.45, foreign=0.75)
BIAS = -5.65
# For a question in other letters, which the encoder finds all texts alike: the same regression on Russian and Chinese
# XQuAD, asked in the same four ways. Of the answerable 93 and 90 % get quotes, of the others 51 and 97 % are rejected
# (87 and 82, 46 and 61 % by the weights above). Of languages that chose nothing: Greek 94 and 53 % (98 and 32), Arabic
# 92 and 88 % (100 and 16), Hindi 97 and 61 % (97 and 10), Thai 98 and 43 % (32 and 74).
WORDS_ALONE = Evidence(passage_words=5.2, named=1.4)
WORDS_ALONE_BIAS = -3.1


# Combination with a calibrated re-ranker's probability, in log-odds: the same regression on both, over 137 to 298
# questions each of code, covidqa and SQuAD. Area under the curve, held out, without and with the re-ranker: code 0.817
# and 0.823, covidqa 0.820 and 0.814, SQuAD 0.905 and 0.900, all within chance.
RERANKER_BIAS, EVIDENCE_WEIGHT, RERANKER_WEIGHT = 0.65, 0.85, 0.5
# From this share of the threshold, the sentence leaves open whether there is an answer. Of 505 questions and 167 near
# misses (``benchmarks/hour``), 96 have a probability from 0.2 to 0.4: the passages answer 37 of them, and the nearest
# line answers 21. Of the 88 below, they answer 12.
UNSURE = 0.5
SILENT, PERHAPS = "The library does not say", "Perhaps the library does not say"
_LEAST_PROBABILITY = 1e-6  # probabilities are clipped to this distance from 0 and 1, which bounds their log-odds


@dataclass(frozen=True, slots=True)
class Support:
    """The ``probability``, in [0, 1], that the library holds an answer.

    ``enough``: whether it reaches the threshold. ``unsure``: whether it comes near it. ``sentence``: all in words, for
    the user.
    """

    probability: float
    enough: bool
    sentence: str
    unsure: bool = False


def evidence(
    question: str,
    passages: Sequence[Passage],
    candidates: Sequence[Quotable],
    cosines: NDArray[np.float64],
    mark: Mark | None = None,
    idf: Mapping[str, float] | None = None,
    best: int | None = None,
    language: str = ENGLISH,
    *,
    other_letters: bool = False,
) -> Evidence:
    """The evidence for an answer in a search result.

    ``cosines``: ``(len(candidates),)``, of the question with each candidate. ``mark``: the reader's mark in the best
    candidate, read with its surroundings; ``None`` without a reader. ``idf``: weights of the question's tokens, from
    ``idf_weights``; ``None`` for equal weights. ``best``: index of the best candidate, ``None`` for none. ``language``:
    whose stems are compared beside the English ones. ``other_letters``: as ``Evidence`` has it.

    >>> evidence("Why?", [], [], np.zeros(0)) == Evidence(marked=UNREAD, named=1.0, worth=UNREAD_WORTH)
    True
    """
    weights = {token: (idf or {}).get(token, 1.0) for token in indexed_tokens(question, language)}
    total = sum(weights.values()) or 1.0

    def share(text: str) -> float:
        return sum(weights[token] for token in weights.keys() & set(indexed_tokens(text, language))) / total

    best_passages = sorted(passages, key=lambda passage: passage.rank)[:PASSAGES]
    texts = [passage_text(passage) for passage in best_passages]
    named = named_terms(question)
    answering = texts if best is None else [passage_text(candidates[best].passage)]
    present = max((len(named) - len(missing_terms(named, [text], language)) for text in answering), default=0)
    return Evidence(
        sentence=float(np.max(cosines)) if len(cosines) else 0.0,
        words=max((share(item.reading) for item in candidates), default=0.0),
        passage_words=max(map(share, texts), default=0.0),
        marked=UNREAD if mark is None else scale_log_odds(mark.score),
        named=present / len(named) if named else 1.0,
        worth=UNREAD_WORTH if mark is None else scale_log_odds(mark.worth),
        foreign=float(language != ENGLISH and is_in_latin_letters(question)),
        other_letters=float(other_letters),
    )


def unmatched_terms(
    question: str, passages: Sequence[Passage], absent: Collection[str] = (), language: str = ENGLISH
) -> str:
    """What of the question is not there, as a clause: the named terms that no passage contains, else the first other
    word that the library lacks; "" if all is there.

    ``absent``: tokens of the question that no leaf contains. Titles and headings belong to a passage.
    """
    texts = [passage_text(passage) for passage in passages]
    if missing := missing_terms(named_terms(question), texts, language):
        return f"nothing that was found mentions {' or '.join(f'“{term}”' for term in missing)}"
    for word in _WORD.findall(question):
        tokens = indexed_tokens(spell_out_periods(word), language)
        if tokens and set(tokens) <= set(absent) and missing_terms([word], texts, language):
            return f"the word “{word}” is nowhere in the library"
    return ""


def idf_weights(holders: Mapping[str, int], total: int) -> dict[str, float]:
    """The idf of each token as in BM25: ln(1 + (N - n + 0.5) / (n + 0.5)), where n of N leaves contain it.

    A token that no leaf contains weighs most, so that a question about something unknown to the library loses support.

    >>> {token: round(weight, 2) for token, weight in idf_weights({"the": 90, "heron": 2, "zebra": 0}, 100).items()}
    {'the': 0.11, 'heron': 3.7, 'zebra': 5.31}
    """
    return {token: math.log(1 + (total - count + 0.5) / (count + 0.5)) for token, count in holders.items()}


def support(found: Evidence, threshold: float = 0.0, likely: float | None = None, missing: str = "") -> Support:
    """The probability that there is an answer, from its evidence.

    ``threshold``: a lower probability is not enough; 0 is off. ``likely``: a calibrated re-ranker's highest probability
    that a chunk answers, ``None`` without one. ``missing``: from ``unmatched_terms``, for the sentence.

    >>> support(Evidence(), threshold=0.5).enough, support(Evidence()).enough
    (False, True)
    """
    weights, bias = (WORDS_ALONE, WORDS_ALONE_BIAS) if found.other_letters else (WEIGHTS, BIAS)
    log_odds = sum((float(getattr(weights, one.name) * getattr(found, one.name)) for one in fields(Evidence)), bias)
    if likely is not None and not found.other_letters:
        clipped = min(max(likely, _LEAST_PROBABILITY), 1 - _LEAST_PROBABILITY)
        log_odds = RERANKER_BIAS + EVIDENCE_WEIGHT * log_odds + RERANKER_WEIGHT * math.log(clipped / (1 - clipped))
    probability = 1 / (1 + math.exp(-log_odds))
    if not threshold or probability >= threshold:
        return Support(probability, True, f"The library is likely to say: {probability:.0%}.")
    reason = missing or f"no sentence holds more than {found.words:.0%} of the question's words"
    unsure = probability >= UNSURE * threshold
    verdict = PERHAPS if unsure else SILENT
    return Support(probability, False, f"{verdict}: an answer is {probability:.0%} likely, and {reason}.", unsure)
