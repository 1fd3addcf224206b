"""The laws of the house, read off the source: who may import whom, how long a file may be, what the root may hold.

Every law is a function from text to sentences; the first half of this file plants violations and finds them, the
second half holds the laws over the tree as it stands.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parent.parent

# A room may import itself and every row above its own. Rooms of one row do not see each other ...
LIBRARY_ROW = (
    *("jobs", "passwords", "preparing", "ingest", "recutting", "ignoring", "gathering", "diagnosis"),
    *("catalogue_reads", "leaf_snapshots", "ordering", "searching", "dial_steps", "trials", "explaining"),
    *("judging", "labelling", "teaching", "ways", "editing", "applying", "cutting", "library", "shelf"),
)
ORDER: tuple[tuple[str, ...], ...] = (
    ("errors", "types", "whole_files"),
    ("settings", "text"),
    ("syntax",),
    ("parsing", "chunking", "enriching", "embedding", "language"),
    ("storage",),
    ("retrieval",),
    ("expansion",),
    ("assembly",),
    ("answering",),
    LIBRARY_ROW,
    ("work",),
    ("evaluation", "inspecting", "training"),
    ("refitting",),
    ("__main__", "pages"),
)
# ... but for the rows whose rooms are one thing in several files.
OPEN_ROWS = (("errors", "types", "whole_files"), LIBRARY_ROW)
# The command line is one room: the parser, the commands it imports once it knows which, and the JSON they print.
ROOM_OF_FILE = {
    "commands": "__main__",
    "commands_ask": "__main__",
    "commands_why": "__main__",
    "commands_bench": "__main__",
    "commands_judgments": "__main__",
    "commands_training": "__main__",
    "command_options": "__main__",
    "contract": "__main__",
    "console": "__main__",
    "app": "pages",
}
LEVEL = {room: level for level, row in enumerate(ORDER) for room in row}

OWNERS: dict[str, tuple[str, ...]] = {
    "streamlit": ("app.py", "pages/*"),
    "chromadb": ("core/storage/vectors.py",),
    "pymupdf": ("core/parsing/pdf*.py",),
    "pypdfium2": ("core/parsing/pdf*.py",),
    "fitz": (),
    "unstructured": ("core/parsing/elements.py",),
    "sentence_transformers": ("core/embedding/*", "core/retrieval/reranking.py"),
    "torch": ("core/embedding/*", "core/retrieval/reranking.py", "core/training/*"),
    "transformers": ("core/embedding/*", "core/retrieval/reranking.py"),
    "openai": ("core/language/*",),
    "tree_sitter": ("core/syntax/*",),
    "tree_sitter_language_pack": ("core/syntax/*",),
}
HEAVY = {
    "torch",
    "streamlit",
    "chromadb",
    "pymupdf",
    "pypdfium2",
    "sentence_transformers",
    "transformers",
    "unstructured",
    "plotly",
    "sklearn",
    "scipy",
    "umap",
    "tree_sitter",
    "tree_sitter_language_pack",
}

LINES = {"core": 400, "pages": 200, "app.py": 200}
VOCABULARY = "core/types.py"  # one file by design, so that the whole language is read in one place
VOCABULARY_LINES = 500

ROOT_NAMES = {
    ".ci",
    ".gitattributes",
    ".gitignore",
    ".streamlit",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "app.py",
    "core",
    "data",
    "docs",
    "pages",
    "pyproject.toml",
    "requirements-dev.txt",
    "requirements.txt",
    "tests",
}
EMPTY_NAMES = re.compile(r"(^|/)(utils?|helpers?|misc|common)\.py$")
MACHINE_PATH = re.compile(r"(?<![\w.])(?:/(?:home|Users|root|work|mnt|workspace)/[\w.]|[A-Z]:\\{1,2}Users\\)")


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module: its dotted ``target``, the ``names`` taken from it, the ``line`` it stands on."""

    target: str
    names: tuple[str, ...]
    line: int


