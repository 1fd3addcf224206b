"""The second reading of HTML and of packages (Office, OpenDocument, EPUB): their text nodes, without layout."""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from html import unescape
from html.parser import HTMLParser
from io import BytesIO

from core.parsing.audit.gathering import (
    CHARTS,
    DELETED,
    FIELDS,
    HIDDEN,
    NAMES,
    OLDER_COPIES,
    RUNNING,
    SHEET_NAMES,
    UNSEEN,
    WordCollector,
    XmlTextWalker,
    page_text,
    read_part,
)

_FORMS, _TOOLTIPS = "forms and fallbacks", "tooltips and labels for screen readers"
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span strike "
    "strong sub sup time tt u var wbr img svg".split()
)
_UNSEEN_ELEMENTS = {
    **dict.fromkeys(("script", "style"), "scripts and styles"),
    **dict.fromkeys("noscript select option textarea button iframe object canvas".split(), _FORMS),
    **dict.fromkeys("audio video noframes datalist rp".split(), _FORMS),
    **dict.fromkeys(("desc", "metadata"), NAMES),
    "template": HIDDEN,
    "title": "the page's title",
}
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_UNSEEN_STYLE = re.compile(
    r"font-size\s*:\s*(?:0+(?:\.0*)?|0*\.0+)(?![\d.])|"
    r"(?:left|top|text-indent)\s*:\s*-\d{4,}px",
    re.IGNORECASE,
)
_COLOURS = re.compile(r"(?:^|;)\s*(color|background|background-color)\s*:\s*([^;!]*[^;!\s])", re.IGNORECASE)
_MAX_UNCLOSED = 64


class _Page(HTMLParser):
    """Collects the text of an HTML page. ``reason``: why all of it may be left out, "" where it may not."""

    def __init__(self, collector: WordCollector, reason: str) -> None:
        super().__init__(convert_charrefs=True)
        self._collector = collector
        self._open = [("", reason)]  # open elements: tag, and why their text may be left out

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        for name, reason in (("alt", NAMES), ("title", _TOOLTIPS), ("aria-label", _TOOLTIPS)):
            if attributes.get(name):
                self._collector.put(reason, f"{attributes[name]}\n")
        if tag not in _INLINE:
            self.handle_data("\n")
        if tag not in _VOID:
            style = attributes.get("style") or ""
            is_hidden = "hidden" in attributes or attributes.get("aria-hidden") == "true" or _HIDDEN_STYLE.search(style)
            own = HIDDEN if is_hidden else UNSEEN if _is_unseen(style) else _UNSEEN_ELEMENTS.get(tag, "")
            inherited = self._open[-1][1]
            self._open.append((tag, own or inherited if inherited in {"", UNSEEN} else inherited))

    def handle_endtag(self, tag: str) -> None:
        if tag not in _INLINE:
            self.handle_data("\n")
        for depth in range(len(self._open) - 1, max(0, len(self._open) - _MAX_UNCLOSED), -1):
            if self._open[depth][0] == tag:
                del self._open[depth:]
                return

    def handle_data(self, data: str) -> None:
        self._collector.put(self._open[-1][1], data)


def _is_unseen(style: str) -> bool:
    """Whether a style makes text invisible: size zero, off the page, or the same colour as its ground.

    >>> [_is_unseen(style) for style in ("font-size:0px", "font-size:0.9em", "color:#FFF; background: #ffffff")]
    [True, False, True]
    """
    if _UNSEEN_STYLE.search(style):
        return True
    colours = {name.lower().partition("-")[0]: _colour(value) for name, value in _COLOURS.findall(style)}
    return len(colours) == 2 and len({*colours.values()}) == 1


def _colour(value: str) -> str:
    value = re.sub(r"\s", "", value.lower())
    short = re.fullmatch(r"#([\da-f])([\da-f])([\da-f])", value)
    return "#" + "".join(2 * digit for digit in short.groups()) if short else {"white": "#ffffff"}.get(value, value)


def read_page(data: bytes, collector: WordCollector, reason: str = "") -> None:
    """Collect the text of a page. ``reason``: why it may be left out, "" where it may not."""
    page = _Page(collector, reason)
    page.feed(page_text(data))
    page.close()


