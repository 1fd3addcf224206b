"""File names, which are untrusted input: how they are displayed, made distinct and turned into titles.

Also tells real titles from the placeholder titles that programs and templates put into files.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import unquote

_MAX_NAME_CHARACTERS = 200
_HIDDEN_CATEGORIES = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def display_name(name: str) -> str:
    """The last part of a path or upload name, safe to show on one line. Never empty: "untitled" where nothing is left.

    Folders, ``..``, control, formatting and unassigned characters are removed; long names lose their middle.

    >>> display_name("../../etc/pass\\nwd.txt"), display_name("C:\\\\notes\\\\a.md"), display_name("..")
    ('pass wd.txt', 'a.md', 'untitled')
    """
    last = re.split(r"[/\\]", name.rstrip("/\\"))[-1]
    shown = "".join(" " if unicodedata.category(char) in _HIDDEN_CATEGORIES else char for char in last)
    shown = " ".join(shown.split())
    if not shown.strip(". "):
        return "untitled"
    if len(shown) > _MAX_NAME_CHARACTERS:
        half = _MAX_NAME_CHARACTERS // 2
        shown = f"{shown[: half - 1]}…{shown[-half:]}"
    return shown


def distinct_names(names: Iterable[str]) -> list[str]:
    """The names in their order, made distinct ignoring case: repeated ones get a number.

    >>> distinct_names(["notes.md", "notes.md", "Notes.MD", "b", "b"])
    ['notes.md', 'notes (2).md', 'Notes (3).MD', 'b', 'b (2)']
    """
    by_key: dict[str, str] = {}
    for name in names:
        stem, dot, suffix = name.rpartition(".")
        candidate, number = name, 1
        while candidate.casefold() in by_key:
            number += 1
            candidate = f"{stem} ({number}).{suffix}" if dot and stem else f"{name} ({number})"
        by_key[candidate.casefold()] = candidate
    return list(by_key.values())


def suffix_of(name: str) -> str:
    """The extension in lower case without its dot, "" for none.

    >>> suffix_of("a/B.MD"), suffix_of("Makefile"), suffix_of(".bashrc")
    ('md', '', '')
    """
    stem, dot, suffix = display_name(name).rpartition(".")
    return suffix.lower() if dot and stem else ""


def readable_title(name: str) -> str:
    """A file's name as a title: without its extension, separators as spaces, the first letter capital.

    >>> readable_title("docs/annual_report-2023.final.pdf"), readable_title("..")
    ('Annual report 2023.final', 'Untitled')
    >>> readable_title("price%20list_2024-05-01.xls")
    'Price list 2024 05 01'
    """
    shown = display_name(name)
    stem = shown[: -len(suffix) - 1] if (suffix := suffix_of(name)) else shown
    words = " ".join(re.sub(r"[_\-]+", " ", unquote(stem)).split()) or stem
    return words[0].upper() + words[1:]


MAX_TITLE = 200  # characters
_POOR_TITLE = re.compile(
    r"untitled|title:?|document\d*|slide \d+|microsoft (?:word|powerpoint|excel) - .*|powerpoint presentation|"
    r".*\.(?:docx?|pptx?|xlsx?|tex|dvi|indd|qxd|pdf|rtf|odt|html?|ps)|[\W\d_]*|cover|contents|layout \d+|"
    r".*\w-",  # a line that ends within a word
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+(?:[.:/-]\d+)*")
_NUMBERED = re.compile(r"(?:sheet|page|slide|table|tabelle|blatt|feuil|hoja|folha|foglio) ?\d+", re.IGNORECASE)
_CONTENTS = re.compile(
    r"(?:table of )?contents|inhalt(?:sverzeichnis)?|sommaire|table des matières|índice|contenido|indice|sommario|"
    r"inhoud(?:sopgave)?|spis treści|содержание|оглавление|目次|目录|목차",
    re.IGNORECASE,
)


def is_generic_heading(heading: str) -> bool:
    """Whether a heading cannot be a document's title: a numbered sheet or slide, a table of contents, or a label that
    ends with a colon.

    >>> [is_generic_heading(heading) for heading in ("Sheet1", "Sheet music", "Table of Contents", "Objectives:")]
    [True, False, True, True]
    """
    return bool(_NUMBERED.fullmatch(heading) or _CONTENTS.fullmatch(heading) or heading.rstrip().endswith((":", "：")))


def is_one_of_a_series(heading: str, others: Iterable[str]) -> bool:
    """Whether a heading differs from one of ``others`` only in its numbers, as versions, dates and chapters do. Such a
    heading is not the document's title.

    >>> is_one_of_a_series("2.7.0 (2026-05-07)", ["Security", "2.6.0 (2025-12-05)"])
    True
    >>> is_one_of_a_series("Notes on 3.11", ["Usage"])
    False
    >>> is_one_of_a_series("Duck", ["Duck"])
    False
    """
    shape = _DIGITS.sub("0", heading)
    return shape != heading and any(other != heading and _DIGITS.sub("0", other) == shape for other in others)


def is_title(stated: str) -> bool:
    """Whether a title from a file's metadata, on one line, names the document and not a program or template.

    >>> [is_title(text) for text in ("The keeping of ducks", "Word - Draft.doc", "Statement of:", "It has mo-")]
    [True, False, False, False]
    """
    readable = stated.isprintable() and "\ufffd" not in stated
    is_whole = 3 <= len(stated) <= MAX_TITLE and not stated.endswith(":")
    return is_whole and readable and not _POOR_TITLE.fullmatch(stated)


def is_part_of_title(heading: str, stated: str) -> bool:
    """Whether the heading is the stated title, or the part of it before or after a separator.

    >>> is_part_of_title("Duck", "Duck - Wikipedia"), is_part_of_title("Duck", "The Duck House")
    (True, False)
    """
    heading, stated = heading.casefold(), stated.casefold()
    if len(heading) < 3 or heading not in stated:
        return False
    rest = stated.replace(heading, "", 1).strip()
    return not rest or not rest[0].isalnum() or not rest[-1].isalnum()
