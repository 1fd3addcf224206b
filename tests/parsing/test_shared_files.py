"""Laws on real files, where the shared folder is at hand (LECTERN_SHARED); none of them is part of the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.readers import EXPECTED, means, measure
from core.errors import LecternError
from core.parsing import parse
from core.settings import ParsingSettings
from tests.parsing.laws import assert_laws

SHARED = os.environ.get("LECTERN_SHARED", "")
pytestmark = pytest.mark.skipif(not SHARED, reason="LECTERN_SHARED names no folder of real files")


def files(*patterns: str) -> list[Path]:
    root = Path(SHARED)
    return sorted(path for pattern in patterns for path in root.glob(pattern)) if SHARED else []


OWN_TEXT = {"markdown", "text", "code"}
UNREAD = {"ocr", "pdf_password"}  # folders of files that need a person's help first
SUITES = files("suites/*/documents/*")
FORMATS = [
    path
    for path in files("parser_docs/*/*")
    if path.parent.name not in UNREAD and not path.name.endswith(".expected.md")
]


@pytest.mark.parametrize("path", SUITES, ids=lambda path: f"{path.parent.parent.name}/{path.name}")
def test_laws_hold_on_the_suites(path: Path) -> None:
    data = path.read_bytes()
    document = parse(data, str(path), ParsingSettings())
    assert_laws(document)
    assert document.kind in OWN_TEXT
    assert document.text == data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


@pytest.mark.parametrize("path", FORMATS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_laws_hold_on_every_format_and_no_word_is_missing(path: Path) -> None:
    document = parse(path.read_bytes(), path.name, ParsingSettings())
    assert_laws(document)
    assert document.words, "no second reading"
    if document.kind != "pdf":  # two engines seldom agree on every ligature of a PDF
        assert document.words.missing == 0, document.words.examples


def test_word_documents_are_read_word_for_word_and_cell_by_cell() -> None:
    read = [
        measure(
            parse(path.read_bytes(), path.name, ParsingSettings()),
            path.name,
            path.with_name(path.name + EXPECTED).read_text("utf-8"),
        )
        for path in files("parser_docs/docx/*.docx")
    ]
    assert {file.name: file.word_share for file in read if (file.word_share or 0) < 0.97} == {}
    mean = means(read)["docx"]
    assert (mean["word_share"] or 0) >= 0.99
    assert (mean["cell_share"] or 0) >= 0.95


@pytest.mark.parametrize("path", files("parser_docs/pdf_password/*"), ids=lambda path: path.name)
def test_files_that_cannot_be_read_say_why(path: Path) -> None:
    with pytest.raises(LecternError, match="encrypted"):
        parse(path.read_bytes(), path.name, ParsingSettings())


@pytest.mark.long
@pytest.mark.parametrize("path", files("parser_docs/ocr/*.pdf"), ids=lambda path: path.name)
def test_scans_are_read_by_ocr(path: Path) -> None:
    document = parse(path.read_bytes(), path.name, ParsingSettings())
    assert {page.reading for page in document.pages} == {"ocr"}
    assert len(document.text.split()) >= 5


def test_two_columns_of_a_real_page_are_read_in_order() -> None:
    document = parse(
        (Path(SHARED) / "parser_docs/pdf/amt_handbook_sample.pdf").read_bytes(), "a.pdf", ParsingSettings()
    )
    places = [
        document.text.index(words) for words in ("pulleys, provided", "Boots Self-Locking Nut", "the most common")
    ]
    assert places == sorted(places)
