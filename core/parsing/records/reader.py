"""The reader of JSON whose values are prose: each record under its title, with its facts, its texts and what is in it.

What keeps a record for its program alone (identifiers, styles, measures) is left out and counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from markdown_it import MarkdownIt

from core.errors import ParseError
from core.parsing.audit.word_audit import words_of
from core.parsing.flow import Item, ParsedFile, Piece, Words
from core.parsing.html.reader import read as read_page
from core.parsing.plain.subtitles import paragraphs
from core.parsing.records import forms, spoken
from core.parsing.records.prose import load
from core.parsing.records.values import TEXTS, is_for_programs, is_time, key_words, reads_as_sentence, told
from core.text.normalise import decode
from core.types import BlockKind

_MARKED = re.compile(r"^(?:#{1,6}|[-*+>]|\d{1,3}[.)])[ \t]|\*\*|`|\]\(|^\||^~~~", re.MULTILINE)
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_MARKDOWN = MarkdownIt("commonmark", {"breaks": True}).enable("table")
_LONG = 80  # characters; a longer value is a text, not a fact
_LONGEST_LINE = 400  # characters of several values in one line
_OWN_HEADING = 500  # characters of the texts in a nested record that has a heading of its own
_FOR_PROGRAMS, _TWICE = "identifiers and other values for programs", "other forms of the same texts"
_BELOW = "children"  # the key of what is nested in an outline


def read(data: bytes, name: str) -> ParsedFile:
    """The records in the file's order. Raises ``ParseError`` where it holds no JSON.

    >>> note = b'{"title": "Pond", "createdTimestampUsec": 1690426596429000, "textContent": "Two **ducks**.", "id": 1}'
    >>> [piece.words.text or piece.items[0].words.text for piece in read(note, "a.json").pieces]
    ['Pond', 'created: 27 July 2023, 02:56 UTC', 'Two ducks.']
    """
    held = load(decode(data, name).text)
    if held is None:
        raise ParseError(f"{name} is damaged: it holds no JSON.", "Export it again and add that.")
    reading = _Reading(name, has_speech=bool(spoken.speech(held)))
    if isinstance(held, dict):
        reading.record(held, 1, is_whole=True)
    else:
        reading.several(held, 1)
    first = next((piece.words.text for piece in reading.pieces if piece.kind is BlockKind.HEADING), "")
    left = [f"{what}: {number:,}" for what, number in sorted(reading.left.items())]
    return ParsedFile(
        tuple(reading.pieces),
        title=first if isinstance(held, dict) and reading.records == 1 else "",
        metadata={"records": str(reading.records)},
        notes=(f"Left out: {', '.join(left)}.",) if left else (),
    )


@dataclass(slots=True)
class _Parts:
    """What a record holds: lines of facts, texts and nested values, each with the words of its key."""

    facts: list[str] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)
    nested: list[tuple[str, list[Any]]] = field(default_factory=list)


@dataclass(slots=True)
class _Reading:
    """Writes records as pieces. ``has_speech``: whether recordings are among them.

    ``left``: how often what was left out.
    """

    name: str
    has_speech: bool = False
    pieces: list[Piece] = field(default_factory=list)
    left: Counter[str] = field(default_factory=Counter)
    records: int = 0

    def several(self, held: Sequence[Any], level: int, titles: Sequence[str] = ()) -> None:
        """Records one after the other. ``titles``: their names where they have keys."""
        if self.has_speech and spoken.speech(held) is held:
            self._spoken(held)
            return
        for place, one in enumerate(held):
            if isinstance(one, dict):
                self.record(one, level, titles[place] if titles else "")
            elif isinstance(one, list):
                self.several(one, level)
            elif isinstance(one, str) and one.strip():
                self.records += 1
                self.text("", one, level)

    def record(self, one: Mapping[str, Any], level: int, title: str = "", is_whole: bool = False) -> None:
        """A record: heading, facts, texts, and what is nested in it, as records or as a list; last what was spoken."""
        said = spoken.speech(one) if self.has_speech else []
        rest = spoken.without(one, said) if said else None
        if said and not spoken.speech(rest):
            self.record(rest or {}, level, title)
            self._spoken(said)
            return
        if not any(forms.titles(one)):
            one = forms.unwrapped(one)
        key, title = next(((key, found) for key, found in forms.titles(one)), ("", title))
        parts = self.parts({inner: value for inner, value in one.items() if inner != key}, Counter(words_of(title)))
        if not title and parts.texts:
            parts.texts.sort(key=lambda text: TEXTS.isdisjoint(text[0].split()))
            title, rest = forms.first_words(parts.texts[0][1])
            parts.texts[0] = (parts.texts[0][0], rest)
        if title:
            self.pieces.append(Piece(BlockKind.HEADING, Words(title), level=level))
        is_whole = is_whole and not parts.texts
        self.records += not any(self._stand_alone(values, is_whole) for _, values in parts.nested)
        if parts.facts:
            self.pieces.append(Piece(BlockKind.LIST, items=tuple(Item(Words(line), "") for line in parts.facts)))
        for words, text in parts.texts:
            self.text(words if len(parts.texts) > 1 and TEXTS.isdisjoint(words.split()) else "", text, level)
        below = level + 1 if title else level
        for words, values in parts.nested:
            if self._stand_alone(values, is_whole):
                if is_whole and len(parts.nested) > 1:
                    self.pieces.append(Piece(BlockKind.HEADING, Words(words), level=below))
                self.several(values, below + (is_whole and len(parts.nested) > 1))
            elif items := tuple(self.items(values, 0)):
                if words != _BELOW and TEXTS.isdisjoint(words.split()):
                    self.pieces.append(Piece(BlockKind.PARAGRAPH, Words(f"{words}:")))
                self.pieces.append(Piece(BlockKind.LIST, items=items))

    def _spoken(self, said: Sequence[Any]) -> None:
        """A recording as a transcript."""
        heard = paragraphs(spoken.cues(said))
        self.pieces += [Piece(BlockKind.PARAGRAPH, Words(paragraph)) for paragraph in heard]

    def _stand_alone(self, values: Sequence[Any], is_whole: bool) -> bool:
        """Whether nested values are records with headings of their own."""
        records = [one for one in values if isinstance(one, dict)]
        if len(records) < len(values) or not records:
            return False
        if is_whole and any(len(one) > 2 for one in records):
            return True
        titled = sum(any(forms.titles(one)) for one in records)
        return titled > len(records) / 2 and sum(map(forms.text_length, records)) > _OWN_HEADING * len(records)

    def parts(self, one: Mapping[str, Any], seen: Counter[str], prefix: str = "") -> _Parts:
        """The fields by what they are. ``seen``: the words that the record has already said; texts are added to it."""
        parts = _Parts()
        for key, value in sorted(one.items(), key=lambda field: forms.is_other_form(field[1])):
            own = key_words(key)
            words = f"{prefix} {own}".strip()
            if (not value and value != 0) or value is False or (isinstance(value, str) and not value.strip()):
                continue
            if "://" in key or is_for_programs(own, value):
                self.left[_FOR_PROGRAMS] += 1
            elif isinstance(value, str) and (again := forms.other_form(value)):
                if spoken.is_said(again[0], seen):
                    self.left[_TWICE] += 1
                elif isinstance(again[1], str):
                    parts.texts.append((words, value))
                else:
                    parts.nested.append((words, again[1] if isinstance(again[1], list) else [again[1]]))
            elif isinstance(value, dict | list) and (run := told(words, value) or forms.run_of(value)):
                if reads_as_sentence(run) or len(run) > _LONG or not TEXTS.isdisjoint(own.split()):
                    parts.texts.append((words, run))
                else:
                    parts.facts.append(f"{words}: {run}")
            elif isinstance(value, dict) and not forms.is_keyed(value):
                within = self.parts(value, seen, words)
                parts.facts += within.facts
                parts.texts += within.texts
                parts.nested += within.nested
            elif isinstance(value, dict):
                parts.nested.append((words, [forms.named(name, inner) for name, inner in value.items()]))
            elif isinstance(value, list):
                self._listed(parts, words, value, seen)
            else:
                self._said_alone(parts, words, own, value, seen)
        return parts

    def _said_alone(self, parts: _Parts, words: str, own: str, value: Any, seen: Counter[str]) -> None:
        """A single value: a text or a fact."""
        said = told(own, value)
        name = words.replace("timestamp", "").replace("usec", "") if is_time(own, value) else words
        is_text = isinstance(value, str) and not TEXTS.isdisjoint(own.split())
        if is_text or len(said) > _LONG or "\n" in said or reads_as_sentence(said):
            seen.update(words_of(said))
            parts.texts.append((words, said))
        elif said:
            parts.facts.append(f"{' '.join(name.split())}: {said}")

    def _listed(self, parts: _Parts, words: str, values: list[Any], seen: Counter[str]) -> None:
        """A list of short values or names as a fact; the others as what is nested."""
        if all(isinstance(value, str) for value in values) and any(map(_MARKED.search, values)):
            seen.update(words_of(text := "\n".join(values)))
            parts.texts.append((words, text))
            return
        short = [forms.label(words, value) for value in values] if TEXTS.isdisjoint(words.split()) else [""]
        if all(0 < len(one) <= _LONG and "\n" not in one for one in short) and sum(map(len, short)) < _LONGEST_LINE:
            parts.facts.append(f"{words}: {'; '.join(short)}")
        elif any(forms.says(value) for value in values):
            parts.nested.append((words, values))
        else:
            self.left[_FOR_PROGRAMS] += len(values)

    def items(self, values: Sequence[Any], depth: int) -> Iterator[Item]:
        """Nested values as items of a list, with what is nested in them below."""
        for value in values:
            if isinstance(value, list):
                if run := forms.run_of(value):
                    yield Item(Words(run), "-", depth)
                else:
                    yield from self.items(value, depth)
            elif not isinstance(value, dict):
                if said := told("", value):
                    yield Item(Words(forms.plain(said)), "-", depth)
            elif run := told("", value) or forms.run_of(value):
                yield Item(Words(run), "-", depth)
            else:
                yield from self._node(value, depth)

    def _node(self, one: Mapping[str, Any], depth: int) -> Iterator[Item]:
        """A nested object: its name, its texts, its facts in brackets; below it what is nested in it."""
        key, title = next(forms.titles(one), ("", ""))
        kept = {}
        for inner, value in one.items():
            if is_time(key_words(inner), value):
                self.left[_FOR_PROGRAMS] += 1
            elif inner != key:
                kept[inner] = value
        parts = self.parts(kept, Counter(words_of(title)))
        texts = [forms.plain(text) for _, text in parts.texts]
        told_all = "\n".join(texts)
        said = told_all if told_all.startswith(title) else ": ".join(filter(None, (title, told_all)))
        facts = "; ".join(parts.facts)
        if said or facts:
            yield Item(Words(f"{said} ({facts})" if said and facts else said or facts), "-", depth)
        for _, values in parts.nested:
            yield from self.items(values, depth + bool(said or facts))

    def text(self, words: str, text: str, level: int) -> None:
        """A text with its name, read as the page or the Markdown that it is."""
        is_page = bool(forms.PAGE.search(text))
        if is_page or _MARKED.search(text):
            page = text if is_page else _MARKDOWN.render(text)
            pieces = [*read_page(f"<meta charset=utf-8>{page}".encode("utf-8", "replace"), self.name).pieces]
            if words:
                pieces.insert(0, Piece(BlockKind.PARAGRAPH, Words(f"{words}:")))
        else:
            named = f"{words}: {text}" if words else text
            pieces = [Piece(BlockKind.PARAGRAPH, Words(part)) for part in _BLANK_LINE.split(named)]
        for piece in pieces:
            is_heading = piece.kind is BlockKind.HEADING
            self.pieces.append(replace(piece, level=min(6, level + piece.level)) if is_heading else piece)
