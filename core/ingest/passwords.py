"""Passwords of encrypted files: kept in memory while the program runs, never written anywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from core.errors import PasswordNeededError

Result = TypeVar("Result")


class Passwords:
    """By the hash of a file's bytes, so that a password serves its file under any name; any thread may ask.

    >>> passwords = Passwords()
    >>> passwords.remember("ab12", "secret")
    >>> passwords.of("ab12"), passwords.of("cd34")
    ('secret', None)
    """

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._offered: tuple[str, ...] = ()

    def remember(self, content_hash: str, password: str) -> None:
        """This password belongs to these bytes."""
        self._known[content_hash] = password

    def offer(self, password: str) -> None:
        """Try this password on every file that asks for one."""
        self._offered = (*self._offered, password)

    def of(self, content_hash: str) -> str | None:
        """The password of these bytes, ``None`` where none is known."""
        return self._known.get(content_hash)

    def open(self, content_hash: str, read: Callable[[str | None], Result]) -> Result:
        """What ``read(password)`` gives with the password known, else with none, else with the first offered that fits.

        Raises ``PasswordNeededError`` where no password fits.
        """
        try:
            return read(self.of(content_hash))
        except PasswordNeededError as error:
            asked = error
        for password in self._offered:
            try:
                result = read(password)
            except PasswordNeededError as error:
                asked = error
                continue
            self.remember(content_hash, password)
            return result
        raise asked