def run_at_import(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run when the module is imported: not the bodies of functions, nor what is for types alone."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            continue
        yield child
        yield from run_at_import(child)


def imports(source: str, path: str, *, lazy: bool = True) -> Iterator[Import]:
    """Every import of a file; with ``lazy=False`` only those that run when the file itself is imported."""
    tree = ast.parse(source)
    package = path.removesuffix(".py").removesuffix("/__init__").split("/")
    if not path.endswith("/__init__.py"):
        package = package[:-1]
    for node in ast.walk(tree) if lazy else run_at_import(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, (), node.lineno)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*start, *([node.module] if node.module else [])])
            yield Import(module, tuple(alias.name for alias in node.names), node.lineno)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            named = node.args[0] if node.args else None
            if isinstance(named, ast.Constant) and isinstance(named.value, str):
                yield Import(named.value, (), node.lineno)


def room_of(module: str) -> str | None:
    """The room a dotted module of ours belongs to; ``None`` for other people's modules.

    >>> [room_of(name) for name in ("core.parsing.pdf", "core.commands", "core", "pages.ui.state", "app", "json")]
    ['parsing', '__main__', 'core', 'pages', 'pages', None]
    """
    first, _, rest = module.partition(".")
    if first not in ("core", "pages", "app"):
        return None
    room = (rest.partition(".")[0] or "core") if first == "core" else first
    return ROOM_OF_FILE.get(room, room)


def module_of(path: str) -> str:
    """
    >>> module_of("core/text/__init__.py"), module_of("core/jobs.py"), module_of("app.py")
    ('core.text', 'core.jobs', 'app')
    """
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def rooms_named(found: Import) -> set[str]:
    """``from core import storage`` names a room in the names, not in the target."""
    if found.target == "core" and found.names:
        return {room for name in found.names if (room := room_of(f"core.{name}"))}
    room = room_of(found.target)
    return {room} if room else set()


def direction_violations(path: str, source: str) -> Iterator[str]:
    own = room_of(module_of(path))
    for found in imports(source, path):
        for room in sorted(rooms_named(found)):
            where = f"{path}:{found.line}"
            if own == "core":
                yield f"{where}: core/__init__.py imports {room}; it stays empty, or every import of core is slow"
            elif own not in LEVEL or room not in LEVEL:
                yield f"{where}: {own} or {room} has no place in the order of rooms"
            elif room == own:
                continue
            elif LEVEL[room] > LEVEL[own]:
                yield f"{where}: {own} imports {room}, which comes after it"
            elif LEVEL[room] == LEVEL[own] and ORDER[LEVEL[own]] not in OPEN_ROWS:
                yield f"{where}: {own} imports its sibling {room}; let it be handed in as a Protocol"


def owner_violations(path: str, source: str) -> Iterator[str]:
    for found in imports(source, path):
        library = found.target.partition(".")[0]
        if library in OWNERS and not any(fnmatch(path, pattern) for pattern in OWNERS[library]):
            yield f"{path}:{found.line}: only {' and '.join(OWNERS[library]) or 'nobody'} may import {library}"


def heavy_violations(path: str, source: str) -> Iterator[str]:
    """Pages import Streamlit and Plotly at the top, core nothing heavy: not even the module that owns it."""
    if not path.startswith("core/"):
        return
    for found in imports(source, path, lazy=False):
        library = found.target.partition(".")[0]
        if library in HEAVY:
            yield f"{path}:{found.line}: {library} is heavy; import it in the function that needs it"


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def private_violations(path: str, source: str) -> Iterator[str]:
    """A name with a leading underscore is its module's own, and a module with one is its package's."""
    own = module_of(path)
    modules: set[str] = set()
    for found in imports(source, path):
        if room_of(found.target) is None:
            continue
        modules.update(found.names or [found.target])
        for name in filter(is_private, found.names):
            yield f"{path}:{found.line}: {name} is private to {found.target}"
        parts = found.target.split(".")
        for index, part in enumerate(parts):
            package = ".".join(parts[:index])
            if is_private(part) and not f"{own}.".startswith(f"{package}."):
                yield f"{path}:{found.line}: {found.target} is private to {package}"
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and is_private(node.attr) and ast.unparse(node.value) in modules:
            yield f"{path}:{node.lineno}: {ast.unparse(node)} is private"


def size_violations(path: str, source: str) -> Iterator[str]:
    limit = VOCABULARY_LINES if path == VOCABULARY else LINES[path.partition("/")[0]]
    lines = len(source.splitlines())
    if lines > limit:
        yield f"{path} has {lines} lines, {limit} are allowed"


