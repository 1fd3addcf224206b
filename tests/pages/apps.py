"""The app through AppTest: started on a page, and every word it says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from core.library import Incoming, Library

APP = Path(__file__).resolve().parents[2] / "app.py"
PATIENT = 120  # seconds: the first run loads the embedder

# Each app that is started reads what all installed packages say of themselves, longer than most pages take to be drawn.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


@contextmanager
def filled(folder: Path, monkeypatch: pytest.MonkeyPatch, notes: Mapping[str, str]) -> Iterator[Library]:
    """The library that the app opens, in ``folder / "home"``, with these notes in it; closed at the end."""
    monkeypatch.setenv("LECTERN_HOME", str(folder / "home"))
    for name, text in notes.items():
        (folder / name).write_text(text, encoding="utf-8")
    with Library.open(folder / "home") as library:
        library.ingest([Incoming(name, path=folder / name) for name in notes])
        yield library


def start(page: str = "", **address: str | list[str]) -> AppTest:
    """The app on a page, as an address leads there."""
    app = AppTest.from_file(str(APP), default_timeout=PATIENT)
    app.query_params.update(address)
    if page:
        app.switch_page(f"pages/{page}.py")
    app.run()
    if not page:  # what the first page said of itself is no address of the next one
        app.query_params.clear()
        app.query_params.update(address)
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    """Every word on the page that is no widget's."""
    elements = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error, *app.title]
    return "\n".join(str(element.value) for element in elements)


def plain(app: AppTest) -> str:
    """As ``said``, without the signs that keep Markdown from obeying it, and what went well."""
    return "\n".join([said(app), *(str(box.value) for box in app.success)]).replace("\\", "")


def press(app: AppTest, label: str) -> AppTest:
    """The app after a click on its button of this label."""
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app
