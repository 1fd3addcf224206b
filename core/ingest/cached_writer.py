"""A language model whose replies are kept with the library, so that none is asked for, or paid, twice."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from time import perf_counter

from core.chunking.plan import Writer
from core.language_model.settings import tokens_about
from core.storage.catalogue import replies
from core.storage.store import Store


@dataclass(frozen=True, slots=True)
class KeptWriter:
    """Satisfies ``core.chunking.plan.Writer``. Each reply is committed as it comes: what was stopped goes on there.

    ``version_id``: of the document that is written about, with which the replies go. Not ``asks``: what is kept is all
    there is, "" stands for the rest, and ``wanted`` notes how many tokens each of those prompts has, about.
    """

    store: Store
    writer: Writer
    version_id: str = ""
    asks: bool = True
    wanted: list[int] = field(default_factory=list)

    @property
    def fingerprint(self) -> str:
        return self.writer.fingerprint

    @property
    def room(self) -> int:
        return self.writer.room

    def complete(self, prompt: str) -> str:
        """The kept reply to this very prompt by this very model, else the model's. Raises ``ModelError``."""
        key = hashlib.sha256(f"{self.fingerprint}\0{prompt}".encode("utf-8", "replace")).hexdigest()
        known = replies.reply(self.store, key)
        if known is not None:
            return known
        if not self.asks:
            self.wanted.append(tokens_about(prompt))
            return ""
        started = perf_counter()
        said = self.writer.complete(prompt)
        if said.strip() and self.store.writable:
            seconds = perf_counter() - started
            replies.keep_reply(self.store, key, self.version_id, said, tokens_about(prompt), seconds)
        return said
