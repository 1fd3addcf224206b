"""Reads the runs of a paragraph as inline text: fields, links, marks of notes, symbols, formulas, anchored drawings."""

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
    """An open field. ``start``: the offset of its result in the current paragraph.

    ``target``: of a HYPERLINK. ``is_dropped``: its result is a page number that is left out.
    """

    start: int
    instruction: str = ""
    in_instruction: bool = False
    target: str = ""
    is_dropped: bool = False

    def end_instruction(self, *, drops_page_numbers: bool) -> None:
        """Interpret the complete instruction; the result follows."""
        self.in_instruction = False
        name = self.instruction.split(maxsplit=1)[0].upper() if self.instruction.split() else ""
        self.target = link_target(self.instruction) if name == "HYPERLINK" else ""
        self.is_dropped = drops_page_numbers and name in _PAGE_NUMBERS

    @property
    def instruction_text(self) -> str:
        """The text that a field without a result shows: that of a MACROBUTTON is in its instruction; else ""."""
        words = self.instruction.split(maxsplit=2)
        return words[2].strip() if len(words) == 3 and words[0].upper() == "MACROBUTTON" else ""


def link_target(instruction: str) -> str:
    """The address of a HYPERLINK field; a bookmark in the document is "#name".

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
    """The sign of a form's check box, "" for other fields. ``form``: ``w:ffData``."""
    box = form.find(f"{W}checkBox")
    if box is None:
        return ""
    state = switch(box, "checked")
    return "☒" if (switch(box, "default") if state is None else state) else "☐"


def chosen_entry(form: Element) -> str:
    """The selected entry of a form's drop-down list, "" for other fields. ``form``: ``w:ffData``."""
    choices = form.find(f"{W}ddList")
    entries = [] if choices is None else [entry.get(f"{W}val", "") for entry in choices.iterfind(f"{W}listEntry")]
    index = number(choices, "result") or number(choices, "default") or 0
    return entries[index] if 0 <= index < len(entries) else ""


_NO_STYLE = Style()
_ALMOST_ALL = 0.9  # of the visible characters
_RUN_PROPERTIES = f"{W}rPr"
_NORMALISED = str.maketrans({"\u00ad": None, "\n": " ", "\r": " ", "\t": " "})


@dataclass(slots=True)
class Line:
    """A paragraph's text under construction.

    ``visible``, ``monospaced``, ``bold``: the number of non-blank characters, and of those in such type. ``looks``: the
    number of characters by look; underlined text counts as bold there.
    """

    parts: list[str] = field(default_factory=list)
    length: int = 0
    links: list[tuple[int, int, str]] = field(default_factory=list)
    asides: list[Aside] = field(default_factory=list)
    monospaced: int = 0
    bold: int = 0
    visible: int = 0
    looks: Counter[Look] = field(default_factory=Counter)

    def write(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)

    def link(self, start: int, target: str) -> None:
        """Link the text from ``start`` to the end to ``target``, "" for none."""
        if target and start < self.length:
            self.links.append((start, self.length, target))

    @property
    def look(self) -> Look:
        """The look of the line: the size of most of it; bold or italic if almost all of it is."""
        if not self.looks:
            return PLAIN_LOOK
        size = max(self.looks, key=lambda look: (self.looks[look], look)).size
        bold = sum(count for look, count in self.looks.items() if look.bold)
        italic = sum(count for look, count in self.looks.items() if look.italic)
        return Look(size, self.is_most(bold), self.is_most(italic))

    def is_most(self, characters: int) -> bool:
        """Whether so many characters are almost all visible ones of the line."""
        return self.visible > 0 and characters >= _ALMOST_ALL * self.visible

    @property
    def words(self) -> Words:
        ordered = sorted(self.links, key=lambda link: (link[0], -link[1]))
        return Words("".join(self.parts), tuple(ordered))


@dataclass(slots=True)
class LeftOut:
    """What is in the file and was left out of the text, for a note: numbers of words, and names of embedded files."""

    hidden: int = 0
    deleted: int = 0
    unread: list[str] = field(default_factory=list)


class TextReader:
    """Reads the paragraphs of one story: the body, a header, a note or a text box. Fields may span paragraphs.

    ``relations``: of the story's part. ``drops_page_numbers``: whether page numbers are left out, as in headers.
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
        """The text of a ``w:p``, appended to ``line`` where it continues one."""
        self._line = Line() if line is None else line
        self._style = style
        for open_field in self._fields:
            open_field.start = self._line.length
        self._children(element)
        for open_field in self._fields:
            # An instruction without an end in its paragraph is damaged: the text that follows is read anyway.
            open_field.in_instruction = False
            self._line.link(open_field.start, open_field.target)
        return self._line

    def formula(self, element: Element) -> Line:
        """A formula outside of paragraphs."""
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
        """Whether text is skipped: in a field's instruction, or in a page number that is left out."""
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
            next((one for one in settings if one is not None), False)
            for settings in (
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
        visible = sum(len("".join(part.split())) for part in line.parts[first:])
        line.visible += visible
        line.bold += visible if bold else 0
        if visible:
            size = looks.size or named.size or self._style.size or self._styles.default_size
            line.looks[Look(size, bold or underlined, italic)] += visible
        line.monospaced += visible if is_monospaced(font) else 0

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
            self._line.write(in_font((child.text or "").translate(_NORMALISED), font))
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
        """Read a hidden run: fields begin and end in it, but its words are only counted."""
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
        """Read an ``mc:AlternateContent``: in a run, of drawings or of text; between runs, of runs."""
        asides = drawn(element)
        if asides:
            self._line.asides += asides
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
        simple.end_instruction(drops_page_numbers=self._drops_page_numbers)
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
            self._fields[-1].end_instruction(drops_page_numbers=self._drops_page_numbers)
            self._fields[-1].start = self._line.length
        elif kind == "end" and self._fields:
            self._end_field()

    def _end_field(self) -> None:
        ended = self._fields.pop()
        if not self._is_silent:
            if ended.in_instruction:
                self._line.write(ended.instruction_text)
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
        """Write ruby text with its pronunciation in parentheses."""
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
