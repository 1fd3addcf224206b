"""The settings of the language model and the user's consent, in one file of the app, not of a library.

The file has no key (``core.language_model.keys``).
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
_CHARACTERS_A_TOKEN = 3.5  # of prose; a low estimate, so that prompts rather count as too long than are truncated


@dataclass(frozen=True, slots=True)
class LanguageSettings:
    """An endpoint and how it is used.

    ``address``: ends with "/v1", as ``tidy_address`` returns it; "" for none. ``context_tokens``: the context window,
    answer included. ``timeout_seconds``: for a whole answer. ``template``: of the prompt, "" for the default.
    ``agreed``: the addresses that the user allowed; nothing is sent to any other. ``embedding_address``: of the server
    of an "endpoint:" embedder, "" for ``address``. ``judges``: whether the model also judges claims.
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
        """Whether the user agreed to the address."""
        return bool(self.address) and self.address in self.agreed

    @property
    def is_usable(self) -> bool:
        """Whether there is a model, at an address that the user agreed to."""
        return self.is_agreed and bool(self.model)

    @property
    def is_own(self) -> bool:
        """Whether the address is on this machine."""
        return is_own(self.address)

    @property
    def host(self) -> str:
        """The host and port of the address.

        >>> LanguageSettings("http://localhost:11434/v1").host
        'localhost:11434'
        """
        return urlsplit(self.address).netloc

    def agreeing(self, address: str) -> LanguageSettings:
        """The settings with one more address agreed to.

        >>> LanguageSettings().agreeing("http://a/v1").agreeing("http://a/v1").agreed
        ('http://a/v1',)
        """
        return replace(self, agreed=tuple(dict.fromkeys([*self.agreed, address])))

    def embedding(self, model: str) -> LanguageSettings:
        """The settings to embed with ``model``, at ``embedding_address``: consent for it is separate."""
        return replace(self, address=self.embedding_address, model=model)

    @property
    def room(self) -> int:
        """The largest prompt in bytes that leaves room for an answer, estimated."""
        return int((self.context_tokens - LEAST_CONTEXT // 2) * _CHARACTERS_A_TOKEN)

    def fits(self, prompt: str) -> bool:
        """Whether a prompt is no larger than ``room``."""
        return len(prompt.encode()) <= self.room


def tokens_about(text: str) -> int:
    """The estimated number of tokens of a text, for an unknown tokenizer.

    >>> tokens_about("An access token is valid for 3600 seconds.")
    12
    """
    return int(len(text.encode()) / _CHARACTERS_A_TOKEN)


def tidy_address(text: str) -> str:
    """The canonical form of an address; "" for none. Raises ``SettingsError`` for an invalid one.

    Addresses with a key are refused, since addresses are shown on pages and written to logs and settings.

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
    """Whether an address is a loopback address of this machine.

    >>> [is_own(f"http://{host}/v1") for host in ("localhost:1", "127.0.0.1", "[::1]:8000", "localhost.example.org")]
    [True, True, True, False]
    """
    host = urlsplit(address).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def load(file: Path) -> LanguageSettings:
    """The stored settings; the defaults, which agree to no address, where the file is missing or damaged."""
    try:
        row = json.loads(file.read_text(encoding="utf-8"))
        values: dict[str, Any] = {item.name: row[item.name] for item in fields(LanguageSettings) if item.name in row}
        agreed = values.pop("agreed", ())
        return LanguageSettings(**values, agreed=tuple(str(address) for address in agreed))
    except (OSError, ValueError, TypeError, AttributeError, SettingsError):
        return LanguageSettings()


def save(file: Path, settings: LanguageSettings) -> None:
    """Store the settings atomically. Raises ``SettingsError`` where that fails."""
    try:
        with written_whole(file) as unfinished:
            unfinished.write_text(json.dumps(asdict(settings), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise SettingsError(
            f"{file} cannot be written: {error.strerror or error}.", "Free some room, or mend its rights."
        ) from error
