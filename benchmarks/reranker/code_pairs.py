"""Pairs of code: what stands above or in a definition asks for its code, and so do its name and its defaults."""

from __future__ import annotations

import ast
import random
import re
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path

from benchmarks.reranker.pairs import Pair
from core.parsing.file_kinds import language_of
from core.syntax import GRAMMARS, Unit, units

_SHOWN = 500  # characters of a function
_ASKED_DEFAULTS = (
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
    choose = random.Random(seed)
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
                found.extend(_defaults(node, text, path.stem, choose))
    return found


def _defaults(node: ast.FunctionDef, text: str, module: str, choose: random.Random) -> Iterator[Pair]:
    shown = (ast.get_source_segment(text, node) or "")[:_SHOWN]
    told = node.args
    given = list(zip([*told.posonlyargs, *told.args][::-1], told.defaults[::-1], strict=False))
    given += [(one, default) for one, default in zip(told.kwonlyargs, told.kw_defaults, strict=True) if default]
    for argument, default in given:
        answer = ast.get_source_segment(text, default) or ""
        if isinstance(default, ast.Constant) and shown.count(answer) == 1:
            asked = choose.choice(_ASKED_DEFAULTS).format(argument=argument.arg, function=node.name, module=module)
            yield Pair("python-defaults", asked, shown, f"python:{module}", answer)


_LEAST_LINES, _MOST_LINES = 4, 70
_LEAST_WORDS, _MOST_WORDS = 5, 40
_LEAST_NAME = 5  # characters: shorter names are words of everybody's code
_MOST_CHARACTERS = 400_000  # of a file: longer ones are made by programs
_SKIPPED = frozenset(
    "test tests testing benchmarks examples third_party vendor site-packages dist-packages"
    " idlelib lib2to3 pydoc_data turtledemo".split()
)
_MARKS = re.compile(r'^\s*(?:/{2,}!?|/\*[*!]*|\*+/|\*+|#+:?|[rRuU]?"""|"""|\'\'\')[ \t]?|\s*(?:\*/|"""|\'\'\')\s*$')
_ASKED = (
    "What does the {name} {kind} do?",
    "What is the purpose of the `{name}` {kind}?",
    "What happens in the {name} {kind}?",
    "How is {name} implemented?",
    "What is `{name}` used for?",
)


def code_pairs(root: Path | None = None, seed: int = 0) -> list[Pair]:
    """Pairs of every file of code below a folder, of any language with a grammar, in the order of their paths.

    ``root`` ``None``: the standard library of this Python, which lies at hand everywhere. The same files give the same
    pairs.
    """
    root = root or Path(sysconfig.get_path("stdlib"))
    choose = random.Random(seed)
    found: list[Pair] = []
    for path in sorted(root.rglob("*")):
        within = path.relative_to(root)
        language = language_of(path.name)
        passed_over = any(part in _SKIPPED or part.startswith(("_", ".")) for part in within.with_suffix("").parts)
        if language in GRAMMARS and not passed_over and path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            if len(text) <= _MOST_CHARACTERS:
                read = units(text, language) or ()
                found.extend(_pairs(read, text, f"{language}:{root.name}/{within.as_posix()}", choose))
    return found


def said(doc: str) -> str:
    """The first paragraph of a comment or docstring, its marks taken off, on one line.

    >>> said("/// Adds two numbers,\\n/// whatever they are.\\n///\\n/// # Panics")
    'Adds two numbers, whatever they are.'
    >>> said('#: Do it.'), said("/** Is it? */")
    ('Do it.', 'Is it?')
    """
    lines = [_MARKS.sub("", _MARKS.sub("", line)).strip() for line in doc.strip().splitlines()]
    while lines and not lines[0]:
        lines.pop(0)
    end = lines.index("") if "" in lines else len(lines)
    return " ".join(lines[:end])


def _pairs(read: tuple[Unit, ...], text: str, pool: str, choose: random.Random) -> Iterator[Pair]:
    language = pool.partition(":")[0]
    for unit in read:
        yield from _pairs(unit.children, text, pool, choose)
        if unit.doc is None or not unit.name or unit.name.startswith("__"):
            continue
        whole = text[unit.start : unit.end]
        code = (text[unit.start : unit.doc.start] + text[unit.doc.end : unit.end]).strip("\n")
        if not _LEAST_LINES <= code.count("\n") + 1 <= _MOST_LINES:
            continue
        first = said(text[unit.doc.start : unit.doc.end])
        if _LEAST_WORDS <= len(first.split()) <= _MOST_WORDS:
            yield Pair(language, first, code, pool)
        if len(unit.name) >= _LEAST_NAME:
            # The code as it stands, comment and all: where a name is defined, not where it is used.
            asked = choose.choice(_ASKED).format(name=unit.name, kind=unit.kind)
            yield Pair(f"{language}-names", asked, whole, pool)
