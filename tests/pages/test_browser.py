"""The app in a real browser: from an empty library to an inspected chunk, an answer with evidence, and a benchmark."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from core.library import Library
from tests.pages.browsing import choose, pick, settled, shown, tick_only, until, visit, visiting

# The browser and the app are other processes, reached over sockets; what they may reach is checked in `visiting`.
pytestmark = [pytest.mark.browser]
HOSTILE = (
    "<script>window.hurt = 1</script><img src=x onerror='window.hurt = 1'> # Title\n\n[click](javascript:hurt) :red[x]"
)


@pytest.fixture(scope="module")
def samples_loaded(app: Callable[..., str], tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> str:
    """One click on the empty library loads the samples, and a reload while they load disturbs nothing."""
    home = tmp_path_factory.mktemp("browser") / "home"
    address = app(home)
    with visiting(browser) as page:
        visit(page, address)
        offer = page.get_by_role("button", name="Try it with samples")
        offer.click()
        expect(offer).to_have_count(0)  # the work is in the queue: until it is done and from then on
        page.reload()
        expect(documents(page)).to_have_text("13")
        with Library.open(home, write=False) as library:
            until(lambda: all(job.finished for job in library.queue.jobs()))
        expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    return address


def documents(page: Page) -> Locator:
    return page.locator("[data-testid=stMetric]", has_text="Documents").locator("[data-testid=stMetricValue]")


def test_a_pdf_page_carries_the_chosen_chunk(samples_loaded: str, page: Page) -> None:
    visit(page, samples_loaded + "/chunks")
    pick(page, "quarterly-report")
    expect(page.locator(".tree-body")).to_contain_text("Key figures")
    page.keyboard.press("]")  # the picker still has the focus
    expect(page.locator(".details h3")).to_contain_text("Chunk 1")
    settled(page)
    choose(page, "Page")
    shown(page.locator(".frame img"))
    page.locator(".frame .box").first.click()
    shown(page.locator(".frame .box.on"))
    page.get_by_role("button", name="Next page").click()
    expect(page.locator(".turn")).to_contain_text("Page 2 of")
    page.locator(".leaf-row").first.click()
    expect(page.locator(".turn")).to_contain_text("Page 1 of")
    # A running header: on the page as in the text, the way to it leads there.
    page.locator(".gap-row").nth(2).click()
    expect(page.locator(".turn")).to_contain_text("Page 3 of")
    page.locator(".ruler").click(position={"x": 8, "y": 4})
    expect(page.locator(".turn")).to_contain_text("Page 1 of")
    # However fast a person steps, the page follows the chosen chunk.
    expect(page.locator(".details h3")).to_contain_text("Chunk 1 of")
    for _ in range(12):
        page.keyboard.press("]")
        page.wait_for_timeout(280)  # the pace that is tried: just beyond the delay after which a choice is reported
    expect(page.locator(".details h3")).to_contain_text("Chunk 13 of")
    shown(page.locator(".frame .box.on[data-leaf='12']"))


def test_a_hostile_upload_is_text_and_can_be_thrown_away(samples_loaded: str, page: Page) -> None:
    visit(page, samples_loaded)
    name = "..\\<img src=x onerror=alert(1)>.md"
    page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files(
        {"name": name, "mimeType": "text/markdown", "buffer": HOSTILE.encode()}
    )
    expect(documents(page)).to_have_text("14")
    shown(page.get_by_text("read: ready for questions"))  # where its bar stood
    visit(page, f"{samples_loaded}/chunks")
    pick(page, "onerror")
    expect(page.locator(".reader .text")).to_contain_text("window.hurt = 1")
    settled(page)
    assert page.evaluate("window.hurt") is None
    assert page.locator(".reader .text img").count() == 0
    page.get_by_role("link", name="Library").click()
    tick_only(page, "onerror")
    page.get_by_role("button", name="To the trash").click()
    shown(page.get_by_role("button", name="Undo"))
    expect(documents(page)).to_have_text("13")
