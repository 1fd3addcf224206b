"""Pairs of SQuAD, read from the pages on which its makers show it: a paragraph, and beside it its questions.

The repository rajpurkar/SQuAD-explorer holds such a page for every article: in its branch ``gh-pages`` for the
development split of SQuAD 2.0 (``explore/v2.0/dev``), and in its history, at 13f82e35, for the training split of the
first version (``explore/1.0/train``).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from core.training.pairs import Pair

PARTS = 22  # of the training split: who seeks what is hard to tell apart reads all passages of a source


def of_squad(pages: Path, source: str, parts: int = 1) -> Iterator[Pair]:
    """Pairs of the pages of a folder, an article each; a question without an answer is not answerable.

    ``parts``: sources that the articles are dealt to in turn. Of several answers the shortest is taken. What is marked
    as an answer and does not stand in its paragraph is left out.
    """
    for number, page in enumerate(sorted(path for path in pages.glob("*.html") if path.stem != "index")):
        name = f"{source}-{number % parts:02d}" if parts > 1 else source
        for wrap in LexborHTMLParser(page.read_text(encoding="utf-8")).css(".para-wrap"):
            text = _text(wrap, "pre")
            for asked in wrap.css(".qa-wrap"):
                question = " ".join(_text(asked, ".question").split())
                said = [answer.text().strip() for answer in asked.css(".answer")]
                answer = min((one for one in said if one and one in text), key=len, default="")
                if question and text and (answer or not said):
                    yield Pair(name, question, text, f"squad:{unquote(page.stem)}", answer, bool(said))


def _text(node: LexborNode, selector: str) -> str:
    found = node.css_first(selector)
    return found.text().strip() if found else ""
