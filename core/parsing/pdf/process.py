"""The worker processes that alone open PDF files and pictures, and what they answer when they cannot."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from core.errors import ParseError, PasswordNeededError
from core.parsing.sandbox.sandbox import WorkerPool, out_of_memory
from core.settings import ParsingSettings

REPAIR = "Open it in the program that made it, save it again and add it once more."
_LOCKED = "Give it on the Library page, or with --password."


@cache
def pool() -> WorkerPool:
    """The warm workers of this process."""
    return WorkerPool("core.parsing.pdf.worker")


def failure(problem: Mapping[str, Any], shown: str, settings: ParsingSettings) -> ParseError:
    """The error for the worker's "error" message, as a sentence about the file ``shown``."""
    kind = problem.get("kind")
    if kind == "password":
        return PasswordNeededError(f"{shown} is encrypted and needs its password.", _LOCKED)
    if kind == "wrong password":
        return PasswordNeededError(f"{shown} is encrypted, and the password did not open it.", _LOCKED)
    if kind == "memory":
        return out_of_memory(shown, settings.memory_megabytes)
    if kind == "page":
        return ParseError(f"{shown}: {problem.get('message', '')}")
    return ParseError(f"{shown} is damaged or cut short: no page of it can be read.", REPAIR)
