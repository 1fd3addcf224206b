"""What bytes are, whatever their name says: signatures, and the members of the two kinds of container.

All that Lectern does not read is named here, with what a person can do about it.
"""

from __future__ import annotations

import re
import struct
import zipfile
from dataclasses import dataclass
from io import BytesIO

_DOCX = "Open it in Word or LibreOffice, save it as .docx and add that."
_PPTX = "Open it in PowerPoint or LibreOffice, save it as .pptx and add that."
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
    **dict.fromkeys(("doc", "dot"), _unread("an old Word document", _DOCX)),
    **dict.fromkeys(("ppt", "pps", "pot"), _unread("an old PowerPoint presentation", _PPTX)),
    "xlsb": _unread("a binary Excel workbook", _XLSX),
    **dict.fromkeys(("odp", "otp", "fodp"), _unread("an OpenDocument presentation", _PPTX)),
    **dict.fromkeys(("odg", "odf", "odb"), _unread("an OpenDocument drawing, formula or database", _EXPORT)),
    "fods": _unread("a flat OpenDocument spreadsheet", "Save it as .ods or .xlsx and add that."),
    "parquet": _unread("a Parquet table", "Export it as CSV and add that."),
    "mbox": _unread("a mailbox", "Save its messages as .eml files and add those."),
    **dict.fromkeys(("mobi", "azw", "azw3", "kfx", "fb2", "lit"), _unread("an electronic book", _CONVERT_BOOK)),
    **dict.fromkeys(("pages", "numbers", "key"), _unread("an Apple iWork document", _EXPORT)),
    **dict.fromkeys(("vsd", "vsdx", "pub", "one", "mpp", "hwp", "hwpx", "wpd", "wps", "xps", "djvu", "chm"),
                    _unread("a document of a program Lectern does not know", _EXPORT)),
    **dict.fromkeys(("gif", "heic", "avif", "ico", "psd"), _unread("a picture", _AS_PNG)),
    **dict.fromkeys(("zip", "gz", "tgz", "bz2", "xz", "7z", "rar", "tar", "zst", "jar"),
                    _unread("an archive", _UNPACK)),
    **dict.fromkeys(("mp3", "mp4", "m4a", "wav", "ogg", "avi", "mov", "mkv", "flac", "webm"),
                    _unread("sound or film", "Add a transcript of it.")),
}  # fmt: skip
"""By extension, what is not read. The README names these."""

TEXT_BUT_UNREAD = frozenset({"mbox", "fods", "fodp", "fb2"})
"""Extensions of text formats that are not read: reading them as plain text would bury the words in markup."""

_SIGNATURES = (
    (b"{\\rtf", Found("rtf", "an RTF document")),
    (b"\x89PNG\r\n\x1a\n", Found("image", "a PNG picture")),
    (b"\xff\xd8\xff", Found("image", "a JPEG picture")),
    (b"GIF87a", _unread("a GIF picture", _AS_PNG)),
    (b"GIF89a", _unread("a GIF picture", _AS_PNG)),
    (b"II*\0", Found("image", "a TIFF picture")),
    (b"MM\0*", Found("image", "a TIFF picture")),
    (b"8BPS\0", _unread("a Photoshop picture", _AS_PNG)),
    (b"\0\0\1\0", _unread("an icon")),
    (b"PK\5\6", _unread("an empty ZIP archive")),
    (b"\x1f\x8b", _unread("a gzip archive", _UNPACK)),
    (b"BZh", _unread("a bzip2 archive", _UNPACK)),
    (b"\xfd7zXZ\0", _unread("an xz archive", _UNPACK)),
    (b"7z\xbc\xaf\x27\x1c", _unread("a 7-Zip archive", _UNPACK)),
    (b"Rar!\x1a\7", _unread("a RAR archive", _UNPACK)),
    (b"(\xb5/\xfd", _unread("a Zstandard archive", _UNPACK)),
    (b"\x7fELF", _unread("a program")),
    (b"MZ\x90\0", _unread("a program")),
    (b"\xca\xfe\xba\xbe", _unread("a compiled Java class or program")),
    (b"\xcf\xfa\xed\xfe", _unread("a program")),
    (b"\0asm", _unread("a compiled WebAssembly module")),
    (b"SQLite format 3\0", _unread("an SQLite database", "Export its tables as CSV and add those.")),
    (b"OggS", _unread("an Ogg recording", "Add a transcript of it.")),
    (b"ID3", _unread("an MP3 recording", "Add a transcript of it.")),
    (b"fLaC", _unread("a FLAC recording", "Add a transcript of it.")),
    (b"PAR1", _unread("a Parquet table", "Export it as CSV and add that.")),
    (b"\x93NUMPY", _unread("a NumPy array")),
    (b"ITSF\3\0", _unread("a Windows help file", _EXPORT)),
    (b"AT&TFORM", _unread("a DjVu document", _EXPORT)),
)
_RIFF = {
    b"WEBP": Found("image", "a WebP picture"),
    b"WAVE": _unread("a WAV recording", "Add a transcript of it."),
    b"AVI ": _unread("a film", "Add a transcript of it."),
}
_BITMAP_HEADERS = {size.to_bytes(4, "little") for size in (12, 40, 52, 56, 64, 108, 124)}  # their lengths
_SEARCHED = 65_536  # bytes at either end of a damaged archive
_ZIP = b"PK\3\4"
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OPEN_DOCUMENT = re.compile(r"application/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation|\w+)")
_OPEN_DOCUMENTS = {
    "text": Found("odt", "an OpenDocument text"),
    "spreadsheet": Found("ods", "an OpenDocument spreadsheet"),
    "presentation": UNREAD_NAMES["odp"],
}
_MEMBERS = (  # the first whose beginning some member has
    ("word/", Found("docx", "a Word document")),
    ("ppt/", Found("pptx", "a PowerPoint presentation")),
    ("xl/workbook.bin", UNREAD_NAMES["xlsb"]),
    ("xl/", Found("xlsx", "an Excel workbook")),
    ("visio/", _unread("a Visio drawing", _EXPORT)),
    ("fixeddocseq.fdseq", _unread("an XPS document", _EXPORT)),
    ("index/document.iwa", UNREAD_NAMES["pages"]),
    ("index.zip", UNREAD_NAMES["pages"]),
    ("meta-inf/manifest.mf", _unread("a Java archive", _UNPACK)),
)
_STREAMS = (
    ("__properties_version1.0", Found("msg", "an Outlook message")),
    ("EncryptedPackage", _unread(
        "an encrypted Office document", "Open it in Office, save it without its password and add that.")),
    ("WordDocument", UNREAD_NAMES["doc"]),
    ("PowerPoint Document", UNREAD_NAMES["ppt"]),
    ("Workbook", Found("xlsx", "an old Excel workbook")),
    ("Book", Found("xlsx", "an old Excel workbook")),
    ("VisioDocument", _unread("an old Visio drawing", _EXPORT)),
)  # fmt: skip
_ANY_ZIP = _unread("a ZIP archive", _UNPACK)
_ANY_OLD_OFFICE = _unread("an old Office document", _EXPORT)


