"""What every test gets: no network, no models from the hub, no library of the user's, and the shared fixtures."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import hypothesis
import numpy as np
import pytest
import pytest_socket

from tests.fast_encoder import FastEncoder

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from core.library import Library
    from core.storage.store import Store
    from core.types import Encoder, TokenCounter

ROOT = Path(__file__).resolve().parent.parent
ROOM_FOR_A_RUN = 4 << 30  # bytes
LOOPBACK = ["127.0.0.1"]
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
HOSTILE_NAMES = ("evil.example", "rebound.example")
CHROMIUM_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # The browser is a process of its own, which the socket guard cannot see: it may reach this machine alone. Hostile
    # names lead here as well, as after a rebinding of DNS.
    "--host-resolver-rules="
    + "".join(f"MAP {name} 127.0.0.1, " for name in HOSTILE_NAMES)
    + "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)

# Set before anything imports a model library or Streamlit; child processes inherit them.
os.environ.update(
    {
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "ANONYMIZED_TELEMETRY": "False",
        "DO_NOT_TRACK": "1",
        "SCARF_NO_ANALYTICS": "true",
    }
)

# PyMuPDF loads a model of layouts with itself, where it finds one; the process that reads PDFs does without it too.
sys.modules.update(dict.fromkeys(("pymupdf.layout", "pymupdf4llm")))  # type: ignore[arg-type]

if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ["OMP_NUM_THREADS"] = "1"  # a worker for each core: threads of their own would only wait for each other


def folder_in_memory() -> str | None:
    """Where files need no disk, with room for those of a run; ``None``: nowhere, or where programs cannot start."""
    place = Path("/dev/shm")
    if not (place.is_mount() and os.access(place, os.W_OK)) or os.statvfs(place).f_flag & os.ST_NOEXEC:
        return None
    return str(place) if shutil.disk_usage(place).free > ROOM_FOR_A_RUN else None


# Every library of a test writes to a disk some thirty times, and waits each time till it is written.
if "TMPDIR" not in os.environ and (in_memory := folder_in_memory()):
    os.environ["TMPDIR"], tempfile.tempdir = in_memory, None

# "ci" draws the same few examples everywhere; "thorough", that of `make test-all`, searches anew each time, far longer.
hypothesis.settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    max_examples=15,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.register_profile(
    "thorough",
    deadline=None,
    max_examples=1000,
    print_blob=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def chromium_program() -> str | None:
    """The browser of the browser tests: ``LECTERN_CHROMIUM``, else the first one on PATH, else ``None``."""
    return os.environ.get("LECTERN_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)


def pytest_configure() -> None:
    # pytest-socket guards the tests; this guards the imports that collect them.
    pytest_socket.disable_socket(allow_unix_socket=True)


def pytest_collection_finish() -> None:
    pytest_socket.enable_socket()  # each test closes them again as far as its marks say


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    browser_missing = chromium_program() is None
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.allow_hosts(LOOPBACK))
            if browser_missing:
                item.add_marker(pytest.mark.skip(reason="no Chromium on PATH; name one with LECTERN_CHROMIUM"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What the window shows stands in the report of a browser test that failed."""
    report = yield
    window = getattr(item, "funcargs", {}).get("page")
    if window is not None and report.when == "call" and report.failed:
        from tests.pages.browsing import seen

        try:
            report.sections.append(("The window", seen(window)))
        except Exception as error:  # it may be closed, or the browser gone: the failure itself counts
            report.sections.append(("The window", f"cannot be looked at: {error}"))
    return report


@pytest.fixture(autouse=True, scope="session")
def _no_library_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A test that forgets to name its library gets an empty one, never the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LECTERN_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("LECTERN_SHELF", str(tmp_path_factory.mktemp("shelf") / "libraries.json"))
        yield


@pytest.fixture(autouse=True, scope="session")
def _chroma_looked_into_here() -> Iterator[None]:
    """A process of its own for every look costs seconds; a test that damages Chroma's files asks for one."""
    from core.storage.index import projection, vectors

    def examine(directory: Path, generation: int, rows: Sequence[int]) -> Any:
        found = vectors._guarded(lambda: vectors.look_into(directory, generation, [int(row) for row in rows]))
        held = {row: np.array(vector, np.float32) for row, vector in found["vectors"].items()}
        return set(found["ids"]), held, set(found["reached"])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(projection, "examine", examine)
        yield


