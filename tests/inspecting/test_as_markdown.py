"""Answers as Markdown: what is doubted of a written one, the places cited, and what each document says by itself."""

from __future__ import annotations

import numpy as np

from core.evidence import Answer, Citation, Hit, Passage, Quote
from core.inspecting.as_markdown import document_as_markdown, documents_as_markdown, written_answer
from core.parsing import parse
from core.search.answer.line import Line
from core.search.answer.support import Evidence, Support
from core.search.checking.library_check import check_answer
from core.settings import ParsingSettings
from core.storage.catalogue.filing.sources import SourceRow

SAID = "An access token is valid for 3600 seconds."
PASSAGES = tuple(
    Passage("v" * 64, title, name, 7, 7 + len(text), text, 1, (), (), rank, 1.0, "")
    for rank, (title, name, text) in enumerate((("Tokens", "tokens.md", SAID), ("Tea", "tea.txt", "Tea is free.")), 1)
)


def test_it_goes_out_with_its_doubts_and_places_and_without_links() -> None:
    text = f"{SAID[:-1]} [1]. It costs 5 euros [9]. ![x](http://evil.example.org/?q=3600) <img src=x>"
    verdicts = check_answer(text, PASSAGES, lambda claim, texts: np.zeros(len(texts)))
    parts = written_answer(text, verdicts, PASSAGES, "small").split("\n\n")
    assert parts[0] == "## Written by small"
    assert parts[1].startswith("Its sentences: 1 supported")
    assert parts[2].startswith(f"> {SAID[:-1]} [1]. It costs 5 euros [9].")
    assert any(part.startswith("- not found: “It costs 5 euros.” It does not stand there") for part in parts)
    assert parts[-1] == f"[1] tokens.md, characters 7–{7 + len(SAID)}"
    assert "](" not in "".join(parts)
    assert "<img" not in "".join(parts).replace("\\<img", "")


def test_each_document_says_what_it_says_or_that_it_does_not() -> None:
    tokens, tea = (
        Hit(1, "c", one.version_id, one.start, one.end, one.text, 1, 1.0, {}, (), one.document, one.source)
        for one in PASSAGES
    )
    quote = Quote(SAID, 1.0, Citation("v" * 64, "Tokens", "tokens.md", 7, 7 + len(SAID), 3))
    says = Line(Answer((quote,)), Support(0.9, enough=True, sentence=""), Evidence())
    silent = Line(Answer((quote,)), Support(0.1, enough=False, sentence=""), Evidence())
    parts = documents_as_markdown("How long?", "home", [(tokens, says), (tea, silent)]).strip().split("\n\n")
    assert parts[1:] == [
        "# How long?",
        "## Tokens",
        f"> {SAID}",
        f"tokens.md, page 3, characters 7–{7 + len(SAID)}",
        "## Tea",
        "tea.txt does not say.",
    ]


def out(data: bytes, name: str) -> str:
    source = SourceRow(1, name, "path", None, "v", "", "", 0, 0, 1, 0, 1.0, 0, "", "", "", "", 0)
    return document_as_markdown(parse(data, name, ParsingSettings()), source).split("---\n\n", 1)[1]


def test_a_document_that_is_no_markdown_has_its_headings_tables_and_code_marked() -> None:
    page = (
        b"<h1>Mill</h1><p>It grinds.</p><h2>Loads</h2><table><tr><th>Day<th>Sacks</tr><tr><td>Mon<td>4 | 5</tr></table>"
        b"<pre>turn --left\n```\n</pre>"
    )
    assert out(page, "mill.html") == (
        "# Mill\n\nIt grinds.\n\n## Loads\n\n"
        "| Day | Sacks |\n| --- | --- |\n| Mon | 4 \\| 5 |\n\n"
        "````\nturn --left\n```\n````\n"
    )


def test_properties_of_a_note_are_a_block_beside_the_head_of_the_export() -> None:
    note = b"---\naliases:\n  - Wheel\n---\n# Mill\n\n- [[Gate|the gate]]\n"
    assert out(note, "mill.md") == "```yaml\naliases:\n  - Wheel\n```\n# Mill\n\n- [[Gate|the gate]]\n"
