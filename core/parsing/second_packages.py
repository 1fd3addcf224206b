"""A second, plain reading of Office, OpenDocument and EPUB packages: the text of their XML parts, in no layout."""

from __future__ import annotations

import posixpath
import re
import zipfile
from io import BytesIO
from urllib.parse import unquote

from core.parsing.second_gathering import (
    DELETED,
    FIELDS,
    HIDDEN,
    NAMES,
    OLDER_COPIES,
    PAGE_NUMBERS,
    Gathering,
    PlainXml,
    part,
    part_names,
)
from core.parsing.second_markup import TITLES, read_html

PACKAGE_READER = "the text of the package's XML parts"
CHARTS = "charts' copies of cells and labels"
_PAGE_FIELD = re.compile(r"\s*(?:PAGE|NUMPAGES|SECTIONPAGES|PAGEREF|SECTION)\b", re.IGNORECASE)
_OFF = {"0", "false", "off"}


class _OfficeText(PlainXml):
    """Text of a part of a Word document or of a presentation, of a chart or a drawing.

    ``hidden_styles``: ids of styles whose text is not shown. ``labels``: what a chart repeats for every series goes
    apart. ``copies``: the reason its shapes' running texts may be left out.
    """

    def __init__(self, found: Gathering, hidden_styles: frozenset[str] = frozenset(), charts: str = "") -> None:
        super().__init__()
        self._found = found
        self._hidden_styles = hidden_styles
        self._charts = charts
        self._reading = ""  # the element whose characters are text
        self._runs: list[bool] = []  # of the runs that are open: whether each is hidden
        self._paragraph_hidden = False
        self._revisions = self._fallbacks = self._labels = self._series = 0
        self._fields: list[str] = []  # instructions of the open fields
        self._running = ""  # the placeholder of the shape: "ftr", "dt", "sldNum"
        self._shape: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name in {"t", "delText", "instrText", "delInstrText", "v", "text"}:
            self._reading = name
        elif name == "r":
            self._runs.append(False)
        elif name in {"del", "moveFrom"}:
            self._revisions += 1
        elif name == "Fallback":
            self._fallbacks += 1
        elif name == "ser":
            self._series += 1
        elif name == "cat" or name == "xVal":
            self._labels += self._series > 1
        elif name == "sp":
            self._running, self._shape = "", []
        else:
            self._mark(name, attributes)

    def _mark(self, name: str, attributes: dict[str, str]) -> None:
        if name in {"tab", "br", "cr", "ptab"}:
            self._put(" ")
        elif name == "noBreakHyphen":
            self._put("-")
        elif name == "vanish" and self._runs:
            self._runs[-1] = attributes.get("val", "1") not in _OFF
        elif name in {"rStyle", "pStyle"} and attributes.get("val") in self._hidden_styles:
            if self._runs:
                self._runs[-1] = True
            elif name == "pStyle":
                self._paragraph_hidden = True
        elif name == "fldChar":
            self._turn(attributes.get("fldCharType", ""))
        elif name == "fldSimple":
            self._fields.append(attributes.get("instr", ""))
        elif name == "fld":
            self._fields.append("PAGE" if attributes.get("type", "").startswith("slidenum") else "")
        elif name == "ph" and attributes.get("type") in {"ftr", "hdr", "dt", "sldNum"}:
            self._running = attributes["type"]
        elif name in {"docPr", "cNvPr"}:
            self._found.drop(NAMES, f"{attributes.get('title', '')}\n{attributes.get('descr', '')}\n")

    def _turn(self, way: str) -> None:
        """A field begins, shows its result from here on, or ends."""
        if way == "begin":
            self._fields.append("")
        elif way == "end" and self._fields:
            self._fields.pop()

    def end(self, name: str) -> None:
        if name in {"p", "tc", "pt", "text", "v", "tr", "comment"}:
            self._put("\n")
            self._paragraph_hidden = self._paragraph_hidden and name != "p"
        if name == self._reading:
            self._reading = ""
        elif name == "r" and self._runs:
            self._runs.pop()
        elif name in {"del", "moveFrom"}:
            self._revisions -= 1
        elif name == "Fallback":
            self._fallbacks -= 1
        elif (name == "cat" or name == "xVal") and self._series > 1:
            self._labels -= 1
        elif name in {"fldSimple", "fld"} and self._fields:
            self._fields.pop()
        elif name == "sp" and self._running:
            self._found.keep_lines("".join(self._shape))
            self._running, self._shape = "", []

    def text(self, characters: str) -> None:
        if self._reading in {"instrText", "delInstrText"}:
            if self._fields:
                self._fields[-1] += characters
            self._found.drop(FIELDS, f"{characters}\n")
        elif self._reading:
            self._put(characters)

    def _put(self, text: str) -> None:
        reason = self._reason()
        if not reason and self._running:
            self._shape.append(text)
        else:
            self._found.put(reason, text)

    def _reason(self) -> str:
        if self._fallbacks:
            return OLDER_COPIES
        if self._revisions or self._reading == "delText":
            return DELETED
        if any(self._runs) or self._paragraph_hidden:
            return HIDDEN
        if self._running == "sldNum" or any(map(_PAGE_FIELD.match, self._fields)):
            return PAGE_NUMBERS
        return (self._charts or CHARTS) if self._labels or (self._charts and self._reading == "v") else ""


