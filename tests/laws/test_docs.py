"""What the documents promise is there: every command parses, every named file, target, preset and dial exists."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from core.settings import PRESETS, Settings

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("**/*.md"))]
FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def commands(text: str) -> list[str]:
    """The shell commands of the fenced blocks, continued lines joined, comments left to ``shlex``.

    >>> commands("```sh\\n$ make run  # here\\npython -m core \\\\\\n  stats\\n```")
    ['make run  # here', 'python -m core stats']
    """
    joined = [re.sub(r"\\\n\s*", "", block) for block in FENCE.findall(text)]
    return [line.removeprefix("$ ").strip() for block in joined for line in block.splitlines() if line.strip()]


def examples(start: str) -> list[pytest.param]:
    found = [(page.name, command) for page in PAGES for command in commands(page.read_text(encoding="utf-8"))]
    return [
        pytest.param(shlex.split(command, comments=True), id=f"{page}: {command[:60]}")
        for page, command in found
        if command.startswith(start)
    ]


CORE_EXAMPLES = examples("python -m core ")


@pytest.mark.parametrize("words", CORE_EXAMPLES)
def test_every_command_line_example_is_understood(words: list[str]) -> None:
    from core.cli.main import build_parser

    assert vars(build_parser().parse_args(words[3:]))
    for flag, value in pairwise(words):
        if flag == "--set":
            Settings().with_value(*value.split("=", 1))
        if flag == "--preset":
            assert value in PRESETS


def test_every_command_has_an_example() -> None:
    shown = {param.values[0][3] for param in CORE_EXAMPLES}
    wanted = {"ingest", "query", "chunk", "bench", "read", "judgments", "list", "remove", "verify", "rebuild", "stats"}
    wanted |= {"report", "train-reranker", "train-reader", "refit", "ask", "why", "watch", "check", "backup"}
    assert shown == wanted


@pytest.mark.parametrize("words", examples("make "))
def test_every_make_example_names_a_target_and_known_variables(words: list[str]) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for word in words[1:]:
        name, is_variable, _ = word.partition("=")
        pattern = rf"^{re.escape(name)} \?=" if is_variable else rf"^{re.escape(name)}:"
        assert re.search(pattern, makefile, re.MULTILINE), word


def test_the_first_commands_of_the_readme_are_run_and_test() -> None:
    assert [command.split("  ")[0] for command in commands(PAGES[0].read_text(encoding="utf-8"))[:2]] == [
        "make run",
        "make test",
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_inside_the_project_leads_somewhere(page: Path) -> None:
    links = [link.partition("#")[0] for link in LINK.findall(page.read_text(encoding="utf-8"))]
    local = [link for link in links if link and "://" not in link and not link.startswith("mailto:")]
    assert [link for link in local if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_source_file_named_in_prose_exists(page: Path) -> None:
    named = re.findall(r"`((?:core|pages|tests)/[\w/]+\.py)`", page.read_text(encoding="utf-8"))
    assert [name for name in named if not (ROOT / name).is_file()] == []


def test_every_environment_variable_of_the_readme_is_read_by_something() -> None:
    named = set(re.findall(r"\bLECTERN_[A-Z_]+\b", (ROOT / "README.md").read_text(encoding="utf-8")))
    sources = [*(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py"), ROOT / "tests" / "conftest.py"]
    text = "\n".join(source.read_text(encoding="utf-8") for source in sources)
    assert "LECTERN_HOME" in named
    assert [name for name in sorted(named) if name not in text] == []


def test_the_changelog_has_room_for_what_comes() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert headings.count("Unreleased") == 1
