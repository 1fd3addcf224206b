"""What the pages keep of a document stays while it is read so, and goes when the same file is read in another way."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.library import Incoming, Library
from core.storage.catalogue.texts import documents
from pages.ui.chunks import cuts
from pages.ui.reader import readings
from pages.ui.shared import services


def test_a_file_that_is_read_in_another_way_is_shown_so(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "library", lambda: library)
    file = tmp_path / "pump.md"
    file.write_text("# Pump\n\nIt runs at noon.\n", encoding="utf-8")
    version = library.ingest([Incoming("pump.md", path=file)]).documents[0].version_id
    settings = library.settings.chunking
    document, text = readings.document(version), readings.text(version)
    cutter, key = cuts.cutter_of(version), cuts.cut_key(version, settings, ())
    library.ingest([Incoming("again.md", path=file)])  # a document more, and the same reading
    assert readings.document(version) is document
    assert cuts.cutter_of(version) is cutter
    anew = replace(document, text=document.text.upper())
    documents.put_document(library._store, anew, size_bytes=24, parser="another-1")
    assert "RUNS AT NOON" in readings.document(version).text
    assert readings.text(version).payload != text.payload
    assert cuts.cutter_of(version) is not cutter
    assert cuts.cut_key(version, settings, ()) != key
