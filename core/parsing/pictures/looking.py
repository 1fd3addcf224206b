"""Measures and renders pages in the worker: shares of pictures and ink, unseen text, pictures for OCR."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from io import BytesIO
from typing import Any

from core.parsing.magic_bytes import HEIF_BRANDS, identify
from core.parsing.pdf.lines import Box

COVERED = 0.5  # share of a page under pictures, from which on it may be a scan
MIN_INK = 0.0004  # share of a page; less is dust and the shadow of a sheet's edge
_CELLS = 24  # cells of the grid, across and down, in which the cover of pictures is sampled
_INK_PIXELS = 500.0  # of the longer side: enough to measure ink
_MIN_INK_LEVELS = 40  # of grey, by which ink differs from paper
_TINY = 2.0  # points
_MAX_ALPHA, _MIN_WHITE = 16, 245  # of 255: of letters that are transparent, and of white ones
_UNSEEN_PIXELS = 1000.0  # of the longer side: enough to see whether anything is visible at a position
_MIN_CONTRAST = 12  # levels of a colour between visible letters and their ground
_UNDECODED, _FAILED = "cannot decode", " error: "  # in MuPDF's warnings
_DPI, _MIN_SIDE, _MAX_SIDE = 200, 1000, 3600  # of a picture for OCR; sides in pixels


def opened_picture(data: bytes) -> Any | None:
    """A picture file as a document of PyMuPDF; ``None`` for other files."""
    import pymupdf

    file_type = identify(data)
    if not file_type or file_type.kind != "image":
        return None
    if data[8:12] in {b"WEBP", *HEIF_BRANDS}:  # MuPDF does not read these
        from pi_heif import register_heif_opener
        from PIL import Image

        register_heif_opener(decode_threads=1)
        converted = BytesIO()
        Image.open(BytesIO(data)).convert("RGB").save(converted, "png")
        data = converted.getvalue()
    return pymupdf.open(stream=data)


def warm_picture() -> bytes:
    """A small picture in a format that MuPDF does not read, so that reading it loads all libraries."""
    from PIL import Image

    buffer = BytesIO()
    Image.new("RGB", (40, 40), "white").save(buffer, "webp")
    return buffer.getvalue()


def signs(page: Any, lines: Sequence[Box], *, has_text: bool) -> tuple[float, float, float] | None:
    """By what a scan is recognised: the share of a page under pictures, its share of ink, and the share of that ink
    outside ``lines``. The latter two are 0 where they need not be measured.

    ``None`` for a page that shows nothing because its picture cannot be decoded. ``lines``: boxes of the text layer on
    the page as it is shown. ``has_text``: whether these have letters.
    """
    import pymupdf

    pictures = [_on_shown(page, item["bbox"]) for item in page.get_image_info()]
    width, height = page.rect.width / _CELLS, page.rect.height / _CELLS
    middles = [((column + 0.5) * width, (row + 0.5) * height) for row in range(_CELLS) for column in range(_CELLS)]
    under_pictures = sum(any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in pictures) for x, y in middles)
    covered = under_pictures / len(middles)
    if has_text and covered < COVERED:
        return covered, 0.0, 0.0
    ink, outside = _ink(page, lines)
    failed = _FAILED in pymupdf.TOOLS.mupdf_warnings() and (pictures or (page.parent.is_pdf and page.get_images()))
    if failed and ink * outside < MIN_INK:
        return None
    return covered, ink, outside


def _on_shown(page: Any, box: Sequence[float]) -> Box:
    import pymupdf

    x0, y0, x1, y1 = pymupdf.Rect(box) * page.rotation_matrix
    return x0, y0, x1, y1


def drawn(page: Any, scale: float, turn: int = 0, *, grey: bool = False) -> Any:
    """A page rendered as a pixmap, turned clockwise by ``turn`` degrees, a multiple of 90.

    Where MuPDF cannot decode a picture of the page, or draws nothing, the page is rendered by pdfium if that can.
    """
    import pymupdf

    colours = pymupdf.csGRAY if grey else pymupdf.csRGB
    pymupdf.TOOLS.reset_mupdf_warnings()
    matrix = pymupdf.Matrix(scale, scale).prerotate(turn)
    pixels = page.get_pixmap(matrix=matrix, colorspace=colours, alpha=False)
    undecoded = _UNDECODED in pymupdf.TOOLS.mupdf_warnings(reset=False)
    if page.parent.is_pdf and (undecoded or (_is_plain(pixels) and page.get_images())):
        other = drawn_by_pdfium(page, scale, turn, colours)
        if other and not _is_plain(other):
            return other
    return pixels


def drawn_by_pdfium(page: Any, scale: float, turn: int, colours: Any) -> Any | None:
    """A page of a PDF like ``drawn``, rendered by pdfium; ``None`` where that cannot open it."""
    import pymupdf
    import pypdfium2

    try:
        with pymupdf.open() as single_page:  # a copy without the file's password
            single_page.insert_pdf(page.parent, from_page=page.number, to_page=page.number, links=False)
            data = single_page.tobytes()
        with closing(pypdfium2.PdfDocument(data)) as document:
            image = document[0].render(scale=scale, rotation=turn % 360).to_pil().convert("RGB")
    except (pypdfium2.PdfiumError, pymupdf.mupdf.FzErrorBase, RuntimeError, ValueError):
        return None
    return pymupdf.Pixmap(colours, pymupdf.Pixmap(pymupdf.csRGB, *image.size, image.tobytes(), False))


def _is_plain(pixels: Any) -> bool:
    """Whether all pixels are alike, as ``is_unicolor`` has it, which asks for each of them in Python."""
    values = bytes(pixels.samples)
    return values == values[: int(pixels.n)] * (len(values) // int(pixels.n))


def _ink(page: Any, lines: Sequence[Box]) -> tuple[float, float]:
    """The share of a page's pixels that are ink, and the share of these outside ``lines``."""
    scale = _INK_PIXELS / max(page.rect.width, page.rect.height, 1.0)
    picture = drawn(page, scale, grey=True)
    levels = bytes(picture.samples)
    paper = Counter(levels).most_common(1)[0][0] if levels else 0
    ink = bytearray(levels.translate(bytes(abs(level - paper) > _MIN_INK_LEVELS for level in range(256))))
    total = ink.count(1)
    for x0, y0, x1, y1 in lines:
        left, right = (min(max(round(x * scale), 0), picture.width) for x in (x0 - 1, x1 + 1))
        for row in range(max(0, round((y0 - 1) * scale)), min(picture.height, round((y1 + 1) * scale))):
            start = row * picture.stride
            ink[start + left : start + right] = bytes(right - left)
    return total / max(1, len(ink)), ink.count(1) / max(1, total)


