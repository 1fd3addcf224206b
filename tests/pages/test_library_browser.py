"""Library and Settings in a real browser: a folder in step, a locked file, filing, the trash, and what axe sees."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, WebSocketRoute, expect

from core.library import Library
from tests.pages.browsing import (
    PASSWORD,
    faults,
    faults_in_both,
    locked_pdf,
    made,
    settled,
    shown,
    tick_only,
    visit,
    visiting,
)

pytestmark = [pytest.mark.browser]


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a note, its copy, a locked PDF, and what is passed over."""
    folder = tmp_path_factory.mktemp("papers")
    (folder / "deep").mkdir()
    for place in (folder / "note.md", folder / "deep" / "copy.md"):
        place.write_text("# Weirs\n\nA weir is lowered by hand when the mains fail.\n", encoding="utf-8")
    (folder / "left.bak").write_text("left out", encoding="utf-8")
    (folder / "link.md").symlink_to(folder / "note.md")
    locked_pdf(folder / "locked.pdf", "The tide tables are kept with the harbour master.")
    return folder


@pytest.fixture(scope="module")
def scanned(app: Callable[..., str], tmp_path_factory: pytest.TempPathFactory, papers: Path, browser: Browser) -> str:
    """The folder is looked through, read, and its locked file opened."""
    address = app(tmp_path_factory.mktemp("library-browser") / "home")
    with visiting(browser) as page:
        visit(page, address)
        page.get_by_text("Keep a folder in step").click()
        shown(page.get_by_placeholder("~/Documents/notes"))
        settled(page)
        page.get_by_placeholder("~/Documents/notes").fill(str(papers))
        page.get_by_placeholder("drafts/, *.bak").fill("*.bak")
        page.get_by_role("button", name="Look", exact=True).click()
        expect(figure(page, "Passed over")).to_have_text("2")
        page.get_by_role("button", name="Keep in step").click()
        field = page.get_by_placeholder("Its password")
        shown(field)
        expect(figure(page, "Documents")).to_have_text("2")
        expect(page.get_by_role("button", name="Cancel")).to_have_count(0)  # the others are read
        settled(page)
        expect(field).to_have_count(1)  # while the page is drawn anew, the old row may stand beside it
        field.fill(PASSWORD)
        page.get_by_role("button", name="Unlock").click()
        expect(figure(page, "Documents")).to_have_text("3")
        expect(page.get_by_role("button", name="Unlock")).to_have_count(0)
        expect(page.get_by_role("button", name="Cancel")).to_have_count(0)  # a bar that goes moves the table
    return address


def figure(page: Page, name: str) -> Locator:
    return page.locator("[data-testid=stMetric]", has_text=name).locator("[data-testid=stMetricValue]")


def test_a_document_is_filed_and_a_question_asks_its_collection_alone(scanned: str, page: Page) -> None:
    visit(page, scanned)
    tick_only(page, "locked")
    page.get_by_role("button", name="Organise").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Collections").fill("Harbour")
    shown(page.get_by_role("option", name="Add: Harbour"))
    dialog.get_by_label("Collections").press("Enter")
    expect(dialog.locator("[data-tag]:visible")).to_have_text("Harbour")
    dialog.get_by_label("Note").fill("opened with the usual word")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    visit(page, f"{scanned}/ask")
    shown(page.get_by_text("Harbour"))


def test_axe_finds_no_serious_fault(scanned: str, page: Page) -> None:
    visit(page, scanned)
    shown(page.get_by_placeholder("Filter by title"))
    assert faults_in_both(page) == []
    visit(page, f"{scanned}/settings")
    for tab in ("Embedder", "Re-ranker", "Reading and words", "Privacy", "Places and disk"):
        page.get_by_role("tab", name=tab).click()
        expect(page.get_by_role("tab", name=tab, selected=True)).to_have_count(1)
        shown(page.get_by_role("tabpanel"))
        assert faults(page) == []  # in the dark


def test_what_is_old_is_left_to_its_words_once_its_price_is_told(
    app: Callable[..., str], tmp_path: Path, page: Page
) -> None:
    home = made(tmp_path, {"old.md": "The weir is lowered by hand.", "new.md": "The mains failed at nine."})
    with closing(sqlite3.connect(home / "catalogue.sqlite")) as catalogue, catalogue:
        catalogue.execute("UPDATE source SET modified_ns = 0 WHERE name = 'old.md'")
    visit(page, app(home))
    page.get_by_role("button", name="Rarely read …").click()
    dialog = page.get_by_role("dialog")
    shown(dialog.get_by_text("1 document, 1 chunk: about"))
    unread = dialog.get_by_role("spinbutton", name="Days unread")
    unread.fill("30")
    unread.press("Enter")
    shown(dialog.get_by_text("the log of questions is off or empty"))
    settled(page)
    unread.fill("0")
    unread.press("Enter")
    dialog.get_by_role("button", name="Leave them to their words").click()
    expect(dialog).to_have_count(0)
    with Library.open(home, write=False) as library:
        assert {row.name: row.words_alone for row in library.sources()} == {"new.md": False, "old.md": True}


def test_what_a_busy_server_has_not_answered_is_said_at_once(scanned: str, browser: Browser) -> None:
    busy, held = False, list[Callable[[], None]]()

    def carry(window: WebSocketRoute) -> None:
        server = window.connect_to_server()

        def answer(said: str | bytes) -> None:
            if busy:
                held.append(lambda: window.send(said))
            else:
                window.send(said)

        server.on_message(answer)

    with visiting(browser, apart=True) as page:
        page.route_web_socket("**/_stcore/stream", carry)
        visit(page, scanned)
        asked = page.locator("body[data-asked]")
        expect(asked).to_have_count(0)
        busy = True
        page.get_by_text("Drop a folder", exact=True).click()
        expect(asked).to_have_count(1, timeout=1000)
        app = page.locator("[data-testid=stApp]")
        assert app.evaluate("(app) => getComputedStyle(app, '::after').animationName") == "lectern-working"
        busy = False
        for answer in held:
            answer()
        expect(page.get_by_text("Drop a folder here")).to_be_visible()
        expect(asked).to_have_count(0)
