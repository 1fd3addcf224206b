"""Scans made for tests: pages drawn as a scanner would see them, without their text layer."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

import pymupdf
from PIL import Image, ImageChops

LETTER = (
    "Dear Ada Lovelace,",
    "the pump in the north cellar was mended on Tuesday",
    "by two plumbers, who found a worn seal and a blocked",
    "valve. The bill of 412 euros is enclosed with this letter.",
    "Please have the second pump looked at before winter.",
)
LEFT = (
    "The left column tells",
    "of a lighthouse keeper",
    "who counted the ships",
    "that passed at night",
    "and wrote their names",
    "into a leather book.",
)
RIGHT = (
    "The right column says",
    "how his daughter found",
    "the book in an attic",
    "and gave it at last to",
    "the museum of the town",
    "where everyone reads it.",
)


def page_of(lines: Sequence[str], at: tuple[float, float] = (70, 120), size: float = 14) -> pymupdf.Document:
    """A document of one page with these lines below each other. The caller closes it."""
    document = pymupdf.open()
    page = document.new_page(width=595, height=420)
    for number, line in enumerate(lines):
        page.insert_text((at[0], at[1] + 1.6 * size * number), line, fontsize=size)
    return document


def picture(lines: Sequence[str] = LETTER, right: Sequence[str] = (), turn: float = 0.0, dpi: int = 150) -> Image.Image:
    """A picture of a page, turned clockwise; ``right``: a second column."""
    with page_of(lines) as document:
        for number, line in enumerate(right):
            document[0].insert_text((330, 120 + 22.4 * number), line, fontsize=14)
        drawn = document[0].get_pixmap(dpi=dpi, alpha=False)
    image = Image.frombytes("RGB", (drawn.width, drawn.height), drawn.samples)
    return image.rotate(-turn, Image.Resampling.BICUBIC, expand=True, fillcolor="white") if turn else image


def slip(lines: Sequence[str] = LETTER) -> Image.Image:
    """The first two lines on a square, which OCR reads in a third of the time that the whole takes.

    A strip would take longer: the detector lets no side be shorter than 736 pixels.
    """
    return picture(lines[:2]).crop((120, 100, 860, 840))


def encoded(image: Image.Image, form: str = "png", **options: object) -> bytes:
    held = BytesIO()
    image.save(held, form, **options)
    return held.getvalue()


def scanned(*pages: Image.Image | str, stamp: str = "", dpi: int = 150) -> bytes:
    """A PDF whose pages are these pictures, each with ``stamp`` as its text layer, or text by itself."""
    with pymupdf.open() as document:
        for one in pages:
            if isinstance(one, str):
                page = document.new_page(width=595, height=842)
                page.insert_textbox((60, 60, 535, 780), one, fontsize=11)
                continue
            page = document.new_page(width=one.width * 72 / dpi, height=one.height * 72 / dpi)
            page.insert_image(page.rect, stream=encoded(one))
            if stamp:
                page.insert_text((20, page.rect.height - 12), stamp, fontsize=7)
        return bytes(document.tobytes())


def faxed(image: Image.Image) -> bytes:
    """A PDF whose page is this picture in JBIG2, behind two tables of no letters of which one goes on with the other.

    MuPDF cannot decode such tables, pdfium can.
    """
    held = BytesIO()
    ImageChops.invert(image.convert("L")).convert("1").save(
        held, "tiff", compression="group4", tiffinfo={278: image.height}
    )
    with Image.open(held) as tiff:
        start, size = tiff.tag_v2[273][0], tiff.tag_v2[279][0]
    sides = image.width.to_bytes(4) + image.height.to_bytes(4)

    def letters(flags: int) -> bytes:
        return flags.to_bytes(2) + bytes((3, 255, 253, 255, 2, 254, 254, 254)) + bytes(16)

    parts = (
        (48, (), sides + bytes(11)),
        (0, (), letters(0x0200)),
        (0, (1,), letters(0x0100)),
        (38, (), sides + bytes(9) + b"\1" + held.getvalue()[start : start + size]),
    )
    stream = b"".join(
        number.to_bytes(4) + bytes((kind, len(of) << 5, *of, 1)) + len(data).to_bytes(4) + data
        for number, (kind, of, data) in enumerate(parts)
    )
    with pymupdf.open(stream=scanned(image.convert("1")), filetype="pdf") as document:
        ((place, *_),) = document[0].get_images()
        document.update_stream(place, stream, compress=False)
        for key, value in (("Filter", "/JBIG2Decode"), ("ColorSpace", "/DeviceGray"), ("BitsPerComponent", "1")):
            document.xref_set_key(place, key, value)
        document.xref_set_key(place, "DecodeParms", "null")
        return bytes(document.tobytes())