def unseen(page: Any, raw: Mapping[str, Any]) -> tuple[str, ...]:
    """The texts of a page that cannot be seen: tiny, or white or transparent without any contrast where they stand.

    ``raw``: the page's text as a dictionary. White and transparent letters are checked in a rendered page: on a dark
    ground, or over a scan, something is visible at their position.
    """
    import pymupdf

    spans = [span for block in raw["blocks"] for line in block.get("lines", ()) for span in line["spans"]]
    spans = [span for span in spans if span["text"].strip()]
    unseen_spans = [span for span in spans if _is_tiny(span)]
    candidates = [span for span in spans if span["alpha"] < _MAX_ALPHA or _is_white(span["color"])]
    if candidates:
        scale = _UNSEEN_PIXELS / max(page.rect.width, page.rect.height, 1.0)
        picture = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csRGB, alpha=False)
        levels = bytes(picture.samples)
        for span in candidates:
            x0, y0, x1, y1 = (round(value * scale) for value in _on_shown(page, span["bbox"]))
            rows = range(max(0, y0), min(picture.height, y1 + 1))
            left, right = 3 * max(0, x0), 3 * min(picture.width, x1 + 1)
            pixels = b"".join(levels[row * picture.stride + left : row * picture.stride + right] for row in rows)
            channels = [channel for channel in (pixels[0::3], pixels[1::3], pixels[2::3]) if channel]
            contrast = max((max(channel) - min(channel) for channel in channels), default=0)
            if contrast < _MIN_CONTRAST and not _is_tiny(span):
                unseen_spans.append(span)
    return tuple(span["text"] for span in unseen_spans)


def _is_tiny(span: Mapping[str, Any]) -> bool:
    """Whether letters are too small to read, by size and width: fonts in drawings may state a wrong size."""
    return bool(span["size"] < _TINY and span["bbox"][2] - span["bbox"][0] < _TINY * len(span["text"]))


def _is_white(colour: int) -> bool:
    return min(colour >> 16 & 255, colour >> 8 & 255, colour & 255) >= _MIN_WHITE


def picture_of(page: Any, turn: int) -> tuple[bytes, float]:
    """A page as a JPEG, turned clockwise by ``turn`` degrees, and its pixels for each point.

    The resolution is that of the finest picture on the page, within bounds.
    """
    import pymupdf

    longest = max(page.rect.width, page.rect.height, 1.0)
    finest = [
        (item["width"] * item["height"] / max(1.0, pymupdf.Rect(item["bbox"]).get_area())) ** 0.5
        for item in page.get_image_info()
    ]
    side = min(max(longest * min(_DPI / 72, max(finest, default=_DPI / 72)), _MIN_SIDE), _MAX_SIDE)
    scale = side / longest
    picture = drawn(page, scale, turn)
    return picture.tobytes("jpg", jpg_quality=92), scale
