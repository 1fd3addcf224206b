"""Decides from its values whether JSON, or a file with an object on each line, is text to be read or data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from core.errors import ParseError
from core.parsing.records import cards
from core.parsing.records.spoken import speech
from core.parsing.records.values import TEXTS, has_words, key_words, reads_as_sentence
from core.text.normalise import decode

_SCHEMAS = frozenset({"openapi", "swagger", "$schema", "$ref", "nbformat"})
_OF_TEXTS, _OF_SENTENCES = 0.75, 0.5  # prose, of strings of several words: by what keys call text, by sentences alone
_TEXT_SHARE, _SENTENCE_SHARE = 0.01, 0.33  # the same, of all strings
_FEWEST_SENTENCES = 3  # values
_PLAIN_SHARE = 0.3  # of a text with tags that is no style sheet
_FEW_PLACES, _TEXTS_A_PLACE = 12, 4  # in a table of an interface's messages, nearly every text has a key of its own
_NUMBER = 4  # characters that any other value counts
_DEEPEST = 100  # no export is nested so deeply
_NAMES = frozenset({"title", "name", "area", "label"})  # last words of keys whose values are neither prose nor code
_TAG = re.compile(r"<[^<>]*>")


def load(text: str) -> dict[str, Any] | list[Any] | None:
    """The JSON of a file, a list where each line is an object; the notes of flash cards; ``None`` for anything else.

    >>> load('{"a": 1}'), load('{"a": 1}\\n{"a": 2}'), load("{a}"), load('"a"')
    ({'a': 1}, [{'a': 1}, {'a': 2}], None, None)
    """
    if text.startswith(cards.MARK):
        return cards.notes_of(text)
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        held = json.loads(text)
    except RecursionError:
        return None
    except ValueError:
        try:
            held = [json.loads(line) for line in text.split("\n") if line.strip()]
        except (ValueError, RecursionError):
            return None
    return held if isinstance(held, dict | list) else None


def holds_prose(data: bytes, name: str = "The file") -> bool:
    """Whether bytes are JSON whose values are for the greater part prose, recorded speech, or exported flash cards."""
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[", cards.MARK.encode())):
        return False
    try:
        held = load(decode(data, name).text)
    except ParseError:
        return False
    return held is not None and (data.startswith(cards.MARK.encode()) or is_prose(held) or bool(speech(held)))


def is_prose(held: object) -> bool:
    """Whether values are for the greater part prose, under keys that records share.

    Prose are sentences, and several words under a key that says "text".

    >>> is_prose({"title": "Pond", "textContent": "Two ducks"}), is_prose({"name": "a", "scripts": {"b": "c -d e"}})
    (True, False)
    """
    texts = sentences = several = everything = 0
    places: list[frozenset[str]] = []
    for way, value in _strings(held):
        if way is None:
            return False
        if not isinstance(value, str):
            everything += _NUMBER
            continue
        plain, everything = _TAG.sub(" ", value), everything + len(value) + len(way[-1] if way else "")
        key = key_words(way[-1]).split() if way else []
        if not has_words(plain) or value.startswith(("{", "[")) or not _NAMES.isdisjoint(key[-1:]):
            continue
        if len(plain) < _PLAIN_SHARE * len(value):
            continue
        several += len(plain)
        is_text = not TEXTS.isdisjoint(key)
        if is_text or reads_as_sentence(plain):
            texts, sentences = texts + is_text * len(plain), sentences + len(plain)
            places.append(frozenset(key for key in way if " " in key or not any(map(str.isdecimal, key))))
    if len(set(places)) > max(_FEW_PLACES, len(places) / _TEXTS_A_PLACE):
        return False
    if texts > _TEXT_SHARE * everything and sentences >= _OF_TEXTS * several:
        return True
    is_mostly_prose = sentences > _SENTENCE_SHARE * everything and sentences >= _OF_SENTENCES * several
    return len(places) >= _FEWEST_SENTENCES and is_mostly_prose


def _strings(held: object) -> Iterator[tuple[tuple[str, ...] | None, Any]]:
    """Each value with the keys above it; ``None`` for the keys where it is a schema or too deep."""
    pending: list[tuple[int, tuple[str, ...], Any]] = [(0, (), held)]
    while pending:
        depth, way, value = pending.pop()
        if depth > _DEEPEST or (isinstance(value, dict) and not _SCHEMAS.isdisjoint(value)):
            yield None, ""
        if isinstance(value, dict):
            pending.extend((depth + 1, (*way, key), inner) for key, inner in value.items())
        elif isinstance(value, list):
            pending.extend((depth + 1, way, inner) for inner in value)
        elif isinstance(value, str) and (within := load(value)) is not None:
            pending.append((depth + 1, way, within))
        else:
            yield way, value
