"""What every browser test needs: the app as a process of its own, a window into it, and ways to wait.

A test waits for what lasts: the end of the work as the page or the library keeps it, never a sight that may be over
before anyone looked (a progress bar, "Cancel", "✓ Copied"). It compares what is drawn by ``expect`` or ``until``, which
look again, and reads once only what has come to rest.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlencode

import pymupdf
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect

from core.library import Incoming, Library
from tests.fast_encoder import FastEncoder

ROOT = Path(__file__).resolve().parents[2]
SLOW = 180_000  # milliseconds: the encoder loads once, on a machine that may have ten other things to do
WITHOUT_MODEL = "tests.pages.app_without_model"
PASSWORD = "ebb and flow"  # noqa: S105 - of a file that tests write
Place = TypeVar("Place")
LOGS: dict[str, Path] = {}  # what the apps of this process say, by their address
COLOURS = ("color-contrast", "link-in-text-block")  # of axe's rules
# What axe-core finds by the rules that are serious or worse, all of them or some by name, one sentence each.
FAULTS = """async (some) => {
  const counts = (rule) => rule.enabled && /serious|critical/.test(rule.impact) && !rule.tags.includes("experimental");
  const values = some ?? axe._audit.rules.filter(counts).map((rule) => rule.id);
  const found = await axe.run({ runOnly: { type: "rule", values }, resultTypes: ["violations"], preload: false });
  return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 120)}`));
}"""
DOCUMENTS = "[data-testid=stDataFrame]:has([aria-label$=': The documents of the library'])"
# Nothing moves or fades, in the page or in a component's own tree; what goes on for ever, a spinner, does not count.
STILL = """() => {
  const trees = [document];
  for (const tree of trees) trees.push(...[...tree.querySelectorAll("*")].flatMap((each) => each.shadowRoot ?? []));
  const moves = (each) => each.playState === "running" && each.effect.getComputedTiming().endTime !== Infinity;
  return !trees.some((tree) => tree.getAnimations().some(moves));
}"""
# Every plot is as large as its box, in two looks one after the other: until it is, the box around it scrolls.
SIZED = """() => new Promise((told) => {
  const look = () => [...document.querySelectorAll(".js-plotly-plot")].map((plot) => {
    const drawn = plot.querySelector(".main-svg")?.getBoundingClientRect();
    const box = plot.parentElement.getBoundingClientRect();
    return drawn ? [drawn.width, drawn.height, box.width, box.height].map(Math.round).join(" ") : "";
  });
  const before = look();
  const fits = ([width, height, within, tall]) => Math.abs(width - within) < 2 && Math.abs(height - tall) < 2;
  setTimeout(() => told(look().every((size, at) => size && size === before[at] && fits(size.split(" ")))), 200);
})"""

# Each picture of a spinner costs as much as one of what is looked at: what would turn for ever turns once.
ONCE = """addEventListener("DOMContentLoaded", () => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("*, ::before, ::after { animation-iteration-count: 1 !important; }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
});"""
RESTS = """async (host) => {
  for (let calm = 0, last = NaN; calm < 8; last = host.scrollTop) {
    await new Promise(requestAnimationFrame);
    calm = host.scrollTop === last ? calm + 1 : 0;
  }
  return host.scrollTop;
}"""

expect.set_options(timeout=SLOW)


@contextmanager
def serving(
    home: Path,
    script: str = "app.py",
    variables: Mapping[str, str] | None = None,
    port: int = 0,
    module: str = "streamlit",
) -> Iterator[str]:
    """The app on a free port, on this library; its address. It asks for no key where ``LECTERN_DOOR`` is not said.

    ``module``: Streamlit's command; ``WITHOUT_MODEL`` is quick and knows libraries that are ``made``.
    """
    port = port or free_port()
    options = f"--server.port {port} --server.headless true".split()
    command = [sys.executable, "-m", module, "run", script, *options]
    own = {"LECTERN_HOME": str(home), "PYTHONPATH": str(ROOT), "LECTERN_DOOR": "open"}
    environment = {**os.environ, **own, **(variables or {})}
    with (home.parent / f"{home.name}-{port}.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        try:
            address = f"http://127.0.0.1:{port}"
            LOGS[address] = Path(log.name)
            until(lambda: process.poll() is not None or answers(address))
            assert process.poll() is None, Path(log.name).read_text(encoding="utf-8", errors="replace")
            yield address
        finally:
            process.terminate()
            process.wait(SLOW / 1000)


def made(folder: Path, texts: Mapping[str, str], files: Sequence[Path] = (), password: str | None = None) -> Path:
    """A library without a model, of texts by name and of files; its place in the folder."""
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    paths = [*files, *(folder / name for name in texts)]
    with Library.open(folder / "home", encoder=FastEncoder()) as library:
        if password:
            library.passwords.offer(password)
        assert not library.ingest([Incoming(path.name, path=path) for path in paths]).failures
    return folder / "home"


def locked_pdf(path: Path, words: str) -> None:
    """A page of words that only ``PASSWORD`` opens."""
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), words)
        pdf.save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=PASSWORD, owner_pw="owner")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(address: str) -> bool:
    """Whether the app there is up."""
    try:
        urllib.request.urlopen(f"{address}/_stcore/health", timeout=5).close()  # noqa: S310 - our own address
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False
    return True


@contextmanager
def visiting(browser: Browser, width: int = 1280, *, apart: bool = False) -> Iterator[Page]:
    """The window, as new and in the light; nothing in it may fail, and nothing may be asked of another machine.

    The same one for all tests, on a bare page of the app between two of them: a new one, or a blank page, has a process
    of its own, which would read and compile the app's scripts anew, and that takes most of a visit. It is replaced
    after a test that failed in it. ``apart``: one for this test alone.
    """
    if apart or not browser.contexts:
        context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
        context.set_default_timeout(SLOW)
        context.add_init_script(ONCE)
        context.new_page()
    context = browser.contexts[-1]
    page = context.pages[0]
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="light")
    page.mouse.move(0, 0)
    foreign: list[str] = []
    errors: list[str] = []
    listeners: dict[str, Callable[..., None]] = {
        # The browser finds no other machine. To be told of each request, some two hundred a visit, takes a fifth of it.
        "requestfailed": lambda request: None if is_own(request.url) else foreign.append(request.url),
        "pageerror": lambda error: errors.append(str(error)),
        "dialog": lambda dialog: errors.append(f"dialog: {dialog.message}"),
        "console": lambda said: errors.append(said.text) if is_fault(said) else None,
    }
    for event, listener in listeners.items():
        page.on(event, listener)  # type: ignore[call-overload]
    kept = False
    try:
        yield page
        assert page.locator("[data-testid=stException]").count() == 0
        assert page.get_by_text("Lectern made a mistake here").count() == 0, seen(page)
        assert not foreign, foreign
        assert not errors, errors
        page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        page.goto(f"{page.evaluate('location.origin')}/_stcore/health")
        kept = not apart
    except BaseException as error:
        error.add_note(
            f"The console said {errors}; over the page lay {page.locator('[role=dialog]').all_inner_texts()}"
        )
        raise
    finally:
        for event, listener in listeners.items():
            page.remove_listener(event, listener)
        if not kept:
            context.close()


def seen(page: Page) -> str:
    """For the report of a test that failed: what the window shows, and what its app said last."""
    state = page.locator("[data-testid=stApp]").first.get_attribute("data-test-script-state", timeout=2000)
    log = LOGS.get("/".join(page.url.split("/")[:3]))
    said = log.read_text(encoding="utf-8", errors="replace")[-2000:] if log else ""
    return f"{page.url} ({state})\n{page.locator('body').inner_text(timeout=2000)[:3000]}\n\nThe app said:\n{said}"


def is_fault(said: ConsoleMessage) -> bool:
    """Whether it tells of a fault, as when Streamlit gives a page up; a file that is not there is none."""
    return said.type == "error" and not said.text.startswith("Failed to load resource")


def is_own(url: str) -> bool:
    return url.startswith(("http://127.0.0.1:", "data:", "blob:"))


def settled(page: Page) -> None:
    """Wait until no script runs. What was clicked just now may not have started one: wait for its effect first."""
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()


def visit(page: Page, address: str) -> None:
    page.goto(address)
    settled(page)


def open_document(page: Page, address: str, version: str, span: str = "") -> None:
    """Open a document on Chunks, at a place of its text."""
    visit(page, f"{address}/chunks?{urlencode({'document': version, 'span': span} if span else {'document': version})}")
    shown(page.locator(".text .segment"))
    settled(page)


FULL = "?dial=assembly.stop_below:0"  # the room is filled, however sure the first passage is


def ask(page: Page, address: str, question: str, dials: str = "") -> None:
    """Ask by keys alone, and wait for the answer. ``dials``: of the address."""
    visit(page, f"{address}/ask{dials}")
    field = page.get_by_placeholder("Ask your documents")
    shown(field)
    keys_ready(page)
    page.keyboard.press("/")
    expect(field).to_be_focused()
    page.keyboard.type(question)
    page.keyboard.press("Enter")
    shown(page.locator(".quote"))
    shown(page.locator(".ladder .way.read"))
    settled(page)


def ask_next(page: Page, question: str) -> None:
    """Ask something else in the same window."""
    field = page.get_by_placeholder("Ask your documents")
    field.fill(question)
    field.press("Enter")
    page.wait_for_function(
        "(asked) => new URL(location.href).searchParams.getAll('question').includes(asked)", arg=question
    )
    settled(page)


def keys_ready(page: Page) -> None:
    """The page listens for its keys."""
    expect(page.locator(".keys-line[data-ready]")).to_be_attached()
    settled(page)


def choose(page: Page, name: str) -> None:
    """One of several views, drawn as a radio or as a button."""
    page.get_by_role("radio", name=name).or_(page.get_by_role("button", name=name, exact=True)).first.click()


def middle(locator: Locator) -> tuple[float, float]:
    box = locator.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def rest(host: Locator) -> float:
    """Wait until nothing scrolls it any more; where it stands."""
    return float(host.evaluate(RESTS))


def shown(locator: Locator) -> None:
    """Wait for it; ``expect`` would gather the whole page's tree of access at each look that does not find it yet."""
    locator.first.wait_for()


def until(condition: Callable[[], bool], seconds: float = SLOW / 1000) -> None:
    """Wait for something that has no element of its own."""
    last = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < last, "waited too long"
        time.sleep(0.05)


def resting(look: Callable[[], Place]) -> Place:
    """Where something stands when it stands there a quarter of a second later still: who drags waits for that, too."""
    places = [look()]

    def stands() -> bool:
        time.sleep(0.25)
        places.append(look())
        return places[-1] == places[-2]

    until(stands)
    return places[-1]


def chunks(page: Page) -> int:
    """How many chunks the reader says there are."""
    found = re.search(r"([\d,]+) chunks", page.locator(".ruler").first.get_attribute("aria-label") or "")
    assert found
    return int(found[1].replace(",", ""))


def changes(page: Page, act: Callable[[], None]) -> int:
    """How many chunks more there are after an act that changes their number."""
    before = chunks(page)
    act()
    until(lambda: chunks(page) != before)
    settled(page)
    return chunks(page) - before


def tick_only(page: Page, sought: str) -> None:
    """Narrow the Library's table to the one document that the words fit, and tick it."""
    field, table = page.get_by_placeholder("Filter by title"), page.locator(DOCUMENTS)
    shown(field)
    settled(page)  # a page that is being drawn would take back what is typed into it
    field.fill(sought)
    expect(page.locator(f"{DOCUMENTS} [role=grid][aria-rowcount='2']")).to_have_count(1)  # the heading and one row
    expect(table).to_have_count(1)  # while the page is drawn anew, the longer one may stand beside it
    settled(page)
    table.click(position={"x": 16, "y": 50})
    expect(table.locator("tr[aria-selected=true]")).to_have_count(1)
    expect(page.get_by_role("button", name="Open in Chunks")).to_be_enabled()


def pick(page: Page, sought: str) -> None:
    """Choose on the Chunks page the one document that the words fit; the picker keeps the focus."""
    page.get_by_role("combobox", name="Document").fill(sought)
    option = page.get_by_role("option", name=re.compile(re.escape(sought)))
    expect(option).to_have_count(1)
    option.click()


def open_dials(page: Page) -> None:
    """Unfold what lies at the left of Ask, which is folded away when the page opens."""
    opener = page.get_by_test_id("stExpandSidebarButton")
    if opener.is_visible():
        opener.click()
    expect(page.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "false")


def turn(page: Page, theme: str) -> None:
    """Let the system turn light or dark, and wait until the page was drawn anew for it."""
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    expect(page.locator(f"[data-drawn={theme}]")).to_have_count(1)
    settled(page)


def faults_in_both(page: Page) -> list[str]:
    """``faults`` in the light and then in the dark, which stays."""
    found = faults(page)
    turn(page, "dark")
    return found + faults(page, COLOURS)  # the rest is the same in both


def faults(page: Page, rules: Sequence[str] | None = None) -> list[str]:
    """What axe-core finds that is serious or worse once the page has come to rest. ``rules``: by these alone.

    Streamlit fades what a run that takes long will draw anew, and one may begin by itself: a fault is seen three times.
    """
    for _ in range(3):
        settled(page)
        page.wait_for_function(SIZED)
        page.wait_for_function(STILL)
        if not (found := looked_over(page, rules)):
            break
    return found


def looked_over(page: Page, rules: Sequence[str] | None = None) -> list[str]:
    """As ``faults``, of the page as it is now: one sentence each."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    found: list[str] = page.evaluate(FAULTS, rules)
    return found
