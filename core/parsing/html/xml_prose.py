"""The reader of prose in XML of any vocabulary (DocBook, TEI, DITA, laws, feeds, notes, books): it is converted to HTML
and read as a page.

It relies on what the vocabularies have in common: an element with text of its own is a paragraph, elements among that
text are inline, an element that begins with a title is a section, and lists, tables and code have telling names. JATS
has a reader of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape, unescape
from itertools import groupby

from core.errors import ParseError
from core.parsing.flow import ParsedFile
from core.parsing.html.encoding import decoded
from core.parsing.html.reader import read as read_page
from core.parsing.ooxml.package import Element, local_name, tree_of
from core.text.values.calendar_names import day_in_words

_HEADS = frozenset("title head heading header refname h invention-title ti.art sti.art".split())
_NUMBERS = frozenset("num enum pnumber label no.p no.parag".split())
_CODES = frozenset("programlisting screen codeblock literallayout verbatim msgblock egxml pre".split())
_QUOTES = frozenset("blockquote epigraph lq cite floatingtext block-quote".split())
_LISTS = frozenset("list ul ol sl dl parml steps substeps".split())
_TERMS = frozenset("term dt pt label".split())
_TABLES, _ROWS, _HEAD_ROWS = frozenset("table simpletable informaltable".split()), "tr row strow".split(), "sthead"
_CELLS = frozenset("td th cell entry stentry".split())
_VERSE = frozenset("l line v".split())
_NOTES = frozenset("note fn footnote".split())
_TITLE_PAGES = frozenset({"refnamediv"})  # their titles belong to the element around them
_OPENED = re.compile(r"(?:<(?:p|div)>)+")
_PARAGRAPHS = frozenset("p para simpara".split())
_BLOCKS = _CODES | _QUOTES | _LISTS | _TABLES | {"lg", "figure", "equation"}
_DECLARED_WITHIN = 20_000  # characters
_MAX_TITLE = 500  # characters; a longer one is text
_MAX_SHORT = 80  # characters of a title without an element of its own, and of a short value
RECORD = frozenset(
    "teiheader meta metadata title-info src-title-info document-info publish-info binary resource recognition "
    "resource-attributes note-attributes prolog style stylesheet script".split()
)
"""Elements with metadata of the file, if they have child elements."""
STAMP = re.compile(r"(\d{4})(0[1-9]|1[0-2])(\d\d)T(\d\d)(\d\d)\d\dZ")
"""A moment as programs write it, such as when a note was made."""
IDENTIFIER = re.compile(r"[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}", re.IGNORECASE)
"""A name that a program gives a record."""
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_PAGE = re.compile(r"<(?:p|div|br|ul|ol|h[1-6]|table|en-note|span|a|img|b|strong|em)\b[^<>]*>", re.IGNORECASE)
_PROLOG = re.compile(r"\A\s*<\?xml[^>]*\?>")
_DOCTYPE = re.compile(r"<!DOCTYPE[^>\[]*>")
_DECLARATION = re.compile(r"<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>", re.DOTALL)
_DECLARED = re.compile(r"<!ENTITY\s+([\w.-]+)\s+(?:\"([^\"<&%]*)\"|'([^'<&%]*)')\s*>")
_ENTITY = re.compile(r"&(?!(?:lt|gt|amp|quot|apos);)([\w.:-]+);")
_TITLES = (
    *(".//{*}titleStmt/{*}title", ".//{*}meta/{*}title", ".//{*}book-title", "./{*}info/{*}title", "./{*}title"),
    *(".//{*}invention-title", "./*/{*}preface//{*}shortTitle", "./*/{*}preface//{*}docTitle", "./*/{*}TITLE"),
)
_PATIENT = ".//{*}patient/{*}name"  # whom a record is of: its title only says what kind it is
_AUTHORS = (".//{*}titleStmt/{*}author", ".//{*}meta/{*}creator", "./{*}info/{*}author")


def read(data: bytes, name: str) -> ParsedFile:
    """The text of the document with its sections. Raises ``ParseError`` where there is no XML.

    >>> chapter = b"<chapter><title>Ducks</title><para>They <emphasis>swim</emphasis>.</para><itemizedlist><listitem>"
    >>> reading = read(chapter + b"<para>well</para></listitem></itemizedlist></chapter>", "a.xml")
    >>> [(piece.level, piece.words.text or piece.items[0].words.text) for piece in reading.pieces]
    [(1, 'Ducks'), (0, 'They swim.'), (0, 'well')]
    """
    root = root_of(data, name)
    if root is None:
        raise ParseError(f"{name} is damaged: it holds no XML.", "Export it again and add that.")
    stated, patient = root.find("./{*}title"), root.find(_PATIENT)
    if stated is not None and patient is not None:
        stated.text = f"{words_of(stated)} · {' '.join(' '.join(patient.itertext()).split())}"
    title, author = _first(root, _TITLES), _first(root, _AUTHORS)
    heading = title if root.find(".//{*}titleStmt") is not None else ""  # TEI states it only in the metadata
    body = f"<h1>{escape(heading)}</h1>" if heading else ""
    body += _block(root, 2 if heading else 1)
    head = f'<title>{escape(title)}</title><meta name="author" content="{escape(author)}">'
    return read_page(f"<meta charset=utf-8>{head}{body}".encode(), name)


def root_of(data: bytes, name: str) -> Element | None:
    """The root element with entities resolved; for a file with several, an element around them. ``None`` for no XML."""
    text = decoded(data, name)
    declared = {match[1]: match[2] or match[3] or "" for match in _DECLARED.finditer(text[:_DECLARED_WITHIN])}
    text = _ENTITY.sub(lambda match: escape(_entity(match, declared)), text)
    head, text = text[:_DECLARED_WITHIN], text[_DECLARED_WITHIN:]
    head = _DECLARATION.sub("", _PROLOG.sub("", head))
    document = tree_of(f"<document>{head}{text}</document>".encode("utf-8", "replace"), recover=True)
    return document[0] if document is not None and len(document) == 1 else document


def _entity(match: re.Match[str], declared: dict[str, str]) -> str:
    """The text of an entity; the last part of its name if it is declared in another file."""
    text = declared.get(match[1]) or unescape(match[0])
    return text if text != match[0] else match[1].rpartition(".")[2]


def _first(root: Element, paths: Sequence[str]) -> str:
    """The text of the first of ``paths`` that has any."""
    return next((words for path in paths if (words := words_of(root.find(path)))), "")


def words_of(element: Element | None) -> str:
    """All text of an element on one line, "" for ``None``."""
    return "" if element is None else " ".join("".join(element.itertext()).split())


def _name(element: Element) -> str:
    return local_name(element).lower()


def children_of(element: Element) -> list[Element]:
    """The child elements, without comments."""
    return [child for child in element if isinstance(child.tag, str)]


def _has_words(element: Element) -> bool:
    """Whether the element has text outside its child elements."""
    return any(text and text.strip() for text in (element.text, *(child.tail for child in element)))


def _is_record(element: Element) -> bool:
    name, above = _name(element), element.getparent()
    if name == "entry" and above is not None and above.find("{*}text") is not None:
        return True  # of a patient's record: what the text beside it says, for programs
    is_metadata = name in RECORD and (len(element) > 0 or element.get("encoding") is not None)
    return is_metadata or element.get("encoding") == "base64" or name == "binary"


def _block(element: Element, depth: int) -> str:
    """A block element as HTML, "" for metadata. ``depth``: the level of headings in it."""
    name, children = _name(element), children_of(element)
    if _is_record(element):
        return ""
    if name in _CODES:
        return f"<pre>{escape(''.join(element.itertext()))}</pre>"
    if not children and element.text and _PAGE.search(element.text):
        return f"<div>{_DOCTYPE.sub('', _PROLOG.sub('', element.text))}</div>"
    if name in _TABLES:
        return _table(element, depth)
    if name == "outline" and element.get("text"):
        below = "".join(_block(child, depth) for child in children)
        text = element.get("text")
        return f"<ul><li>{text if _PAGE.search(text) else escape(text)}{below}</li></ul>"
    if name.endswith("synopsis"):
        return f"<p>{escape(' '.join(' '.join(element.itertext()).split()))}</p>"
    if name == "sp":
        return _speech(element, depth)
    if _has_lead(element, children):
        return f"<div>{_with_lead(element, children, depth)}</div>"
    if not children or _has_words(element):
        return f"<p>{_inline(element, depth)}</p>"
    if name in _LISTS or name.endswith("list"):
        return _list(element, children, depth)
    inner = _section(children, depth)
    return f"<blockquote>{inner}</blockquote>" if name in _QUOTES else f"<div>{inner}</div>"


def _has_lead(element: Element, children: Sequence[Element]) -> bool:
    """Whether an element has text before its paragraphs and none between them."""
    words, tails = (element.text or "").strip(), any((child.tail or "").strip() for child in children)
    return bool(words) and not tails and any(_name(child) in _PARAGRAPHS or _is_block(child) for child in children)


def _with_lead(element: Element, children: Sequence[Element], depth: int) -> str:
    """An element with text before its paragraphs: short text of a section is its heading."""
    words, is_section = " ".join((element.text or "").split()), "sec" in _name(element)
    tag = f"h{min(depth, 6)}" if is_section and len(words) <= _MAX_SHORT else "p"
    return f"<{tag}>{escape(words)}</{tag}>{_section(children, depth + is_section)}"


def _is_block(element: Element) -> bool:
    """Whether an element is a block and not inline: lists and the like, and numbered elements."""
    name = _name(element)
    if name in _BLOCKS or name.endswith("list"):
        return True
    return len(element) > 0 and next((True for one in element.iter("{*}num", "{*}enum") if one is not element), False)


def _is_head(element: Element) -> bool:
    """Whether an element is the title of another element, and not a part of a law that is called Title."""
    has_title = any(_name(child) in _HEADS or _name(child) in _NUMBERS for child in children_of(element))
    return _name(element) in _HEADS and not has_title and 0 < len(words_of(element)) <= _MAX_TITLE


def _has_subtitle(element: Element) -> bool:
    """Whether an element is the number of an article of the European Union and its title follows."""
    after = element.getnext() if _name(element) == "ti.art" else None
    return after is not None and isinstance(after.tag, str) and _name(after) == "sti.art"


def _section(children: Sequence[Element], depth: int) -> str:
    """Child elements as HTML in order. A title, with the number before it, is the heading of what follows; titles by
    the same name are on one level.

    Adjacent verses and short values are lines of one paragraph.
    """
    number, parts, first = "", [], ""  # the name of the first title
    flattened = (one for child in children for one in (children_of(child) if _name(child) in _TITLE_PAGES else [child]))
    for are_lines, run in groupby(flattened, key=_is_line):
        if are_lines:
            parts.append(f"<p>{number}{'<br>'.join(_lines(list(run), depth))}</p>")
            number = ""
            continue
        for child in run:
            if _name(child) in _NUMBERS or _has_subtitle(child):
                number += f"{escape(words_of(child))} "
            elif _is_head(child):
                level = min(depth - (first == _name(child)), 6)
                parts.append(f"<h{level}>{number}{escape(words_of(child))}</h{level}>")
                number, depth, first = "", depth + (not first), first or _name(child)
            elif block := _block(child, depth):
                start_tags = _OPENED.match(block) if number else None
                offset = start_tags.end() if start_tags else 0
                parts.append(f"{block[:offset]}{number}{block[offset:]}")
                number = ""
    return "".join(parts) + (f"<p>{number}</p>" if number else "")


def _is_line(element: Element) -> bool:
    """Whether an element is a verse, or a short value of a record."""
    name, words = _name(element), element.text or ""
    if name in _VERSE:
        return True
    is_short = len(element) == 0 and 0 < len(words.strip()) <= _MAX_SHORT and not _PAGE.search(words)
    return is_short and not (name in _PARAGRAPHS or name in _NUMBERS or name in _HEADS or _is_block(element))


def _lines(run: Sequence[Element], depth: int) -> list[str]:
    """Verses and short values as inline HTML. A record with a moment in it is a program's: values follow their names.

    Its moments are told in words, its identifiers left out.
    """
    values = [(one, words_of(one)) for one in run]
    if not any(STAMP.fullmatch(words) for _, words in values):
        return [_inline(one, depth) for one in run]
    named = ((_HUMP.sub(" ", local_name(one)).lower(), _moment(words)) for one, words in values)
    return [f"{name}: {escape(words)}" for name, words in named if not IDENTIFIER.fullmatch(words)]


def _moment(words: str) -> str:
    """A moment in words; other words as they are.

    >>> _moment("20220528T215959Z"), _moment("open")
    ('28 May 2022, 21:59 UTC', 'open')
    """
    if not (found := STAMP.fullmatch(words)):
        return words
    year, month, day = map(int, found.groups()[:3])
    return f"{day_in_words(year, month, day)}, {found[4]}:{found[5]} UTC"


def _inline(element: Element, depth: int) -> str:
    """An element's content as inline HTML."""
    parts = [escape(element.text or "")]
    for child in element:
        if isinstance(child.tag, str):
            name = _name(child)
            if _is_block(child):
                parts.append(_block(child, depth))
            elif name in ("lb", "br"):
                parts.append("<br>")
            elif name in _NOTES:
                parts.append(f" [{_inline(child, depth)}]")
            elif not _is_record(child):
                parts.append(_linked(child, _inline(child, depth)))
        parts.append(escape(child.tail or ""))
    return "".join(parts)


