"""Parses source code in a worker process, so that a hostile text cannot hang, fill or crash this one."""

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
_MAX_CRASHES = 3  # texts of one document that may end a worker; after one more, the rest is not tried


@cache
def pool() -> WorkerPool:
    """This process's pool of workers that parse syntax; the first takes a second or two to load its grammars."""
    return WorkerPool("core.parsing.sandbox.syntax_worker")


@dataclass(frozen=True, slots=True)
class SandboxedSyntax:
    """Parses syntax in the worker, within ten seconds plus ten microseconds a character and the settings' memory.

    Both limits are a last resort: ordinary code stays far below them, and ``core.syntax`` refuses most costly texts by
    counting, with the same result on every machine. A text that ends the worker is lost; the other texts are sent
    again.
    """

    settings: ParsingSettings

    def __call__(self, sources: Sequence[tuple[str, str]]) -> list[Syntax | Unread]:
        """One result for each (text, language), in order. ``Unread.COSTLY``: a limit was reached. Never raises for a
        text.
        """
        results: list[Syntax | Unread] = [Unread.FOREIGN] * len(sources)
        pending: list[int] = []
        for index, (text, language) in enumerate(sources):
            if len(text) > LARGEST:
                results[index] = Unread.COSTLY
            elif is_readable(text, language):
                results[index] = Unread.COSTLY  # unless it is read below
                pending.append(index)
        for _ in range(1 + _MAX_CRASHES):
            if not pending:
                break
            answers = self._ask([sources[index] for index in pending])
            for index, answer in zip(pending, answers, strict=False):
                results[index] = answer
            pending = pending[len(answers) + 1 :]  # the text after the last answer ended the worker
        return results

    def _ask(self, sources: Sequence[tuple[str, str]]) -> list[Syntax | Unread]:
        """The results for the first of ``sources``, up to the one that ended the worker, if one did."""
        data = json.dumps(sources).encode()  # ASCII, because a lone surrogate has no UTF-8 encoding
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
        except (WorkerError, OSError):  # out of time, crashed, or no process could be started
            return answers
        except (KeyError, TypeError, ValueError):  # a malformed answer
            return answers
        return answers


def read_syntax(text: str, language: str, settings: ParsingSettings) -> Syntax | None:
    """The syntax of one text, as ``core.syntax.read_syntax`` returns it; ``None`` where it was not read."""
    syntax = SandboxedSyntax(settings)([(text, language)])[0]
    return syntax if isinstance(syntax, Syntax) else None
