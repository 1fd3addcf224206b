"""A local Chroma, in a directory of the library, opened only by the process with the write lock.

Chroma (1.5.9) overwrites its files in place, and reading a damaged file can kill the process without an exception.
Therefore a directory is marked while it is open, and one that was not closed is examined by a separate process before
it is used. A damaged one is replaced by a new directory that is built from the catalogue.
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

from core.storage.index.collections import Projection, ProjectionDamagedError, collection_name, inspect_collection
from core.types import Vectors

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

_LOG = logging.getLogger(__name__)
_EXAMINATION_SECONDS = 600
_MARK = "open"


class ChromaProjection(Projection):
    """The collections of one directory, open in this process only."""

    def __init__(self, directory: Path, library: str) -> None:
        self.directory, self.name = directory, directory.name
        directory.mkdir(parents=True, exist_ok=True)
        (directory / _MARK).touch()
        super().__init__(_guarded(lambda: _client(directory)), library, "")
        self.max_batch = int(_guarded(self._client.get_max_batch_size))

    def guarded(self, action: Callable[[], Any]) -> Any:
        return _guarded(action)

    def close(self) -> str:
        """Close Chroma and return the ``digest`` of its files. A second call only returns the digest."""
        if (self.directory / _MARK).exists():
            self._collections.clear()
            _guarded(self._client.close)
            (self.directory / _MARK).unlink(missing_ok=True)
        return digest(self.directory)

    def discard(self) -> None:
        self.close()
        discard(self.directory)

    def confirm(self, state: str) -> None:
        """Nothing to check: no other process can change an open directory."""

    def mark(self, *states: str) -> None:
        """Nothing to record: the state of a directory is its ``digest`` when it is closed."""


def left_open(directory: Path) -> bool:
    """Whether the process that last used the directory ended without closing it."""
    return (directory / _MARK).exists()


def digest(directory: Path) -> str:
    """Hex SHA-256 over the names and bytes of all files in a closed directory; "" if one cannot be read.

    It is compared before Chroma opens the directory, so that Chroma never reads files that changed meanwhile.
    """
    combined = hashlib.sha256()
    try:
        for path in sorted(path for path in directory.rglob("*") if path.is_file()):
            combined.update(str(path.relative_to(directory)).encode() + b"\0")
            with path.open("rb") as stream:
                combined.update(hashlib.file_digest(stream, "sha256").digest())
    except OSError:
        return ""
    return combined.hexdigest()


def new_directory(root: Path) -> Path:
    """An unused path: Chroma keeps one client per path and process, even after its files are deleted."""
    return root / uuid.uuid4().hex[:12]


def discard(directory: Path) -> None:
    """Delete a directory. Files that are still open (on Windows) are left for the next opening."""
    shutil.rmtree(directory, ignore_errors=True)
    if directory.exists():
        _LOG.info("%s could not be removed yet.", directory)


def examine(directory: Path, generation: int, rows: Sequence[int]) -> tuple[set[int], dict[int, Vectors], set[int]]:
    """Inspect a closed directory in a separate process, which may crash.

    ``rows`` and the result: as in ``inspect_collection``. Raises ``ProjectionDamagedError``.
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
        result = json.loads(answer.stdout)
    except (subprocess.SubprocessError, ValueError) as error:
        messages = (getattr(error, "stderr", None) or b"").decode(errors="replace").strip().splitlines()
        reason = messages[-1][:200] if messages else type(error).__name__
        raise ProjectionDamagedError(f"Chroma's files in {directory} are damaged ({reason}).") from error
    vectors = {int(row): np.array(vector, np.float32) for row, vector in result["vectors"].items()}
    return set(result["ids"]), vectors, set(result["reached"])


def _client(directory: Path) -> ClientAPI:
    import chromadb
    from chromadb.config import Settings

    return chromadb.PersistentClient(path=str(directory), settings=Settings(anonymized_telemetry=False))


def _guarded(action: Callable[[], Any]) -> Any:
    """Call ``action``; errors of Chroma become ``ProjectionDamagedError``."""
    from chromadb.errors import ChromaError

    try:
        return action()
    except BaseException as error:
        known = (ChromaError, OSError, RuntimeError, ValueError, KeyError, AttributeError, TypeError)
        if not isinstance(error, known) and type(error).__name__ != "PanicException":  # of Rust; it cannot be imported
            raise
        raise ProjectionDamagedError(
            f"Chroma failed: {type(error).__name__}: {str(error)[:200].rstrip('.')}.",
            "It is rebuilt from the catalogue.",
        ) from error


def look_into(directory: Path, generation: int, rows: Sequence[int]) -> dict[str, Any]:
    """The inspection that ``examine`` runs in a separate process; damaged files may kill it without an exception."""
    client = _client(directory)
    name = collection_name(generation)
    ids, vectors, reached = inspect_collection(client, name, rows)
    if vectors and left_open(directory):  # also test writing, which may crash where reading does not
        row, vector = next(iter(vectors.items()))
        client.get_collection(name, embedding_function=None).upsert(ids=[str(row)], embeddings=[vector])
    client.close()
    as_lists = {row: vector.tolist() for row, vector in vectors.items()}
    return {"ids": sorted(ids), "vectors": as_lists, "reached": sorted(reached)}


if __name__ == "__main__":
    request = json.loads(sys.stdin.buffer.read())
    json.dump(look_into(Path(request["directory"]), request["generation"], request["rows"]), sys.stdout)
