"""The reader of presentations (PPTX and related formats): slides in order, each with shapes, notes and comments.

It reads the XML parts itself, and so also decks that python-pptx refuses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from core.errors import ParseError
from core.parsing.audit.gathering import unseen_note
from core.parsing.file_names import display_name, is_title
from core.parsing.flow import ParsedFile, Piece, Rectangle, Words
from core.parsing.inline import comment_head, headed, joined
from core.parsing.ooxml.package import RELATIONS, Element, Package
from core.parsing.slides.masters import Masters, placeholder_of
from core.parsing.slides.shapes import EMU, Found, Sheet, read_shapes
from core.parsing.slides.text import body_words, is_slide_number
from core.types import BlockKind, Page

_TIME = re.compile(r"(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d))?")


def comment_authors(package: Package, main: str) -> dict[str, str]:
    """The names of the authors of comments, by their id in either kind of comment."""
    authors: dict[str, str] = {}
    for kind in ("commentAuthors", "authors"):
        for part in package.related(main, kind):
            root = package.optional_root(part)
            for author in () if root is None else root:
                authors[author.get("id", "")] = author.get("name") or author.get("initials") or ""
    return authors


def comment_pieces(package: Package, slide: str, authors: dict[str, str], page: int, box: Rectangle) -> Iterator[Piece]:
    """A footnote for each comment on a slide, with replies after it."""
    for part in package.related(slide, "comments"):
        root = package.optional_root(part)
        if root is None:
            continue
        for comment, is_reply in _threaded(root):
            body = comment.find("{*}txBody")
            words = Words(comment.findtext("{*}text") or "") if body is None else body_words(body, (), _nowhere)
            if not words.text.strip():
                continue
            author = authors.get(comment.get("authorId", ""), "")
            when = _TIME.match(comment.get("dt") or comment.get("created") or "")
            on = " ".join(filter(None, when.groups())) if when else ""
            head = comment_head(author, on, kind="Reply" if is_reply else "Comment")
            yield Piece(BlockKind.FOOTNOTE, headed(head, words), page=page, box=box)


def _threaded(root: Element) -> Iterator[tuple[Element, bool]]:
    """The comments in order, each followed by its replies, as (element, whether it is a reply)."""
    for comment in root.iterfind("{*}cm"):
        yield comment, comment.find("{*}extLst/{*}ext/{*}threadingInfo/{*}parentCm") is not None
        yield from ((reply, True) for reply in comment.iterfind("{*}replyLst/{*}reply"))


def _nowhere(relation: str) -> str:
    return ""


_USUAL_SIZE = (9_144_000, 6_858_000)  # EMU
_LARGEST_SIDE = 51_206_400  # EMU, the format's own limit
# What PowerPoint writes into the title's field when nobody else did, in languages ``is_title`` does not know.
_NO_TITLES = frozenset({"powerpoint-präsentation", "présentation powerpoint", "presentación de powerpoint"})
_MAX_NAMED = 12
_FEWEST_FEET, _SHARE_OF_FEET = 3, 0.4  # slides, at least, and of all, at whose foot the same line stands
_LONGEST_FOOT, _FOOT = 80, 0.85  # characters; of the slide's height


def read(data: bytes, name: str) -> ParsedFile:
    """The presentation in ``data``. Raises ``ParseError`` where it is damaged or none at all."""
    shown = display_name(name)
    package = Package(data, shown)
    main = package.main_part("ppt/presentation.xml")
    root = package.root(main)
    if root.tag.rpartition("}")[2] != "presentation":
        raise ParseError(f"{shown} is no presentation: its main part is {main}.", "Add it under its own name.")
    deck = _Deck(package, main, root)
    deck.read()
    deck.mark_running()
    metadata = package.core_properties()
    title = metadata.pop("title", "")
    sections = [section.get("name", "") for section in deck.root.iterfind("{*}extLst/{*}ext/{*}sectionLst/{*}section")]
    if any(sections):
        metadata["sections"] = "; ".join(filter(None, sections))
    return ParsedFile(
        pieces=(*deck.pieces, *deck.running.values()),
        title=title if is_title(title) and title.casefold() not in _NO_TITLES else "",
        metadata=metadata,
        notes=tuple(deck.notes()),
        pages=tuple(deck.pages),
    )


@dataclass(slots=True)
class _Deck:
    """A presentation as it is read slide by slide."""

    package: Package
    main: str
    root: Element
    pieces: list[Piece] = field(default_factory=list)
    running: dict[str, Piece] = field(default_factory=dict)  # headers and footers by their words, each once
    pages: list[Page] = field(default_factory=list)
    hidden: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    embedded: list[str] = field(default_factory=list)
    hidden_words: int = 0
    unseen: dict[int, list[str]] = field(default_factory=dict)  # words by slide

    def read(self) -> None:
        masters = Masters(self.package, self.root)
        authors = comment_authors(self.package, self.main)
        width, height = _size(self.root)
        right_to_left = self.root.get("rtl", "0") in ("1", "true")
        standing: dict[str, Found] = {}
        for number, part in enumerate(self._slides(), start=1):
            page = Page(number, width, height)
            self.pages.append(page)
            slide = self.package.optional_root(part) if part else None
            if slide is None:
                self.missing.append(number)
                continue
            if slide.get("show", "1") in ("0", "false"):
                self.hidden.append(number)
            sheet = Sheet(self.package, part, page, masters.of(part), right_to_left)
            tree = slide.find("{*}cSld/{*}spTree")
            found = Found() if tree is None else read_shapes(tree, sheet, slide)
            if self.hidden[-1:] == [number]:
                found.unseen = [
                    word for piece in found.all() for line in piece.all_words() for word in line.text.split()
                ]
            self._take(found, number)
            self.pieces += self._speaker_notes(sheet, masters)
            self.pieces += comment_pieces(self.package, part, authors, number, sheet.whole)
            for below, below_part in sheet.layers.standing(slide):
                if below_part not in standing:  # the shapes of a master are read once, not for every slide
                    found = standing[below_part] = read_shapes(
                        [shape for shape in below if placeholder_of(shape) is None], replace(sheet, part=below_part)
                    )
                    self._add_running(found.pieces)
                    if found.unseen:
                        self.unseen.setdefault(number, []).extend(found.unseen)

    def mark_running(self) -> None:
        """Turn short lines at the foot of many slides into furniture, as decks without masters repeat them."""
        feet = [piece for piece in self.pieces if self._is_foot(piece)]
        counts = Counter(piece.words.text.strip() for piece in feet)
        min_count = max(_FEWEST_FEET, _SHARE_OF_FEET * len(self.pages))
        running = {id(piece) for piece in feet if counts[piece.words.text.strip()] >= min_count}
        self._add_running([piece for piece in self.pieces if id(piece) in running])
        self.pieces = [piece for piece in self.pieces if id(piece) not in running]

    def _is_foot(self, piece: Piece) -> bool:
        is_line = piece.kind is BlockKind.PARAGRAPH and len(piece.words.text) <= _LONGEST_FOOT
        return is_line and bool(piece.page) and piece.box[1] > _FOOT * self.pages[piece.page - 1].height

    def notes(self) -> Iterator[str]:
        """Notes for the user on what was left out and on what is not visible."""
        if self.hidden:
            yield _of_slides(self.hidden, "is hidden.", "are hidden.")
        if self.missing:
            yield _of_slides(self.missing, "is damaged and was left out.", "are damaged and were left out.")
        if self.hidden_words:
            yield f"{self.hidden_words:,} words of hidden shapes were left out."
        if self.embedded:
            yield f"Embedded files were not read: {_listed(self.embedded)}."
        damaged = [part for part in self.package.damaged if not part.startswith("ppt/slides/slide")]
        if damaged:
            yield f"Damaged parts were left out: {_listed(damaged)}."
        first = f"on slide {min(self.unseen):,} first" if self.unseen else ""
        yield from unseen_note([word for words in self.unseen.values() for word in words], first)

    def _slides(self) -> Iterator[str]:
        """The names of the slides' parts in order, "" for a missing one."""
        relations = self.package.relations(self.main)
        for entry in self.root.iterfind("{*}sldIdLst/{*}sldId"):
            relation = relations.get(entry.get(f"{RELATIONS}id", ""))
            yield relation.target if relation and not relation.external else ""

    def _take(self, found: Found, number: int) -> None:
        self.pieces += [*found.titles, *found.pieces]
        self._add_running(found.running)
        self.embedded += [f"{name} on slide {number}" for name in found.embedded]
        self.hidden_words += found.hidden_words
        if found.unseen:
            self.unseen.setdefault(number, []).extend(found.unseen)

    def _add_running(self, pieces: Sequence[Piece]) -> None:
        """Add running text once, as furniture of the first slide that has it."""
        for piece in pieces:
            words = joined([line for line in piece.all_words() if line.text.strip()], "\n")
            key = " ".join(words.text.split()).casefold()
            if key and key not in self.running:
                self.running[key] = Piece(BlockKind.FURNITURE, words, page=piece.page, box=piece.box)

    def _speaker_notes(self, sheet: Sheet, masters: Masters) -> Iterator[Piece]:
        for part in self.package.related(sheet.part, "notesSlide"):
            root = self.package.optional_root(part)
            if root is None:
                continue
            page = replace(sheet, part=part, layers=masters.of(part))
            texts: list[Words] = []
            for shape in root.iterfind("{*}cSld/{*}spTree//{*}sp"):
                placeholder, body = placeholder_of(shape), shape.find("{*}txBody")
                is_other = placeholder is not None and placeholder.kind not in ("body", "obj")
                if body is not None and not is_other and not is_slide_number(body):
                    texts.append(body_words(body, page.layers.list_styles(placeholder), page.address))
            words = joined([text for text in texts if text.text.strip()], "\n")
            if words.text.strip():
                yield Piece(BlockKind.FOOTNOTE, headed("Notes: ", words), page=sheet.page.number, box=sheet.whole)


def _size(presentation: Element) -> tuple[float, float]:
    """Width and height of the slides in points."""
    stated = presentation.find("{*}sldSz")
    sides = []
    for side, usual in zip(("cx", "cy"), _USUAL_SIZE, strict=True):
        value = "" if stated is None else stated.get(side, "")
        whole = int(value) if value.isdecimal() and len(value) < 12 else 0
        sides.append((whole if 0 < whole <= _LARGEST_SIDE else usual) / EMU)
    return sides[0], sides[1]


def _of_slides(numbers: Sequence[int], one: str, several: str) -> str:
    """A sentence about slides. ``one`` and ``several``: how it goes on for one and for several slides.

    >>> _of_slides([4], "is hidden.", "are hidden."), _of_slides([4, 7, 9], "is hidden.", "are hidden.")
    ('Slide 4 is hidden.', 'Slides 4, 7 and 9 are hidden.')
    """
    if len(numbers) == 1:
        return f"Slide {numbers[0]} {one}"
    return f"Slides {', '.join(map(str, numbers[:-1]))} and {numbers[-1]} {several}"


def _listed(names: Sequence[str]) -> str:
    shown = [" ".join(name.split())[:100] for name in names[:_MAX_NAMED]]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
