"""The app in a real browser: from an empty library to an inspected chunk, an answer with evidence, and a benchmark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.pages.browsing import SLOW, THEMES, serving, settled, shown, until, visit, visiting

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
def samples_loaded(address: str, browser: Browser) -> str:
    """One click on the empty library loads the samples, and a reload while they load disturbs nothing."""
    with visiting(browser) as page:
        visit(page, address)
        page.get_by_role("button", name="Try it with samples").click()
        shown(page.get_by_role("button", name="Cancel"))
        page.reload()
        metric = page.locator("[data-testid=stMetric]", has_text="Documents")
        expect(metric).to_contain_text("13", timeout=SLOW)
        expect(page.get_by_role("button", name="Cancel")).to_have_count(0, timeout=SLOW)
    return address


@pytest.mark.parametrize("theme", THEMES)
def test_a_chunk_is_chosen_by_click_key_and_tree(samples_loaded: str, browser: Browser, theme: str) -> None:
    with visiting(browser, theme) as page:
        visit(page, f"{samples_loaded}/chunks")
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
        page.locator("[data-testid=stSelectbox]").first.click()
        page.get_by_role("option", name=re.compile("quarterly-report")).click()
        expect(page.locator(".tree-body")).to_contain_text("Key figures", timeout=SLOW)
        page.keyboard.press("]")  # the picker still has the focus
        expect(page.locator(".details h3")).to_contain_text("Chunk 1")
        settled(page)
        page.get_by_role("radio", name="Page").or_(page.get_by_role("button", name="Page", exact=True)).first.click()
        shown(page.locator(".frame img"))
        page.locator(".frame .box").first.click()
        shown(page.locator(".frame .box.on"))
        page.get_by_role("button", name="Next page").click()
        expect(page.locator(".turn")).to_contain_text("Page 2 of", timeout=SLOW)
        page.locator(".leaf-row").first.click()
        expect(page.locator(".turn")).to_contain_text("Page 1 of", timeout=SLOW)
        page.locator(".gap-row").nth(
            2
        ).click()  # a running header: on the page as in the text, the way to it leads there
        expect(page.locator(".turn")).to_contain_text("Page 3 of", timeout=SLOW)
        page.locator(".ruler").click(position={"x": 8, "y": 4})
        expect(page.locator(".turn")).to_contain_text("Page 1 of", timeout=SLOW)
        # However fast a person steps, the page follows the chosen chunk.
        for _ in range(12):
            page.keyboard.press("]")
            page.wait_for_timeout(280)  # just beyond the delay after which the choice is reported
        shown(page.locator(".frame .box.on"))


@pytest.mark.parametrize("theme", THEMES)
def test_a_question_brings_children_passages_and_a_citation(samples_loaded: str, browser: Browser, theme: str) -> None:
    with visiting(browser, theme) as page:
        visit(page, f"{samples_loaded}/ask")
        page.get_by_placeholder("Ask your documents").fill("How long is an access token valid?")
        page.keyboard.press("Enter")
        shown(page.locator(".quote"))
        expect(page.locator(".answer")).to_contain_text("3600 seconds")
        assert page.locator(".hit").count() >= 5
        assert page.locator(".passage mark.child").count() >= 1
        page.locator(".hit:not(.out)").nth(1).click()
        shown(page.locator(".passage.on mark.child.on"))
        expect(page.locator(".passage.on mark.child.on").first).to_be_in_viewport()
        shown(page.locator(".ladder .way.read"))
        before = page.locator(".room-words").inner_text()
        page.get_by_role("slider", name="Budget, tokens").press("Home")
        expect(page.locator(".room-words")).not_to_have_text(before, timeout=SLOW)
        expect(page.locator(".room-words")).to_contain_text("of 100 tokens")
        page.get_by_role("button", name="Reset to the library's settings").click()
        expect(page.locator(".room-words")).to_have_text(before, timeout=SLOW)
        page.get_by_role("tab", name="Prompt").click()
        shown(page.locator("[data-testid=stCode]", has_text="How long is an access token valid?"))
        quoted = page.locator(".quote .said").first.inner_text()
        page.locator(".quote .cite").first.click()
        shown(page.locator(".segment.focus"))
        cited = " ".join(" ".join(page.locator(".segment.focus").all_inner_texts()).split())
        assert cited == " ".join(quoted.split())
        expect(page.locator(".segment.focus").first).to_be_in_viewport()
        assert "span=" in page.url
        page.get_by_role("link", name="Ask").click()
        shown(page.locator(".hit"))  # the question is still there


def test_the_samples_are_measured_and_the_run_survives_leaving_the_page(samples_loaded: str, browser: Browser) -> None:
    with visiting(browser) as page:
        visit(page, f"{samples_loaded}/benchmark")
        page.get_by_role("button", name="Run", exact=True).click()
        shown(page.get_by_role("button", name="Cancel"))
        page.get_by_role("link", name="Library").click()
        settled(page)
        page.get_by_role("link", name="Benchmark").click()
        shown(page.locator("[data-testid=stPlotlyChart] .js-plotly-plot"))
        shown(page.get_by_text("Questions the documents do not answer"))
        assert page.locator("[data-testid=stDataFrame]").count() >= 2


def test_a_hostile_upload_is_text_and_can_be_thrown_away(samples_loaded: str, browser: Browser) -> None:
    with visiting(browser) as page:
        visit(page, samples_loaded)
        name = "..\\<img src=x onerror=alert(1)>.md"
        page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files(
            {"name": name, "mimeType": "text/markdown", "buffer": HOSTILE.encode()}
        )
        metric = page.locator("[data-testid=stMetric]", has_text="Documents")
        expect(metric).to_contain_text("14", timeout=SLOW)
        visit(page, f"{samples_loaded}/chunks")
        page.locator("[data-testid=stSelectbox]").first.click()
        page.get_by_role("option").last.click()
        expect(page.locator(".reader .text")).to_contain_text("window.hurt = 1", timeout=SLOW)
        assert page.evaluate("window.hurt") is None
        assert page.locator(".reader .text img").count() == 0
        page.get_by_role("link", name="Library").click()
        page.get_by_placeholder("Filter by title").fill("onerror")
        page.get_by_role("button", name="Open in Chunks").wait_for()
        table = page.locator("[data-testid=stDataFrame]")
        until(lambda: table.count() == 1 and (table.bounding_box() or {"height": 999})["height"] < 100)  # one row left
        table.click(position={"x": 16, "y": 50})
        page.get_by_role("button", name="To the trash").click()
        shown(page.get_by_role("button", name="Undo"))
        expect(metric).to_contain_text("13", timeout=SLOW)


def test_an_unreadable_upload_fails_with_a_sentence_and_is_dismissed(samples_loaded: str, browser: Browser) -> None:
    with visiting(browser) as page:
        visit(page, samples_loaded)
        page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files(
            {"name": "picture.md", "mimeType": "text/markdown", "buffer": b"\x89PNG\r\n\x1a\n" + bytes(200)}
        )
        shown(page.get_by_role("button", name="Retry"))
        shown(page.get_by_text("picture.md"))
        page.get_by_role("button", name="Retry").click()
        shown(page.get_by_role("button", name="Cancel"))
        shown(page.get_by_role("button", name="Retry"))  # it failed again, and the page noticed by itself
        page.get_by_role("button", name="Dismiss").click()
        expect(page.get_by_role("button", name="Retry")).to_have_count(0, timeout=SLOW)


def test_a_second_program_reads_and_a_deep_link_opens_a_fresh_one(
    samples_loaded: str, home: Path, browser: Browser
) -> None:
    with serving(home) as second, visiting(browser) as page:
        visit(page, f"{second}/ask")
        shown(page.get_by_text("Reading only"))
        shown(page.get_by_placeholder("Ask your documents"))
        expect(page.get_by_role("link", name="Benchmark")).to_be_visible()
