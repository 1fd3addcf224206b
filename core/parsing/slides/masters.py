"""What the shapes of a slide inherit from its layout and master: positions, list styles, and shapes on all slides.

ECMA-376 part 1, 19.3.1.36 (placeholders) and 21.1.2.4.12 (list styles).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from core.parsing.ooxml.package import Element, Package, local_name

TITLES = frozenset({"title", "ctrTitle"})
WHITE = "FFFFFF"
_USUAL_COLOURS = dict.fromkeys(("bg1", "lt1"), WHITE)
RUNNING = frozenset({"dt", "ftr", "hdr", "sldNum"})
_ON_MASTER = {"ctrTitle": "title", **{name: name for name in ("title", *sorted(RUNNING))}}


@dataclass(frozen=True, slots=True)
class Placeholder:
    """The placeholder that a shape fills. ``index``: "" for none."""

    kind: str
    index: str


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A layout or a master, with its placeholders by index and by kind. ``colours``: of its theme, by name."""

    root: Element
    by_index: dict[str, Element] = field(default_factory=dict)
    by_kind: dict[str, Element] = field(default_factory=dict)
    colours: Mapping[str, str] = field(default_factory=dict)


class Masters:
    """The layouts and masters of a presentation, each read once."""

    def __init__(self, package: Package, presentation: Element) -> None:
        self._package = package
        self._default = presentation.find("{*}defaultTextStyle")
        self._sheets: dict[str, _Sheet | None] = {}

    def of(self, part: str) -> Layers:
        """The layout and master below a slide or a page of notes. ``part``: the name of its part."""
        layout = self._related(part, "slideLayout")
        master = self._related(layout, "slideMaster") if layout else self._related(part, "notesMaster")
        return Layers(self._sheet(layout), self._sheet(master), self._default, layout, master)

    def _related(self, part: str, kind: str) -> str:
        return next(iter(self._package.related(part, kind)), "")

    def _sheet(self, part: str) -> _Sheet | None:
        if part not in self._sheets:
            root = self._package.optional_root(part) if part else None
            self._sheets[part] = None if root is None else _read(root, self._theme(part, root))
        return self._sheets[part]

    def _theme(self, part: str, root: Element) -> dict[str, str]:
        """The colours of a master's theme, by the names that shapes use."""
        theme = self._package.optional_root(self._related(part, "theme"))
        scheme = None if theme is None else theme.find("{*}themeElements/{*}clrScheme")
        named = {
            local_name(entry): (entry[0].get("lastClr") or entry[0].get("val", "")).upper()
            for entry in (() if scheme is None else scheme)
            if len(entry)
        }
        aliases = root.find("{*}clrMap")
        return named | {name: named.get(to, to) for name, to in ({} if aliases is None else aliases.attrib).items()}


@dataclass(frozen=True, slots=True)
class Layers:
    """The layout and master below one slide, with the names of their parts. ``default``: default list styles."""

    layout: _Sheet | None
    master: _Sheet | None
    default: Element | None
    layout_part: str = ""
    master_part: str = ""

    @property
    def colours(self) -> Mapping[str, str]:
        """The theme's colours by name, as far as they are known."""
        return _USUAL_COLOURS if self.master is None or not self.master.colours else self.master.colours

    def frame(self, placeholder: Placeholder | None) -> Element | None:
        """The ``a:xfrm`` that a placeholder inherits, ``None`` for none."""
        for shape in self.above(placeholder):
            if (found := frame_of(shape)) is not None:
                return found
        return None

    def list_styles(self, placeholder: Placeholder | None) -> list[Element]:
        """The list styles from which a shape's paragraphs inherit their bullets, nearest first."""
        if placeholder is None:
            return [] if self.default is None else [self.default]
        styles = [shape.find("{*}txBody/{*}lstStyle") for shape in self.above(placeholder)]
        if self.master is not None:
            name = "otherStyle" if placeholder.kind in RUNNING else "bodyStyle"
            name = "titleStyle" if placeholder.kind in TITLES else name
            styles += [self.master.root.find(f"{{*}}txStyles/{{*}}{name}"), self.master.root.find("{*}notesStyle")]
        return [style for style in styles if style is not None]

    def standing(self, slide: Element) -> Iterator[tuple[Element, str]]:
        """The shape trees of layout and master that are displayed on a slide, each with the name of its part."""
        if not _shows_master(slide):
            return
        for sheet, part in ((self.layout, self.layout_part), (self.master, self.master_part)):
            tree = None if sheet is None else sheet.root.find("{*}cSld/{*}spTree")
            if sheet is not None and tree is not None:
                yield tree, part
            if sheet is not None and not _shows_master(sheet.root):
                return

    def above(self, placeholder: Placeholder | None) -> Iterator[Element]:
        """The shapes of layout and master from which a placeholder inherits, nearest first."""
        if placeholder is None:
            return
        kind = placeholder.kind
        if self.layout is not None:
            shape = self.layout.by_index.get(placeholder.index) if placeholder.index else None
            shape = self.layout.by_kind.get(kind) if shape is None else shape
            if shape is not None:
                yield shape
                named = placeholder_of(shape)
                kind = named.kind if named else kind
        shape = None if self.master is None else self.master.by_kind.get(_ON_MASTER.get(kind, "body"))
        if shape is not None:
            yield shape


def placeholder_of(shape: Element) -> Placeholder | None:
    """The placeholder that a shape fills, ``None`` for none."""
    for place in shape.iterfind("./*/{*}nvPr/{*}ph"):
        return Placeholder(place.get("type", "obj"), place.get("idx", ""))
    return None


def frame_of(shape: Element) -> Element | None:
    """A shape's own ``a:xfrm``."""
    for path in ("{*}spPr/{*}xfrm", "{*}grpSpPr/{*}xfrm", "{*}xfrm"):
        if (found := shape.find(path)) is not None:
            return found
    return None


def _read(root: Element, colours: Mapping[str, str]) -> _Sheet:
    sheet = _Sheet(root, colours=colours)
    for shape in root.iterfind("{*}cSld/{*}spTree/*"):
        if (placeholder := placeholder_of(shape)) is not None:
            sheet.by_kind.setdefault(placeholder.kind, shape)
            if placeholder.index:
                sheet.by_index.setdefault(placeholder.index, shape)
    for kind in TITLES:  # each replaces the other where that is missing
        if (shape := next((sheet.by_kind[other] for other in TITLES if other in sheet.by_kind), None)) is not None:
            sheet.by_kind.setdefault(kind, shape)
    return sheet


def _shows_master(root: Element) -> bool:
    return root.get("showMasterSp", "1") not in ("0", "false")
