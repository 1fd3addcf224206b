"""The errors that users see. Each message names the bad value and a remedy."""

from __future__ import annotations


class LecternError(Exception):
    """Base of all expected failures; ``str(error)`` is the problem and the remedy, ready for display.

    >>> str(LecternError("The file is empty.", "Save it again and retry."))
    'The file is empty. Save it again and retry.'
    """

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(f"{problem} {remedy}".strip())
        self.problem = problem
        self.remedy = remedy


class SpanError(LecternError):
    """Offsets are inconsistent: out of range, overlapping, or not those of the text they come with."""


class SettingsError(LecternError):
    """A setting has an unknown name or a value outside its range."""


class ParseError(LecternError):
    """A file could not be turned into a document."""


class UnsupportedKindError(ParseError):
    """No parser reads this kind of file."""


class PasswordNeededError(ParseError):
    """The file is encrypted, and the password is missing or wrong."""


class TextLayerMissingError(ParseError):
    """The file contains images of text but no text; it needs OCR."""


class WorkerError(ParseError):
    """The parsing process ran out of time or memory, or crashed on the file."""


class ModelError(LecternError):
    """A model is missing, damaged or not the one expected."""


class StorageError(LecternError):
    """The library on disk cannot be read or written."""


class LibraryDamagedError(StorageError):
    """Originals exist, but their catalogue is missing, empty, foreign or damaged. The library opens only for repair."""


class LibraryLockedError(StorageError):
    """Another process is writing this library."""


class NotFoundError(LecternError):
    """No such document, source, chunk or job."""


class SuiteError(LecternError):
    """An evaluation suite is malformed."""


class CancelledError(LecternError):
    """The user cancelled the work."""
