"""Old Office files through LibreOffice, and what is said where there is none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from core.errors import CancelledError, ParseError, WorkerError
from core.parsing import parse
from core.parsing.ooxml import libreoffice
from core.settings import ParsingSettings
from tests.parsing.flow_files import files
from tests.parsing.laws import assert_laws
from tests.parsing.test_file_kinds import compound

needs_libreoffice = pytest.mark.skipif(not libreoffice.program(), reason="LibreOffice is not installed")
LIMITS = ParsingSettings()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A small file of each kind, which LibreOffice itself writes."""
    folder = tmp_path_factory.mktemp("office")
    samples = files()
    for source, kind in (("docx", "doc"), ("pptx", "ppt"), ("pptx", "odp")):
        file = folder / f"ducks.{source}"
        file.write_bytes(samples[source])
        profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
        command = [
            libreoffice.program(),
            profile,
            "--headless",
            "--convert-to",
            kind,
            "--outdir",
            str(folder),
            str(file),
        ]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    return {path.suffix[1:]: path.read_bytes() for path in folder.glob("ducks.*")}


@needs_libreoffice
@pytest.mark.parametrize("kind", ["doc", "ppt", "odp"])
def test_old_files_are_read_as_new_ones_are(made: dict[str, bytes], kind: str) -> None:
    found = parse(made[kind], f"ducks.{kind}", LIMITS)
    newer = "docx" if kind == "doc" else "pptx"
    same = parse(files()[newer], f"ducks.{newer}", LIMITS)
    assert_laws(found)
    assert found.kind == kind
    assert [word for word in same.text.split() if word not in found.text] == []
    assert any(block.cells for block in found.blocks) == any(block.cells for block in same.blocks)
    assert libreoffice.NOTE in found.notes
    assert found.words


@needs_libreoffice
def test_what_libreoffice_cannot_read_is_a_sentence_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(ParseError, match=r"^a\.ppt could not be read"):
        parse(compound("PowerPoint Document"), "a.ppt", LIMITS)
    with pytest.raises(WorkerError, match=r"^a\.ppt: LibreOffice did not convert it within"):
        libreoffice.convert(b"x", "ppt", "a.ppt", 0, lambda: None)

    def stop() -> None:
        raise CancelledError("Stopped.")

    with pytest.raises(CancelledError):
        libreoffice.convert(b"x", "ppt", "a.ppt", 60, stop)
    assert list(tmp_path.iterdir()) == []


def test_where_it_is_not_installed_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(libreoffice, "_ELSEWHERE", ())
    with pytest.raises(ParseError) as caught:
        parse(compound("WordDocument"), "a.doc", LIMITS)
    assert str(caught.value) == (
        "a.doc is read through LibreOffice, which is not installed here. Install LibreOffice and add it again, or save "
        "it as .docx and add that."
    )
