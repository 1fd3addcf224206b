"""The laws on real files and on texts made to break chunkers."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

import pytest

from core.chunking import chunk, recipe_fingerprint
from core.chunking.auditing import BESIDE_ARTICLE, audit
from core.chunking.chunkers import CHUNKERS
from core.embedding.tokenizer import packaged_counter
from core.parsing import parse
from core.settings import ChunkingSettings, ParsingSettings
from core.text.tokens import WEIGHT_IN_RUN
from core.types import Document
from tests.chunking import checker, resources

SHARED = os.environ.get("LECTERN_SHARED", "")
SUFFIXES = {".md", ".txt", ".py", ".go", ".rs", ".cpp", ".pdf"}
UNREADABLE = {"ocr", "pdf_password"}  # pictures of text, and a file that asks for its password
FILES = (
    sorted(path for path in Path(SHARED).rglob("*") if path.suffix in SUFFIXES and path.parent.name not in UNREADABLE)
    if SHARED
    else []
)
SAMPLES = sorted((Path(__file__).parents[2] / "data" / "samples" / "documents").iterdir())
FOUNDATIONS = ("structure", "recursive", "fixed")
# The three that all others are built on get every file, each of the others every twelfth, another one each.
REAL = [
    (path, name)
    for place, name in enumerate(CHUNKERS)
    for path in (FILES if name in FOUNDATIONS else FILES[place % 12 :: 12])
]
MILLION = 10**6
SOME = 2_520  # a multiple of the lengths of flags, marks and families: no character is cut in two
NASTY = {
    "one word": "x" * MILLION,
    "one line of words": "word " * (MILLION // 5),
    "no spaces, CJK": "漢字仮名。" * (MILLION // 25),
    "Thai": "สวัสดีครับ" * (MILLION // 50),
    "dropped by the tokenizer": "\ufffd" * (MILLION // 5),
    "crumbs": "a\n\n" * (MILLION // 15),
    "marks": "e\u0301\u0302" * (MILLION // 15),
    "families": "👩‍👩‍👧‍👦" * (MILLION // 35),
    "flags": "🇩🇪" * (MILLION // 10),
    "right to left": "שלום עולם. " * (MILLION // 50),
    "line separators": "one two three\u2028" * (MILLION // 70),
    "control characters": "a\x00b\x1fc\x85" * (MILLION // 35),
    "tabs": "a\tb\tc\n" * (MILLION // 35),
    "dashes": "-" * (MILLION // 5),
    "stops": ". " * (MILLION // 20),
}


@pytest.mark.parametrize("name", list(CHUNKERS))
def test_nasty_texts(name):
    for case, text in NASTY.items():
        check_nasty(name, case, text[:SOME])


@pytest.mark.parametrize(
    ("name", "case"), [("structure", "one word"), ("recursive", "crumbs"), ("fixed", "one line of words")]
)
def test_nasty_texts_fifty_times_as_long(name, case):
    check_nasty(name, case, NASTY[case][: 50 * SOME])


@pytest.mark.long
@pytest.mark.parametrize("name", list(CHUNKERS))
@pytest.mark.parametrize("case", list(NASTY))
def test_nasty_texts_of_a_million_characters(name, case):
    whole = name in FOUNDATIONS or case == "one line of words"
    check_nasty(name, case, NASTY[case] if whole else NASTY[case][: 50 * SOME])


def check_nasty(name, case, text):
    document = Document("v", "text", "Nasty", text)
    settings = ChunkingSettings(chunker=name)
    tree = chunk(document, settings, packaged_counter(), resources=resources.every_resource())
    checker.check_tree(tree, settings, packaged_counter())
    resources.check_own_way(name, tree)
    most = 1000 if case != "dashes" else 110 * WEIGHT_IN_RUN
    assert all(len(leaf.text) <= most for leaf in tree.leaves), f"{case}: swallowed what the tokenizer cannot see"
    if case == "families":
        assert all(leaf.text.startswith("👩‍👩") and leaf.text.endswith("👦") for leaf in tree.leaves)
    if case == "flags":
        assert all(len(leaf.text) % 2 == 0 for leaf in tree.leaves)
    if case == "marks":
        assert all(leaf.text.startswith("e") for leaf in tree.leaves)


@pytest.mark.parametrize("name", list(CHUNKERS))
def test_nothing_gives_no_chunks_and_the_audit_names_what_is_not_chunked(name):
    for text in ("", " \n\t\u2028 "):
        tree = chunk(Document("v", "text", "Empty", text), ChunkingSettings(chunker=name), packaged_counter())
        assert tree.chunks == ()
        assert audit(tree).characters == 0
    document = parse(b"---\ntitle: T\n---\n\n# T\n\nText.\n", "a.md", ParsingSettings())
    report = audit(chunk(document, ChunkingSettings(chunker=name), packaged_counter()))
    assert [gap.reason for gap in report.gaps] == ["front matter, kept as metadata"]
    assert report.covered == len("#TText.")


def test_ids_depend_on_everything_that_decides_them():
    document = Document("v", "text", "T", "Some text. " * 50)
    settings = ChunkingSettings()
    counter = packaged_counter()
    one = chunk(document, settings, counter, "p1")
    assert [a.chunk_id for a in one.chunks] == [a.chunk_id for a in chunk(document, settings, counter, "p1").chunks]
    assert not {a.chunk_id for a in one.chunks} & {a.chunk_id for a in chunk(document, settings, counter, "p2").chunks}
    fingerprints = {
        recipe_fingerprint("p", settings, "c"),
        recipe_fingerprint("q", settings, "c"),
        recipe_fingerprint("p", settings, "d"),
        recipe_fingerprint("p", ChunkingSettings(chunker="fixed"), "c"),
    }
    assert len(fingerprints) == 4


@lru_cache(maxsize=2000)
def read(path: Path) -> Document:
    return parse(path.read_bytes(), path.name, ParsingSettings())


@pytest.mark.parametrize("name", list(CHUNKERS))
def test_samples(name):
    """Eleven formats: prose, tables, slides, code, mail and a transcript."""
    place = list(CHUNKERS).index(name)
    for path in SAMPLES if name in FOUNDATIONS else SAMPLES[place % 3 :: 3]:
        document = read(path)
        settings = ChunkingSettings(chunker=name, max_tokens=60, levels=3)
        tree = chunk(document, settings, packaged_counter(), resources=resources.every_resource())
        checker.check_tree(tree, settings, packaged_counter())
        resources.check_own_way(name, tree)
        set_aside = {gap.reason for gap in audit(tree).gaps}
        assert set_aside <= {"front matter, kept as metadata", "running header or footer", BESIDE_ARTICLE}, path.name


@pytest.mark.long
@pytest.mark.skipif(not FILES, reason="LECTERN_SHARED is not set")
@pytest.mark.parametrize(
    ("path", "name"), REAL, ids=[f"{path.relative_to(SHARED)}-{name}" for path, name in REAL] or None
)
def test_real_files(path, name):
    document = read(path)
    settings = ChunkingSettings(chunker=name, overlap_tokens=20 if "covidqa" in str(path) else 0)
    tree = chunk(document, settings, packaged_counter(), resources=resources.every_resource())
    checker.check_tree(tree, settings, packaged_counter())
    resources.check_own_way(name, tree)
