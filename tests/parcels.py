"""A format for tests: files in files, and files behind a password, without a mail reader or a PDF.

``parcel(text, {"name": bytes})`` is read as a document with attachments, ``locked(text, password)`` asks for its
password, ``BROKEN`` is refused. ``install`` teaches them to the way in; ``PARCELS.version`` is their parser's.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping

import pytest

from core.errors import ParseError, PasswordNeededError
from core.ingest import preparing
from core.types import Attachment, Block, BlockKind, Document

_PARCEL, _LOCKED, BROKEN = b"PARCEL ", b"LOCKED ", b"BROKEN"


class PARCELS:
    version = 1
    left_out: tuple[str, ...] = ()  # names of attachments a version of the parser passes over
    refused: tuple[str, ...] = ()  # names of files it cannot read


def parcel(text: str, files: Mapping[str, bytes] | list[tuple[str, bytes]]) -> bytes:
    pairs = files.items() if isinstance(files, Mapping) else files
    held = [[name, base64.b64encode(data).decode()] for name, data in pairs]
    return _PARCEL + json.dumps({"text": text, "files": held}).encode()


def locked(text: str, password: str) -> bytes:
    return _LOCKED + json.dumps({"text": text, "password": password}).encode()


def install(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Returns the names that were parsed, as they are."""
    read: list[str] = []
    real_parse, real_fingerprint = preparing.parse, preparing.parser_fingerprint

    def parse(data, name, settings, progress=None, password=None):
        read.append(name)
        if name in PARCELS.refused:
            raise ParseError(f"{name} is refused.", "Wait for the next version.")
        if data == BROKEN:
            raise ParseError(f"{name} is broken.", "Mend it.")
        if data.startswith(_LOCKED):
            held = json.loads(data.removeprefix(_LOCKED))
            if password != held["password"]:
                raise PasswordNeededError(f"{name} is encrypted.", "Give its password.")
            return document(data, held["text"], name)
        if not data.startswith(_PARCEL):
            return real_parse(data, name, settings, progress)
        held = json.loads(data.removeprefix(_PARCEL))
        files = [(inner, base64.b64decode(value)) for inner, value in held["files"] if inner not in PARCELS.left_out]
        return document(data, held["text"], name, tuple(Attachment(*file) for file in files))

    def fingerprint(kind, settings=None):
        return f"parcels-{PARCELS.version}" if kind == "parcel" else real_fingerprint(kind, settings)

    monkeypatch.setattr(preparing, "parse", parse)
    monkeypatch.setattr(preparing, "parser_fingerprint", fingerprint)
    monkeypatch.setattr(PARCELS, "version", 1)
    monkeypatch.setattr(PARCELS, "left_out", ())
    monkeypatch.setattr(PARCELS, "refused", ())
    return read


def document(data: bytes, text: str, name: str, attachments: tuple[Attachment, ...] = ()) -> Document:
    blocks = (Block(BlockKind.PARAGRAPH, 0, len(text)),) if text else ()
    return Document(
        hashlib.sha256(data).hexdigest(), "parcel", name, text, blocks, notes=("A parcel.",), attachments=attachments
    )
