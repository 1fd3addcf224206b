"""Separators stronger than a blank line, by format: headings, rules, fences, the items (classes, functions) of code.

After LangChain's ``RecursiveCharacterTextSplitter.from_language`` and ``MarkdownTextSplitter``. Differences: a comment,
decorator or attribute right above an item stays with it; a "#" inside a fence is no heading, because headings are taken
from the parsed blocks; and separators get weaker with indentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.text.spans import line_bounds
from core.types import Block, BlockKind, Document, Span

_MARKUP_KINDS = frozenset({"markdown", "notebook", "html", "epub", "rst", "org"})
_OUTERMOST, _LEVEL = 1.0, 0.15  # strength of a first-level heading, and how much weaker each further level is
_TYPE, _FUNCTION, _ITEM, _LEAST, _COLUMN = 1.0, 0.85, 0.5, 0.1, 0.1
_RULE, _FENCE, _AFTER_FENCE = 0.2, 0.15, 0.1
_BLANKS = re.compile(r"\s*")
_INDENT = re.compile(r"[ \t]*")
_TAB = 4  # columns
_LONGEST_LINE = 400  # characters of a line that are searched


@dataclass(frozen=True, slots=True)
class Mark:
    """A separator. ``strength``: in (0, 1], how much cheaper a cut here is than at a blank line.

    ``what``: name of the text that begins here. ``heads``: whether its line is a title of the text after it.
    """

    strength: float
    what: str
    heads: bool = False


@dataclass(frozen=True, slots=True)
class _Lines:
    """Patterns of a language: ``begins`` matches the first line of an item (groups "type", "function", "item"), and
    ``lead`` a line that belongs to the item right below it, such as a comment or decorator.
    """

    begins: re.Pattern[str]
    lead: re.Pattern[str]


def _lines(types: str = "", functions: str = "", items: str = "", lead: str = r"//|/\*|\*", before: str = "") -> _Lines:
    """The patterns of a language. ``before``: modifiers that may precede an item.

    All repetitions are bounded, because the text may be hostile.
    """
    groups = (("type", types), ("function", functions), ("item", items))
    alternatives = "|".join(f"(?P<{name}>{pattern})" for name, pattern in groups if pattern)
    modifiers = rf"(?:(?:{before})[ \t]+){{0,6}}" if before else ""
    return _Lines(re.compile(rf"{modifiers}(?:{alternatives})"), re.compile(lead))


_BRACED = _lines(
    r"(?:class|interface|enum|record|struct|namespace|trait|object|extension|protocol)\b",
    r"(?:fun|func|def|function)\b|(?:public|protected|private|internal|static|override|async)\b(?=[^=;\n]{0,300}\()",
    before="public|protected|private|internal|static|final|abstract|sealed|partial|data|open|case|override|suspend",
    lead=r"//|/\*|\*|@|\[",
)
_SCRIPT = _lines(
    r"(?:class|interface|enum|namespace|type)\b(?=[ \t]+\w)",
    r"function\b|(?:const|let|var)[ \t]+\w{1,80}[ \t]*=[ \t]*(?:async\b[ \t]*)?"
    r"(?:function\b|\([^()\n]{0,200}\)[ \t]*=>)",
    before="export|default|declare|abstract|async",
    lead=r"//|/\*|\*|@",
)
_NO_FUNCTION = "if|else|for|while|switch|do|return|case|catch|using|typedef|goto|sizeof|delete|throw"
_C = _lines(
    r"(?:class|struct|union|enum|namespace|template|typedef[ \t]+(?:struct|union|enum))\b(?![^\n]{0,400};[ \t]*$)",
    rf"(?!(?:{_NO_FUNCTION})\b)[A-Za-z_][\w:<>,*&~ \t]{{0,200}}\((?![^\n]{{0,400}}[;,\\][ \t]*$)",
    lead=r"//|/\*|\*|template\b|\[\[|[A-Za-z_][\w \t*:<>,&]{0,100}$",
)
_LANGUAGES: Mapping[str, _Lines] = {
    "python": _lines(r"class\b", r"(?:async[ \t]+)?def\b", lead="#|@"),
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "go": _lines(r"type\b", r"func\b", r"(?:const|var|import)[ \t]+\("),
    "rust": _lines(
        r"(?:struct|enum|trait|impl|mod|union)\b(?![^\n]{0,400};[ \t]*$)",
        r"fn\b|macro_rules!",
        lead=r"//|/\*|\*|#!?\[",
        before=r"pub(?:\([^()\n]{1,40}\))?|unsafe|async|const|default|extern(?:[ \t]+\"[^\"\n]{1,20}\")?",
    ),
    **dict.fromkeys(("c", "cpp", "objectivec", "cuda", "cu"), _C),
    **dict.fromkeys(("java", "csharp", "kotlin", "scala", "swift", "php", "dart", "groovy"), _BRACED),
    "ruby": _lines(r"(?:class|module)\b", r"def\b", lead="#"),
    "lua": _lines("", r"function\b", before="local", lead="--"),
    "bash": _lines("", r"function\b|[\w-]{1,80}[ \t]*\(\)", lead="#"),
}
_SECTIONS: Mapping[str, tuple[re.Pattern[str], Mapping[str, float]]] = {
    "html": (
        re.compile(r"<(?P<word>h[1-6]|template|script|style|section|article|main|table|hr)\b", re.IGNORECASE),
        MappingProxyType(
            {f"h{level}": _OUTERMOST - _LEVEL * (level - 1) for level in range(1, 7)}
            | dict.fromkeys(("template", "script", "style"), 1.0)
            | {"main": 0.9, "article": 0.85, "section": 0.7, "table": 0.3, "hr": _RULE}
        ),
    ),
}
_HEADING_TAG = re.compile(r"h[1-6]\Z")


def marks_in(document: Document, region: Span) -> dict[int, Mark]:
    """The separators of one region by offset, ascending; {} for plain text and other formats without separators.

    >>> text = "import os\\n# Opens.\\ndef load():\\n    x = 1\\n"
    >>> code = Document("v", "code", "t", text, metadata={"language": "python"})
    >>> marks_in(code, Span(0, len(text)))
    {10: Mark(strength=0.85, what='function', heads=False)}
    >>> marks_in(Document("v", "text", "t", text), Span(0, len(text)))
    {}
    """
    if document.kind in _MARKUP_KINDS:
        return _block_marks(document, region)
    if document.kind != "code":
        return {}
    language = document.metadata.get("language", "")
    if language in _SECTIONS:
        return dict(_section_marks(document.text, region, *_SECTIONS[language]))
    return dict(_item_marks(document.text, region, _LANGUAGES[language])) if language in _LANGUAGES else {}


def _block_marks(document: Document, region: Span) -> dict[int, Mark]:
    """Headings by their level, rules, and both ends of code blocks."""
    marks: dict[int, Mark] = {}
    for block in document.blocks:
        if block.end <= block.start or not region.start <= block.start < region.end:
            continue
        if mark := _block_mark(block):
            marks[block.start] = mark
        if block.kind == BlockKind.CODE and (blanks := _BLANKS.match(document.text, block.end)):
            marks.setdefault(blanks.end(), Mark(_AFTER_FENCE, "paragraph"))
    return dict(sorted((at, mark) for at, mark in marks.items() if at < region.end))


def _block_mark(block: Block) -> Mark | None:
    if block.kind == BlockKind.HEADING:
        return Mark(_OUTERMOST - _LEVEL * (min(max(block.level, 1), 6) - 1), "heading", heads=True)
    if block.kind == BlockKind.RULE:
        return Mark(_RULE, "rule")
    return Mark(_FENCE, "code block") if block.kind == BlockKind.CODE else None


def _section_marks(
    text: str, region: Span, begins: re.Pattern[str], strengths: Mapping[str, float]
) -> Iterator[tuple[int, Mark]]:
    for start, line in _visible_lines(text, region):
        if match := begins.match(line):
            word = match["word"].lower()
            yield start, Mark(strengths[word], word, bool(_HEADING_TAG.match(word)))


def _item_marks(text: str, region: Span, language: _Lines) -> Iterator[tuple[int, Mark]]:
    """The items, each at the first line of the comments and decorators right above it."""
    lead = -1  # start of the comments and decorators right above the next line; -1 for none
    in_comment = False
    previous = region.start
    for start, line in _visible_lines(text, region):
        if text.count("\n", previous, start) > 1:
            lead = -1
        previous = start
        if in_comment or line.startswith("/*"):
            lead = start if lead < 0 else lead
            in_comment = "*/" not in line
            continue
        columns = _indent_columns(text, start)
        match = language.begins.match(line)
        if match and not (language is _C and columns and match.lastgroup == "function"):  # indented C is a statement
            yield start if lead < 0 else lead, _item_mark(match, columns)
            lead = -1
        elif language.lead.match(line):
            lead = start if lead < 0 else lead
        else:
            lead = -1


def _item_mark(match: re.Match[str], columns: int) -> Mark:
    strength = {"type": _TYPE, "function": _FUNCTION, "item": _ITEM}[match.lastgroup or "item"]
    what = "function" if match.lastgroup == "function" else (re.findall(r"[a-z]+", match.group()) or ["item"])[-1]
    return Mark(max(_LEAST, round(strength - _COLUMN * columns, 2)), what)


def _visible_lines(text: str, region: Span) -> Iterator[tuple[int, str]]:
    """Every line that is not blank: the offset of its first visible character, and its stripped text."""
    for at, stop in line_bounds(text, region.start, region.end):
        line = text[at : min(stop, at + _LONGEST_LINE)]
        if words := line.strip():
            yield at + len(line) - len(line.lstrip()), words


def _indent_columns(text: str, start: int) -> int:
    """The indentation of the line at ``start``, in columns; a tab is up to four."""
    indent = _INDENT.match(text, text.rfind("\n", 0, start) + 1, start)
    return len(indent.group().expandtabs(_TAB)) if indent else 0
