"""Styles of a Word document with what they take over from the styles they are based on."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from core.parsing.ooxml.package import Element
from core.parsing.word.xml import W, is_on, number, value

_BODY_LEVEL = 9  # the outline level of text that is no heading
# Word writes the English names of its own styles into files of every language; other programs may not.
_HEADING = re.compile(
    r"(?:heading|überschrift|titre|título|titolo|kop|nagłówek|заголовок|rubrik|overskrift|otsikko|标题|標題|見出し|제목)"
    r"\s?([1-9])"
)
_NAMED_HEADINGS = {"title": 1, "subtitle": 2, "toc heading": 1}  # their outline level says body text
_QUOTES = {"quote", "intense quote", "block text", "block quote", "block quotation", "blockquote", "quotations"}
_CODES = re.compile(
    r"(?:source|program|example|sample|listing|html|inline|computer|r|python|shell|json|xml|sql)?[ _-]?code"
    r"(?:[ _-]?(?:block|listing|snippet|example|sample|text|line|lines|paragraph|para|box))?[ _-]?\d*"
    r"|(?:html )?preformatted(?: text)?|verbatim(?: text)?|macro(?: text)?|program[ _-]?listing|source[ _-]?listing"
)
_DEPTH = re.compile(r"(?:list(?: (?:bullet|number|paragraph))?|toc) ([2-9])")
_CONTENTS = re.compile(r"toc [1-9]|table of (?:figures|authorities)")
_FONTS, _VANISH, _BOLD, _RUN_STYLE = f"{W}rFonts", f"{W}vanish", f"{W}b", f"{W}rStyle"
_ITALIC, _SIZE, _LINE_BELOW = f"{W}i", f"{W}sz", f"{W}u"
_USUAL_SIZE = 10.0  # points, of text that nothing sets
_MONOSPACED = re.compile(
    r"\b(?:courier|consolas|menlo|monaco|inconsolata|typewriter|mono|monospaced?|lucida console|lucida sans typewriter|"
    r"source code pro|fira code|cascadia code|jetbrains|anonymous pro|letter gothic|ocr[ -]?[ab]|terminal|hack|"
    r"fixedsys|nimbus mono\w*|cmtt\d*|lmmono\w*|simplified arabic fixed|ms gothic mono)\b"
)


@dataclass(frozen=True, slots=True)
class Style:
    """What a style says, with its ancestors.

    ``level``: of a heading, 1-9; 0 for none. ``role``: "title", "subtitle", "caption", "quote", "code",
    "contents" (a line of their table) or "".
    ``number``: (list id, its level or ``None``, the style that says so), or ``None``. ``font``: "" where none is named.
    ``depth``: of a list item where its list has one level alone ("List Bullet 2"). ``size``: in points, 0 for none.
    """

    level: int = 0
    role: str = ""
    number: tuple[str, int | None, str] | None = None
    depth: int = 0
    font: str = ""
    hidden: bool | None = None
    bold: bool | None = None
    italic: bool | None = None
    underlined: bool | None = None
    size: float = 0.0


class Looks(NamedTuple):
    """``font``: for Latin text, "" for none, "theme" for one of the theme's. ``None``, and a size of 0: not said."""

    style: str
    font: str
    hidden: bool | None
    bold: bool | None
    italic: bool | None = None
    underlined: bool | None = None
    size: float = 0.0


class Styles:
    """All styles of a document, each resolved once.

    ``default_font``, ``default_size``: of text that nothing else sets; no font is "" where the file does not say.
    """

    def __init__(self, root: Element | None) -> None:
        """``root``: ``w:styles``, ``None`` where the file has none."""
        self._elements: dict[str, Element] = {}
        self._default_paragraph = ""
        self._resolved: dict[str, Style] = {}
        self._first_row_bold: dict[str, bool] = {}
        for element in () if root is None else root.iterfind(f"{W}style"):
            name = element.get(f"{W}styleId", "")
            self._elements.setdefault(name, element)
            is_default = element.get(f"{W}default", "0") in ("1", "true", "on")
            if is_default and element.get(f"{W}type") == "paragraph":
                self._default_paragraph = name
        defaults = None if root is None else root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr")
        looks = looks_of(defaults)
        self.default_font, self.default_size = looks.font, looks.size or _USUAL_SIZE

    def paragraph(self, style_id: str | None) -> Style:
        """The style of a paragraph that names ``style_id``; the document's usual one where it names none."""
        return self.run(style_id or self._default_paragraph)

    def run(self, style_id: str) -> Style:
        """A style by its id."""
        if style_id not in self._resolved:
            self._resolved[style_id] = self._resolve(style_id)
        return self._resolved[style_id]

    def number_of(self, style_id: str) -> str | None:
        """The list a numbering style stands for."""
        return value(self._number_properties(style_id), "numId")

    def has_bold_first_row(self, style_id: str) -> bool:
        """Whether a table style sets its first row in bold type."""
        if style_id not in self._first_row_bold:
            elements = [self._elements[name] for name in self._chain(style_id)]
            parts = [part for element in elements for part in element.iterfind(f"{W}tblStylePr")]
            first_rows = [part for part in parts if part.get(f"{W}type") == "firstRow"]
            self._first_row_bold[style_id] = any(looks_of(part.find(f"{W}rPr")).bold for part in first_rows)
        return self._first_row_bold[style_id]

    def _number_properties(self, style_id: str) -> Element | None:
        element = self._elements.get(style_id)
        return None if element is None else element.find(f"{W}pPr/{W}numPr")

    def _chain(self, style_id: str, known: Container[str] = ()) -> list[str]:
        """The style and those it is based on, nearest first, up to one that is ``known`` or closes a circle."""
        chain: dict[str, None] = {}
        name: str | None = style_id
        while name in self._elements and name not in chain and name not in known:
            chain[name] = None
            name = value(self._elements[name], "basedOn")
        return list(chain)

    def _resolve(self, style_id: str) -> Style:
        """Resolve a style, and what it is based on before it: each once, however long the chain."""
        if style_id not in self._elements:  # a file without its styles still names them
            name = _spaced(style_id)
            return _named(Style(depth=_named_depth(name)), name)
        chain = self._chain(style_id, self._resolved)
        base = value(self._elements[chain[-1]], "basedOn") or ""
        style = self._resolved.get(base, Style())
        for name in reversed(chain):
            style = self._resolved[name] = _over(style, self._elements[name])
        return style


