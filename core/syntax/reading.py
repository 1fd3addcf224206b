"""Parses source code and detects its language if the declared one is wrong.

Units are definitions with their comments, decorators and docstrings, and the runs of statements between them. After
"cAST: Enhancing Code Retrieval-Augmented Generation with Structural Chunking via Abstract Syntax Tree" (Zhang et al.,
2025), which splits large syntax nodes and merges small neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.syntax import tree
from core.syntax.grammar import Grammar
from core.syntax.languages import GRAMMARS, grammar_of
from core.syntax.model import LEADING, NAMED, Facts, Shape, Syntax, Unit, Unread
from core.syntax.tree import SyntaxText
from core.syntax.units import UnitReader

if TYPE_CHECKING:
    from tree_sitter import Node

_DOUBTFUL = 0.02  # share of errors above which other grammars are tried
_UNREADABLE = 0.5  # share of errors from which the text is not in this language
_SAMPLE = 30_000  # characters on which other grammars are tried first
_SMALLEST = 16  # bytes; smaller nodes are never cut, so their children are not stored
_NODES, _BYTES_PER_NODE = 1000, 2  # the most nodes of a tree: 1000 plus one for every 2 bytes
_DIRECTIVE = re.compile(r"\{\{.{0,2000}?\}\}|\{%.{0,2000}?%\}|\{#.{0,2000}?#\}", re.DOTALL)
_NOT_LINE_END = re.compile(r"[^\n]")
_HINTS = {  # text patterns typical of a language
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
    """The units of source code in order, covering its non-blank text; ``None`` if it cannot be parsed.

    >>> [unit.title for unit in units("import os\\n\\n\\ndef f(x):\\n    return x\\n", "python")]
    ['module head', 'function `f`']
    """
    syntax = read_syntax(text, language)
    return syntax.units if syntax else None


def read_syntax(text: str, language: str) -> Syntax | None:
    """The syntax of a text, in ``language`` or in the language it is detected to be; ``None`` if it cannot be parsed.

    >>> read_syntax("package a;\\n\\npublic class B { int c() { return 1; } }\\n", "go").language
    'java'
    """
    result = read_source(text, language)
    return result if isinstance(result, Syntax) else None


def read_sources(sources: Sequence[tuple[str, str]]) -> list[Syntax | Unread]:
    """The syntax of each (text, language), parsed in this process; for trusted texts only."""
    return [read_source(text, language) for text, language in sources]


def is_readable(text: str, language: str) -> bool:
    """Whether a text can be parsed: it is not blank, and the language is supported.

    >>> is_readable("x = 1", "py"), is_readable("x = 1", "cobol"), is_readable(" ", "py")
    (True, False, False)
    """
    return grammar_of(language) is not None and bool(text.strip())


def read_source(text: str, language: str) -> Syntax | Unread:
    """As ``read_syntax``, but with the reason where the text cannot be parsed."""
    grammar = grammar_of(language)
    if grammar is None or not text.strip():
        return Unread.FOREIGN
    source = SyntaxText(text)
    root = tree.read(source, grammar.name)
    if root is None:
        return Unread.COSTLY
    share = tree.error_share(root)
    if share > _DOUBTFUL and _DIRECTIVE.search(text):
        filled = SyntaxText(text, without_directives(text))
        if (filled_root := tree.read(filled, grammar.name)) and tree.error_share(filled_root) < share / 4:
            source, root, share = filled, filled_root, tree.error_share(filled_root)
    if share > _DOUBTFUL and (better := _better_grammar(source, grammar, share)):
        grammar, root, share = better
    if share >= _UNREADABLE:
        return Unread.FOREIGN
    shape = _shape(source, root, grammar)
    if shape is None:
        return Unread.COSTLY
    facts = _facts(source, root, grammar)
    return Syntax(grammar.name, UnitReader(source, grammar, facts).read(root), facts, shape)


def without_directives(text: str) -> str:
    """A template of Helm, Jinja or dbt with as many other characters for its directives: what is left can be parsed.

    What gives a value becomes a word, or blanks where nothing else is on the line; all others become blanks.

    >>> without_directives("a: {{ .a }}\\n{{ if .b }}\\nb: 1\\n")
    'a: xxxxxxxx\\n           \\nb: 1\\n'
    """

    def marked(match: re.Match[str]) -> str:
        return _NOT_LINE_END.sub("\0" if match[0].startswith("{{") else " ", match[0])

    lines = _DIRECTIVE.sub(marked, text).split("\n")
    return "\n".join(line.replace("\0", "x" if line.strip(" \t\0") else " ") for line in lines)


def _better_grammar(source: SyntaxText, grammar: Grammar, share: float) -> tuple[Grammar, Node, float] | None:
    """A grammar with less than a quarter of the errors, its root and its error share; ``None`` without one.

    Grammars are tried on the beginning of a long text first.
    """
    text = source.text
    end = text.find("\n", _SAMPLE)
    sample = text[: end if end >= 0 else len(text)] if len(text) > _SAMPLE else text
    sample_source = source if len(sample) == len(text) else SyntaxText(sample)
    for name in _candidates(sample, grammar):
        root = tree.read(sample_source, name)
        if root is None or tree.error_share(root) >= share / 4:
            continue
        if sample_source is not source:
            root = tree.read(source, name)
            if root is None or tree.error_share(root) >= share / 4:
                return None
        return GRAMMARS[name], root, tree.error_share(root)
    return None


def _candidates(sample: str, grammar: Grammar) -> list[str]:
    """The grammars to try instead: related ones, then the two with the most matching hints."""
    hinted = sorted(((len(pattern.findall(sample)), name) for name, pattern in _HINTS.items()), reverse=True)
    names = [*grammar.related, *(name for count, name in hinted[:2] if count)]
    return list(dict.fromkeys(name for name in names if name != grammar.name))


def _shape(source: SyntaxText, root: Node, grammar: Grammar) -> Shape | None:
    """The tree without children of small nodes, strings and comments; ``None`` if it has abnormally many nodes for its
    size.
    """
    most = 4 * (_NODES + len(source.data) // _BYTES_PER_NODE)
    prose = tree.prose_kinds(grammar.name)
    leading_kinds = tree.kinds(grammar.name, grammar.comments | grammar.attributes)
    numbers: list[int] = []
    pending: list[tuple[Node | None, int]] = [(root, NAMED)]
    while pending:
        node, flags = pending.pop()
        index = len(numbers)
        if node is None:  # all descendants of the node at index ``flags`` are stored: its end is known
            numbers[flags + 3] = index
            continue
        if index > most:
            return None
        start, end = node.start_byte, node.end_byte
        numbers += (start, end, flags, index + 4)
        if (end - start > _SMALLEST or not index) and node.child_count and node.kind_id not in prose:
            pending.append((None, index))
            children: list[tuple[Node | None, int]] = []
            after_leading = False  # punctuation is only stored where it separates a comment from the next node
            for child in node.children:
                is_leading = child.kind_id in leading_kinds
                if child.is_named:
                    children.append((child, NAMED | LEADING if is_leading else NAMED))
                elif after_leading or child.child_count:
                    children.append((child, LEADING * is_leading))
                after_leading = is_leading
            children.reverse()
            pending += children
    for column in (0, 1):
        numbers[column::4] = source.positions(numbers[column::4])
    return Shape(numbers)


def _facts(source: SyntaxText, root: Node, grammar: Grammar) -> dict[str, Facts]:
    """The imported and called names; "symbols" is filled by ``UnitReader``."""
    from tree_sitter import QueryCursor

    captures = QueryCursor(tree.query(grammar.name, grammar.calls)).captures(root)
    facts = {"symbols": Facts(())}
    for name, capture in (("imports", "import"), ("calls", "call")):
        pairs = ((source.position(node.start_byte), source.words(node)) for node in captures.get(capture, ()))
        facts[name] = Facts((start, words.strip("\"'<>")) for start, words in pairs if words)
    return facts
