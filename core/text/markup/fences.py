"""Fences around document texts in prompts, which mark them as data."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence


def fence_word(*texts: str) -> str:
    """A word derived from the hash of all texts, so that none of them can contain it on purpose."""
    return hashlib.sha256("\x00".join(texts).encode("utf-8", "replace")).hexdigest()[:8]


def fence(label: str, text: str, word: str) -> str:
    """A text between two marks with its label.

    >>> fence("chunk", "one", "c0ffee00")
    '<chunk c0ffee00>\\none\\n</chunk c0ffee00>'
    """
    return f"<{label} {word}>\n{text}\n</{label} {word}>"


def fenced(texts: Sequence[tuple[str, str]], prompt: str) -> list[str]:
    """Each (label, text) between marks, whose word is derived from all texts and ``prompt``, the text around them.

    >>> fenced([("passage 1", "one")], "")
    ['<passage 1 d0d7360a>\\none\\n</passage 1 d0d7360a>']
    """
    word = fence_word(prompt, *(text for _, text in texts))
    return [fence(label, text, word) for label, text in texts]
