"""Genres: three short documents each, the samples, and files one would not want to be classified."""

from __future__ import annotations

import pytest

from core.enriching import GENRES, genre
from core.parsing import parse
from core.settings import ParsingSettings
from core.types import Document
from tests.enriching.genre_documents import DOCUMENTS


def read(text: str, name: str) -> Document:
    return parse(text.encode(), name, ParsingSettings())


@pytest.mark.parametrize(("wanted", "name", "text"), DOCUMENTS, ids=[f"{kind}-{name}" for kind, name, _ in DOCUMENTS])
def test_a_document_of_each_genre_is_known_and_the_evidence_is_in_it(wanted: str, name: str, text: str) -> None:
    document = read(text, name)
    found = genre(document)
    assert found.name == wanted, found.points
    assert bool(found.evidence) == (wanted != "other")
    assert genre(document) == found


def test_every_genre_has_three_documents_of_its_own() -> None:
    counts = {name: sum(kind == name for kind, _, _ in DOCUMENTS) for name in GENRES}
    assert set(counts.values()) == {3}


def test_evidence_quotes_the_document() -> None:
    document = read(next(text for _, name, text in DOCUMENTS if name == "printer.md"), "printer.md")
    evidence = " ".join(genre(document).evidence)
    for quoted in evidence.split("“")[1:]:
        assert quoted.partition("”")[0].lower() in " ".join(document.text.lower().split())


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("api.md", "API"),
        ("handbook.md", "guide"),
        ("field-manual.epub", "guide"),
        ("security-policy.docx", "policy"),
        ("troubleshooting.txt", "troubleshooting"),
        ("key_loader.py", "code"),
        ("quarterly-report.pdf", "other"),
        ("device-register.csv", "other"),
        ("capacity-plan.xlsx", "other"),
        ("outage-thread.eml", "other"),
    ],
)
def test_the_samples(samples, name: str, wanted: str) -> None:
    document = parse((samples / "documents" / name).read_bytes(), name, ParsingSettings())
    assert genre(document).name == wanted


def test_a_word_said_often_does_not_decide() -> None:
    text = "# Reading\n\n" + "The committee spoke of liability. " * 40
    assert genre(read(text, "reading.md")).name == "other"


def test_an_empty_title_and_no_words_are_other() -> None:
    assert genre(Document("v", "text", " ", "")).name == "other"


def test_real_files(shared) -> None:
    for name, wanted in (("html/wiki_duck.html", "other"), ("epub/epub_purvis_poetry.epub", "other")):
        place = shared / "parser_docs" / name
        assert genre(parse(place.read_bytes(), place.name, ParsingSettings())).name == wanted
