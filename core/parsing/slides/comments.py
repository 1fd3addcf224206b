"""Comments on slides: PowerPoint's older ones (ECMA-376 part 1, 19.4) and the threads of newer programs
([MS-PPTX] 2.1.4).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.parsing.flow import Piece, Rectangle, Words
from core.parsing.inline import joined
from core.parsing.ooxml.package import Element, Package
from core.parsing.slides.text import body_words
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
    for comment in root.iterfind("{*}cm"):
        yield comment, comment.find("{*}extLst/{*}ext/{*}threadingInfo/{*}parentCm") is not None
        yield from ((reply, True) for reply in comment.iterfind("{*}replyLst/{*}reply"))


def _nowhere(relation: str) -> str:
    return ""
