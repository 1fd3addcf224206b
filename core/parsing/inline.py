"""Inline flow: words and links as they gather until a block ends them, and which pictures' words are worth having."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from core.parsing.flow import Piece, Words
from core.types import BlockKind

_RUNS_SOMETHING = frozenset({"javascript", "vbscript", "data", "blob"})
_MACHINE_TAIL = re.compile(
    r" ?(?:description automatically generated(?: with (?:very )?(?:low|medium|high) confidence)?"
    r"|automatisch generierte beschreibung"
    r"|description générée automatiquement|descripción generada automáticamente|descrizione generata automaticamente"
    r"|AI[- ]generated content may be incorrect|KI[- ]generierte Inhalte können fehlerhaft sein)\.?",
    re.IGNORECASE,
)
_FILE = re.compile(r"\.(?:png|jpe?g|gif|bmp|tiff?|svg|emf|wmf|webp|heic|avif|ico|eps|pdf)$", re.IGNORECASE)
_ADDRESS = re.compile(r"^(?:https?|cid|file):|[\\/].*[\\/.]", re.IGNORECASE)
_SAYS_NOTHING = re.compile(
    r"(?:an? )?(?:image|picture|grafik|bild|photo|img|figure|abbildung|graphic|object|logo|screenshot|icon|shape|"
    r"text ?box|rectangle|diagram|diagramm|chart|spacer|thumbnail|alt|untitled|placeholder|null|undefined)[\s\d.:_#-]*"
    r"|https?://\S*|[\W\d_]*",
    re.IGNORECASE,
)


class Inline:
    """Text on its way into one block. A link that is open when a block ends goes on in the next one."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._links: list[tuple[int, int, str]] = []
        self._target = ""
        self._target_from = 0
        self._break_before = False

    def add(self, text: str) -> None:
        if text:
            self._parts.append(text)
            self._length += len(text)
            self._break_before = self._break_before and text.isspace()

    def line_break(self) -> bool:
        """End the line. True when the line before it is empty: for whoever reads the page, a paragraph ends there."""
        again = self._break_before
        self.add("\n")
        self._break_before = True
        return again

    def open_link(self, target: str) -> None:
        """The words from here on lead to ``target``; "" leads nowhere."""
        self.close_link()
        self._target, self._target_from = target, self._length

    def close_link(self) -> None:
        if self._target and self._length > self._target_from:
            self._links.append((self._target_from, self._length, self._target))
        self._target = ""

    def take(self) -> Words | None:
        """What has gathered, which is then gone; ``None`` when it is blank."""
        target = self._target
        self.close_link()
        words = Words("".join(self._parts), tuple(self._links))
        self._parts, self._length, self._links, self._break_before = [], 0, [], False
        self._target, self._target_from = target, 0
        return words if words.text.strip() else None

    @property
    def target(self) -> str:
        """Where the words now being added lead, "" for nowhere."""
        return self._target


def safe_target(address: str) -> str:
    """A link's target as it is written, "" for none and for what would run something.

    >>> safe_target(" ../a.html#b "), safe_target("JavaScript:go()")
    ('../a.html#b', '')
    """
    address = "".join(char for char in address.strip() if char.isprintable())
    try:
        scheme = urlsplit(address).scheme
    except ValueError:  # brackets that are no IPv6 address
        scheme = address.partition(":")[0]
    return "" if scheme.lower() in _RUNS_SOMETHING else address


def description(text: str | None) -> str:
    """Alternative text when it says something, "" for a file's name, a shape's or a machine's remark.

    >>> description("A lake\\n\\nDescription automatically generated"), description("image3.png"), description("Bild 2")
    ('A lake', '', '')
    """
    stated = _MACHINE_TAIL.sub("", " ".join((text or "").split())).strip()
    is_name = bool(_FILE.search(stated)) or (" " not in stated and bool(_ADDRESS.search(stated)))
    return "" if is_name or _SAYS_NOTHING.fullmatch(stated) else stated


def says_something(alternative: str) -> bool:
    """Whether a picture's alternative text tells a reader more than that there is a picture.

    >>> [says_something(text) for text in ("A duck on a pond", "IMG_0042.JPG", "Image 3", "*")]
    [True, False, False, False]
    """
    return bool(description(alternative))


def stands_beside(alternative: str, words: str) -> bool:
    """Whether ``words`` say what the alternative text says, white space and letter case aside.

    >>> stands_beside("A  Duck", "Figure 2: a duck.")
    True
    """
    return " ".join(alternative.split()).casefold() in " ".join(words.split()).casefold()


def linked(text: str, target: str) -> Words:
    """Words that all lead to ``target``; "" leads nowhere."""
    return Words(text, ((0, len(text), target),) if target else ())


def joined(parts: Sequence[Words], between: str) -> Words:
    """Parts as one, ``between`` between them, the links moved along.

    >>> joined([Words("see"), Words("it", ((0, 2, "x"),))], " ")
    Words(text='see it', links=((4, 6, 'x'),))
    """
    if len(parts) == 1:
        return parts[0]
    links: list[tuple[int, int, str]] = []
    place = 0
    for part in parts:
        links += [(start + place, end + place, target) for start, end, target in part.links]
        place += len(part.text) + len(between)
    return Words(between.join(part.text for part in parts), tuple(links))


def headed(head: str, words: Words) -> Words:
    """``head`` directly before the words.

    >>> headed("1. ", Words("go", ((0, 2, "#x"),)))
    Words(text='1. go', links=((3, 5, '#x'),))
    """
    return joined([Words(head), words], "") if head else words


def comment_head(author: str, when: str, place: str = "", kind: str = "Comment") -> str:
    """What stands before a comment's words. ``place``: what it is on; ``kind``: "Reply" for one.

    >>> comment_head("Jane Smith", "2026-06-18", "B4"), comment_head("", "", kind="Reply")
    ('Comment by Jane Smith, 2026-06-18, on B4: ', 'Reply: ')
    """
    author = " ".join(author.split())
    by = f" by {author}" if author else ""
    on = f", {when}" if when else ""
    at = f"{',' if when else ''} on {place}" if place else ""
    return f"{kind}{by}{on}{at}: "


def flat(pieces: Iterable[Piece]) -> Words:
    """All words of pieces in their order, a line each item, row and paragraph; list markers kept."""
    return joined([line for piece in pieces for line in _lines(piece) if line.text.strip()], "\n")


def _lines(piece: Piece) -> Iterable[Words]:
    if piece.kind is BlockKind.LIST:
        for item in piece.items:
            if item.words.text.strip():
                yield headed(f"{item.marker} " if item.marker else "", item.words)
    elif piece.kind is BlockKind.TABLE:
        for row in piece.rows:
            yield joined([cell.words for cell in row if cell.words.text.strip()], " ")
    else:
        yield piece.words


def hidden_note(words: int) -> tuple[str, ...]:
    """The note on words that a file holds and does not show.

    >>> hidden_note(1), hidden_note(0)
    (('Hidden text was left out: 1 word.',), ())
    """
    return (f"Hidden text was left out: {words:,} word{'s' if words > 1 else ''}.",) if words else ()
