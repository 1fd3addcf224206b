"""Browser sessions that search during an ingest: ``python -m benchmarks.crowd --browser /usr/bin/chromium``.

The app runs on the samples in a temporary folder. There are three phases: sessions search alone; they search while
``--documents`` synthetic files are ingested from a watched folder; and they go on for the rest of ``--least`` seconds.
Printed are the times from Enter until the page is at rest with its answer (median and 95th percentile, without each
session's first question), the failures, and the memory of the app's process. The exit code is 1 if a question failed,
if the percentile during the ingest is more than 2.5 times that of the first phase, or if memory grew by more than a
tenth after the ingest. Sessions, app and ingest share the machine's cores, so the figures describe all three together.
For development only; no test runs it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
from playwright.async_api import Error, Page, async_playwright

from benchmarks.scale_measuring import resident_mb
from core.library import Incoming, Library
from tests.pages.browsing import ROOT, SLOW, serving

SAMPLES = ROOT / "data" / "samples"
_MOST_SLOWER, _MOST_GROWTH = 2.5, 1.1
AT_REST = """question => document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'
  && new URL(location.href).searchParams.get('question') === question"""


def process_of(address: str) -> int:
    """The id of the process that serves this address, found by its command line. Raises ``ProcessLookupError``."""
    port = address.rpartition(":")[2]
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if f"--server.port\0{port}\0".encode() in entry.read_bytes():
                return int(entry.parent.name)
    raise ProcessLookupError(address)


def write(folder: Path, count: int) -> None:
    """Write distinct Markdown files of random prose, about 3,000 characters each."""
    dice = random.Random(7)
    words = re.findall(r"[a-z]{3,}", (SAMPLES / "documents" / "handbook.md").read_text("utf-8").lower())
    for number in range(count):
        sentences = [" ".join(dice.choices(words, k=12)).capitalize() + "." for _ in range(40)]
        parts = [" ".join(sentences[at : at + 8]) for at in range(0, 40, 8)]
        (folder / f"made-{number}.md").write_text(f"# Note {number}\n\n" + "\n\n".join(parts) + "\n", "utf-8")


async def session(
    page: Page, address: str, seed: int, over: asyncio.Event, took: list[float], failed: list[str]
) -> None:
    """Ask questions until ``over`` is set, like a person: type, press Enter, read for a second.

    Appends the seconds of each question but the first to ``took``, and failures as sentences to ``failed``.
    """
    dice = random.Random(seed)
    asked = [json.loads(line)["question"] for line in (SAMPLES / "questions.jsonl").read_text("utf-8").splitlines()]
    page.set_default_timeout(SLOW)
    page.on("pageerror", lambda error: failed.append(f"page error: {error}"))
    await page.goto(f"{address}/ask")
    await page.locator("[data-test-script-state=notRunning]").wait_for()  # text typed before that would be lost
    await page.get_by_placeholder("Ask your documents").wait_for()
    last = ""
    for number in range(10_000):
        if over.is_set():
            return
        last = dice.choice([question for question in asked if question != last])
        try:
            field = page.get_by_placeholder("Ask your documents")
            await field.fill(last)
            started = time.monotonic()
            await field.press("Enter")
            await page.wait_for_function(AT_REST, arg=last)
            took += [time.monotonic() - started] if number else []
            if await page.locator("[data-testid=stException], [data-testid=stAlertContentError]").count():
                failed.append(f"the page says that something failed: {last}")
        except Error as error:
            failed.append(f"{last}: {str(error).splitlines()[0]}")
        await asyncio.sleep(1)


async def phase(pages: list[Page], address: str, over: asyncio.Event, seed: int) -> tuple[list[float], list[str]]:
    took: list[float] = []
    failed: list[str] = []
    await asyncio.gather(*(session(page, address, seed + n, over, took, failed) for n, page in enumerate(pages)))
    return took, failed


def told(name: str, took: list[float], failed: list[str]) -> float:
    """Print the results of a phase. Returns the 95th percentile in seconds."""
    middle, late = np.percentile(took, [50, 95]) if took else (float("nan"), float("nan"))
    print(f"{name}: {len(took)} questions, median {middle:.2f} s, p95 {late:.2f} s, {len(failed)} failed", flush=True)
    print("\n".join(f"  {one}" for one in failed[:10]), end="\n" if failed else "", flush=True)
    return float(late)


async def measured(address: str, home: Path, folder: Path, wanted: argparse.Namespace) -> int:
    process = process_of(address)
    async with async_playwright() as player:
        browser = await player.chromium.launch(executable_path=wanted.browser or None, args=["--no-sandbox"])
        pages = [await (await browser.new_context()).new_page() for _ in range(wanted.sessions)]
        over = asyncio.Event()
        asyncio.get_running_loop().call_later(wanted.idle, over.set)
        alone, wrong = await phase(pages, address, over, 1)
        idle = told("idle", alone, wrong)
        print(f"memory {resident_mb(process):.0f} MB", flush=True)
        write(folder, wanted.documents)
        started, putting, over = time.monotonic(), asyncio.Event(), asyncio.Event()
        held: list[float] = []  # megabytes after the ingest

        async def watch() -> None:
            while (passed := time.monotonic() - started) < wanted.most:
                await asyncio.sleep(15)
                with Library.open(home, write=False) as library:
                    there = sum("made-" in source.name for source in library.sources())
                    busy = any(not job.finished for job in library.queue.jobs())
                print(f"  {passed:.0f} s: {there} documents, memory {resident_mb(process):.0f} MB", flush=True)
                if there == wanted.documents and not busy:
                    putting.set()
                    held.append(resident_mb(process))
                    if passed >= wanted.least:
                        break
            putting.set()
            over.set()

        watching = asyncio.create_task(watch())
        took, failed = await phase(pages, address, putting, 100)
        loaded = told("while documents are put in", took, failed)
        after, failed_after = await phase(pages, address, over, 200)
        told("and then", after, failed_after)
        await watching
        grew = held[-1] / held[0] if held else float("nan")
        print(f"p95 is {loaded / idle:.2f} times as long; memory {grew:.2f} times once the documents were in")
        await browser.close()
    kept = loaded <= _MOST_SLOWER * idle and grew <= _MOST_GROWTH
    return 0 if kept and not (wrong or failed or failed_after) else 1


def main() -> int:
    """Run the phases. Returns the exit code: 1 if a limit was exceeded or a question failed."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--sessions", type=int, default=8)
    arguments.add_argument("--documents", type=int, default=500)
    arguments.add_argument("--idle", type=float, default=90, help="seconds of asking before")
    arguments.add_argument("--least", type=float, default=1800, help="seconds of asking from the first document on")
    arguments.add_argument("--most", type=float, default=3600, help="seconds after which it is over, whatever is left")
    arguments.add_argument("--browser", default="", help="an executable; without one, Playwright's own")
    wanted = arguments.parse_args()
    with tempfile.TemporaryDirectory() as place:
        home, folder = Path(place) / "home", Path(place) / "watched"
        folder.mkdir()
        with Library.open(home) as library:
            library.ingest([Incoming(path.name, path=path) for path in sorted((SAMPLES / "documents").iterdir())])
            library.folders.add(folder)
        with serving(home, variables={"LECTERN_SHELF": str(Path(place) / "shelf.json")}) as address:
            return asyncio.run(measured(address, home, folder, wanted))


if __name__ == "__main__":
    raise SystemExit(main())