def found_in(data: bytes) -> Found | None:
    """What the bytes are; ``None`` for text and for the unknown.

    >>> found_in(b"{\\\\rtf1 Hello}").kind, found_in(b"GIF89a..").what, found_in(b"Hello")
    ('rtf', 'a GIF picture', None)
    """
    if data.startswith(_ZIP):
        return _in_zip(data)
    if data.startswith(_OLD_OFFICE):
        return _in_old_office(data)
    if data[:4] == b"RIFF" and data[8:12] in _RIFF:
        return _RIFF[data[8:12]]
    if data[4:8] == b"ftyp" and data[:1] == b"\0":
        return _unread("a film or picture (MPEG-4 family)", "Add a transcript of it.")
    if data.startswith(b"BM") and data[6:10] == bytes(4) and data[14:18] in _BITMAP_HEADERS:
        return Found("image", "a bitmap picture")
    if data[257:262] == b"ustar":
        return _unread("a tar archive", _UNPACK)
    return next((found for mark, found in _SIGNATURES if data.startswith(mark)), None)


def _in_zip(data: bytes) -> Found:
    names, stated = _zip_members(data)
    if stated == "application/epub+zip" or (not stated and "meta-inf/container.xml" in names):
        return Found("epub", "an electronic book (EPUB)")
    open_document = _OPEN_DOCUMENT.match(stated)
    if open_document:
        return _OPEN_DOCUMENTS.get(open_document[1], UNREAD_NAMES["odg"])
    return next((found for start, found in _MEMBERS if any(name.startswith(start) for name in names)), _ANY_ZIP)


def _zip_members(data: bytes) -> tuple[set[str], str]:
    """The members' names in lower case, and what the member ``mimetype`` says. Of a damaged archive, what is left."""
    stated = ""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = archive.namelist()
            if "mimetype" in names:
                with archive.open("mimetype") as member:
                    stated = member.read(200).decode("ascii", "replace").strip()
    except (zipfile.BadZipFile, OSError, ValueError, EOFError, RuntimeError, NotImplementedError):
        names, stated = _names_along(data)
    return {name.replace("\\", "/").lower() for name in names}, stated


def _names_along(data: bytes) -> tuple[list[str], str]:
    """Names in the headers before each member: what an archive without its directory still says of itself."""
    names: list[str] = []
    stated = ""
    place = 0
    while place >= 0 and len(names) < 10_000:
        header = data[place : place + 30]
        if len(header) < 30:
            break
        size, length, extra = struct.unpack("<I4xHH", header[18:30])
        names.append(data[place + 30 : place + 30 + length].decode("utf-8", "replace"))
        if names[-1] == "mimetype":
            start = place + 30 + length + extra
            stated = data[start : start + min(size, 200)].decode("ascii", "replace").strip()
        place = data.find(_ZIP, place + 30)
    seen = data[:_SEARCHED] + data[-_SEARCHED:]
    return [*names, *(start for start, _ in _MEMBERS if start.encode() in seen)], stated


def _in_old_office(data: bytes) -> Found:
    """Office 97 to 2003 and Outlook share a container: the streams at its root tell them apart."""
    import olefile

    try:
        with olefile.OleFileIO(BytesIO(data)) as container:
            return next((found for name, found in _STREAMS if container.exists(name)), _ANY_OLD_OFFICE)
    except Exception:  # olefile meets damage with whatever goes wrong first: here it only means that nothing is known
        return _ANY_OLD_OFFICE
