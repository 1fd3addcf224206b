"""Links from one document of a library to another: which one a link names, and the place in it."""

from __future__ import annotations

import os.path
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

from core.enriching.sections import Sections
from core.enriching.targets import slug, targets
from core.types import Document, Span


class Named(Protocol):
    """A source as the library lists it. ``path``: ``None`` for an upload or an attachment."""

    @property
    def name(self) -> str: ...

    @property
    def path(self) -> Path | None: ...

    @property
    def version_id(self) -> str: ...


def document_named(target: str, origins: Sequence[Named], held: Sequence[Named]) -> tuple[str, str] | None:
    """The version a link leads to and its fragment, "" without one; ``None`` where the library has no such document.

    ``target``: the link as it is written. ``origins``: the sources of the document it stands in, whose folders it is
    read from; ``held``: all sources. A path of this machine is that file alone; where either side was uploaded and has
    no path, a name will do that one document alone bears. Addresses of the web and of people are never looked for.

    >>> from types import SimpleNamespace as Source
    >>> one, other = Source(name="a.md", path=Path("/n/a.md"), version_id="1"), Source(
    ...     name="b c.md", path=Path("/n/sub/b c.md"), version_id="2")
    >>> document_named("sub/b%20c.md#Aims", [one], [one, other]), document_named("b%20c.md", [one], [one, other])
    (('2', 'Aims'), None)
    """
    try:
        parts = urlsplit(target)
    except ValueError:  # "//[" and the like
        return None
    written = unquote(parts.path)
    if parts.scheme not in {"", "file"} or parts.netloc not in {"", "localhost"} or not written.strip("/."):
        return None
    paths = {os.path.normpath(origin.path.parent / written) for origin in origins if origin.path}
    names = {os.path.normpath(Path(origin.name).parent / written) for origin in origins}
    last = Path(written).name
    for found in (
        [one for one in held if one.path and os.path.normpath(one.path) in paths],
        [one for one in held if one.name in names and not (paths and one.path)],
        [one for one in held if Path(one.name).name == last and not (paths and one.path)],
    ):
        versions = {one.version_id for one in found}
        if versions:
            return (versions.pop(), unquote(parts.fragment)) if len(versions) == 1 else None
    return None


def anchors(document: Document) -> Mapping[str, Span]:
    """The places of a document that a fragment may name, by ``slug``: its sections, and what bears an id."""
    return targets(document, Sections(document)).anchors


def place_named(fragment: str, known: Mapping[str, Span]) -> Span:
    """The place a fragment names, else the beginning of the document. ``known``: its ``anchors``.

    >>> place_named("2-First_costs", {"2-first-costs": Span(40, 90)}), place_named("", {})
    (Span(start=40, end=90), Span(start=0, end=0))
    """
    return known.get(slug(fragment), Span(0, 0)) if fragment else Span(0, 0)
