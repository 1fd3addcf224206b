"""The Ask page in a real browser, from the key that leads to the question to the change that admits a lost passage."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.pages.browsing import (
    FULL,
    ask,
    ask_next,
    faults,
    faults_in_both,
    made,
    middle,
    open_dials,
    settled,
    shown,
    until,
    visit,
)
from tests.pages.marking import drag, scrolled_to

pytestmark = [pytest.mark.browser]
QUESTION = "How long is an access token valid?"
CELL = "How many events per batch has the Large plan?"
PLANS = "Plan,Events per batch\nSmall,200\nLarge,500\n"
LIMITS = (
    "# Limits of the relay\n\nA worker takes its *token* from [the handbook](plans.csv) and `limits.toml`.\n\n"
    "| Tariff of the relay | Burst of the relay | Reached by |\n|----------------|--------------------:|------|\n"
    + "".join(f"| Tariff {number} | {7 * number} events | e-mail, **always** |\n" for number in range(1, 40))
    + "\n```python\ndef relay(delay: float = float(0.9)) -> None: ...\n- default\n```\n"
)
LOST = "centimetres above the datum"  # words of api.md that a small budget has no room for


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Path:
    files = [samples / "documents" / name for name in ("api.md", "key_loader.py")]
    return made(tmp_path_factory.mktemp("asking"), {"plans.csv": PLANS, "limits.md": LIMITS}, files)


def test_cells_and_markdown_are_drawn_as_what_they_mean(address: str, page: Page) -> None:
    ask(page, address, CELL)
    a_quoted_cell_says_what_it_is_of_and_takes_that_along(page)
    markdown_is_drawn_as_what_it_means_among_children_and_passages(page)


def a_quoted_cell_says_what_it_is_of_and_takes_that_along(page: Page) -> None:
    cell = page.locator(".quote").first
    expect(cell.locator(".of")).to_have_text("Large › Events per batch: ")
    expect(cell.locator(".said")).to_have_text("500")
    table = page.locator(".passage .grid", has_text="Large").first  # drawn as a table, its separators left out
    expect(table.locator(".row.head .cell")).to_have_text([re.compile(r"^(match \d)?Plan$"), "Events per batch"])
    expect(table.locator(".row", has_text="Large").locator(".cell")).to_have_text(["Large", "500"])
    assert faults_in_both(page) == []
    page.locator(".answer .copy").click()
    until(lambda: "> Large › Events per batch: 500\n" in str(page.evaluate("navigator.clipboard.readText()")))


def markdown_is_drawn_as_what_it_means_among_children_and_passages(page: Page) -> None:
    ask_next(page, "What is the burst of Tariff 31 of the relay?")
    hit = page.locator(".hit", has_text="Tariff 31").first  # a part of the table, below the header that it lost
    expect(hit.locator(".row.head .cell").first).to_have_text("Tariff of the relay")
    row = page.locator(".passage .row", has_text="Tariff 31").first
    expect(row.locator(".cell")).to_have_text(["Tariff 31", "217 events", "e-mail, always"])
    expect(row.locator(".strong")).to_have_text("always")
    assert not [
        text for text in page.locator(".snippet, .body-words").all_inner_texts() if re.search(r"[|]|\*\*", text)
    ]
    ask_next(page, "What is the default delay of relay?")
    code = page.locator(".passage .code", has_text="def relay").first
    expect(code).not_to_contain_text("```")
    expect(code).to_contain_text("- default")
    ask_next(page, "Where does a worker of the relay take its token from?")
    first = page.locator(".passage .body-words").first
    expect(first.locator(".em").first).to_have_text("token")
    expect(first.locator(".inline-code").first).to_have_text("limits.toml")
    page.locator(".passage .link.leads").first.click()
    expect(page).to_have_url(re.compile("/chunks"))


def open_tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name).click()
    expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
    settled(page)


def turn_budget(page: Page, key: str, tokens: str) -> None:
    """Turn the budget to its least or most by a key."""
    open_dials(page)
    page.get_by_role("slider", name="Budget, tokens").press(key)
    expect(page.locator(".room-words")).to_contain_text(f"of {tokens} tokens")
    settled(page)


def test_a_question_is_asked_walked_through_and_asked_again_by_keys(address: str, page: Page) -> None:
    ask(page, address, QUESTION)
    expect(page.locator(".answer")).to_contain_text("3600 seconds")
    shown(page.locator(".budget-line"))
    expect(page.locator(".room-words")).to_contain_text("order: best first")
    relevance = page.locator(".passage .relevance").first
    expect(relevance).to_have_text(re.compile(r"^relevance -?\d+\.\d\d$"))
    expect(relevance).to_have_attribute("title", re.compile("the score of its best chunk"))
    # A pointer over a child lights the passage it grew into, and brings it into view.
    page.locator(".hit:not(.out)").nth(1).hover()
    page.mouse.move(*[part + 3 for part in middle(page.locator(".hit.on").first)])
    shown(page.locator(".passage.on mark.child.on"))
    expect(page.locator(".passage.on mark.child.on").first).to_be_in_viewport()
    # The columns of the ladder end in what is kept.
    expect(page.locator(".ladder .stage").last).to_have_text("Kept")
    # What was asked is asked again with a click, also in a window that comes later.
    visit(page, f"{address}/ask")
    page.get_by_role("button", name="History").click()
    page.get_by_role("button", name=QUESTION, exact=True).last.click()
    expect(page.locator(".answer")).to_contain_text("3600 seconds")


def test_two_settings_and_a_lost_passage(address: str, page: Page) -> None:
    ask(page, address, QUESTION, FULL)
    open_tab(page, "A/B")
    page.get_by_role("button", name="Keep as A").click()
    shown(page.get_by_text("The dials stand as A"))
    turn_budget(page, "Home", "100")
    marked = page.locator(".st-key-ask-assembly-budget_tokens [data-testid=stWidgetLabel] p")
    assert "turned" in str(marked.evaluate("label => getComputedStyle(label, '::after').content"))
    shown(page.locator(".sides .side").nth(1).locator(".compared"))
    expect(page.locator(".sides .side").first.locator(".only").first).to_be_visible()
    expect(page.locator(".sides .side").first).to_contain_text("not in B")
    assert faults_in_both(page) == []
    open_tab(page, "Why not this passage?")
    field = page.get_by_label("Words of the passage")
    field.fill(LOST)
    field.press("Enter")
    page.get_by_role("button", name="Why is it not read?").click()
    shown(page.get_by_text(re.compile("It was found .*It would be in with")))
    shown(page.locator(".fates .step"))
    assert faults(page) == []
    page.get_by_role("button", name=re.compile("Set “Budget, tokens” to")).click()
    shown(page.get_by_text("It is in the context"))
    expect(page.locator(".room-words")).not_to_contain_text("of 100 tokens")
    open_tab(page, "Prompt")
    shown(page.locator("[data-testid=stCode]", has_text=LOST))
    page.get_by_role("button", name="Reset to the library's settings").click()
    expect(page.locator(".room-words")).to_contain_text("of 2,000 tokens")
    settled(page)


def test_words_marked_in_the_reader_or_the_evidence_are_explained(address: str, page: Page) -> None:
    why = "Why not this passage?"
    ask(page, address, QUESTION)
    turn_budget(page, "Home", "100")
    page.locator(".hits").focus()
    page.keyboard.press("Enter")  # to Chunks, in the same window
    shown(page.locator(".text .segment"))
    settled(page)
    until(lambda: scrolled_to(page, LOST))
    drag(page, ".text", LOST, "datum")
    shown(page.locator(".judge-why"))
    expect(page.locator(".judge-why")).to_have_attribute("title", QUESTION)
    assert faults(page) == []
    page.locator(".judge-why").click()
    expect(page.get_by_role("tab", name=why)).to_have_attribute("aria-selected", "true")
    shown(page.get_by_text(re.compile("It was found .*It would be in with")))
    expect(page.get_by_text(f"“{LOST}”")).to_be_in_viewport()
    settled(page)
    # In the evidence a key does it, and the page does not go anywhere else.
    open_tab(page, "Prompt")
    shown(page.locator("[data-testid=stCode]"))
    # Clear of the head of the page, which lies over what is scrolled to the very edge.
    page.locator(".hit .snippet .words").first.evaluate("words => words.scrollIntoView({ block: 'center' })")
    drag(page, ".hits", "3600", "seconds")
    page.keyboard.press("w")
    expect(page.get_by_role("tab", name=why)).to_have_attribute("aria-selected", "true")
    shown(page.get_by_text("It is in the context"))
    expect(page.get_by_text("“3600 seconds”")).to_be_in_viewport()
    expect(page.get_by_role("tab", name=why)).to_be_focused()  # and Tab leads to what can be done
    page.get_by_role("button", name="Reset to the library's settings").click()
    settled(page)


TOLD = {
    "api.md": "# Tokens\n\nAn access token is valid for 3600 seconds.\n\nThe support desk is open on Sundays.\n",
    "notes.txt": "An access token is valid for 15 minutes.\n\nThe support desk is not open on Sundays.\n\n"
    "These notes were taken on 1 May 2022.\n",
}


@pytest.fixture
def told(app: Callable[..., str], tmp_path: Path) -> str:
    """The app on two sources that disagree."""
    return app(made(tmp_path, TOLD))


def test_what_sources_disagree_on_is_unfolded_by_keys_and_told_with_its_dates(told: str, page: Page) -> None:
    ask(page, told, QUESTION)
    conflict = page.locator(".conflicts > .conflict")
    conflict.locator("summary").press("Enter")
    expect(conflict.locator(".side .cite")).to_have_count(2)
    expect(conflict).to_have_attribute("open", "")
    expect(conflict.locator(".side .date")).to_have_text([re.compile(r"^\d{4}-\d\d-\d\d$")] * 2)
    settled(page)
    assert faults_in_both(page) == []
