"""Inline text: collecting words and links into a block, joining ``Words``, and filtering pictures' descriptions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from core.parsing.flow import Piece, Words
from core.text.values.numerals import counted
from core.types import BlockKind

_SCRIPT_SCHEMES = frozenset({"javascript", "vbscript", "data", "blob"})
_MACHINE_TAIL = re.compile(
    r" ?(?:description automatically generated(?: with (?:very )?(?:low|medium|high) confidence)?"
    r"|automatisch generierte beschreibung"
    r"|description générée automatiquement|descripción generada automáticamente|descrizione generata automaticamente"
    r"|AI[- ]generated content may be incorrect|KI[- ]generierte Inhalte können fehlerhaft sein)\.?",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(r"\.(?:png|jpe?g|gif|bmp|tiff?|svg|emf|wmf|webp|heic|avif|ico|eps|pdf)$", re.IGNORECASE)
_ADDRESS = re.compile(r"^(?:https?|cid|file):|[\\/].*[\\/.]", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"(?:an? )?(?:image|picture|grafik|bild|photo|img|figure|abbildung|graphic|object|logo|screenshot|icon|shape|"
    r"text ?box|rectangle|diagram|diagramm|chart|spacer|thumbnail|alt|untitled|placeholder|null|undefined)[\s\d.:_#-]*"
    r"|https?://\S*|[\W\d_]*",
    re.IGNORECASE,
)


class Inline:
    """Collects the text of one block after the other. A link that is open when a block ends continues in the next."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._links: list[tuple[int, int, str]] = []
        self._target = ""
        self._target_start = 0
        self._ends_with_break = False

    def add(self, text: str) -> None:
        if text:
            self._parts.append(text)
            self._length += len(text)
            self._ends_with_break = self._ends_with_break and text.isspace()

    def line_break(self) -> bool:
        """End the line. True if the line is empty: two breaks in a row look like the end of a paragraph."""
        line_is_empty = self._ends_with_break
        self.add("\n")
        self._ends_with_break = True
        return line_is_empty

    def open_link(self, target: str) -> None:
        """Link the text added from here on to ``target``, "" for none. Closes the link that is open."""
        self.close_link()
        self._target, self._target_start = target, self._length

    def close_link(self) -> None:
        if self._target and self._length > self._target_start:
            self._links.append((self._target_start, self._length, self._target))
        self._target = ""

    def take(self) -> Words | None:
        """The collected text, ``None`` if it is blank. The collector is empty afterwards; an open link stays open."""
        target = self._target
        self.close_link()
        words = Words("".join(self._parts), tuple(self._links))
        self._parts, self._length, self._links, self._ends_with_break = [], 0, [], False
        self._target, self._target_start = target, 0
        return words if words.text.strip() else None

    @property
    def target(self) -> str:
        """The target of the open link, "" for none."""
        return self._target


def safe_target(address: str) -> str:
    """A link's target as it is written; "" for none and for schemes that run code or embed data.

    >>> safe_target(" ../a.html#b "), safe_target("JavaScript:go()")
    ('../a.html#b', '')
    """
    address = "".join(char for char in address.strip() if char.isprintable())
    try:
        scheme = urlsplit(address).scheme
    except ValueError:  # brackets that are no IPv6 address
        scheme = address.partition(":")[0]
    return "" if scheme.lower() in _SCRIPT_SCHEMES else address


def description(text: str | None) -> str:
    """A picture's alternative text without remarks of programs; "" for a file name, address or placeholder.

    >>> description("A lake\\n\\nDescription automatically generated"), description("image3.png"), description("Bild 2")
    ('A lake', '', '')
    >>> description("*"), description("https://a.test/duck")
    ('', '')
    """
    stated = _MACHINE_TAIL.sub("", " ".join((text or "").split())).strip()
    is_name = bool(_FILE_NAME.search(stated)) or (" " not in stated and bool(_ADDRESS.search(stated)))
    return "" if is_name or _PLACEHOLDER.fullmatch(stated) else stated


def is_repeated_in(alternative: str, words: str) -> bool:
    """Whether ``words`` contain the alternative text, ignoring white space and case.

    >>> is_repeated_in("A  Duck", "Figure 2: a duck.")
    True
    """
    return " ".join(alternative.split()).casefold() in " ".join(words.split()).casefold()


def linked(text: str, target: str) -> Words:
    """``text`` as one link to ``target``; without a link where ``target`` is ""."""
    return Words(text, ((0, len(text), target),) if target else ())


def joined(parts: Sequence[Words], between: str) -> Words:
    """The parts joined by ``between``, their links moved along.

    >>> joined([Words("see"), Words("it", ((0, 2, "x"),))], " ")
    Words(text='see it', links=((4, 6, 'x'),))
    """
    if len(parts) == 1:
        return parts[0]
    links: list[tuple[int, int, str]] = []
    offset = 0
    for part in parts:
        links += [(start + offset, end + offset, target) for start, end, target in part.links]
        offset += len(part.text) + len(between)
    return Words(between.join(part.text for part in parts), tuple(links))


def without_start(words: Words, length: int) -> Words:
    """The words without their first ``length`` characters.

    >>> without_start(Words("- go", ((1, 4, "#x"),)), 2)
    Words(text='go', links=((0, 2, '#x'),))
    """
    links = ((max(start - length, 0), end - length, target) for start, end, target in words.links if end > length)
    return Words(words.text[length:], tuple(links))


def headed(head: str, words: Words) -> Words:
    """The words with ``head`` as a prefix; no blank is added.

    >>> headed("1. ", Words("go", ((0, 2, "#x"),)))
    Words(text='1. go', links=((3, 5, '#x'),))
    """
    return joined([Words(head), words], "") if head else words


def comment_head(author: str, when: str, place: str = "", kind: str = "Comment") -> str:
    """The prefix of a comment's text. ``place``: what the comment is attached to; ``kind``: "Comment" or "Reply".

    >>> comment_head("Jane Smith", "2026-06-18", "B4"), comment_head("", "", kind="Reply")
    ('Comment by Jane Smith, 2026-06-18, on B4: ', 'Reply: ')
    """
    author = " ".join(author.split())
    by = f" by {author}" if author else ""
    on = f", {when}" if when else ""
    at = f"{',' if when else ''} on {place}" if place else ""
    return f"{kind}{by}{on}{at}: "


def flat(pieces: Iterable[Piece]) -> Words:
    """The pieces as inline text: one line for each item, table row and paragraph; list markers are kept."""
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
    """The note about ``words`` hidden words that were left out; () for none.

    >>> hidden_note(1), hidden_note(0)
    (('Hidden text was left out: 1 word.',), ())
    """
    return (f"Hidden text was left out: {counted(words, 'word')}.",) if words else ()
