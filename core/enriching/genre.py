"""What sort of writing a document is, by rules over its title, its headings, its wording and its structure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from core.enriching.genre_rules import GENRES, HEADINGS, TITLE, WORDING, Rule
from core.enriching.genre_structure import structure_evidence
from core.enriching.sections import Sections
from core.types import BlockKind, Document

__all__ = ["GENRES", "Genre", "genre"]

_HEAD, _TAIL = 24_000, 8_000  # characters of a long document that are read for its wording
_ENOUGH = 3.0  # points below which nothing is said
_AHEAD = 0.75  # points by which the best must lead the next one


class Genre(NamedTuple):
    """``name``: one of ``GENRES``, "other" when unsure. ``evidence``: what spoke for it, strongest first.

    ``points``: of every genre that anything spoke for, best first.
    """

    name: str
    evidence: tuple[str, ...]
    points: tuple[tuple[str, float], ...] = ()


def genre(document: Document) -> Genre:
    """The genre of a document and the evidence for it; no model, at most 32,000 characters of its wording are read.

    Source code is known by its kind. For all else rules give points; the genre with the most has to have three of them
    and to lead by three quarters of one.

    >>> found = genre(Document("v", "text", "Minutes of 3 May", "Attendees: Ada, Ben.\\n\\nAction items: Ada writes."))
    >>> found.name, found.evidence
    ('meeting', ('its title says “Minutes”', 'its wording: “Attendees”, “Action items”'))
    >>> genre(Document("v", "text", "Untitled", "Some words about ducks.")).name
    'other'
    """
    if document.kind == "code":
        return Genre("code", ("its kind is source code",), (("code", _ENOUGH),))
    points: dict[str, float] = {}
    evidence: dict[str, list[tuple[float, str]]] = {}
    for name, worth, sentence in _evidence(document):
        points[name] = points.get(name, 0.0) + worth
        evidence.setdefault(name, []).append((worth, sentence))
    ranked = sorted(points.items(), key=lambda item: (-item[1], GENRES.index(item[0])))
    if not ranked or ranked[0][1] < _ENOUGH or (len(ranked) > 1 and ranked[0][1] - ranked[1][1] < _AHEAD):
        return Genre("other", (), tuple(ranked))
    best = ranked[0][0]
    spoken = sorted(evidence[best], key=lambda item: -item[0])
    return Genre(best, tuple(sentence for _, sentence in spoken), tuple(ranked))


def _evidence(document: Document) -> Iterator[tuple[str, float, str]]:
    """(genre, points, sentence) of every rule that holds."""
    for rule in TITLE:
        if (match := rule.pattern.search(document.title)) is not None:
            yield rule.genre, rule.points, f"its title says “{match.group().strip()}”"
    titles = [section.title for section in Sections(document).sections]
    for rule in HEADINGS:
        if (found := _matching(rule, titles)) and len(found) >= rule.least:
            worth = min(rule.most, rule.points * len(found))
            yield rule.genre, worth, f"its headings: {_quoted(found)}"
    text = document.text
    sample = text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    words = max(1, sample.count(" ") + sample.count("\n"))
    for rule in WORDING:
        found = [match.group() for match in rule.pattern.finditer(sample)]
        distinct = _distinct(found)
        if len(found) >= rule.least and 1000 * len(found) / max(words, 150) >= rule.density:
            worth = min(rule.most, rule.points * (len(distinct) if rule.distinct else len(found)))
            yield rule.genre, worth, f"its wording: {_quoted(distinct)}"
    yield from structure_evidence(document, sample, titles, _code_share(document))


def _matching(rule: Rule, titles: Sequence[str]) -> list[str]:
    return _distinct([match.group() for title in titles if (match := rule.pattern.search(title)) is not None])


def _distinct(found: Sequence[str]) -> list[str]:
    """Each once, however it is capitalised or spaced."""
    kept: dict[str, str] = {}
    for words in found:
        plain = " ".join(words.split()).strip(" :.-#*|")
        kept.setdefault(plain.lower(), plain)
    return list(kept.values())


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"“{word[:40]}”" for word in words[:4])


def _code_share(document: Document) -> float:
    code = sum(block.end - block.start for block in document.blocks if block.kind is BlockKind.CODE)
    return code / max(1, len(document.text))
