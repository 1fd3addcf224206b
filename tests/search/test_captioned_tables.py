"""The later rows of a long table are found by the words of its caption, which stand in the first leaf alone."""

from __future__ import annotations

import pytest

from core.library import Incoming, Library
from core.settings import Settings
from tests.fast_encoder import FastEncoder

CAPTIONS = ("Table 1: Heights of the tides.", "Table 2: Salt in the water.", "Table 3: Cranes on the quay.")


def table(caption: str, number: int) -> str:
    rows = "\n".join(f"| Gauge {row} | {row * 7 % (11 + number)} |" for row in range(80))
    return f"{caption}\n\n| Gauge | Value |\n|---|---|\n{rows}\n\nAs it was seen.\n"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("tables")
    text = "# Harbours\n\n" + "\n".join(table(caption, number) for number, caption in enumerate(CAPTIONS))
    (home / "tables.md").write_text(text)
    with Library.open(home / "library", encoder=FastEncoder()) as library:
        assert not library.ingest([Incoming("tables.md", home / "tables.md")]).failures
    return home


def by_words(engine: str) -> Settings:
    alone = {"dense_weight": 0, "coverage_weight": 0, "neighbour_share": 0, "parent_share": 0, "document_share": 0}
    chosen = {**alone, "lexical_engine": engine, "k": 1000}
    return Settings().with_values({f"retrieval.{name}": value for name, value in chosen.items()})


@pytest.mark.parametrize("engine", ["fts5", "rank-bm25"])
def test_a_row_is_found_in_the_table_that_is_asked_for(home, engine) -> None:
    text = (home / "tables.md").read_text()

    def answered(caption: str) -> bool:
        """Whether the leaf that is found first holds the row, of the table with this caption and not beside it."""
        start = text.index(caption)
        best = library.search(f"{caption[9:]} Gauge 63?", by_words(engine)).hits[0]
        found = text[best.start : best.end]
        return best.start > start + len(caption) and best.end < text.index("As it", start) and "| Gauge 63 |" in found

    with Library.open(home / "library", encoder=FastEncoder(), write=False) as library:
        assert all(answered(caption) for caption in CAPTIONS)
