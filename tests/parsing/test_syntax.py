"""Syntax read in the worker: the same values as in this process, and a hostile text that costs nobody but itself."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from core.chunking import chunk
from core.chunking.plan import ChunkerResources
from core.embedding.tokenizer import packaged_counter
from core.parsing import parse
from core.parsing.sandbox import syntax
from core.parsing.sandbox.sandbox import WorkerPool
from core.parsing.sandbox.syntax import SandboxedSyntax, read_syntax
from core.settings import ChunkingSettings, ParsingSettings
from core.syntax import Syntax, Unread
from core.syntax import read_syntax as read_here

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = ParsingSettings()
STRICT = ParsingSettings(timeout_seconds=1, memory_megabytes=256)
CODE = ChunkingSettings(chunker="code", max_tokens=60)
COUNTER = packaged_counter()
HONEST = "import os\n\n\ndef f(x):\n    '''Ends é.'''\n    return os.path(x)\n"


@pytest.fixture(scope="module", autouse=True)
def _close_pool() -> Iterator[None]:
    yield
    syntax.pool().close()


@pytest.fixture(scope="module")
def halting_pool() -> Iterator[WorkerPool]:
    """A worker that HANG, FILL and FALL do to what they say."""
    pool = WorkerPool("tests.parsing.halting_syntax_worker")
    yield pool
    pool.close()


@pytest.fixture
def halting(halting_pool: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> WorkerPool:
    monkeypatch.setattr(syntax, "pool", lambda: halting_pool)
    return halting_pool


def reasons(text: str, name: str, parsing: ParsingSettings = STRICT) -> set[str]:
    document = parse(text.encode(), name, parsing)
    tree = chunk(document, CODE, COUNTER, resources=ChunkerResources(syntax=SandboxedSyntax(parsing)))
    return {reason for leaf in tree.leaves for reason in leaf.reasons[2:]}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (HONEST, "python"),
        ((ROOT / "core" / "ingest" / "preparing.py").read_text(encoding="utf-8"), "py"),
        ("package a;\n\npublic class D {\n  // é👩‍🚀\n  int e() { return 1; }\n}\n", "go"),
        ("x = '\ud800\0'\n\n\ndef g(): pass\n", "python"),
    ],
)
def test_the_worker_reads_what_this_process_reads(text: str, language: str) -> None:
    found, here = read_syntax(text, language, SETTINGS), read_here(text, language)
    assert found is not None
    assert here is not None
    assert found.units == here.units
    assert found.to_plain() == here.to_plain() == Syntax.from_plain(here.to_plain()).to_plain()


def test_what_no_grammar_reads_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "pool", partial(pytest.fail, "asked"))
    sources = [("x", "cobol"), (" \n", "python"), ("x = 1\n" * 700_000, "python")]
    assert SandboxedSyntax(SETTINGS)(sources) == [Unread.FOREIGN, Unread.FOREIGN, Unread.COSTLY]


def test_a_text_the_parser_drowns_in_is_stopped_by_the_clock_or_by_its_steps() -> None:
    assert SandboxedSyntax(STRICT)([("a=|" * 2_700, "javascript")]) == [Unread.COSTLY]
    assert read_syntax(HONEST, "python", STRICT) is not None


@pytest.mark.parametrize("deed", ["HANG", "FILL", "FALL", "RAVE"])
def test_a_hostile_text_costs_only_itself(halting: WorkerPool, deed: str) -> None:
    sources = [(HONEST, "python"), (f"# {deed}\n{HONEST}", "python"), (HONEST + "y = 2\n", "python")]
    first, hostile, last = SandboxedSyntax(STRICT)(sources)
    assert hostile == Unread.COSTLY
    assert isinstance(first, Syntax)
    assert isinstance(last, Syntax)
    assert SandboxedSyntax(STRICT)([sources[0]])[0].units == first.units


def test_after_four_texts_that_end_the_worker_the_rest_is_not_tried(halting: WorkerPool) -> None:
    sources = [*((f"# FALL {number}\n", "python") for number in range(4)), (HONEST, "python")]
    assert SandboxedSyntax(STRICT)(sources) == [Unread.COSTLY] * 5
    assert isinstance(SandboxedSyntax(STRICT)(sources[-1:])[0], Syntax)


def test_a_document_that_is_too_much_is_cut_by_structure_and_the_next_is_read(halting: WorkerPool) -> None:
    said = "instead: structure; the syntax of this text could not be read in time"
    assert reasons(f"# FILL\n{HONEST}", "a.py") == {said}
    assert reasons(HONEST, "b.py") == set()


def test_a_block_that_is_too_much_is_named_beside_those_that_are_read(halting: WorkerPool) -> None:
    fenced = f"# T\n\n```python\n{HONEST}```\n\nWords.\n\n```python\n# FALL\n```\n\nWords.\n\n```python\nx = 1\n```\n"
    said = "instead: structure; the syntax of a block of code could not be read in time"
    assert reasons(fenced, "a.md") == {said}
