"""Parses HTML into a simplified tree of what a browser shows.

Lexbor builds the tree that a browser builds (HTML, section 13.2). Elements that only style text (``<b>``, ``<font>``,
unknown ones) become no nodes, but the look of the text. Hidden elements are dropped, and their words counted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from core.parsing.html.tree import Node, Source, StyledText, address_of, is_note_mark
from core.parsing.looks import PLAIN_LOOK, Look

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
BLOCKS = (
    frozenset(
        "address article aside blockquote caption center dd details dialog dir div dl dt fieldset figcaption figure "
        "footer form header hgroup hr legend li listing main menu nav noframes ol p plaintext pre search section "
        "summary table tbody td tfoot th thead tr ul xmp".split()
    )
    | _HEADINGS
)
_ENDS_HEADING = _HEADINGS | frozenset("article blockquote dl fieldset form hr li ol p pre section table ul".split())
_KEPT_INLINE = frozenset({"a", "br", "img"})
_BOXES = frozenset({"button", "input", "select", "textarea", "text"})  # separated from the text around them by blanks
_LINES = frozenset({"option", "optgroup"})
_MANY_OPTIONS = 12  # of a field to choose from; a longer list (years, countries) is a page's control as navigation is
_UNSEEN = frozenset(
    "annotation annotation-xml applet audio canvas datalist iframe noembed noscript rp script style template title "
    "video".split()
)
_UNSEEN_IN_SVG = frozenset({"desc", "metadata", "defs"})
_KEEPS_SPACE = frozenset({"pre", "listing", "xmp", "plaintext", "textarea"})
_TEXT_AFTER = {"q": "”", "rt": ")", **dict.fromkeys(_BOXES, " ")}
_MAX_DEPTH = 150  # of nodes; deeper elements add their text to the last node, so that walkers may recurse
_TABLE_DEPTH = 4  # a table, its section, row and cell

_STYLE_HIDES = re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|mso-hide\s*:\s*all", re.IGNORECASE)
_STYLE_BLOCK = re.compile(r"display\s*:\s*(?:block|flex|grid|list-item|table(?!-))", re.IGNORECASE)
_STYLE_SPACE = re.compile(r"white-space\s*:\s*(\w+)", re.IGNORECASE)
_STYLE_WEIGHT = re.compile(
    r"font(?:-weight)?\s*:[^;]*?(?<![\w-])(?:(bold(?:er)?|[6-9]00)|normal|[1-5]00)\b", re.IGNORECASE
)
_STYLE_SLANT = re.compile(r"font(?:-style)?\s*:[^;]*?(?<![\w-])(?:(italic|oblique)|normal)\b", re.IGNORECASE)
_STYLE_SIZE = re.compile(r"font(?:-size)?\s*:[^;]*?(?<![\w.-])(\d{1,3}(?:\.\d+)?)\s*(pt|px|em|rem|%)", re.IGNORECASE)
_FONT_SIZES = {"1": 7.5, "2": 10.0, "3": 12.0, "4": 13.5, "5": 18.0, "6": 24.0, "7": 36.0}  # points of <font size>
_USUAL = 12.0  # points
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\xad]")
_SPACE = re.compile(r"[\t\n\f\r]+")
# Constructs of XHTML that an HTML parser misreads.
_PROLOG = 2000
_IS_XML = re.compile(r"\A\s*<\?xml|<!DOCTYPE[^>]*XHTML|<html\b[^>]*\sxmlns=", re.IGNORECASE)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_INTERNAL_SUBSET = re.compile(r"\A((?>.{0,2000}?<!DOCTYPE)[^>\[]{0,500})\[.*?\]\s*>", re.IGNORECASE | re.DOTALL)
# Only quoted values match: unquoted, "/>" may be the end of an address in HTML.
_EMPTY = re.compile(r"""<([a-zA-Z][\w:.-]*)((?:\s(?:[^<>"'=/]|/(?!>)|=\s*"[^"<]*"|=\s*'[^'<]*')*+)?)/>""")
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())


def parse_source(text: str, page: str = "") -> Source:
    """The tree of a page or of a fragment. Any text is accepted, as by browsers; raises only ``MemoryError``.

    ``page``: the path of the page's file, where it is one of several that link to each other; else "".
    """
    text = _UNPRINTABLE.sub("", text)
    if "[" in text[:_PROLOG].partition("<html")[0]:
        text = _INTERNAL_SUBSET.sub(r"\1>", text)
    if _IS_XML.search(text[:_PROLOG]):
        end = text.rfind("]]>") + 3  # after it no section ends: searching there for each would take quadratic time
        text = _CDATA.sub(lambda match: _escaped(match[1]), text[:end]) + text[end:]
        text = _EMPTY.sub(_opened_and_closed, text)
    try:
        tree = LexborHTMLParser(text)
    except SelectolaxError as error:
        raise MemoryError from error  # its only cause
    return _Builder(page).source_of(tree.root)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _opened_and_closed(empty: re.Match[str]) -> str:
    return empty[0] if empty[1].lower() in _VOID else f"<{empty[1]}{empty[2]}></{empty[1]}>"


@dataclass(slots=True)
class _Open:
    """An open element during the walk.

    ``next_child``: the child that is visited next. ``tag``: the tag it behaves like. ``node``: the node that gets its
    text. ``heading``: the index on the path of the heading that it is or is in, 0 for none. ``look``: of its text.
    """

    next_child: LexborNode | None
    tag: str
    node: Node
    keeps_space: bool = False
    depth: int = 0
    in_item: bool = False
    is_drawn: bool = False
    heading: int = 0
    look: Look = PLAIN_LOOK


@dataclass(slots=True)
class _Builder:
    """Builds the simplified tree. ``page``: see ``parse_source``."""

    page: str
    source: Source = field(default_factory=lambda: Source(Node("body", {})))
    fields: int = 0  # of the current form

    def source_of(self, root: LexborNode | None) -> Source:
        """The tree below ``root``, built without recursion: pages may be nested more deeply than Python's stack."""
        path = [_Open(root, "", self.source.body)]
        while path:
            current = path[-1]
            element = current.next_child
            if element is None:
                self._leave(path.pop(), path[-1].node if path else None)
                continue
            current.next_child = element.next
            if element.is_text_node:
                text = (element.text_content or "").replace("\xad", "")
                text = text if current.keeps_space else _SPACE.sub(" ", text)
                current.node.children.append(StyledText.of(text, current.look))
            elif element.is_element_node and not self._is_unseen(element, current):
                path.append(self._enter(element, path))
        return self.source

    def _is_unseen(self, element: LexborNode, outer: _Open) -> bool:
        """Whether a browser does not show the element. Collects metadata of the head and counts hidden words."""
        tag, attributes = element.tag or "", element.attributes
        if tag in ("html", "meta", "title") and not outer.is_drawn:
            self._head(element, tag)
        if tag in _UNSEEN or (outer.is_drawn and tag in _UNSEEN_IN_SVG) or attributes.get("role") == "doc-backlink":
            return True
        hides = (
            ("hidden" in attributes and attributes["hidden"] != "until-found")
            or ((attributes.get("aria-hidden") or "").lower() == "true" and not _is_behind_dialog(tag, outer))
            or (tag == "dialog" and "open" not in attributes)
            or bool(_STYLE_HIDES.search(attributes.get("style") or ""))
        )
        if hides:
            self.source.hidden_words += len(element.text(deep=True, separator=" ").split())
        return hides

    def _head(self, element: LexborNode, tag: str) -> None:
        source, attributes = self.source, element.attributes
        if tag == "html":
            source.language = (attributes.get("lang") or "").strip()
        elif tag == "title":
            source.title = source.title or " ".join(element.text().replace("\xad", "").split())
        else:
            name = (attributes.get("name") or attributes.get("property") or "").strip().lower()
            content = " ".join((attributes.get("content") or "").split())
            if name and content:
                source.metadata.setdefault(name, content)

    def _enter(self, element: LexborNode, path: Sequence[_Open]) -> _Open:
        """Begin an element: its node is added to the tree, or its marks to the text of the node around it."""
        attributes = {name: value or "" for name, value in element.attributes.items()}
        tag, outer = _effective_tag(element.tag or "", attributes), path[-1]
        if outer.heading and tag in _ENDS_HEADING:
            _end_heading(path, is_table=tag == "table")
        node, depth, heading = outer.node, outer.depth, 0 if tag in BLOCKS else outer.heading
        if tag == "form":
            self.fields = 0
        if tag == "select" and len(element.css("option")) > _MANY_OPTIONS:
            self.fields += 1
            tag = "nav"
        if tag in BLOCKS or tag in _KEPT_INLINE:
            if depth + (_TABLE_DEPTH if tag == "table" else 0) < _MAX_DEPTH:
                node, depth = self._add_node(tag, attributes, node), depth + 1
                heading = len(path) if element.tag in _HEADINGS else heading
            else:
                depth = _MAX_DEPTH
                if tag in BLOCKS or tag == "br":
                    node.children.append(Node("br", {}))
        elif tag in _BOXES:
            self.fields += _is_field(tag, attributes)
            self.source.form_fields = max(self.source.form_fields, self.fields)
            node.children.append(f" {_box_words(tag, attributes, in_item=outer.in_item)} ")
        elif tag == "code" and node.tag == "pre":
            # Its class usually names the language.
            node.attributes = {**node.attributes, "class": f"{node.classes} {attributes.get('class', '')}"}
        elif tag in ("q", "rt"):
            node.children.append("“" if tag == "q" else "(")
        space = _STYLE_SPACE.search(attributes.get("style", ""))
        keeps = tag in _KEEPS_SPACE or (space[1].lower().startswith("pre") if space else outer.keeps_space)
        in_item = tag == "li" or (outer.in_item and tag not in ("ul", "ol"))
        is_drawn, look = outer.is_drawn or tag == "svg", _look(element.tag or "", attributes, outer.look)
        return _Open(element.child, tag, node, keeps, depth, in_item, is_drawn, heading, look)

    def _add_node(self, tag: str, attributes: Mapping[str, str], parent: Node) -> Node:
        node = Node(tag, attributes)
        parent.children.append(node)
        name = attributes.get("id")
        if name:
            self.source.ids.setdefault(f"{self.page}#{name}", node)
        if tag == "a" and is_note_mark(node):
            node.note = address_of(attributes.get("href", ""), self.page)
            self.source.note_targets.add(node.note)
        return node

    def _leave(self, element: _Open, outer: Node | None) -> None:
        if element.tag in _TEXT_AFTER:
            element.node.children.append(_TEXT_AFTER[element.tag])
        elif element.tag in _LINES or (element.tag in BLOCKS and element.node is outer):
            element.node.children.append(Node("br", {}))


def _end_heading(path: Sequence[_Open], *, is_table: bool) -> None:
    """End an unclosed heading with content where a block begins; otherwise it would contain the rest of the page."""
    start = path[-1].heading
    if is_table or any(not isinstance(child, str) or child.strip() for child in path[start].node.children):
        for element in path[start:]:
            element.node, element.heading = path[start - 1].node, 0


def _is_behind_dialog(tag: str, outer: _Open) -> bool:
    """Whether the element is the page's content, hidden only because a dialog was open; it is then read."""
    return tag in ("body", "main", "article") or (tag in BLOCKS and outer.depth == 0)


def _effective_tag(tag: str, attributes: Mapping[str, str]) -> str:
    """The tag an element behaves like, given its role and style."""
    if attributes.get("role") == "heading" and tag not in _HEADINGS:
        level = attributes.get("aria-level", "2")
        return f"h{min(6, max(1, int(level)))}" if level.isdecimal() and len(level) < 4 else "h2"
    if tag not in BLOCKS and tag not in _KEPT_INLINE and _STYLE_BLOCK.search(attributes.get("style", "")):
        return "div"
    return tag


def _look(tag: str, attributes: Mapping[str, str], outer: Look) -> Look:
    """The look of an element's text by its tag and ``style`` attribute; style sheets are not read."""
    size, bold, italic = outer.size, outer.bold or tag in ("b", "strong"), outer.italic or tag in ("i", "em")
    style = attributes.get("style", "")
    if "font" in style.lower():
        if weight := _STYLE_WEIGHT.search(style):
            bold = bool(weight[1])
        if slant := _STYLE_SLANT.search(style):
            italic = bool(slant[1])
        if stated_size := _STYLE_SIZE.search(style):
            number, unit = float(stated_size[1]), stated_size[2].lower()
            inherited = (_USUAL if unit == "rem" else size or _USUAL) * (0.01 if unit == "%" else 1)
            size = number * {"pt": 1.0, "px": 0.75}.get(unit, inherited)
    elif tag == "font" and attributes.get("size") in _FONT_SIZES:
        size = _FONT_SIZES[attributes["size"]]
    return outer if (size, bold, italic) == outer else Look(size, bold, italic)


def _is_field(tag: str, attributes: Mapping[str, str]) -> bool:
    """Whether a form element is a field that the user fills in."""
    no_field = ("hidden", "submit", "button", "image", "reset", "search")
    return tag in ("select", "textarea") or (tag == "input" and attributes.get("type", "").lower() not in no_field)


def _box_words(tag: str, attributes: Mapping[str, str], *, in_item: bool) -> str:
    """The text that a form field shows initially. Checkboxes count only in list items, as in task lists."""
    if tag != "input":
        return ""
    kind = attributes.get("type", "text").lower()
    if kind == "checkbox":
        return ("☒" if "checked" in attributes else "☐") * in_item
    return "" if kind in ("hidden", "password", "radio", "image") else attributes.get("value", "")