# The parts whose text is content. Not listed are layouts and masters (prompts for authors), themes, building blocks,
# properties (metadata), other programs' data, drawings of diagrams (copies) and caches of workbooks.
_PARTS = (
    r"word/styles\.xml",  # tells which text is hidden
    r"word/(?:document\d*|footnotes|endnotes|comments)\.xml",
    r"word/(?:header|footer)\d*\.xml",
    r"ppt/(?:slides/slide|notesSlides/notesSlide|comments/[^/]*?)\d*\.xml",
    r"xl/(?:comments\d*|(?:comments|threadedComments)/[^/]*|drawings/drawing\d*)\.xml",
    r"(?:word|ppt|xl)/(?:charts/chart|diagrams/data)\d*\.xml",
    r"content\.xml",
    r"styles\.xml",
    r"Object [^/]*/content\.xml",
)
_OFFICE_TEXT = frozenset("t delText instrText delInstrText v text".split())
_OPEN_TEXT = frozenset("p h creator".split())
_ENDS_LINE = frozenset("p h tc tr pt v text comment creator title desc".split())
_IS_SPACE = frozenset("tab br cr ptab noBreakHyphen s line-break note annotation".split())
# Elements whose text may be left out, with the reason.
_REASONS = {
    **dict.fromkeys("del moveFrom delText tracked-changes deletion".split(), DELETED),
    **dict.fromkeys(("instrText", "delInstrText"), FIELDS),
    **dict.fromkeys(
        "hdr ftr header header-left header-first footer footer-left footer-first page-number page-count".split(),
        RUNNING,
    ),
    **dict.fromkeys(("hidden-text", "hidden-paragraph"), HIDDEN),
    "Fallback": OLDER_COPIES,
    "rPh": "reading aids above characters",
}
_OPEN_NAMES = frozenset("title desc date sender-initials".split())  # as text they occur in charts alone
_LOOKS = frozenset("color sz shd highlight background tblStyle".split())
_PLAIN_TABLES = frozenset(("TableGrid", "TableNormal"))
_TINY = 4  # half points
_PAGE_FIELD = re.compile(r"\s*(?:PAGE|NUMPAGES|SECTIONPAGES|PAGEREF|SECTION)\b", re.IGNORECASE)
_OFF = frozenset(("0", "false", "off"))


@dataclass(slots=True)
class _Open:
    """An open element. ``reason``: why its text may be left out. ``reads``: whether its characters are text.

    ``white``, ``tiny``: the letters of a run are so. ``shaded``: the ground behind the text may be coloured.
    """

    name: str = ""
    reason: str = ""
    reads: bool = False
    white: bool = False
    tiny: bool = False
    shaded: bool = False


class _TextNodes(XmlTextWalker):
    """Collects the text nodes of the parts of one package."""

    def __init__(self, collector: WordCollector) -> None:
        self._collector = collector
        self._hidden_styles: set[str] = set()
        self._page_styles = {"Standard", "Default", ""}
        self._texts = _OPEN_TEXT
        self._copied_values = ""  # why a chart's values may be left out
        self._open = [_Open()]
        self._style = ""
        self._series = 0
        self._fields: list[str] = []  # instructions of the open fields

    def read(self, package: zipfile.ZipFile, name: str, reason: str) -> None:
        """Read one part. ``reason``: why all of it may be left out, "" where it may not."""
        self._texts = _OFFICE_TEXT if name.lower().startswith(("word/", "ppt/", "xl/")) else _OPEN_TEXT
        self._copied_values = CHARTS if name.startswith("xl/charts/") else ""
        self._open, self._fields, self._style, self._series = [_Open(reason=reason)], [], "", 0
        self.walk(package, name)
        self._collector.put(reason, "\n")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        outer = self._open[-1]
        reason = outer.reason or _REASONS.get(name, "") or self._reason(name, attributes)
        if name in _IS_SPACE:
            self._put(" ")
        self._mark(name, attributes)
        self._open.append(_Open(name, reason, outer.reads or name in self._texts, shaded=name == "txbxContent"))

    def _reason(self, name: str, attributes: dict[str, str]) -> str:
        """Why the text of this element may be left out, by its own name and attributes; "" where it may not."""
        if (name == "fldSimple" and _PAGE_FIELD.match(attributes.get("instr", ""))) or (
            name == "fld" and attributes.get("type", "").startswith("slidenum")
        ):
            return RUNNING
        if name in {"cat", "xVal"} and self._series > 1:
            return CHARTS
        if name in _OPEN_NAMES and self._texts is _OPEN_TEXT:
            return NAMES
        if name == "master-page" and attributes.get("name") not in self._page_styles:
            return "page styles not in use"
        if (
            attributes.get("style-name") in self._hidden_styles
            or attributes.get("visibility") in {"collapse", "filter"}
            or (name == "section" and attributes.get("display") == "none")
        ):
            return HIDDEN
        return self._copied_values if name == "v" else ""

    def _mark(self, name: str, attributes: dict[str, str]) -> None:
        """Apply an element that describes others: a style, or a property of the run, paragraph or shape around it."""
        if name == "style":
            self._style = attributes.get("styleId") or attributes.get("name", "")
            self._page_styles.add(attributes.get("master-page-name", ""))
        elif self._hides(name, attributes):
            self._hide()
        elif name in _LOOKS and len(self._open) > 1:
            self._look(name, attributes)
        elif name == "ser":
            self._series += 1
        elif name == "fldChar" and attributes.get("fldCharType") == "begin":
            self._fields.append("")
        elif name == "fldChar" and attributes.get("fldCharType") == "end" and self._fields:
            self._fields.pop()
        elif name == "ph" and attributes.get("type") in {"ftr", "hdr", "dt", "sldNum"}:
            for shape in self._open[::-1]:
                shape.reason = RUNNING
                if shape.name == "sp":
                    break
        elif name in {"docPr", "cNvPr"}:
            self._collector.put(NAMES, f"{attributes.get('title', '')}\n{attributes.get('descr', '')}\n")
        elif name == "table" and attributes.get("name"):
            self._collector.put(SHEET_NAMES, f"{attributes['name']}\n")

    def _hides(self, name: str, attributes: dict[str, str]) -> bool:
        if name == "vanish":
            return attributes.get("val", "1") not in _OFF
        if name in {"rStyle", "pStyle"}:
            return attributes.get("val") in self._hidden_styles
        return name.endswith("properties") and attributes.get("display") in {"none", "false"}

    def _look(self, name: str, attributes: dict[str, str]) -> None:
        """Apply a property of typography to its owner: the run, paragraph, cell or table two levels up."""
        owner, value = self._open[-2], attributes.get("val", "")
        if name == "color":
            owner.white = owner.name == "r" and value.upper() == "FFFFFF"
        elif name == "sz":
            owner.tiny = owner.name == "r" and value.isdecimal() and int(value) < _TINY
        elif name != "tblStyle" or value not in _PLAIN_TABLES:
            owner.shaded = owner.shaded or attributes.get("fill", "").upper() not in {"AUTO", "FFFFFF"}

    def _hide(self) -> None:
        """Mark the style that is being defined, or else the owner of the property, as hidden."""
        if self._style:
            self._hidden_styles.add(self._style)
        else:
            owner = self._open[-2] if len(self._open) > 1 else self._open[-1]
            owner.reason = owner.reason or HIDDEN

    def end(self, name: str) -> None:
        if name in _ENDS_LINE:
            self._put("\n")
        if name == "style":
            self._style = ""
        self._open.pop()

    def text(self, characters: str) -> None:
        if not self._open[-1].reads:
            return
        if self._open[-1].reason == FIELDS and self._fields:
            self._fields[-1] += characters
        self._put(characters)

    def _put(self, text: str) -> None:
        element, run = self._open[-1], self._open[-2:][0]
        is_page_number = any(map(_PAGE_FIELD.match, self._fields))
        is_unseen = run.tiny or (run.white and not any(outer.shaded for outer in self._open))
        self._collector.put(element.reason or (RUNNING if is_page_number else UNSEEN if is_unseen else ""), text)


