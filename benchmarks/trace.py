"""How long the pages of a large library take: ``python -m benchmarks.trace LIBRARY --browser /usr/bin/chromium``.

LIBRARY is one that ``benchmarks.scale`` made; of the pages' own notes alone it is another one afterwards. The app is
started on it and seen through a browser, whose clock runs from the mouse's or a key's release to the first frame that
shows what was asked for (``shown``), and to the one where no script of the page runs any more (``rest``). A page is
opened anew in a window that knows nothing yet; ``paint`` is the first thing the browser drew of it. ``cpu`` is what app
and browser together had of the processors until then (Linux alone), which other programs lengthen least. Milliseconds,
the median and the slowest of so many turns. App and browser share the machine's cores. Development only; no test runs
it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.scale_library import KnownQuestions, World
from core.embedding import load_model
from core.library import Library
from core.settings import EmbeddingSettings
from tests.pages.browsing import SLOW, resting, serving, settled

# Of each page, what it shows of the library once it is there.
PAGES = {
    "Library": "[data-testid=stDataFrame] canvas, [data-testid=stDataFrame] table",
    "Chunks": ".text .segment",
    "Ask": "[placeholder^='Ask your documents']",
}
FIND = """
const find = (wanted, root = document) => root.querySelector(wanted)
  ?? [...root.querySelectorAll("*")].map((each) => each.shadowRoot).filter(Boolean)
    .map((shadow) => find(wanted, shadow)).find(Boolean);
const rests = () => find("[data-testid=stApp]")?.dataset.testScriptState === "notRunning";
"""
FRAMES = (
    FIND
    + """
const frames = (began, there, resolve) => {
  let seen = 0;
  const look = () => {
    seen ||= there() ? performance.now() - began : 0;
    if (seen && rests()) resolve([seen, performance.now() - began]);
    else requestAnimationFrame(look);
  };
  look();
};
"""
)
# From the release of a key or the mouse to a frame in which a sign reads otherwise.
OTHERWISE = f"""([wanted, attribute]) => {{ {FRAMES}
  const read = () => attribute ? find(wanted)?.getAttribute(attribute) : find(wanted)?.textContent;
  const before = read();
  window.traced = new Promise((resolve) => {{
    const begin = () => {{
      for (const kind of ["pointerup", "keyup"]) removeEventListener(kind, begin, true);
      frames(performance.now(), () => read() && read() !== before, resolve);
    }};
    for (const kind of ["pointerup", "keyup"]) addEventListener(kind, begin, true);
  }});
}}"""
# The same for a page by its address's last part and what it shows.
ARRIVED = f"""([path, wanted]) => {{ {FRAMES}
  const there = () => location.pathname.endsWith(path) && find(wanted);
  window.traced = new Promise((resolve) => addEventListener(
    "pointerup", () => frames(performance.now(), there, resolve), {{ capture: true, once: true }}));
}}"""
OPENED = f"""([wanted]) => new Promise((resolve) => {{ {FRAMES} frames(0, () => find(wanted), resolve); }})"""
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


def worked() -> float:
    """Milliseconds of the processors that this process's children had so far, and theirs."""
    parents, spent = {}, {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = entry.read_text("utf-8", "replace").rpartition(")")[2].split()
            parents[int(entry.parent.name)], spent[int(entry.parent.name)] = (
                int(fields[1]),
                sum(map(int, fields[11:13])),
            )
    mine = {os.getpid()}
    while more := {process for process, parent in parents.items() if parent in mine} - mine:
        mine |= more
    return 1000 / os.sysconf("SC_CLK_TCK") * sum(spent.get(process, 0) for process in mine - {os.getpid()})


def opened(browser: Browser, address: str, name: str) -> tuple[float, ...]:
    """A page in a new window: painted, shown, at rest."""
    before = worked()
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(SLOW)
    page.goto(f"{address}/{name.lower() if name != 'Library' else ''}", wait_until="commit")
    shown, rest = page.evaluate(OPENED, [PAGES[name]])
    painted, spent = page.evaluate(PAINT), worked() - before
    context.close()
    return painted, shown, rest, spent


def changed(page: Page, name: str) -> tuple[float, ...]:
    """From the click on a page's name on: shown, at rest."""
    before = worked()
    page.evaluate(ARRIVED, ["/" if name == "Library" else name.lower(), PAGES[name]])
    page.get_by_role("link", name=name, exact=True).first.click()
    return traced(page, before)


def turned(page: Page, dial: str, by: int, sign: str, attribute: str = "") -> tuple[float, ...]:
    """From letting a dial's thumb go on: what it changes shown, at rest."""
    slider = page.get_by_role("slider", name=dial)
    slider.scroll_into_view_if_needed()
    thumb = resting(lambda: slider.evaluate("(dial) => dial.closest('[style*=left]').getBoundingClientRect().toJSON()"))
    x, y = thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by, y, steps=4)
    page.evaluate(OTHERWISE, [sign, attribute])
    before = worked()
    page.mouse.up()
    return traced(page, before)


