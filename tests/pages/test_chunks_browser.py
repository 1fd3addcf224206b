"""The bench in a real browser: dials that redraw, an edit replayed, jumps of health and plots, two cuts compared."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from core.library import Library
from tests.pages.browsing import (
    COLOURS,
    changes,
    choose,
    faults,
    made,
    middle,
    open_document,
    resting,
    settled,
    shown,
    turn,
    until,
)

pytestmark = [pytest.mark.browser]
WORDS = ("weir", "lock", "gauge", "sluice", "otter", "heron", "pump", "valve", "dike", "polder")


def sentence(section: int, number: int) -> str:
    one, other = WORDS[section % 10], WORDS[(section * 3 + number) % 10]
    return f"The {one} number {number} of part {section} stands beside the {other}, and nobody moves it alone. "


def text_of(sections: int) -> str:
    parts = (
        f"## Part {section}\n\n{''.join(sentence(section, number) for number in range(14))}\n\n"
        for section in range(sections)
    )
    return f"# The works\n\n{''.join(parts)}"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of two documents."""
    place = made(tmp_path_factory.mktemp("bench"), {"works.md": text_of(8), "other.md": text_of(2)})
    with Library.open(place) as library:
        works = next(row.version_id for row in library.sources() if row.name == "works.md")
        boundary = library.tree(works).leaves[2].start
        library.judge("Who moves the weir?", works, boundary - 40, boundary + 40)
    return place


def opened(page: Page, address: str, home: Path) -> None:
    """The works on the bench, as they are indexed."""
    with Library.open(home, write=False) as library:
        works = next(row.version_id for row in library.sources() if row.name == "works.md")
    open_document(page, address, works)
    expect(page.locator(".reader-label")).to_have_text("As indexed")


def size(page: Page) -> Locator:
    return page.get_by_role("slider", name="Chunk, at most tokens")


def drag(page: Page, by: int) -> None:
    """Take the size's thumb in hand and let it go so many pixels further."""
    place = "(dial) => dial.closest('[style*=left]').getBoundingClientRect().toJSON()"
    thumb = resting(lambda: size(page).evaluate(place))
    x, y = thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by, y, steps=5)
    page.mouse.up()


def at_top(page: Page) -> float:
    return float(page.locator("div.text").first.evaluate("(host) => host.scrollTop"))


def test_a_dial_an_edit_a_finding_the_tree_and_the_curve(address: str, home: Path, page: Page) -> None:
    opened(page, address, home)
    a_dial_moves_the_boundaries_and_an_edit_is_replayed_after_it(page, home)
    a_finding_the_curve_and_the_tree_lead_to_their_places(page)


def a_dial_moves_the_boundaries_and_an_edit_is_replayed_after_it(page: Page, home: Path) -> None:
    assert changes(page, lambda: drag(page, -40)) > 0
    expect(page.locator(".reader-label")).to_have_text("Trial, not applied")
    page.locator(".cut.margin[data-edge]:not([data-edge='0'])").nth(1).focus()
    assert changes(page, lambda: page.keyboard.press("m")) == -1
    shown(page.locator(".edit-tag", has_text="merged"))
    shown(page.locator(".edit-notice", has_text="Merged."))
    assert changes(page, lambda: drag(page, -15)) > 0
    shown(page.locator(".edit-tag", has_text="merged"))
    page.get_by_role("button", name="Back", exact=True).click()
    expect(page.locator(".reader-label")).to_have_text("As indexed")  # the edit, too: the index followed
    shown(page.locator(".edit-tag", has_text="merged"))
    page.locator(".reader .undo").click()
    expect(page.locator(".edit-tag")).to_have_count(0)
    expect(page.locator(".reader-label")).to_have_text("As indexed")
    with Library.open(home, write=False) as library:
        assert all(not library.cutting.edits(row.version_id) for row in library.sources())


def at_rest(page: Page, host: Locator) -> None:
    """Wait until nothing in it has changed for a second: a plot is drawn in several goes, some behind the script."""
    settled(page)
    host.evaluate(
        """(host) => new Promise((rested) => {
          let last = setTimeout(rested, 1000);
          const again = () => { clearTimeout(last); last = setTimeout(rested, 1000); };
          new MutationObserver(again).observe(host, { subtree: true, childList: true, attributes: true });
        })"""
    )


def click_mark(page: Page, plot: Locator, mark: Locator) -> None:
    """One click on a mark, when the plot has noticed the mouse."""
    x, y = middle(mark)
    page.mouse.move(x - 2, y - 2)
    page.mouse.move(x, y)
    shown(plot.locator(".hovertext"))
    page.mouse.down()
    page.mouse.up()


