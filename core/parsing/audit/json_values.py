"""The second reading of JSON: every string in it, without regard to what holds it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from core.parsing.audit.gathering import WordCollector
from core.parsing.records.prose import load
from core.text.normalise import decode

_RECORDED, _OTHER_FORM = "single values that programs keep, told in words or left out", "other forms of the same texts"
_WHOLE = 60  # characters of a text whose parts may be said again by themselves
_TARGETS = re.compile(r"(?<=\])\([^()\s]*\)|<[^<>]*>|^[ \t]*(?:```|~~~)\w+", re.MULTILINE)
_STYLE = re.compile(r"[\w-]+:[^;{}]*;\s*(?:[\w-]+:|\})|\{\s*[\w-]+:[^;{}]*;")


def read_strings(data: bytes, collector: WordCollector) -> None:
    """Collect the strings with several words. Single words may be names that programs give, and need not be told.

    Names that each record repeats are told once, and so are parts of the longest text, as of a recording.
    """
    strings = list(_strings(load(decode(data).text)))
    longest = max(strings, key=len, default="")
    seen: set[str] = set()
    for value in strings:
        is_single = len(value.split()) < 2 or not any(map(str.isalpha, value)) or bool(_STYLE.search(value))
        is_other_form = value[:1] in ("{", "[") or "</" in value or value in seen
        is_part = len(longest) > _WHOLE and value is not longest and value.strip() in longest
        seen.add(value)
        said = unescape(_TARGETS.sub(" ", value))
        collector.put(_RECORDED if is_single else _OTHER_FORM if is_other_form or is_part else "", f"{said}\n")


def _strings(held: Any) -> Iterator[str]:
    pending = [held]
    while pending:
        value = pending.pop()
        if isinstance(value, dict | list):
            pending.extend(reversed(list(value.values() if isinstance(value, dict) else value)))
        elif isinstance(value, str):
            yield value
