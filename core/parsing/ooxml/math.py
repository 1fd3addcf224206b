"""Formulas of Office documents (OMML, ECMA-376 part 1, section 22.1) as one line of text."""

from __future__ import annotations

import re
from collections.abc import Callable

from core.parsing.ooxml.package import Element

_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_ONE = re.compile(r"[\w.]+|.", re.DOTALL)
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_SKIPPED = frozenset((*(f"{_M}{name}" for name in ("ctrlPr", "rPr", "oMathParaPr", "argPr")), f"{_W}del"))


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
    writer = _WRITERS.get(name) if element.tag.startswith(_M) else None
    return writer(element) if writer else _inside(element)


def _inside(element: Element) -> str:
    return "".join(map(linear_math, element))


def _part(element: Element, name: str) -> str:
    child = element.find(f"{_M}{name}")
    return "" if child is None else _inside(child)


def _grouped(text: str) -> str:
    text = text.strip()
    return text if _ONE.fullmatch(text) or (text[:1] == "(" and text.find(")") == len(text) - 1) else f"({text})"


def _property(element: Element, name: str, usual: str) -> str:
    """A character that ``m:…Pr`` sets; ``usual`` where it sets none."""
    kind = element.tag.rpartition("}")[2]
    child = element.find(f"{_M}{kind}Pr/{_M}{name}")
    return usual if child is None else str(child.get(f"{_M}val", ""))


def _fraction(element: Element) -> str:
    above, below = _part(element, "num"), _part(element, "den")
    return f"{_grouped(above)}/{_grouped(below)}" if above and below else above + below


def _scripts(element: Element) -> str:
    below, above = _part(element, "sub"), _part(element, "sup")
    marks = (f"_{_grouped(below)}" if below else "") + (f"^{_grouped(above)}" if above else "")
    base = _part(element, "e")
    return f"{marks}{base}" if element.tag == f"{_M}sPre" else f"{base}{marks}"


def _large(element: Element) -> str:
    """A sum, product, integral ... with its bounds."""
    below, above = _part(element, "sub"), _part(element, "sup")
    marks = (f"_{_grouped(below)}" if below else "") + (f"^{_grouped(above)}" if above else "")
    return f"{_property(element, 'chr', '∫')}{marks} {_part(element, 'e')}"


def _root(element: Element) -> str:
    degree = _part(element, "deg")
    return f"√({f'{degree}&' if degree else ''}{_part(element, 'e')})"


def _delimited(element: Element) -> str:
    first, last = _property(element, "begChr", "("), _property(element, "endChr", ")")
    return first + _property(element, "sepChr", "|").join(map(_inside, element.iterfind(f"{_M}e"))) + last


def _function(element: Element) -> str:
    return f"{_part(element, 'fName').strip()} {_part(element, 'e').strip()}".strip()


def _limit(element: Element) -> str:
    bound = _part(element, "lim")
    mark = "^" if element.tag == f"{_M}limUpp" else "_"
    return _part(element, "e") + (f"{mark}{_grouped(bound)}" if bound else "")


def _matrix(element: Element) -> str:
    rows = [", ".join(map(_inside, row.iterfind(f"{_M}e"))) for row in element.iterfind(f"{_M}mr")]
    return f"[{'; '.join(rows)}]"


def _lines(element: Element) -> str:
    return "; ".join(_inside(line) for line in element.iterfind(f"{_M}e"))


def _paragraph(element: Element) -> str:
    formulas = [formula for formula in (linear_math(child) for child in element) if formula]
    return "\n".join(formulas)


_WRITERS: dict[str, Callable[[Element], str]] = {
    "f": _fraction,
    **dict.fromkeys(("sSub", "sSup", "sSubSup", "sPre"), _scripts),
    "nary": _large,
    "rad": _root,
    "d": _delimited,
    "func": _function,
    **dict.fromkeys(("limLow", "limUpp"), _limit),
    "m": _matrix,
    "eqArr": _lines,
    "oMathPara": _paragraph,
}
