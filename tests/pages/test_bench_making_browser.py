"""Made questions gone through in a real browser by single keys: other words, keep, drop, back, edit."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.pages.browsing import made, shown, visit

pytestmark = [pytest.mark.browser]

TEXT = "# Gauges\n\nA gauge is a rod that shows the level. Backups are kept for 35 days. Backups and gauges rust.\n"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("making-browser")
    return made(place, {"gauges.md": TEXT})


def test_each_question_takes_one_key(address: str, page: Page) -> None:
    visit(page, f"{address}/benchmark")
    page.get_by_role("button", name="Make", exact=True).click()
    shown(page.get_by_text("1 of 2, 0 kept"))
    page.keyboard.press("k")
    shown(page.get_by_text("2 of 2, 1 kept"))
    page.keyboard.press("b")
    shown(page.get_by_text("1 of 2, 0 kept"))
    page.keyboard.press("d")
    shown(page.get_by_text("2 of 2, 0 kept"))
    page.keyboard.press("e")
    field = page.get_by_label("Question, Enter to take it")
    expect(field).to_be_visible()
    field.fill("Does a key typed here keep it?")
    page.keyboard.press("Enter")
    shown(page.get_by_role("heading", name="Does a key typed here keep it?"))
    page.keyboard.press("k")
    shown(page.get_by_text("1 question kept, 1 dropped."))
    expect(page.get_by_role("radio", name="My judgments (1 by a program)")).to_be_checked()  # they are measured on next
