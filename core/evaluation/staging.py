"""A suite's documents as files a library can read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from core.errors import ParseError
from core.evaluation.suites import Suite
from core.parsing import detect_kind

OWN_TEXT = ("markdown", "text", "code")
"""Kinds whose canonical text is the file's own text, so that gold offsets hold in it."""

_UNSAFE = re.compile(r"[^\w .+()-]")
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class Staged:
    """A suite's document, and the file that holds its bytes."""

    name: str
    path: Path


def stage_documents(suite: Suite, folder: Path) -> tuple[Staged, ...]:
    """Every document of ``suite`` as a file, in the suite's order.

    Files of the suite stay where they are. Texts are written below ``folder``, each in a numbered folder of its own
    under a name that is safe anywhere; what is already there and right is left alone.
    """
    staged = []
    for number, document in enumerate(suite.documents):
        path = document.path
        if path is None:
            data = (document.text or "").encode()
            path = folder / f"{number:06d}" / _text_file_name(document.name, data)
            if not path.is_file() or path.read_bytes() != data:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        staged.append(Staged(document.name, path))
    return tuple(staged)


def safe_name(name: str) -> str:
    """The last part of ``name`` with only characters that any file system takes, at most 80 of them.

    >>> safe_name("../a/b\\n*.md"), safe_name(".."), safe_name("x/")
    ('b__.md', 'document', 'document')
    """
    last = _UNSAFE.sub("_", re.split(r"[/\\]", name)[-1]).strip(" .")
    stem, dot, extension = last.rpartition(".")
    if dot and len(extension) <= 10:
        last = f"{stem[: _LONGEST - len(extension) - 1]}.{extension}"
    return last[:_LONGEST] or "document"


def _text_file_name(name: str, data: bytes) -> str:
    """A name under which the bytes are read as the text they are: what its extension would turn to more gets .txt."""
    safe = safe_name(name)
    try:
        kind = detect_kind(data, safe)
    except ParseError:
        # Ingesting it as plain text gives the reason, and the bench lists it.
        kind = ""
    return safe if kind in OWN_TEXT else f"{safe}.txt"


def suite_folder(suite: Suite) -> str:
    """The folder's name in a workspace that holds what is kept for a suite's documents.

    Suites over the same documents share it where they share their name.
    """
    return f"{safe_name(suite.name)}-{suite.documents_fingerprint()[:16]}"
