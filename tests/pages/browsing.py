"""What every browser test needs: the app as a process of its own, a window into it, and ways to wait."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Locator, Page, expect

ROOT = Path(__file__).resolve().parents[2]
SLOW = 120_000  # milliseconds: the encoder loads once, on a machine that may be busy
THEMES = ("light", "dark")


@contextmanager
def serving(home: Path, script: str = "app.py", variables: Mapping[str, str] | None = None) -> Iterator[str]:
    """The app on a free port, on this library; its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        script,
        "--server.port",
        str(port),
        "--server.headless",
        "true",
    ]
    environment = {**os.environ, "LECTERN_HOME": str(home), "PYTHONPATH": str(ROOT), **(variables or {})}
    with (home.parent / f"{home.name}-{port}.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        try:
            address = f"http://127.0.0.1:{port}"
            until = time.monotonic() + 90
            while time.monotonic() < until:
                try:
                    urllib.request.urlopen(f"{address}/_stcore/health", timeout=5).close()  # noqa: S310 - our own address
                    break
                except (urllib.error.URLError, ConnectionError):
                    time.sleep(0.1)
            yield address
        finally:
            process.terminate()
            process.wait(30)


@contextmanager
def visiting(browser: Browser, theme: str = "light", width: int = 1280) -> Iterator[Page]:
    """A window in a theme; nothing in it may fail, and nothing may be asked of another machine."""
    context = browser.new_context(color_scheme=theme, viewport={"width": width, "height": 900})  # type: ignore[arg-type]
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.set_default_timeout(SLOW)
    foreign: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: None if is_own(request.url) else foreign.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("dialog", lambda dialog: errors.append(f"dialog: {dialog.message}"))
    yield page
    assert page.locator("[data-testid=stException]").count() == 0
    assert foreign == []
    assert errors == []
    context.close()


def is_own(url: str) -> bool:
    return url.startswith(("http://127.0.0.1:", "data:", "blob:"))


def settled(page: Page) -> None:
    """Wait until the script has run and nothing waits to be drawn."""
    expect(page.locator("[data-testid=stApp]")).to_have_attribute("data-test-script-state", "notRunning", timeout=SLOW)


def visit(page: Page, address: str) -> None:
    page.goto(address)
    settled(page)


def shown(locator: Locator) -> None:
    expect(locator.first).to_be_visible(timeout=SLOW)


def until(condition: Callable[[], bool]) -> None:
    """Wait for something that has no element of its own."""
    last = time.monotonic() + SLOW / 1000
    while not condition():
        assert time.monotonic() < last, "waited too long"
        time.sleep(0.05)


def faults(page: Page) -> list[str]:
    """What axe-core finds that is serious or worse, one sentence each."""
    found = Axe().run(page).response["violations"]
    return [
        f"{fault['id']}: {node['html'][:120]}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]
