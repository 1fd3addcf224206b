"""Conversion of word audits to and from their stored form."""

from __future__ import annotations

import json

from core.types import WordAudit


def word_audit(stored: str | None) -> WordAudit | None:
    """The word audit that ``packed_word_audit`` packed; ``None`` for ``None``.

    >>> word_audit(packed_word_audit(WordAudit("a", 2, 1, missing=1, examples=("x",)))).examples
    ('x',)
    """
    if stored is None:
        return None
    reader, words, in_text, in_metadata, dropped, missing, examples = json.loads(stored)
    reasons = tuple((reason, count) for reason, count in dropped)
    return WordAudit(reader, words, in_text, in_metadata, reasons, missing, tuple(examples))


def packed_word_audit(words: WordAudit | None) -> str | None:
    """A word audit as JSON; ``None`` for ``None``."""
    if words is None:
        return None
    return json.dumps(
        [words.reader, words.words, words.in_text, words.in_metadata, words.dropped, words.missing, words.examples]
    )
