"""Reads what an endpoint answers: the pieces of an answer, its list of models, its vectors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from math import isfinite
from typing import Any

from core.errors import ModelError
from core.language_model import faults
from core.language_model.settings import LanguageSettings


@dataclass(frozen=True, slots=True)
class Model:
    """A model of an endpoint. ``context_tokens``: its context window, 0 where the server does not state it."""

    name: str
    context_tokens: int = 0


class CutShortError(ModelError):
    """The server ended the answer before the model did."""


def forward_answer(stream: Any, put: Callable[[str], None], settings: LanguageSettings) -> None:
    """Put the text of a streamed answer, or of a complete one, which some servers send instead."""
    with stream:
        kind = stream.response.headers.get("content-type", "")
        if "html" in kind:
            raise faults.html(settings)
        if "json" in kind and "stream" not in kind and "lines" not in kind:
            choice = json.loads(stream.response.read())["choices"][0]
            put(str(choice["message"]["content"] or ""))
            _check_end(choice.get("finish_reason"), settings)
            return
        ended, has_text = None, False
        for event in stream:
            for choice in event.choices or ():
                if text := getattr(choice.delta, "content", None):
                    put(text)
                    has_text = True
                ended = choice.finish_reason or ended
        if has_text and ended is None:
            raise ModelError(f"The connection to {settings.host} was cut before the answer ended.", "Ask again.")
        _check_end(ended, settings)


def _check_end(reason: str | None, settings: LanguageSettings) -> None:
    """Raise ``CutShortError`` for a finish reason that says that the model was not done."""
    if reason == "length":
        raise CutShortError(
            f"{settings.host} lets {settings.model} write no more tokens: the answer breaks off.",
            "Give the server a larger context window or limit, or lower the budget of the context.",
        )
    if reason == "content_filter":
        raise CutShortError(f"A filter of {settings.host} ended the answer.", "Ask in other words.")


_THINKING, _THOUGHT = "<think>", "</think>"


def without_thoughts(pieces: Iterator[str]) -> Iterator[str]:
    """An answer without what the model thinks aloud before it, between marks at its start.

    >>> list(without_thoughts(iter(["<th", "ink>Let me", " see.</thi", "nk>\\n\\nIt is", " free."])))
    ['It is', ' free.']
    >>> list(without_thoughts(iter(["<the", " key>"])))
    ['<the', ' key>']
    """
    held = ""
    for piece in pieces:
        held += piece
        begun = held.lstrip()
        if begun.startswith(_THINKING):
            _, mark, answer = begun.partition(_THOUGHT)
            if mark and answer.strip():
                yield answer.lstrip()
                break
        elif not _THINKING.startswith(begun):
            yield held
            break
    else:
        if held and not held.lstrip().startswith(_THINKING):
            yield held
    yield from pieces


def after_thoughts(text: str) -> str:
    """A text without what the model thought aloud first, where it marked the end of that alone.

    Templates of some models open the thought in the prompt, so that only its end can be seen.

    >>> after_thoughts("Let me see.</think>\\n\\nIt is free."), after_thoughts("`<think>` and `</think>` are marks.")
    ('It is free.', '`<think>` and `</think>` are marks.')
    """
    thought, mark, answer = text.partition(_THOUGHT)
    return answer.lstrip() if mark and _THINKING not in thought else text


def models_in(text: str, settings: LanguageSettings) -> tuple[Model, ...]:
    """The models in the response of ``/models``, sorted by name. Raises ``ModelError`` for any other text.

    >>> models_in('{"data": [{"id": "b", "max_model_len": 4096}, {"id": "a"}]}', LanguageSettings())
    (Model(name='a', context_tokens=0), Model(name='b', context_tokens=4096))
    """
    try:
        rows = json.loads(text)["data"] or ()
        return tuple(
            sorted((Model(str(row["id"]), _context_tokens(row)) for row in rows), key=lambda model: model.name)
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        if text.lstrip()[:1] == "<":
            raise faults.html(settings) from None
        raise ModelError(
            f"{settings.host} lists no models as a language model's server does.",
            "Check the address: it usually ends with /v1.",
        ) from None


def vectors_in(text: str, count: int, settings: LanguageSettings) -> list[list[float]]:
    """The ``count`` vectors in the response of ``/embeddings``, in the order of the texts and of equal length.

    Raises ``ModelError`` for any other text.

    >>> vectors_in('{"data": [{"index": 1, "embedding": [3]}, {"index": 0, "embedding": [2]}]}', 2, LanguageSettings())
    [[2.0], [3.0]]
    """
    try:
        rows = sorted(json.loads(text)["data"], key=lambda row: int(row["index"]))
        vectors = [[float(value) for value in row["embedding"]] for row in rows]
    except (ValueError, KeyError, TypeError):
        if text.lstrip()[:1] == "<":
            raise faults.html(settings) from None
        vectors = []
    lengths = {len(vector) for vector in vectors}
    if len(vectors) != count or len(lengths) > 1 or lengths & {0} or not all(map(isfinite, chain(*vectors))):
        raise ModelError(
            f"{settings.host} answered with no vectors of {settings.model} that can be used.",
            "Choose a model that embeds, and start its server so that it does.",
        )
    return vectors


def _context_tokens(row: dict[str, Any]) -> int:
    """The context window that a server states, under the names that vLLM, LM Studio, llama.cpp and others use.

    >>> _context_tokens({"meta": {"n_ctx": 4096, "n_ctx_train": 131072}})
    4096
    """
    values = {**(row.get("meta") or {}), **row}
    names = ("max_model_len", "max_context_length", "context_length", "context_window", "n_ctx", "n_ctx_train")
    sizes = [values.get(name) for name in names]
    return next((size for size in sizes if isinstance(size, int) and size > 0), 0)
