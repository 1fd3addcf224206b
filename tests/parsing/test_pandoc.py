"""reStructuredText and Org, which pandoc reads."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from core.errors import CancelledError, ParseError, WorkerError
from core.parsing import parse
from core.parsing.external_programs import run
from core.parsing.pandoc.program import convert
from core.parsing.plain.plain_markup import to_page
from core.settings import ParsingSettings
from core.types import BlockKind, Document
from tests.parsing.laws import assert_laws

DOCUMENTS = Path(__file__).parent / "documents"
RST = (DOCUMENTS / "ducks.rst").read_text(encoding="utf-8")
RST_TEXT = (DOCUMENTS / "ducks.rst.txt").read_text(encoding="utf-8")

ORG = (DOCUMENTS / "ducks.org").read_text(encoding="utf-8")
ORG_TEXT = (
    (
        "Keeping ducks|Jane Smith|TODO [#A] Buy feed [1/2] home|SCHEDULED: <2026-03-01 Sun>|Effort: 2h|"
        "Oats[1], not bread; see the list.|[1] Rolled ones.|- ☒ oats|1. first|Duck ¦ kg\nTeal ¦ 0.3|x = 1|Four"
    )
    .replace("|", "\n\n")
    .replace("¦", "|")
)


def document(text: str, name: str) -> Document:
    found = parse(text.encode(), name, ParsingSettings())
    assert_laws(found)
    return found


def test_restructured_text() -> None:
    found = document(RST, "ducks.rst")
    assert found.text == RST_TEXT
    assert (found.kind, found.title) == ("rst", "Keeping ducks")
    assert found.title_span
    assert found.metadata == {"author": "Jane Smith"}
    assert [(block.level, found.text[block.start : block.end]) for block in found.blocks if block.level] == [
        (1, "Keeping ducks"),
        (2, "Feed"),
        (3, "Sleep"),
    ]
    assert [block.language for block in found.blocks if block.kind is BlockKind.CODE] == ["python", ""]
    assert [(found.text[link.start : link.end], link.target) for link in found.links] == [
        *(("[1]", "#fn1"), ("the pond", "pond.html"))
    ]
    table = next(block for block in found.blocks if block.kind is BlockKind.TABLE)
    assert [cell.value for cell in table.cells] == ["Duck", "kg", "Teal", 0.3, "Eider", 2.1]
    assert table.header


def test_no_file_is_included_and_that_is_said() -> None:
    found = document(RST, "ducks.rst")
    assert Path("/etc/hostname").read_text().strip() not in found.text
    assert found.notes == ("Other files that it includes were not read: /etc/hostname.",)
    found = document('* Head\n#+INCLUDE: "/etc/hostname" src\n', "ducks.org")
    assert (found.text, found.notes) == ("Head", ("Other files that it includes were not read: /etc/hostname.",))


def test_org() -> None:
    found = document(ORG, "ducks.org")
    assert found.text == ORG_TEXT
    assert (found.kind, found.title, found.metadata["author"]) == ("org", "Keeping ducks", "Jane Smith")
    assert [block.level for block in found.blocks if block.level] == [1, 2, 3]


def test_org_notes_are_read_whole() -> None:
    notes = (
        "* Ducks\nSave to C:\\ or \\\n* TODO COMMENT Draft\nOne.\n* Secret :noexport:\n"
        "#+BEGIN_SRC sh\nls \\\n  -l\n#+END_SRC"
    )
    found = document(notes, "a.org")
    assert found.text == ("Ducks\n\nSave to C:\\ or \\\n\nTODO Comment Draft\n\nOne.\n\nSecret noexport\n\nls \\\n  -l")
    assert found.words is not None
    assert found.words.missing == 0


def test_merged_cells_are_repeated() -> None:
    grid = """\
