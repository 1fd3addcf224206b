"""HTML to a small tree of what a reader of the page sees.

Lexbor builds the tree that a browser builds (HTML, section 13.2). Of that, elements that only dress words (``<b>``,
``<font>``, unknown ones) leave no node but the words' look; what a browser does not show leaves nothing but a count of
its words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from core.parsing.html.tree import Dressed, Node, Source, address_of, is_note_mark
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
_BOXES = frozenset({"button", "input", "select", "textarea", "text"})  # stand apart from the words around them
_LINES = frozenset({"option", "optgroup"})
_UNSEEN = frozenset(
    "annotation annotation-xml applet audio canvas datalist iframe noembed noscript rp script style template title "
    "video".split()
)
_UNSEEN_DRAWN = frozenset({"desc", "metadata", "defs"})  # of a drawing
_KEEPS_SPACE = frozenset({"pre", "listing", "xmp", "plaintext", "textarea"})
_BEHIND = {"q": "”", "rt": ")", **dict.fromkeys(_BOXES, " ")}
_MAX_DEPTH = 150  # of nodes: deeper ones hand their words to the last one, in order; walkers may recurse
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
# What XHTML may hold, and a parser of HTML takes for something else.
_PROLOG = 2000
_IS_XML = re.compile(r"\A\s*<\?xml|<!DOCTYPE[^>]*XHTML|<html\b[^>]*\sxmlns=", re.IGNORECASE)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_INTERNAL_SUBSET = re.compile(r"\A((?>.{0,2000}?<!DOCTYPE)[^>\[]{0,500})\[.*?\]\s*>", re.IGNORECASE | re.DOTALL)
# Values are in quotes: without them, "/>" may end an address of HTML.
_EMPTY = re.compile(r"""<([a-zA-Z][\w:.-]*)((?:\s(?:[^<>"'=/]|/(?!>)|=\s*"[^"<]*"|=\s*'[^'<]*')*+)?)/>""")
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())


def parse_source(text: str, page: str = "") -> Source:
    """The tree of a whole page or of a fragment. Fails for want of memory alone: browsers take anything, too.

    ``page``: its file's path where it is one of several that point to each other.
    """
    text = _UNPRINTABLE.sub("", text)
    if "[" in text[:_PROLOG].partition("<html")[0]:
        text = _INTERNAL_SUBSET.sub(r"\1>", text)
    if _IS_XML.search(text[:_PROLOG]):
        ended = text.rfind("]]>") + 3  # behind it nothing ends a section, which no search has to find out for each
        text = _CDATA.sub(lambda match: _escaped(match[1]), text[:ended]) + text[ended:]
        text = _EMPTY.sub(_opened_and_closed, text)
    try:
        tree = LexborHTMLParser(text)
    except SelectolaxError as error:
        raise MemoryError from error  # of what else it fails
    return _Builder(page).source_of(tree.root)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _opened_and_closed(empty: re.Match[str]) -> str:
    return empty[0] if empty[1].lower() in _VOID else f"<{empty[1]}{empty[2]}></{empty[1]}>"


@dataclass(slots=True)
class _Open:
    """An element on the way down. ``rest``: the child that comes next; ``tag``: what it behaves like; ``node``: where
    its words go; ``heading``: place on the way of the heading that it stands in, or is, 0 for none; ``look``: how its
    words are set.
    """

    rest: LexborNode | None
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
    page: str
    source: Source = field(default_factory=lambda: Source(Node("body", {})))
    fields: int = 0  # of the form that began last

    def source_of(self, root: LexborNode | None) -> Source:
        """The tree below ``root``, walked without recursion: pages may nest deeper than Python does."""
        way = [_Open(root, "", self.source.body)]
        while way:
            here = way[-1]
            element = here.rest
            if element is None:
                self._leave(way.pop(), way[-1].node if way else None)
                continue
            here.rest = element.next
            if element.is_text_node:
                text = (element.text_content or "").replace("\xad", "")
                here.node.children.append(Dressed.of(text if here.keeps_space else _SPACE.sub(" ", text), here.look))
            elif element.is_element_node and not self._is_unseen(element, here):
                way.append(self._entered(element, way))
        return self.source

    def _is_unseen(self, element: LexborNode, outer: _Open) -> bool:
        """Whether a browser does not show the element. What its head states, or how many words it hides, is noted."""
        tag, attributes = element.tag or "", element.attributes
        if tag in ("html", "meta", "title") and not outer.is_drawn:
            self._head(element, tag)
        if tag in _UNSEEN or (outer.is_drawn and tag in _UNSEEN_DRAWN) or attributes.get("role") == "doc-backlink":
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

    def _entered(self, element: LexborNode, way: Sequence[_Open]) -> _Open:
        attributes = {name: value or "" for name, value in element.attributes.items()}
        tag, outer = _shown_as(element.tag or "", attributes), way[-1]
        if outer.heading and tag in _ENDS_HEADING:
            _end_heading(way, is_table=tag == "table")
        node, depth, heading = outer.node, outer.depth, 0 if tag in BLOCKS else outer.heading
        if tag == "form":
            self.fields = 0
        if tag in BLOCKS or tag in _KEPT_INLINE:
            if depth + (_TABLE_DEPTH if tag == "table" else 0) < _MAX_DEPTH:
                node, depth = self._grown(tag, attributes, node), depth + 1
                heading = len(way) if element.tag in _HEADINGS else heading
            else:
                depth = _MAX_DEPTH
                if tag in BLOCKS or tag == "br":
                    node.children.append(Node("br", {}))
        elif tag in _BOXES:
            self.fields += _is_field(tag, attributes)
            self.source.form_fields = max(self.source.form_fields, self.fields)
            node.children.append(f" {_box_words(tag, attributes, in_item=outer.in_item)} ")
        elif tag == "code" and node.tag == "pre":
            # where the language stands, mostly
            node.attributes = {**node.attributes, "class": f"{node.classes} {attributes.get('class', '')}"}
        elif tag in ("q", "rt"):
            node.children.append("“" if tag == "q" else "(")
        space = _STYLE_SPACE.search(attributes.get("style", ""))
        keeps = tag in _KEEPS_SPACE or (space[1].lower().startswith("pre") if space else outer.keeps_space)
        in_item = tag == "li" or (outer.in_item and tag not in ("ul", "ol"))
        is_drawn, look = outer.is_drawn or tag == "svg", _look(element.tag or "", attributes, outer.look)
        return _Open(element.child, tag, node, keeps, depth, in_item, is_drawn, heading, look)

    def _grown(self, tag: str, attributes: Mapping[str, str], parent: Node) -> Node:
        node = Node(tag, attributes)
        parent.children.append(node)
        name = attributes.get("id")
        if name:
            self.source.ids.setdefault(f"{self.page}#{name}", node)
        if tag == "a" and is_note_mark(node):
            node.note = address_of(attributes.get("href", ""), self.page)
            self.source.note_targets.add(node.note)
        return node

    def _leave(self, done: _Open, outer: Node | None) -> None:
        if done.tag in _BEHIND:
            done.node.children.append(_BEHIND[done.tag])
        elif done.tag in _LINES or (done.tag in BLOCKS and done.node is outer):
            done.node.children.append(Node("br", {}))


def _end_heading(way: Sequence[_Open], *, is_table: bool) -> None:
    """A heading that nobody closed ends, once it holds anything, where a block begins: else it would hold the page."""
    begun = way[-1].heading
    if is_table or any(not isinstance(child, str) or child.strip() for child in way[begun].node.children):
        for one in way[begun:]:
            one.node, one.heading = way[begun - 1].node, 0


def _is_behind_dialog(tag: str, outer: _Open) -> bool:
    """Whether the element is (much of) the page itself, shut off while a dialog was open: still to be read."""
    return tag in ("body", "main", "article") or (tag in BLOCKS and outer.depth == 0)


def _shown_as(tag: str, attributes: Mapping[str, str]) -> str:
    """The tag an element behaves like."""
    if attributes.get("role") == "heading" and tag not in _HEADINGS:
        level = attributes.get("aria-level", "2")
        return f"h{min(6, max(1, int(level)))}" if level.isdecimal() and len(level) < 4 else "h2"
    if tag not in BLOCKS and tag not in _KEPT_INLINE and _STYLE_BLOCK.search(attributes.get("style", "")):
        return "div"
    return tag


def _look(tag: str, attributes: Mapping[str, str], outer: Look) -> Look:
    """How an element's words are set, by its tag and its own style: style sheets are not read."""
    size, bold, italic = outer.size, outer.bold or tag in ("b", "strong"), outer.italic or tag in ("i", "em")
    style = attributes.get("style", "")
    if "font" in style.lower():
        if weight := _STYLE_WEIGHT.search(style):
            bold = bool(weight[1])
        if slant := _STYLE_SLANT.search(style):
            italic = bool(slant[1])
        if found := _STYLE_SIZE.search(style):
            number, unit = float(found[1]), found[2].lower()
            inherited = (_USUAL if unit == "rem" else size or _USUAL) * (0.01 if unit == "%" else 1)
            size = number * {"pt": 1.0, "px": 0.75}.get(unit, inherited)
    elif tag == "font" and attributes.get("size") in _FONT_SIZES:
        size = _FONT_SIZES[attributes["size"]]
    return outer if (size, bold, italic) == outer else Look(size, bold, italic)


def _is_field(tag: str, attributes: Mapping[str, str]) -> bool:
    """Whether a box is there to be filled in."""
    no_field = ("hidden", "submit", "button", "image", "reset", "search")
    return tag in ("select", "textarea") or (tag == "input" and attributes.get("type", "").lower() not in no_field)


def _box_words(tag: str, attributes: Mapping[str, str], *, in_item: bool) -> str:
    """What a form's field shows without anyone having touched it. A box to tick counts in lists: of tasks."""
    if tag != "input":
        return ""
    kind = attributes.get("type", "text").lower()
    if kind == "checkbox":
        return ("☒" if "checked" in attributes else "☐") * in_item
    return "" if kind in ("hidden", "password", "radio", "image") else attributes.get("value", "")
