"""Every error a person can meet. Each carries the bad value and the remedy, as one readable sentence."""

from __future__ import annotations


class LecternError(Exception):
    """Base of all expected failures: ``str(error)`` is a sentence fit for a page or a terminal.

    >>> str(LecternError("The file is empty.", "Save it again and retry."))
    'The file is empty. Save it again and retry.'
    """

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(f"{problem} {remedy}".strip())
        self.problem = problem
        self.remedy = remedy


class SpanError(LecternError):
    """A span law was broken: offsets do not address the text they claim to."""


class SettingsError(LecternError):
    """A setting has an unknown name or a value outside its range."""


class ParseError(LecternError):
    """A file could not be turned into a document."""


class UnsupportedKindError(ParseError):
    """No parser reads this kind of file."""


class PasswordNeededError(ParseError):
    """The file is encrypted and no (or a wrong) password was given."""


class TextLayerMissingError(ParseError):
    """The file holds pictures of text but no text: it needs OCR."""


class WorkerError(ParseError):
    """The parsing worker ran out of time or memory, or died on the file."""


class ModelError(LecternError):
    """A model is missing, damaged or not the one expected."""


class StorageError(LecternError):
    """The library on disk cannot be read or written."""


class LibraryDamagedError(StorageError):
    """The catalogue is missing, empty, foreign or damaged beside originals: the library opens for repair alone."""


class LibraryLockedError(StorageError):
    """Another process is writing this library."""


class NotFoundError(LecternError):
    """No such document, source, chunk or job."""


class SuiteError(LecternError):
    """An evaluation suite is malformed."""


class CancelledError(LecternError):
    """The work was cancelled by the person who started it."""
