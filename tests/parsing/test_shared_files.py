"""Laws on real files, where the shared folder is at hand (LECTERN_SHARED); none of them is part of the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.errors import LecternError
from core.parsing import parse
from core.settings import ParsingSettings
from tests.parsing.laws import assert_laws

SHARED = os.environ.get("LECTERN_SHARED", "")
pytestmark = pytest.mark.skipif(not SHARED, reason="LECTERN_SHARED names no folder of real files")


def files(*patterns: str) -> list[Path]:
    root = Path(SHARED)
    return sorted(path for pattern in patterns for path in root.glob(pattern)) if SHARED else []


REAL = files("parser_docs/md/*.md", "parser_docs/pdf/*.pdf", "suites/*/documents/*")


@pytest.mark.parametrize("path", REAL, ids=lambda path: f"{path.parent.parent.name}/{path.name}")
def test_laws_hold_on_real_files(path: Path) -> None:
    data = path.read_bytes()
    document = parse(data, str(path), ParsingSettings())
    assert_laws(document)
    if document.kind != "pdf":
        assert document.text == data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


@pytest.mark.parametrize("path", files("parser_docs/pdf_password/*", "parser_docs/ocr/*"), ids=lambda path: path.name)
def test_files_that_cannot_be_read_say_why(path: Path) -> None:
    with pytest.raises(LecternError, match=r"encrypted|no text layer"):
        parse(path.read_bytes(), path.name, ParsingSettings())


def test_two_columns_of_a_real_page_are_read_in_order() -> None:
    document = parse(
        (Path(SHARED) / "parser_docs/pdf/amt_handbook_sample.pdf").read_bytes(), "a.pdf", ParsingSettings()
    )
    places = [
        document.text.index(words) for words in ("pulleys, provided", "Boots Self-Locking Nut", "the most common")
    ]
    assert places == sorted(places)
