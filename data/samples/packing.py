"""Zip packages that come out the same, byte for byte, however often and whenever they are made; and the e-book.

Office libraries and pandoc write the hour of the making into a package: as dates of its members, and as the last
change among its properties. Both are set to the document's own date here.
"""

from __future__ import annotations

import re
import subprocess
from datetime import datetime
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import pypandoc

MEMBER_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip file can state
_STAMP = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*(<)")


def repacked(data: bytes, when: datetime) -> bytes:
    """The package with the dates of its members and of its properties fixed; packages inside it likewise.

    ``when``: what the properties state as creation and last change, in UTC. Members keep their order, since an e-book
    must begin with its type, uncompressed.
    """
    stamp = when.strftime("%Y-%m-%dT%H:%M:%SZ").encode()
    packed = BytesIO()
    with ZipFile(BytesIO(data)) as old, ZipFile(packed, "w") as new:
        for member in old.infolist():
            content = old.read(member)
            if content.startswith(b"PK\x03\x04"):
                content = repacked(content, when)
            elif member.filename == "docProps/core.xml":
                content = _STAMP.sub(rb"\g<1>" + stamp + rb"\g<2>", content)
            entry = ZipInfo(member.filename, MEMBER_DATE)
            entry.compress_type = ZIP_STORED if member.filename == "mimetype" else ZIP_DEFLATED
            entry.create_system = 0  # or the machine's family would be written
            new.writestr(entry, content)
    return packed.getvalue()


def book(source: Path, when: datetime) -> bytes:
    """An EPUB 3 of a Markdown file, made by pandoc: a page a chapter, a table of contents, an identifier that stays."""
    command = [pypandoc.get_pandoc_path(), str(source), "--from=markdown", "--to=epub3", "--output=-"]
    command += ["--split-level=1", f"--metadata=identifier:urn:fennmark:{source.stem}"]
    environment = {"SOURCE_DATE_EPOCH": str(int(when.timestamp())), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(command, capture_output=True, check=True, env=environment)
    return repacked(done.stdout, when)
