"""How a file is read and its chunks are encoded."""

from __future__ import annotations

from dataclasses import dataclass

from core.settings.checks import one_of, within

READERS = ("own", "unstructured")


@dataclass(frozen=True, slots=True)
class ParsingSettings:
    """Limits for the worker that reads a file, and who reads it. ``timeout_seconds`` is per file.

    ``reader``: "own", or "unstructured" for the formats that library reads; PDF, spreadsheets of OpenDocument and
    source code are always our own.
    """

    timeout_seconds: int = 600
    memory_megabytes: int = 2048
    reader: str = "own"

    def __post_init__(self) -> None:
        one_of("parsing.reader", self.reader, READERS)
        within("parsing.timeout_seconds", self.timeout_seconds, 1, 36_000)
        within("parsing.memory_megabytes", self.memory_megabytes, 256, 65_536)


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """Which encoder. ``model``: "packaged" is the all-MiniLM-L6-v2 of the requirements; else a path or name.

    ``precision``: "auto" takes bfloat16 where the processor is quicker in it. ``batch_size``: texts per forward pass.
    """

    model: str = "packaged"
    precision: str = "auto"
    batch_size: int = 32

    def __post_init__(self) -> None:
        one_of("embedding.precision", self.precision, ("auto", "float32", "bfloat16"))
        within("embedding.batch_size", self.batch_size, 1, 1024)
