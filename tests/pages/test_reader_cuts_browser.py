"""The reader under new cuts, in a real browser: redrawn in place, edited by mouse and key, jumped in, and compared."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.pages.browsing import changes, faults, faults_in_both, middle, rest, settled, shown, until, visit

pytestmark = [pytest.mark.browser]
# The character at the upper edge of a text, by the words that follow it, and how high it stands.
TOPMOST = """(host) => {
  const top = host.getBoundingClientRect().top;
  for (const piece of host.querySelectorAll(".segment")) {
    const walker = document.createTreeWalker(piece, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (let at = 0; at < node.length; at += 1) {
        const range = document.createRange();
        range.setStart(node, at); range.setEnd(node, at + 1);
        const box = range.getBoundingClientRect();
        if (box.height && box.bottom > top + 1) { return [node.data.slice(at, at + 30), box.top - top]; }
      }
    }
  }
}"""
# The headings in view and how high each stands.
HEADINGS = """(host) => {
  const box = host.getBoundingClientRect(), found = {};
  for (const block of host.querySelectorAll(".block.heading")) {
    const place = block.getBoundingClientRect(), name = block.querySelector(".segment").textContent.replace(/^#+ /, "");
    if (place.bottom > box.top && place.top < box.bottom) found[name] = place.top - box.top;
  }
  return found;
}"""


@pytest.fixture
def book(reader_of: Callable[[int], str]) -> str:
    return reader_of(120_000)


def opened(page: Page, address: str) -> Locator:
    """The text of the reader, drawn."""
    visit(page, address)
    shown(page.locator(".text .segment"))
    settled(page)
    return page.locator(".text").first


def handle_of(page: Page, index: int) -> Locator:
    return page.locator(f".cut[data-edge='{index}']")


def at_top(page: Page) -> None:
    """Scroll back to where the text begins."""
    text = page.locator(".text").first
    text.evaluate("(host) => { host.scrollTop = 0; }")
    assert rest(text) == 0


def cut_anew(page: Page) -> None:
    """The cut as it was at first, without an edit."""
    page.get_by_role("slider").focus()
    for key in ("ArrowRight", "ArrowLeft"):
        changes(page, lambda pressed=key: page.keyboard.press(pressed))  # type: ignore[misc]
    expect(page.locator(".edit-tag")).to_have_count(0)
    at_top(page)


def test_a_cut_says_why_is_redrawn_in_place_and_leads_to_places(book: str, page: Page) -> None:
    opened(page, book)
    a_boundary_says_why_it_is_there(page)
    a_new_cut_leaves_what_is_read_where_it_is(page)
    at_top(page)
    a_choice_stays_at_its_place_in_a_new_cut(page)
    at_top(page)
    a_jump_shows_its_span_and_chooses_its_chunk(page)
    at_top(page)
    the_card_leads_to_places_and_into_other_documents(page)


def a_boundary_says_why_it_is_there(page: Page) -> None:
    why = page.get_by_role("tooltip")
    expect(why).to_be_hidden()
    handle_of(page, 4).hover()
    expect(why).to_contain_text(re.compile(r"Chunk 4 ends \d+ characters are a full window"))
    expect(why).to_contain_text("Chunk 5 begins the window before is full")
    page.mouse.move(5, 5)
    expect(why).to_be_hidden()
    page.locator(".text").focus()
    page.keyboard.press("Tab")  # to the one handle that Tab reaches
    expect(why).to_contain_text("Chunk 1 begins")
    page.keyboard.press("ArrowDown")
    expect(why).to_contain_text("Chunk 1 ends")
    page.keyboard.press("Escape")
    expect(why).to_be_hidden()


def a_new_cut_leaves_what_is_read_where_it_is(page: Page) -> None:
    text = page.locator(".text").first
    page.locator(".ruler").click(position={"x": 10, "y": 250})
    until(lambda: float(text.evaluate("(host) => host.scrollTop")) > 3000)
    text.hover()
    page.mouse.wheel(0, 37)
    rest(text)
    before = text.evaluate(TOPMOST)
    dial = page.get_by_role("slider")
    dial.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowLeft"):
        changes(page, lambda pressed=key: page.keyboard.press(pressed))  # type: ignore[misc]
        after = text.evaluate(TOPMOST)
        assert after[0] == before[0]
        assert abs(after[1] - before[1]) < 2


def a_choice_stays_at_its_place_in_a_new_cut(page: Page) -> None:
    words = page.locator(".text .segment", has_text="mark 2.").first
    words.click()
    expect(page.locator(".details h3")).to_contain_text("Chunk")
    page.get_by_role("slider").focus()
    changes(page, lambda: page.keyboard.press("ArrowLeft"))
    expect(page.locator(".text .segment.on", has_text="mark 2.").first).to_be_visible()
    shown(page.get_by_text(re.compile(r"caret \d+")))


def test_a_cut_is_edited_by_keys_by_mouse_and_by_a_menu(book: str, page: Page) -> None:
    opened(page, book)
    the_cut_is_edited_with_keys_alone(page)
    cut_anew(page)
    a_boundary_is_dragged_along_the_text_and_escape_lets_it_go(page)
    a_refusal_is_a_line_and_changes_nothing(page)
    a_right_click_opens_what_can_be_done(page)
    cut_anew(page)
    chunks_are_split_pinned_and_switched_off_where_one_reads(page)
    axe_finds_no_serious_fault_in_an_edited_cut_in_either_theme(page)


def a_boundary_is_dragged_along_the_text_and_escape_lets_it_go(page: Page) -> None:
    handle = handle_of(page, 3)
    expect(handle).to_have_count(1)
    line = page.locator(".text .block.paragraph .run").first.bounding_box()
    assert line
    from_x, from_y = middle(handle)
    page.mouse.move(from_x, from_y)
    page.mouse.down()
    page.mouse.move(line["x"] + 260, line["y"] + 40, steps=4)
    expect(page.locator(".move-label")).to_contain_text(re.compile(r"Chunk 4 begins \d+ words? earlier"))
    page.keyboard.press("Escape")
    expect(page.locator(".move-label")).to_be_hidden()
    page.mouse.up()
    expect(page.locator(".edit-tag")).to_have_count(0)
    page.mouse.move(from_x, from_y)
    page.mouse.down()
    page.mouse.move(line["x"] + 260, line["y"] + 40, steps=4)
    expect(page.locator(".move-label")).to_contain_text("earlier")
    page.mouse.up()
    expect(page.locator(".edit-tag", has_text="boundary moved")).to_have_count(1)
    expect(page.locator(".edit-notice")).to_contain_text("Done: move")
    page.locator(".edit-notice").get_by_role("button", name="Undo").click()
    expect(page.locator(".edit-tag")).to_have_count(0)


def a_refusal_is_a_line_and_changes_nothing(page: Page) -> None:
    page.locator(".text .segment[data-leaf='0']").first.click()
    page.keyboard.press("p")
    expect(page.locator(".edit-notice.wrong")).to_contain_text("refused here")
    expect(page.locator(".edit-tag")).to_have_count(0)
    page.keyboard.press("m")
    expect(page.locator(".edit-notice.wrong")).to_contain_text("Choose a boundary first")


def a_right_click_opens_what_can_be_done(page: Page) -> None:
    menu = page.get_by_role("menu")
    handle_of(page, 3).click(button="right")
    expect(menu.get_by_role("menuitem", name="Merge chunks 3 and 4")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(menu.get_by_role("menuitem", name="Move the boundary")).to_be_focused()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(handle_of(page, 3)).to_be_focused()
    page.locator(".text .segment[data-leaf='2']").first.click(button="right", position={"x": 200, "y": 30})
    assert changes(page, lambda: menu.get_by_role("menuitem", name="Split here").click()) == 1
    handle_of(page, 3).click(button="right")
    assert changes(page, lambda: menu.get_by_role("menuitem", name="Merge").click()) == -1


def the_cut_is_edited_with_keys_alone(page: Page) -> None:
    page.keyboard.press("]")  # with nothing in hand
    expect(page.locator(".text")).to_be_focused()
    page.keyboard.press("Tab")
    expect(handle_of(page, 0)).to_be_focused()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".move-label")).to_contain_text("2 words later")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".move-label")).to_contain_text("1 word later")
    page.keyboard.press("Escape")
    expect(page.locator(".move-label")).to_be_hidden()
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator(".move-label")).to_contain_text("later")
    page.keyboard.press("Enter")
    expect(page.locator(".edit-tag", has_text="boundary moved")).to_have_count(1)
    expect(handle_of(page, 3)).to_be_focused()  # in hand again, for the next key
    assert changes(page, lambda: page.keyboard.press("m")) == -1
    shown(page.locator(".edit-tag", has_text="merged"))
    assert changes(page, lambda: page.keyboard.press("Control+z")) == 1
    assert changes(page, lambda: page.keyboard.press("Control+Shift+z")) == -1
    expect(page.locator(".edit-facts")).to_contain_text("no longer fits")


def chunks_are_split_pinned_and_switched_off_where_one_reads(page: Page) -> None:
    page.locator(".text .segment[data-leaf='2']").first.click(position={"x": 200, "y": 30})
    expect(page.locator(".caret-bar")).to_be_visible()
    assert changes(page, lambda: page.keyboard.press("s")) == 1
    shown(page.locator(".edit-tag", has_text="split"))
    page.keyboard.press("p")
    shown(page.locator(".edit-tag.pinned"))
    settled(page)
    page.keyboard.press("p")
    expect(page.locator(".edit-tag.pinned")).to_have_count(0)
    settled(page)
    assert changes(page, lambda: page.keyboard.press("d")) == -1
    expect(page.locator(".gap-word.off").first).to_have_text("switched off by hand")
    page.locator("[data-gap] .segment.gap").first.click()
    assert changes(page, lambda: page.keyboard.press("d")) == 1
    expect(page.locator(".gap-word.off")).to_have_count(0)


def a_jump_shows_its_span_and_chooses_its_chunk(page: Page) -> None:
    text = page.locator(".text").first
    page.get_by_role("button", name="Jump").click()
    until(lambda: float(text.evaluate("(host) => host.scrollTop")) > 3000)
    expect(page.locator(".text .segment.on").first).to_be_in_viewport()
    shown(page.get_by_text(re.compile(r"caret 90,?000")))


def test_two_readers_of_a_text_scroll_together_and_their_cuts_are_told_apart(book: str, page: Page) -> None:
    page.set_viewport_size({"width": 1400, "height": 900})
    opened(page, f"{book}&two=1")
    first, second = page.locator(".text").nth(0), page.locator(".text").nth(1)
    shown(second.locator(".segment"))
    for leader, follower in ((first, second), (second, first)):
        leader.hover()
        for _ in range(4):
            page.mouse.wheel(0, 700)
        # Some sections fill more than the window.
        until(lambda one=leader: bool(one.evaluate(HEADINGS) or page.mouse.wheel(0, 200)))  # type: ignore[misc]
        until(lambda one=leader, other=follower: near(one, other))  # type: ignore[misc]
    for word in ("in both", "added", "removed"):
        shown(first.locator(".compare-mark", has_text=word))
    expect(page.locator(".edit-tag, .caret-bar:visible")).to_have_count(0)
    # The second one's chunks overlap and have five levels above them: three brackets, the outer levels in one.
    second.locator(".segment.overlap").first.scroll_into_view_if_needed()
    handle = second.locator(".cut.edge").first
    handle.hover()
    expect(page.locator(".why").nth(1)).to_contain_text("a full window")
    rails = second.locator(".slab").first.locator(".rail")
    expect(rails).to_have_count(3)
    expect(second.locator(".rail.many").first).to_have_attribute("title", re.compile("level 5.*level 3", re.DOTALL))


def near(one: Locator, other: Locator) -> bool:
    """Whether both show the same headings at about the same height: their lines are not broken alike."""
    here, there = one.evaluate(HEADINGS), other.evaluate(HEADINGS)
    both = here.keys() & there.keys()
    return bool(both) and all(abs(here[name] - there[name]) < 120 for name in both) and "Section 1" not in both


def the_card_leads_to_places_and_into_other_documents(page: Page) -> None:
    text = page.locator(".text").first
    page.locator(".text .segment[data-leaf='1']").first.click()
    card = page.locator(".chunk-facts")
    expect(card.locator(".duplicate-row")).to_have_text(["Chunk 693 % alike"])
    expect(card).to_contain_text("section 40, Smith (2020)")
    expect(card.locator(".leads")).to_have_count(2)
    expect(card).to_contain_text("looking through the whole text")
    card.get_by_role("button", name="section 40").click()
    until(lambda: text.evaluate("(host) => host.scrollTop") > 1000)
    rest(text)
    expect(page.locator(".details h3").first).to_contain_text("Chunk 2 of")  # the choice stays, with its other places
    assert faults(page) == []
    card.get_by_role("button", name="Another book").click()
    shown(page.get_by_text("opened other 30 60"))


def axe_finds_no_serious_fault_in_an_edited_cut_in_either_theme(page: Page) -> None:
    page.keyboard.press("p")
    shown(page.locator(".edit-tag.pinned"))
    handle_of(page, 3).click(button="right")
    assert faults_in_both(page) == []
