"""Finds the HTML, CSS and JavaScript files of the components. A document's text never passes through here."""

from __future__ import annotations

from pathlib import Path

_SHARED = Path(__file__).parent  # files that several components use


def path(module: str, name: str) -> Path:
    """The file ``name`` beside ``module``, a component's ``__file__``; if there is none, the shared file."""
    own = Path(module).parent / name
    return own if own.exists() else _SHARED / name


def text(module: str, *names: str) -> str:
    """The contents of these files, joined in order: a JavaScript module may be split into several small files."""
    return "\n".join(path(module, name).read_text(encoding="utf-8") for name in names)
