"""Whether a model can be used, in a sentence; and which servers run on this machine, for who asks to look."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from core.errors import LecternError, ModelError
from core.language_model.client import Client, Model
from core.language_model.faults import NOTHING_THERE
from core.language_model.settings import LanguageSettings

LOCAL = {"Ollama": 11434, "llama.cpp": 8080, "LM Studio": 1234, "vLLM": 8000}
_LOOK_SECONDS = 3.0
_TRIAL = "Answer with the one word: ready"


@dataclass(frozen=True, slots=True)
class Found:
    """A server on this machine. ``name``: of what usually listens at its port."""

    name: str
    address: str
    models: tuple[Model, ...]


def local_servers(ports: Sequence[tuple[str, int]] = tuple(LOCAL.items())) -> tuple[Found, ...]:
    """The servers that answer at these ports of this machine and list models. Asks no other machine, sends no key."""

    def look(name: str, port: int) -> Found | None:
        address = f"http://127.0.0.1:{port}/v1"
        settings = LanguageSettings(address, timeout_seconds=_LOOK_SECONDS, agreed=(address,))
        try:
            return Found(name, address, Client(settings).models())
        except LecternError:
            return None

    with ThreadPoolExecutor(len(ports) or 1) as pool:
        return tuple(found for found in pool.map(lambda port: look(*port), ports) if found is not None)


def trial(settings: LanguageSettings, key: str, needed_tokens: int) -> str:
    """Have the model say a word, and return a sentence on how that went. Raises ``ModelError`` with what is wrong.

    ``needed_tokens``: of a usual prompt and its answer. Sends the key and a sentence of Lectern's own, no more.
    """
    if not settings.model:
        raise ModelError("No model is chosen.", "Choose one of the list.")
    client = Client(settings, key)
    known = {model.name: model for model in _listed(client)}
    if known and settings.model not in known:
        raise ModelError(
            f"There is no model {settings.model} at {settings.host}.", f"It has: {', '.join(list(known)[:8])}."
        )
    told = known[settings.model].context_tokens if known else 0
    reads = min(settings.context_tokens, told or settings.context_tokens)
    if reads < needed_tokens:
        raise ModelError(
            f"{settings.model} reads {reads:,} tokens, and a prompt with its answer takes about {needed_tokens:,}.",
            "Give it a larger context window, or lower the budget of the context in Ask.",
        )
    if told and told < settings.context_tokens:
        raise ModelError(
            f"The server says that {settings.model} reads {told:,} tokens, not {settings.context_tokens:,}.",
            "Set the context window to that.",
        )
    patient = replace(settings, timeout_seconds=min(settings.timeout_seconds, 60.0))
    next(Client(patient, key).stream(_TRIAL))  # its first word will do: some never stop
    return f"{settings.model} at {settings.host} answers."


def _listed(client: Client) -> tuple[Model, ...]:
    """The list, or () of a server that keeps none: it may write all the same."""
    try:
        return client.models()
    except ModelError as error:
        if NOTHING_THERE in error.problem:
            return ()
        raise