def _linked(element: Element, inner: str) -> str:
    target = next((value for key, value in element.attrib.items() if key.endswith(("href", "url", "target"))), "")
    return f'<a href="{escape(target)}">{inner}</a>' if "://" in target or target.startswith("#") else inner


def _list(element: Element, children: Sequence[Element], depth: int) -> str:
    kind, name = f"{element.get('type', '')} {element.get('rend', '')}", _name(element)
    is_numbered = name in ("ol", "steps", "orderedlist") or "order" in kind or "number" in kind
    has_terms = any(_name(one) in _TERMS for child in children for one in (child, *children_of(child)))
    tag = "dl" if has_terms else "ol" if is_numbered else "ul"
    parts: list[str] = []
    for child in children:
        name = _name(child)
        if name in _HEADS:
            parts.insert(0, f"<p>{_inline(child, depth)}</p>")
        elif has_terms and not _has_words(child) and name not in _TERMS:
            parts += (_term_or_definition(part, depth) for part in children_of(child))
        elif has_terms:
            parts.append(_term_or_definition(child, depth))
        else:
            parts.append(f"<li>{_block(child, depth)}</li>")
    return f"<{tag}>{''.join(parts)}</{tag}>"


def _term_or_definition(element: Element, depth: int) -> str:
    if _name(element) in _TERMS:
        return f"<dt>{_inline(element, depth)}</dt>"
    return f"<dd>{_block(element, depth)}</dd>"