def read_word(data: bytes, found: Gathering) -> None:
    """A Word document: its text, footnotes, comments, charts, and each line of its headers and footers once."""
    with zipfile.ZipFile(BytesIO(data)) as package:
        hidden = _hidden_styles(package)
        for name in part_names(package, r"word/(?:document\d*|footnotes|endnotes|comments)\.xml"):
            _OfficeText(found, hidden).walk(package, name)
            found.keep("\n")
        for name in part_names(package, r"word/(?:header|footer)\d*\.xml"):
            running = Gathering()
            _OfficeText(running, hidden).walk(package, name)
            found.keep_running(running)
        read_drawings(package, r"word/(?:charts/chart|diagrams/data)\d*\.xml", found)


def read_slides(data: bytes, found: Gathering) -> None:
    """A presentation: slides, speaker notes, comments, charts and diagrams."""
    with zipfile.ZipFile(BytesIO(data)) as package:
        for name in part_names(package, r"ppt/(?:slides/slide|notesSlides/notesSlide)\d+\.xml"):
            _OfficeText(found).walk(package, name)
        read_drawings(package, r"ppt/(?:charts/chart|diagrams/data|comments/[^/]*)\d*\.xml", found)


def read_drawings(package: zipfile.ZipFile, pattern: str, found: Gathering, charts: str = "") -> None:
    """Text of charts, diagrams and shapes. ``charts``: why a chart's labels and values may be left out."""
    for name in part_names(package, pattern):
        _OfficeText(found, charts=charts).walk(package, name)
        found.keep("\n")


