"""String metrics of an answer against a reference answer, after SQuAD's normalisation."""

from __future__ import annotations

import re
import string
from collections import Counter

_PUNCTUATION = re.compile(f"[{re.escape(string.punctuation)}]+")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")


def normalised(text: str) -> str:
    """``text`` in lower case, without ASCII punctuation and English articles, its words separated by one blank.

    Applied in this order, so that "U.S." becomes "us" and "a.b" becomes "ab". Source: the evaluation scripts of SQuAD
    v1.1 (Rajpurkar and others, EMNLP 2016) and v2.0 (Rajpurkar, Jia and Liang, ACL 2018), which share it.

    >>> normalised("  The U.S. spent an estimated\\n$1,200!")
    'us spent estimated 1200'
    """
    return " ".join(_ARTICLE.sub(" ", _PUNCTUATION.sub("", text.lower())).split())


def answer_hit(answer: str, context_text: str) -> float:
    """1 where the normalised answer is a substring of the normalised text, else 0.

    It needs no gold spans, but a short answer matches by accident ("5" in "1950") and a reworded one never does. 0 for
    an answer that is empty after normalisation. With several reference answers, take the maximum. Source: the string
    match of ALCE (Gao and others, "Enabling Large Language Models to Generate Text with Citations", EMNLP 2023), with
    SQuAD's normalisation.

    >>> answer_hit("The Nile.", "Egypt lies on the Nile, mostly."), answer_hit("Nile", "the Niger")
    (1.0, 0.0)
    """
    reference = normalised(answer)
    return float(bool(reference) and reference in normalised(context_text))


def exact_match(prediction: str, answer: str) -> float:
    """1 where both are equal after normalisation, else 0. With several reference answers, take the maximum.

    Source: SQuAD's "EM" (Rajpurkar and others, "SQuAD: 100,000+ Questions for Machine Comprehension of Text", EMNLP
    2016).

    >>> exact_match("the U.S.", "US"), exact_match("the US Army", "US")
    (1.0, 0.0)
    """
    return float(normalised(prediction) == normalised(answer))


def token_f1(prediction: str, answer: str) -> float:
    """The F1 of the two bags of normalised words.

    Where either bag is empty: 1 when both are, else 0. With several reference answers, take the maximum.
    Source: SQuAD's "F1", the case without words as in v2.0 (Rajpurkar, Jia and Liang, "Know What You Don't Know:
    Unanswerable Questions for SQuAD", ACL 2018).

    >>> token_f1("in the year 1969", "1969")
    0.5
    """
    predicted, reference = normalised(prediction).split(), normalised(answer).split()
    if not predicted or not reference:
        return float(predicted == reference)
    # 2PR / (P + R) with P = common / predicted and R = common / reference.
    return 2 * (Counter(predicted) & Counter(reference)).total() / (len(predicted) + len(reference))