def looks_of(properties: Element | None) -> Looks:
    """What run properties (``w:rPr``) say themselves; one pass, for there is a run for every few words."""
    style = font = ""
    hidden = bold = italic = underlined = None
    size = 0.0
    for child in () if properties is None else properties:
        tag = child.tag
        if tag == _FONTS:
            is_themed = child.get(f"{W}asciiTheme") or child.get(f"{W}hAnsiTheme")
            font = "theme" if is_themed else child.get(f"{W}ascii") or child.get(f"{W}hAnsi") or ""
        elif tag == _VANISH:
            hidden = is_on(child)
        elif tag == _BOLD:
            bold = is_on(child)
        elif tag == _ITALIC:
            italic = is_on(child)
        elif tag == _LINE_BELOW:
            underlined = child.get(f"{W}val", "single") != "none"
        elif tag == _SIZE:
            half_points = child.get(f"{W}val", "")
            size = int(half_points) / 2 if half_points.isdecimal() and len(half_points) < 5 else 0.0
        elif tag == _RUN_STYLE:
            style = child.get(f"{W}val", "")
    return Looks(style, font, hidden, bold, italic, underlined, size)


@lru_cache(maxsize=1024)
def is_monospaced(font: str) -> bool:
    """
    >>> [is_monospaced(font) for font in ("Courier New", "DejaVu Sans Mono", "Monotype Corsiva", "Arial", "")]
    [True, True, False, False, False]
    """
    return bool(font) and bool(_MONOSPACED.search(font.lower()))


def _over(style: Style, element: Element) -> Style:
    """What ``element`` makes of the style it is based on."""
    properties = element.find(f"{W}pPr")
    style_id = element.get(f"{W}styleId", "")
    style = _named(style, _name(element, style_id))
    outline = number(properties, "outlineLvl")
    if outline is not None and _name(element, style_id) not in _NAMED_HEADINGS:
        style = replace(style, level=outline + 1 if 0 <= outline < _BODY_LEVEL else 0)
    numbering = None if properties is None else properties.find(f"{W}numPr")
    if numbering is not None:
        inherited = style.number[0] if style.number else None
        list_id = value(numbering, "numId") or inherited
        stated = (list_id, number(numbering, "ilvl"), style_id) if list_id and list_id != "0" else None
        style = replace(style, number=stated)
    style = replace(style, depth=_named_depth(_name(element, style_id)))
    looks = looks_of(element.find(f"{W}rPr"))
    return replace(
        style,
        font=looks.font or style.font,
        hidden=style.hidden if looks.hidden is None else looks.hidden,
        bold=style.bold if looks.bold is None else looks.bold,
        italic=style.italic if looks.italic is None else looks.italic,
        underlined=style.underlined if looks.underlined is None else looks.underlined,
        size=looks.size or style.size,
    )


def _named(style: Style, name: str) -> Style:
    """What a style's name says of it, over what its ancestors said."""
    if match := _HEADING.fullmatch(name):
        return replace(style, level=int(match[1]), role="")
    if name in _NAMED_HEADINGS:
        return replace(style, level=_NAMED_HEADINGS[name], role=name)
    if style.role in ("title", "subtitle") and "title" not in name:
        style = replace(style, level=0, role="")  # the author's name is set like a title, and is none
    if name == "caption" or name.endswith(" caption"):
        return replace(style, role="caption")
    if _CONTENTS.fullmatch(name):
        return replace(style, role="contents")
    if name in _QUOTES:
        return replace(style, role="quote")
    if _CODES.fullmatch(name):
        return replace(style, role="code")
    return style


def _named_depth(name: str) -> int:
    match = _DEPTH.fullmatch(name)
    return int(match[1]) - 1 if match else 0


def _name(element: Element | None, style_id: str) -> str:
    stated = value(element, "name")
    return " ".join(stated.lower().split()) if stated else _spaced(style_id)


def _spaced(style_id: str) -> str:
    """A style's id as its name was, more or less.

    >>> _spaced("Heading1"), _spaced("SourceCode")
    ('heading 1', 'source code')
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z0-9])", " ", style_id).lower()
