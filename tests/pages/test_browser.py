"""The app in a real browser: from an empty library to an inspected chunk, an answer with evidence, and a benchmark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from core.ingest.jobs import Item
from core.library import Library
from core.storage.store import now
from tests.pages.browsing import open_dials, pick, serving, settled, shown, tick_only, until, visit, visiting

# The browser and the app are other processes, reached over sockets; what they may reach is checked in `visiting`.
pytestmark = [pytest.mark.browser, pytest.mark.model, pytest.mark.enable_socket]
HOSTILE = (
    "<script>window.hurt = 1</script><img src=x onerror='window.hurt = 1'> # Title\n\n[click](javascript:hurt) :red[x]"
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("browser") / "home"


@pytest.fixture(scope="module")
def address(home: Path) -> Iterator[str]:
    with serving(home) as started:
        yield started


@pytest.fixture(scope="module")
def samples_loaded(address: str, home: Path, browser: Browser) -> str:
    """One click on the empty library loads the samples, and a reload while they load disturbs nothing."""
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


@pytest.fixture(scope="module")
def beside(samples_loaded: str, home: Path) -> Iterator[Library]:
    """The library as it is on disk: what became of work that a page may show for too short a time to see."""
    with Library.open(home, write=False) as library:
        yield library


def documents(page: Page) -> Locator:
    return page.locator("[data-testid=stMetric]", has_text="Documents").locator("[data-testid=stMetricValue]")


def failed(library: Library) -> list[Item]:
    return [item for job in library.queue.jobs() for item in library.queue.items(job.id, states=("failed",))]


def test_a_chunk_is_chosen_by_click_key_and_tree(samples_loaded: str, beside: Library, browser: Browser) -> None:
    version = next(source.version_id for source in beside.sources() if source.name == "api.md")
    with visiting(browser) as page:
        visit(page, f"{samples_loaded}/chunks?document={version}")
        page.locator(".segment[data-leaf='1']").first.click()
        expect(page.locator(".details h3")).to_contain_text("Chunk 2")
        page.keyboard.press("]")
        expect(page.locator(".details h3")).to_contain_text("Chunk 3")
        page.keyboard.press("[")
        page.keyboard.press("[")
        expect(page.locator(".details h3")).to_contain_text("Chunk 1")
        page.locator(".leaf-row").nth(4).click()
        expect(page.locator(".details h3")).to_contain_text("Chunk 5")
        expect(page.locator(".segment.on").first).to_be_in_viewport()
        expect(page.locator(".details")).to_contain_text("of 256 tokens")
        expect(page.locator(".audit")).to_contain_text("%")
        page.locator(".gap-row").first.click()
        expect(page.locator(".segment.gap").first).to_be_in_viewport()
        settled(page)


def test_a_pdf_page_carries_the_chosen_chunk(samples_loaded: str, browser: Browser) -> None:
    with visiting(browser) as page:
        visit(page, samples_loaded + "/chunks")
        pick(page, "quarterly-report")
        expect(page.locator(".tree-body")).to_contain_text("Key figures")
        page.keyboard.press("]")  # the picker still has the focus
        expect(page.locator(".details h3")).to_contain_text("Chunk 1")
        settled(page)
        page.get_by_role("radio", name="Page").or_(page.get_by_role("button", name="Page", exact=True)).first.click()
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


def test_a_question_brings_children_passages_and_a_citation(samples_loaded: str, browser: Browser) -> None:
    with visiting(browser) as page:
        visit(page, f"{samples_loaded}/ask")
        page.get_by_placeholder("Ask your documents").fill("How long is an access token valid?")
        page.keyboard.press("Enter")
        shown(page.locator(".quote"))
        expect(page.locator(".answer")).to_contain_text("3600 seconds")
        shown(page.locator(".hit").nth(4))
        shown(page.locator(".passage mark.child"))
        settled(page)
        page.locator(".hit:not(.out)").nth(1).click()
        shown(page.locator(".passage.on mark.child.on"))
        expect(page.locator(".passage.on mark.child.on").first).to_be_in_viewport()
        shown(page.locator(".ladder .way.read"))
        before = page.locator(".room-words").inner_text()  # it stands still until a dial is turned
        open_dials(page)
        page.get_by_role("slider", name="Budget, tokens").press("Home")
        expect(page.locator(".room-words")).not_to_have_text(before)
        expect(page.locator(".room-words")).to_contain_text("of 100 tokens")
        page.get_by_role("button", name="Reset to the library's settings").click()
        expect(page.locator(".room-words")).to_have_text(before)
        settled(page)
        page.get_by_role("tab", name="Prompt").click()
        shown(page.locator("[data-testid=stCode]", has_text="How long is an access token valid?"))
        quoted = page.locator(".quote .said").first.inner_text()
        page.locator(".quote .cite").first.click()
        cited = page.locator(".segment.focus")
        until(lambda: " ".join(cited.all_inner_texts()).split() == quoted.split())
        expect(cited.first).to_be_in_viewport()
        expect(page).to_have_url(re.compile("span="))
        page.get_by_role("link", name="Ask").click()
        shown(page.locator(".hit"))  # the question is still there


def test_the_samples_are_measured_and_the_run_survives_leaving_the_page(
    samples_loaded: str, beside: Library, browser: Browser
) -> None:
    with visiting(browser) as page:
        visit(page, f"{samples_loaded}/benchmark")
        page.get_by_role("button", name="Run", exact=True).click()
        until(lambda: bool(beside.queue.jobs(kinds=("bench",))))
        settled(page)  # a script that is about to run again would take the page back
        page.get_by_role("link", name="Library").click()
        expect(documents(page)).to_have_text("13")
        page.get_by_role("link", name="Benchmark").click()
        shown(page.locator("[data-testid=stPlotlyChart] .js-plotly-plot"))
        expect(page.locator(".bench-table tbody tr")).to_have_count(5)
    until(lambda: beside.queue.jobs(kinds=("bench",))[0].finished)
    assert beside.queue.jobs(kinds=("bench",))[0].state == "done"


def test_a_hostile_upload_is_text_and_can_be_thrown_away(samples_loaded: str, browser: Browser) -> None:
    with visiting(browser) as page:
        visit(page, samples_loaded)
        name = "..\\<img src=x onerror=alert(1)>.md"
        page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files(
            {"name": name, "mimeType": "text/markdown", "buffer": HOSTILE.encode()}
        )
        expect(documents(page)).to_have_text("14")
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


def test_an_unreadable_upload_fails_with_a_sentence_and_is_dismissed(
    samples_loaded: str, beside: Library, browser: Browser
) -> None:
    with visiting(browser) as page:
        visit(page, samples_loaded)
        page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files(
            {"name": "picture.md", "mimeType": "text/markdown", "buffer": b"\x89PNG\r\n\x1a\n" + bytes(200)}
        )
        retry = page.get_by_role("button", name="Retry")
        expect(retry).to_have_count(1)
        shown(page.get_by_text("picture.md"))
        settled(page)
        (first,) = failed(beside)
        until(lambda: now() > first.changed_at)  # its times are to the second: a later failure then has a later one
        retry.click()
        until(lambda: any(item.id == first.id and item.changed_at > first.changed_at for item in failed(beside)))
        # It was tried again and failed again, and however long that took, the page ends up saying so by itself.
        expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
        expect(retry).to_have_count(1)
        settled(page)
        page.get_by_role("button", name="Dismiss").click()
        expect(retry).to_have_count(0)
        until(lambda: failed(beside) == [])
