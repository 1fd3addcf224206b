"""The syntax of code from documents, read in a process that a hostile text may hang, fill or bring down."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache

from core.errors import WorkerError
from core.parsing.sandbox.sandbox import WorkerPool
from core.settings import ParsingSettings
from core.syntax import Syntax, Unread, is_readable
from core.syntax.tree import LARGEST

_SECONDS = 10.0
_SECONDS_PER_CHARACTER = 10e-6  # the slowest honest file seen took 3.3 microseconds
_FALLS = 3  # texts of one document that may end a worker; what stands behind one more is not tried


@cache
def pool() -> WorkerPool:
    """The warm workers of this process; the first takes a second or two to load its grammars."""
    return WorkerPool("core.parsing.sandbox.syntax_worker")


@dataclass(frozen=True, slots=True)
class SandboxedSyntax:
    """Reads syntax in the worker, within ten seconds, ten microseconds a character and the settings' memory.

    Both limits are a last resort: honest code stays far below them, and ``core.syntax`` refuses by counting, the same
    on every machine, most of what is not. A text that ends the worker costs itself; those beside it are asked again.
    """

    settings: ParsingSettings

    def __call__(self, sources: Sequence[tuple[str, str]]) -> list[Syntax | Unread]:
        """One for each (text, language), in order; ``Unread.COSTLY`` where a limit was met. Never raises for a text."""
        found: list[Syntax | Unread] = [Unread.FOREIGN] * len(sources)
        waiting: list[int] = []
        for place, (text, language) in enumerate(sources):
            if len(text) > LARGEST:
                found[place] = Unread.COSTLY
            elif is_readable(text, language):
                found[place] = Unread.COSTLY  # until it is read
                waiting.append(place)
        for _ in range(1 + _FALLS):
            if not waiting:
                break
            answers = self._ask([sources[place] for place in waiting])
            for place, answer in zip(waiting, answers, strict=False):
                found[place] = answer
            waiting = waiting[len(answers) + 1 :]
        return found

    def _ask(self, sources: Sequence[tuple[str, str]]) -> list[Syntax | Unread]:
        """What a worker said of the first of them, up to the one that ended it, if one did."""
        data = json.dumps(sources).encode()  # in ASCII: half a surrogate pair crosses the pipe, too
        seconds = _SECONDS + _SECONDS_PER_CHARACTER * sum(len(text) for text, _ in sources)
        request = {"task": "syntax", "memory_bytes": self.settings.memory_megabytes << 20}
        answers: list[Syntax | Unread] = []
        try:
            with closing(pool().ask(request, data, min(seconds, self.settings.timeout_seconds))) as messages:
                for message in messages:
                    if message["type"] == "error":
                        break
                    plain = message.get("syntax")
                    answers.append(Unread(message["unread"]) if plain is None else Syntax.from_plain(plain))
        except (WorkerError, OSError):  # out of time, dead, or no process to be had
            return answers
        except (KeyError, TypeError, ValueError):  # nothing an honest worker says
            return answers
        return answers


def read_syntax(text: str, language: str, settings: ParsingSettings) -> Syntax | None:
    """The syntax of one text, as ``core.syntax.read_syntax`` reads it; ``None`` where it cannot within the limits."""
    found = SandboxedSyntax(settings)([(text, language)])[0]
    return found if isinstance(found, Syntax) else None