def a_finding_the_curve_and_the_tree_lead_to_their_places(page: Page) -> None:
    page.get_by_role("combobox", name="Chunker").click()
    page.get_by_role("option", name="Fixed size").click()
    expect(page.locator(".reader-label")).to_have_text("Trial, not applied")
    finding = page.get_by_role("button", name=re.compile("chunks? ends? inside a sentence"))
    finding.click()
    expect(page.locator(".st-key-chunks_place")).to_contain_text("1 of ")
    for number in (2, 3, 4, 5):
        settled(page)
        page.get_by_role("button", name="Next place").click()
        expect(page.locator(".st-key-chunks_place")).to_contain_text(f"{number} of ")
    until(lambda: at_top(page) > 0)
    for name in ("Tree", "Curve"):
        page.locator("div.text").first.evaluate("(host) => { host.scrollTop = 0; }")
        if name == "Curve":
            choose(page, name)
        beside = page.locator(".st-key-chunks_panel_body")
        plot = beside.locator(".stPlotlyChart")
        if name == "Curve":
            shown(plot.locator(".scatterlayer .trace path.point"))
            at_rest(page, beside)
            click_mark(page, plot, plot.locator(".scatterlayer .trace").first.locator("path.point").last)
        else:
            plot.locator("g.slice path.surface").last.click()
        until(lambda: at_top(page) > 500)
    shown(page.locator(".details h3", has_text="Chunk"))


def test_the_panels_and_two_cuts_side_by_side_have_no_serious_fault(address: str, home: Path, page: Page) -> None:
    opened(page, address, home)
    a_clicked_chunk_says_what_is_known_of_it(page)
    no_panel_has_a_serious_fault_in_either_theme(page)
    two_cuts_are_marked_and_the_severed_gold_is_named(page)


def two_cuts_are_marked_and_the_severed_gold_is_named(page: Page) -> None:
    page.get_by_role("combobox", name="Compare with").click()
    page.get_by_role("option", name="Fixed size").click()
    expect(page.locator(".reader.compact")).to_have_count(2)
    expect(page.locator(".reader-label").first).to_have_text("A · As indexed")
    until(lambda: fits(page))
    for word in ("added", "removed"):
        shown(page.locator(".compare-mark", has_text=word))
    table = page.locator(".st-key-chunks_comparison")
    expect(table).to_contain_text("Answers severed")
    page.locator("div.text").first.evaluate("(host) => { host.scrollTop = 0; }")
    page.get_by_role("button", name=re.compile("Severed by A")).click()
    until(lambda: at_top(page) > 0)
    assert faults(page) == []
    # Side by side where both have room, below each other where they have not, and never a word a line.
    for width, places in ((1700, (2, 1)), (900, (1, 2))):
        page.set_viewport_size({"width": width, "height": 900})
        until(lambda places=places: tuple(map(len, standing(page))) == places)
        assert page.locator(".reader.compact").first.evaluate("(reader) => reader.clientWidth") > 350


def standing(page: Page) -> tuple[set[int], set[int]]:
    """How far from the left, and from the top, the readers stand."""
    left, top = page.evaluate(
        "() => ['left', 'top'].map((side) => [...document.querySelectorAll('.st-key-chunks_readers > *')]"
        ".map((reader) => Math.round(reader.getBoundingClientRect()[side])))"
    )
    return set(left), set(top)


def fits(page: Page) -> bool:
    """Whether the page ends where the window does."""
    main = page.locator("[data-testid=stMain]")
    return bool(main.evaluate("(main) => main.scrollHeight <= main.clientHeight"))


def a_clicked_chunk_says_what_is_known_of_it(page: Page) -> None:
    facts = page.locator(".chunk-facts")
    for leaf in (1, 3):
        page.locator(f".text .segment[data-leaf='{leaf}']").first.click()
        expect(facts).to_contain_text(f"Chunk {leaf + 1} of")
        expect(facts).to_contain_text("What is known of it")


def no_panel_has_a_serious_fault_in_either_theme(page: Page) -> None:
    beside = page.locator(".st-key-chunks_panel_body")
    for name in ("Curve", "Map", "Tree"):
        choose(page, name)
        settled(page)
        shown(beside.locator(".stPlotlyChart"))
        until(lambda: fits(page))
        assert faults(page) == [], name
    bar = beside.locator(".slice path.surface").first
    light = bar.evaluate("(bar) => getComputedStyle(bar).fill")
    turn(page, "dark")
    until(lambda: bar.evaluate("(bar) => getComputedStyle(bar).fill") != light)
    assert faults(page, COLOURS) == []
