"""The app through AppTest: started on a page, and every word it says."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

APP = Path(__file__).resolve().parents[2] / "app.py"
PATIENT = 120  # seconds: the first run loads the embedder


def start(page: str = "") -> AppTest:
    app = AppTest.from_file(str(APP), default_timeout=PATIENT)
    app.run()
    if page:
        app.switch_page(f"pages/{page}.py").run()
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    """Every word on the page that is no widget's."""
    elements = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error, *app.title]
    return "\n".join(str(element.value) for element in elements)
