"""Runs of a paragraph as words: fields, links, notes' marks, symbols, formulas, and what is anchored among them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from core.parsing.flow import Words
from core.parsing.looks import PLAIN_LOOK, Look
from core.parsing.ooxml.math import linear_math
from core.parsing.ooxml.package import RELATIONS, Element, Relation
from core.parsing.word.drawings import Aside, drawn
from core.parsing.word.notes import Marks
from core.parsing.word.styles import Style, Styles, is_monospaced, looks_of
from core.parsing.word.symbols import in_font, symbol
from core.parsing.word.xml import (
    ALTERNATE,
    CONTENT_CONTROL,
    CONTROL_CONTENT,
    DELETIONS,
    WRAPPERS,
    M,
    W,
    alternative,
    number,
    switch,
)

_PAGE_NUMBERS = frozenset(("PAGE", "NUMPAGES", "SECTIONPAGES", "PAGEREF"))
_ARGUMENT = re.compile(r'\\(?P<switch>[a-zA-Z])|"(?P<quoted>(?:\\.|[^"\\])*)"|(?P<plain>[^\s"]+)')
_ESCAPED = re.compile(r'\\([\\"])')


@dataclass(slots=True)
class Field:
    """A field that is open. ``start``: where its result begins in the paragraph at hand.

    ``target``: where a HYPERLINK leads. ``is_dropped``: its result is a page number nobody can use.
    """

    start: int
    instruction: str = ""
    in_instruction: bool = False
    target: str = ""
    is_dropped: bool = False

    def show(self, *, drops_page_numbers: bool) -> None:
        """The instruction is whole: from here on comes the result."""
        self.in_instruction = False
        name = self.instruction.split(maxsplit=1)[0].upper() if self.instruction.split() else ""
        self.target = link_target(self.instruction) if name == "HYPERLINK" else ""
        self.is_dropped = drops_page_numbers and name in _PAGE_NUMBERS

    @property
    def shown_without_result(self) -> str:
        """The words of a MACROBUTTON stand in its instruction."""
        words = self.instruction.split(maxsplit=2)
        return words[2].strip() if len(words) == 3 and words[0].upper() == "MACROBUTTON" else ""


def link_target(instruction: str) -> str:
    """The address of a HYPERLINK field, its place in the document as "#name".

    >>> link_target(r'HYPERLINK "https://a.test/x" \\o "Tip"'), link_target(r' HYPERLINK \\l "_Toc1" ')
    ('https://a.test/x', '#_Toc1')
    """
    address, anchor, pending = "", "", ""
    for match in list(_ARGUMENT.finditer(instruction))[1:]:
        if match["switch"]:
            pending = match["switch"].lower()
            continue
        words = match["plain"] if match["quoted"] is None else _ESCAPED.sub(r"\1", match["quoted"])
        if pending == "l":
            anchor = words
        elif pending not in ("o", "t") and not address:
            address = words
        pending = ""
    return address + (f"#{anchor}" if anchor else "")


def checked_box(form: Element) -> str:
    """The sign of a form's check box, "" when it is another kind of field. ``form``: ``w:ffData``."""
    box = form.find(f"{W}checkBox")
    if box is None:
        return ""
    state = switch(box, "checked")
    return "☒" if (switch(box, "default") if state is None else state) else "☐"


def chosen_entry(form: Element) -> str:
    """The entry a form's list shows, "" when it is another kind of field. ``form``: ``w:ffData``."""
    choices = form.find(f"{W}ddList")
    entries = [] if choices is None else [entry.get(f"{W}val", "") for entry in choices.iterfind(f"{W}listEntry")]
    place = number(choices, "result") or number(choices, "default") or 0
    return entries[place] if 0 <= place < len(entries) else ""


_NO_STYLE = Style()
_ALMOST_ALL = 0.9
_RUN_PROPERTIES = f"{W}rPr"
_UNPRINTED = str.maketrans({"\u00ad": None, "\n": " ", "\r": " ", "\t": " "})


