"""The output of commands: JSON or a summary on stdout, messages and progress on stderr."""

from __future__ import annotations

import json
import re
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

from core.ingest.reports import Failure

if TYPE_CHECKING:
    from core.evaluation.bench import Step

# Characters that a terminal interprets or cannot encode: controls, direction marks, lone surrogates.
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def shown(text: str, keep: str = "") -> str:
    """``text`` with control characters escaped, except those in ``keep``, so that it is safe to print.

    >>> shown("a\\x1b[2Jb"), shown("two\\nlines", keep="\\n")
    ('a\\\\x1b[2Jb', 'two\\nlines')
    """
    return _CONTROLS.sub(
        lambda match: match[0] if match[0] in keep else match[0].encode("unicode_escape").decode("ascii"), text
    )


def complain(sentence: str) -> None:
    """Print one line on stderr."""
    print(shown(sentence), file=sys.stderr)


def complain_of(failures: Iterable[Failure]) -> None:
    """Print one line on stderr for each failure."""
    for failure in failures:
        complain(f"{failure.source}: {failure.reason}")


def exit_code(failures: Sequence[Failure], done: int) -> int:
    """Print the failures and return the exit code: 0 without any, 1 if ``done`` items succeeded besides, else 2."""
    complain_of(failures)
    return (1 if done else 2) if failures else 0


def answer(options: Namespace, result: Mapping[str, Any], summary: str) -> None:
    """Print the JSON object with ``--json``, else the summary."""
    if options.json:
        json.dump(result, sys.stdout, ensure_ascii=True)
        sys.stdout.write("\n")
    else:
        encoding = sys.stdout.encoding or "utf-8"
        print(shown(summary, keep="\n\t").encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()  # so that a full disk or a closed pipe is reported, instead of failing at exit


class Progress:
    """Shows progress on stderr: on a terminal in one line that is rewritten, else in a line now and then."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._pause = 0.1 if self._terminal else 30.0
        self._shown = 0.0 if self._terminal else monotonic()

    def show(self, text: str) -> None:
        """Show a line, at most ten times a second; where stderr is no terminal, once in half a minute."""
        if monotonic() - self._shown > self._pause:
            self._shown = monotonic()
            line = shown(text[:110])
            sys.stderr.write(f"\r\x1b[K{line}" if self._terminal else f"{line}\n")
            sys.stderr.flush()

    def item(self, name: str, stage: str, done: int, total: int) -> None:
        """Progress of an ingest."""
        self.show(f"{stage} {done}/{total}  {name}")

    def counting(self, what: str) -> Callable[[int, int], None]:
        """A function that shows ``done`` of ``total`` of something."""
        return lambda done, total: self.show(f"{what} {done} of {total}")

    def looking(self, what: str, done: int, total: int) -> None:
        """Progress of ``verify``; ``total`` 0: no count."""
        self.show(f"{what}: {done:,} of {total:,}" if total else what)

    def building(self, step: Step, done: int, total: int) -> None:
        """Documents of a bench."""
        self.show(f"{step.number}/{step.of} {step.label}: document {done} of {total}")

    def encoding(self, step: Step, done: int, total: int) -> None:
        """Texts encoded by a bench."""
        self.show(f"{step.number}/{step.of} {step.label}: text {done} of {total}")

    def asking(self, step: Step, done: int, total: int) -> None:
        """Questions of a bench."""
        self.show(f"{step.number}/{step.of} {step.label}: question {done} of {total}")
