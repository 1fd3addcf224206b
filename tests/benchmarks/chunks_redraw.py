"""How long a dial of the Chunks page takes to be seen in the reader and in the plot beside it, by the browser's clock.

Usage: python tests/benchmarks/chunks_redraw.py [--words 100000] [--turns 8]

Puts a document of so many words into a new library with the real embedder, opens the page, waits for the sentences'
vectors, and turns the slider of the largest child with each plot on show. Prints a table of milliseconds from the
request to the server to the reader painted, and to the plot's last change painted. Nothing is asserted: it is for
people to read.
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
from tests.pages.test_chunks_browser import panel, sentence, size  # noqa: E402

SENTENCES = 14  # in a section
PLOTS = ("Curve", "Sizes", "Tree")  # the tree is open at first, and choosing it then would fold it away
# Beside the reader's clock: when the plot last changed.
WATCH = """() => {
  new MutationObserver((changes) => {
    const drawn = changes.some((change) => change.target.closest?.(".stPlotlyChart"));
    if (drawn && clock.key) requestAnimationFrame(() => setTimeout(() => { clock.plotted = performance.now(); }));
  }).observe(document.body, { subtree: true, childList: true, attributes: true });
  window.addEventListener("keydown", () => { clock.plotted = 0; }, true);
}"""


def written(words: int) -> str:
    """A handbook of about so many words."""
    parts, counted, section = ["# The works\n"], 0, 0
    while counted < words:
        said = "".join(sentence(section, number) for number in range(SENTENCES))
        parts.append(f"## Part {section}\n\n{said}\n")
        counted, section = counted + len(said.split()), section + 1
    return "\n".join(parts)


def turned(page: Page, key: str) -> tuple[float, float]:
    """Milliseconds from the request to the reader and to the plot painted, for one turn of the slider."""
    page.keyboard.press(key)
    page.wait_for_function("() => clock.painted > 0")
    settled(page)
    page.wait_for_timeout(700)  # a plot changes some time after the script has ended
    reader: float = page.evaluate("() => clock.painted - clock.asked")
    plot: float = page.evaluate("() => (clock.plotted || NaN) - clock.asked")
    return reader, plot


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--turns", type=int, default=8)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home, handbook = Path(folder) / "library", Path(folder) / "handbook.md"
        handbook.write_text(written(arguments.words), encoding="utf-8")
        with Library.open(home) as library:
            library.apply(Settings().with_value("chunking.chunker", "semantic"))
            library.ingest([Incoming("handbook.md", path=handbook)])
            library.set_preference("tour", "skipped")
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
            print(f"{'ms, median (most)':<20}{'reader':>16}{'plot':>16}")
            for name in PLOTS:
                panel(page, name)
                shown(page.locator(".st-key-chunks_panel_body .stPlotlyChart"))
                settled(page)
                size(page).focus()
                rows = [turned(page, "ArrowRight") for _ in range(arguments.turns)]
                cells = [f"{statistics.median(found):.0f} ({max(found):.0f})" for found in zip(*rows, strict=True)]
                print(f"{name:<20}{cells[0]:>16}{cells[1]:>16}")
            browser.close()


if __name__ == "__main__":
    main()
