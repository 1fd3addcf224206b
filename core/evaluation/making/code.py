"""Drafts from source code: default values, values of constants, and the purpose of functions and classes."""

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
_LONGEST_SIGNATURE = 600  # characters
_COMMENT_MARKS = re.compile(r"^\s*(?:\"{3}|'{3}|/\*+|\*+/?|//+!?|#+|--+)+\s?|\s*(?:\"{3}|'{3}|\*/)\s*$", re.MULTILINE)


def code_drafts(text: str, start: int, syntax: Syntax, name: str) -> Iterator[Draft]:
    """The drafts of the code that begins at ``start`` in ``text`` and has been parsed to ``syntax``.

    ``name``: the name of its file, for the wording of questions; "" to leave it out.
    """
    units = list(_walk(syntax.units))
    paths = [unit.path for unit in units]
    for unit in units:
        if not unit.name or paths.count(unit.path) > 1 or unit.kind == "test":
            continue
        if not re.fullmatch(r"[\w.:]+", unit.path) or (unit.name.startswith("_") and unit.name != "__init__"):
            continue
        signature = Span(start + unit.signature.start, start + unit.signature.end)
        if unit.kind in ("function", "method") and signature.length <= _LONGEST_SIGNATURE:
            yield from _defaults(text, signature, unit)
        if unit.doc is not None and unit.name != "__init__":
            yield from _purpose(text, Span(start + unit.doc.start, start + unit.doc.end), unit, name)
    end = start + max((unit.end for unit in syntax.units), default=0)
    constants = list(_CONSTANT.finditer(text, start, end))
    names = [match["name"] for match in constants]
    for match in constants:
        line, value = trim(text, *match.span()), match["value"].strip()
        if line is None or names.count(match["name"]) > 1 or not _LITERAL.fullmatch(value):
            continue
        within = f" in {name}" if name else ""
        yield Draft(
            "code",
            f"What is the value of {match['name']}{within}?",
            line,
            value,
            (f"What is {match['name']} set to{within}?",),
        )


def _walk(units: Sequence[Unit]) -> Iterator[Unit]:
    for unit in units:
        yield unit
        yield from _walk(unit.children)


def _defaults(text: str, signature: Span, unit: Unit) -> Iterator[Draft]:
    for name, value in parameters(text[signature.start : signature.end]):
        yield Draft(
            "code",
            f"What is the default of {name} in {_unit_name(unit)}?",
            signature,
            value,
            (f"Which value does {_unit_name(unit)} take for {name} when none is given?",),
        )


def parameters(signature: str) -> list[tuple[str, str]]:
    """(name, default) of the parameters in a signature whose default is a literal.

    >>> parameters("def wrap(text, width: int = 70, *, by=f(1, 2), end='x, y') -> str:")
    [('width', '70'), ('end', "'x, y'")]
    """
    start = signature.find("(")
    if start < 0:
        return []
    defaults: list[tuple[str, str]] = []
    depth, parameter, quote = 0, "", ""
    for character in signature[start + 1 :]:
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif depth == 0 and character in ",)":
            match = _DEFAULT.match(parameter)
            if match and _LITERAL.fullmatch(match["value"]):
                defaults.append((match["name"], match["value"]))
            if character == ")":
                break
            parameter = ""
            continue
        else:
            depth += (character in _OPENING) - (character in _CLOSING)
        parameter += character
    return defaults


def _purpose(text: str, doc: Span, unit: Unit, name: str) -> Iterator[Draft]:
    """ "What does it do?", answered by the first sentence of its docstring or of the comment above it."""
    # Marks become blanks, so that offsets stay valid.
    inner = _COMMENT_MARKS.sub(lambda match: " " * len(match[0]), text[doc.start : doc.end])
    first = next(iter(sentence_spans(inner.replace("\n", " ") if "\n\n" not in inner else inner)), None)
    if first is None or not inner[first.start : first.end].endswith("."):
        return
    answer = plain(inner[first.start : first.end])
    if "{@" in answer or not 4 <= len(answer.split()) <= 40:
        return
    gold = Span(doc.start + first.start, doc.start + first.end)
    if unit.kind in ("function", "method"):
        subject = _unit_name(unit)
        if name and unit.path.islower() and unit.path.isalpha():  # a name like "run" says little without its file
            subject = f"{subject} in {name}"
        is_noun_phrase = answer.split()[0].lower() in ("the", "a", "an", "whether", "one", "all", "every", "how")
        question = f"What does {subject} {'return' if is_noun_phrase else 'do'}?"
        yield Draft("code", question, gold, answer, (f"What is {subject} for?",))
    elif unit.kind == "class":
        question, other = f"What is the class {unit.path} for?", f"What does the class {unit.path} represent?"
        yield Draft("code", question, gold, answer, (other,))


def _unit_name(unit: Unit) -> str:
    if unit.name == "__init__":
        return f"the class {unit.path.rpartition('.')[0]}"
    return f"the {unit.kind} {unit.path}"
