"""Word documents made part by part from raw XML, for the tests of what Word writes and python-docx cannot."""

from __future__ import annotations

from collections.abc import Mapping
from xml.sax.saxutils import escape

from tests.parsing.packages import packed

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
_MICROSOFT = "http://schemas.microsoft.com/office"
NAMESPACES = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "r": f"{_OFFICE}/relationships",
        "m": f"{_OFFICE}/math",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "wp": f"{_DRAWING}/wordprocessingDrawing",
        "a": f"{_DRAWING}/main",
        "pic": f"{_DRAWING}/picture",
        "c": f"{_DRAWING}/chart",
        "dgm": f"{_DRAWING}/diagram",
        "wps": f"{_MICROSOFT}/word/2010/wordprocessingShape",
        "wpg": f"{_MICROSOFT}/word/2010/wordprocessingGroup",
        "v": "urn:schemas-microsoft-com:vml",
        "o": "urn:schemas-microsoft-com:office:office",
        "cx": f"{_MICROSOFT}/drawing/2014/chartex",
        "adec": f"{_MICROSOFT}/drawing/2017/decorative",
    }.items()
)
_ROOTS = {
    "styles": "styles",
    "numbering": "numbering",
    "footnotes": "footnotes",
    "endnotes": "endnotes",
    "comments": "comments",
    "settings": "settings",
    "header": "hdr",
    "footer": "ftr",
}

_OTHER_ROOTS = {"chart": "c:chartSpace", "chartEx": "cx:chartSpace", "diagramData": "dgm:dataModel"}


def docx(
    body: str,
    *,
    styles: str = "",
    numbering: str = "",
    parts: Mapping[str, str] | None = None,
    links: Mapping[str, str] | None = None,
    core: str = "",
) -> bytes:
    """A document's bytes. ``body``: inside of ``w:body``. ``parts``: further parts by their name's stem ("footnotes",
    "header1", "chart1"), each the inside of its root, or a whole part when it begins with "<?"; the stem is the
    relation's id too. ``links``: outside targets by relation id. ``core``: inside of the core properties.
    """
    members = {"styles": styles, "numbering": numbering, **(parts or {})}
    relations = "".join(
        f'<Relationship Id="{stem}" Type="{_OFFICE}/relationships/{_kind(stem)}" Target="{stem}.xml"/>'
        for stem, inside in members.items()
        if inside
    ) + "".join(
        f'<Relationship Id="{name}" Type="{_OFFICE}/relationships/hyperlink" Target="{escape(target)}" '
        'TargetMode="External"/>'
        for name, target in (links or {}).items()
    )
    files = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"/>',
        "_rels/.rels": _relations(
            f'<Relationship Id="a" Type="{_OFFICE}/relationships/officeDocument" Target="word/document.xml"/>'
            f'<Relationship Id="b" Type="{_PACKAGE}/relationships/metadata/core-properties" '
            'Target="docProps/core.xml"/>'
        ),
        "word/document.xml": f"<w:document {NAMESPACES}><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": _relations(relations),
    }
    for stem, inside in members.items():
        if inside:
            files[f"word/{stem}.xml"] = inside if inside.startswith("<?") else _part(_kind(stem), inside)
    if core:
        files["docProps/core.xml"] = (
            f'<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
            'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">'
            f"{core}</cp:coreProperties>"
        )
    return packed(files)


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def paragraph(inside: str = "", style: str = "", properties: str = "") -> str:
    """A paragraph; ``inside`` is text, or runs when it begins with "<"."""
    runs = inside if inside.startswith("<") or not inside else run(inside)
    stated = (f'<w:pStyle w:val="{style}"/>' if style else "") + properties
    return f"<w:p><w:pPr>{stated}</w:pPr>{runs}</w:p>"


def item(text: str, level: int = 0, number: int = 1, properties: str = "") -> str:
    return paragraph(
        text,
        properties=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>{properties}',
    )


def level(place: int, text: str, form: str = "decimal", extra: str = "", start: int = 1) -> str:
    return (
        f'<w:lvl w:ilvl="{place}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/>'
        f'<w:lvlText w:val="{text}"/>{extra}</w:lvl>'
    )


def abstract(name: int, *levels: str) -> str:
    return f'<w:abstractNum w:abstractNumId="{name}">{"".join(levels)}</w:abstractNum>'


def number(name: int, abstract_name: int, overrides: str = "") -> str:
    return f'<w:num w:numId="{name}"><w:abstractNumId w:val="{abstract_name}"/>{overrides}</w:num>'


def style(name: str, based_on: str = "", inside: str = "", kind: str = "paragraph") -> str:
    """A style whose id is its name without blanks."""
    base = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    identity = name.replace(" ", "")
    return f'<w:style w:type="{kind}" w:styleId="{identity}"><w:name w:val="{name}"/>{base}{inside}</w:style>'


def cell(inside: str, properties: str = "") -> str:
    """A table's cell; ``inside`` is text, or blocks when it begins with "<"."""
    blocks = inside if inside.startswith("<") else paragraph(inside)
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{blocks}</w:tc>"


def row(*cells: str, properties: str = "") -> str:
    inside = "".join(text if text.startswith("<w:tc>") else cell(text) for text in cells)
    return f"<w:tr><w:trPr>{properties}</w:trPr>{inside}</w:tr>"


def table(*rows: str, properties: str = "") -> str:
    return f"<w:tbl><w:tblPr>{properties}</w:tblPr>{''.join(rows)}</w:tbl>"


def field(instruction: str, result: str) -> str:
    """A complex field; ``result``: runs."""
    return (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        f'<w:r><w:instrText xml:space="preserve"> {escape(instruction)} </w:instrText></w:r>'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{result}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def text_box(*blocks: str) -> str:
    """A run with a text box, written twice as Word writes it."""
    inside = "".join(blocks)
    return (
        '<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor><wp:docPr id="1" name="Text Box 1"/>'
        f"<a:graphic><a:graphicData><wps:wsp><wps:txbx><w:txbxContent>{inside}</w:txbxContent></wps:txbx></wps:wsp>"
        "</a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox>"
        f"<w:txbxContent>{inside}</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )


def picture(description: str, extra: str = "") -> str:
    stated = escape(description, {'"': "&quot;", "\n": "&#10;"})
    return (
        f'<w:r><w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="{stated}">{extra}</wp:docPr><a:graphic>'
        f'<a:graphicData><pic:pic><pic:nvPicPr><pic:cNvPr id="0" name="image1.png" descr="{stated}"/></pic:nvPicPr>'
        "</pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    )


def _kind(stem: str) -> str:
    return {"diagram": "diagramData"}.get(kind := stem.rstrip("0123456789"), kind)


def _part(kind: str, inside: str) -> str:
    root = _OTHER_ROOTS.get(kind) or f"w:{_ROOTS[kind]}"
    return f"<{root} {NAMESPACES}>{inside}</{root}>"


def _relations(inside: str) -> str:
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{inside}</Relationships>'
