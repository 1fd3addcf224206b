"""The features of a chunk as values that can be stored as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from core.types import Span

REFERENCE_KINDS = ("section", "figure", "table", "footnote", "citation", "link")


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference at ``[start, end)`` of the document's text to another place.

    ``kind``: one of ``REFERENCE_KINDS``. ``target``: the place in the same document, if exactly one matches; else
    ``None``. ``target_url``: of a hyperlink, as written.
    """

    kind: str
    start: int
    end: int
    text: str
    target: Span | None = None
    target_url: str | None = None

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)

    def to_dict(self) -> dict[str, Any]:
        """JSON values, without fields that are ``None``.

        >>> Reference("section", 4, 15, "section 3.1", Span(90, 99)).to_dict()
        {'kind': 'section', 'start': 4, 'end': 15, 'text': 'section 3.1', 'target': [90, 99]}
        """
        target = None if self.target is None else [self.target.start, self.target.end]
        plain = {item.name: getattr(self, item.name) for item in fields(self)} | {"target": target}
        return {name: value for name, value in plain.items() if value is not None}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """The reference that ``to_dict`` stored; unknown fields are ignored."""
        known = {item.name: plain[item.name] for item in fields(cls) if item.name in plain}
        target = known.get("target")
        return cls(**{**known, "target": Span(*target) if target else None})


@dataclass(frozen=True, slots=True)
class Features:
    """The features of one chunk. Values are distinct and in text order; keywords are sorted by falling weight.

    ``genre``: of the document. ``index``, ``total``: 1-based position among the document's chunks of the same level.
    ``section_type``: see ``core.enriching.section_types``. ``dates``: in ISO 8601 (a day, month or quarter "2026-Q3")
    where unambiguous, else as written. ``versions``: "v2.1", "1.4.0", "Python 3.11". ``figures``, ``tables``: "Figure
    2", captioned or referred to here. ``metadata``: the chunk's own, from its chunker.
    """

    genre: str = "other"
    index: int = 1
    total: int = 1
    section_type: str = "prose"
    keywords: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    organisations: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    metadata: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """JSON values, without fields that have their default.

        >>> Features(genre="FAQ", index=2, total=3).to_dict()
        {'genre': 'FAQ', 'index': 2, 'total': 3}
        """
        plain: dict[str, Any] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if value and value != item.default:
                plain[item.name] = list(value) if isinstance(value, tuple) else value
        if self.references:
            plain["references"] = [reference.to_dict() for reference in self.references]
        if self.metadata:
            plain["metadata"] = {name: list(values) for name, values in self.metadata.items()}
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """The features that ``to_dict`` stored; unknown fields are ignored.

        >>> Features.from_dict(Features(keywords=("race",)).to_dict()).keywords
        ('race',)
        """
        known = {item.name for item in fields(cls)}
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in plain.items() if name in known
        }
        values["references"] = tuple(Reference.from_dict(reference) for reference in plain.get("references", ()))
        values["metadata"] = {name: tuple(entries) for name, entries in plain.get("metadata", {}).items()}
        return cls(**values)