@dataclass(slots=True)
class Line:
    """A paragraph's words as they are gathered. ``monospaced``, ``bold``, ``inked``: non-blank characters of each.

    ``looks``: how many of them are set how; what is underlined counts as bold there.
    """

    parts: list[str] = field(default_factory=list)
    length: int = 0
    links: list[tuple[int, int, str]] = field(default_factory=list)
    asides: list[Aside] = field(default_factory=list)
    monospaced: int = 0
    bold: int = 0
    inked: int = 0
    looks: Counter[Look] = field(default_factory=Counter)

    def write(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)

    def link(self, start: int, target: str) -> None:
        """Everything from ``start`` to here leads to ``target``."""
        if target and start < self.length:
            self.links.append((start, self.length, target))

    @property
    def look(self) -> Look:
        """How the line is set: bold or slanted where almost all of it is, of the size of most of it."""
        if not self.looks:
            return PLAIN_LOOK
        size = max(self.looks, key=lambda look: (self.looks[look], look)).size
        bold = sum(count for look, count in self.looks.items() if look.bold)
        italic = sum(count for look, count in self.looks.items() if look.italic)
        return Look(size, self.is_most(bold), self.is_most(italic))

    def is_most(self, characters: int) -> bool:
        """Whether so many are almost all of the line's."""
        return self.inked > 0 and characters >= _ALMOST_ALL * self.inked

    @property
    def words(self) -> Words:
        ordered = sorted(self.links, key=lambda link: (link[0], -link[1]))
        return Words("".join(self.parts), tuple(ordered))


@dataclass(slots=True)
class LeftOut:
    """Words that are in the file and not in the text, counted for a note."""

    hidden: int = 0
    deleted: int = 0
    unread: list[str] = field(default_factory=list)


