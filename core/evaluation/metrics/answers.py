"""Texts held against the answer that is known, after SQuAD's normalisation."""

from __future__ import annotations

import re
import string
from collections import Counter

_PUNCTUATION = re.compile(f"[{re.escape(string.punctuation)}]+")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")


def normalised(text: str) -> str:
    """``text`` in lower case, without ASCII punctuation and English articles, its words one blank apart.

    In this order, so "U.S." is "us" and "a.b" is "ab". Source: the evaluation scripts of SQuAD v1.1 (Rajpurkar and
    others, EMNLP 2016) and v2.0 (Rajpurkar, Jia and Liang, ACL 2018), which share it.

    >>> normalised("  The U.S. spent an estimated\\n$1,200!")
    'us spent estimated 1200'
    """
    return " ".join(_ARTICLE.sub(" ", _PUNCTUATION.sub("", text.lower())).split())


def answer_hit(answer: str, context_text: str) -> float:
    """1 where the normalised answer is a substring of the normalised text, else 0.

    It needs no gold spans, and pays for that: a short answer is hit by accident ("5" in "1950"), a reworded one never.
    0 for an answer of which the normalisation leaves nothing. With several accepted answers, the largest counts.
    Source: the string match of ALCE (Gao and others, "Enabling Large Language Models to Generate Text with Citations",
    EMNLP 2023), with SQuAD's normalisation.

    >>> answer_hit("The Nile.", "Egypt lies on the Nile, mostly."), answer_hit("Nile", "the Niger")
    (1.0, 0.0)
    """
    wanted = normalised(answer)
    return float(bool(wanted) and wanted in normalised(context_text))


def exact_match(prediction: str, answer: str) -> float:
    """1 where both are the same once normalised, else 0; with several accepted answers, the largest counts.

    Source: SQuAD's "EM" (Rajpurkar and others, "SQuAD: 100,000+ Questions for Machine Comprehension of Text", EMNLP
    2016).

    >>> exact_match("the U.S.", "US"), exact_match("the US Army", "US")
    (1.0, 0.0)
    """
    return float(normalised(prediction) == normalised(answer))


def token_f1(prediction: str, answer: str) -> float:
    """Harmonic mean of precision and recall over the normalised words, each counted as often as both have it.

    Where either has no word left: 1 when neither has, else 0. With several accepted answers, the largest counts.
    Source: SQuAD's "F1", the case without words as in v2.0 (Rajpurkar, Jia and Liang, "Know What You Don't Know:
    Unanswerable Questions for SQuAD", ACL 2018).

    >>> token_f1("in the year 1969", "1969")
    0.5
    """
    given, known = normalised(prediction).split(), normalised(answer).split()
    if not given or not known:
        return float(given == known)
    # 2PR / (P + R) with P = shared / given and R = shared / known.
    return 2 * (Counter(given) & Counter(known)).total() / (len(given) + len(known))
