"""What a language model answers, as far as it can be read by a program."""

from __future__ import annotations

import json
from typing import Any


def json_list(reply: str) -> list[Any] | None:
    """The list in a reply, whatever the model has put around it; ``None`` where there is none. Pure.

    >>> json_list('Here you are: ["one", "two"]. Anything else?'), json_list("I cannot say."), json_list("[1,")
    (['one', 'two'], None, None)
    """
    start, end = reply.find("["), reply.rfind("]")
    try:
        found = json.loads(reply[start : end + 1]) if 0 <= start < end else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) else None
