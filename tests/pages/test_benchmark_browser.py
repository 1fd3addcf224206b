"""A measured run in a real browser: the table, its figures, one question drawn on the text, and files to take away."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.fast_encoder import FastEncoder
from tests.pages.bench_reports import write_run
from tests.pages.browsing import COLOURS, faults, middle, settled, shown, turn, visit

# The run was never measured, so no model is loaded: what is looked at is the page.
pytestmark = [pytest.mark.browser]
HOSTILE = "<img src=x onerror='window.hurt = 1'><script>window.hurt = 1</script> The gauge at the weir. "
FILES = {"weir.md": f"# Weir\n\n{HOSTILE * 40}", "lock.md": "# Lock\n\n" + "The lock was shut at night. " * 80}
PRESETS = ("default", "flat", "recursive-1000-200")
VIEWS = (
    "Recall by budget",
    "Cost and recall",
    "By document and kind",
    "Where answers were lost",
    "Questions",
    "Settings and costs",
    "Unanswerable",
)


@pytest.fixture(scope="module")
def address(app: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp("benchmark-browser")
    write_run(place / "home" / "benchmarks", FILES, FastEncoder(), PRESETS)
    return f"{app(place / 'home')}/benchmark"


def row(page: Page, preset: str) -> Locator:
    return page.locator(".bench-table tbody tr", has=page.get_by_role("radio", name=preset))


def view(page: Page, name: str) -> None:
    """Open a view and wait for what it alone shows."""
    page.get_by_role("radio", name=name, exact=True).click()
    only = {
        "Recall by budget": page.get_by_text("Bars are 95 % intervals (bootstrap over questions)"),
        "Cost and recall": page.get_by_text("The line joins presets"),
        "By document and kind": page.get_by_text("Behind each name stands"),
        "Where answers were lost": page.get_by_text("What the parts mean"),
        "Questions": page.locator(".half-side"),
        "Settings and costs": page.get_by_text("Milliseconds of one question, by stage"),
        "Unanswerable": page.get_by_text("Questions the documents do not answer"),
    }
    shown(only[name])
    settled(page)


def chosen(page: Page, preset: str) -> None:
    """The table and the sentence below it both say so."""
    expect(row(page, preset)).to_have_class(re.compile(r"\bon\b"))
    said = f"{preset} is the baseline" if preset == PRESETS[-1] else f"{preset} against {PRESETS[-1]}"
    shown(page.get_by_text(said))


def test_a_run_is_sorted_drawn_on_the_text_and_taken_away_and_a_preset_chosen(
    address: str, page: Page, tmp_path: Path
) -> None:
    visit(page, address)
    a_preset_is_chosen_by_click_by_key_and_on_a_figure(page)
    row(page, "default").click()
    chosen(page, "default")
    heads_sort_and_figures_say_what_they_mean(page)
    a_question_is_drawn_on_the_text_under_two_presets(page)
    the_run_is_taken_away_in_two_files(page, tmp_path)


def heads_sort_and_figures_say_what_they_mean(page: Page) -> None:
    names = page.locator(".bench-table tbody .name")
    expect(names).to_have_text(list(PRESETS))
    head = page.get_by_role("button", name="recall@4000")
    head.click()
    head.click()
    expect(names).to_have_text(list(reversed(PRESETS)))  # the least first
    expect(page.locator("th[aria-sort]")).to_have_attribute("aria-sort", "ascending")
    figure = row(page, "default").locator("td").nth(1)
    expect(figure).to_have_attribute("title", re.compile(r"default: recall@4000 .* Against recursive-1000-200: "))
    expect(figure.locator(".said-aloud")).to_have_text(re.compile("better|worse|no difference seen"))


def a_question_is_drawn_on_the_text_under_two_presets(page: Page) -> None:
    view(page, "Questions")
    sides = page.locator(".half-side")
    expect(sides).to_have_count(2)
    expect(sides.first.locator(".gold.missed").first).to_be_visible()  # the misses come first
    expect(sides.first.locator(".story")).to_contain_text("The budget of 4,000 characters ended before it.")
    page.get_by_placeholder("Words of the question").fill("clause 15 weir")
    expect(page.locator(".question")).to_have_text("What does clause 15 say about the retention of records?")
    expect(sides.first.locator(".gold.read").first).to_be_visible()
    expect(sides.first.locator(".excerpt")).to_contain_text("window.hurt = 1")
    assert page.evaluate("window.hurt") is None
    assert page.locator(".bench-drill img").count() == 0
    settled(page)


def the_run_is_taken_away_in_two_files(page: Page, folder: Path) -> None:
    page.get_by_role("button", name="Export").click()
    files: dict[str, str] = {}
    for label in ("Report (HTML, one file)", "Everything (JSON)"):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=label).click()
        waiting.value.save_as(folder / "file")
        files[label] = (folder / "file").read_text(encoding="utf-8")
    assert len(json.loads(files["Everything (JSON)"])["presets"]) == len(PRESETS)
    assert "<script>window.hurt" not in files["Report (HTML, one file)"]


def a_preset_is_chosen_by_click_by_key_and_on_a_figure(page: Page) -> None:
    chosen(page, "default")
    row(page, "flat").click()
    chosen(page, "flat")
    page.get_by_role("radio", name="flat").press("ArrowUp")
    chosen(page, "default")
    settled(page)
    expect(page.get_by_role("radio", name="default")).to_be_focused()  # though the table was drawn anew
    view(page, "Cost and recall")
    point = page.locator(".scatterlayer .point").last
    point.scroll_into_view_if_needed()
    settled(page)
    point.hover(force=True)  # Plotly takes a click for the point it has shown the name of
    label = page.locator(".hoverlayer .hovertext")
    shown(label)
    named = next(name for name in PRESETS if (label.text_content() or "").startswith(name))
    page.mouse.click(*middle(point))
    assert named != "default"
    chosen(page, named)


def test_axe_finds_no_serious_fault_on_any_view(address: str, page: Page) -> None:
    visit(page, address)
    for name in VIEWS:
        view(page, name)
        assert faults(page) == [], name
    turn(page, "dark")  # that its colours can be seen is held by test_palette
    for name in ("Cost and recall", "Questions"):
        view(page, name)
        assert faults(page, COLOURS) == [], name
    page.get_by_text("Vary settings").click()
    shown(page.get_by_text("Starting from"))
    settled(page)
    assert faults(page) == []
