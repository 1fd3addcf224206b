"""Converts old Office files, OpenDocument slides and Apple Pages with LibreOffice, where it is installed.

It is isolated from the user's own installation: a temporary profile, no macros, no updates, and on Linux no network
where the system lets a user disable it. Source: https://help.libreoffice.org/latest/en-US/text/shared/guide/
start_parameters.html and the schema ``org.openoffice.Office.Common``.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from core.errors import ParseError, WorkerError
from core.parsing.external_programs import run
from core.parsing.file_names import display_name
from core.parsing.flow_parser import FlowParser
from core.settings import ParsingSettings
from core.types import Document

TARGETS = {"doc": "docx", "ppt": "pptx", "odp": "pptx", "pages": "docx"}
"""Kinds that LibreOffice converts, and the kind it converts them to."""
NOTE = "Converted by LibreOffice before it was read."
_ELSEWHERE = (
    "/Applications/LibreOffice.app/Contents/MacOS/soffice",
    r"C:\Program Files\LibreOffice\program\soffice.exe",
)
_SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<item oor:path="/org.openoffice.Office.Common/Security/Scripting">
<prop oor:name="DisableMacrosExecution" oor:op="fuse"><value>true</value></prop>
<prop oor:name="MacroSecurityLevel" oor:op="fuse"><value>3</value></prop>
<prop oor:name="BlockUntrustedRefererLinks" oor:op="fuse"><value>true</value></prop>
<prop oor:name="DisableActiveContent" oor:op="fuse"><value>true</value></prop></item>
</oor:items>
"""


class OfficeParser:
    """The parser for a kind of ``TARGETS``: LibreOffice converts the file, and the reader of the result reads it."""

    def __init__(self, kind: str, settings: ParsingSettings) -> None:
        self._reader = FlowParser(TARGETS[kind], settings)
        self._kind = kind
        self._settings = settings
        self.name, self.version = self._reader.name.replace(TARGETS[kind], kind), self._reader.version

    def parse(self, data: bytes, name: str, progress: Callable[[str, int, int], None] | None = None) -> Document:
        """Like ``Parser.parse``. Raises ``ParseError`` also where LibreOffice is missing or cannot read the file."""

        def tick() -> None:
            if progress:
                progress("parsing", 0, 1)

        made = convert(data, self._kind, display_name(name), self._settings.timeout_seconds, tick)
        document = self._reader.parse(made, name, progress)
        version = hashlib.sha256(data).hexdigest()
        return replace(document, version_id=version, kind=self._kind, notes=(*document.notes, NOTE))


def program() -> str:
    """The path of LibreOffice, "" where it is not installed."""
    found = shutil.which("soffice") or shutil.which("libreoffice")
    return found or next((path for path in _ELSEWHERE if Path(path).is_file()), "")


def convert(data: bytes, kind: str, shown: str, timeout_seconds: float, tick: Callable[[], None]) -> bytes:
    """A file of one of ``TARGETS``, converted. ``tick`` is called five times a second and may raise to stop.

    Raises ``ParseError`` where LibreOffice is not installed or cannot convert the file, ``WorkerError`` where it takes
    too long.
    """
    office = program()
    if not office:
        problem = f"{shown} is read through LibreOffice, which is not installed here."
        raise ParseError(problem, f"Install LibreOffice and add it again, or save it as .{TARGETS[kind]} and add that.")
    with TemporaryDirectory(prefix="lectern-office-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        (home / "user").mkdir()
        (home / "user" / "registrymodifications.xcu").write_text(_SETTINGS, encoding="utf-8")
        (home / f"in.{kind}").write_bytes(data)
        message = _run(
            [
                *(*_without_network(), office, f"-env:UserInstallation={home.as_uri()}", "--headless", "--norestore"),
                *("--nologo", "--nodefault", "--nolockcheck", "--convert-to", TARGETS[kind], "--outdir", str(home)),
                str(home / f"in.{kind}"),
            ],
            home,
            shown,
            timeout_seconds,
            tick,
        )
        converted = home / f"in.{TARGETS[kind]}"
        if not converted.is_file():
            problem = f"{shown} could not be read: LibreOffice makes nothing of it{f' ({message})' if message else ''}."
            raise ParseError(problem, "Open it in the program that made it, export it as PDF and add that.")
        return converted.read_bytes()


@cache
def _without_network() -> tuple[str, ...]:
    """The command prefix that cuts a program off from the network; () where the system does not allow it."""
    prefix = ("unshare", "--map-current-user", "--net")
    test = shutil.which("unshare") and subprocess.run([*prefix, "true"], capture_output=True, check=False)
    return prefix if test and test.returncode == 0 else ()


def _run(command: list[str], home: Path, shown: str, timeout_seconds: float, tick: Callable[[], None]) -> str:
    """Run the program and return the last line of its error output."""
    dead_proxies = dict.fromkeys(("http_proxy", "https_proxy"), "http://127.0.0.1:9")
    inherited = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "LANG") if name in os.environ}
    env = {**inherited, **dead_proxies, "HOME": str(home), "TMPDIR": str(home), "SAL_USE_VCLPLUGIN": "svp"}
    problem = f"{shown}: LibreOffice did not convert it within {timeout_seconds:g} seconds."
    late = WorkerError(problem, "Raise the limit in the settings, or split the file.")
    _, _, errors = run(command, None, timeout_seconds, late, env=env, tick=tick)
    return (errors.decode("utf-8", "replace").splitlines() or [""])[-1].strip()[:200]
