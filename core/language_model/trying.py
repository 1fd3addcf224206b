"""Tests whether a model can be used, and finds the servers that run on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from core.errors import LecternError, ModelError
from core.language_model.client import Client
from core.language_model.faults import NOTHING_THERE
from core.language_model.replies import Model
from core.language_model.settings import LanguageSettings

LOCAL = {"Ollama": 11434, "llama.cpp": 8080, "LM Studio": 1234, "vLLM": 8000}
_SEARCH_SECONDS = 3.0
_TRIAL = "Answer with the one word: ready"


@dataclass(frozen=True, slots=True)
class Found:
    """A server on this machine. ``name``: the software that usually has its port."""

    name: str
    address: str
    models: tuple[Model, ...]


def local_servers(ports: Sequence[tuple[str, int]] = tuple(LOCAL.items())) -> tuple[Found, ...]:
    """The servers that list models on these ports of this machine. Sends no key."""

    def look(name: str, port: int) -> Found | None:
        address = f"http://127.0.0.1:{port}/v1"
        settings = LanguageSettings(address, timeout_seconds=_SEARCH_SECONDS, agreed=(address,))
        try:
            return Found(name, address, Client(settings).models())
        except LecternError:
            return None

    with ThreadPoolExecutor(len(ports) or 1) as pool:
        return tuple(server for server in pool.map(lambda port: look(*port), ports) if server is not None)


def trial(settings: LanguageSettings, key: str, needed_tokens: int) -> str:
    """Ask the model for one word and return a sentence that it answers. Raises ``ModelError`` where it does not.

    ``needed_tokens``: of a usual prompt and its answer. Sends only the key and a fixed sentence.
    """
    if not settings.model:
        raise ModelError("No model is chosen.", "Choose one of the list.")
    client = Client(settings, key)
    models = {model.name: model for model in _models(client)}
    if models and settings.model not in models:
        raise ModelError(
            f"There is no model {settings.model} at {settings.host}.", f"It has: {', '.join(list(models)[:8])}."
        )
    stated = models[settings.model].context_tokens if models else 0
    available = min(settings.context_tokens, stated or settings.context_tokens)
    if available < needed_tokens:
        raise ModelError(
            f"{settings.model} reads {available:,} tokens, and a prompt with its answer takes about {needed_tokens:,}.",
            "Give it a larger context window, or lower the budget of the context in Ask.",
        )
    if stated and stated < settings.context_tokens:
        raise ModelError(
            f"The server says that {settings.model} reads {stated:,} tokens, not {settings.context_tokens:,}.",
            "Set the context window to that.",
        )
    limited = replace(settings, timeout_seconds=min(settings.timeout_seconds, 60.0))
    next(Client(limited, key).stream(_TRIAL))  # the first piece is enough: some models never stop
    return f"{settings.model} at {settings.host} answers."


def _models(client: Client) -> tuple[Model, ...]:
    """The server's models; () for a server without such a list, which may answer nevertheless."""
    try:
        return client.models()
    except ModelError as error:
        if NOTHING_THERE in error.problem:
            return ()
        raise
