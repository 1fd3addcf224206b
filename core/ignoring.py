"""Patterns of files to pass over, as in .gitignore: those given, those of .lecternignore files, and the defaults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore import GitIgnorePatternError

from core.errors import LecternError

DEFAULTS = (".git/", "node_modules/", "__pycache__/", ".venv/", "*.pyc", ".DS_Store", "Thumbs.db", "desktop.ini", "~$*")
IGNORE_FILE = ".lecternignore"
HIDDEN = ".*"  # what begins with a dot, the last of the defaults unless hidden files are wanted
OWN_LIBRARY = "a Lectern library"
_IGNORE_FILE_BYTES = 1 << 18


@dataclass(frozen=True, slots=True)
class Rules:
    """Patterns that hold below one folder. ``base``: the way to it, "" or ending in ``/``."""

    base: str
    patterns: tuple[str, ...]
    spec: GitIgnoreSpec


@dataclass(frozen=True, slots=True)
class Ignoring:
    """Rules by rank: the first that says anything about a path decides. ``given`` by the person come first."""

    given: Rules
    nested: tuple[Rules, ...]  # of .lecternignore files, the deepest first
    defaults: Rules

    @classmethod
    def of(cls, patterns: Sequence[str], *, hidden: bool = False) -> Ignoring:
        """The given patterns before the defaults. ``hidden``: take hidden files too.

        Raises ``LecternError`` for a pattern that is none.

        >>> rules = Ignoring.of(["*.log", "!keep.log"])
        >>> rules.pattern_for("a/b.log"), rules.pattern_for("keep.log"), rules.pattern_for("a/node_modules/")
        ('*.log', '', 'node_modules/')
        """
        defaults = DEFAULTS if hidden else (*DEFAULTS, HIDDEN)
        return cls(_rules("", patterns, strict=True), (), _rules("", defaults, strict=True))

    def within(self, base: str, file: Path) -> Ignoring:
        """Also the rules of a .lecternignore file, for what lies beside and below it; lines that are none are left."""
        with file.open("rb") as stream:
            lines = stream.read(_IGNORE_FILE_BYTES).decode("utf-8", "replace").splitlines()
        return replace(self, nested=(_rules(base, lines, strict=False), *self.nested))

    def pattern_for(self, way: str) -> str:
        """The pattern that passes over a path (a folder's ends in ``/``), "" where none does."""
        for rules in (self.given, *self.nested, self.defaults):
            if rules.patterns and way.startswith(rules.base):
                said = rules.spec.check_file(way[len(rules.base) :])
                if said.include is not None:
                    return rules.patterns[said.index or 0] if said.include else ""
        return ""


def _rules(base: str, lines: Sequence[str], *, strict: bool) -> Rules:
    patterns: list[str] = []
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        try:
            GitIgnoreSpec.from_lines([line])
        except GitIgnorePatternError as error:
            if strict:
                raise LecternError(f"{line!r} is no pattern.", "Write it as in a .gitignore file.") from error
            continue
        patterns.append(line)
    return Rules(base, tuple(patterns), GitIgnoreSpec.from_lines(patterns))
