"""The forms in which exports keep titles, texts and nested objects."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any

from core.parsing.records.prose import load
from core.parsing.records.values import TITLES, has_words, is_for_programs, key_words, told

PAGE = re.compile(
    r"</(?:\w+:)?(?:p|div|span|a|b|i|em|strong|ul|ol|li|h[1-6]|table|title|sup|sub)>|<(?:br|p)\s*/?>", re.IGNORECASE
)
_LONGEST_TITLE = 120  # characters
_TITLE_WORDS = 10
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_PICTURE = re.compile(r"\A(?:!\[[^\]\n]*\]\([^)\n]*\)\s*)+")
_RUN_KEYS = 6  # of a piece of text with its marks, at most
_RUN_TEXTS = ("plain_text", "text", "insert")


def titles(one: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The fields that name a record, the usual first, with what they say on one line."""
    by_words = {key_words(key): key for key in reversed(list(one))}
    for words in TITLES:
        value = one.get(by_words.get(words, ""))
        said = value if isinstance(value, str) else run_of(value) if isinstance(value, list) else ""
        if said.strip() and len(said) <= 2 * _LONGEST_TITLE:
            yield by_words[words], " ".join(plain(said).split())


def unwrapped(one: Mapping[str, Any]) -> Mapping[str, Any]:
    """A record whose object for the most part of its text stands in its place: {"id": 1, "content": {"text": ...}}."""
    lengths = {key: text_length(value) for key, value in one.items()}
    for key, value in one.items():
        if (
            isinstance(value, dict)
            and lengths[key] > sum(lengths.values()) / 2
            and not told("", value)
            and not run_of(value)
        ):
            others = {outer: inner for outer, inner in one.items() if outer != key}
            return {**{f"{key} {name}" if name in others else name: inner for name, inner in value.items()}, **others}
    return one


def first_words(text: str) -> tuple[str, str]:
    """A text's first line as its title, and the rest; its first words, and the whole, where the line is long.

    >>> first_words("# Pond\\nTwo ducks."), first_words("Two ducks.")
    (('Pond', 'Two ducks.'), ('Two ducks.', ''))
    """
    text = _PICTURE.sub("", text).strip()
    lines = text.partition("\n")
    line = plain(lines[0]).lstrip("#-*+> ").strip()
    if len(line) <= _LONGEST_TITLE and line:
        return line, lines[2].strip()
    return " ".join(line.split()[:_TITLE_WORDS])[:_LONGEST_TITLE] + (" …" if line else ""), text


def plain(text: str) -> str:
    """A text without tags."""
    return unescape(_TAG.sub(" ", text)).strip() if PAGE.search(text) else text.strip()


def is_other_form(value: object) -> bool:
    """Whether a value is a string with a page or JSON in it."""
    return isinstance(value, str) and bool(other_form(value))


def other_form(value: str) -> tuple[str, Any] | None:
    """For a page or JSON in a string: its words, and itself or what it holds; ``None`` for other strings."""
    if value.startswith(("{", "[")) and (held := load(value)) is not None:
        return " ".join(_all_texts(held)), held
    return (plain(value), value) if PAGE.search(value) else None


def _all_texts(held: Any) -> Iterator[str]:
    for value in held.values() if isinstance(held, dict) else held:
        if isinstance(value, dict | list):
            yield from _all_texts(value)
    if isinstance(held, dict):
        yield from (value for key, value in held.items() if isinstance(value, str) and key in _RUN_TEXTS)


def run_of(value: Any) -> str:
    """The text of inline pieces with marks, as editors keep them, without blanks between; "" for other values."""
    pieces = value if isinstance(value, list) else [value]
    if not all(isinstance(one, dict) and ("type" in one or "insert" in one or "marks" in one) for one in pieces):
        return ""
    said = [next((text for key in _RUN_TEXTS if isinstance(text := one.get(key), str)), None) for one in pieces]
    labels = [one["attrs"].get("label") or "" if isinstance(one.get("attrs"), dict) else "" for one in pieces]
    if not any(said) or any(one.get("content") or len(one) > _RUN_KEYS or any(titles(one)) for one in pieces):
        return ""
    return "".join(text if text is not None else str(label) for text, label in zip(said, labels, strict=True)).strip()


def label(words: str, value: Any) -> str:
    """A value as one of several in a line: a scalar, a person, or an object that has a name and nothing else to say."""
    if not isinstance(value, dict):
        return "" if isinstance(value, list) else told(words, value)
    named = told(words, value)
    if named:
        return named
    others = [key for key, inner in value.items() if inner and not is_for_programs(key_words(key), inner)]
    found = next(titles(value), ("", ""))
    return found[1] if [found[0]] == others else ""


def is_keyed(value: Mapping[str, Any]) -> bool:
    """Whether an object holds records by their names or identifiers."""
    return len(value) > 1 and all(isinstance(inner, dict) and len(inner) > 1 for inner in value.values())


def named(key: str, record: Mapping[str, Any]) -> Mapping[str, Any]:
    """A record with the key above it as its name, where it has none and the key is no identifier.

    >>> named("Blinded", {"desc": "x"}), named("f1b2", {"desc": "x"})
    ({'name': 'Blinded', 'desc': 'x'}, {'desc': 'x'})
    """
    is_name = not any(titles(record)) and not any(map(str.isdecimal, key))
    return {"name": key, **record} if is_name else record


def says(value: Any) -> bool:
    """Whether a nested value has words for a reader."""
    if isinstance(value, dict):
        return any(titles(value)) or any(map(says, value.values()))
    return any(map(says, value)) if isinstance(value, list) else isinstance(value, str) and has_words(value)


def text_length(value: Any) -> int:
    """The characters in strings of several words, however deeply nested."""
    if isinstance(value, dict | list):
        return sum(map(text_length, value.values() if isinstance(value, dict) else value))
    return len(value) if isinstance(value, str) and has_words(value) else 0
