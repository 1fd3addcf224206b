"""Random actions on all pages, to find faults that no test covers: ``python -m benchmarks.monkey --actions 300``.

The app is started on a library of the samples and a second, small one, in a temporary folder. Each action is random: a
page, the other library, a button, a chunk, a citation, a slider, back, forward, reload, a question. The run fails at a
white screen, an exception on the page, an error in the browser's console, a request to another machine, or a page that
does not come to rest; the actions before it are printed. A seed fixes the choices, but what an action meets depends on
timing, so runs can differ. For development only; no test runs it.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from playwright.sync_api import Error, Page, sync_playwright

from core.library import Incoming, Library
from core.storage import shelf
from tests.pages.browsing import is_own, serving

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = ROOT / "data" / "samples" / "documents"
LIBRARIES = ("samples", "Other")
PAGES = ("Library", "Chunks", "Ask", "Benchmark", "Settings")
ASKED = ("How long is an access token valid?", "revenue in the third quarter", "type:pdf water", "zebra?", "")
# Labels that are not clicked: they would empty the library, leave the app or take minutes.
SHUNNED = ("trash", "Run", "Download", "Save a copy", "Forget", "Teach", "Remove", "Change", "Deploy", "Apply", "Look")
CLICKED = (
    "button:visible, [role=tab]:visible, [role=radio]:visible, [role=option]:visible, summary:visible, "
    ".segment:visible, .leaf-row:visible, .hit:visible, .cite:visible, .box:visible, label[data-testid=stWidgetLabel] "
    "+ div:visible"
)
REST = 180_000  # milliseconds in which a page must come to rest, on a busy machine
# Errors on the console that are ignored: a reload cuts off requests.
QUIET = ("ResizeObserver", "Failed to load resource", "net::ERR_ABORTED")


class Monkey:
    """A browser page driven at random. ``done``: the actions so far, in words. ``wrong``: the faults found."""

    def __init__(self, page: Page, address: str, dice: random.Random) -> None:
        self.page, self.address, self.dice = page, address, dice
        self.done: list[str] = []
        self.wrong: list[str] = []
        page.on("pageerror", lambda error: self.wrong.append(f"page error: {error}"))
        page.on("console", lambda message: self._heard(message.type, message.text))
        page.on("request", lambda asked: None if is_own(asked.url) else self.wrong.append(f"foreign: {asked.url}"))

    def _heard(self, kind: str, text: str) -> None:
        if kind == "error" and not any(known in text for known in QUIET):
            self.wrong.append(f"console: {text}")

    def act(self) -> None:
        """Do one random action, drawn by weight."""
        ways: dict[Callable[[], str], int] = {
            self.click: 50,
            self.visit: 14,
            self.cross: 3,
            self.ask: 10,
            self.key: 10,
            self.back: 6,
            self.forward: 3,
            self.reload: 3,
            self.hurry: 4,
        }
        way = self.dice.choices(list(ways), list(ways.values()))[0]
        try:
            self.done.append(way())
        except Error as error:  # the element is gone or covered, which also happens to people
            self.done.append(f"{way.__name__}: missed ({str(error).splitlines()[0][:80]})")

    def click(self) -> str:
        """Click any clickable element; only in the dialog if one is open, since it covers the page."""
        dialog = self.page.get_by_role("dialog")
        found = (dialog.last if dialog.count() else self.page).locator(CLICKED)
        count = found.count()
        if not count:
            return "click: nothing there"
        chosen = found.nth(self.dice.randrange(count))
        words = " ".join((chosen.inner_text(timeout=2000) or chosen.get_attribute("aria-label") or "").split())[:60]
        if any(shunned in words for shunned in SHUNNED):
            return f"click: shunned {words!r}"
        chosen.click(timeout=2000)
        return f"click: {words!r}"

    def visit(self) -> str:
        """Open a page by the navigation at the top."""
        name = self.dice.choice(PAGES)
        self.page.get_by_role("link", name=name).first.click(timeout=3000)
        return f"visit: {name}"

    def cross(self) -> str:
        """Open a page of either library by its URL."""
        way = f"{self.dice.choice(PAGES).lower().replace('library', '')}?library={self.dice.choice(LIBRARIES)}"
        self.page.goto(f"{self.address}/{way}", timeout=REST)
        return f"cross: {way}"

    def ask(self) -> str:
        """Ask a question if the page has a field for one."""
        words = self.dice.choice(ASKED)
        field = self.page.get_by_placeholder("Ask your documents")
        if not field.count():
            return "ask: no field"
        field.fill(words, timeout=2000)
        field.press("Enter")
        return f"ask: {words!r}"

    def key(self) -> str:
        """Press one of the app's keys."""
        key = self.dice.choice(["[", "]", "f", "g", "w", "Escape", "ArrowDown", "ArrowUp", "Tab", "Enter", "?"])
        self.page.keyboard.press(key)
        return f"key: {key}"

    def back(self) -> str:
        self.page.go_back(timeout=REST)
        if not self.page.url.startswith(self.address):
            self.page.goto(self.address)
        return "back"

    def forward(self) -> str:
        self.page.go_forward(timeout=REST)
        return "forward"

    def reload(self) -> str:
        self.page.reload(timeout=REST)
        return "reload"

    def hurry(self) -> str:
        """Click several times without waiting in between."""
        return "; ".join(self.click() for _ in range(self.dice.randint(2, 5)))

    def look(self) -> list[str]:
        """The faults so far, once the page has come to rest; half of the time only a short wait and no check."""
        if self.dice.random() < 0.5 and not self.wrong:
            self.page.wait_for_timeout(self.dice.randint(20, 400))
            return []
        try:
            self.page.wait_for_function(RESTS, timeout=REST)
        except Error:
            self.wrong.append("white, or never at rest")
        for shown in self.page.locator("[data-testid=stException], [data-testid=stAlert]").all_inner_texts():
            if "Lectern made a mistake" in shown or "Traceback" in shown:
                self.wrong.append(f"exception: {shown}")
        return self.wrong


