"""What kinds of documents are called on the pages."""

from __future__ import annotations

from core.parsing import PARSERS
from pages.ui.shared.words import KIND_WORDS


def test_every_kind_of_document_that_is_read_has_a_name_for_people() -> None:
    assert set(PARSERS) <= set(KIND_WORDS)
    assert all(name[0].isupper() or name[0].isdigit() for name in KIND_WORDS.values() if name != "reStructuredText")
