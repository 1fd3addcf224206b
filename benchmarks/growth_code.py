"""Code that others wrote, as it is installed beside Lectern, and questions whose answer leans on what the code calls.

A question names a function and what its docstring says it does; gold is that function and those it calls from other
files of its package. What is meant by a name is read off Python's own import statements, not as Lectern tells it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("attr", "bs4", "click", "httpx", "jinja2", "packaging", "requests")
_LARGEST_FILE = 100_000  # characters; what is larger is a table of data
_LONGEST, _SHORTEST = 1800, 120  # characters of a function
_MOST = 2  # functions that one calls
_SENTENCE = re.compile(r"[.:]\s|\n\n")
_SAID = 4  # words of a docstring's first sentence

Function = ast.FunctionDef | ast.AsyncFunctionDef
Place = tuple[str, str]  # a document, and words that stand there


@dataclass(frozen=True, slots=True)
class _File:
    """``imported``: what it names from other files of its package, each as document and name."""

    text: str
    tree: ast.Module
    imported: Mapping[str, tuple[str, str]]


def called_code() -> tuple[Mapping[str, str], Sequence[tuple[str, Sequence[Place]]]]:
    """Files that hold gold, by name, and questions. Raises ``ModuleNotFoundError`` where a package is missing."""
    documents: dict[str, str] = {}
    questions: dict[str, Sequence[Place]] = {}
    for package in PACKAGES:
        files = _read(package)
        documents |= {name: file.text for name, file in files.items()}
        told: set[tuple[str, frozenset[str]]] = set()  # of twins, one waits for what the other awaits
        for name, file in files.items():
            for path, function in _functions(file.tree, ""):
                said = _SENTENCE.split(ast.get_docstring(function) or "")[0]
                called = _called(function, file, files)
                places = [_place(name, file.text, function), *called.values()]
                once = all(documents[one].count(words) == 1 for one, words in places)
                fits = once and all(_SHORTEST <= len(words) <= _LONGEST for _, words in places)
                twin = said, frozenset(called)
                if fits and 0 < len(called) <= _MOST and len(said.split()) >= _SAID and twin not in told:
                    told.add(twin)
                    asked = f"How does {path} of {package} do this: {' '.join(said.split()).rstrip('.')}?"
                    questions.setdefault(asked, places)
    held = {name for places in questions.values() for name, _ in places}
    return {name: documents[name] for name in sorted(held)}, list(questions.items())


def _read(package: str) -> Mapping[str, _File]:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(package)
    root = Path(spec.origin).parent
    paths = {path.relative_to(root.parent).as_posix(): path for path in sorted(root.rglob("*.py"))}
    texts = {name: path.read_text(encoding="utf-8") for name, path in paths.items()}
    trees = {name: ast.parse(text) for name, text in texts.items() if 0 < len(text) <= _LARGEST_FILE}
    return {name: _File(texts[name], tree, dict(_imports(name, tree, trees))) for name, tree in trees.items()}


def _imports(name: str, tree: ast.Module, trees: Mapping[str, ast.Module]) -> Iterator[tuple[str, tuple[str, str]]]:
    folder = name.split("/")[:-1]
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or node.module is None:
            continue
        above = folder[: len(folder) - node.level + 1] if node.level else []
        file = "/".join([*above, *node.module.split(".")]) + ".py"
        for one in node.names if file in trees else ():
            yield one.asname or one.name, (file, one.name)


def _functions(node: ast.AST, path: str) -> Iterator[tuple[str, Function]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{child.name}.")
        elif isinstance(child, Function):
            yield path + child.name, child


def _called(function: Function, file: _File, files: Mapping[str, _File]) -> Mapping[str, Place]:
    found: dict[str, Place] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in file.imported:
            other, name = file.imported[node.func.id]
            for path, one in _functions(files[other].tree, ""):
                if path == name:
                    found[node.func.id] = _place(other, files[other].text, one)
    return found


def _place(name: str, text: str, function: Function) -> Place:
    lines = text.splitlines(keepends=True)
    start = sum(map(len, lines[: function.lineno - 1]))
    end = sum(map(len, lines[: function.end_lineno]))
    return name, text[start:end].rstrip()
