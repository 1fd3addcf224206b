"""Reads the components' own HTML, CSS and JavaScript. A document's text never passes through here."""

from __future__ import annotations

from pathlib import Path

ASSETS = Path(__file__).parent / "assets"


def joined(*names: str) -> str:
    """The files in order as one text: a module may be kept in several small files."""
    return "\n".join((ASSETS / name).read_text(encoding="utf-8") for name in names)
