"""A library of several languages: each document is found in the inflections of its own."""

from __future__ import annotations

import pytest

from core.library import Incoming, Library
from core.settings import PRESETS
from core.storage.catalogue.statistics import languages
from core.storage.store import Store
from tests.fast_encoder import FastEncoder

CONTRACT = (
    "# Vertrag\n\nDer Vertrag wird mit der Unterschrift von beiden Parteien wirksam, und die Laufzeit ist ein Jahr.\n\n"
    "## Kündigungen\n\nSie sind dem Anbieter mit einer Frist von drei Monaten zu schicken, sonst läuft er weiter.\n"
)
GARDEN = (
    "# Garten\n\nDie Beete werden im Frühjahr mit Kompost gedüngt, und die Hecke ist im Herbst zu schneiden.\n\n"
    "## Bäume\n\nSie werden im Winter geschnitten, wenn es nicht mehr friert, und im Sommer gegossen.\n"
)
MANUAL = "# Manual\n\nThe tokens of the service are renewed by the gateway when they have expired.\n"


@pytest.fixture
def library(tmp_path):
    texts = {"contract.md": CONTRACT, "garden.md": GARDEN, "manual.md": MANUAL}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with Library.open(tmp_path / "home", encoder=FastEncoder()) as opened:
        opened.ingest([Incoming(name, tmp_path / name) for name in texts])
        yield opened


@pytest.mark.parametrize("engine", ["fts5", "rank-bm25"])
@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("Wie geht eine Kündigung?", "contract.md"),
        ("Baum", "garden.md"),
        ("expired token", "manual.md"),
    ],
)
def test_words_find_the_document_in_another_inflection(library, engine, question, source):
    settings = PRESETS["words-only"].with_value("retrieval.lexical_engine", engine)
    assert library.search(question, settings).hits[0].source == source


def test_a_library_knows_the_languages_of_its_documents(library, tmp_path):
    with Store.open(tmp_path / "home", write=False) as store:
        assert languages(store) == ("german",)


def test_the_words_of_a_heading_are_found_so_too(library):
    hits = library.search("Kündigung", PRESETS["words-only"]).hits
    assert [hit.headings[-1] for hit in hits] == ["Kündigungen"]
