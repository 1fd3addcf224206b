"""The worker process that runs the library ``unstructured``: ``python -m core.parsing.sandbox.elements_worker``.

It is confined like the other workers: no files, sockets or child processes, bounded memory. Everything that the library
loads lazily is therefore loaded first, which takes seconds. It is started only if the user chose this reader.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from io import BytesIO

from core.parsing.elements import KINDS, elements_reading, prepare
from core.parsing.sandbox.flow_worker import load_codecs, reading_frames
from core.parsing.sandbox.worker import Answer, Failures, Task, serve

_MAIL = b"From: a@example.org\nSubject: x\nContent-Type: text/%b; charset=utf-8\n\n<p>One was read.</p>\n"
_WARM = {
    "html": b"<h1>One</h1><p>It was read. See <a href='b'>this</a>.</p><ul><li>a</li></ul><pre>x</pre>"
    b"<table><thead><tr><th>a</th></tr></thead><tr><td>1</td></tr></table><img alt='b' src='data:image/png;base64,aa'>",
    "csv": b"a,b\n1,2\n",
    "markdown": b"# One\n\n- a\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```\nx\n```\n",
    "text": "One\n\nIt was read in Zürich.\n\n- a\n- b\n".encode(),
    "eml": _MAIL % b"html",
}
_PACKAGES = ("docx", "pptx", "openpyxl", "oxmsg", "xlrd", "lxml", "bs4", "markdown", "pandas.io", "olefile")


def _task(kind: str) -> Task:
    def read(data: bytes, request: Answer) -> Iterator[Answer]:
        yield from reading_frames(elements_reading(data, str(request["name"]), kind))

    return read


TASKS: dict[str, Task] = {kind: _task(kind) for kind in sorted(KINDS)}


def failures() -> Failures:
    """All exceptions: the libraries of many formats fail on damaged files in many ways."""
    return (Exception,)


def warm_up() -> None:
    """Run every code path of the library once, and load the modules that these small documents do not need."""
    prepare()
    load_codecs()
    for name in _PACKAGES:
        _load_below(name)
    for kind, data in (*_WARM.items(), ("eml", _MAIL % b"plain"), *_office()):
        list(reading_frames(elements_reading(data, f"warm.{kind}", kind)))
    elements_reading(b"a\tb\n1\t2\n", "warm.tsv", "csv")
    with suppress(Exception):  # no library here writes .msg files; a damaged one loads the modules, too
        elements_reading(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "warm.msg", "msg")


def _load_below(package: str) -> None:
    module = import_module(package)
    for submodule in pkgutil.walk_packages(getattr(module, "__path__", ()), f"{package}."):
        # Some modules need packages that are not installed, or another system; they are not used.
        with suppress(Exception):
            import_module(submodule.name)


def _office() -> Iterator[tuple[str, bytes]]:
    """A document, a presentation and a workbook that use the features the library reads."""
    import docx
    import openpyxl
    import pptx
    from pptx.util import Pt

    text = docx.Document()
    text.add_heading("One")
    text.add_paragraph("It was read in the morning.")
    text.add_paragraph("a", style="List Number")
    text.add_table(2, 2).cell(0, 0).text = "a"
    text.sections[0].header.paragraphs[0].text = "b"
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.placeholders[0].text_frame.text = "One"
    slide.placeholders[1].text_frame.text = "It was read."
    slide.shapes.add_table(2, 2, Pt(9), Pt(9), Pt(99), Pt(99)).table.cell(0, 0).text = "a"
    slide.notes_slide.notes_text_frame.text = "b"
    book = openpyxl.Workbook()
    for row in (("One", None), ("a", "b"), (1, 2.5), ("2", True)):
        book.active.append(row)
    for kind, made in (("docx", text), ("pptx", deck), ("xlsx", book)):
        file = BytesIO()
        made.save(file)
        yield kind, file.getvalue()


if __name__ == "__main__":
    serve(TASKS, warm_up, failures)
