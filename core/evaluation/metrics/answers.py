"""How answers are compared: the normalisation that every answer metric uses."""

from __future__ import annotations

import re
import string

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
