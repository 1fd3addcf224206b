"""The second reading of a PDF, for the loss audit: another engine (pdfium), no layout, no structure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_TURNED = re.compile("[\u0622\u0623\u0625\u0627]\u0644")

SECOND_READER = "pdfium's plain text of each page"
_LINE_END_HYPHENS = {ord(char): "-" for char in "\x02\ufffe\u00ad"}  # how pdfium writes a hyphen that broke a word


def _with_whole_ligatures(text: str, box_of: Callable[[int], object]) -> str:
    """Arabic lam-alef in its order: that one letter comes as alef, lam, both in the same box."""
    for match in _TURNED.finditer(text):
        if box_of(match.start()) == box_of(match.start() + 1):
            text = f"{text[: match.start()]}{match[0][::-1]}{text[match.end() :]}"
    return text


def page_texts(data: bytes, password: str | None) -> Iterator[str]:
    """The text of every page in its order; "" for a page this engine cannot read.

    Raises ``pypdfium2.PdfiumError`` when it cannot open the file at all.
    """
    import pypdfium2

    document = pypdfium2.PdfDocument(data, password=password)
    try:
        for number in range(len(document)):
            try:
                page = document[number]
                text_page = page.get_textpage()
                text = _with_whole_ligatures(text_page.get_text_range(), text_page.get_charbox)
                text_page.close()
                page.close()
            except pypdfium2.PdfiumError:
                text = ""
            yield text.translate(_LINE_END_HYPHENS)
    finally:
        document.close()
