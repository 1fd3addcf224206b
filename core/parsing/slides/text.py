"""Reads text bodies of slides (DrawingML, ECMA-376 part 1, 21.1.2) as pieces: paragraphs, lists, links and tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from core.parsing.flow import Item, Piece, TableCell, Words
from core.parsing.inline import headed, joined, safe_target
from core.parsing.ooxml.math import linear_math
from core.parsing.ooxml.package import RELATIONS, Element, whole
from core.parsing.word.numbering import number_as
from core.parsing.word.symbols import in_font, symbol
from core.parsing.word.xml import ALTERNATE, alternative
from core.types import BlockKind

Address = Callable[[str], str]  # from a relation's id to its external address, "" for none
_MAX_LEVEL = 8
_MAX_CELLS = 200_000


def body_pieces(body: Element, styles: Sequence[Element], address: Address, target: str = "") -> list[Piece]:
    """A shape's paragraphs; adjacent ones with bullets or numbers become one list.

    ``styles``: elements with ``a:lvl1pPr`` ... from which the body inherits, nearest first. ``target``: the link of the
    whole shape, "" for none.
    """
    items = list(_items(body, styles, address, target))
    pieces: list[Piece] = []
    for is_list, run in groupby(items, key=lambda item: item[0] is not None):
        if is_list:
            listed = tuple(Item(words, marker or "", level) for marker, words, level in run)
            pieces.append(Piece(BlockKind.LIST, items=listed))
        else:
            pieces += [Piece(BlockKind.PARAGRAPH, words) for _, words, _ in run]
    return pieces


def body_words(body: Element, styles: Sequence[Element], address: Address, target: str = "") -> Words:
    """A text body as lines with their list markers: for titles, cells, notes and comments."""
    items = _items(body, styles, address, target)
    return joined([headed(f"{marker} " if marker else "", words) for marker, words, _ in items], "\n")


def paragraph_words(paragraph: Element, address: Address, target: str = "") -> Words:
    """The inline text of an ``a:p``: runs, breaks, fields and formulas."""
    parts: list[str] = []
    links: list[tuple[int, int, str]] = []
    offset = 0
    for text, own_target in _runs(paragraph, address):
        link = own_target or target
        if link and text:
            start = offset
            if links and links[-1][1] == offset and links[-1][2] == link:
                start = links.pop()[0]
            links.append((start, offset + len(text), link))
        parts.append(text)
        offset += len(text)
    return Words("".join(parts), tuple(links))


def letter_size(body: Element, lines: slice = slice(None)) -> float:
    """The type size of most letters of a body in points, 0 where neither its runs nor its styles state it.

    ``lines``: which of its paragraphs with words count.
    """
    sizes: Counter[int] = Counter()
    own = body.find("{*}lstStyle/{*}lvl1pPr/{*}defRPr")
    usual = 0 if own is None else whole(own.get("sz"), 0)
    worded = [line for line in body.iterfind("{*}p") if any(_text(run).strip() for run in line.iterfind("{*}r"))]
    for run in (run for line in worded[lines] for run in line.iterfind("{*}r")):
        properties = run.find("{*}rPr")
        sizes[whole(None if properties is None else properties.get("sz"), usual)] += len(_text(run).strip())
    return max(sizes, key=lambda size: (sizes[size], size), default=0) / 100


def is_slide_number(body: Element) -> bool:
    """Whether a text body is only the number of its slide."""
    numbers = sum(len(_text(field)) for field in body.iterfind("{*}p/{*}fld") if _counts_slides(field))
    return numbers > 0 and numbers == sum(len(_text(run)) for run in body.iterfind("{*}p/*"))


def table_piece(table: Element, styles: Sequence[Element], address: Address) -> Piece:
    """An ``a:tbl`` as a piece. Its header is the first row, if stated, and rows below merged cells of it."""
    lines = list(table.iterfind("{*}tr"))
    sources = [list(line.iterfind("{*}tc")) for line in lines]
    width = min(max((len(row) for row in sources), default=0), _MAX_CELLS // max(1, len(lines)))
    rows = [[Words("")] * width for _ in sources]
    merged: set[tuple[int, int]] = set()
    for top, row in enumerate(sources):
        for left, cell in enumerate(row[:width]):
            if (top, left) in merged:
                continue
            body = cell.find("{*}txBody")
            words = Words("") if body is None else body_words(body, styles, address)
            for line in range(top, min(len(rows), top + _span(cell, "rowSpan"))):
                for column in range(left, min(width, left + _span(cell, "gridSpan"))):
                    rows[line][column] = words
                    merged.add((line, column))
    properties = table.find("{*}tblPr")
    is_headed = properties is not None and properties.get("firstRow", "0") in ("1", "true")
    cells = tuple(tuple(TableCell(words) for words in row) for row in rows)
    return Piece(BlockKind.TABLE, rows=cells, header_rows=_header_rows(sources) if is_headed else 0)


def _header_rows(rows: Sequence[Sequence[Element]]) -> int:
    """The number of header rows: a row below a merged cell is one too, if its first cell is empty or merged."""
    count = min(1, len(rows))
    while (
        count < len(rows) - 1
        and any(_span(cell, "gridSpan") > 1 for cell in rows[count - 1][1:])
        and rows[count]
        and (rows[count][0].get("vMerge", "0") in ("1", "true") or not _text(rows[count][0]).strip())
    ):
        count += 1
    return count


def _span(cell: Element, name: str) -> int:
    return max(1, whole(cell.get(name), 1))


def _items(
    body: Element, styles: Sequence[Element], address: Address, target: str
) -> Iterator[tuple[str | None, Words, int]]:
    """For every paragraph with text: its marker (``None``: no list item), its inline text and its level."""
    numbering = Numbering()
    holders = [own, *styles] if (own := body.find("{*}lstStyle")) is not None else styles
    for paragraph in body.iterfind("{*}p"):
        words = paragraph_words(paragraph, address, target)
        if not words.text.strip():
            continue
        properties = paragraph.find("{*}pPr")
        level = min(_MAX_LEVEL, whole(None if properties is None else properties.get("lvl"), 0))
        levels = [holder.find(f"{{*}}lvl{level + 1}pPr") for holder in holders]
        marker = numbering.marker(*bullet_of([properties, *levels]), level)
        yield marker, words, level


def _runs(holder: Element, address: Address) -> Iterator[tuple[str, str]]:
    """The texts of a paragraph, each with its link target."""
    for child in holder:
        name = child.tag.rpartition("}")[2]
        if name in ("r", "fld"):
            properties = child.find("{*}rPr")
            click = None if properties is None else properties.find("{*}hlinkClick")
            yield _unicode_text(_text(child), properties), clicked(click, address)
        elif name == "br":
            yield "\n", ""
        elif name == "m":
            yield linear_math(child), ""
        elif child.tag == ALTERNATE and (branch := alternative(child)) is not None:
            yield from _runs(branch, address)


def _unicode_text(text: str, properties: Element | None) -> str:
    """A run's text, with characters of symbol fonts as Unicode."""
    fonts = {} if properties is None else {child.tag.rpartition("}")[2]: child for child in properties}
    typed, signs = (fonts[name].get("typeface", "") if name in fonts else "" for name in ("latin", "sym"))
    # PowerPoint's own arrows ("-->") are single letters in a symbol font. In longer runs only private characters are
    # displayed in the symbol font.
    if signs and len(text.strip()) == 1 and not text.isascii():
        return in_font(text, signs)
    if signs:
        text = "".join(in_font(char, signs) if "\uf020" <= char <= "\uf0ff" else char for char in text)
    return in_font(text, typed)


