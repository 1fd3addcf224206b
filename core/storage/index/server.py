"""Chroma on a server, local or remote. Vectors are sent to it, never text.

The user of each machine must agree to the server's address (``core.language_model.settings``). While the server does
not answer, searches are exact and changes stay in the outbox.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from core.errors import StorageError
from core.language_model.keys import key_of
from core.language_model.settings import is_own, load, save
from core.storage.index.collections import Projection, ProjectionDamagedError, collection_name, inspect_collection
from core.storage.shelf import language_file
from core.storage.store import Store
from core.types import Vectors

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

TOKEN = "LECTERN_CHROMA_TOKEN"  # noqa: S105 - the name of an environment variable
SENT = (
    "To {host} go the vectors of all chunks, each with the name of its document as Lectern has it (a hash), and the "
    "vectors of questions. No text, no title and no question goes there; of a vector much of its text can be guessed."
)
_ADDRESS = "chroma_server"
_PORT = 8000  # Chroma's default
_HEARTBEAT_SECONDS = 5.0
_REQUEST_SECONDS = 60.0  # a request may contain some thousand vectors
_QUERY_SECONDS = 2.0  # after that, exact search would have been faster
_WAITS = (0.5, 2.0)  # seconds before each retry; all requests are idempotent


class ServerUnreachableError(StorageError):
    """The server does not answer, refuses the token, or fails. Search exactly and keep changes in the outbox."""


@dataclass(frozen=True, slots=True)
class Server:
    """A Chroma server. ``address``: as returned by ``tidy``. ``token``: "" for none.

    ``agreed``: the user of this machine agreed to send vectors there. ``fault``: the last error, "" if it answered.
    """

    address: str
    token: str = field(default="", repr=False)
    agreed: bool = True
    fault: str = ""

    @property
    def host(self) -> str:
        """Host and port, for display."""
        return urlsplit(self.address).netloc

    @property
    def is_own(self) -> bool:
        """Whether the server runs on this machine."""
        return is_own(self.address)


def tidy(text: str) -> str:
    """The normalised address of a server. Raises ``StorageError`` for an invalid one.

    >>> tidy("vectors.example.org"), tidy("https://chroma.example.org:443/team/notes/")
    ('http://vectors.example.org:8000', 'https://chroma.example.org:443/team/notes')
    """
    text = text.strip().rstrip("/")
    parts = urlsplit(text if "://" in text else f"http://{text}")
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    path = parts.path.strip("/").split("/") if parts.path.strip("/") else []
    known = parts.scheme in {"http", "https"} and len(path) in {0, 2}
    if not host or not known or parts.username or parts.password or parts.query or any(map(str.isspace, text)):
        raise StorageError(
            f"{text!r} is no address of a Chroma server.",
            "Write it like http://localhost:8000, or https://host:443/TENANT/DATABASE. A token stands elsewhere.",
        )
    name = f"[{host}]" if ":" in host else host
    return "/".join([f"{parts.scheme}://{name}:{port or (443 if parts.scheme == 'https' else _PORT)}", *path])


def server_of(store: Store) -> Server | None:
    """The Chroma server of a library; ``None`` for a local Chroma."""
    address = store.meta(_ADDRESS)
    return replace(server_at(address), fault=store.chroma_fault) if address else None


def server_at(address: str) -> Server:
    """The server at an address, with this machine's token and agreement for it. Raises as ``tidy``."""
    address = tidy(address)
    return Server(address, key_of(address, (TOKEN,)).value, address in load(language_file()).agreed)


def agree(address: str) -> Server:
    """Record that the user agrees to send vectors to this address. Raises as ``tidy``, and ``SettingsError``."""
    server = server_at(address)
    save(language_file(), load(language_file()).agreeing(server.address))
    return replace(server, agreed=True)


def reach(server: Server) -> None:
    """Check that the server answers. Raises ``ServerUnreachableError``."""
    try:
        _client(server).close()
    except Exception as error:  # Chroma's client raises plain exceptions if the answer is not Chroma's
        raise _fault(error, server)[0] from error


def is_on_server(store: Store) -> bool:
    """Whether the library's Chroma is on a server."""
    return bool(store.meta(_ADDRESS))


def set_server(store: Store, server: Server | None) -> None:
    """Record the location of the library's Chroma, which the caller has already built there."""
    address = server.address if server else None
    if address != store.meta(_ADDRESS):
        store.set_meta(_ADDRESS, address)
        store.touch(contents=False)  # so that pages show the new location


