"""Comments on cells of an Excel workbook: notes with their author, and threads with their replies."""

from __future__ import annotations

from collections.abc import Mapping

from core.parsing.inline import comment_head
from core.parsing.ooxml.package import Element, Package, whole
from core.parsing.sheets.grid import Comment, place_name, place_of
from core.parsing.sheets.xlsx_cells import rich_text


def read_comments(package: Package, part: str, people: Mapping[str, str]) -> list[Comment]:
    """The comments on one sheet. ``part``: of the sheet. ``people``: see ``read_people``.

    For older programs a thread is repeated as a note; there only the thread is read.
    """
    comments: list[Comment] = []
    for name in package.related(part, "threadedComment"):
        comments += _thread(package.optional_root(name), people)
    threaded = {(comment.row, comment.column) for comment in comments}
    for name in package.related(part, "comments"):
        notes = _notes(package.optional_root(name))
        comments += [note for note in notes if (note.row, note.column) not in threaded]
    return comments


def read_people(package: Package, workbook: str) -> dict[str, str]:
    """The names of the authors of threads, by id."""
    people: dict[str, str] = {}
    for name in package.related(workbook, "person"):
        root = package.optional_root(name)
        for person in root.iterfind("{*}person") if root is not None else ():
            people[person.get("id", "")] = person.get("displayName", "")
    return people


def cell_comment(words: str, author: str, day: str, row: int, column: int, kind: str = "Comment") -> Comment:
    """A comment with its author, date and cell in its text. ``kind``: "Comment" or "Reply".

    >>> cell_comment("Check this.", "Jane Smith", "2026-06-18T10:00:00.00", 3, 1).text
    'Comment by Jane Smith, 2026-06-18, on B4: Check this.'
    """
    return Comment(row, column, comment_head(author, day[:10], place_name(row, column), kind) + words)


def _notes(root: Element | None) -> list[Comment]:
    if root is None:
        return []
    authors = [author.text or "" for author in root.iterfind("{*}authors/{*}author")]
    comments = []
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
            comments.append(cell_comment(words, author, "", *place))
    return comments


def _thread(root: Element | None, people: Mapping[str, str]) -> list[Comment]:
    comments = []
    for comment in root.iterfind("{*}threadedComment") if root is not None else ():
        place, words = place_of(comment.get("ref", "")), (comment.findtext("{*}text") or "").strip()
        if place is None or not words:
            continue
        kind = "Reply" if comment.get("parentId") else "Comment"
        author = people.get(comment.get("personId", ""), "")
        comments.append(cell_comment(words, author, comment.get("dT", ""), *place, kind))
    return comments
