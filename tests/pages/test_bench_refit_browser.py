"""A fit to judgments in a real browser, by keyboard alone: pressed, shown in both themes, applied and undone."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.library import Library
from tests.fast_encoder import FastEncoder
from tests.pages.browsing import faults_in_both, settled, shown, visit
from tests.refitting import worlds

pytestmark = [pytest.mark.browser]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("refit-browser")
    with Library.open(place / "home", encoder=FastEncoder()) as library:
        worlds.build(place / "documents", library)
    return place / "home"


def press(page: Page, name: str) -> None:
    """By keyboard."""
    button = page.get_by_role(
        "button", name=name, exact=True
    ).first  # while a page is drawn anew, an old one may linger
    expect(button).to_be_enabled()
    settled(page)
    expect(button).to_be_enabled()
    button.focus()
    page.keyboard.press("Enter")


def test_a_fit_is_made_looked_at_applied_and_undone(address: str, page: Page) -> None:
    visit(page, f"{address}/benchmark")
    press(page, "Fit")
    shown(page.get_by_text("recall rises by"))
    assert faults_in_both(page) == []
    press(page, "Apply")
    shown(page.get_by_text("These are the library's settings now"))
    press(page, "Undo")
    shown(page.get_by_role("button", name="Apply", exact=True))
    press(page, "Discard")
    expect(page.get_by_text("recall rises by")).to_have_count(0)
