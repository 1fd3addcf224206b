"""Chroma on a server, this machine's or another's, by its address: vectors go there, and no text does.

What may be sent where is agreed to by a person on each machine (``core.language_model.settings``), and a server that
does not answer costs nothing but time: questions are answered by comparing all vectors, changes wait in the outbox.
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
from core.storage.index.collections import Projection, ProjectionDamagedError, collection_name, look
from core.storage.shelf import language_file
from core.storage.store import Store
from core.types import Vectors

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

TOKEN = "LECTERN_CHROMA_TOKEN"  # noqa: S105 - where it stands, not what it is
SENT = (
    "To {host} go the vectors of all chunks, each with the name of its document as Lectern has it (a hash), and the "
    "vectors of questions. No text, no title and no question goes there; of a vector much of its text can be guessed."
)
_ADDRESS = "chroma_server"
_PORT = 8000  # Chroma's own
_KNOCK_SECONDS = 5.0
_SECONDS = 60.0  # for an answer to what carries a few thousand vectors
_QUESTION_SECONDS = 2.0  # after which comparing all vectors would have been faster
_WAITS = (0.5, 2.0)  # seconds before what failed is tried again; all that is asked of Chroma may be asked twice


class ServerUnreachableError(StorageError):
    """The server does not answer, or not so that it helps: search exactly, and let changes wait."""


@dataclass(frozen=True, slots=True)
class Server:
    """``address``: as ``tidy`` writes it. ``token``: "" for none. ``agreed``: a person here let vectors go there.

    ``fault``: a sentence on why it did not answer last, "" where it did.
    """

    address: str
    token: str = field(default="", repr=False)
    agreed: bool = True
    fault: str = ""

    @property
    def host(self) -> str:
        """Where the address leads, for people."""
        return urlsplit(self.address).netloc

    @property
    def is_own(self) -> bool:
        """Whether that is this machine."""
        return is_own(self.address)


def tidy(text: str) -> str:
    """A server's address as it is kept and agreed to. Raises ``StorageError`` for what is none. Pure.

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
    """The server that a library's vectors go to; ``None``: to the library's own folder."""
    address = store.meta(_ADDRESS)
    return replace(server_at(address), fault=store.chroma_fault) if address else None


def server_at(address: str) -> Server:
    """A server by its address, with what this machine keeps for it. Raises as ``tidy``."""
    address = tidy(address)
    return Server(address, key_of(address, (TOKEN,)).value, address in load(language_file()).agreed)


def agree(address: str) -> Server:
    """A person on this machine lets vectors go to an address. Raises as ``tidy``, and ``SettingsError``."""
    server = server_at(address)
    save(language_file(), load(language_file()).agreeing(server.address))
    return replace(server, agreed=True)


def reach(server: Server) -> None:
    """See that it answers. Raises ``ServerUnreachableError``."""
    try:
        _client(server).close()
    except Exception as error:  # what the client raises is bare where no Chroma said it
        raise _fault(error, server)[0] from error


def is_on_server(store: Store) -> bool:
    """Whether a library's vectors go to a server."""
    return bool(store.meta(_ADDRESS))


def set_server(store: Store, server: Server | None) -> None:
    """Have the library's vectors go to another place from now on; whoever calls has put them there."""
    address = server.address if server else None
    if address != store.meta(_ADDRESS):
        store.set_meta(_ADDRESS, address)
        store.touch(contents=False)  # what is told of the library is told anew


