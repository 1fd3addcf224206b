"""In which languages other than English the library's documents are written, as far as their words were indexed so."""

from __future__ import annotations

import json

from core.storage.store import Store

_KEY = "languages"


def languages(store: Store) -> tuple[str, ...]:
    """Names as ``core.text.languages`` has them, in alphabetical order; one that was indexed once stays."""
    return tuple(json.loads(store.meta(_KEY) or "[]"))


def add_language(store: Store, language: str) -> None:
    """Note that a document in this language is indexed; questions are asked in it from now on."""
    with store.transaction():
        known = languages(store)
        if language not in known:
            store.set_meta(_KEY, json.dumps(sorted({*known, language})))
