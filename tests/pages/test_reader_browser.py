"""The reader and the evidence in a real browser: long texts, find, links, keys, themes, and no barrier axe can see."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

from core.library import Library
from tests.pages.browsing import (
    COLOURS,
    FULL,
    PASSWORD,
    ask,
    choose,
    faults,
    faults_in_both,
    keys_ready,
    locked_pdf,
    made,
    open_document,
    pick,
    rest,
    settled,
    shown,
    turn,
    until,
    visit,
)

pytestmark = [pytest.mark.browser]
MOST_NODES = 1500  # of the text and the tree together, wherever one reads
QUESTION = "How long is an access token valid?"
FIRST_IN_VIEW = """(host) => {
  const top = host.getBoundingClientRect().top + 20;
  const found = [...host.querySelectorAll(".segment")].find((piece) => piece.getBoundingClientRect().top > top);
  found.was = found.getBoundingClientRect().top;
  return found;
}"""
MOVED = "(piece) => piece.getBoundingClientRect().top - piece.was"
SAID = """(button) => {
  const said = [];
  new MutationObserver(() => said.push(button.textContent)).observe(button, { childList: true });
  return said;
}"""
CHUNK_ID = re.compile(r"^[0-9a-f]{16,}$")  # the app of ``reader_of`` writes it once a choice was reported
LONG = 3_000_000  # characters: a thousand pages
SAMPLES = ("api.md", "quarterly-report.pdf")
LINKED = (
    "# Links\n\nSee [the manual](https://manual.example/page), [this](javascript:window.hurt=1), [[api#Errors|errors]],"
    " [a lost one](lost.md), [the coda](#coda) and [no part](#none).\n\n"
    + "A line between.\n\n" * 99
    + "## Coda\n\nThe end.\n"
)

CODE = "def quack():\n    first = 1\n\n    second = 2\n    return second\n"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Path:
    folder = tmp_path_factory.mktemp("reader")
    locked_pdf(folder / "locked.pdf", "The tide table of the outer harbour is kept under lock.")
    files = [*(samples / "documents" / name for name in SAMPLES), folder / "locked.pdf"]
    return made(folder, {"links.md": LINKED, "quack.py": CODE}, files, password=PASSWORD)


@pytest.fixture(scope="module")
def versions(home: Path) -> dict[str, str]:
    """The documents by file name."""
    with Library.open(home, write=False) as library:
        return {source.name: source.version_id for source in library.sources()}


def go_to(page: Page, name: str) -> None:
    page.get_by_test_id("stTopNav").get_by_role("link", name=name).click()


def nodes(page: Page) -> int:
    return int(page.locator(".reader").evaluate("(reader) => reader.querySelectorAll('.text *, .tree *').length"))


def copied(page: Page, button: Locator) -> str:
    """What a button copies, read once it said so; it says so for a moment only, hence is listened to."""
    said = button.evaluate_handle(SAID)
    button.click()
    until(lambda: bool(said.json_value()))
    assert said.json_value()[0] == "✓ Copied"
    return str(page.evaluate("navigator.clipboard.readText()"))


def scroll_to(page: Page, share: float) -> None:
    """Scroll the text, and wait until what belongs there is drawn."""
    page.locator(".text").evaluate("(host, share) => { host.scrollTop = share * host.scrollHeight; }", share)
    until(
        lambda: bool(
            page.locator(".text").evaluate(
                """(host) => { const box = host.getBoundingClientRect(), y = box.top + box.height / 2;
                return [...host.querySelectorAll('.block')].some((block) => {
                  const place = block.getBoundingClientRect(); return place.top < y && place.bottom > y - 60; }); }"""
            )
        )
    )


def test_a_thousand_pages_are_sent_once_scrolled_and_searched(reader_of: Callable[[int], str], page: Page) -> None:
    sizes: list[int] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda payload: sizes.append(len(payload))))
    visit(page, reader_of(LONG))
    shown(page.locator(".text .segment"))
    choosing_a_chunk_neither_sends_the_text_again_nor_opens_the_tree(page, sizes)
    what_is_read_stays_in_place_while_heights_above_become_known(page)
    few_nodes_are_kept_and_every_place_is_drawn(page)
    find_counts_steps_and_closes(page)
    in_a_narrow_window_the_text_scrolls_in_itself(page)


def in_a_narrow_window_the_text_scrolls_in_itself(page: Page) -> None:
    """Where it was as high as all of its text, no jump led anywhere and every slab was drawn."""
    page.set_viewport_size({"width": 900, "height": 900})
    until(lambda: 300 < int(page.locator(".text").evaluate("(host) => host.clientHeight")) < 900)
    scroll_to(page, 0.5)
    assert nodes(page) < MOST_NODES


def few_nodes_are_kept_and_every_place_is_drawn(page: Page) -> None:
    most = nodes(page)
    for share in (0.1, 0.5, 0.9, 1.0, 0.35, 0.0):
        scroll_to(page, share)
        most = max(most, nodes(page))
    assert most < MOST_NODES
    page.locator(".tree-body").press("End")
    shown(page.locator(".parent-row").filter(has_text=re.compile(r"Section \d{3,}")))
    assert nodes(page) < MOST_NODES


def what_is_read_stays_in_place_while_heights_above_become_known(page: Page) -> None:
    text = page.locator(".text")
    text.hover()
    page.locator(".ruler").click(position={"x": 10, "y": 300})
    until(lambda: float(text.evaluate("(host) => host.scrollTop / host.scrollHeight")) > 0.3)
    text.hover()
    for _ in range(8):
        rest(text)
        mark = text.evaluate_handle(FIRST_IN_VIEW)
        page.mouse.wheel(0, -250)
        until(lambda held=mark: float(held.evaluate(MOVED)) > 240)  # type: ignore[misc]
        rest(text)
        assert abs(float(mark.evaluate(MOVED)) - 250) < 3


def find_counts_steps_and_closes(page: Page) -> None:
    page.locator(".text").focus()
    page.keyboard.press("Control+f")
    field, count = page.get_by_role("textbox", name="Find in this document"), page.locator(".find-count")
    expect(field).to_be_focused()
    field.fill("FJORD of mark 1200.")  # the text says fjörd
    expect(count).to_have_text("1 of 1")
    expect(page.locator(".text .found.here").first).to_be_in_viewport()
    field.fill("fjord")
    expect(count).to_have_text(re.compile(r"of [\d,]{3,}$"))
    before = count.inner_text()
    field.press("Enter")
    expect(count).not_to_have_text(before)
    field.press("Shift+Enter")
    expect(count).to_have_text(before)
    field.fill("no such words")
    expect(count).to_have_text("No match")
    field.press("Escape")
    expect(field).to_be_hidden()
    expect(page.locator(".text .found")).to_have_count(0)


def choosing_a_chunk_neither_sends_the_text_again_nor_opens_the_tree(page: Page, sizes: list[int]) -> None:
    assert max(sizes) > LONG  # it came once
    sizes.clear()
    for _ in range(3):
        page.keyboard.press("]")
    expect(page.locator(".details h3")).to_contain_text("Chunk 3")
    shown(page.get_by_text(CHUNK_ID))
    settled(page)
    assert sum(sizes) < 400_000
    # What a person closes in the tree stays closed when the choice is reported.
    page.locator(".text .segment[data-leaf='1']").first.click()
    row = page.get_by_role("treeitem", selected=True)
    expect(row).to_have_count(1)
    for _ in range(2):  # to its parent, and that one shut
        page.get_by_role("tree").press("ArrowLeft")
    expect(row).to_have_count(0)
    shown(page.get_by_text(CHUNK_ID))
    settled(page)
    expect(row).to_have_count(0)


def test_the_tree_and_the_keys(address: str, versions: dict[str, str], page: Page) -> None:
    open_document(page, address, versions["api.md"])
    the_tree_is_walked_with_arrows(page)
    a_sheet_of_keys_opens(page)


def the_tree_is_walked_with_arrows(page: Page) -> None:
    tree = page.get_by_role("tree")
    tree.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".details h3")).to_contain_text("Chunk 1")
    expect(page.get_by_role("treeitem", selected=True)).to_have_count(1)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("treeitem", expanded=True)).to_have_count(1)


def a_sheet_of_keys_opens(page: Page) -> None:
    shown(page.get_by_role("button", name=re.compile("keys", re.IGNORECASE)))
    keys_ready(page)
    page.keyboard.press("?")
    shown(page.get_by_role("heading", name="Keys of this page"))
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Keys of this page")).to_be_hidden()


def test_a_link_lights_its_span_is_copied_and_nothing_is_hard_to_read_in_either_theme(
    address: str, versions: dict[str, str], page: Page
) -> None:
    open_document(page, address, versions["api.md"], "357-579")
    expect(page.locator(".text .segment.focus").first).to_be_in_viewport()
    expect(page.locator(".details h3")).to_contain_text("Chunk 2")
    link = copied(page, page.get_by_role("button", name="Copy link"))
    assert link.endswith(urlencode({"document": versions["api.md"], "span": "357-579"}))
    page.locator(".text").focus()
    page.keyboard.press("f")
    page.get_by_role("textbox", name="Find in this document").fill("scopes")
    expect(page.locator(".find-count")).to_contain_text("of")
    legend = the_legend_names_every_mark(page)
    assert faults(page) == []
    page.keyboard.press("Escape")
    expect(legend).to_be_hidden()
    the_theme_changes_under_an_open_document(page)
    expect(page.locator(".find-count")).to_contain_text("of")  # what was found is still marked
    page.get_by_role("button", name="Legend").click()
    assert faults(page, COLOURS) == []  # in the dark


def the_legend_names_every_mark(page: Page) -> Locator:
    legend = page.locator("dl.legend")
    expect(legend).to_be_hidden()
    page.get_by_role("button", name="Legend").click()
    for word in ("Overlap", "Bracket", "Prefix", "Found", "Lost", "Marked answer", "Edited"):
        expect(legend).to_contain_text(word)
    return legend


def the_theme_changes_under_an_open_document(page: Page) -> None:
    paper = "(reader) => getComputedStyle(reader).backgroundColor"
    page.locator(".text .segment[data-leaf='2']").first.click()
    expect(page.locator(".details h3")).to_contain_text("Chunk 3")
    light = str(page.locator(".reader").evaluate(paper))
    turn(page, "dark")  # at once: the choice is drawn here before the server is told of it
    assert str(page.locator(".reader").evaluate(paper)) != light
    expect(page.locator(".details h3")).to_contain_text("Chunk 3")
    assert sum(int(part) for part in re.findall(r"\d+", light)[:3]) > 600


def test_code_keeps_its_margin_and_a_locked_files_pages_ask_for_its_password(
    address: str, versions: dict[str, str], page: Page
) -> None:
    open_document(page, address, versions["quack.py"])
    code_behind_a_blank_line_is_as_far_from_the_margin_as_in_its_file(page)
    pick(page, "locked")
    expect(page.locator(".text")).to_contain_text("tide table")
    settled(page)
    a_locked_files_pages_ask_for_its_password(page)


def code_behind_a_blank_line_is_as_far_from_the_margin_as_in_its_file(page: Page) -> None:
    block = page.locator(".block.code", has_text="second = 2").first
    expect(block).to_have_css("text-indent", re.compile(r"^[1-9]"))
    expect(page.locator(".block.code", has_text="def quack").first).to_have_css("text-indent", "0px")


def test_links_lead_out_by_a_click_alone_and_within_the_library_to_their_place(
    address: str, versions: dict[str, str], page: Page
) -> None:
    open_document(page, address, versions["links.md"])
    links_of_a_document_open_by_a_click_alone(page)
    links_within_the_library_lead_to_their_place_and_back_by_the_browser(page, versions)


def links_of_a_document_open_by_a_click_alone(page: Page) -> None:
    page.evaluate("() => { window.opened = []; window.open = (...how) => { window.opened.push(how); return null; }; }")
    links = page.locator(".text").get_by_role("link", name=re.compile("manual|this|lost"))
    expect(links).to_have_count(1)  # what would run something or leads nowhere is shown, and is no link
    assert page.locator(".text a").count() == 0  # an address of its own would be looked up by the browser itself
    links.first.click()
    until(lambda: bool(page.evaluate("window.opened")))
    assert page.evaluate("window.opened") == [["https://manual.example/page", "_blank", "noopener,noreferrer"]]
    assert page.evaluate("window.hurt") is None
    assert len(page.context.pages) == 1


def links_within_the_library_lead_to_their_place_and_back_by_the_browser(page: Page, versions: dict[str, str]) -> None:
    link = page.locator(".text").get_by_role("link", name=re.compile("errors|coda|no part"))
    link.nth(2).click()
    shown(page.get_by_text("Nothing in this document is called “none”"))
    coda, start = page.locator(".text .block.h2", has_text="Coda"), page.locator(".text .block.h1", has_text="Links")
    link.nth(1).focus()
    page.keyboard.press("Enter")
    expect(coda).to_be_in_viewport()
    expect(page).to_have_url(re.compile("span="))
    for leads, heading in ((page.go_back, start), (page.go_forward, coda), (page.go_back, start)):
        settled(page)
        leads()
        expect(heading).to_be_in_viewport()
    # Back leads to where the link stands, whatever was read or chosen between: here the coda again, and its chunk.
    settled(page)
    link.nth(1).click()
    expect(coda).to_be_in_viewport()
    page.locator(".text").evaluate("(host) => { host.scrollTop = 0; }")
    link.nth(0).click()
    expect(page.locator(".text .block.h2", has_text="Errors")).to_be_in_viewport()
    expect(page).to_have_url(re.compile(versions["api.md"]))
    settled(page)
    page.go_back()
    expect(start).to_be_in_viewport()


def a_locked_files_pages_ask_for_its_password(page: Page) -> None:
    choose(page, "Page")
    field = page.get_by_label("Password of the file")
    for word, answer in (
        ("wrong", page.get_by_text("the password did not open it")),
        (PASSWORD, page.locator(".frame img")),
    ):
        expect(field).to_have_count(1)
        settled(page)
        field.fill(word)
        page.get_by_role("button", name="Unlock").click()
        shown(answer)


def test_find_leads_through_the_pages_too_and_a_return_finds_the_chunk_again(
    address: str, versions: dict[str, str], page: Page
) -> None:
    open_document(page, address, versions["quarterly-report.pdf"])
    expect(page.locator(".fold.audit")).to_contain_text("characters are in a chunk")
    expect(page.locator(".fold.reading")).to_contain_text(re.compile(r"A second reading by .+ found [\d,]+ words"))
    choose(page, "Page")
    shown(page.locator(".frame img"))
    page.keyboard.press("f")
    page.get_by_role("textbox", name="Find in this document").fill("outlook")
    expect(page.locator(".find-count")).to_have_text(re.compile(r"^\d+ of \d+$"))
    expect(page.locator(".turn")).not_to_contain_text("Page 1 of")
    shown(page.locator(".frame .box.on"))
    assert faults_in_both(page) == []
    chosen = page.locator(".details h3").inner_text()
    expect(page).to_have_url(re.compile("chunk="))  # the choice was reported
    choose(page, "Text")
    shown(page.locator(".text .segment.on"))  # the script has run since then: it knows of the choice
    go_to(page, "Ask")
    shown(page.get_by_placeholder("Ask your documents"))
    go_to(page, "Chunks")
    expect(page.locator(".details h3")).to_have_text(chosen)


def test_evidence_is_walked_with_arrows_scrolls_is_copied_and_opened(
    address: str, versions: dict[str, str], page: Page
) -> None:
    visit(page, f"{address}/ask")
    a_sheet_of_keys_opens(page)  # before a question is typed: in its field "?" is a letter
    assert faults(page) == []
    ask(page, address, QUESTION, FULL)
    hits_are_walked_with_arrows(page)
    the_columns_scroll_together(page)
    answers_and_passages_are_copied_with_their_sources(page, versions)
    page.get_by_role("listbox").focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    shown(page.locator(".text .segment.focus"))
    expect(page).to_have_url(re.compile(r"/chunks\?.*document="))


def the_columns_scroll_together(page: Page) -> None:
    passages, hits = page.locator(".passages"), page.locator(".hits")
    expect(page.locator(".hit.on .rank")).to_have_text("1")
    start = rest(passages)
    passages.hover()
    page.mouse.wheel(0, 2500)
    until(lambda: float(passages.evaluate("(host) => host.scrollTop")) > start)
    before = rest(passages)
    rest(hits)
    expect(page.locator(".hit.on .rank")).not_to_have_text("1")
    lit = page.locator(".hit.on .rank").inner_text()
    expect(page.locator(".child.on .tag")).to_have_text(f"match {lit}")
    hits.evaluate("(host) => { host.scrollTop = 0; }")
    hits.hover()
    page.mouse.wheel(0, 300)
    until(lambda: float(passages.evaluate("(host) => host.scrollTop")) != before)


def answers_and_passages_are_copied_with_their_sources(page: Page, versions: dict[str, str]) -> None:
    answer = copied(page, page.get_by_role("button", name="Copy with sources"))
    assert answer.startswith(f"**{QUESTION}**")
    assert "> " in answer
    assert re.search(
        r"\[1\] .+ › .+ \(\w+\.md\)\nhttp://127\.0\.0\.1:\d+/chunks\?document=[0-9a-f]{64}&span=\d+-\d+", answer
    )
    passage = copied(page, page.get_by_role("button", name="Copy with source: passage 1"))
    assert not passage.startswith("**")
    assert any(f"document={version}" in passage for version in versions.values())


def hits_are_walked_with_arrows(page: Page) -> None:
    page.get_by_role("listbox").focus()
    expect(page.locator(".hit.on .rank")).to_have_text("1")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".hit.on .rank")).to_have_text("2")
    expect(page.locator(".child.on .tag")).to_have_text("match 2")
    expect(page.locator(".child.on")).to_be_in_viewport()
    page.keyboard.press("End")
    expect(page.locator(".hit").last).to_have_attribute("aria-selected", "true")
    expect(page.locator(".hit.on")).to_be_in_viewport()
    page.keyboard.press("Home")
    expect(page.locator(".hit.on .rank")).to_have_text("1")
