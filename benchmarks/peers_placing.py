"""Finds the spans of a library's chunks in the document, without relying on the offsets that the library claims.

Libraries return chunks stripped, with other whitespace, or with offsets into another text. So chunks are searched for
with all whitespace removed, each from the previous one on. No library is imported here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

Piece = tuple[str, str, "int | None", "int | None", int]
"""``(document, text, claimed start, claimed end, series)``; the pieces of a series are in the order of the text."""


@dataclass(frozen=True, slots=True)
class Placing:
    """The spans of pieces, and counts of pieces and characters.

    ``spans``: one for each piece; ``None`` if its text is not in the document (``unplaced``). ``altered``: the text at
    the span differs from the piece, whitespace at its ends aside. ``claims``: pieces with claimed offsets; ``wrong``:
    those whose claimed offsets give another text. ``unordered``: found only before the piece that should precede it.
    """

    spans: tuple[tuple[str, int, int] | None, ...]
    pieces: int
    characters: int
    unplaced: int
    altered: int
    claims: int
    wrong: int
    unordered: int

    def counts(self) -> dict[str, int]:
        """The counts by name."""
        return {item.name: getattr(self, item.name) for item in fields(self) if item.name != "spans"}


class _Bare:
    """A text without its whitespace, and the original offset of each remaining character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.places = [at for at, character in enumerate(text) if not character.isspace()]
        self.bare = "".join(text[at] for at in self.places)

    def find(self, wanted: str, before: tuple[int, int]) -> tuple[int, int] | None:
        """The range of ``wanted`` after the range ``before`` of the previous piece; ``None`` if there is none.

        Directly after it if the text continues there; else the first place that starts no earlier and ends later; else
        the first one that starts later and ends no earlier, as at the end of a text.
        """
        start, end = before
        if self.bare.startswith(wanted, end):
            return end, end + len(wanted)
        later = self.bare.find(wanted, max(start, end - len(wanted) + 1))
        if later < 0:
            later = self.bare.find(wanted, max(start + 1, end - len(wanted)))
        return (later, later + len(wanted)) if later >= 0 else None

    def span(self, found: tuple[int, int]) -> tuple[int, int]:
        """The span in the original text of a range without whitespace."""
        return self.places[found[0]], self.places[found[1] - 1] + 1

    def bare_range(self, start: int, end: int) -> tuple[int, int]:
        """The range without whitespace of a span in the original text."""
        return bisect_left(self.places, start), bisect_left(self.places, end)


def place(pieces: Iterable[Piece], texts: Mapping[str, str]) -> Placing:
    """Find the pieces in the documents' texts. Spans have no whitespace at their ends.

    Claimed offsets are used if they give exactly the piece's text and keep the order of its series.

    >>> found = place([("d", "one two", 5, 12, 0), ("d", "three", None, None, 0)], {"d": "one  two\\n three"})
    >>> found.spans, found.wrong, found.altered
    ((('d', 0, 8), ('d', 10, 15)), 1, 1)
    """
    known: dict[str, _Bare] = {}
    last: dict[tuple[str, int], tuple[int, int]] = {}
    spans: list[tuple[str, int, int] | None] = []
    counts = dict.fromkeys(("characters", "unplaced", "altered", "claims", "wrong", "unordered"), 0)
    for document, text, start, end, series in pieces:
        if document not in known:
            known[document] = _Bare(texts[document])
        bare, before = known[document], last.get((document, series), (0, 0))
        wanted = "".join(text.split())
        counts["characters"] += len(text)
        found: tuple[int, int] | None = None
        if start is not None and end is not None:
            counts["claims"] += 1
            right = bare.text[start:end] == text
            counts["wrong"] += not right
            if right and wanted and (claimed := bare.bare_range(start, end)) >= before:
                found = claimed
        if wanted and found is None:
            found = bare.find(wanted, before)
            if found is None and (again := bare.find(wanted, (0, 0))) is not None:
                counts["unordered"] += 1
                found = again
        if found is None:
            counts["unplaced"] += 1
            spans.append(None)
            continue
        last[document, series] = found
        span = bare.span(found)
        counts["altered"] += bare.text[span[0] : span[1]] != text.strip()
        spans.append((document, *span))
    return Placing(tuple(spans), len(spans), **counts)


def first_first(numbers: Sequence[int], texts: Sequence[str]) -> list[int]:
    """Reorder a ranking so that of pieces with the same text those earlier in the document come first.

    Such pieces have equal scores, so their order is a matter of rounding; but gold is the first of them. In repetitive
    texts the metrics would otherwise depend on that chance.

    >>> first_first([2, 7, 0, 5], ["a", "", "b", "", "", "b", "", "a"])
    [2, 0, 7, 5]
    """
    same: dict[str, list[int]] = {}
    for number in sorted(numbers, reverse=True):
        same.setdefault(texts[number], []).append(number)
    return [same[texts[number]].pop() for number in numbers]


def table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table; the first column is aligned left, the others right.

    >>> print(table(["system", "R@1000"], [["a", 5.25], ["bc", None]]))
    | system | R@1000 |
    |:-------|-------:|
    | a      |    5.2 |
    | bc     |      – |
    """
    cells = [list(heads), *([_shown(value) for value in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(heads))]
    lines = [
        "| "
        + " | ".join(cell.rjust(width) if at else cell.ljust(width) for at, (cell, width) in enumerate(line))
        + " |"
        for line in ([*zip(row, widths, strict=True)] for row in cells)
    ]
    rule = "|" + "|".join("-" * (width + 1) + ":" if at else ":" + "-" * (width + 1) for at, width in enumerate(widths))
    return "\n".join([lines[0], rule + "|", *lines[1:]])


def _shown(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.1f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
