"""What bytes are, whatever their name says: signatures, and the members of the two kinds of container.

All that Lectern does not read is named here, with what a person can do about it.
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
class Found:
    """``kind``: the parser's, "" when none reads it. ``what``: in words, with its article. ``remedy``: "" for none."""

    kind: str
    what: str
    remedy: str = ""


def _unread(what: str, remedy: str = "") -> Found:
    return Found("", what, remedy)


UNREAD_NAMES: dict[str, Found] = {
    "xlsb": _unread("a binary Excel workbook", _XLSX),
    **dict.fromkeys(("odg", "odf", "odb"), _unread("an OpenDocument drawing, formula or database", _EXPORT)),
    "fods": _unread("a flat OpenDocument spreadsheet", "Save it as .ods or .xlsx and add that."),
    "parquet": _unread("a Parquet table", "Export it as CSV and add that."),
    **dict.fromkeys(("mobi", "azw", "azw3", "kfx", "lit"), _unread("an electronic book", _CONVERT_BOOK)),
    **dict.fromkeys(("numbers", "key"), _unread("an Apple iWork document", _EXPORT)),
    **dict.fromkeys(("vsd", "vsdx", "pub", "one", "mpp", "hwp", "hwpx", "wpd", "wps", "xps", "djvu", "chm"),
                    _unread("a document of a program Lectern does not know", _EXPORT)),
    **dict.fromkeys(("gif", "avif", "ico", "psd"), _unread("a picture", _AS_PNG)),
    **dict.fromkeys(("zip", "gz", "tgz", "bz2", "xz", "7z", "rar", "tar", "zst", "jar"),
                    _unread("an archive", _UNPACK)),
    **dict.fromkeys(("mp3", "mp4", "m4a", "wav", "ogg", "avi", "mov", "mkv", "flac", "webm"),
                    _unread("sound or film", "Add a transcript of it.")),
}  # fmt: skip
"""By extension, what is not read. The README names these."""
IWORK = UNREAD_NAMES["key"]  # what Pages, Numbers and Keynote pack alike

TEXT_BUT_UNREAD = frozenset({"fods"})
"""Extensions of text formats that are not read: reading them as plain text would bury the words in markup."""

