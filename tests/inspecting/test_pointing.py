"""A link leads to the document of the library it names, by path or by name, and to no other."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from core.inspecting.pointing import anchors, document_named, place_named
from core.parsing import parse
from core.settings import ParsingSettings


@dataclass(frozen=True)
class Source:
    name: str
    path: Path | None
    version_id: str


def on_disk(path: str, version: str) -> Source:
    return Source(Path(path).name, Path(path), version)


NOTES = [on_disk("/notes/a.md", "a"), on_disk("/notes/sub/b c.md", "b"), on_disk("/other/d.md", "d")]
UPLOADS = [Source("e.md", None, "e"), Source("folder/f.md", None, "f"), Source("g/f.md", None, "g")]


@pytest.mark.parametrize(
    ("target", "wanted"),
    [
        ("sub/b%20c.md", ("b", "")),
        ("./sub/../sub/b c.md#The%20end", ("b", "The end")),
        ("/notes/sub/b c.md", ("b", "")),
        ("file:///notes/sub/b%20c.md#x", ("b", "x")),
        ("a.md?plain=1#x", ("a", "x")),
        ("d.md", None),  # of another folder: it is not what the link names
        ("../other/d.md", ("d", "")),
        ("e.md", ("e", "")),
        ("f.md", None),  # two uploads are called so
        ("folder/f.md#1", ("f", "1")),
        ("https://example.org/a.md", None),
        ("//host/a.md", None),
        ("mailto:a.md", None),
        ("#aims", None),
        ("", None),
        (".", None),
        ("//[", None),
        ("sub/", None),
    ],
)
def test_which_document_a_link_names(target: str, wanted: tuple[str, str] | None) -> None:
    assert document_named(target, NOTES[:1], NOTES + UPLOADS) == wanted


def test_an_upload_has_no_folder_so_a_name_will_do() -> None:
    assert document_named("../any/where/d.md", UPLOADS[:1], NOTES + UPLOADS) == ("d", "")
    assert document_named("f.md", UPLOADS[1:2], NOTES + UPLOADS) == ("f", "")
    twice = [*NOTES, on_disk("/copy/d.md", "d")]
    assert document_named("d.md", UPLOADS[:1], twice) == ("d", "")


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