class ServerProjection(Projection):
    """The collections of one ``epoch`` on a server. Every rebuild gets a new, unique epoch.

    This separates copies of a library that use the same server: each treats changes by the other as damage and rebuilds
    under an epoch of its own. Every method also raises ``ServerUnreachableError``.
    """

    def __init__(self, server: Server, library: str, epoch: str) -> None:
        self.server, self.name = server, epoch
        self._retry, self._state = True, ""
        client = self.guarded(lambda: _client(server))
        self._session: Any = client._server._session
        self._session.timeout = _REQUEST_SECONDS  # by default, Chroma's client waits forever
        super().__init__(client, library, f"lectern-{library[:12]}-{epoch}-")
        self.max_batch = int(self.guarded(self._client.get_max_batch_size))

    def query(
        self, generation: int, vector: Vectors, k: int, state: str | None = None
    ) -> tuple[NDArray[np.int64], Vectors]:
        """As ``Projection.query``, with a short timeout and without retries."""
        self._retry, self._session.timeout = False, _QUERY_SECONDS
        try:
            return super().query(generation, vector, k, state)
        finally:
            self._retry, self._session.timeout = True, _REQUEST_SECONDS

    def confirm(self, state: str) -> None:
        """As ``Projection.confirm``. The state is in the metadata of an extra, empty collection."""
        mark = self.guarded(lambda: self._client.get_collection(f"{self._prefix}mark", embedding_function=None))
        if state not in str((mark.metadata or {}).get("state")).split():
            raise ProjectionDamagedError(f"Chroma at {self.server.host} was told something by another process.")
        self._state = state

    def mark(self, *states: str) -> None:
        mark = self._get_or_create(f"{self._prefix}mark")
        self.guarded(lambda: mark.modify(metadata={"library": self._library, "state": " ".join(states)}))
        self._state = states[0]

    def inspect(self, generation: int, rows: Sequence[int]) -> tuple[set[int], dict[int, Vectors], set[int]]:
        """As ``inspect_collection``."""
        result: tuple[set[int], dict[int, Vectors], set[int]] = self.guarded(
            lambda: inspect_collection(self._client, collection_name(generation, self._prefix), rows)
        )
        return result

    def discard(self) -> None:
        self._collections.clear()
        self._delete_collections(lambda name: name.startswith(self._prefix))

    def close(self) -> str:
        self._collections.clear()
        self._client.close()
        return self._state

    def guarded(self, action: Callable[[], Any]) -> Any:
        """As ``Projection.guarded``, with retries after temporary failures."""
        waits = _WAITS if self._retry else ()
        for wait in (*waits, None):
            try:
                return action()
            except Exception as error:  # Chroma's client raises plain exceptions if the answer is not Chroma's
                fault, temporary = _fault(error, self.server)
                if wait is None or not temporary:
                    raise fault from error
            time.sleep(wait)
        raise AssertionError("The last attempt returns or raises.")


def new_epoch() -> str:
    """A new unique epoch."""
    return uuid.uuid4().hex[:12]


def _client(server: Server) -> ClientAPI:
    import chromadb
    import httpx
    from chromadb.config import Settings

    if not server.agreed:
        raise ServerUnreachableError(
            f"Nobody agreed on this machine that vectors go to {server.host}.", "Agree to it on the Settings page."
        )
    parts = urlsplit(server.address)
    # Both headers, because proxies read the first and Chroma's cloud the second; Chroma's own server reads neither.
    headers = {"Authorization": f"Bearer {server.token}", "X-Chroma-Token": server.token} if server.token else {}
    # Checked first: Chroma's client would wait forever for a server that accepts the connection and never answers.
    heartbeat = f"{parts.scheme}://{parts.netloc}/api/v2/heartbeat"
    answer = httpx.get(heartbeat, headers=headers, timeout=_HEARTBEAT_SECONDS)
    answer.raise_for_status()
    if "nanosecond heartbeat" not in answer.text:
        raise ServerUnreachableError(f"What answers at {server.host} is no Chroma server.", "Check the address.")
    tenant, _, database = parts.path.strip("/").partition("/")
    return chromadb.HttpClient(
        host=str(parts.hostname),
        port=parts.port or _PORT,
        ssl=parts.scheme == "https",
        headers=headers,
        settings=Settings(anonymized_telemetry=False),
        **({"tenant": tenant, "database": database} if tenant else {}),
    )


def _fault(error: Exception, server: Server) -> tuple[StorageError, bool]:
    """``(error to raise, temporary)`` for an exception of Chroma's client; ``temporary``: a retry may help."""
    import httpx
    from chromadb import errors

    where, message = server.host, " ".join(str(error).split())[:200]
    if isinstance(error, ServerUnreachableError):
        return error, False
    status = error.response.status_code if isinstance(error, httpx.HTTPStatusError) else 0
    if status in {401, 403} or isinstance(error, errors.ChromaAuthError | errors.AuthorizationError):
        remedy = f"Set {TOKEN} before Lectern is started, or check it."
        return ServerUnreachableError(f"The Chroma server at {where} wants another token.", remedy), False
    if isinstance(error, errors.NotFoundError | errors.InvalidDimensionException | errors.InvalidArgumentError):
        return ProjectionDamagedError(f"Chroma at {where}: {message}", "It is rebuilt from the catalogue."), False
    if "CERTIFICATE" in message.upper():
        problem = f"No safe connection to {where} could be made: its certificate is not accepted."
        return ServerUnreachableError(problem, "SSL_CERT_FILE names the certificates that are."), False
    if isinstance(error, httpx.TimeoutException):
        return ServerUnreachableError(f"The Chroma server at {where} did not answer in time.", _LATER), True
    if isinstance(error, httpx.TransportError | OSError):
        return ServerUnreachableError(f"No Chroma server answers at {where}.", _LATER), True
    reason = message or type(error).__name__
    return ServerUnreachableError(f"The Chroma server at {where} failed: {reason}.", _LATER), True


_LATER = "Start it, or check the address; until then all vectors are compared, and changes wait."
