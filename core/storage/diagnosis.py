"""A report about a library for whoever is asked for help: it says what is wrong, and nothing of what is in it."""

from __future__ import annotations

import platform
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from core.settings import Settings
from core.storage.catalogue.generations import generations
from core.storage.catalogue.job_rows import find_items, find_jobs
from core.storage.catalogue.statistics import stats
from core.storage.store import Store
from core.storage.verify import verify

PACKAGES = (
    "streamlit numpy torch sentence-transformers transformers tokenizers chromadb pymupdf unstructured markdown-it-py "
    "python-docx python-pptx openpyxl lxml beautifulsoup4 pypandoc-binary rank-bm25 pathspec"
).split()
FAILURES_SHOWN = 20
_JOBS_LOOKED_AT = 20
_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|“[^”\n]*”|‘[^’\n]*’|\([^()\n]*[/\\][^()\n]*\)")
_PATH = re.compile(r"(?:[A-Za-z]:)?[\w.~+@-]*(?:[/\\]+[^\s/\\:;,]*)+")
_FILE = re.compile(r"\S+\.(?=\w*[A-Za-z])\w{1,8}\b(?=[\s:,;.)]|$)")
_SAID = re.compile(r"(?<=\b)(\w*(?:Error|Exception|Warning)): .*")  # of a defect, whose words may be a document's
_NAMING = ("authority",)  # settings whose values are names of documents


def report(store: Store, settings: Settings) -> str:
    """Versions, counts, sizes, settings, failures and what ``verify`` finds, as lines of text.

    Of names it holds the library's own folder's alone: files, titles, collections, people and their text are left out.
    """
    return "\n".join(
        [
            "Lectern diagnostic report",
            "",
            *_program(),
            "",
            f"Library {store.home.name!r}, open for {'writing' if store.writable else 'reading'}",
            *_figures(store),
            "",
            "Settings",
            *_settings(settings),
            "",
            "Recent failures, names left out",
            *(list(_failures(store)) or ["  none"]),
            "",
            "Verification",
            *(list(_problems(store)) or ["  The library is sound."]),
        ]
    )


def masked(sentence: str, *names: str) -> str:
    """A sentence without the names it is about: those given, quoted words, paths and file names become ``[…]``.

    >>> masked("My report.pdf is encrypted.", "My report.pdf")
    '[…] is encrypted.'
    >>> masked("Worker failed on /data/ada/tax.pdf: 'Dear Ada' (in notes.md)")
    'Worker failed on […]: […] (in […])'
    """
    parts = {part for name in names for part in (name, Path(name).name) if part}
    for part in sorted(parts, key=len, reverse=True):
        sentence = sentence.replace(part, "[…]")
    for pattern in (_QUOTED, _PATH, _FILE):
        sentence = pattern.sub("[…]", sentence)
    return _SAID.sub(r"\1: […]", sentence)


def versions() -> dict[str, str]:
    """Lectern's, Python's and those of the packages it stands on, by name; "" for a package that is missing."""
    own = {"Lectern": _version("lectern") or _declared_version(), "Python": platform.python_version()}
    return own | {name: _version(name) for name in PACKAGES}


def _program() -> Iterator[str]:
    found = versions()
    yield f"Lectern {found.pop('Lectern')}, Python {found.pop('Python')}"
    yield f"{platform.system()} {platform.release()} on {platform.machine()}, SQLite {sqlite3.sqlite_version}"
    yield ", ".join(f"{name} {number or 'missing'}" for name, number in found.items())


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _declared_version() -> str:
    import tomllib

    try:
        declared = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
        return str(declared["project"]["version"])
    except (OSError, KeyError, ValueError):
        return "of unknown version"


def _figures(store: Store) -> Iterator[str]:
    for name, value in asdict(stats(store)).items():
        shown = f"{value:,}" if isinstance(value, int) else f"{value:.4f}"
        yield f"  {name.replace('_', ' ')}: {shown}"
    with store.reading() as connection:
        for kind, count in connection.execute("SELECT kind, count(*) FROM version GROUP BY kind ORDER BY kind"):
            yield f"  documents of kind {kind}: {count:,}"
        steps = ", ".join(name for (name,) in connection.execute("SELECT name FROM migration ORDER BY ordinal"))
    yield f"  catalogue steps: {steps}"
    for known in generations(store):
        serving = ", serving" if known.serving else ""
        yield f"  generation {known.number}: {known.dimension} dimensions, index schema {known.index_schema}{serving}"


def _settings(settings: Settings) -> Iterator[str]:
    changed = 0
    default = Settings().to_dict()
    for stage, values in settings.to_dict().items():
        for name, value in values.items():
            if value != default[stage][name]:
                changed += 1
                # A setting that is free text may name a person's folder or model.
                told = masked(value) if isinstance(value, str) else value
                yield f"  {stage}.{name} = {f'{len(value)}, names left out' if name in _NAMING else told}"
    if not changed:
        yield "  all as Lectern sets them"


def _failures(store: Store) -> Iterator[str]:
    left = FAILURES_SHOWN
    places = (str(store.home), str(Path.home()))
    for job in find_jobs(store, _JOBS_LOOKED_AT):
        if job.state == "failed" and job.reason:
            yield f"  job of kind {job.kind}: {masked(job.reason, *places)}"
        for item in find_items(store, job.id, ("failed",), left):
            left -= 1
            suffix = Path(item.name).suffix or "no suffix"
            yield f"  {job.kind}, {suffix}: {masked(item.reason, item.name, str(item.path or ''), *places)}"
        if left <= 0:
            return


def _problems(store: Store) -> Iterator[str]:
    for problem in verify(store):
        mend = "can be repaired" if problem.repairable else "cannot be repaired"
        yield f"  {masked(problem.what)} ({mend})"
