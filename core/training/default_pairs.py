"""Pairs of code with answers: what an argument is by default, as the head of the function has it."""

from __future__ import annotations

import ast
import random
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path

from core.training.pairs import Pair

_SHOWN = 500  # characters of a function
_ASKED = (
    "What is the default {argument} of {function}?",
    "What is the default of `{argument}` in `{function}`?",
    "What is {argument} by default in {function}?",
    "Which {argument} does {module}.{function} use if none is given?",
    "default value of {argument} in {module}.{function}",
)


def default_pairs(root: Path | None = None, seed: int = 0) -> list[Pair]:
    """Pairs of every module of Python in a folder, in the order of their names; ``None``: the standard library.

    Only defaults that stand once in the head and the words of their function are asked for.
    """
    root = root or Path(sysconfig.get_path("stdlib"))
    choose = random.Random(seed)  # noqa: S311
    found: list[Pair] = []
    for path in sorted(root.glob("[a-z]*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        try:
            with warnings.catch_warnings(action="ignore", category=SyntaxWarning):
                read = ast.parse(text)
        except SyntaxError:
            continue  # another Python's
        for node in ast.walk(read):
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                found.extend(_pairs(node, text, path.stem, choose))
    return found


def _pairs(node: ast.FunctionDef, text: str, module: str, choose: random.Random) -> Iterator[Pair]:
    shown = (ast.get_source_segment(text, node) or "")[:_SHOWN]
    told = node.args
    given = list(zip([*told.posonlyargs, *told.args][::-1], told.defaults[::-1], strict=False))
    given += [(one, default) for one, default in zip(told.kwonlyargs, told.kw_defaults, strict=True) if default]
    for argument, default in given:
        answer = ast.get_source_segment(text, default) or ""
        if isinstance(default, ast.Constant) and shown.count(answer) == 1:
            asked = choose.choice(_ASKED).format(argument=argument.arg, function=node.name, module=module)
            yield Pair("python-defaults", asked, shown, f"python:{module}", answer)
