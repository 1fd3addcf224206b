"""Genres: two short documents each, the samples, and files one would not want to be classified."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.enriching.genre import genre
from core.parsing import parse
from core.settings import GENRES, ParsingSettings
from core.types import Document

# Short documents written for this test, in a folder for each genre.
DOCUMENTS = sorted(path for path in (Path(__file__).parent / "genres").glob("*/*") if path.is_file())


def read(text: str, name: str) -> Document:
    return parse(text.encode(), name, ParsingSettings())


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_document_of_each_genre_is_known(path: Path) -> None:
    assert genre(parse(path.read_bytes(), path.name, ParsingSettings())) == path.parent.name


def test_every_genre_has_two_documents_of_its_own() -> None:
    assert sorted(path.parent.name for path in DOCUMENTS) == sorted([*GENRES, *GENRES])


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("api.md", "API"),
        ("handbook.md", "guide"),
        ("field-manual.epub", "guide"),
        ("security-policy.docx", "policy"),
        ("troubleshooting.txt", "troubleshooting"),
        ("key_loader.py", "code"),
        ("quarterly-report.pdf", "report"),
        ("device-register.csv", "data"),
        ("capacity-plan.xlsx", "data"),
        ("outage-thread.eml", "correspondence"),
    ],
)
def test_the_samples(samples, name: str, wanted: str) -> None:
    document = parse((samples / "documents" / name).read_bytes(), name, ParsingSettings())
    assert genre(document) == wanted


def test_a_word_said_often_does_not_decide() -> None:
    text = "# Reading\n\n" + "The committee spoke of liability. " * 40
    assert genre(read(text, "reading.md")) == "other"


@pytest.mark.parametrize(
    "stamp",
    ["2026-11-21 18:10:07", "26/11/21 18:10:07", "11-21 18:10:07", "20261121-18:10:07:606", "a.log.1 2026-11-21 18:10"],
)
def test_lines_that_begin_with_a_time_are_a_log_whatever_they_ask_for(stamp: str) -> None:
    text = "".join(
        f'{stamp} INFO "GET /v2/servers/{at}/detail HTTP/1.1" status: 200 JSON endpoint\n' for at in range(9)
    )
    assert genre(read(text, "server.log")) == "log"


def test_an_empty_title_and_no_words_are_other() -> None:
    assert genre(Document("v", "text", " ", "")) == "other"


def test_real_files(shared) -> None:
    for name, wanted in (("html/wiki_duck.html", "other"), ("epub/epub_purvis_poetry.epub", "other")):
        place = shared / "parser_docs" / name
        assert genre(parse(place.read_bytes(), place.name, ParsingSettings())) == wanted
