"""Passwords of encrypted files, held in memory only."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from core.errors import PasswordNeededError

Result = TypeVar("Result")


class Passwords:
    """Passwords by the hash of the file's bytes, independent of its name. Thread-safe.

    >>> passwords = Passwords()
    >>> passwords.remember("ab12", "secret")
    >>> passwords.of("ab12"), passwords.of("cd34")
    ('secret', None)
    """

    def __init__(self) -> None:
        self._by_hash: dict[str, str] = {}
        self._candidates: tuple[str, ...] = ()

    def remember(self, content_hash: str, password: str) -> None:
        """Set the password of a file."""
        self._by_hash[content_hash] = password

    def offer(self, password: str) -> None:
        """Add a password to try on every encrypted file."""
        self._candidates = (*self._candidates, password)

    def of(self, content_hash: str) -> str | None:
        """The password of a file, or ``None``."""
        return self._by_hash.get(content_hash)

    def open(self, content_hash: str, read: Callable[[str | None], Result]) -> Result:
        """The result of ``read(password)`` with the file's password or ``None``, or else with an offered one that fits.

        Raises ``PasswordNeededError`` if none fits.
        """
        try:
            return read(self.of(content_hash))
        except PasswordNeededError as error:
            last_error = error
        for password in self._candidates:
            try:
                result = read(password)
            except PasswordNeededError as error:
                last_error = error
                continue
            self.remember(content_hash, password)
            return result
        raise last_error
