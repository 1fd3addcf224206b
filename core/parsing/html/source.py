"""HTML to a small tree of what a reader of the page sees.

libxml2 reads the markup as events, not as a tree of its own: its tree has a limit of depth beyond which the whole
document is lost, and drops what stands behind ``</html>``. Elements that only dress words (``<b>``, ``<font>``, unknown
ones) leave no node; what a browser does not show leaves nothing but a count of its words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from lxml import etree

from core.parsing.html.tree import Node, Source, address_of, is_note_mark

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
BLOCKS = (
    frozenset(
        "address article aside blockquote caption center dd details dialog dir div dl dt fieldset figcaption figure "
        "footer form header hgroup hr legend li listing main menu nav noframes ol p plaintext pre search section "
        "summary table tbody td tfoot th thead tr ul xmp".split()
    )
    | _HEADINGS
)
_KEPT_INLINE = frozenset({"a", "br", "img"})
_BOXES = frozenset({"button", "input", "select", "textarea", "text"})  # stand apart from the words around them
_LINES = frozenset({"option", "optgroup"})
_UNSEEN = frozenset(
    "annotation annotation-xml applet audio canvas datalist iframe noembed noscript rp script style template "
    "video".split()
)
_KEEPS_SPACE = frozenset({"pre", "listing", "xmp", "plaintext", "textarea"})
_ENDS_PARAGRAPH = BLOCKS - {"caption", "tbody", "td", "tfoot", "th", "thead", "tr"}
_CLOSED_BY = {"li": "li", "dt": "dd", "dd": "dd", "td": "cell", "th": "cell", "tr": "row"}
_SCOPES = ("p", "li", "dd", "cell", "row")
_SCOPE_PLACES = {kind: place for place, kind in enumerate(_SCOPES)}
_NOWHERE = (-1,) * len(_SCOPES)
_BOUNDARIES: Mapping[str, tuple[str, ...]] = {
    "ul": ("li",),
    "ol": ("li",),
    "menu": ("li",),
    "dir": ("li",),
    "dl": ("dd",),
    "table": _SCOPES,
    "td": ("p", "li", "dd"),
    "th": ("p", "li", "dd"),
    "caption": ("p", "li", "dd"),
    "button": ("p",),
}
_MAX_DEPTH = 150  # of nodes: deeper ones hand their words to the last one, in order; walkers may recurse

_STYLE_HIDES = re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|mso-hide\s*:\s*all", re.IGNORECASE)
_STYLE_BLOCK = re.compile(r"display\s*:\s*(?:block|flex|grid|list-item|table(?!-))", re.IGNORECASE)
_STYLE_SPACE = re.compile(r"white-space\s*:\s*(\w+)", re.IGNORECASE)
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\xad]")
_SPACE = re.compile(r"[\t\n\f\r]+")
# A browser ends a paragraph even at a tag that has none to end; libxml2 keeps silent about it, but not about comments.
_END_OF_PARAGRAPH = re.compile(r"</p\s*>", re.IGNORECASE)
_MARK = "<!--/p-->"
_END = "<!--/end-->"
_FEED_CHARACTERS = 1 << 16
_SPARE_BYTES = 64 << 20
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_PROLOG = 2000
_INTERNAL_SUBSET = re.compile(r"(<!DOCTYPE[^>\[]{0,500})\[.*?\]\s*>", re.IGNORECASE | re.DOTALL)


def parse_source(text: str, page: str = "") -> Source:
    """The tree of a whole page or of a fragment. Fails for want of memory alone: browsers take anything, too.

    ``page``: its file's path where it is one of several that point to each other.
    """
    text = _END_OF_PARAGRAPH.sub(rf"\g<0>{_MARK}", _UNPRINTABLE.sub("", text))
    if "[" in text[:_PROLOG].partition("<html")[0]:
        text = _INTERNAL_SUBSET.sub(r"\1>", text, count=1)
    if text.lstrip()[:5].lower() == "<?xml":
        text = _CDATA.sub(lambda match: _escaped(match[1]), text)
    builder = _Builder(page)
    # huge_tree lifts libxml2's limits on the length of texts, beyond which it drops all; HTML has no entities of its
    # own that could explode, and the worker's memory is bounded.
    parser = etree.HTMLParser(target=builder, encoding="utf-8", huge_tree=True)
    for place in range(0, len(text), _FEED_CHARACTERS):
        parser.feed(text[place : place + _FEED_CHARACTERS].encode("utf-8", "replace"))
    parser.feed(_END.encode())
    source: Source = parser.close()
    if not builder.saw_end:
        # Swallowed by a tag or a quote that nobody closed, or else libxml2 ran out of memory, of which it says nothing:
        # it doubles what it holds, and lets the text go on without what did not fit.
        bytearray(_SPARE_BYTES + 2 * len(text))
    return source


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


class _Open(NamedTuple):
    """An element not yet closed. ``name``: as written; ``tag``: what it behaves like; ``node``: where its words go.

    ``scopes``: stack places of the innermost element of each kind that another one's beginning closes, -1 for none.
    """

    name: str
    tag: str
    node: Node
    scopes: tuple[int, ...]
    keeps_space: bool
    depth: int


class _Builder:
    """The parser's target. Closes what a browser closes, where libxml2 looks at the innermost element alone.

    ``saw_end``: the mark behind the page's last character came by.
    """

    def __init__(self, page: str) -> None:
        self._page = page
        body = Node("body", {})
        self._source = Source(body)
        self._stack = [_Open("", "", body, _NOWHERE, False, 0)]
        self._counts: dict[str, int] = {}
        self._skipped = 0
        self._fields = 0  # of the form that began last
        self._counted = False
        self._title: list[str] | None = None
        self._paragraph_ended = False
        self.saw_end = False

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if self._skipped:
            self._skipped += 1
            return
        if tag in ("meta", "html", "title"):
            self._head(tag, attributes)
        if self._is_unseen(tag, attributes):
            self._skipped = 1
            return
        if tag == "form":
            self._fields = 0
        name, tag = tag, self._shown_as(tag, attributes)
        if tag in _ENDS_PARAGRAPH:
            self._close_scope("p")
        if tag in _CLOSED_BY:
            self._close_scope(_CLOSED_BY[tag])
        if tag in _HEADINGS and self._stack[-1].tag in _HEADINGS:
            self._pop_to(len(self._stack) - 1)
        self._push(name, tag, attributes)

    def end(self, tag: str) -> None:
        if self._skipped:
            self._skipped -= 1
            return
        self._paragraph_ended = tag == "p"
        if tag == "title" and self._title is not None:
            self._source.title = self._source.title or " ".join("".join(self._title).split())
            self._title = None
        if not self._counts.get(tag):
            return  # closed before, by something a browser closes it for
        place = len(self._stack) - 1
        while self._stack[place].name != tag:
            place -= 1
        self._pop_to(place)

    def comment(self, text: str) -> None:
        self.saw_end = self.saw_end or text.endswith("/end")
        if text == "/p" and not self._skipped and not self._paragraph_ended:
            self._stack[-1].node.children.append(Node("p", {}))
        self._paragraph_ended = False

    def data(self, text: str) -> None:
        self.saw_end = self.saw_end or _END in text
        text = text.replace("\xad", "").replace(_MARK, "").replace(_END, "")
        if self._skipped:
            if self._counted:
                self._source.hidden_words += len(text.split())
        elif self._title is not None:
            self._title.append(text)
        else:
            top = self._stack[-1]
            top.node.children.append(text if top.keeps_space else _SPACE.sub(" ", text))

    def close(self) -> Source:
        return self._source

    def _head(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "html":
            self._source.language = self._source.language or attributes.get("lang", "").strip()
        elif tag == "meta":
            name = (attributes.get("name") or attributes.get("property") or "").strip().lower()
            content = " ".join(attributes.get("content", "").replace(_MARK, "").split())
            if name and content:
                self._source.metadata.setdefault(name, content)
        elif not self._counts.get("svg") and not self._source.title:
            self._title = []

    def _is_unseen(self, tag: str, attributes: Mapping[str, str]) -> bool:
        """Whether a browser does not show the element. Sets whether its words count as hidden."""
        self._counted = False
        if tag == "title":
            return self._title is None  # one of the body, or a second one
        if not attributes and not self._counts.get("svg"):
            self._counted = tag == "dialog"
            return self._counted or tag in _UNSEEN
        if tag in _UNSEEN or (self._counts.get("svg") and tag in ("desc", "metadata", "defs")):
            return True
        if attributes.get("role") == "doc-backlink":
            return True
        style = attributes.get("style", "")
        self._counted = (
            attributes.get("hidden", "until-found") != "until-found"
            or (attributes.get("aria-hidden", "").lower() == "true" and not self._is_behind_dialog(tag))
            or (tag == "dialog" and "open" not in attributes)
            or bool(style and _STYLE_HIDES.search(style))
        )
        return self._counted

    def _is_behind_dialog(self, tag: str) -> bool:
        """Whether the element is (much of) the page itself, shut off while a dialog was open: still to be read."""
        return tag in ("body", "main", "article") or (tag in BLOCKS and self._stack[-1].depth == 0)

    def _shown_as(self, tag: str, attributes: Mapping[str, str]) -> str:
        """The tag the element behaves like."""
        if not attributes:
            return tag
        if attributes.get("role") == "heading" and tag not in _HEADINGS:
            level = attributes.get("aria-level", "2")
            return f"h{min(6, max(1, int(level)))}" if level.isdecimal() and len(level) < 4 else "h2"
        if tag not in BLOCKS and "style" in attributes and _STYLE_BLOCK.search(attributes["style"]):
            return "div" if tag not in _KEPT_INLINE else tag
        return tag

    def _push(self, name: str, tag: str, attributes: Mapping[str, str]) -> None:
        parent = self._stack[-1]
        node, depth = parent.node, parent.depth
        space = _STYLE_SPACE.search(attributes.get("style", "")) if attributes else None
        keeps = tag in _KEEPS_SPACE or (space[1].lower().startswith("pre") if space else parent.keeps_space)
        if tag in BLOCKS or tag in _KEPT_INLINE:
            if depth < _MAX_DEPTH:
                node, depth = self._grown(tag, attributes, parent.node), depth + 1
            elif tag in BLOCKS or tag == "br":
                node.children.append(Node("br", {}))
        elif tag in _BOXES:
            self._fields += _is_field(tag, attributes)
            self._source.form_fields = max(self._source.form_fields, self._fields)
            node.children.append(f" {_box_words(tag, attributes, in_item=parent.scopes[_SCOPE_PLACES['li']] > 0)} ")
        elif tag == "code" and parent.node.tag == "pre":
            stated = {"class": f"{parent.node.classes} {attributes.get('class', '')}"}
            parent.node.attributes = {**parent.node.attributes, **stated}  # where the language stands, mostly
        elif tag == "q":
            node.children.append("“")
        elif tag == "rt":
            node.children.append("(")
        scopes = _scopes(tag, parent.scopes, len(self._stack))
        self._stack.append(_Open(name, tag, node, scopes, keeps, depth))
        self._counts[name] = self._counts.get(name, 0) + 1

    def _grown(self, tag: str, attributes: Mapping[str, str], parent: Node) -> Node:
        node = Node(tag, dict(attributes) if attributes else {})
        parent.children.append(node)
        name = node.attributes.get("id")
        if name:
            self._source.ids.setdefault(f"{self._page}#{name}", node)
        if tag == "a" and is_note_mark(node):
            node.note = address_of(node.attributes.get("href", ""), self._page)
            self._source.note_targets.add(node.note)
        return node

    def _close_scope(self, kind: str) -> None:
        place = self._stack[-1].scopes[_SCOPE_PLACES[kind]]
        if place > 0:
            self._pop_to(place)

    def _pop_to(self, place: int) -> None:
        """Close every element from the top down to the one at ``place``."""
        while len(self._stack) > max(1, place):
            done = self._stack.pop()
            self._counts[done.name] -= 1
            if done.tag in ("q", "rt"):
                done.node.children.append("”" if done.tag == "q" else ")")
            elif done.tag in _BOXES:
                done.node.children.append(" ")
            elif done.tag in _LINES or (done.tag in BLOCKS and done.node is self._stack[-1].node):
                done.node.children.append(Node("br", {}))


def _scopes(tag: str, parent: tuple[int, ...], place: int) -> tuple[int, ...]:
    opens = "p" if tag == "p" else _CLOSED_BY.get(tag)
    shut = _BOUNDARIES.get(tag, ())
    if opens is None and not shut:
        return parent
    return tuple(
        place if kind == opens else (-1 if kind in shut else outer) for kind, outer in zip(_SCOPES, parent, strict=True)
    )


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