class ServerProjection(Projection):
    """The collections of one ``epoch``: the one making of them from a catalogue, whose name none other shares.

    So two copies of a library part ways on a server: each takes what the other wrote for damage, and makes its own.
    Beside what ``Projection`` raises, every method raises ``ServerUnreachableError``.
    """

    def __init__(self, server: Server, library: str, epoch: str) -> None:
        self.server, self.name = server, epoch
        self._patient, self._state = True, ""
        client = self.guarded(lambda: _client(server))
        self._session: Any = client._server._session
        self._session.timeout = _SECONDS  # Chroma's own client waits without end
        super().__init__(client, library, f"lectern-{library[:12]}-{epoch}-")
        self.max_batch = int(self.guarded(self._client.get_max_batch_size))

    def query(
        self, generation: int, vector: Vectors, k: int, state: str | None = None
    ) -> tuple[NDArray[np.int64], Vectors]:
        self._patient, self._session.timeout = False, _QUESTION_SECONDS
        try:
            return super().query(generation, vector, k, state)
        finally:
            self._patient, self._session.timeout = True, _SECONDS

    def confirm(self, state: str) -> None:
        mark = self.guarded(lambda: self._client.get_collection(f"{self._prefix}mark", embedding_function=None))
        if state not in str((mark.metadata or {}).get("state")).split():
            raise ProjectionDamagedError(f"Chroma at {self.server.host} was told something by another process.")
        self._state = state

    def mark(self, *states: str) -> None:
        mark = self._own(f"{self._prefix}mark")
        self.guarded(lambda: mark.modify(metadata={"library": self._library, "state": " ".join(states)}))
        self._state = states[0]

    def look(self, generation: int, rows: Sequence[int]) -> tuple[set[int], dict[int, Vectors], set[int]]:
        """As ``core.storage.index.collections.look``."""
        found: tuple[set[int], dict[int, Vectors], set[int]] = self.guarded(
            lambda: look(self._client, collection_name(generation, self._prefix), rows)
        )
        return found

    def discard(self) -> None:
        self._collections.clear()
        self._delete_collections(lambda name: name.startswith(self._prefix))

    def close(self) -> str:
        self._collections.clear()
        self._client.close()
        return self._state

    def guarded(self, action: Callable[[], Any]) -> Any:
        """Run it, and where it may help, once more after a while and once again."""
        waits = _WAITS if self._patient else ()
        for wait in (*waits, None):
            try:
                return action()
            except Exception as error:  # the client raises bare ones for what no Chroma said
                fault, passing = _fault(error, self.server)
                if wait is None or not passing:
                    raise fault from error
            time.sleep(wait)
        raise AssertionError("The last attempt returns or raises.")


def new_epoch() -> str:
    """A name that no making of the collections had."""
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
    # A server of Chroma's own reads neither: what stands before it, a proxy or Chroma's cloud, reads one or the other.
    headers = {"Authorization": f"Bearer {server.token}", "X-Chroma-Token": server.token} if server.token else {}
    # Chroma's client would wait without end for a server that takes the call and says nothing.
    knock = f"{parts.scheme}://{parts.netloc}/api/v2/heartbeat"
    answer = httpx.get(knock, headers=headers, timeout=_KNOCK_SECONDS)
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
    """What to raise for what Chroma's client raised, and whether it may pass by itself."""
    import httpx
    from chromadb import errors

    where, said = server.host, " ".join(str(error).split())[:200]
    if isinstance(error, ServerUnreachableError):
        return error, False
    status = error.response.status_code if isinstance(error, httpx.HTTPStatusError) else 0
    if status in {401, 403} or isinstance(error, errors.ChromaAuthError | errors.AuthorizationError):
        remedy = f"Set {TOKEN} before Lectern is started, or check it."
        return ServerUnreachableError(f"The Chroma server at {where} wants another token.", remedy), False
    if isinstance(error, errors.NotFoundError | errors.InvalidDimensionException | errors.InvalidArgumentError):
        return ProjectionDamagedError(f"Chroma at {where}: {said}", "It is rebuilt from the catalogue."), False
    if "CERTIFICATE" in said.upper():
        problem = f"No safe connection to {where} could be made: its certificate is not accepted."
        return ServerUnreachableError(problem, "SSL_CERT_FILE names the certificates that are."), False
    if isinstance(error, httpx.TimeoutException):
        return ServerUnreachableError(f"The Chroma server at {where} did not answer in time.", _LATER), True
    if isinstance(error, httpx.TransportError | OSError):
        return ServerUnreachableError(f"No Chroma server answers at {where}.", _LATER), True
    return ServerUnreachableError(f"The Chroma server at {where} failed: {said or type(error).__name__}.", _LATER), True


_LATER = "Start it, or check the address; until then all vectors are compared, and changes wait."
