"""The list of sources stays quick however many there are."""

from __future__ import annotations

from core.storage.generations import begin_generation
from core.storage.sources import sources
from core.storage.store import Store


def test_two_thousand_sources_are_listed_at_once(tmp_path) -> None:
    numbers, parents = range(1, 2001), 5
    with Store.open(tmp_path, write=True) as store:
        generation = begin_generation(store, "seeded-8", 8).number
        with store.transaction() as connection:  # rows as ingest leaves them, without the seconds it takes
            connection.executemany(
                "INSERT INTO version VALUES (?, ?, 'text', 't', NULL, NULL, 'x', 'h', 1, 1, 'p', '{}', '[]', '', NULL)",
                ((number, f"{number:064x}") for number in numbers),
            )
            connection.executemany(
                "INSERT INTO source(kind, name, version, added_at, changed_at) VALUES ('upload', ?, ?, '', '')",
                ((f"{number}.txt", number) for number in numbers),
            )
            connection.executemany(
                "INSERT INTO recipe VALUES (?, ?, 'f', 'l', '{}', 1, 1, '[]', 0, '')",
                ((generation, number) for number in numbers),
            )
            connection.executemany(
                'INSERT INTO chunk(generation, version, chunk_id, level, start, "end", tokens, encoder_tokens,'
                " headings, prefix, reasons) VALUES (?, ?, ?, 1, 0, 1, 1, 0, '[]', '[]', '[]')",
                ((generation, number, f"{number}-{part}") for number in numbers for part in range(parents)),
            )
        found = sources(store)
    assert [row.parents for row in found] == [parents] * len(numbers)
