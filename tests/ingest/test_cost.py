"""What an ingest is said to cost, beside what it comes to."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.ingest.cost import cost_of, sentence
from core.ingest.pace import Pace
from core.ingest.prepared import Incoming
from core.library import Library

WORDS = "The herons of the northern pond were counted again in the spring of that year. "


def notes(folder: Path, first: int, count: int) -> list[Incoming]:
    found = []
    for number in range(first, first + count):
        path = folder / f"note-{number}.md"
        path.write_text(f"# Note {number}\n\n" + "\n\n".join(f"In {number} {year}: {WORDS * 5}" for year in range(20)))
        found.append(Incoming(path.name, path))
    return found


def sizes(incoming: list[Incoming]) -> list[tuple[str, int]]:
    return [("markdown", item.path.stat().st_size) for item in incoming if item.path]


def test_a_cost_is_near_what_the_ingest_comes_to(library: Library, tmp_path: Path) -> None:
    arriving = notes(tmp_path, 0, 6)
    before = library.cost(sizes(arriving))
    assert (before.files, before.measured, before.seconds) == (6, 0, None)
    assert "not yet known" in sentence(before)
    library.ingest(arriving)
    held = library.stats().chunks
    assert held / 2 <= before.chunks <= held * 2
    more = notes(tmp_path, 6, 12)
    library.set_preference("seconds_a_document", "10")
    now = library.cost(sizes(more))
    assert now.seconds
    assert 115 < now.seconds < 125
    assert (now.measured, now.basis) == (12, "reckoned by this library's own documents")
    assert "about 2 minutes at this machine's pace" in sentence(now)
    library.ingest(more)
    assert abs(library.stats().chunks - held - now.chunks) <= now.chunks // 10


def test_nothing_costs_nothing_and_no_library_is_needed() -> None:
    nothing = cost_of(None, [])
    assert (nothing.files, nothing.chunks, nothing.index_bytes, nothing.seconds) == (0, 0, 0, None)
    assert cost_of(None, [("image", 10), ("image", 10)]).pages == 2


def test_what_is_left_of_a_batch_is_reckoned_by_its_size_not_by_its_count(library: Library) -> None:
    letters, book = [("markdown", 700)] * 20, ("markdown", 170_000)
    *small, large = library.cutting.loads([*letters, book])
    assert sum(small) + large == pytest.approx(21)
    pace = Pace([*small, large], earlier=1.0)
    for index in range(20):
        pace.end_one(index)
    assert pace.seconds_left is not None
    assert pace.seconds_left > 1.0 * 2, "the book is most of the work, though 20 of 21 are read"
