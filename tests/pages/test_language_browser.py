"""A written answer in a real browser, by keys: while it comes, stopped, failed, unsupported; asking further; and where
the running app's sockets lead meanwhile.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from core.language_model.settings import LanguageSettings, save
from core.library import Incoming, Library
from tests.language_model.destinations import Guard
from tests.language_model.endpoint import Endpoint, Script, endpoint
from tests.pages.browsing import faults, faults_in_both, serving, settled, shown, turn, visit

pytestmark = [pytest.mark.browser, pytest.mark.model]
QUESTION = "How long is an access token valid?"
NOTES = "# Tokens\n\nAn access token is valid for 3600 seconds.\n\n## Renewal\n\nThe gateway renews a token.\n"
SLOWLY = Script.words(*["An access token is valid for 3600 seconds [1]. "] * 200, pause=0.2)
BEGUN = Script.words("An access token is valid ", ended=False)
UNSUPPORTED = Script.words("An access token is valid for 3600 seconds [1]. ", "It costs 5 euros [9].")
REWRITTEN = "Who renews an access token?"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Endpoint, Guard]]:
    """The app with a model that does what a test has written down."""
    folder = tmp_path_factory.mktemp("written")
    (folder / "tokens.md").write_text(NOTES, encoding="utf-8")
    with Library.open(folder / "home") as library:
        assert not library.ingest([Incoming("tokens.md", path=folder / "tokens.md")]).failures
    with endpoint() as served:
        save(folder / "language.json", LanguageSettings(served.address, "small", agreed=(served.address,)))
        guard = Guard(folder, urlsplit(served.address).netloc)
        own = {"LECTERN_SHELF": str(folder / "libraries.json")}
        with serving(folder / "home", variables=guard.variables | own) as address:
            yield address, served, guard


def pressed(page: Page, key: str, target: Locator) -> None:
    """Reach a control by the keyboard's focus, and use it."""
    expect(target).to_be_enabled()
    target.focus()
    page.keyboard.press(key)


def pictured(page: Page, name: str) -> None:
    """The answer stands above the evidence; a picture for a person, where one is asked for."""
    expect(page.locator(".written")).to_be_visible()
    expect(page.locator(".hit").first).to_be_visible()
    if folder := os.environ.get("LECTERN_PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png")


def looked_at(page: Page, name: str) -> None:
    """As ``pictured``, and what a reader of the page would stumble over."""
    assert faults_in_both(page) == [], name
    turn(page, "light")
    pictured(page, name)


def test_an_answer_is_stopped_fails_is_unsupported_and_goes_on_by_keys(
    written: tuple[str, Endpoint, Guard], page: Page
) -> None:
    address, served, _ = written
    served.answers[:] = [SLOWLY]
    visit(page, f"{address}/ask")
    field = page.get_by_placeholder("Ask your documents")
    shown(field)
    settled(page)
    field.focus()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    answer = page.locator(".written")
    expect(answer).to_contain_text("3600 seconds")
    turn(page, "dark")  # while it comes
    pictured(page, "streaming")
    pressed(page, "Enter", page.get_by_role("button", name="Stop", exact=True))
    shown(page.get_by_text("It was stopped."))
    turn(page, "light")
    expect(answer.locator(".mark.supported").first).to_be_visible()  # what was written is checked all the same
    pictured(page, "stopped")

    again = page.get_by_role("button", name="Write it again")
    served.answers[:] = [BEGUN]
    pressed(page, "Enter", again)
    shown(page.get_by_role("alert").filter(has_text="was cut before the answer ended"))
    pictured(page, "failed")

    served.answers[:] = [UNSUPPORTED]
    pressed(page, "Enter", again)
    unfound = answer.locator(".mark.not_found")
    expect(unfound).to_have_count(1)
    pressed(page, "Enter", unfound)
    expect(unfound).to_have_attribute("aria-expanded", "true")
    shown(answer.locator(".why"))
    expect(answer.locator(".lost")).to_have_text("[9]")
    looked_at(page, "unsupported")

    served.answers[:] = [Script.words(f'["{REWRITTEN}"]'), Script.words("The gateway renews a token [1].")]
    further = page.get_by_placeholder("Ask further")
    further.focus()
    page.keyboard.type("And who renews it?")
    page.keyboard.press("Enter")
    expect(field).to_have_value(REWRITTEN)
    shown(answer.filter(has_text="The gateway renews"))
    expect(answer).to_have_count(1)
    settled(page)
    assert faults(page) == []
    pictured(page, "further")
    page.reload()
    expect(field).to_have_value(REWRITTEN)
    pressed(page, "Enter", page.get_by_role("button", name=f"1. {QUESTION}"))
    expect(field).to_have_value(QUESTION)
    expect(page).to_have_url(re.compile("question=How"))  # the step that is gone back
    page.go_back()
    expect(field).to_have_value(REWRITTEN)


def test_no_page_goes_anywhere_but_where_was_agreed(written: tuple[str, Endpoint, Guard], page: Page) -> None:
    """The server and every process that it starts; what the window asks for, ``visiting`` looks at."""
    address, served, guard = written
    served.answers[:] = [UNSUPPORTED]
    for place in ("", "chunks", "benchmark", "ask?question=What+is+valid%3F"):
        visit(page, f"{address}/{place}")
    expect(page.locator(".written .mark.not_found")).to_have_count(1)
    visit(page, f"{address}/settings?tab=Language+model")
    page.get_by_role("button", name="Test", exact=True).click()
    shown(page.get_by_text("answers."))
    assert guard.destinations == {guard.allowed}
