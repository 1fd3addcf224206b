"""The set-up a stranger relies on: exact pins, a Makefile that installs once, a licence that is what it says."""

from __future__ import annotations

import ast
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PIN = re.compile(r"(?P<name>[a-z0-9][a-z0-9-]*)(?:\[[a-z0-9,]+\])?==(?P<version>[0-9][0-9a-z.]*)")
OURS = {"benchmarks", "core", "pages", "tests"}
# Run in an environment of their own, with pins of its own.
PEERS = ROOT / "benchmarks" / "peers_systems.py"
AGPL_SHA256 = "0d96a4ff68ad6d4b6f1f30f713b18d5184912ba8dd389f86aa7710db079abcb0"  # gnu.org/licenses/agpl-3.0.txt

needs_make = pytest.mark.skipif(
    shutil.which("make") is None or os.name == "nt", reason="make and a POSIX shell are needed"
)


def requirement_lines(name: str) -> list[str]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def pins(name: str) -> dict[str, str]:
    found = [PIN.fullmatch(line) for line in requirement_lines(name) if not line.startswith("-r ")]
    return {match["name"]: match["version"] for match in found if match}


def python_files(place: Path) -> list[Path]:
    return [place] if place.suffix == ".py" else sorted(place.rglob("*.py"))


def top_level_imports(source: str) -> set[str]:
    """
    >>> sorted(top_level_imports("import numpy.typing as n\\nfrom torch.nn import Module\\nfrom . import here"))
    ['numpy', 'torch']
    """
    nodes = list(ast.walk(ast.parse(source)))
    plain = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    named = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    return {name.partition(".")[0] for name in (*plain, *named)}


