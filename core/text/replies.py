"""Parses the replies of language models."""

from __future__ import annotations

import json
from typing import Any


def json_list(reply: str) -> list[Any] | None:
    """The JSON list in a reply, whatever text is around it; ``None`` without one.

    >>> json_list('Here you are: ["one", "two"]. Anything else?'), json_list("I cannot say."), json_list("[1,")
    (['one', 'two'], None, None)
    """
    start, end = reply.find("["), reply.rfind("]")
    try:
        value = json.loads(reply[start : end + 1]) if 0 <= start < end else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) else None
