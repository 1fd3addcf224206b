"""A fragment names a heading, however it is written."""

from __future__ import annotations

from core.inspecting.pointing import anchors, place_named
from core.parsing import parse
from core.settings import ParsingSettings


def test_a_fragment_names_a_heading() -> None:
    text = "# Plan\n\nWords.\n\n## 2.1 What's new\n\nNothing.\n"
    known = anchors(parse(text.encode(), "plan.md", ParsingSettings()))
    at = text.index("## 2.1")
    assert [place_named(words, known).start for words in ("21-whats-new", "21-Whats_new", "none", "")] == [
        at,
        at,
        0,
        0,
    ]
