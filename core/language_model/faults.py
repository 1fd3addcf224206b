"""Turns the errors of requests to an endpoint into ``LecternError`` with a remedy."""

from __future__ import annotations

from typing import Any

from core.errors import LecternError, ModelError
from core.language_model.settings import LanguageSettings

_TOO_LONG = ("context", "too long", "too many tokens", "maximum length", "exceed")
_LONGEST_MESSAGE = 200  # characters quoted of a server's message


def fault(error: BaseException, settings: LanguageSettings, key: str) -> LecternError:
    """The error to raise for one of ``openai`` or the network. ``key``: removed from messages, "" for none."""
    import openai

    where, message = settings.host, _server_message(error, key)
    if isinstance(error, LecternError):
        return error
    if isinstance(error, TimeoutError | openai.APITimeoutError):
        is_unreachable = type(error.__cause__).__name__ == "ConnectTimeout"
        return _unreachable(error, settings) if is_unreachable else late(settings, settings.timeout_seconds)
    if isinstance(error, openai.APIStatusError):
        return _refused(error.status_code, message, settings, key)
    if isinstance(error, openai.APIConnectionError):
        return _unreachable(error, settings)
    if isinstance(error, openai.APIError):  # sent in the middle of an answer
        return ModelError(f"The server at {where} broke off: {message}.", "Ask again, or look at what the server logs.")
    if isinstance(error, ValueError | TypeError | LookupError | AttributeError | openai.OpenAIError):
        return ModelError(
            f"What {where} answered is no answer of a language model.", "Look at what the server logs. " + _ADDRESS
        )
    return ModelError(f"Asking {where} failed: {type(error).__name__}.", "Ask again.")


NOTHING_THERE = "has nothing at this address"
_ADDRESS = "Check the address: it usually ends with /v1."


def html(settings: LanguageSettings) -> ModelError:
    """The error for a web page instead of an answer."""
    return ModelError(f"{settings.host} answered with a web page (HTML), not as a language model does.", _ADDRESS)


def late(settings: LanguageSettings, seconds: float) -> ModelError:
    """The error for a timeout. ``seconds``: how long was waited."""
    return ModelError(
        f"{settings.model or 'The server'} at {settings.host} was not done within {seconds:g} seconds.",
        "Ask again, raise the time limit on the Settings page, or choose a smaller model."
        if seconds >= settings.timeout_seconds
        else "Look whether its server is busy, and ask again.",
    )


def too_long(settings: LanguageSettings, tokens: int) -> ModelError:
    """The error for a prompt that exceeds the context window."""
    return ModelError(
        f"The prompt has about {tokens:,} tokens, and {settings.model} reads {settings.context_tokens:,} with its "
        "answer.",
        "Lower the budget of the context, or set a larger context window on the Settings page.",
    )


def retry_after(error: BaseException) -> float | None:
    """The seconds in the response's Retry-After header; ``None`` without one."""
    headers: Any = getattr(getattr(error, "response", None), "headers", {})
    try:
        return max(0.0, float(headers.get("retry-after", "")))
    except ValueError:
        return None


def _unreachable(error: BaseException, settings: LanguageSettings) -> ModelError:
    words, cause = "", error.__cause__
    while cause is not None:
        words, cause = f"{words} {type(cause).__name__} {cause}".lower(), cause.__cause__ or cause.__context__
    where = settings.host
    if "certificate" in words or "ssl" in words:
        return ModelError(
            f"No safe connection to {where} could be made: its certificate is not accepted.",
            "Check whether the address begins with http or https.",
        )
    if any(phrase in words for phrase in ("name or service", "getaddrinfo", "nodename", "name resolution")):
        return ModelError(f"There is no machine named {where}.", "Check the address, and the network.")
    if any(phrase in words for phrase in ("protocol", "readerror", "closed", "reset")):
        return ModelError(f"The connection to {where} was cut.", "Ask again; if it stays so, restart the server.")
    return ModelError(f"Nothing answers at {where}.", "Start the server there, or check the address.")


def _refused(status: int, message: str, settings: LanguageSettings, key: str) -> ModelError:
    where = settings.host
    if status in {401, 403}:
        if key:
            return ModelError(f"{where} does not accept the key.", "Set the right one, and restart Lectern.")
        return ModelError(f"{where} asks for a key, and none is set.", "Set LECTERN_API_KEY, and restart Lectern.")
    if status == 404:
        if "model" in message.lower():
            return ModelError(f"There is no model {settings.model} at {where}.", "Choose one of its list.")
        return ModelError(f"{where} {NOTHING_THERE}.", _ADDRESS)
    if status == 429:
        return ModelError(
            f"{where} has had too many requests, or its credit is used up.", "Wait a while and ask again."
        )
    if status in {400, 413, 422} and any(words in message.lower() for words in _TOO_LONG):
        return ModelError(
            f"The text is longer than {settings.model} reads at {where}.",
            "Lower the budget of the context, or start the server with a larger context window.",
        )
    if status < 400:
        return ModelError(
            f"{where} sends whoever asks to another address, which nobody agreed to.", "Set that one, if it is right."
        )
    quote = f": {message}" if message else ""
    if status >= 500:
        return ModelError(f"The server at {where} failed (status {status}){quote}.", "Look at what it logs; ask again.")
    return ModelError(f"{where} refused the request (status {status}){quote}.", "Check model and settings.")


def _server_message(error: BaseException, key: str) -> str:
    """The server's own message, on one line and without the key; "" for none."""
    body: Any = getattr(error, "body", None)
    if isinstance(body, dict) and isinstance(body.get("error"), dict):
        body = body["error"]
    message = body.get("message") or body.get("error") if isinstance(body, dict) else None
    text = " ".join(str(message or (error.args[0] if error.args else "")).split())
    if not message and ("<" in text or text.startswith("Error code:")):  # a web page, or the client's own text
        return ""
    text = text.replace(key, "…") if key else text
    return text[:_LONGEST_MESSAGE].rstrip(". ")
