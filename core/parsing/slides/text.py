"""Text bodies of slides (DrawingML, ECMA-376 part 1, 21.1.2) as pieces: paragraphs, lists, links and tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from core.parsing.flow import Item, Piece, TableCell, Words
from core.parsing.inline import joined, safe_target
from core.parsing.ooxml.math import linear_math
from core.parsing.ooxml.package import RELATIONS, Element, whole
from core.parsing.word.numbering import number_as
from core.parsing.word.symbols import in_font, symbol
from core.parsing.word.xml import ALTERNATE, alternative
from core.types import BlockKind

Address = Callable[[str], str]  # a relation's id to the address outside it leads to, "" for none
_MAX_LEVEL = 8
_MAX_CELLS = 200_000


def body_pieces(body: Element, styles: Sequence[Element], address: Address, target: str = "") -> list[Piece]:
    """A shape's paragraphs; those with bullets or numbers, as far as they follow each other, as one list.

    ``styles``: holders of ``a:lvl1pPr`` ... that the body inherits from, nearest first. ``target``: where a click on
    the whole shape leads.
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
    """A whole text body as lines, list markers before theirs: for titles, cells, notes and comments."""
    return joined(
        [
            joined([Words(f"{marker} "), words], "") if marker else words
            for marker, words, _ in _items(body, styles, address, target)
        ],
        "\n",
    )


def paragraph_words(paragraph: Element, address: Address, target: str = "") -> Words:
    """The runs, breaks, fields and formulas of an ``a:p``."""
    parts: list[str] = []
    links: list[tuple[int, int, str]] = []
    place = 0
    for text, own_target in _runs(paragraph, address):
        leads = own_target or target
        if leads and text:
            start = place
            if links and links[-1][1] == place and links[-1][2] == leads:
                start = links.pop()[0]
            links.append((start, place + len(text), leads))
        parts.append(text)
        place += len(text)
    return Words("".join(parts), tuple(links))


def letter_size(body: Element) -> float:
    """The size of most letters of a body in points, 0 where neither its runs nor its own styles say it."""
    sizes: Counter[int] = Counter()
    own = body.find("{*}lstStyle/{*}lvl1pPr/{*}defRPr")
    usual = 0 if own is None else whole(own.get("sz"), 0)
    for run in body.iterfind("{*}p/{*}r"):
        properties = run.find("{*}rPr")
        sizes[whole(None if properties is None else properties.get("sz"), usual)] += len(_text(run).strip())
    return max(sizes, key=lambda size: (sizes[size], size), default=0) / 100


def is_slide_number(body: Element) -> bool:
    """Whether a text body shows nothing but the number of its slide."""
    numbers = sum(len(_text(field)) for field in body.iterfind("{*}p/{*}fld") if _counts_slides(field))
    return numbers > 0 and numbers == sum(len(_text(run)) for run in body.iterfind("{*}p/*"))


def table_piece(table: Element, styles: Sequence[Element], address: Address) -> Piece:
    """An ``a:tbl``. Its header is the first row where the table says so, and what stands under merged cells of it."""
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
    """Rows go on being a header under a merged cell, as long as the corner on their left stays empty or is merged."""
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
    """Of every paragraph with words: its marker (``None``: no list item), its words and its level."""
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
    """Texts of a paragraph, and where a click on each leads."""
    for child in holder:
        name = child.tag.rpartition("}")[2]
        if name in ("r", "fld"):
            properties = child.find("{*}rPr")
            click = None if properties is None else properties.find("{*}hlinkClick")
            yield _seen(_text(child), properties), clicked(click, address)
        elif name == "br":
            yield "\n", ""
        elif name == "m":
            yield linear_math(child), ""
        elif child.tag == ALTERNATE and (branch := alternative(child)) is not None:
            yield from _runs(branch, address)


def _seen(text: str, properties: Element | None) -> str:
    """A run's text with signs of symbol fonts as Unicode."""
    fonts = {} if properties is None else {child.tag.rpartition("}")[2]: child for child in properties}
    typed, signs = (fonts[name].get("typeface", "") if name in fonts else "" for name in ("latin", "sym"))
    # PowerPoint's own arrows ("-->") are a letter alone in a run, its sign font the only hint; among words a sign font
    # draws nothing but the private characters.
    if signs and len(text.strip()) == 1 and not text.isascii():
        return in_font(text, signs)
    if signs:
        text = "".join(in_font(char, signs) if "\uf020" <= char <= "\uf0ff" else char for char in text)
    return in_font(text, typed)


def clicked(click: Element | None, address: Address) -> str:
    """Where an ``a:hlinkClick`` leads outside the presentation, "" for anywhere else."""
    return "" if click is None else safe_target(address(click.get(f"{RELATIONS}id", "")))


def _text(element: Element) -> str:
    return "".join(part.text or "" for part in element.iter("{*}t"))


def _counts_slides(field: Element) -> bool:
    return bool(field.get("type", "").startswith("slidenum"))


_CHOICES = ("buNone", "buAutoNum", "buChar", "buBlip")
_MEANINGFUL = "✓✔✗✘☐☑☒★☆➔→←↑↓"  # bullets that say something; all others are dashes
_MAX_START = 32_767
# Longest first: the names are put together as "alphaLc" + "ParenBoth".
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
    """Counts the paragraphs of one text body."""

    def __init__(self) -> None:
        self._counts: dict[int, tuple[str, int]] = {}  # by level: the kind of number that runs there, and how far

    def marker(self, bullet: Element | None, font: str, level: int) -> str | None:
        """What stands before the next paragraph, which has words; ``None`` where it is no list item.

        A run of numbers goes on over deeper levels and ends with any other paragraph of its own or a higher one.
        """
        for deeper in [other for other in self._counts if other > level]:
            del self._counts[deeper]
        kind = _local(bullet)
        if bullet is None or kind != "buAutoNum":
            self._counts.pop(level, None)
            if kind == "buChar":
                return _shown(bullet.get("char", "") if bullet is not None else "", font)
            return "-" if kind == "buBlip" else None
        form, start = bullet.get("type", "arabicPeriod"), min(_MAX_START, whole(bullet.get("startAt"), 1))
        running = f"{form} {start}"
        before, count = self._counts.get(level, ("", 0))
        count = count + 1 if before == running else start
        self._counts[level] = (running, count)
        return auto_number(form, count)


def bullet_of(properties: Sequence[Element | None]) -> tuple[Element | None, str]:
    """The bullet that holds and its font, of paragraph properties from the paragraph's own to the master's."""
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
    """A number as PowerPoint writes it, by its name for the form; unknown forms are decimal.

    >>> [auto_number(f, 4) for f in ("arabicPeriod", "alphaUcParenR", "romanLcParenBoth", "circleNumWdBlackPlain")]
    ['4.', 'D)', '(iv)', '④']
    """
    name = next((name for start, name in _FORMS if form.startswith(start)), "decimal")
    frame = next((frame for end, frame in _CLOSINGS if form.endswith(end)), "{}")
    return frame.format(number_as(name, count))


def _shown(char: str, font: str) -> str | None:
    """The dash that stands for a bullet, or the bullet itself where it says something; ``None`` for no bullet."""
    if not char:
        return None
    seen = symbol(ord(char[0]), font) if len(char) == 1 else char
    return seen if seen and seen in _MEANINGFUL else "-"


def _local(element: Element | None) -> str:
    return "" if element is None or not isinstance(element.tag, str) else str(element.tag).rpartition("}")[2]
