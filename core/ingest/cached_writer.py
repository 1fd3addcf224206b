"""A language model with a cache of its replies in the library, so that no prompt is paid for twice."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from time import perf_counter

from core.chunking.plan import Writer
from core.language_model.settings import tokens_about
from core.storage.catalogue import replies
from core.storage.store import Store


@dataclass(frozen=True, slots=True)
class CachedWriter:
    """A ``core.chunking.plan.Writer``. Each reply is committed at once, so that an interrupted run does not repeat it.

    ``version_id``: the document written about; its replies are deleted with it. ``asks``: ``False`` to use only cached
    replies; other prompts get "" and their approximate number of tokens is added to ``skipped_prompts``.
    """

    store: Store
    writer: Writer
    version_id: str = ""
    asks: bool = True
    skipped_prompts: list[int] = field(default_factory=list)

    @property
    def fingerprint(self) -> str:
        return self.writer.fingerprint

    @property
    def room(self) -> int:
        return self.writer.room

    def complete(self, prompt: str) -> str:
        """The cached reply of this model to this prompt, or a new one. Raises ``ModelError``."""
        key = hashlib.sha256(f"{self.fingerprint}\0{prompt}".encode("utf-8", "replace")).hexdigest()
        cached = replies.reply(self.store, key)
        if cached is not None:
            return cached
        if not self.asks:
            self.skipped_prompts.append(tokens_about(prompt))
            return ""
        started = perf_counter()
        text = self.writer.complete(prompt)
        if text.strip() and self.store.writable:
            seconds = perf_counter() - started
            replies.keep_reply(self.store, key, self.version_id, text, tokens_about(prompt), seconds)
        return text