+-----+-----+
| A   | B   |
+=====+=====+
| both      |
+-----+-----+
| 1   | 2   |
|     +-----+
|     | 3   |
+-----+-----+
"""
    assert document(grid, "a.rst").text == "A | B\nboth |\n1 | 2\n1 | 3"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("* " * 400 + "x", "a.rst"),
        ("".join(f"{' ' * depth}- x\n" for depth in range(150)), "a.org"),
        ("".join("   " * depth + "x\n\n" for depth in range(150)), "a.rst"),
    ],
    ids=["bullets", "items", "quotes"],
)
def test_deep_nesting_is_read_or_refused_with_a_sentence(text: str, name: str) -> None:
    try:
        found = document(text, name).text
    except ParseError as error:
        found = str(error)
    assert "x" in found or found.startswith(name)


def test_cancelling_ends_pandoc() -> None:
    started = time.monotonic()
    before = children()
    processes: set[int] = set()

    def tick() -> None:
        processes.update(children() - before)
        if time.monotonic() - started > 0.5:
            raise CancelledError("Stopped.")

    with pytest.raises(CancelledError):
        to_page(slow(), "rst", ParsingSettings(), tick, "slow.rst")
    assert processes
    assert not processes & children()


def test_time_and_memory_have_limits() -> None:
    with pytest.raises(WorkerError, match=r"slow\.rst could not be read: .* within 1 seconds"):
        to_page(slow(), "rst", ParsingSettings(timeout_seconds=1), lambda: None, "slow.rst")
    with pytest.raises(MemoryError):
        convert(b"*x* " * 50_000, "rst", "html", memory_megabytes=24, timeout_seconds=60)


def slow() -> str:
    """Text that keeps pandoc busy for long."""
    return "*a **b " * 400_000


def children() -> set[int]:
    """Processes that this one started, and has not buried."""
    found = Path(f"/proc/{os.getpid()}/task")
    if not found.exists():
        pytest.skip("needs /proc")
    return {int(child) for task in found.iterdir() for child in (task / "children").read_text().split()}


@pytest.mark.parametrize(
    "head", ["=====\nDucks\n=====\n\n:Author: Ann\n:Status: Final\n", "Title: Ducks\nAuthor: Ann\nStatus: Final\n"]
)
def test_a_record_before_rst_is_read_whole(head: str) -> None:
    found = document(f"{head}\nThey swim.\n\nFeed\n====\n\nOats.\n", "a.rst")
    assert found.title == "Ducks"
    assert found.text == "Ducks\n\nAnn\n\nStatus\n  Final\n\nThey swim.\n\nFeed\n\nOats."


def test_what_sphinx_refers_to_does_not_end_the_section_before() -> None:
    text = (
        "Settings\n========\n\n.. setting:: CACHE\n\nCACHE\n-----\n\nDefault: 1\n\n"
        ".. setting:: DELAY\n.. signal:: tick\n\n.. _delay:\n\nDELAY\n-----\n\nDefault: 2\n\n"
        ".. note:: Mind the wind.\n\nWind\n----\n\nIt blows.\n"
    )
    assert document(text, "a.rst").text.split("\n\n") == [
        *("Settings", "CACHE", "Default: 1", "tick", "DELAY", "Default: 2"),
        *("Note", "Mind the wind.", "Wind", "It blows."),
    ]


def test_a_manual_page_has_its_sections_and_the_tables_that_pandoc_passes_over() -> None:
    table = ".TS\nl lp-1.\nDuck\tTeal\n\n.TE\n"
    found = document(
        f".TH FEED 1 2026-01-02\n.SH NAME\nfeed \\- a \\fBduck\\fP\n.SH FILES\n{table}.SH BUGS\nNone.\n", "feed.1"
    )
    assert found.kind == "man"
    assert (
        found.text.replace("\t", " ")
        == "FEED\n\n2026-01-02\n\nNAME\n\nfeed - a duck\n\nFILES\n\nDuck Teal\n\nBUGS\n\nNone."
    )
    assert found.words
    assert found.words.missing == 0
    assert document("release 1.2 of ducks\n", "libduck.so.1").kind == "text"


def test_wiki_text_keeps_the_words_of_its_templates() -> None:
    found = document("== Duck ==\n{{Infobox|name=Teal|{{kg|0.3}}}}\nIt [[Swimming|swims]].\n", "duck.wiki")
    assert found.kind == "mediawiki"
    assert [" ".join(part.split()) for part in found.text.split("\n\n")] == [
        "Duck",
        "Infobox, name=Teal, kg, 0.3 It swims.",
    ]


def test_latex_has_its_listings_as_code_and_citations_of_apacite_do_not_stop_it() -> None:
    found = document("\\section{Feed}\nOats \\cite<e.g.,>{duck}.\n\\begin{code}\nx = 1\ny = 2\n\\end{code}\n", "a.tex")
    assert [(block.kind.value, found.text[block.start : block.end]) for block in found.blocks][::2] == [
        ("heading", "Feed"),
        ("code", "x = 1\ny = 2"),
    ]


def test_a_program_that_takes_its_input_late_gets_all_of_it() -> None:
    reads_late = "import sys, time; time.sleep(0.25); print(len(sys.stdin.buffer.read()))"
    late = WorkerError("It was late.", "")
    assert run([sys.executable, "-c", reads_late], bytes(300_000), 9, late, env={}) == (0, b"300000\n", b"")
    assert run([sys.executable, "-c", ""], bytes(300_000), 9, late, env={}) == (0, b"", b"")
