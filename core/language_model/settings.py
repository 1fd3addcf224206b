"""Which endpoint writes, how it is asked, and what was agreed to: one small file beside the app, never in a library.

No key stands in it (``core.language_model.keys``).
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from core.atomic_files import written_whole
from core.errors import SettingsError

FILE = "language.json"
LEAST_CONTEXT = 512
_CHARACTERS_A_TOKEN = 3.5  # of prose, rather too few than too many: what is sent is counted before it is sent


@dataclass(frozen=True, slots=True)
class LanguageSettings:
    """An endpoint and how it is asked.

    ``address``: up to and with "/v1", as ``tidy_address`` writes it, "" for none. ``context_tokens``: that the model
    reads at once, answer included. ``timeout_seconds``: until the whole answer is there. ``template``: of the prompt,
    "" for the usual one. ``agreed``: the addresses that may be sent something; no other one ever is.
    ``embedding_address``: of an embedder that is at an endpoint, "" for ``address``. ``judges``: the model tells what
    sentences mean when they are checked, too.
    """

    address: str = ""
    model: str = ""
    context_tokens: int = 8192
    temperature: float = 0.0
    timeout_seconds: float = 120.0
    template: str = ""
    agreed: tuple[str, ...] = ()
    embedding_address: str = ""
    judges: bool = False

    def __post_init__(self) -> None:
        if self.context_tokens < LEAST_CONTEXT:
            raise SettingsError(
                f"A context window of {self.context_tokens:,} tokens is too small.",
                f"Set it to {LEAST_CONTEXT:,} or more.",
            )
        if not 0 <= self.temperature <= 2:
            raise SettingsError(f"The temperature cannot be {self.temperature}.", "Set it between 0 and 2.")
        if not 1 <= self.timeout_seconds <= 3600:
            raise SettingsError(
                f"The time limit cannot be {self.timeout_seconds:g} seconds.", "Set it between 1 and 3,600."
            )

    @property
    def is_agreed(self) -> bool:
        """Whether something may be sent to the address."""
        return bool(self.address) and self.address in self.agreed

    @property
    def is_usable(self) -> bool:
        """Whether there is a model to write, at an address that was agreed to."""
        return self.is_agreed and bool(self.model)

    @property
    def is_own(self) -> bool:
        """Whether the address is this machine's."""
        return is_own(self.address)

    @property
    def host(self) -> str:
        """Where the address leads, for people.

        >>> LanguageSettings("http://localhost:11434/v1").host
        'localhost:11434'
        """
        return urlsplit(self.address).netloc

    def agreeing(self, address: str) -> LanguageSettings:
        """With one address more that may be sent something.

        >>> LanguageSettings().agreeing("http://a/v1").agreeing("http://a/v1").agreed
        ('http://a/v1',)
        """
        return replace(self, agreed=tuple(dict.fromkeys([*self.agreed, address])))

    def embedding(self, model: str) -> LanguageSettings:
        """How a model is asked for vectors: at an address of its own, for every chunk is sent there."""
        return replace(self, address=self.embedding_address, model=model)

    @property
    def room(self) -> int:
        """How many bytes a prompt may have that leaves room for an answer, by a guess of its tokens."""
        return int((self.context_tokens - LEAST_CONTEXT // 2) * _CHARACTERS_A_TOKEN)

    def fits(self, prompt: str) -> bool:
        """Whether a prompt leaves room for an answer."""
        return len(prompt.encode()) <= self.room


def tokens_about(text: str) -> int:
    """How many tokens a text will be about, for a tokenizer that is not known. Pure.

    >>> tokens_about("An access token is valid for 3600 seconds.")
    12
    """
    return int(len(text.encode()) / _CHARACTERS_A_TOKEN)


def tidy_address(text: str) -> str:
    """An address as it is kept and agreed to; "" for none. Raises ``SettingsError`` for what is no address. Pure.

    A key in it is refused: addresses stand on pages, in logs and in the file of the settings.

    >>> tidy_address("localhost:11434"), tidy_address("https://api.example.org/v1/chat/completions/")
    ('http://localhost:11434/v1', 'https://api.example.org/v1')
    """
    text = text.strip()
    if not text:
        return ""
    if "://" not in text:
        text = f"http://{text}"
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if host is None or parts.scheme not in {"http", "https"} or any(map(str.isspace, text)):
        raise SettingsError(f"{text!r} is no address.", "Write it like http://localhost:11434/v1.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise SettingsError(
            "An address holds no name, key or question mark.", "Give the key by itself, as said below the address."
        )
    path = parts.path.rstrip("/")
    for end in ("/chat/completions", "/completions", "/models", "/embeddings"):
        path = path.removesuffix(end)
    name = f"[{host}]" if ":" in host else host
    return urlunsplit((parts.scheme, f"{name}:{port}" if port else name, path or "/v1", "", ""))


def is_own(address: str) -> bool:
    """Whether an address leads to this machine and nowhere else. Pure.

    >>> [is_own(f"http://{host}/v1") for host in ("localhost:1", "127.0.0.1", "[::1]:8000", "localhost.example.org")]
    [True, True, True, False]
    """
    host = urlsplit(address).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def load(file: Path) -> LanguageSettings:
    """What is kept; the usual where nothing is, or where the file is damaged: then no address is agreed to."""
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
        known: dict[str, Any] = {item.name: kept[item.name] for item in fields(LanguageSettings) if item.name in kept}
        agreed = known.pop("agreed", ())
        return LanguageSettings(**known, agreed=tuple(str(address) for address in agreed))
    except (OSError, ValueError, TypeError, AttributeError, SettingsError):
        return LanguageSettings()


def save(file: Path, settings: LanguageSettings) -> None:
    """Keep it, as a whole or not at all. Raises ``SettingsError`` where it cannot be written."""
    try:
        with written_whole(file) as unfinished:
            unfinished.write_text(json.dumps(asdict(settings), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise SettingsError(
            f"{file} cannot be written: {error.strerror or error}.", "Free some room, or mend its rights."
        ) from error
