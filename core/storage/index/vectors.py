"""Chroma in a directory of the library, opened by the process that writes, rebuilt at will.

Chroma (1.5.9) keeps embeddings in files it overwrites in place, and reading a damaged file can end the process without
an exception. So a directory is marked while it is open; one that was not closed is examined by a process of its own
before it is trusted, and whatever looks wrong is made anew from the catalogue in a new directory.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from core.storage.index.collections import Projection, ProjectionDamagedError, collection_name, look
from core.types import Vectors

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

_LOG = logging.getLogger(__name__)
_EXAMINATION_SECONDS = 600
_MARK = "open"


class ChromaProjection(Projection):
    """Collections of one directory, open in this process alone."""

    def __init__(self, directory: Path, library: str) -> None:
        self.directory, self.name = directory, directory.name
        directory.mkdir(parents=True, exist_ok=True)
        (directory / _MARK).touch()
        super().__init__(_guarded(lambda: _client(directory)), library, "")
        self.max_batch = int(_guarded(self._client.get_max_batch_size))

    def guarded(self, action: Callable[[], Any]) -> Any:
        return _guarded(action)

    def close(self) -> str:
        """Let Chroma finish and release its files, and return their ``digest``. Twice is once."""
        if (self.directory / _MARK).exists():
            self._collections.clear()
            _guarded(self._client.close)
            (self.directory / _MARK).unlink(missing_ok=True)
        return digest(self.directory)

    def discard(self) -> None:
        self.close()
        discard(self.directory)

    def confirm(self, state: str) -> None:
        """A directory is this process's alone while it is open."""

    def mark(self, *states: str) -> None:
        """What a directory holds is told by its ``digest``, once it is closed."""


def left_open(directory: Path) -> bool:
    """Whether the process that last used the directory ended without closing it."""
    return (directory / _MARK).exists()


def digest(directory: Path) -> str:
    """Hex SHA-256 over the names and bytes of all files of a directory that no process has open; "" where it cannot be
    read. Nothing of Chroma reads a file whose bytes are not those that Chroma left.
    """
    whole = hashlib.sha256()
    try:
        for path in sorted(path for path in directory.rglob("*") if path.is_file()):
            whole.update(str(path.relative_to(directory)).encode() + b"\0")
            with path.open("rb") as stream:
                whole.update(hashlib.file_digest(stream, "sha256").digest())
    except OSError:
        return ""
    return whole.hexdigest()


def new_directory(root: Path) -> Path:
    """A place no client has open: Chroma keeps one system per path and process, also after its files are gone."""
    return root / uuid.uuid4().hex[:12]


def discard(directory: Path) -> None:
    """Delete a projection's files. What cannot be deleted (open on Windows) is left for the next opening."""
    shutil.rmtree(directory, ignore_errors=True)
    if directory.exists():
        _LOG.info("%s could not be removed yet.", directory)


def examine(directory: Path, generation: int, rows: Sequence[int]) -> tuple[set[int], dict[int, Vectors], set[int]]:
    """Look into a directory that no process has open, from a process that may die of it.

    Returns all rows of the generation's collection, the vectors of those of ``rows`` it has, and the rows among them
    that a query by their own vector finds. Raises ``ProjectionDamagedError``.
    """
    request = json.dumps({"directory": str(directory), "generation": generation, "rows": [int(row) for row in rows]})
    try:
        answer = subprocess.run(
            [sys.executable, "-m", "core.storage.index.vectors"],
            cwd=Path(__file__).parents[3],
            input=request.encode(),
            capture_output=True,
            timeout=_EXAMINATION_SECONDS,
            check=True,
        )
        found = json.loads(answer.stdout)
    except (subprocess.SubprocessError, ValueError) as error:
        said = (getattr(error, "stderr", None) or b"").decode(errors="replace").strip().splitlines()
        why = said[-1][:200] if said else type(error).__name__
        raise ProjectionDamagedError(f"Chroma's files in {directory} are damaged ({why}).") from error
    vectors = {int(row): np.array(vector, np.float32) for row, vector in found["vectors"].items()}
    return set(found["ids"]), vectors, set(found["reached"])


def _client(directory: Path) -> ClientAPI:
    import chromadb
    from chromadb.config import Settings

    return chromadb.PersistentClient(path=str(directory), settings=Settings(anonymized_telemetry=False))


def _guarded(action: Callable[[], Any]) -> Any:
    """Run something of Chroma's; all its ways to fail become one."""
    from chromadb.errors import ChromaError

    try:
        return action()
    except BaseException as error:
        known = (ChromaError, OSError, RuntimeError, ValueError, KeyError, AttributeError, TypeError)
        if not isinstance(error, known) and type(error).__name__ != "PanicException":  # Rust's own, which has no module
            raise
        raise ProjectionDamagedError(
            f"Chroma failed: {type(error).__name__}: {str(error)[:200]}", "It is rebuilt from the catalogue."
        ) from error


def look_into(directory: Path, generation: int, rows: Sequence[int]) -> dict[str, Any]:
    """What ``examine`` asks, answered by this process, which damaged files may end without an exception."""
    client = _client(directory)
    name = collection_name(generation)
    ids, vectors, reached = look(client, name, rows)
    if vectors and left_open(directory):  # files that can be read may still end who writes: a vector in its own place
        row, vector = next(iter(vectors.items()))
        client.get_collection(name, embedding_function=None).upsert(ids=[str(row)], embeddings=[vector])
    client.close()
    told = {row: vector.tolist() for row, vector in vectors.items()}
    return {"ids": sorted(ids), "vectors": told, "reached": sorted(reached)}


if __name__ == "__main__":
    asked = json.loads(sys.stdin.buffer.read())
    json.dump(look_into(Path(asked["directory"]), asked["generation"], asked["rows"]), sys.stdout)
