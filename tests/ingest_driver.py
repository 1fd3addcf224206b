"""Ingests a folder as the command line does, but with the fast encoder, and says on stdout how far it is.

Usage: python -m tests.ingest_driver LIBRARY FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

from core.ingest.work import ingest_handler
from core.library import Library
from core.storage.catalogue.job_rows import NewItem
from tests.fast_encoder import FastEncoder

CHUNKING = {"chunking.max_tokens": 40, "chunking.parent_max_tokens": 120}


def say(*words: object) -> None:
    """One event: the reader may end this process at any of them."""
    print(*words, flush=True)


class TalkingEncoder(FastEncoder):
    """Says when it encodes."""

    def encode(self, texts, progress=None):
        say("encode", len(texts))
        return super().encode(texts, progress)


def run(home: Path, folder: Path) -> None:
    """Go on with what is queued, else queue the folder; as ``core ingest``, in small portions so that all mix."""
    import core.ingest.ingest

    core.ingest.ingest.SMALL_BATCH_TEXTS = 36
    with Library.open(home, encoder=TalkingEncoder()) as library:
        library.queue.recover()
        if not library.queue.jobs():
            settings = library.settings.with_values(CHUNKING).to_dict()
            items = [NewItem(path.name, path) for path in sorted(folder.iterdir())]
            library.queue.enqueue("ingest", {"settings": settings}, items)
        say("begin")
        handler = ingest_handler(library, lambda job, report: say("report"), lambda *event: say(*event))
        while library.queue.run_next({"ingest": handler}):
            say("ran")
    say("closed")


if __name__ == "__main__":
    run(Path(sys.argv[1]), Path(sys.argv[2]))
