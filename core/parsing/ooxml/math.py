"""Formulas of Office documents (OMML, ECMA-376 part 1, section 22.1) as one line of text."""

from __future__ import annotations

import re

from core.parsing.ooxml.package import Element

_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_ONE = re.compile(r"[\w.]+|.", re.DOTALL)
_DELETED = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}del"
_SKIPPED = frozenset((*(f"{_M}{name}" for name in ("ctrlPr", "rPr", "oMathParaPr", "argPr")), _DELETED))


def linear_math(element: Element) -> str:
    """A formula's words, signs and structure; ``element``: ``m:oMath``, ``m:oMathPara`` or a part of one.

    >>> from lxml import etree
    >>> run = lambda words: f"<m:r><m:t>{words}</m:t></m:r>"
    >>> parts = f"<m:f><m:num>{run('a+b')}</m:num><m:den>{run('2')}</m:den></m:f>"
    >>> linear_math(etree.fromstring(f'<m:oMath xmlns:m="{_M[1:-1]}">{run("x=")}{parts}</m:oMath>'))
    'x=(a+b)/2'
    """
    if element.tag in _SKIPPED or not isinstance(element.tag, str):
        return ""
    name = element.tag.rpartition("}")[2]
    if name == "t":
        return element.text or ""
    return _written(element, name) if element.tag.startswith(_M) else _inside(element)


def _written(element: Element, name: str) -> str:
    """The text of an OMML element, from its parts by their names."""

    def part(name: str) -> str:
        child = element.find(f"{_M}{name}")
        return "" if child is None else _inside(child)

    def sign(key: str, usual: str) -> str:
        child = element.find(f"{_M}{name}Pr/{_M}{key}")
        return usual if child is None else str(child.get(f"{_M}val", ""))

    def mark(sign: str, words: str) -> str:
        return f"{sign}{_grouped(words)}" if words else ""

    scripts = mark("_", part("sub")) + mark("^", part("sup"))
    match name:
        case "f":
            above, below = part("num"), part("den")
            return f"{_grouped(above)}/{_grouped(below)}" if above and below else above + below
        case "sSub" | "sSup" | "sSubSup":
            return f"{part('e')}{scripts}"
        case "sPre":
            return f"{scripts}{part('e')}"
        case "nary":
            return f"{sign('chr', '∫')}{scripts} {part('e')}"
        case "rad":
            return f"√({part('deg') and part('deg') + '&'}{part('e')})"
        case "d":
            inner = sign("sepChr", "|").join(map(_inside, element.iterfind(f"{_M}e")))
            return f"{sign('begChr', '(')}{inner}{sign('endChr', ')')}"
        case "func":
            return f"{part('fName').strip()} {part('e').strip()}".strip()
        case "limLow" | "limUpp":
            return part("e") + mark("^" if name == "limUpp" else "_", part("lim"))
        case "m":
            rows = (", ".join(map(_inside, row.iterfind(f"{_M}e"))) for row in element.iterfind(f"{_M}mr"))
            return f"[{'; '.join(rows)}]"
        case "eqArr":
            return "; ".join(map(_inside, element.iterfind(f"{_M}e")))
        case "oMathPara":
            return "\n".join(filter(None, map(linear_math, element)))
        case _:
            return _inside(element)


def _inside(element: Element) -> str:
    return "".join(map(linear_math, element))


def _grouped(text: str) -> str:
    text = text.strip()
    return text if _ONE.fullmatch(text) or (text[:1] == "(" and text.find(")") == len(text) - 1) else f"({text})"