def traced(page: Page, before: float) -> tuple[float, ...]:
    """Shown, at rest, and what was worked since ``before``."""
    return *page.evaluate("() => window.traced"), worked() - before


def measured(address: str, browser: Browser, turns: int) -> dict[str, list[tuple[float, ...]]]:
    """Every turn of every kind."""
    found: dict[str, list[tuple[float, ...]]] = {}

    def note(name: str, act: Callable[[], tuple[float, ...]]) -> None:
        found.setdefault(name, []).append(act())
        print(f"{name} {' '.join(f'{each:,.0f}' for each in found[name][-1])}", file=sys.stderr, flush=True)

    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(SLOW)
    page.goto(address)
    settled(page)
    for name in ("Chunks", "Ask", "Library"):
        changed(page, name)  # once unmeasured, for what the app makes once
    for _ in range(turns):
        for name in ("Chunks", "Ask", "Library"):
            page.wait_for_timeout(500)  # a person looks before the next one
            note(f"to {name}", partial(changed, page, name))
    changed(page, "Chunks")
    for turn in range(turns):
        by = (-40, -30, 30, 40)[turn % 4]  # no size twice in a row
        page.wait_for_timeout(500)
        note("Chunks: size of a chunk", partial(turned, page, "Chunk, at most tokens", by, ".ruler", "aria-label"))
    for _ in range(turns):
        for name in PAGES:
            note(f"{name} opened", partial(opened, browser, address, name))
    return found


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", type=Path)
    parser.add_argument("--turns", type=int, default=12)
    parser.add_argument("--browser", default="", help="an executable; without one, Playwright's own")
    parser.add_argument("--json", type=Path, help="every figure, in the order it was taken")
    options = parser.parse_args()
    with TemporaryDirectory() as place, sync_playwright() as player:
        variables = {"LECTERN_SHELF": str(Path(place) / "shelf.json")}
        browser = player.chromium.launch(executable_path=options.browser or None, args=["--no-sandbox"])
        with serving(options.library, variables=variables, module="benchmarks.trace") as address:
            found = measured(address, browser, options.turns)
        browser.close()
    if options.json:
        options.json.write_text(json.dumps(found))
    for name, figures in found.items():
        columns = zip(("paint", "shown", "rest", "cpu")[-len(figures[0]) :], zip(*figures, strict=True), strict=True)
        told = (f"{column} {np.median(each):,.0f} (slowest {max(each):,.0f})" for column, each in columns)
        print(f"{name}: {', '.join(told)}", flush=True)


def run_app() -> None:
    """Streamlit's command on libraries whose vectors are made up."""
    from streamlit.web.cli import main as streamlit

    asked: dict[str, Any] = {}
    real, open_library = load_model(EmbeddingSettings()).encoder, Library.open

    def known(home: Path, **given: bool) -> Library:
        library = open_library(home, **given, encoder=KnownQuestions(asked, real))
        world, documents = World(), library.stats().documents
        asked.update(world.question(number, documents) for number in range(200))
        return library

    Library.open = known  # type: ignore[method-assign,assignment]
    streamlit(prog_name="streamlit")


if __name__ == "__main__":
    run_app() if sys.argv[1:2] == ["run"] else main()
