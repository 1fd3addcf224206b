"""Comments on slides: PowerPoint's older ones (ECMA-376 part 1, 19.4) and the threads of newer programs
([MS-PPTX] 2.1.4).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.parsing.flow import Piece, Rectangle, Words
from core.parsing.ooxml.package import Element, Package
from core.parsing.slides.text import body_words, joined
from core.types import BlockKind

_TIME = re.compile(r"(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d))?")


def comment_authors(package: Package, main: str) -> dict[str, str]:
    """Names of those who commented, by their id in either kind of comment."""
    authors: dict[str, str] = {}
    for kind in ("commentAuthors", "authors"):
        for part in package.related(main, kind):
            root = package.optional_root(part)
            for author in () if root is None else root:
                authors[author.get("id", "")] = author.get("name") or author.get("initials") or ""
    return authors


def comment_pieces(package: Package, slide: str, authors: dict[str, str], page: int, box: Rectangle) -> Iterator[Piece]:
    """A footnote for each comment on a slide, replies behind what they reply to."""
    for part in package.related(slide, "comments"):
        root = package.optional_root(part)
        if root is None:
            continue
        for comment, is_reply in _threaded(root):
            body = comment.find("{*}txBody")
            words = Words(comment.findtext("{*}text") or "") if body is None else body_words(body, (), _nowhere)
            if not words.text.strip():
                continue
            author = " ".join(authors.get(comment.get("authorId", ""), "").split())
            when = _TIME.match(comment.get("dt") or comment.get("created") or "")
            by = f" by {author}" if author else ""
            on = f", {' '.join(filter(None, when.groups()))}" if when else ""
            head = Words(f"{'Reply' if is_reply else 'Comment'}{by}{on}: ")
            yield Piece(BlockKind.FOOTNOTE, joined([head, words], ""), page=page, box=box)


def _threaded(root: Element) -> Iterator[tuple[Element, bool]]:
    """Comments in their order, each with its replies behind it; and whether it is one."""
    comments = list(root.iterfind("{*}cm"))
    known = {_key(comment) for comment in comments}
    answers: dict[tuple[str, str], list[Element]] = {}
    for comment in comments:
        if (parent := _parent(comment)) in known and parent != _key(comment):
            answers.setdefault(parent, []).append(comment)
    replies = {id(reply) for found in answers.values() for reply in found}
    told: set[int] = set()
    # Replies to each other in a ring belong to nobody's thread: they come last, as comments.
    for comment in [*(one for one in comments if id(one) not in replies), *comments]:
        if id(comment) in told:
            continue
        waiting = [(comment, False)]
        while waiting:
            one, is_reply = waiting.pop()
            if id(one) in told:
                continue
            told.add(id(one))
            yield one, is_reply
            yield from ((reply, True) for reply in one.iterfind("{*}replyLst/{*}reply"))
            waiting += [(reply, True) for reply in reversed(answers.get(_key(one), []))]


def _key(comment: Element) -> tuple[str, str]:
    return comment.get("authorId", ""), comment.get("idx", "")


def _parent(comment: Element) -> tuple[str, str] | None:
    parent = comment.find("{*}extLst/{*}ext/{*}threadingInfo/{*}parentCm")
    return None if parent is None else (parent.get("authorId", ""), parent.get("idx", ""))


def _nowhere(relation: str) -> str:
    return ""
