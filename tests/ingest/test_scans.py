"""Scans and pictures in a library: found by a question, cited on their page, told of where they are there in part."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.cli.main import main
from core.library import Incoming, Library
from core.parsing.ocr import pages as ocr_pages
from core.text.places import boxes_of
from core.types import Span
from tests.parsing.scanned import encoded, scanned, slip

PROSE = "The first page of this report is printed as text, and it speaks of the harbour master and his keys. " * 4


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "papers"
    place.mkdir()
    (place / "letter.png").write_bytes(encoded(slip()))
    (place / "report.pdf").write_bytes(scanned(PROSE, slip(), stamp="Scanned with CamScanner"))
    return place


def test_a_picture_is_found_by_a_question_and_cited_on_its_page(library: Library, folder: Path) -> None:
    report = library.ingest([Incoming("letter.png", folder / "letter.png")])
    assert report.failures == ()
    assert report.documents[0].kind == "image"
    assert report.documents[0].read is not None
    assert report.documents[0].read.ocr == (1,)
    result = library.search("Who mended the pump in the north cellar?")
    hit = result.hits[0]
    assert "on Tuesday" in hit.text
    assert hit.page == 1
    document = library.document(hit.version_id)
    assert document.pages[0].reading == "ocr"
    assert (document.pages[0].confidence or 0) > 0.8
    place = document.text.index("Tuesday")
    assert boxes_of(document, Span(place, place + 7))
    (row,) = library.sources()
    assert row.read is not None
    assert row.read.whole
    assert library.verify() == []


def test_a_document_read_in_part_is_never_shown_as_whole(library: Library, folder: Path) -> None:
    off = replace(library.settings, parsing=replace(library.settings.parsing, scans="off"))
    item = Incoming("report.pdf", folder / "report.pdf")
    first = library.ingest([item], settings=off)
    (row,) = library.sources()
    assert row.read is not None
    assert (row.read.whole, row.read.unread, row.read.text) == (False, (2,), 1)
    assert first.documents[0].read == row.read
    library.ingest([item], settings=replace(off, parsing=replace(off.parsing, scans="packaged")))
    (row,) = library.sources()
    assert row.read is not None
    assert (row.read.whole, row.read.ocr) == (True, (2,)), "another way of reading reads it again"


@pytest.mark.long
def test_pages_that_were_given_up_get_another_chance(
    library: Library, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = Incoming("report.pdf", folder / "report.pdf")
    with monkeypatch.context() as busy:
        busy.setattr(ocr_pages, "PAGE_SECONDS", 0.0)
        first = library.ingest([item])
    assert first.documents[0].read is not None
    assert first.documents[0].read.unread == (2,)
    second = library.ingest([item])
    assert second.documents[0].read is not None
    assert second.documents[0].read.ocr == (2,)
    assert "on Tuesday" in library.document(second.documents[0].version_id).text
    assert library.ingest([item]).documents[0].reused, "what is whole is not read again"


def test_the_commands_say_how_pages_were_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chunk", str(folder / "report.pdf"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [page["reading"] for page in told["pages"]] == ["text", "ocr"]
    assert told["read"]["text"] == 1
    assert told["read"]["ocr"] == [2]
    assert told["read"]["whole"] is True
    assert 0.8 < told["read"]["confidence"] <= 1
