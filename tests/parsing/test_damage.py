"""Files of every packed or binary format, cut off, bent or hostile: read, or refused in a sentence that names them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.errors import ParseError
from core.parsing.flow import ParsedFile, compose
from core.parsing.mail import calendar_reader, contacts_reader, outlook_reader, reader
from core.parsing.pandoc import odt_reader, rtf_reader
from core.parsing.sheets import ods_reader
from core.parsing.sheets import reader as sheet_reader
from core.parsing.slides import reader as slide_reader
from core.parsing.word import reader as word_reader
from tests.parsing.flow_files import files
from tests.parsing.packages import bytes_of, packed
from tests.parsing.sheet_files import xls

READERS: dict[str, Callable[[bytes, str], ParsedFile]] = {
    "docx": word_reader.read,
    "pptx": slide_reader.read,
    "xlsx": sheet_reader.read,
    "xls": sheet_reader.read,
    "ods": ods_reader.read,
    "odt": odt_reader.prepare,
    "rtf": rtf_reader.prepare,
    "eml": reader.read,
    "msg": outlook_reader.read,
    "calendar": calendar_reader.read,
    "contacts": contacts_reader.read,
}
PACKAGES = ("docx", "pptx", "xlsx", "ods", "odt")


@pytest.fixture(scope="module")
def whole() -> dict[str, bytes]:
    return {**files(), "xls": xls((0, 0, "Year"), (0, 1, "Ducks"), (1, 0, 2019.0), merges=((0, 0, 0, 1),))}


def said(kind: str, data: bytes) -> str:
    """What a reader finds, or the sentence with which it refuses."""
    try:
        return f"a.{kind} {compose(READERS[kind](data, f'folder/a.{kind}').pieces).text}"
    except ParseError as error:
        return str(error)


def bent(whole: bytes) -> Iterator[bytes]:
    step = len(whole) // 40 + 1
    yield from (whole[:end] for end in range(0, len(whole), step))
    yield from (whole[:place] + b"\xff\x7f" + whole[place + 2 :] for place in range(24, len(whole), step))


@pytest.mark.parametrize("kind", READERS)
def test_a_file_cut_or_bent_anywhere_is_read_or_refused(kind: str, whole: dict[str, bytes]) -> None:
    for data in bent(whole[kind]):
        assert f"a.{kind}" in said(kind, data)


@pytest.mark.parametrize("kind", PACKAGES)
def test_a_broken_or_hostile_part_is_noted_or_refused_and_reaches_no_file(
    kind: str, whole: dict[str, bytes], tmp_path: Path
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("treasure")
    members = bytes_of(whole[kind])
    alike = re.compile(r"(?:[2-9]|1\d)\.xml")  # of parts that are many, such as layouts of slides, the first is enough
    for part in (name for name in members if name.endswith((".xml", ".rels")) and not alike.search(name)):
        bomb = "".join(f'<!ENTITY e{place} "{f"&e{place - 1};" * 10}">' for place in range(1, 10))
        outside = f'<!ENTITY e9 SYSTEM "{secret.as_uri()}">'
        entities = (f"<!DOCTYPE x [{stated}]><x>&e9;</x>" for stated in (outside, f'<!ENTITY e0 "lol">{bomb}'))
        for content in (b"<broken", *map(str.encode, entities)):
            found = said(kind, packed({**members, part: content}))
            assert f"a.{kind}" in found, part
            assert "treasure" not in found


@pytest.mark.parametrize("kind", sorted(READERS.keys() - {"eml"}))
def test_what_is_none_says_so(kind: str) -> None:
    for data in (b"", b"PK\3\4 cut off", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), b"Name,Age\n"):
        with pytest.raises(ParseError) as caught:
            READERS[kind](data, f"a.{kind}")
        assert str(caught.value).startswith(f"a.{kind} ")