# The page is at rest and not empty, and no reload of a white page (revival.js) was needed.
RESTS = """() => {
  const app = document.querySelector("[data-testid=stApp]");
  const words = document.querySelector("[data-testid=stMainBlockContainer]")?.innerText.trim();
  return app?.dataset.testScriptState === "notRunning" && words && !sessionStorage.getItem("lectern-revived");
}"""


def wild(page: Page, address: str, seed: int, actions: int, seen: Path) -> bool:
    """Do the actions, checking after each. Returns whether all was well; ``seen`` gets a screenshot of a fault."""
    page.goto(address)
    monkey = Monkey(page, address, random.Random(seed))
    for number in range(actions):
        monkey.act()
        print(f"{number:5} {monkey.done[-1]}", flush=True)
        if monkey.look():
            page.screenshot(path=seen)
            print("\n".join(["WRONG", *monkey.wrong, f"at {page.url}", f"see {seen}"]))
            return False
    print("nothing wrong")
    return True


@contextmanager
def app() -> Iterator[str]:
    """Run the app on the samples and a second library of their Markdown; yields its address, prints its log at last."""
    with tempfile.TemporaryDirectory() as folder:
        home, shelved = Path(folder) / "samples", Path(folder) / "shelf.json"
        with Library.open(home) as library:
            library.ingest([Incoming(path.name, path=path) for path in sorted(DOCUMENTS.iterdir())])
        with Library.open(Path(folder) / "other") as library:
            library.ingest([Incoming(path.name, path=path) for path in sorted(DOCUMENTS.glob("*.md"))])
        shelf.add(shelved, "Other", Path(folder) / "other")
        with serving(home, variables={"LECTERN_SHELF": str(shelved)}) as address:
            yield address
        for log in Path(folder).glob("*.log"):
            print(log.read_text("utf-8", "replace")[-4000:])


def main() -> int:
    """Run the actions. Returns the exit code: 1 if a fault was found."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--actions", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=int(time.time()))
    arguments.add_argument("--address", default="", help="of an app that runs already; without one, it is started")
    arguments.add_argument("--browser", default="", help="an executable; without one, Playwright's own")
    arguments.add_argument("--seen", type=Path, default=Path("monkey.png"), help="a picture of what was wrong")
    wanted = arguments.parse_args()
    print(f"seed {wanted.seed}, {wanted.actions} actions")
    started = nullcontext(wanted.address) if wanted.address else app()
    with sync_playwright() as player, started as address:
        page = player.chromium.launch(executable_path=wanted.browser or None).new_page()
        return 0 if wild(page, address, wanted.seed, wanted.actions, wanted.seen) else 1


if __name__ == "__main__":
    raise SystemExit(main())
