"""Finds the components' own HTML, CSS and JavaScript. A document's text never passes through here."""

from __future__ import annotations

from pathlib import Path

_SHARED = Path(__file__).parent  # what several components use lies beside this file


def path(module: str, name: str) -> Path:
    """A file beside ``module``, which is a component's ``__file__``; else the one that components share."""
    own = Path(module).parent / name
    return own if own.exists() else _SHARED / name


def text(module: str, *names: str) -> str:
    """These files in order as one text: a module of JavaScript may be kept in several small ones."""
    return "\n".join(path(module, name).read_text(encoding="utf-8") for name in names)
