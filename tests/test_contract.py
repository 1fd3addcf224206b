"""The JSON of chunks, hits and tables: what was found out about them, and the typed cells, under keys of their own."""

from __future__ import annotations

import json

from core.chunking import chunk
from core.chunking.auditing import audit
from core.cli import contract
from core.enriching import enrich
from core.library import Incoming, Library
from core.parsing import parse
from core.settings import ChunkingSettings, ParsingSettings, Settings
from core.text.tokens import CharacterCounter
from tests.fast_encoder import FastEncoder

MINUTES = b"""# Minutes of 3 May

Attendees: Ada Lovelace, Ben Ali. Call getUserName() first, or write to ada@example.org.

| Plan | Price | Open |
|---|---|---|
| Small | 12.5 | yes |
| Large |  | no |
"""


def told_of(data):
    document = parse(data, "minutes.md", ParsingSettings())
    tree = chunk(document, ChunkingSettings(), CharacterCounter())
    told = contract.chunking("minutes.md", tree, audit(tree), enrich(tree))
    return json.loads(json.dumps(told))


def test_chunks_tell_what_was_found_out_about_them():
    told = told_of(MINUTES)
    features = [one["features"] for one in told["chunks"]]
    assert all(set(one) == {"genre", "section_type", "keywords", "entities"} for one in features)
    assert {one["genre"] for one in features} == {"meeting"}
    assert any("getUserName()" in one["entities"]["symbols"] for one in features)
    assert any(one["entities"]["emails"] == ["ada@example.org"] for one in features)


def test_tables_have_their_typed_cells_and_other_blocks_none():
    told = told_of(MINUTES)
    assert all(("cells" in block) == (block["kind"] == "table") for block in told["blocks"])
    (table,) = [block for block in told["blocks"] if block["kind"] == "table"]
    rows = {(cell["row"], cell["column"]): cell for cell in table["cells"]}
    assert [rows[0, column]["header"] for column in range(3)] == [True, True, True]
    small, large = sorted({row for row, _ in rows} - {0})
    assert rows[small, 1]["value"] == 12.5
    assert rows[large, 1]["value"] is None
    for cell in table["cells"]:
        assert table["start"] <= cell["start"] <= cell["end"] <= table["end"]
        assert cell["value"] is None or told["text"][cell["start"] : cell["end"]].strip()


def test_hits_tell_what_was_found_out_about_their_chunks(tmp_path):
    with Library.open(tmp_path, encoder=FastEncoder()) as library:
        library.ingest([Incoming("minutes.md", content_hash=library.stage(MINUTES))])
        result = library.search("Who attended?", Settings())
        known = library.features(result.hits[0].version_id)
        told = contract.answer(result, known)
        assert [hit["features"]["genre"] for hit in told["hits"]] == ["meeting"] * len(result.hits)
        assert told["hits"][0]["features"]["keywords"] == list(known[result.hits[0].chunk_id].keywords)
        assert contract.answer(result, {})["hits"][0]["features"] is None