def clicked(click: Element | None, address: Address) -> str:
    """The external target of an ``a:hlinkClick``, "" for others."""
    return "" if click is None else safe_target(address(click.get(f"{RELATIONS}id", "")))


def _text(element: Element) -> str:
    return "".join(part.text or "" for part in element.iter("{*}t"))


def _counts_slides(field: Element) -> bool:
    return bool(field.get("type", "").startswith("slidenum"))


_CHOICES = ("buNone", "buAutoNum", "buChar", "buBlip")
_MEANINGFUL = "✓✔✗✘☐☑☒★☆➔→←↑↓"  # bullets that are kept; all others become dashes
_MAX_START = 32_767
# Prefixes of the names, which are composed as "alphaLc" + "ParenBoth"; the longest come first.
_FORMS = (
    ("circleNum", "decimalEnclosedCircle"),
    ("alphaLc", "lowerLetter"),
    ("alphaUc", "upperLetter"),
    ("romanLc", "lowerRoman"),
    ("romanUc", "upperRoman"),
    ("arabic1Minus", "arabicAlpha"),
    ("hebrew", "hebrew2"),
    ("ea1", "chineseCounting"),
)
_CLOSINGS = (("ParenBoth", "({})"), ("ParenR", "{})"), ("Period", "{}."), ("Minus", "{}-"))


