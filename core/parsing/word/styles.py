"""Styles of a Word document, resolved with the styles they are based on."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from core.parsing.ooxml.package import Element
from core.parsing.word.xml import W, is_on, number, value

_BODY_LEVEL = 9  # the outline level of body text
# Word writes the English names of its built-in styles in every language; other programs may not.
_HEADING = re.compile(
    r"(?:heading|überschrift|titre|título|titolo|kop|nagłówek|заголовок|rubrik|overskrift|otsikko|标题|標題|見出し|제목)"
    r"\s?([1-9])"
)
_OWN_HEADING = re.compile(r"(?!(?:toc|table|list|note|index|figure) )\w.* heading ?([1-6])?")  # an author's style
# These are headings although their outline level is body text.
_NAMED_HEADINGS = {"title": 1, "subtitle": 2, "heading": 1, "toc heading": 1}
_QUOTES = {"quote", "intense quote", "block text", "block quote", "block quotation", "blockquote", "quotations"}
_CODES = re.compile(
    r"(?:source|program|example|sample|listing|html|inline|computer|r|python|shell|json|xml|sql)?[ _-]?code"
    r"(?:[ _-]?(?:block|listing|snippet|example|sample|text|line|lines|paragraph|para|box))?[ _-]?\d*"
    r"|(?:html )?preformatted(?: text)?|verbatim(?: text)?|macro(?: text)?|program[ _-]?listing|source[ _-]?listing"
)
_DEPTH = re.compile(r"(?:list(?: (?:bullet|number|paragraph))?|toc) ([2-9])")
_CONTENTS = re.compile(r"toc [1-9]|table of (?:figures|authorities)")
_FONTS, _VANISH, _BOLD, _RUN_STYLE = f"{W}rFonts", f"{W}vanish", f"{W}b", f"{W}rStyle"
_ITALIC, _SIZE, _UNDERLINE = f"{W}i", f"{W}sz", f"{W}u"
_DEFAULT_SIZE = 10.0  # points, where the document states none
_MONOSPACED = re.compile(
    r"\b(?:courier|consolas|menlo|monaco|inconsolata|typewriter|mono|monospaced?|lucida console|lucida sans typewriter|"
    r"source code pro|fira code|cascadia code|jetbrains|anonymous pro|letter gothic|ocr[ -]?[ab]|terminal|hack|"
    r"fixedsys|nimbus mono\w*|cmtt\d*|lmmono\w*|simplified arabic fixed|ms gothic mono)\b"
)


@dataclass(frozen=True, slots=True)
class Style:
    """The properties of a style, with those it inherits.

    ``level``: of a heading, 1 to 9; 0 for none. ``role``: "title", "subtitle", "caption", "quote", "code", "contents"
    (a line of a table of contents) or "". ``number``: (list id, its level or ``None``, the style that states it), or
    ``None``. ``depth``: of a list item, from the style's name ("List Bullet 2"). ``font``: "" for none. ``size``: in
    points, 0 for none. Where a switch is ``None``, the style does not set it.
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
    """The properties of a run. ``font``: for Latin text; "theme" for a font of the theme. ``None``, "" and a size of 0
    mean that the property is not set.
    """

    style: str
    font: str
    hidden: bool | None
    bold: bool | None
    italic: bool | None = None
    underlined: bool | None = None
    size: float = 0.0


class Styles:
    """The styles of a document, each resolved once.

    ``default_font``, ``default_size``: of text without other properties; the font is "" where the file states none.
    """

    def __init__(self, root: Element | None) -> None:
        """``root``: ``w:styles``, or ``None``."""
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
        self.default_font, self.default_size = looks.font, looks.size or _DEFAULT_SIZE

    def paragraph(self, style_id: str | None) -> Style:
        """The style of a paragraph. ``style_id`` ``None``: the document's default style."""
        return self.run(style_id or self._default_paragraph)

    def run(self, style_id: str) -> Style:
        """A style by its id."""
        if style_id not in self._resolved:
            self._resolved[style_id] = self._resolve(style_id)
        return self._resolved[style_id]

    def number_of(self, style_id: str) -> str | None:
        """The list id of a numbering style, ``None`` for none."""
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
        """The style and those it is based on, nearest first, up to one that is ``known`` or closes a cycle."""
        chain: dict[str, None] = {}
        name: str | None = style_id
        while name in self._elements and name not in chain and name not in known:
            chain[name] = None
            name = value(self._elements[name], "basedOn")
        return list(chain)

    def _resolve(self, style_id: str) -> Style:
        """Resolve a style after the styles it is based on, without recursion."""
        if style_id not in self._elements:  # in a file without styles, the ids still tell their names
            name = _spaced(style_id)
            return _named(Style(depth=_named_depth(name)), name)
        chain = self._chain(style_id, self._resolved)
        base = value(self._elements[chain[-1]], "basedOn") or ""
        style = self._resolved.get(base, Style())
        for name in reversed(chain):
            style = self._resolved[name] = _derived(style, self._elements[name])
        return style


def looks_of(properties: Element | None) -> Looks:
    """The properties in a ``w:rPr``, read in one pass because documents have very many runs."""
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
        elif tag == _UNDERLINE:
            underlined = child.get(f"{W}val", "single") != "none"
        elif tag == _SIZE:
            half_points = child.get(f"{W}val", "")
            size = int(half_points) / 2 if half_points.isdecimal() and len(half_points) < 5 else 0.0
        elif tag == _RUN_STYLE:
            style = child.get(f"{W}val", "")
    return Looks(style, font, hidden, bold, italic, underlined, size)


@lru_cache(maxsize=1024)
def is_monospaced(font: str) -> bool:
    """Whether a font is monospaced, by its name.

    >>> [is_monospaced(font) for font in ("Courier New", "DejaVu Sans Mono", "Monotype Corsiva", "Arial", "")]
    [True, True, False, False, False]
    """
    return bool(font) and bool(_MONOSPACED.search(font.lower()))


def _derived(style: Style, element: Element) -> Style:
    """The style of ``element``, which is based on ``style``."""
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
    """``style`` with the level and role that the style's own name implies."""
    if match := _HEADING.fullmatch(name):
        return replace(style, level=int(match[1]), role="")
    if name in _NAMED_HEADINGS:
        return replace(style, level=_NAMED_HEADINGS[name], role=name)
    if style.role in ("title", "subtitle") and "title" not in name:
        style = replace(style, level=0, role="")  # a style that is only based on a title's, such as the author's
    if not style.level and (match := _OWN_HEADING.fullmatch(name)):
        return replace(style, level=int(match[1] or 1))
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
    """A style's name guessed from its id.

    >>> _spaced("Heading1"), _spaced("SourceCode")
    ('heading 1', 'source code')
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z0-9])", " ", style_id).lower()