LAWS = (direction_violations, owner_violations, heavy_violations, private_violations, size_violations)


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """A way from a module back to itself; empty when there is none.

    >>> cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}}), cycle({"a": {"b"}, "b": set()})
    (['b', 'c', 'b'], [])
    """
    done: set[str] = set()

    def visit(module: str, way: list[str]) -> list[str]:
        if module in way:
            return [*way[way.index(module) :], module]
        if module in done:
            return []
        for target in sorted(graph.get(module, ())):
            if found := visit(target, [*way, module]):
                return found
        done.add(module)
        return []

    return next((found for module in sorted(graph) if (found := visit(module, []))), [])


def machine_paths(path: str, text: str) -> Iterator[str]:
    for number, line in enumerate(text.splitlines(), 1):
        if found := MACHINE_PATH.search(line):
            yield f"{path}:{number}: {line[found.start() : found.start() + 40]!r} is a path of one machine"


def root_violations(paths: list[str]) -> list[str]:
    return sorted({PurePosixPath(path).parts[0] for path in paths} - ROOT_NAMES)


def project_files() -> list[str]:
    """What is, or is about to be, under version control; without git everything that is not hidden."""
    if (ROOT / ".git").exists():
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
        return sorted(name for name in listed if name and (ROOT / name).is_file())
    ignored = {"__pycache__", "library"}
    found = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
    kept = (path for path in found if path.parts[0] in ROOT_NAMES and not ignored & set(path.parts[:-1]))
    return sorted(path.as_posix() for path in kept)


SOURCES = [name for name in project_files() if name.endswith(".py") and name.partition("/")[0] in LINES]


def modules_run(found: Import) -> set[str]:
    """``from core.text import spans`` runs ``core.text.spans`` where that is a module, else ``core.text``."""
    known = {module_of(path) for path in SOURCES}
    below = {f"{found.target}.{name}" for name in found.names}
    return below if below and below <= known else (below | {found.target}) & known


@pytest.mark.parametrize(
    ("law", "path", "source", "words"),
    [
        (direction_violations, "core/text/tokens.py", "from core.storage import catalogue", "comes after it"),
        (direction_violations, "core/text/tokens.py", "from core.settings import Settings", "sibling settings"),
        (direction_violations, "core/parsing/pdf.py", "def f():\n    from core import chunking", "sibling chunking"),
        (direction_violations, "core/chunking/fixed.py", "from ..embedding import load_encoder", "sibling embedding"),
        (direction_violations, "core/storage/outbox.py", "import core.library as x", "comes after it"),
        (direction_violations, "core/__main__.py", "import pages.ui.state", "sibling pages"),
        (direction_violations, "core/library.py", "__import__('core.evaluation.bench')", "comes after it"),
        (direction_violations, "core/magic/new.py", "import core.types", "no place"),
        (direction_violations, "core/__init__.py", "from core.types import Span", "stays empty"),
        (direction_violations, "core/types.py", "if TYPE_CHECKING:\n from core.text.spans import x", "comes after it"),
        (owner_violations, "core/library.py", "import streamlit as st", "may import streamlit"),
        (owner_violations, "core/storage/catalogue.py", "from chromadb.api import X", "may import chromadb"),
        (owner_violations, "core/parsing/markdown.py", "import pymupdf", "may import pymupdf"),
        (owner_violations, "core/parsing/pdf.py", "import fitz", "nobody may import fitz"),
        (owner_violations, "core/parsing/html.py", "import unstructured.partition.html", "may import unstructured"),
        (owner_violations, "core/retrieval/dense.py", "import torch", "may import torch"),
        (owner_violations, "pages/ask.py", "importlib.import_module('openai')", "may import openai"),
        (heavy_violations, "core/storage/vectors.py", "import json\nimport chromadb", "is heavy"),
        (heavy_violations, "core/library.py", "try:\n    import torch\nexcept ImportError:\n    raise", "is heavy"),
        (private_violations, "core/ingest.py", "from core.jobs import _claim", "private to core.jobs"),
        (private_violations, "core/ingest.py", "from core import jobs\njobs._claim()", "jobs._claim is private"),
        (private_violations, "core/ingest.py", "import core.jobs\ncore.jobs._claim()", "core.jobs._claim is private"),
        (private_violations, "core/library.py", "from core.storage._rows import fetch", "private to core.storage"),
        (size_violations, "core/jobs.py", "x = 1\n" * 401, "401 lines"),
        (size_violations, "pages/ask.py", "x = 1\n" * 201, "201 lines"),
        (size_violations, "core/types.py", "x = 1\n" * 501, "501 lines"),
    ],
)
def test_a_planted_violation_is_found(law, path, source, words) -> None:
    found = list(law(path, source))
    assert len(found) == 1
    assert words in found[0]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("core/types.py", "from core.errors import SpanError"),
        ("core/chunking/structure.py", "from core.text.spans import merge_spans\nfrom .tree import grow"),
        ("core/chunking/structure.py", "from core.chunking._cuts import cut"),
        ("core/storage/vectors.py", "def open():\n    import chromadb"),
        ("core/storage/vectors.py", "if TYPE_CHECKING:\n    from chromadb import Collection"),
        ("core/parsing/pdf_images.py", "def page():\n    import pymupdf"),
        ("core/library.py", "from core.ingest import run\nfrom core.jobs import Jobs"),
        ("core/jobs.py", "class Jobs:\n    def f(self):\n        return self._x"),
        ("pages/ask.py", "import streamlit as st\nfrom core.library import Library\nfrom pages.ui import state"),
        ("app.py", "import streamlit\nfrom pages.ui.services import library"),
    ],
)
def test_lawful_code_is_left_in_peace(path: str, source: str) -> None:
    assert [sentence for law in LAWS for sentence in law(path, source)] == []