class TextReader:
    """Paragraphs of one story: the body, a header, a note, a text box. Fields may reach over its paragraphs.

    ``relations``: of the part the story stands in. ``drops_page_numbers``: in running headers and footers.
    """

    def __init__(
        self,
        styles: Styles,
        relations: dict[str, Relation],
        marks: Marks,
        left_out: LeftOut,
        *,
        drops_page_numbers: bool = False,
    ) -> None:
        self._styles = styles
        self._relations = relations
        self._marks = marks
        self._left_out = left_out
        self._drops_page_numbers = drops_page_numbers
        self._fields: list[Field] = []
        self._line = Line()
        self._style = Style()

    def paragraph(self, element: Element, style: Style, line: Line | None = None) -> Line:
        """The words of a ``w:p``, behind those of ``line`` where it continues one."""
        self._line = Line() if line is None else line
        self._style = style
        for open_field in self._fields:
            open_field.start = self._line.length
        self._children(element)
        for open_field in self._fields:
            # An instruction that its paragraph does not end is damaged: what follows is shown, not swallowed.
            open_field.in_instruction = False
            self._line.link(open_field.start, open_field.target)
        return self._line

    def formula(self, element: Element) -> Line:
        """A formula that stands outside of any paragraph."""
        self._line = Line()
        self._formula(element)
        return self._line

    def _children(self, element: Element) -> None:
        for child in element:
            handler = _HANDLERS.get(child.tag)
            if handler:
                handler(self, child)

    @property
    def _is_silent(self) -> bool:
        """Within a field's instruction, or its result where that is a page number."""
        return bool(self._fields) and any(entry.in_instruction or entry.is_dropped for entry in self._fields)

    def _run(self, run: Element) -> None:
        looks = looks_of(run.find(_RUN_PROPERTIES))
        named = self._styles.run(looks.style) if looks.style else _NO_STYLE
        hidden = looks.hidden
        if hidden is None:
            hidden = self._style.hidden if named.hidden is None else named.hidden
        if hidden:
            self._hidden_run(run)
            return
        bold, italic, underlined = (
            next((one for one in said if one is not None), False)
            for said in (
                (looks.bold, named.bold, self._style.bold),
                (looks.italic, named.italic, self._style.italic),
                (looks.underlined, named.underlined, self._style.underlined),
            )
        )
        font = looks.font or named.font or self._style.font or self._styles.default_font
        line = self._line
        first = len(line.parts)
        for child in run:
            self._run_child(child, font)
        ink = sum(len("".join(part.split())) for part in line.parts[first:])
        line.inked += ink
        line.bold += ink if bold else 0
        if ink:
            size = looks.size or named.size or self._style.size or self._styles.default_size
            line.looks[Look(size, bold or underlined, italic)] += ink
        line.monospaced += ink if is_monospaced(font) else 0

    def _run_child(self, child: Element, font: str) -> None:
        name = child.tag.rpartition("}")[2]
        if name == "fldChar":
            self._field_mark(child)
        elif name == "instrText":
            if self._fields and self._fields[-1].in_instruction:
                self._fields[-1].instruction += child.text or ""
        elif self._is_silent:
            return
        elif name == "t":
            self._line.write(in_font((child.text or "").translate(_UNPRINTED), font))
        elif name in _WRITTEN:
            self._line.write(_WRITTEN[name])
        elif name == "sym":
            self._line.write(_symbol(child))
        elif name in ("footnoteReference", "endnoteReference"):
            self._note_reference(child, name)
        elif name == "commentReference":
            self._line.asides.append(Aside("comment", child.get(f"{W}id", "")))
        elif name in ("drawing", "pict", "object"):
            self._line.asides += drawn(child)
        elif child.tag == ALTERNATE:
            self._alternatives(child)
        elif name == "ruby":
            self._ruby(child)

    def _hidden_run(self, run: Element) -> None:
        """Fields still begin and end in hidden runs; words are counted."""
        for child in run:
            if child.tag in (f"{W}fldChar", f"{W}instrText"):
                self._run_child(child, "")
            elif child.tag == f"{W}t" and not self._is_silent:
                self._left_out.hidden += len((child.text or "").split())

    def _deletion(self, element: Element) -> None:
        self._left_out.deleted += sum(len((text.text or "").split()) for text in element.iter(f"{W}delText"))

    def _control(self, element: Element) -> None:
        for inside in element.iterfind(CONTROL_CONTENT):
            self._children(inside)

    def _alternatives(self, element: Element) -> None:
        """In a run the alternatives are drawings, or words in two encodings; between runs, runs."""
        found = drawn(element)
        if found:
            self._line.asides += found
            return
        branch = alternative(element)
        for child in () if branch is None else branch:
            handler = _HANDLERS.get(child.tag)
            if handler:
                handler(self, child)
            else:
                self._run_child(child, "")

    def _hyperlink(self, element: Element) -> None:
        relation = self._relations.get(element.get(f"{RELATIONS}id", ""))
        anchor = element.get(f"{W}anchor", "")
        target = (relation.target if relation else "") + (f"#{anchor}" if anchor else "")
        start = self._line.length
        self._children(element)
        self._line.link(start, target)

    def _simple_field(self, element: Element) -> None:
        simple = Field(start=self._line.length, instruction=element.get(f"{W}instr", ""))
        simple.show(drops_page_numbers=self._drops_page_numbers)
        self._fields.append(simple)
        self._children(element)
        self._end_field()

    def _field_mark(self, mark: Element) -> None:
        kind = mark.get(f"{W}fldCharType")
        if kind == "begin":
            form = mark.find(f"{W}ffData")
            if form is not None and not self._is_silent:
                self._line.write(checked_box(form) + chosen_entry(form))
            self._fields.append(Field(start=self._line.length, in_instruction=True))
        elif kind == "separate" and self._fields:
            self._fields[-1].show(drops_page_numbers=self._drops_page_numbers)
            self._fields[-1].start = self._line.length
        elif kind == "end" and self._fields:
            self._end_field()

    def _end_field(self) -> None:
        ended = self._fields.pop()
        if not self._is_silent:
            if ended.in_instruction:
                self._line.write(ended.shown_without_result)
            self._line.link(ended.start, ended.target)

    def _note_reference(self, element: Element, name: str) -> None:
        kind = "footnote" if name == "footnoteReference" else "endnote"
        note = element.get(f"{W}id", "")
        has_own_mark = element.get(f"{W}customMarkFollows", "0") in ("1", "true", "on")
        self._line.write("" if has_own_mark else self._marks.mark(kind, note))
        self._line.asides.append(Aside("footnote" if kind == "footnote" else "endnote", note))

    def _formula(self, element: Element) -> None:
        if not self._is_silent:
            self._line.write(linear_math(element))

    def _ruby(self, element: Element) -> None:
        """Words, and how they are pronounced in parentheses."""
        for base in element.iterfind(f"{W}rubyBase"):
            self._children(base)
        guide = "".join(text.text or "" for text in element.iterfind(f"{W}rt/{W}r/{W}t"))
        if guide and not self._is_silent:
            self._line.write(f"({guide})")


_HANDLERS: dict[str, Callable[[TextReader, Element], None]] = {
    f"{W}r": TextReader._run,
    f"{W}hyperlink": TextReader._hyperlink,
    f"{W}fldSimple": TextReader._simple_field,
    f"{W}ruby": TextReader._ruby,
    CONTENT_CONTROL: TextReader._control,
    ALTERNATE: TextReader._alternatives,
    **dict.fromkeys((f"{M}oMath", f"{M}oMathPara"), TextReader._formula),
    **dict.fromkeys(WRAPPERS, TextReader._children),
    **dict.fromkeys(DELETIONS, TextReader._deletion),
}
_WRITTEN = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}


def _symbol(element: Element) -> str:
    try:
        return symbol(int(element.get(f"{W}char", "") or "0", 16), element.get(f"{W}font", ""))
    except ValueError:
        return ""
