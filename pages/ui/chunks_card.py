"""What the chosen chunk's card says beside its text: what was found out about it, and what nearly repeats it."""

from __future__ import annotations

from typing import Any

from core.enriching import Features
from pages.ui.chunks_cut import Cut

LONGEST = 150_000  # characters of a text whose every chunk is looked at while a person waits
_VALUES = 8


def card(cut: Cut, leaf: str | None) -> dict[str, Any] | None:
    """Rows of label and value, and twins, of one chunk; ``None`` where none is chosen or the text is too long."""
    if leaf not in cut.reading.leaves or len(cut.tree.document.text) > LONGEST:
        return None
    index = cut.reading.leaves.index(leaf)
    found = cut.features.get(leaf)
    twins = [
        (cut.reading.leaves[twin.earlier if twin.index == index else twin.index], twin.similarity)
        for twin in cut.twins
        if index in (twin.index, twin.earlier)
    ]
    return {"leaf": leaf, "features": rows(found) if found else [], "twins": twins}


def rows(found: Features) -> list[tuple[str, str]]:
    """What is known of a chunk, in words, what is not known left out.

    >>> rows(Features(section_type="steps", keywords=("kettle", "tea"), index=2, total=9))
    [('Reads as', 'steps'), ('Place', '2 of 9'), ('Keywords', 'kettle, tea')]
    """
    told = [
        ("Reads as", "" if found.section_type == "prose" else found.section_type),
        ("Genre", "" if found.genre == "other" else found.genre),
        ("Place", f"{found.index:,} of {found.total:,}"),
        ("Keywords", _listed(found.keywords)),
        ("Names", _listed((*found.names, *found.organisations))),
        ("Symbols", _listed(found.symbols)),
        ("Dates", _listed(found.dates)),
        ("Versions", _listed(found.versions)),
        ("Figures, tables", _listed((*found.figures, *found.tables))),
        ("Refers to", _listed(tuple(reference.text for reference in found.references))),
        *((name.capitalize(), _listed(values)) for name, values in found.metadata.items()),
    ]
    return [(label, value) for label, value in told if value]


def _listed(values: tuple[str, ...]) -> str:
    some = ", ".join(dict.fromkeys(values[:_VALUES]))
    return f"{some}, …" if len(values) > _VALUES else some