class _Styles(PlainXml):
    """Ids of the styles of a Word document whose text is hidden."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden: set[str] = set()
        self._style = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "style":
            self._style = attributes.get("styleId", "")
        elif name == "vanish" and self._style and attributes.get("val", "1") not in _OFF:
            self.hidden.add(self._style)


def _hidden_styles(package: zipfile.ZipFile) -> frozenset[str]:
    styles = _Styles()
    for name in part_names(package, r"word/styles\.xml"):
        styles.walk(package, name)
    return frozenset(styles.hidden)


class _OpenDocumentText(PlainXml):
    """Text of an OpenDocument part; its automatic styles come first and say which paragraphs and sheets are hidden."""

    _TEXT = frozenset({"p", "h", "creator", "date", "title", "desc", "sender-initials"})

    def __init__(self, found: Gathering) -> None:
        super().__init__()
        self._found = found
        self._open: list[str] = []  # the reason in force within each open element
        self._texts = 0
        self._style = ""
        self._hidden: set[str] = set()
        self.page_styles: set[str] = set()

    def start(self, name: str, attributes: dict[str, str]) -> None:
        reason = self._open[-1] if self._open else ""
        if name == "style":
            self._style = attributes.get("name", "")
            self.page_styles.add(attributes.get("master-page-name", ""))
        elif attributes.get("display") in {"none", "false"} and name.endswith("properties"):
            self._hidden.add(self._style)
        if name in {"tracked-changes", "deletion"}:
            reason = DELETED
        elif name in {"page-number", "page-count"}:
            reason = PAGE_NUMBERS
        elif name in {"title", "desc", "date", "sender-initials"}:
            reason = reason or NAMES
        elif self._is_hidden(name, attributes):
            reason = HIDDEN
        self._open.append(reason)
        if name in self._TEXT:
            self._texts += 1
        elif name in {"s", "tab", "line-break", "note", "annotation"}:
            self._found.put(reason, " ")
        elif name == "table" and attributes.get("name"):
            self._found.drop("sheets' and tables' names", f"{attributes['name']}\n")

    def _is_hidden(self, name: str, attributes: dict[str, str]) -> bool:
        return (
            name in {"hidden-text", "hidden-paragraph"}
            or attributes.get("style-name") in self._hidden
            or attributes.get("visibility") in {"collapse", "filter"}
            or (name == "section" and attributes.get("display") == "none")
        )

    def end(self, name: str) -> None:
        reason = self._open.pop()
        if name in self._TEXT:
            self._texts -= 1
            self._found.put(reason, "\n")

    def text(self, characters: str) -> None:
        if self._texts:
            self._found.put(self._open[-1], characters)


class _RunningLines(_OpenDocumentText):
    """The headers and footers of an OpenDocument file's page styles.

    ``styles``: those the content names; the lines of others may be left out, and all that is a field's.
    """

    def __init__(self, found: Gathering, styles: frozenset[str]) -> None:
        super().__init__(found)
        self._styles = styles
        self._inside = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        super().start(name, attributes)
        self._inside += name in _RUNNING_LINES
        if name == "master-page" and attributes.get("name") not in self._styles:
            self._open[-1] = "page styles not in use"
        elif self._inside and name in _LINE_FIELDS:
            self._open[-1] = PAGE_NUMBERS

    def end(self, name: str) -> None:
        super().end(name)
        self._inside -= name in _RUNNING_LINES

    def text(self, characters: str) -> None:
        if self._inside:
            super().text(characters)


_RUNNING_LINES = frozenset(f"{line}{side}" for line in ("header", "footer") for side in ("", "-left", "-first"))
_LINE_FIELDS = frozenset("date time title sheet-name file-name author-name subject chapter initial-creator".split())


def read_opendocument(data: bytes, found: Gathering) -> None:
    """An OpenDocument text or spreadsheet: its content, the charts in it, and its headers and footers."""
    with zipfile.ZipFile(BytesIO(data)) as package:
        content = _OpenDocumentText(found)
        content.walk(package, "content.xml")
        if "styles.xml" in package.namelist():
            lines = Gathering()
            _RunningLines(lines, frozenset({"Standard", "Default", *content.page_styles})).walk(package, "styles.xml")
            found.keep_running(lines)
        for name in part_names(package, r"Object [^/]*/content\.xml"):
            chart = Gathering()
            _OpenDocumentText(chart).walk(package, name)
            found.drop(CHARTS, "".join(chart.kept))


def read_book(data: bytes, found: Gathering) -> None:
    """An EPUB: every page its spine names; those it only lists (navigation) may be left out."""
    with zipfile.ZipFile(BytesIO(data)) as package:
        container = part(package, "META-INF/container.xml").decode("utf-8", "replace")
        root = unquote(_attribute(container, "full-path"))
        outline = part(package, root).decode("utf-8", "replace")
        items = {_attribute(tag, "id"): tag for tag in re.findall(r"<(?:\w+:)?item\s[^>]*>", outline)}
        spine = [_attribute(tag, "idref") for tag in re.findall(r"<(?:\w+:)?itemref\s[^>]*>", outline)]
        for identity in dict.fromkeys(spine):
            tag = items.get(identity, "")
            place = posixpath.normpath(posixpath.join(posixpath.dirname(root), unquote(_attribute(tag, "href"))))
            if "svg" in _attribute(tag, "media-type") or place not in package.namelist():
                continue
            page = Gathering()
            read_html(part(package, place), page)
            if "nav" in _attribute(tag, "properties").split():
                page = Gathering(dropped={"the book's navigation": page.kept})
            found.take(page)
        found.drop(TITLES, " ".join(re.findall(r"<dc:[^>]*>([^<]*)<", outline)))


def _attribute(tag: str, name: str) -> str:
    """
    >>> _attribute('<item id="a" media-type=\\'b\\'/>', "media-type")
    'b'
    """
    match = re.search(rf"""\s{re.escape(name)}\s*=\s*(?:"([^"]*)"|'([^']*)')""", tag)
    return (match[1] or match[2] or "") if match else ""
