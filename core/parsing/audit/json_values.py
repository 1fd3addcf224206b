"""The second reading of JSON: every string in it, without regard to what holds it."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from core.parsing.audit.gathering import WordCollector
from core.parsing.records.prose import load
from core.text.normalise import decode

_RECORDED, _OTHER_FORM = "single values that programs keep, told in words or left out", "other forms of the same texts"
_TARGETS = re.compile(r"(?<=\])\([^()\s]*\)|<[^<>]*>|^[ \t]*(?:```|~~~)\w+", re.MULTILINE)
_STYLE = re.compile(r"[\w-]+:[^;{}]*;\s*(?:[\w-]+:|\})|\{\s*[\w-]+:[^;{}]*;")


def read_strings(data: bytes, collector: WordCollector) -> None:
    """Collect the strings with several words. Single words may be names that programs give, and need not be told."""
    pending: list[Any] = [load(decode(data).text)]
    before = ""
    while pending:
        value = pending.pop()
        if isinstance(value, dict | list):
            pending.extend(reversed(list(value.values() if isinstance(value, dict) else value)))
        elif isinstance(value, str):
            is_single = len(value.split()) < 2 or not any(map(str.isalpha, value)) or bool(_STYLE.search(value))
            is_other_form = value[:1] in ("{", "[") or "</" in value or value == before
            before = value
            said = unescape(_TARGETS.sub(" ", value))
            collector.put(_RECORDED if is_single else _OTHER_FORM if is_other_form else "", f"{said}\n")
