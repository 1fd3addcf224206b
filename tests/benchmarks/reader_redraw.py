"""How long a dial's new cut takes to be on the screen, by the browser's own clock.

Usage: python tests/benchmarks/reader_redraw.py [--words 100000] [--turns 12]

Turns the slider of ``tests/pages/reader_app.py``, which cuts a document of so many words anew, with the text scrolled
to its middle and a chunk chosen. Prints a table: from the key to the request (Streamlit waits a while for the next
key), from there to the cut being in the page (chunking, packing, the way there and back), reading the cut, drawing it,
and from its end to the frame painted; then the longest task of the browser's main thread, from its trace. Nothing is
asserted: it is for people to read.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import CDPSession, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.pages.browsing import serving, settled, shown, visit  # noqa: E402

CHARACTERS_PER_WORD = 4.68  # of that app's document
CHROMIUM = Path("/usr/bin/chromium")
# Notes when a key went down, when the page asked the server, and when the frame after a draw was painted.
CLOCK = """() => {
  window.clock = { key: 0, asked: 0, painted: 0 };
  const keyDown = () => Object.assign(clock, { key: performance.now(), asked: 0, painted: 0 });
  window.addEventListener("keydown", keyDown, true);
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (...what) {
    if (clock.key && !clock.asked) clock.asked = performance.now();
    return send.apply(this, what);
  };
  const paint = () => setTimeout(() => { clock.painted ||= performance.now(); });
  new PerformanceObserver((list) => {
    for (const { name } of list.getEntries()) if (name === "lectern.draw") requestAnimationFrame(paint);
  }).observe({ entryTypes: ["measure"] });
}"""
READ = """() => {
  const last = (name) => performance.getEntriesByName(name).at(-1) ?? { startTime: NaN, duration: NaN };
  const read = last("lectern.read"), draw = last("lectern.draw"), parsed = read.startTime > clock.key;
  return {
    "key to request": clock.asked - clock.key,
    "request to cut": (parsed ? read.startTime : draw.startTime) - clock.asked,
    "read": parsed ? read.duration : 0,
    "draw": draw.duration,
    "draw to painted": clock.painted - draw.startTime - draw.duration,
    "request to painted": clock.painted - clock.asked,
    "key to painted": clock.painted - clock.key,
  };
}"""


def turned(page: Page, key: str) -> dict[str, float]:
    """One turn of the slider, in ms."""
    page.keyboard.press(key)
    page.wait_for_function("() => clock.painted > 0")
    settled(page)
    row: dict[str, float] = page.evaluate(READ)
    return row


def longest_task(session: CDPSession, act: Callable[[], None]) -> float:
    """The longest task of the main thread while something is done, in ms, from the browser's trace."""
    events: list[dict[str, Any]] = []
    done: list[bool] = []
    session.on("Tracing.dataCollected", lambda found: events.extend(found["value"]))
    session.on("Tracing.tracingComplete", lambda _: done.append(True))
    session.send(
        "Tracing.start",
        {
            "categories": "devtools.timeline,disabled-by-default-devtools.timeline,toplevel",
            "transferMode": "ReportEvents",
        },
    )
    act()
    session.send("Tracing.end")
    while not done:
        session.send("Browser.getVersion")  # lets events in
    named = [event for event in events if event["name"] == "thread_name"]
    main = {(event["pid"], event["tid"]) for event in named if event["args"]["name"] == "CrRendererMain"}
    tasks = [event for event in events if event["name"] == "RunTask" and (event["pid"], event["tid"]) in main]
    return max((float(task.get("dur", 0)) for task in tasks), default=0.0) / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=100_000)
    parser.add_argument("--turns", type=int, default=12)
    arguments = parser.parse_args()
    variables = {"LECTERN_TEST_CHARACTERS": str(int(arguments.words * CHARACTERS_PER_WORD))}
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder) / "none", "tests/pages/reader_app.py", variables) as address,
        sync_playwright() as started,
    ):
        browser = started.chromium.launch(
            executable_path=CHROMIUM if CHROMIUM.exists() else None, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.add_init_script(f"({CLOCK})()")
        visit(page, address)
        shown(page.locator(".text .segment"))
        page.locator(".ruler").click(position={"x": 10, "y": 300})
        page.locator(".text .segment[data-leaf]").nth(8).click()
        settled(page)
        page.get_by_role("slider").focus()
        print(page.locator(".ruler").get_attribute("aria-label"))
        rows: list[dict[str, float]] = []
        longest = longest_task(
            page.context.new_cdp_session(page),
            lambda: rows.extend(turned(page, "ArrowRight") for _ in range(arguments.turns)),
        )
        print(page.locator(".ruler").get_attribute("aria-label"))
        browser.close()
    print(f"{'ms':<20}{'median':>8}{'most':>8}")
    for name in rows[0]:
        values = [row[name] for row in rows]
        print(f"{name:<20}{statistics.median(values):>8.0f}{max(values):>8.0f}")
    print(f"{'longest task':<20}{'':>8}{longest:>8.0f}")


if __name__ == "__main__":
    main()
