"""Fields of a Word document: what their instruction says of the result that is shown."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.parsing.docx_xml import W, number, switch
from core.parsing.ooxml import Element

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
