"""How long a dial of the Chunks page takes to be seen in the reader and in the plot beside it, by the browser's clock.

Usage: python tests/benchmarks/chunks_redraw.py [--words 100000] [--turns 8] [--home FOLDER]

Puts a document of so many words into a new library with the real embedder, opens the page, waits for the sentences'
vectors, and turns the slider of the largest child with each plot on show. Prints a table of milliseconds from the
request to the server to the reader painted, and to the plot's last change painted; a plot that a turn leaves as it is
does not count, and how many did is said. ``--home``: where the library is kept, and found again by the next run.
Nothing is asserted: it is for people to read. While a turn is timed nothing is asked of the page: Playwright's
``expect`` reads all of it whenever it has to wait, half a second of the very thread that draws.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from core.library import Incoming, Library  # noqa: E402
from core.settings import Settings  # noqa: E402
from tests.benchmarks.reader_redraw import CHROMIUM, CLOCK  # noqa: E402
from tests.pages.browsing import serving, settled, shown, visit  # noqa: E402
from tests.pages.test_chunks_browser import WORDS, panel, sentence, size  # noqa: E402

PLOTS = {"Tree": ".icicle .bar", "Curve": ".stPlotlyChart", "Sizes": ".stPlotlyChart"}
# Beside the reader's clock: when the plot last changed. Streamlit puts another in the place of a Plotly figure that
# changes; the tree is a component of ours, and says itself that it has drawn a cut.
WATCH = """() => {
  const paint = () => setTimeout(() => { clock.plotted = performance.now(); });
  const plotted = () => { if (clock.key) requestAnimationFrame(paint); };
  new PerformanceObserver((list) => { if (list.getEntriesByName("lectern.icicle").length) plotted(); })
    .observe({ entryTypes: ["measure"] });
  const plots = (node) => (node.nodeType === 1 ? node : node.parentElement)?.closest(".st-key-chunks_panel_body");
  new MutationObserver((changes) => {
    const drawn = changes.some(({ target, addedNodes }) =>
      plots(target)?.querySelector(".stPlotlyChart") &&
      (target.closest?.(".stPlotlyChart") || [...addedNodes].some((node) => node.querySelector?.(".stPlotlyChart"))));
    if (drawn) plotted();
  }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  window.addEventListener("keydown", () => { clock.plotted = 0; }, true);
}"""
# On a slow machine the plot may come long after the reader: the script's end is waited for, too.
AT_REST = """() => clock.painted && performance.now() - Math.max(clock.painted, clock.plotted) > 2000 &&
  document.querySelector("[data-testid=stApp]").dataset.testScriptState === "notRunning"
"""


def written(words: int) -> str:
    """A handbook of about so many words, in sections and sentences of many lengths."""
    parts, counted, section = ["# The works\n"], 0, 0
    while counted < words:
        said = "".join(_line(section, number) for number in range(8 + section * 7 % 41))
        parts.append(f"## Part {section}\n\n{said}\n")
        counted, section = counted + len(said.split()), section + 1
    return "\n".join(parts)


def _line(section: int, number: int) -> str:
    beside = " and ".join(WORDS[(section + number * step) % 10] for step in range((section * 5 + number * 3) % 7))
    return sentence(section, number).replace(" alone", f" alone, nor {beside}" if beside else " alone")


def turned(page: Page, key: str) -> tuple[float, float]:
    """Milliseconds from the request to the reader and to the plot painted, for one turn of the slider.

    The plot's are nan where it stayed as it was.
    """
    page.keyboard.press(key)
    page.wait_for_function(AT_REST)
    reader: float = page.evaluate("() => clock.painted - clock.asked")
    plot: float = page.evaluate("() => (clock.plotted || NaN) - clock.asked")
    return reader, plot


def told(times: list[float]) -> str:
    """Median and most of those that are numbers."""
    found = [time for time in times if time == time]
    return f"{statistics.median(found):.0f} ({max(found):.0f}), {len(found)}" if found else "none"


def filled(home: Path, words: int) -> None:
    """A library of the handbook alone, made if it is not there."""
    if home.exists():
        return
    home.parent.mkdir(parents=True, exist_ok=True)
    handbook = home.with_name("handbook.md")
    handbook.write_text(written(words), encoding="utf-8")
    with Library.open(home) as library:
        library.apply(Settings().with_value("chunking.chunker", "semantic"))
        library.ingest([Incoming("handbook.md", path=handbook)])
        library.set_preference("tour", "skipped")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--turns", type=int, default=8)
    parser.add_argument("--home", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = arguments.home or Path(folder) / "library"
        filled(home, arguments.words)
        with serving(home) as address, sync_playwright() as started:
            browser = started.chromium.launch(
                executable_path=CHROMIUM if CHROMIUM.exists() else None, args=["--no-sandbox", "--disable-gpu"]
            )
            page = browser.new_page(viewport={"width": 1600, "height": 1000})
            page.set_default_timeout(600_000)
            page.add_init_script(f"({CLOCK})()")
            visit(page, f"{address}/chunks")
            shown(page.locator(".text .segment"))
            page.evaluate(f"({WATCH})()")
            print(page.locator(".ruler").first.get_attribute("aria-label"))
            print(f"{'ms: median (most), turns':<26}{'reader':>18}{'plot':>18}")
            for name, plot in PLOTS.items():
                if name != "Tree":  # which is open at first: choosing it then would fold it away
                    panel(page, name)
                shown(page.locator(f".st-key-chunks_panel_body {plot}"))
                settled(page)
                size(page).focus()
                rows = [turned(page, "ArrowRight") for _ in range(arguments.turns)]
                reader, beside = (told(list(times)) for times in zip(*rows, strict=True))
                print(f"{name:<26}{reader:>18}{beside:>18}")
            browser.close()


if __name__ == "__main__":
    main()