def test_planted_names_and_paths_are_found() -> None:
    assert root_violations(["core/types.py", "notes.txt", "scripts/run.sh"]) == ["notes.txt", "scripts"]
    for planted in ("/hom" + "e/ada/lectern", "C:" + r"\Users\ada", "see /wor" + "k/shared/x", "/Us" + "ers/ada/x"):
        assert len(list(machine_paths("README.md", f"fine\n{planted}\n"))) == 1
    for harmless in ("../shared/suites", "example.org/home/page", "docs/work/x", "/etc/passwd", "`/home` is a route"):
        assert list(machine_paths("README.md", harmless)) == []
    assert EMPTY_NAMES.search("core/text/utils.py")
    assert not EMPTY_NAMES.search("core/text/analysis.py")


def test_there_are_sources_to_read() -> None:
    assert {"core/types.py", "core/errors.py", "core/settings/chunking.py"} <= set(SOURCES)


@pytest.mark.parametrize("path", SOURCES)
def test_every_source_keeps_the_laws(path: str) -> None:
    source = (ROOT / path).read_text(encoding="utf-8")
    assert [sentence for law in LAWS for sentence in law(path, source)] == []


def test_no_module_imports_itself_by_a_detour() -> None:
    """At import time, that is: a lazy import may look back."""
    graph: dict[str, set[str]] = {}
    for path in SOURCES:
        found = imports((ROOT / path).read_text(encoding="utf-8"), path, lazy=False)
        graph[module_of(path)] = {module for item in found for module in modules_run(item)} - {module_of(path)}
    assert cycle(graph) == []


def test_the_root_holds_what_tools_need_there_and_no_more() -> None:
    assert root_violations(project_files()) == []


def test_every_file_has_a_name_that_says_something() -> None:
    assert [path for path in project_files() if EMPTY_NAMES.search(path)] == []


def test_no_file_names_a_path_of_one_machine() -> None:
    found: list[str] = []
    for path in project_files():
        data = (ROOT / path).read_bytes()
        if b"\0" not in data and not data.startswith(b"%PDF"):
            found.extend(machine_paths(path, data.decode("utf-8", errors="replace")))
    assert found == []


def test_help_is_quick_and_imports_nothing_heavy() -> None:
    command = [sys.executable, "-X", "importtime", "-m", "core", "--help"]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert finished.returncode == 0, finished.stderr[-2000:]
    assert "usage:" in finished.stdout
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in finished.stderr.splitlines()}
    assert "argparse" in imported  # the table was read
    assert imported & HEAVY == set()


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="this system does not tell a child's processor time")
def test_help_answers_in_half_a_second() -> None:
    """Processor time, best of three: what the machine does besides is not Lectern's."""
    seconds = []
    for _ in range(3):
        child = subprocess.Popen([sys.executable, "-m", "core", "--help"], cwd=ROOT, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        assert child.returncode == 0
        seconds.append(usage.ru_utime + usage.ru_stime)
    assert min(seconds) < 0.5