_SIGNATURES: tuple[tuple[tuple[bytes, ...], Found], ...] = (
    ((b"{\\rtf",), Found("rtf", "an RTF document")),
    ((b"\x89PNG\r\n\x1a\n",), Found("image", "a PNG picture")),
    ((b"\xff\xd8\xff",), Found("image", "a JPEG picture")),
    ((b"II*\0", b"MM\0*"), Found("image", "a TIFF picture")),
    ((b"GIF87a", b"GIF89a", b"8BPS\0", b"\0\0\1\0"), UNREAD_NAMES["gif"]),
    ((b"PK\5\6", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\7", b"(\xb5/\xfd"),
     UNREAD_NAMES["zip"]),
    ((b"\x7fELF", b"MZ\x90\0", b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe", b"\0asm"), _unread("a program")),
    ((b"SQLite format 3\0",), _unread("an SQLite database", "Export its tables as CSV and add those.")),
    ((b"OggS", b"ID3", b"fLaC"), UNREAD_NAMES["mp3"]),
    ((b"PAR1",), UNREAD_NAMES["parquet"]),
    ((b"ITSF\3\0", b"AT&TFORM"), UNREAD_NAMES["chm"]),
)  # fmt: skip
_RIFF = {b"WEBP": Found("image", "a WebP picture"), b"WAVE": UNREAD_NAMES["mp3"], b"AVI ": UNREAD_NAMES["mp3"]}
HEIF_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1"})
"""What the bytes 8 to 12 of a picture are as phones take it."""
_BITMAP_HEADERS = {size.to_bytes(4, "little") for size in (12, 40, 52, 56, 64, 108, 124)}  # their lengths
_ZIP = b"PK\3\4"
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OPEN_DOCUMENT = re.compile(r"application/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation|\w+)")
_OPEN_DOCUMENTS = {
    "text": Found("odt", "an OpenDocument text"),
    "spreadsheet": Found("ods", "an OpenDocument spreadsheet"),
    "presentation": Found("odp", "an OpenDocument presentation"),
}
_MEMBERS = (  # the first whose beginning some member has
    ("word/", Found("docx", "a Word document")),
    ("ppt/", Found("pptx", "a PowerPoint presentation")),
    ("xl/workbook.bin", UNREAD_NAMES["xlsb"]),
    ("xl/", Found("xlsx", "an Excel workbook")),
    ("visio/", UNREAD_NAMES["vsdx"]),
    ("fixeddocseq.fdseq", UNREAD_NAMES["xps"]),
    ("index/document.iwa", IWORK),
    ("index.zip", IWORK),
    ("index.xml", IWORK),
    ("meta-inf/manifest.mf", UNREAD_NAMES["zip"]),
)
_STREAMS = (
    ("__properties_version1.0", Found("msg", "an Outlook message")),
    ("EncryptedPackage", _unread(
        "an encrypted Office document", "Open it in Office, save it without its password and add that.")),
    ("WordDocument", Found("doc", "an old Word document")),
    ("PowerPoint Document", Found("ppt", "an old PowerPoint presentation")),
    ("Workbook", Found("xlsx", "an old Excel workbook")),
    ("Book", Found("xlsx", "an old Excel workbook")),
    ("VisioDocument", UNREAD_NAMES["vsd"]),
)  # fmt: skip
_ANY_ZIP = UNREAD_NAMES["zip"]
_ANY_OLD_OFFICE = _unread("an old Office document", _EXPORT)


def found_in(data: bytes) -> Found | None:
    """What the bytes are; ``None`` for text and for the unknown.

    >>> found_in(b"{\\\\rtf1 Hello}").kind, found_in(b"GIF89a..").what, found_in(b"Hello")
    ('rtf', 'a picture', None)
    """
    if data.startswith(_ZIP):
        return _in_zip(data)
    if data.startswith(_OLD_OFFICE):
        return _in_old_office(data)
    if data[:4] == b"RIFF" and data[8:12] in _RIFF:
        return _RIFF[data[8:12]]
    if data[4:8] == b"ftyp" and data[8:12] in HEIF_BRANDS:
        return Found("image", "a HEIF picture")
    if data[4:8] == b"ftyp" and data[:1] == b"\0":
        return UNREAD_NAMES["mp4"]
    if data.startswith(b"BM") and data[6:10] == bytes(4) and data[14:18] in _BITMAP_HEADERS:
        return Found("image", "a bitmap picture")
    if data[257:262] == b"ustar":
        return UNREAD_NAMES["tar"]
    return next((found for marks, found in _SIGNATURES if data.startswith(marks)), None)


def _in_zip(data: bytes) -> Found | None:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = {name.replace("\\", "/").lower() for name in archive.namelist()}
            stated = (
                archive.open("mimetype").read(200).decode("ascii", "replace").strip() if "mimetype" in names else ""
            )
    except (zipfile.BadZipFile, KeyError, OSError, ValueError, EOFError, RuntimeError, NotImplementedError):
        return None  # damaged: its name says what it was
    if stated == "application/epub+zip" or (not stated and "meta-inf/container.xml" in names):
        return Found("epub", "an electronic book (EPUB)")
    open_document = _OPEN_DOCUMENT.match(stated)
    if open_document:
        return _OPEN_DOCUMENTS.get(open_document[1], UNREAD_NAMES["odg"])
    return next((found for start, found in _MEMBERS if any(name.startswith(start) for name in names)), _ANY_ZIP)


def _in_old_office(data: bytes) -> Found:
    """Office 97 to 2003 and Outlook share a container: the streams at its root tell them apart."""
    import olefile

    try:
        with olefile.OleFileIO(BytesIO(data)) as container:
            return next((found for name, found in _STREAMS if container.exists(name)), _ANY_OLD_OFFICE)
    except Exception:  # olefile meets damage with whatever goes wrong first: here it only means that nothing is known
        return _ANY_OLD_OFFICE
