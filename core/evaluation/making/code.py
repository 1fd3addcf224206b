"""Questions of source code: the defaults of functions, the values of constants, and what a function or class does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.evaluation.making.draft import Draft, plain
from core.syntax import Syntax, Unit
from core.text.sentences import sentence_spans
from core.text.spans import trim
from core.types import Span

_DEFAULT = re.compile(
    r"\s*(?:(?:const|final|readonly|var|let|public|private)\s+)*(?P<name>[A-Za-z_]\w*)\s*(?::\s*(?P<type>[^=]+?))?\s*=\s*(?P<value>.+?)\s*\Z",
    re.DOTALL,
)
_CONSTANT = re.compile(
    r"^[ \t]*(?:(?:pub|export|public|private|static|final|const|constexpr|let|val|var|int|long|float|double)\s+)*"
    r"(?P<name>[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:\s*:\s*[^=\n]+?)?\s*=\s*"
    r"(?P<value>[^\n=;#/]{1,60}?)\s*;?[ \t]*(?:(?:#|//).*)?$",
    re.MULTILINE,
)
_LITERAL = re.compile(
    r"[-+]?[\d][\w.]*|\"[^\"\n]{1,40}\"|'[^'\n]{1,40}'|True|False|None|true|false|null|nil|[A-Z][\w.]+|\(\)|\[\]|\{\}"
)
_OPENING, _CLOSING = "([{<", ")]}>"
_LONGEST = 600  # characters of a signature
_REMARK = re.compile(r"^\s*(?:\"{3}|'{3}|/\*+|\*+/?|//+!?|#+|--+)+\s?|\s*(?:\"{3}|'{3}|\*/)\s*$", re.MULTILINE)


def code_drafts(text: str, start: int, syntax: Syntax, name: str) -> Iterator[Draft]:
    """The questions some code answers, which stands from ``start`` on in ``text`` and is that of ``syntax``.

    ``name``: what the code lies in, a file's name; "" where it need not be said.
    """
    units = list(_walk(syntax.units))
    paths = [unit.path for unit in units]
    for unit in units:
        if not unit.name or paths.count(unit.path) > 1 or unit.kind == "test":
            continue
        if not re.fullmatch(r"[\w.:]+", unit.path) or (unit.name.startswith("_") and unit.name != "__init__"):
            continue
        signature = Span(start + unit.signature.start, start + unit.signature.end)
        if unit.kind in ("function", "method") and signature.length <= _LONGEST:
            yield from _defaults(text, signature, unit)
        if unit.doc is not None and unit.name != "__init__":
            yield from _purpose(text, Span(start + unit.doc.start, start + unit.doc.end), unit, name)
    end = start + max((unit.end for unit in syntax.units), default=0)
    constants = list(_CONSTANT.finditer(text, start, end))
    names = [found["name"] for found in constants]
    for found in constants:
        line = trim(text, *found.span())
        if line is None or names.count(found["name"]) > 1 or not _LITERAL.fullmatch(found["value"].strip()):
            continue
        within = f" in {name}" if name else ""
        yield Draft(
            "code",
            f"What is the value of {found['name']}{within}?",
            line,
            found["value"].strip(),
            (f"What is {found['name']} set to{within}?",),
        )


def _walk(units: Sequence[Unit]) -> Iterator[Unit]:
    for unit in units:
        yield unit
        yield from _walk(unit.children)


def _defaults(text: str, signature: Span, unit: Unit) -> Iterator[Draft]:
    said = text[signature.start : signature.end]
    for name, value in parameters(said):
        yield Draft(
            "code",
            f"What is the default of {name} in {_called(unit)}?",
            signature,
            value,
            (f"Which value does {_called(unit)} take for {name} when none is given?",),
        )


def parameters(signature: str) -> list[tuple[str, str]]:
    """The parameters of a signature that have a plain value by default, with it.

    >>> parameters("def wrap(text, width: int = 70, *, by=f(1, 2), end='x, y') -> str:")
    [('width', '70'), ('end', "'x, y'")]
    """
    begin = signature.find("(")
    if begin < 0:
        return []
    found: list[tuple[str, str]] = []
    depth, piece, quote = 0, "", ""
    for character in signature[begin + 1 :]:
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif depth == 0 and character in ",)":
            match = _DEFAULT.match(piece)
            if match and _LITERAL.fullmatch(match["value"]):
                found.append((match["name"], match["value"]))
            if character == ")":
                break
            piece = ""
            continue
        else:
            depth += (character in _OPENING) - (character in _CLOSING)
        piece += character
    return found


def _purpose(text: str, doc: Span, unit: Unit, name: str) -> Iterator[Draft]:
    """ "What does it do?": answered by the first sentence of what is written above or in it."""
    inner = _REMARK.sub(lambda found: " " * len(found[0]), text[doc.start : doc.end])
    first = next(iter(sentence_spans(inner.replace("\n", " ") if "\n\n" not in inner else inner)), None)
    if first is None or not inner[first.start : first.end].endswith("."):
        return
    said = plain(inner[first.start : first.end])
    if "{@" in said or not 4 <= len(said.split()) <= 40:
        return
    gold = Span(doc.start + first.start, doc.start + first.end)
    called = f"{_called(unit)} in {name}" if name and unit.path.islower() and unit.path.isalpha() else _called(unit)
    if unit.kind in ("function", "method"):
        gives = said.split()[0].lower() in ("the", "a", "an", "whether", "one", "all", "every", "how")
        yield Draft(
            "code",
            f"What does {called} {'return' if gives else 'do'}?",
            gold,
            said,
            (f"What is {called} for?",),
        )
    elif unit.kind == "class":
        yield Draft(
            "code", f"What is the class {unit.path} for?", gold, said, (f"What does the class {unit.path} represent?",)
        )


def _called(unit: Unit) -> str:
    if unit.name == "__init__":
        return f"the class {unit.path.rpartition('.')[0]}"
    return f"the {unit.kind} {unit.path}"