@pytest.fixture
def examined_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chroma's files are examined as they are outside the tests: by a process that may die of them."""
    from core.storage.index import projection, vectors

    monkeypatch.setattr(projection, "examine", vectors.examine)


@pytest.fixture(scope="session")
def counter() -> TokenCounter:
    """The packaged embedder's own tokenizer."""
    from core.embedding import packaged_counter

    return packaged_counter()


@pytest.fixture(scope="session")
def encoder() -> Encoder:
    """The packaged embedder itself; its weights load once, at the first text, in seconds: mark the test ``model``."""
    from core.embedding import load_model
    from core.settings import EmbeddingSettings

    return load_model(EmbeddingSettings()).encoder


@pytest.fixture
def fast_encoder() -> FastEncoder:
    """Vectors without a model; fresh, so ``fast_encoder.texts`` counts from zero."""
    return FastEncoder()


@pytest.fixture(scope="module")
def quick_embedder() -> Iterator[None]:
    """The libraries that a module opens encode with hashed words; what reads passages again is the model itself."""
    from tests.cli.without_model import quickly

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.storage.embedder.load_model", quickly)
        yield


@pytest.fixture
def library(tmp_path: Path, fast_encoder: FastEncoder) -> Iterator[Library]:
    """An empty, writable library on disk that encodes with ``fast_encoder``."""
    from core.library import Library

    with Library.open(tmp_path / "library", encoder=fast_encoder) as opened:
        yield opened


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """The storage of an empty, writable library, without what encodes."""
    from core.storage.store import Store

    with Store.open(tmp_path / "library", write=True) as opened:
        yield opened


@pytest.fixture(scope="session")
def samples() -> Path:
    """The sample documents and questions that come with Lectern."""
    return ROOT / "data" / "samples"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Evaluation suites that are not part of the project: the folder ``LECTERN_SHARED`` names."""
    place = os.environ.get("LECTERN_SHARED")
    if not place:
        pytest.skip("LECTERN_SHARED does not name the folder with the evaluation suites")
    assert Path(place).is_dir(), f"LECTERN_SHARED names {place}, which is not a folder"
    return Path(place)


def _as_long_as_can_be(fixture_name: str, config: pytest.Config) -> Literal["session", "module"]:
    """Playwright keeps an event loop running in this thread while it lives, which only browser tests can stand."""
    return "session" if config.option.markexpr.startswith("browser") else "module"


@pytest.fixture(scope=_as_long_as_can_be)
def browser() -> Iterator[Browser]:
    """A headless Chromium that can reach 127.0.0.1 alone. Only for tests marked ``browser``, in files of their own."""
    from playwright.sync_api import sync_playwright

    program = chromium_program()
    assert program is not None, "mark the test with pytest.mark.browser"
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=list(CHROMIUM_FLAGS))
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """The browser's window, as new: see ``visiting``."""
    from tests.pages.browsing import visiting

    with visiting(browser) as window:
        yield window


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """``app(home, name)`` is the address of the app with a library in it, which windows opened from then on look at.

    One server for all browser tests of a worker: to start it takes longer than most of them. It has no model.
    """
    from core.storage import shelf
    from tests.pages.browsing import WITHOUT_MODEL, serving

    place = tmp_path_factory.mktemp("app")
    file = place / "libraries.json"

    def at(home: Path, name: str = "") -> str:
        if home not in {held.path for held in shelf.shelf(file)}:
            shelf.add(file, name or home.parent.name, home)
        shelf.use(file, home)
        return address

    # Where a home is named, it is the library of every window.
    variables = {"LECTERN_HOME": "", "LECTERN_SHELF": str(file)}
    with serving(place / "none", variables=variables, module=WITHOUT_MODEL) as address:
        yield at


@pytest.fixture
def address(app: Callable[..., str], home: Path) -> str:
    """The app with the library that a file of tests calls its ``home``."""
    return app(home)


@pytest.fixture(scope="session")
def reader_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[int], str]]:
    """``reader_of(characters)`` is the address of the reader alone, over a text of that length."""
    from tests.pages.browsing import serving

    with serving(tmp_path_factory.mktemp("reader") / "none", "tests/pages/reader_app.py") as address:
        yield lambda characters: f"{address}/?characters={characters}"
