"""What is known of a chunk beside its text, as one value that goes to JSON and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from core.types import Span

REFERENCE_KINDS = ("section", "figure", "table", "footnote", "citation", "link")


@dataclass(frozen=True, slots=True)
class Reference:
    """Words at ``[start, end)`` of the document's text that point elsewhere.

    ``kind``: one of ``REFERENCE_KINDS``. ``target``: what they point to, where it stands in the same document and
    there is just one such place; else ``None``. ``target_url``: of a hyperlink, as it is written.
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
        """Fit for JSON; what there is not is left out.

        >>> Reference("section", 4, 15, "section 3.1", Span(90, 99)).to_dict()
        {'kind': 'section', 'start': 4, 'end': 15, 'text': 'section 3.1', 'target': [90, 99]}
        """
        target = None if self.target is None else [self.target.start, self.target.end]
        plain = {item.name: getattr(self, item.name) for item in fields(self)} | {"target": target}
        return {name: value for name, value in plain.items() if value is not None}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """What ``to_dict`` made; fields of another version of Lectern are passed over."""
        known = {item.name: plain[item.name] for item in fields(cls) if item.name in plain}
        target = known.get("target")
        return cls(**{**known, "target": Span(*target) if target else None})


@dataclass(frozen=True, slots=True)
class Features:
    """What is known of one chunk. Lists keep the order of the text, each value once; keywords: the most telling first.

    ``genre``: of the document. ``index`` of ``total``: 1-based among the document's chunks of the same level.
    ``section_type``: one of ``core.enriching.section_types.SECTION_TYPES``.
    ``dates``: ISO 8601 (a day, a month, a quarter "2026-Q3") where only one reading is possible, else as written.
    ``versions``: "v2.1", "1.4.0", "Python 3.11". ``figures``, ``tables``: "Figure 2", named or captioned here.
    ``metadata``: what the chunker found.
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
        """Fit for JSON; a field that says nothing beyond its default is left out.

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
        """What ``to_dict`` made; fields of another version of Lectern are passed over.

        >>> Features.from_dict(Features(keywords=("race",)).to_dict()).keywords
        ('race',)
        """
        known = {item.name for item in fields(cls)}
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in plain.items() if name in known
        }
        values["references"] = tuple(Reference.from_dict(reference) for reference in plain.get("references", ()))
        values["metadata"] = {name: tuple(found) for name, found in plain.get("metadata", {}).items()}
        return cls(**values)
