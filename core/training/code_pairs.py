"""Pairs of code: Python's own library, in which functions and classes are documented and lie at hand everywhere."""

from __future__ import annotations

import ast
import random
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from core.training.pairs import Pair

_LEAST_LINES, _MOST_LINES = 4, 70
_LEAST_WORDS, _MOST_WORDS = 5, 40
_SKIPPED = ("test", "tests", "idlelib", "lib2to3", "site-packages", "dist-packages", "pydoc_data", "turtledemo")
_ASKED_OF_FUNCTIONS = (
    "What does the {name} function do?",
    "What is the purpose of the `{name}` function?",
    "What happens in the {name} method?",
    "How is {name} implemented?",
    "What does {name} return?",
)
_ASKED_OF_CLASSES = (
    "What is the purpose of the {name} class?",
    "What is the `{name}` class used for?",
    "What does the {name} class represent?",
)


def code_pairs(seed: int = 0, root: Path | None = None) -> list[Pair]:
    """Pairs of Python's own library: what a docstring says, or a question for a name, and the code without docstring.

    ``root``: a folder of Python files, None: the standard library of this Python. Sorted, so the same Python gives the
    same pairs.
    """
    root = root or Path(sysconfig.get_path("stdlib"))
    choose = random.Random(seed)  # noqa: S311
    found: list[Pair] = []
    for path in sorted(root.rglob("*.py")):
        within = path.relative_to(root)
        if not any(part in _SKIPPED or part.startswith("_") for part in within.with_suffix("").parts):
            found.extend(_pairs_of_file(path, within.as_posix(), choose))
    return found


def _pairs_of_file(path: Path, name: str, choose: random.Random) -> Iterator[Pair]:
    try:
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
    except (OSError, SyntaxError, UnicodeDecodeError):
        return
    lines = source.splitlines()
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) or node.name.startswith("__"):
            continue
        said = ast.get_docstring(node)
        if not said:
            continue
        code = _without_docstring(node, lines)
        if not _LEAST_LINES <= len(code) <= _MOST_LINES:
            continue
        text = "\n".join(code)
        first = re.split(r"\n\s*\n", said, maxsplit=1)[0].replace("\n", " ").strip()
        if _LEAST_WORDS <= len(first.split()) <= _MOST_WORDS:
            yield Pair("python", first, text, f"python:{name}")
        if len(node.name) > 4:
            asked = _ASKED_OF_CLASSES if isinstance(node, ast.ClassDef) else _ASKED_OF_FUNCTIONS
            # The code as it stands, docstring and all: where a name is defined, not where it is used.
            whole = "\n".join(lines[node.lineno - 1 : min(node.end_lineno or 0, node.lineno + _MOST_LINES)])
            yield Pair("python-names", choose.choice(asked).format(name=node.name), whole, f"python:{name}")


def _without_docstring(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, lines: list[str]) -> list[str]:
    said = node.body[0]
    kept = [*range(node.lineno - 1, said.lineno - 1), *range(said.end_lineno or 0, node.end_lineno or 0)]
    return [lines[at] for at in kept]
