"""Source code as units: its module head, functions, classes, tests, and the runs of statements between them.

After "cAST: Enhancing Code Retrieval-Augmented Generation with Structural Chunking via Abstract Syntax Tree" (Zhang
et al., 2025), which splits syntax nodes that are too large and merges small neighbours. Here definitions come first,
with what belongs to them (comments above, decorators, attributes, docstrings), then statements.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.syntax import tree
from core.syntax.languages import GRAMMARS, Grammar, grammar_of
from core.syntax.model import NAMED, REMARK, Facts, Shape, Syntax, Unit, Unread
from core.syntax.tree import SyntaxText
from core.syntax.units import UnitReader

if TYPE_CHECKING:
    from tree_sitter import Node

_DOUBTFUL = 0.02  # share of errors from which another grammar is tried
_UNREADABLE = 0.5  # share of errors from which a text is not in this language at all
_SAMPLE = 30_000  # characters another grammar is tried on
_SMALLEST = 16  # bytes; what is inside a node of no more is never cut: it has as many tokens at most
_NODES = 1000
_BYTES_PER_NODE = 2
_HINTS = {
    "java": re.compile(
        r"^(?:package|import)\s+(?:static\s+)?[\w.*]+\s*;|^[^\S\n]*(?:public|private|protected)\s", re.MULTILINE
    ),
    "cpp": re.compile(
        r"^[^\S\n]*#\s*include\b|\bstd::|^[^\S\n]*(?:using\s+namespace|template\s*<|namespace\s)", re.MULTILINE
    ),
    "rust": re.compile(r"^[^\S\n]*(?:pub\s+)?(?:fn|impl|use|mod|struct)\b.*[{;][^\S\n]*$", re.MULTILINE),
    "go": re.compile(r"^package\s+\w+[^\S\n]*$|^func\s", re.MULTILINE),
    "python": re.compile(r"^(?:def|class)\s.*:[^\S\n]*$|^(?:import|from)\s+[\w.]+", re.MULTILINE),
    "typescript": re.compile(r"^(?:import|export)\s.*from\s+['\"]|^[^\S\n]*(?:const|let|var|function)\s", re.MULTILINE),
}


def units(text: str, language: str) -> tuple[Unit, ...] | None:
    """The units of source code, in order, tiling its non-blank text; ``None`` when no grammar reads it.

    >>> [unit.title for unit in units("import os\\n\\n\\ndef f(x):\\n    return x\\n", "python")]
    ['module head', 'function `f`']
    """
    syntax = read_syntax(text, language)
    return syntax.units if syntax else None


def read_syntax(text: str, language: str) -> Syntax | None:
    """The syntax of a text in a language, or in the one it turns out to be written in; ``None``: it cannot be read.

    >>> read_syntax("package a;\\n\\npublic class B { int c() { return 1; } }\\n", "go").language
    'java'
    """
    found = read_source(text, language)
    return found if isinstance(found, Syntax) else None


def read_sources(sources: Sequence[tuple[str, str]]) -> list[Syntax | Unread]:
    """The syntax of each (text, language), in this process: for texts that may be trusted not to be hostile."""
    return [read_source(text, language) for text, language in sources]


def is_readable(text: str, language: str) -> bool:
    """Whether it is worth trying: there are words, and a grammar for the language.

    >>> is_readable("x = 1", "py"), is_readable("x = 1", "cobol"), is_readable(" ", "py")
    (True, False, False)
    """
    return grammar_of(language) is not None and bool(text.strip())


def read_source(text: str, language: str) -> Syntax | Unread:
    """As ``read_syntax``, and where it cannot be read, why."""
    grammar = grammar_of(language)
    if grammar is None or not text.strip():
        return Unread.FOREIGN
    source = SyntaxText(text)
    root = tree.read(source, grammar.name)
    if root is None:
        return Unread.COSTLY
    share = tree.error_share(root)
    if share > _DOUBTFUL and (better := _better(source, grammar, share)):
        grammar, root, share = better
    if share >= _UNREADABLE:
        return Unread.FOREIGN
    shape = _shape(source, root, grammar)
    if shape is None:
        return Unread.COSTLY
    facts = _facts(source, root, grammar)
    return Syntax(grammar.name, UnitReader(source, grammar, facts).read(root), facts, shape)


def _better(source: SyntaxText, grammar: Grammar, share: float) -> tuple[Grammar, Node, float] | None:
    """Another grammar that reads the text, and first its beginning, with far fewer errors, if there is one."""
    text = source.text
    end = text.find("\n", _SAMPLE)
    sample = text[: end if end >= 0 else len(text)] if len(text) > _SAMPLE else text
    part = source if len(sample) == len(text) else SyntaxText(sample)
    for name in _candidates(sample, grammar):
        root = tree.read(part, name)
        if root is None or tree.error_share(root) >= share / 4:
            continue
        if part is not source:
            root = tree.read(source, name)
            if root is None or tree.error_share(root) >= share / 4:
                return None
        return GRAMMARS[name], root, tree.error_share(root)
    return None


def _candidates(sample: str, grammar: Grammar) -> list[str]:
    """Grammars to try in place of one: its kin, and those whose marks the text bears, the most first."""
    hinted = sorted(((len(pattern.findall(sample)), name) for name, pattern in _HINTS.items()), reverse=True)
    names = [*grammar.kin, *(name for count, name in hinted[:2] if count)]
    return list(dict.fromkeys(name for name in names if name != grammar.name))


def _shape(source: SyntaxText, root: Node, grammar: Grammar) -> Shape | None:
    """The tree without its smallest parts; ``None``: it has more nodes than any text needs."""
    most = 4 * (_NODES + len(source.data) // _BYTES_PER_NODE)
    remarks = tree.kinds(grammar.name, grammar.comments | grammar.attributes)
    numbers: list[int] = []
    pending: list[tuple[Node | None, int]] = [(root, NAMED)]
    while pending:
        node, marks = pending.pop()
        place = len(numbers)
        if node is None:  # all inside the node at the place that ``marks`` is here is written
            numbers[marks + 3] = place
            continue
        if place > most:
            return None
        start, end = node.start_byte, node.end_byte
        numbers += (start, end, marks, place + 4)
        if (end - start > _SMALLEST or not place) and node.child_count:
            pending.append((None, place))
            kept: list[tuple[Node | None, int]] = []
            follows = False  # a mark of punctuation matters only where it parts a remark from what it is about
            for child in node.children:
                remark = child.kind_id in remarks
                if child.is_named:
                    kept.append((child, NAMED | REMARK if remark else NAMED))
                elif follows or child.child_count:
                    kept.append((child, REMARK * remark))
                follows = remark
            kept.reverse()
            pending += kept
    for column in (0, 1):
        numbers[column::4] = source.positions(numbers[column::4])
    return Shape(numbers)


def _facts(source: SyntaxText, root: Node, grammar: Grammar) -> dict[str, Facts]:
    from tree_sitter import QueryCursor

    captures = QueryCursor(tree.query(grammar.name, grammar.calls)).captures(root)
    found = {"symbols": Facts(())}
    for name, capture in (("imports", "import"), ("calls", "call")):
        pairs = ((source.position(node.start_byte), source.words(node)) for node in captures.get(capture, ()))
        found[name] = Facts((start, words.strip("\"'<>")) for start, words in pairs if words)
    return found
