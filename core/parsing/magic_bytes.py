"""Identifies a file by its signature or, for ZIP and OLE containers, by its members, whatever its name says.

Also lists the formats that Lectern does not read, each with advice on what to do instead.
"""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from io import BytesIO

_XLSX = "Open it in Excel or LibreOffice, save it as .xlsx and add that."
_EXPORT = "Export it as PDF or as an Office document and add that."
_UNPACK = "Unpack it and add the files, or the folder."
_CONVERT_BOOK = "Convert it to EPUB and add that."
_AS_PNG = "Save it as PNG or JPEG and add that."


@dataclass(frozen=True, slots=True)
class FileType:
    """An identified format. ``kind``: a key of ``PARSERS``, "" if no parser reads it. ``what``: its name in a sentence,
    with an article. ``remedy``: what the user can do about a format that is not read, "" for nothing in particular.
    """

    kind: str
    what: str
    remedy: str = ""


def _unsupported(what: str, remedy: str = "") -> FileType:
    return FileType("", what, remedy)


UNSUPPORTED_SUFFIXES: dict[str, FileType] = {
    "xlsb": _unsupported("a binary Excel workbook", _XLSX),
    **dict.fromkeys(("odg", "odf", "odb"), _unsupported("an OpenDocument drawing, formula or database", _EXPORT)),
    "fods": _unsupported("a flat OpenDocument spreadsheet", "Save it as .ods or .xlsx and add that."),
    "parquet": _unsupported("a Parquet table", "Export it as CSV and add that."),
    **dict.fromkeys(("mobi", "azw", "azw3", "kfx", "lit"), _unsupported("an electronic book", _CONVERT_BOOK)),
    **dict.fromkeys(("numbers", "key"), _unsupported("an Apple iWork document", _EXPORT)),
    **dict.fromkeys(("vsd", "vsdx", "pub", "one", "mpp", "hwp", "hwpx", "wpd", "wps", "xps", "djvu", "chm"),
                    _unsupported("a document of a program Lectern does not know", _EXPORT)),
    **dict.fromkeys(("apkg", "colpkg"),
                    _unsupported("a package of Anki cards", "In Anki, export its notes as plain text and add that.")),
    **dict.fromkeys(("gif", "avif", "ico", "psd"), _unsupported("a picture", _AS_PNG)),
    **dict.fromkeys(("zip", "gz", "tgz", "bz2", "xz", "7z", "rar", "tar", "zst", "jar"),
                    _unsupported("an archive", _UNPACK)),
    **dict.fromkeys(("mp3", "mp4", "m4a", "wav", "ogg", "avi", "mov", "mkv", "flac", "webm"),
                    _unsupported("sound or film", "Add a transcript of it.")),
}  # fmt: skip
"""Formats that are not read, by extension. The README lists them."""
IWORK = UNSUPPORTED_SUFFIXES["key"]  # Pages, Numbers and Keynote files have the same structure

UNSUPPORTED_TEXT_SUFFIXES = frozenset({"fods"})
"""Text formats that are not read: as plain text, their words would be buried in markup."""