def make(folder: Path, *arguments: str) -> str:
    # A make that runs these tests hands its own flags and ``which`` tests it runs down by these variables.
    handed_down = ("MAKE", "MFLAGS", "TORCH", "which")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(handed_down)}
    finished = subprocess.run(
        ["make", *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_every_requirement_is_one_exact_pin(name: str) -> None:
    lines = [line for line in requirement_lines(name) if line != "-r requirements.txt"]
    assert lines
    assert [line for line in lines if not PIN.fullmatch(line)] == []
    assert len(pins(name)) == len(lines)


def test_no_package_is_pinned_twice() -> None:
    assert "-r requirements.txt" in requirement_lines("requirements-dev.txt")
    assert pins("requirements.txt").keys() & pins("requirements-dev.txt").keys() == set()


def test_the_ray_that_is_offered_is_the_ray_that_is_tested() -> None:
    assert "-r requirements.txt" in requirement_lines("requirements-ray.txt")
    assert pins("requirements-ray.txt").items() <= pins("requirements-dev.txt").items()


def test_the_lock_holds_every_pin_with_hashes() -> None:
    """Whether the hashes are right, ``pip install --require-hashes`` itself says."""
    entries = re.split(r"\n(?=\S)", (ROOT / "requirements.lock").read_text(encoding="utf-8").strip())
    locked = [re.match(r"([a-z0-9._-]+)(?:\[[a-z0-9,]+\])?==([^ ]+) \\\n", entry) for entry in entries]
    assert all(locked)
    assert all("--hash=sha256:" in entry for entry in entries)
    versions = {match[1]: match[2].partition("+")[0] for match in locked if match}
    assert len(versions) > 150
    assert pins("requirements.txt").items() <= versions.items()


def test_what_is_installed_is_what_is_pinned() -> None:
    wanted = pins("requirements.txt") | pins("requirements-dev.txt")
    # torch's CPU build calls itself 2.13.0+cpu: the part after the plus names a build, not a version.
    installed = {name: metadata.version(name).partition("+")[0] for name in wanted}
    assert installed == wanted


@pytest.mark.parametrize(
    ("folders", "files"),
    [
        (("core", "pages", "app.py"), ("requirements.txt", "requirements-ray.txt")),
        (("tests", "benchmarks"), ("requirements.txt", "requirements-dev.txt")),
    ],
)
def test_every_imported_package_is_pinned(folders: tuple[str, ...], files: tuple[str, ...]) -> None:
    pinned = {name for file in files for name in pins(file)}
    providers = metadata.packages_distributions()
    sources = [path for folder in folders for path in python_files(ROOT / folder) if path != PEERS]
    missing: dict[str, str] = {}
    for source in sources:
        for top in top_level_imports(source.read_text(encoding="utf-8")) - OURS - sys.stdlib_module_names:
            distributions = {name.lower().replace("_", "-") for name in providers.get(top, [top])}
            if not distributions & pinned:
                missing[top] = str(source.relative_to(ROOT))
    assert missing == {}


def test_what_the_peers_import_is_pinned_for_their_environment() -> None:
    pinned = pins("benchmarks/peers-requirements.txt")
    imported = top_level_imports(PEERS.read_text(encoding="utf-8")) - sys.stdlib_module_names
    assert "chonkie" in imported
    names = {top.lower().replace("_", "-") for top in imported}
    # A namespace's package has a longer name: llama_index comes with llama-index-core.
    assert {name for name in names if not any(pin == name or pin.startswith(name + "-") for pin in pinned)} == set()


@needs_make
def test_make_knows_its_targets() -> None:
    assert "-m streamlit run app.py" in make(ROOT, "-n", "run")
    tested = make(ROOT, "-n", "test")
    for tool in ("ruff check", "ruff format --check", "mypy", "pytest"):
        assert f"-m {tool}" in tested
    browser_files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*browser.py")}
    assert len(browser_files) > 5
    assert browser_files <= set(re.findall(r"tests/\S+", tested))
    every = make(ROOT, "-n", "test-all")
    for kind in ("browser", "not browser"):
        assert f'-m "{kind} and not long"' in tested
        assert f'-m "{kind}"' in every
    assert "data" not in make(ROOT, "-n", "clean")


@needs_make
def test_torch_is_taken_from_the_index_that_was_named(tmp_path: Path) -> None:
    for name in ("Makefile", "requirements.txt", "requirements-dev.txt"):
        shutil.copy(ROOT / name, tmp_path)
    pin = f"torch=={pins('requirements.txt')['torch']}"
    commands = make(tmp_path, "-n", "run", "TORCH_INDEX=https://example.org/cpu").splitlines()
    first, second = [command for command in commands if " install " in command]
    assert first.endswith(f'install "{pin}" --index-url "https://example.org/cpu"')
    assert second.endswith("install -r requirements.txt")
    assert pin not in make(tmp_path, "-n", "run")


@needs_make
@pytest.mark.long  # `make test` itself was just installed so
def test_make_installs_once_and_again_when_the_pins_change(tmp_path: Path) -> None:
    """The real thing in a folder with spaces, with nothing to install, so that no network is needed."""
    folder = tmp_path / "a folder with spaces"
    folder.mkdir()
    shutil.copy(ROOT / "Makefile", folder)
    for name in ("requirements.txt", "requirements-dev.txt"):
        (folder / name).write_text("# nothing\n", encoding="utf-8")

    def install() -> tuple[str, str]:
        stamp = re.findall(r"installed-run-\d+", make(folder, "-n", "-B", "run"))[-1]
        return stamp, make(folder, f"PYTHON={sys.executable}", f".venv/{stamp}")

    first, said = install()
    assert "pip" in said
    assert (folder / ".venv" / first).is_file()
    assert install()[0] == first
    assert "pip" not in install()[1]
    assert "pip" not in make(folder, "-n", "run")

    (folder / "requirements.txt").write_text("# still nothing\n", encoding="utf-8")
    second, said = install()
    assert second != first
    assert "pip" in said
    assert [path.name for path in (folder / ".venv").glob("installed-*")] == [second]


@needs_make
def test_an_old_python_is_refused_with_a_sentence(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("requirements.txt", "requirements-dev.txt"):
        shutil.copy(ROOT / name, tmp_path)
    check = next(line for line in make(tmp_path, "-n", "run").splitlines() if "version_info" in line)
    assert subprocess.run(["sh", "-c", check], check=False).returncode == 0
    old = subprocess.run(["sh", "-c", check.replace("(3, 11)", "(99, 0)")], capture_output=True, text=True, check=False)
    assert old.returncode != 0
    assert "Lectern needs Python" in old.stderr


def test_the_check_of_a_change_is_the_readmes_test_command() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    lines = script.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "#!/usr/bin/env bash"
    assert "set -euo pipefail" in lines
    assert lines[-1] == "make test"
    subprocess.run(["bash", "-n", str(script)], check=True)


def test_the_licence_is_what_it_says() -> None:
    assert hashlib.sha256((ROOT / "LICENSE").read_bytes()).hexdigest() == AGPL_SHA256
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license"] == "AGPL-3.0-or-later"
    assert "AGPL-3.0-or-later" in (ROOT / "README.md").read_text(encoding="utf-8")