class Numbering:
    """Counts the numbered paragraphs of one text body."""

    def __init__(self) -> None:
        self._counts: dict[int, tuple[str, int]] = {}  # by level: the current number format, and its count

    def marker(self, bullet: Element | None, font: str, level: int) -> str | None:
        """The marker of the next paragraph that has text; ``None`` if it is no list item.

        Numbers continue across paragraphs of deeper levels, and restart after another paragraph of the same or a higher
        level.
        """
        for deeper in [other for other in self._counts if other > level]:
            del self._counts[deeper]
        kind = _local(bullet)
        if bullet is None or kind != "buAutoNum":
            self._counts.pop(level, None)
            if kind == "buChar":
                return _bullet_marker(bullet.get("char", "") if bullet is not None else "", font)
            return "-" if kind == "buBlip" else None
        form, start = bullet.get("type", "arabicPeriod"), min(_MAX_START, whole(bullet.get("startAt"), 1))
        running = f"{form} {start}"
        before, count = self._counts.get(level, ("", 0))
        count = count + 1 if before == running else start
        self._counts[level] = (running, count)
        return auto_number(form, count)


def bullet_of(properties: Sequence[Element | None]) -> tuple[Element | None, str]:
    """The effective bullet and its font. ``properties``: from the paragraph's own to the master's."""
    bullet, font = None, ""
    for level in properties:
        for child in () if level is None else level:
            name = _local(child)
            if bullet is None and name in _CHOICES:
                bullet = child
            elif not font and name == "buFont":
                font = child.get("typeface", "")
    return bullet, font


def auto_number(form: str, count: int) -> str:
    """A number in a format of PowerPoint. ``form``: the format's name; unknown ones are decimal.

    >>> [auto_number(f, 4) for f in ("arabicPeriod", "alphaUcParenR", "romanLcParenBoth", "circleNumWdBlackPlain")]
    ['4.', 'D)', '(iv)', '④']
    """
    name = next((name for start, name in _FORMS if form.startswith(start)), "decimal")
    frame = next((frame for end, frame in _CLOSINGS if form.endswith(end)), "{}")
    return frame.format(number_as(name, count))


def _bullet_marker(char: str, font: str) -> str | None:
    """A bullet as a marker: itself if it is a meaningful symbol, else a dash; ``None`` for no bullet."""
    if not char:
        return None
    displayed = symbol(ord(char[0]), font) if len(char) == 1 else char
    return displayed if displayed and displayed in _MEANINGFUL else "-"


def _local(element: Element | None) -> str:
    return "" if element is None or not isinstance(element.tag, str) else str(element.tag).rpartition("}")[2]