_SIGNATURES: tuple[tuple[tuple[bytes, ...], FileType], ...] = (
    ((b"{\\rtf",), FileType("rtf", "an RTF document")),
    ((b"\x89PNG\r\n\x1a\n",), FileType("image", "a PNG picture")),
    ((b"\xff\xd8\xff",), FileType("image", "a JPEG picture")),
    ((b"II*\0", b"MM\0*"), FileType("image", "a TIFF picture")),
    ((b"GIF87a", b"GIF89a", b"8BPS\0", b"\0\0\1\0"), UNSUPPORTED_SUFFIXES["gif"]),
    ((b"PK\5\6", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\7", b"(\xb5/\xfd"),
     UNSUPPORTED_SUFFIXES["zip"]),
    ((b"\x7fELF", b"MZ\x90\0", b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe", b"\0asm"), _unsupported("a program")),
    ((b"SQLite format 3\0",), _unsupported("an SQLite database", "Export its tables as CSV and add those.")),
    ((b"OggS", b"ID3", b"fLaC"), UNSUPPORTED_SUFFIXES["mp3"]),
    ((b"PAR1",), UNSUPPORTED_SUFFIXES["parquet"]),
    ((b"ITSF\3\0", b"AT&TFORM"), UNSUPPORTED_SUFFIXES["chm"]),
)  # fmt: skip
_RIFF = {
    b"WEBP": FileType("image", "a WebP picture"),
    b"WAVE": UNSUPPORTED_SUFFIXES["mp3"],
    b"AVI ": UNSUPPORTED_SUFFIXES["mp3"],
}
HEIF_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1"})
"""Bytes 8 to 12 of HEIF pictures, as phones take them."""
_BITMAP_HEADERS = {size.to_bytes(4, "little") for size in (12, 40, 52, 56, 64, 108, 124)}  # lengths of the header
_ZIP = b"PK\3\4"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OPEN_DOCUMENT = re.compile(r"application/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation|\w+)")
_OPEN_DOCUMENTS = {
    "text": FileType("odt", "an OpenDocument text"),
    "spreadsheet": FileType("ods", "an OpenDocument spreadsheet"),
    "presentation": FileType("odp", "an OpenDocument presentation"),
}
_MEMBERS = (  # prefix of a member's name; the first that matches decides
    ("word/", FileType("docx", "a Word document")),
    ("ppt/", FileType("pptx", "a PowerPoint presentation")),
    ("xl/workbook.bin", UNSUPPORTED_SUFFIXES["xlsb"]),
    ("xl/", FileType("xlsx", "an Excel workbook")),
    ("visio/", UNSUPPORTED_SUFFIXES["vsdx"]),
    ("fixeddocseq.fdseq", UNSUPPORTED_SUFFIXES["xps"]),
    ("index/document.iwa", IWORK),
    ("index.zip", IWORK),
    ("index.xml", IWORK),
    ("meta-inf/manifest.mf", UNSUPPORTED_SUFFIXES["zip"]),
    ("collection.anki2", UNSUPPORTED_SUFFIXES["apkg"]),
)
_STREAMS = (  # names of OLE streams; the first that exists decides
    ("__properties_version1.0", FileType("msg", "an Outlook message")),
    ("EncryptedPackage", _unsupported(
        "an encrypted Office document", "Open it in Office, save it without its password and add that.")),
    ("WordDocument", FileType("doc", "an old Word document")),
    ("PowerPoint Document", FileType("ppt", "an old PowerPoint presentation")),
    ("Workbook", FileType("xlsx", "an old Excel workbook")),
    ("Book", FileType("xlsx", "an old Excel workbook")),
    ("VisioDocument", UNSUPPORTED_SUFFIXES["vsd"]),
)  # fmt: skip
_ANY_ZIP = UNSUPPORTED_SUFFIXES["zip"]
_ANY_OLE = _unsupported("an old Office document", _EXPORT)


def identify(data: bytes) -> FileType | None:
    """The format of the bytes by their content; ``None`` for text and for unknown formats.

    >>> identify(b"{\\\\rtf1 Hello}").kind, identify(b"GIF89a..").what, identify(b"Hello")
    ('rtf', 'a picture', None)
    """
    if data.startswith(_ZIP):
        return _identify_zip(data)
    if data.startswith(_OLE):
        return _identify_ole(data)
    if data[:4] == b"RIFF" and data[8:12] in _RIFF:
        return _RIFF[data[8:12]]
    if data[4:8] == b"ftyp" and data[8:12] in HEIF_BRANDS:
        return FileType("image", "a HEIF picture")
    if data[4:8] == b"ftyp" and data[:1] == b"\0":
        return UNSUPPORTED_SUFFIXES["mp4"]
    if data.startswith(b"BM") and data[6:10] == bytes(4) and data[14:18] in _BITMAP_HEADERS:
        return FileType("image", "a bitmap picture")
    if data[257:262] == b"ustar":
        return UNSUPPORTED_SUFFIXES["tar"]
    return next((found for marks, found in _SIGNATURES if data.startswith(marks)), None)


def _identify_zip(data: bytes) -> FileType | None:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = {name.replace("\\", "/").lower() for name in archive.namelist()}
            stated = (
                archive.open("mimetype").read(200).decode("ascii", "replace").strip() if "mimetype" in names else ""
            )
    except (zipfile.BadZipFile, KeyError, OSError, ValueError, EOFError, RuntimeError, NotImplementedError):
        return None  # damaged: the extension decides
    if stated == "application/epub+zip" or (not stated and "meta-inf/container.xml" in names):
        return FileType("epub", "an electronic book (EPUB)")
    open_document = _OPEN_DOCUMENT.match(stated)
    if open_document:
        return _OPEN_DOCUMENTS.get(open_document[1], UNSUPPORTED_SUFFIXES["odg"])
    return next((found for start, found in _MEMBERS if any(name.startswith(start) for name in names)), _ANY_ZIP)


def _identify_ole(data: bytes) -> FileType:
    """Office 97 to 2003 and Outlook files, which share the OLE container; the streams at its root tell them apart."""
    import olefile

    try:
        with olefile.OleFileIO(BytesIO(data)) as container:
            return next((found for name, found in _STREAMS if container.exists(name)), _ANY_OLE)
    except Exception:  # olefile fails on damaged files with many types of errors; the format then stays unknown
        return _ANY_OLE
