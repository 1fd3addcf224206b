"""The HTML report in a real browser, without a network: it draws, and what is hostile in it does nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from core.evaluation.reporting.html_report import html_report
from tests.evaluation.made_reports import made_measured, made_report
from tests.pages.browsing import COLOURS, looked_over

pytestmark = [pytest.mark.browser]
HOSTILE = "</style></script><script>window.hurt = 1</script><img src=https://example.org/x onerror='window.hurt = 1'>"


def test_the_report_opens_anywhere(tmp_path: Path, browser: Browser) -> None:
    report = made_report(("default", "flat", HOSTILE), texts=[HOSTILE] * 40, documents=(HOSTILE, "b.md"))
    file = tmp_path / "report.html"
    file.write_text(html_report(report, "flat", made_measured(report), lambda version: HOSTILE * 300), "utf-8")
    context = browser.new_context(offline=True)
    page = context.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    for theme, width, paper in (("light", 800, "rgb(252, 251, 248)"), ("dark", 1400, "rgb(21, 24, 28)")):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(file.as_uri())
        assert page.evaluate("window.hurt") is None
        assert set(asked) == {file.as_uri()}
        # Plotly brings the style of its maps, which the policy refuses: the report draws none.
        assert [line for line in said if not line.startswith("Applying inline style")] == []
        assert page.evaluate("document.documentElement.scrollWidth") == width
        # The style's hash is right, or the page would be bare.
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == paper
        figures = page.locator(".figure .main-svg:first-child")
        assert figures.count() == 8
        ink = page.evaluate("getComputedStyle(document.body).color")
        for number in range(8):
            box = figures.nth(number).bounding_box()
            assert box is not None
            assert box["width"] > 250
            assert box["height"] > 60
            assert figures.nth(number).locator("text").first.evaluate("text => getComputedStyle(text).fill") == ink
    context.close()


def test_the_report_has_no_serious_fault_of_access(tmp_path: Path, browser: Browser) -> None:
    report = made_report(("default", "flat"), questions=8)  # the checker looks at every letter
    file = tmp_path / "report.html"
    # Only here: the checker is a script, which the report's own policy would not let in.
    html = html_report(report, "flat", made_measured(report), lambda version: "Words. " * 900)
    file.write_text(html.replace("Content-Security-Policy", "X-Was-A-Policy"), "utf-8")
    context = browser.new_context(viewport={"width": 1400, "height": 900}, offline=True)
    page = context.new_page()
    for theme, rules in (("light", None), ("dark", COLOURS)):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        page.goto(file.as_uri())
        assert looked_over(page, rules) == [], theme
    context.close()
