"""The address is the place, in a real browser: with two libraries, on every page, by reload, by link and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.pages.browsing import choose, keys_ready, made, open_dials, settled, shown, visit

pytestmark = [pytest.mark.browser]
NOTES = {"tea.txt": "Tea is free on Fridays.", "kettle.md": "# Kettle\n\nThe kettle stands on the second floor.\n"}
QUESTION = "What was the revenue in the third quarter?"


@pytest.fixture(scope="module")
def served(app: Callable[..., str], tmp_path_factory: pytest.TempPathFactory, samples: Path) -> str:
    """The app on two libraries: the first with a PDF, and Notes."""
    report = samples / "documents" / "quarterly-report.pdf"
    app(made(tmp_path_factory.mktemp("notes"), NOTES), "Notes")
    return app(made(tmp_path_factory.mktemp("reports"), {}, [report]), "Reports")


def says(page: Page, *parts: str) -> None:
    """Wait until the address holds these parts and nothing runs any more."""
    page.wait_for_function("parts => parts.every((part) => location.href.includes(part))", arg=list(parts))
    settled(page)


def test_every_page_returns_to_its_place_in_its_library(served: str, page: Page) -> None:
    visit(page, f"{served}/?library=notes&find=kettle")
    expect(page.get_by_placeholder("Filter by title")).to_have_value("kettle")
    says(page, "library=Notes", "find=kettle")

    visit(page, f"{served}/ask?library=Notes&question=When+is+tea+free%3F&dial=assembly.budget_tokens%3A300")
    shown(page.locator(".quote"))
    page.reload()
    shown(page.locator(".quote"))
    expect(page.get_by_placeholder("Ask your documents")).to_have_value("When is tea free?")
    says(page, "library=Notes", "question=When", "assembly.budget_tokens%3A300")
    opener = page.get_by_test_id("stExpandSidebarButton")
    told = opener.evaluate("button => getComputedStyle(button, '::after').content")
    assert told == '"Dials · 1 turned"'
    open_dials(page)
    expect(page.get_by_role("button", name="Reset to the library's settings")).to_be_visible()

    visit(page, f"{served}/settings?library=Notes&tab=Places+and+disk")
    shown(page.get_by_role("heading", name="This library"))
    page.reload()
    shown(page.get_by_role("heading", name="This library"))

    visit(page, f"{served}/benchmark?library=Notes")
    page.reload()
    says(page, "/benchmark?library=Notes")

    visit(page, f"{served}/ask?library=Elsewhere&question=tea")
    shown(page.get_by_text("library “Elsewhere”"))


def test_a_citation_leads_to_the_lit_sentence_and_back_leads_to_the_question(served: str, page: Page) -> None:
    visit(page, f"{served}/ask?library=Reports")
    field = page.get_by_placeholder("Ask your documents")
    field.fill(QUESTION)
    field.press("Enter")
    says(page, "question=What+was")
    page.locator(".cite").first.click()
    shown(page.locator(".frame .lit-box"))
    cited = page.locator(".frame .lit-frame")
    expect(cited.first).to_be_in_viewport()
    expect(cited).to_have_text("cited")
    says(page, "/chunks?", "library=Reports", "span=", "view=page")
    page.reload()
    shown(page.locator(".frame .lit-box"))
    field = page.get_by_label("Go to page")
    field.fill("2")
    field.press("Enter")
    says(page, "page=2")
    expect(page.locator(".turn")).to_contain_text("Page 2 of")
    page.reload()
    expect(page.locator(".turn")).to_contain_text("Page 2 of")
    page.go_back()
    expect(page.get_by_placeholder("Ask your documents")).to_have_value(QUESTION)
    shown(page.locator(".quote"))
    page.go_forward()
    expect(page.locator(".turn")).to_contain_text("Page 2 of")

    choose(page, "Text")
    settled(page)
    # The tree draws the rows in view alone, and scrolls to the chosen one: a row is read and clicked in one breath.
    number = page.locator(".leaf-row:not(.on)").first.evaluate("""row => {
      row.click();
      return row.querySelector("b").innerText;
    }""")
    chosen = page.locator(".details h3")
    expect(chosen).to_contain_text(f"Chunk {number} of")
    says(page, "chunk=")
    page.reload()
    expect(chosen).to_contain_text(f"Chunk {number} of")


def test_a_white_page_comes_back_by_itself(served: str, page: Page) -> None:
    visit(page, f"{served}/settings?library=Notes&tab=Privacy")
    shown(page.get_by_text("Nothing leaves this machine"))
    page.locator("[data-testid=stApp]").evaluate("app => app.remove()")
    shown(page.get_by_text("Nothing leaves this machine"))


def test_a_page_that_streamlit_gave_up_comes_back_by_itself_once(served: str, page: Page) -> None:
    """A dialog as Streamlit has it over a page that does not fit what the server sends; at once again it is left."""
    visit(page, f"{served}/ask?library=Notes&question=When+is+tea+free%3F")
    keys_ready(page)
    cover = """() => {
      const box = document.createElement("div");
      box.innerHTML = "<section role=dialog>Bad message format</section>";
      document.body.append(box);
    }"""
    with page.expect_event("load"):
        page.evaluate(cover)
    shown(page.locator(".quote"))
    keys_ready(page)
    page.evaluate(cover)
    page.wait_for_timeout(1_000)
    expect(page.get_by_text("Bad message format")).to_be_attached()
