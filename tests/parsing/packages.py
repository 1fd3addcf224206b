"""ZIP packages of the office formats, put together and changed part by part."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile


def packed(parts: Mapping[str, str | bytes]) -> bytes:
    """A package of these parts; one named ``mimetype`` is stored as it is, as OpenDocument and EPUB ask."""
    stream = BytesIO()
    with ZipFile(stream, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content, ZIP_STORED if name == "mimetype" else ZIP_DEFLATED)
    return stream.getvalue()


def bytes_of(data: bytes) -> dict[str, bytes]:
    """A package's parts."""
    with ZipFile(BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def parts_of(data: bytes) -> dict[str, str]:
    """A package's parts as text."""
    return {name: content.decode("utf-8", "replace") for name, content in bytes_of(data).items()}