def _speech(element: Element, depth: int) -> str:
    """A speech of a play as one paragraph: the speaker's name, a colon, and the lines."""
    children = children_of(element)
    speaker = next((words_of(child).rstrip(".: ") for child in children if _name(child) == "speaker"), "")
    lines = [_inline(child, depth) for child in _within_speech(children)]
    return f"<p>{escape(speaker)}{': ' if speaker else ''}{'<br>'.join(lines)}</p>"


def _within_speech(children: Sequence[Element]) -> Iterator[Element]:
    for child in children:
        if _name(child) == "lg":
            yield from _within_speech(children_of(child))
        elif _name(child) != "speaker":
            yield child


def _table(element: Element, depth: int) -> str:
    parts = [
        f"<caption>{escape(words_of(child))}</caption>"
        for child in children_of(element)
        if _name(child) in (*_HEADS, "caption")
    ]
    for row in element.iter():
        name = _name(row) if isinstance(row.tag, str) else ""
        if name not in _ROWS and name != _HEAD_ROWS:
            continue
        above = row.getparent()
        head = name == _HEAD_ROWS or row.get("role") == "label" or (above is not None and _name(above) == "thead")
        cells = [child for child in children_of(row) if _name(child) in _CELLS]
        parts.append("<tr>" + "".join(_cell(cell, head or _name(cell) == "th", depth) for cell in cells) + "</tr>")
    return f"<table>{''.join(parts)}</table>"


def _cell(cell: Element, head: bool, depth: int) -> str:
    spans = {"colspan": cell.get("colspan") or cell.get("cols"), "rowspan": cell.get("rowspan") or cell.get("rows")}
    rows = cell.get("morerows", "")
    spans["rowspan"] = str(int(rows) + 1) if rows.isdecimal() and len(rows) < 4 else spans["rowspan"]
    stated = "".join(f' {key}="{escape(value)}"' for key, value in spans.items() if value)
    tag = "th" if head else "td"
    inner = _inline(cell, depth) if _has_words(cell) or not len(cell) else _section(children_of(cell), depth)
    return f"<{tag}{stated}>{inner}</{tag}>"
