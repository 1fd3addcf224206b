"""Comments on the cells of an Excel workbook: notes with their author, and threads with their replies."""

from __future__ import annotations

from collections.abc import Mapping

from core.parsing.inline import comment_head
from core.parsing.ooxml.package import Element, Package, whole
from core.parsing.sheets.grid import Remark, place_name, place_of
from core.parsing.sheets.xlsx_cells import rich_text


def read_remarks(package: Package, part: str, people: Mapping[str, str]) -> list[Remark]:
    """The comments on one sheet. ``part``: the sheet's; ``people``: names by the id threads have for them.

    A thread also leaves a note for older programs that repeats it: only the thread is read.
    """
    found: list[Remark] = []
    for name in package.related(part, "threadedComment"):
        found += _thread(package.optional_root(name), people)
    threaded = {(one.row, one.column) for one in found}
    for name in package.related(part, "comments"):
        notes = _notes(package.optional_root(name))
        found += [note for note in notes if (note.row, note.column) not in threaded]
    return found


def read_people(package: Package, workbook: str) -> dict[str, str]:
    """The names of those who wrote in threads, by id."""
    people: dict[str, str] = {}
    for name in package.related(workbook, "person"):
        root = package.optional_root(name)
        for person in root.iterfind("{*}person") if root is not None else ():
            people[person.get("id", "")] = person.get("displayName", "")
    return people


def remark(words: str, author: str, day: str, row: int, column: int, kind: str = "Comment") -> Remark:
    """A comment as it is read behind its table.

    >>> remark("Check this.", "Jane Smith", "2026-06-18T10:00:00.00", 3, 1).text
    'Comment by Jane Smith, 2026-06-18, on B4: Check this.'
    """
    return Remark(row, column, comment_head(author, day[:10], place_name(row, column), kind) + words)


def _notes(root: Element | None) -> list[Remark]:
    if root is None:
        return []
    authors = [author.text or "" for author in root.iterfind("{*}authors/{*}author")]
    found = []
    for comment in root.iterfind("{*}commentList/{*}comment"):
        place, body = place_of(comment.get("ref", "")), comment.find("{*}text")
        if place is None or body is None:
            continue
        number = whole(comment.get("authorId"))
        author = authors[number].strip() if 0 <= number < len(authors) else ""
        words = rich_text(body).strip()
        if author and words.startswith(f"{author}:"):
            words = words[len(author) + 1 :].strip()
        if words:
            found.append(remark(words, author, "", *place))
    return found


def _thread(root: Element | None, people: Mapping[str, str]) -> list[Remark]:
    found = []
    for comment in root.iterfind("{*}threadedComment") if root is not None else ():
        place, words = place_of(comment.get("ref", "")), (comment.findtext("{*}text") or "").strip()
        if place is None or not words:
            continue
        kind = "Reply" if comment.get("parentId") else "Comment"
        author = people.get(comment.get("personId", ""), "")
        found.append(remark(words, author, comment.get("dT", ""), *place, kind))
    return found
