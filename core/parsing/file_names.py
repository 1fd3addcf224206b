"""File names are hostile input: what of them may be shown, and how one becomes a title.

Also which of the titles that files state are titles.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_MAX_NAME_CHARACTERS = 200
_HIDDEN_CATEGORIES = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def display_name(name: str) -> str:
    """The last part of a path or upload name, safe to show on one line. Never empty.

    Folders, ``..``, control, formatting and unassigned characters go; long names lose their middle.

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


def unlike(names: Iterable[str]) -> list[str]:
    """The names in their order, no two the same whatever capitals are worth: what would be is numbered.

    >>> unlike(["notes.md", "notes.md", "Notes.MD", "b", "b"])
    ['notes.md', 'notes (2).md', 'Notes (3).MD', 'b', 'b (2)']
    """
    found: dict[str, str] = {}
    for name in names:
        stem, dot, suffix = name.rpartition(".")
        said, number = name, 1
        while said.casefold() in found:
            number += 1
            said = f"{stem} ({number}).{suffix}" if dot and stem else f"{name} ({number})"
        found[said.casefold()] = said
    return list(found.values())


def suffix_of(name: str) -> str:
    """The lower-case extension without its dot, "" when there is none.

    >>> suffix_of("a/B.MD"), suffix_of("Makefile"), suffix_of(".bashrc")
    ('md', '', '')
    """
    stem, dot, suffix = display_name(name).rpartition(".")
    return suffix.lower() if dot and stem else ""


def readable_title(name: str) -> str:
    """A file's name as a title: no suffix, separators as spaces, a capital first.

    >>> readable_title("docs/annual_report-2023.final.pdf"), readable_title("..")
    ('Annual report 2023.final', 'Untitled')
    """
    shown = display_name(name)
    stem = shown[: -len(suffix) - 1] if (suffix := suffix_of(name)) else shown
    words = " ".join(re.sub(r"[_\-]+", " ", stem).split()) or stem
    return words[0].upper() + words[1:]


MAX_TITLE = 200  # characters
_POOR_TITLE = re.compile(
    r"untitled|title|document\d*|slide \d+|microsoft (?:word|powerpoint|excel) - .*|powerpoint presentation|"
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


def names_nothing(heading: str) -> bool:
    """Whether a heading names no document: a program counted a sheet or slide, or only what follows is named.

    >>> [names_nothing(heading) for heading in ("Sheet1", "Sheet music", "Table of Contents", "Objectives:")]
    [True, False, True, True]
    """
    return bool(_NUMBERED.fullmatch(heading) or _CONTENTS.fullmatch(heading) or heading.rstrip().endswith((":", "：")))


def is_of_a_row(heading: str, others: Iterable[str]) -> bool:
    """Whether a heading is one of several that differ by their numbers alone, as versions, days and chapters do: none
    of them names the whole.

    >>> is_of_a_row("2.7.0 (2026-05-07)", ["Security", "2.6.0 (2025-12-05)"]), is_of_a_row("Notes on 3.11", ["Usage"])
    (True, False)
    >>> is_of_a_row("Duck", ["Duck"])
    False
    """
    shape = _DIGITS.sub("0", heading)
    return shape != heading and any(other != heading and _DIGITS.sub("0", other) == shape for other in others)


def is_title(stated: str) -> bool:
    """Whether a stated title, on one line, names a document rather than the program or template that made it.

    >>> [is_title(text) for text in ("The keeping of ducks", "Microsoft Word - Draft.doc", "Slide 1", "It has mo-")]
    [True, False, False, False]
    """
    readable = stated.isprintable() and "\ufffd" not in stated
    return 3 <= len(stated) <= MAX_TITLE and readable and not _POOR_TITLE.fullmatch(stated)


def is_part(heading: str, stated: str) -> bool:
    """Whether the heading is the stated title, or the part of it before or behind a separator.

    >>> is_part("Duck", "Duck - Wikipedia"), is_part("Duck", "The Duck House")
    (True, False)
    """
    heading, stated = heading.casefold(), stated.casefold()
    if len(heading) < 3 or heading not in stated:
        return False
    rest = stated.replace(heading, "", 1).strip()
    return not rest or not rest[0].isalnum() or not rest[-1].isalnum()
