"""Front matter: the YAML (``---``) or TOML (``+++``) head of a Markdown file, read as plain values."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any, NamedTuple

from core.text.normalise import storable

_FENCED = re.compile(r"(---|\+\+\+)[ \t]*\n(?:(.*?)\n)??(\1|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_PAIR = re.compile(r"([\w][\w .-]*?)\s*[:=]\s*(.*)")
_MAX_CHARACTERS = 65_536
_MAX_VALUE = 500


class FrontMatter(NamedTuple):
    """``end``: offset just behind the closing fence. ``note``: a sentence when the values were not well-formed."""

    end: int
    values: dict[str, str]
    note: str = ""


def front_matter(text: str) -> FrontMatter | None:
    """The front matter at the very start of ``text``, ``None`` without one. Never raises, runs nothing.

    Nested values are written out flat: lists with commas, mappings with dotted keys.

    >>> front_matter("---\\ntitle: A guide\\ntags: [a, b]\\n---\\n# X").values
    {'title': 'A guide', 'tags': 'a, b'}
    """
    match = _FENCED.match(text[:_MAX_CHARACTERS])
    if not match or not _looks_like_values(match[2] or "", match[1]):
        return None
    body = match[2] or ""
    values = _toml(body) if match[1] == "+++" else _yaml(body)
    if values is None:
        found = (_PAIR.fullmatch(line.strip()) for line in body.split("\n"))
        pairs = {pair[1]: pair[2].strip().strip("\"'")[:_MAX_VALUE] for pair in found if pair}
        return FrontMatter(match.end(), pairs, "The front matter is not well-formed; only its simple lines were read.")
    return FrontMatter(match.end(), values)


def _looks_like_values(body: str, fence: str) -> bool:
    """Whether the head holds keys: ``---`` alone also opens a page with a thematic break."""
    lines = [line for line in body.split("\n") if line.strip() and not line.lstrip().startswith("#")]
    mark = "=" if fence == "+++" else ":"
    first = lines[0] if lines else ""
    return not lines or mark in first or (fence == "+++" and first.startswith("["))


def _toml(body: str) -> dict[str, str] | None:
    try:
        return _flat(tomllib.loads(body))
    except (ValueError, RecursionError):  # also a number of more digits than Python reads or writes
        return None


def _yaml(body: str) -> dict[str, str] | None:
    import yaml

    # Aliases can make a small file expand without bound, and no front matter needs them.
    if re.search(r"(?:^|[\s\[,:-])[&*][\w-]", body) or body.count("[") + body.count("{") > 200:
        return None
    try:
        values = yaml.load(body, Loader=yaml.BaseLoader)  # noqa: S506 - BaseLoader makes only str, list and dict
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
    if values is None or values == "":
        return {}
    return _flat(values) if isinstance(values, dict) else None


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    flat: dict[str, str] = {}
    for key, value in values.items():
        name = storable(f"{prefix}{key}")
        if isinstance(value, Mapping) and prefix.count(".") < 4:
            flat.update(_flat(value, f"{name}."))
        elif isinstance(value, list):
            flat[name] = storable(", ".join(str(item) for item in value)[:_MAX_VALUE])
        else:
            flat[name] = storable(("" if value is None else str(value).strip())[:_MAX_VALUE])
    return flat
