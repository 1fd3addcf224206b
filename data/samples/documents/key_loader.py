"""Public signing keys for services that verify access tokens.

Every Sluice service that accepts tokens embeds one ``KeyLoader``. It reads the key set that ``keyring``
publishes, keeps the last good one on disk, and answers one question: which public key verifies a token
with this key identifier, now?

    loader = KeyLoader(fetch=fetch_from_keyring, cache=Path("/var/lib/sluice/keys.json"))
    loader.start()
    key = loader.key_for("k20260901")

Verification itself lies elsewhere; nothing here touches a private key. The reasons for what looks odd
below are collected in the notes at the end of this module, and are referred to as N1 to N5.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import logging
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger("sluice.keys")

FETCH_EVERY_SECONDS = 300
GRACE_SECONDS = 120
MAX_KEYS = 8
PUBLIC_KEY_BYTES = 32

Clock = Callable[[], float]
Fetch = Callable[[], bytes]


class KeySetError(ValueError):
    """A published key set cannot be used; the message names the first fault."""


class UnknownKeyError(LookupError):
    """No usable key has this identifier. Answer 401 with the code ``unknown_key``."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """One Ed25519 public key, and the time within which signatures made with it count."""

    identifier: str
    material: bytes
    valid_from: float
    valid_until: float

    def usable(self, now: float) -> bool:
        """Whether a token signed with this key may be accepted at ``now``, in seconds since 1970.

        >>> key = PublicKey("k1", bytes(32), valid_from=1000.0, valid_until=2000.0)
        >>> key.usable(900.0), key.usable(2100.0), key.usable(2121.0)
        (True, True, False)
        """
        return self.valid_from - GRACE_SECONDS <= now <= self.valid_until + GRACE_SECONDS

    @property
    def thumbprint(self) -> str:
        """The first sixteen hex digits of the hash of the key, for logs."""
        return hashlib.sha256(self.material).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class KeySet:
    """All keys of one publication, newest first, without those that were withdrawn."""

    serial: int
    keys: tuple[PublicKey, ...]

    def find(self, identifier: str) -> PublicKey | None:
        return next((key for key in self.keys if key.identifier == identifier), None)


def parse_key_set(data: bytes) -> KeySet:
    """Read a published key set.

    The form is ``{"serial": 71, "keys": [{"kid", "x", "from", "until"}], "withdrawn": ["kid", ...]}`` with the
    key in unpadded base64url and times in seconds since 1970. Raises ``KeySetError``.
    """
    try:
        document = json.loads(data)
        serial = int(document["serial"])
        withdrawn = frozenset(document.get("withdrawn", ()))
        keys = [_parse_key(entry) for entry in document["keys"]]
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise KeySetError(f"not JSON: {error}") from error
    except (KeyError, TypeError) as error:
        raise KeySetError(f"a field is missing or has the wrong type: {error}") from error
    if len(keys) > MAX_KEYS:
        raise KeySetError(f"{len(keys)} keys, at most {MAX_KEYS} are allowed")
    _refuse_twins(key.identifier for key in keys)
    standing = [key for key in keys if key.identifier not in withdrawn]
    if not standing:
        raise KeySetError("no key is left after the withdrawn ones")
    return KeySet(serial, tuple(sorted(standing, key=lambda key: key.valid_from, reverse=True)))


def _parse_key(entry: Mapping[str, object]) -> PublicKey:
    identifier, encoded = str(entry["kid"]), str(entry["x"])
    try:
        material = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
    except (binascii.Error, ValueError) as error:
        raise KeySetError(f"key {identifier} is not base64url") from error
    if len(material) != PUBLIC_KEY_BYTES:
        raise KeySetError(f"key {identifier} has {len(material)} bytes instead of {PUBLIC_KEY_BYTES}")
    valid_from, valid_until = float(str(entry["from"])), float(str(entry["until"]))
    if valid_until <= valid_from:
        raise KeySetError(f"key {identifier} ends before it begins")
    return PublicKey(identifier, material, valid_from, valid_until)


def _refuse_twins(identifiers: Iterable[str]) -> None:
    seen: set[str] = set()
    for identifier in identifiers:
        if identifier in seen:
            raise KeySetError(f"key {identifier} is listed twice")
        seen.add(identifier)


class KeyLoader:
    """Keeps the newest good key set in memory and on disk. Safe to use from many threads.

    ``fetch`` returns the published set as bytes, or raises ``OSError``. ``cache`` is the file that survives a
    restart. ``clock`` exists for tests.
    """

    def __init__(self, fetch: Fetch, cache: Path, clock: Clock = time.time) -> None:
        self._fetch = fetch
        self._cache = cache
        self._clock = clock
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._set: KeySet | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Load once, from disk if need be, then keep fetching in the background."""
        if not self.load():
            self._load_from_cache()
        self._thread = threading.Thread(target=self._run, name="key-loader", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the background thread and wait for it."""
        self._stop.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(timeout=5)

    def refresh_soon(self) -> None:
        """Fetch at the next opportunity; the answer to ``slipway signal --refresh-keys``."""
        self._wake.set()

    def key_for(self, identifier: str) -> PublicKey:
        """The usable key with this identifier. Raises ``UnknownKeyError``. Never waits for the network."""
        with self._lock:
            current = self._set
        found = current.find(identifier) if current else None
        if found is None or not found.usable(self._clock()):
            self.refresh_soon()
            raise UnknownKeyError(identifier)
        return found

    def load(self) -> bool:
        """Fetch the published set and adopt it if it is good and not older than ours (N2, N3)."""
        try:
            data = self._fetch()
            fresh = parse_key_set(data)
        except (OSError, KeySetError) as error:
            log.warning("keeping the present keys: %s", error)
            return False
        with self._lock:
            if self._set is not None and fresh.serial < self._set.serial:
                log.warning("refusing key set %d, already at %d", fresh.serial, self._set.serial)
                return False
            changed = self._set is None or fresh.serial > self._set.serial
            self._set = fresh
        if changed:
            self._write_cache(data)
            log.info("key set %d: %s", fresh.serial, ", ".join(key.thumbprint for key in fresh.keys))
        return True

    def _load_from_cache(self) -> None:
        try:
            cached = parse_key_set(self._cache.read_bytes())
        except (OSError, KeySetError) as error:
            log.error("no published keys and no cached ones: %s", error)
            return
        with self._lock:
            self._set = cached
        log.warning("started with cached key set %d", cached.serial)

    def _write_cache(self, data: bytes) -> None:
        self._cache.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self._cache.parent, prefix=".keys-")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            Path(name).replace(self._cache)
        except OSError as error:
            log.error("could not keep the keys on disk: %s", error)
            Path(name).unlink(missing_ok=True)

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.wait(timeout=FETCH_EVERY_SECONDS)
            self._wake.clear()
            if not self._stop.is_set():
                self.load()
                self._stop.wait(timeout=1.0)


def status(key_set: KeySet, now: float) -> list[str]:
    """One line a key for ``key-loader status``, newest first.

    >>> key = PublicKey("k20260901", bytes(32), valid_from=0.0, valid_until=86_400.0)
    >>> status(KeySet(71, (key,)), now=43_200.0)
    ['k20260901 66687aadf862bd77 usable, 12.0 h left']
    """
    lines = []
    for key in key_set.keys:
        if now < key.valid_from - GRACE_SECONDS:
            state = f"begins in {(key.valid_from - now) / 3600:.1f} h"
        elif key.usable(now):
            state = f"usable, {max(0.0, key.valid_until - now) / 3600:.1f} h left"
        else:
            state = f"ended {(now - key.valid_until) / 3600:.1f} h ago"
        lines.append(f"{key.identifier} {key.thumbprint} {state}")
    return lines


# Notes
#
# N1. On the two minutes before and after. The clocks of gateways, of the vault and of our own machines are
#     allowed to differ by up to one minute each. A key that begins or ends sharply at its second would make
#     neighbouring machines disagree about the same token, which looks like a fault of the network and is
#     searched for there. In May 2024 we spent a night on that. Twice one minute is two minutes; do not make
#     it longer, because a stolen key remains useful for as long.
#
# N2. On lower serial numbers. A set with a lower serial than ours is refused even though it may be well
#     formed. Otherwise whoever can replay an old answer can bring a withdrawn key back to life.
#
# N3. On keeping what we have. A failed fetch, or a set that cannot be read, never empties the set in use.
#     Old keys are a smaller danger than none: with none, every gateway in the country is refused at once.
#
# N4. On reading the disk last. The copy on disk is used only at start, and only when the first fetch has
#     failed. It may be weeks old. A service that was switched off for a month must not begin its day by
#     trusting the keys of last month while the fresh ones are a request away.
#
# N5. On not waiting. Asking for an unknown key wakes the background thread but does not wait for it. A flood
#     of tokens with invented identifiers would otherwise turn into a flood of fetches; the pause of one
#     second after every fetch is there for the same reason.