def read_package(data: bytes, collector: WordCollector) -> None:
    """Collect the text of a Word document, presentation, workbook, OpenDocument file or EPUB."""
    with zipfile.ZipFile(BytesIO(data)) as package:
        names = package.namelist()
        is_book = "META-INF/container.xml" in names
        for name in names:
            if is_book and _is_page(package, name):  # even if the book's manifest does not list it
                page = read_part(package, name)
                read_page(page, collector, "the book's navigation" if _NAVIGATION.search(page) else "")
            elif re.fullmatch(r"xl/worksheets/[^/]*\.xml", name, re.IGNORECASE):
                _read_running(read_part(package, name), collector)
        nodes = _TextNodes(collector)
        older = OLDER_COPIES if any(name.startswith("xl/threadedComments/") for name in names) else ""
        for pattern in _PARTS:
            for name in sorted(names, key=_in_order):
                if re.fullmatch(pattern, name, re.IGNORECASE):  # some programs write ``Word/Document.xml``
                    reason = CHARTS if name.startswith("Object ") else ""
                    nodes.read(package, name, older if name.startswith("xl/comments") else reason)


def _is_page(package: zipfile.ZipFile, name: str) -> bool:
    """Whether a part is an HTML page. Pictures and fonts are not opened: a damaged one must not cost the audit."""
    if name.lower().endswith(_NO_PAGES):
        return False
    with package.open(name) as stream:
        return bool(_PAGE.search(stream.read(_HEAD)))


_NO_PAGES = (".jpg", ".jpeg", ".png", ".gif", ".svg", ".webp", ".css", ".ttf", ".otf", ".woff", ".woff2", ".mp3")
_HEAD = 2000  # bytes within which a page has its <html> tag
_PAGE = re.compile(rb"<html\b", re.IGNORECASE)
_NAVIGATION = re.compile(rb"<nav\b[^>]*\btype=.toc")
_RUNNING_LINE = re.compile(rb"<(?:\w+:)?(?:odd|even|first)(?:Header|Footer)\b[^>]*>([^<]*)<")
_LINE_CODE = re.compile(r'&"[^"]*"|&\d+|&K[\dA-F]{6}|&.')


def _read_running(sheet: bytes, collector: WordCollector) -> None:
    """Collect a sheet's headers and footers; its cells are read by calamine (``second_reading``)."""
    for match in _RUNNING_LINE.finditer(sheet):
        collector.put(RUNNING, _LINE_CODE.sub(" ", unescape(match[1].decode("utf-8", "replace"))))


def _in_order(name: str) -> list[int]:
    return [int(run) if run.isdecimal() else 0 for run in re.split(r"(\d+)", name)]
