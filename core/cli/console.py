"""How commands speak: JSON or a summary on stdout, sentences and progress on stderr."""

from __future__ import annotations

import json
import re
import sys
from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

from core.ingest.reports import Failure

if TYPE_CHECKING:
    from core.evaluation.bench import Step

# What a terminal would obey instead of showing: controls, marks that turn the direction, half surrogate pairs.
_STEERING = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def shown(text: str, keep: str = "") -> str:
    """``text`` fit for a terminal: what would steer it is written out, but for the characters to ``keep``.

    >>> shown("a\\x1b[2Jb"), shown("two\\nlines", keep="\\n")
    ('a\\\\x1b[2Jb', 'two\\nlines')
    """
    return _STEERING.sub(
        lambda found: found[0] if found[0] in keep else found[0].encode("unicode_escape").decode("ascii"), text
    )


def complain(sentence: str) -> None:
    """One line on stderr."""
    print(shown(sentence), file=sys.stderr)


def complain_of(failures: Iterable[Failure]) -> None:
    """A line for each failure."""
    for failure in failures:
        complain(f"{failure.source}: {failure.reason}")


def ended(failures: Sequence[Failure], done: int) -> int:
    """A line for each failure, and the exit code where so much was done beside them."""
    complain_of(failures)
    return (1 if done else 2) if failures else 0


def answer(options: Namespace, result: Mapping[str, Any], summary: str) -> None:
    """The JSON object, or the summary for a person."""
    if options.json:
        json.dump(result, sys.stdout, ensure_ascii=True)
        sys.stdout.write("\n")
    else:
        encoding = sys.stdout.encoding or "utf-8"
        print(shown(summary, keep="\n\t").encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()  # here, where a full disk or a closed pipe can still be answered


class Progress:
    """Progress on stderr: one line, rewritten, where a person watches; silent where a script does."""

    def __init__(self) -> None:
        self._shown = 0.0

    def show(self, text: str) -> None:
        """At most ten times a second."""
        if sys.stderr.isatty() and monotonic() - self._shown > 0.1:
            self._shown = monotonic()
            sys.stderr.write(f"\r\x1b[K{shown(text[:110])}")

    def item(self, name: str, stage: str, done: int, total: int) -> None:
        """An ingest's progress."""
        self.show(f"{stage} {done}/{total}  {name}")

    def trying(self, done: int, total: int) -> None:
        """Settings that are tried on a question."""
        self.show(f"setting {done} of {total}")

    def checking(self, done: int, total: int) -> None:
        """Sentences that are held against the library."""
        self.show(f"sentence {done} of {total}")

    def carrying(self, done: int, total: int) -> None:
        """Vectors that Chroma is told."""
        self.show(f"vector {done} of {total}")

    def looking(self, what: str, done: int, total: int) -> None:
        """What of a library is looked at; ``total`` 0: not one by one."""
        self.show(f"{what}: {done:,} of {total:,}" if total else what)

    def building(self, step: Step, done: int, total: int) -> None:
        """A bench's documents."""
        self.show(f"{step.number}/{step.of} {step.label}: document {done} of {total}")

    def encoding(self, step: Step, done: int, total: int) -> None:
        """A bench's texts."""
        self.show(f"{step.number}/{step.of} {step.label}: text {done} of {total}")

    def asking(self, step: Step, done: int, total: int) -> None:
        """A bench's questions."""
        self.show(f"{step.number}/{step.of} {step.label}: question {done} of {total}")
