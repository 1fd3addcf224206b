"""``python -m core watch``: one pass or many, a line for what happened, an end that is asked for, and one writer."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.cli.main import main
from core.library import Library
from tests.cli.without_model import COMMAND, quickly
from tests.conftest import ROOT
from tests.watching.keeper import held, there, write


@pytest.fixture(autouse=True)
def _without_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.storage.embedder.load_model", quickly)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(3):
        write(tmp_path / "notes" / f"{number}.md", f"Note {number} tells of otters.\n")
    return tmp_path / "notes"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    Library.open(tmp_path / "home").close()
    return tmp_path / "home"


def run(capsys, home: Path, *arguments: str) -> tuple[int, list[dict]]:
    """The exit code and the JSON lines."""
    code = main(["watch", "--library", str(home), "--json", *arguments])
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_dry_run_says_what_one_pass_does(capsys, home: Path, folder: Path) -> None:
    code, (would,) = run(capsys, home, "--dry-run", str(folder))
    assert (code, would["new"], would["gone"], would["bytes"] > 0, would["problem"]) == (0, 3, 0, True, "")
    code, lines = run(capsys, home, "--once", str(folder))
    assert code == 0
    assert [(line["what"], line["name"]) for line in lines[:3]] == [("read", f"{number}.md") for number in range(3)]
    assert (lines[3]["folder"], lines[3]["new"], lines[3]["reading"]) == (str(folder), 0, 0)
    (folder / "0.md").rename(folder / "zero.md")
    write(folder / "1.md", "Note 1 tells of herons.\n")
    code, (would,) = run(capsys, home, "--dry-run")  # the folder is remembered
    assert (would["new"], would["changed"], would["moved"]) == (0, 1, 1)
    code, lines = run(capsys, home, "--once")
    assert {(line.get("what"), line.get("name")) for line in lines[:-1]} == {("moved", "zero.md"), ("read", "1.md")}
    with Library.open(home, write=False) as library:
        assert held(library, folder) == there(folder)


def test_a_folder_whose_files_are_gone_removes_them_when_told_to(capsys, home: Path, folder: Path) -> None:
    run(capsys, home, "--once", str(folder))
    shutil.rmtree(folder)
    code, lines = run(capsys, home, "--once")
    assert (code, lines[0]["what"], "not there" in lines[1]["problem"]) == (1, "missing", True)
    folder.mkdir()
    code, lines = run(capsys, home, "--once")
    assert (code, [line.get("what") for line in lines[:-1]], lines[-1]["asks"]) == (1, ["back", "asked"], True)
    code, lines = run(capsys, home, "--once", "--remove-gone")
    assert (code, {line.get("what") for line in lines[:-1]}) == (0, {"removed"})
    with Library.open(home, write=False) as library:
        assert (library.sources(), len(library.trashed())) == ([], 3)


def test_without_a_folder_or_the_lock_it_says_so(capsys, home: Path, folder: Path) -> None:
    assert main(["watch", "--library", str(home)]) == 2
    assert "no folder to keep in step" in capsys.readouterr().err
    with Library.open(home):
        assert main(["watch", "--library", str(home), str(folder)]) == 2
    assert "is being written by process" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="signals of another process")
def test_it_watches_until_it_is_stopped(home: Path, folder: Path) -> None:
    command = [*COMMAND, "watch", "--library", str(home), "--json", str(folder)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, text=True, **pipes) as process:
        assert process.stdout is not None
        assert {json.loads(process.stdout.readline())["name"] for _ in range(3)} == {"0.md", "1.md", "2.md"}
        (folder / "0.md").unlink()
        assert json.loads(process.stdout.readline())["what"] == "removed"
        process.terminate()  # which it hears as it hears Ctrl-C
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "")
    assert "Traceback" not in err
    with Library.open(home) as library:  # its lock is free
        assert held(library, folder) == there(folder)
