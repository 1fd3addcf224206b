"""The command line with hashed words for the embedder: as quick to start as to ask.

Usage: python -m tests.cli.without_model ingest notes/
"""

from __future__ import annotations

import sys

import core.storage.embedder
from core.cli.main import main
from core.embedding import EmbeddingModel, packaged_counter
from core.settings import EmbeddingSettings
from tests.fast_encoder import FastEncoder

COMMAND = [sys.executable, "-m", "tests.cli.without_model"]


def quickly(settings: EmbeddingSettings) -> EmbeddingModel:
    """What every library of a process opens with, in the place of ``load_model``."""
    return EmbeddingModel(FastEncoder(), packaged_counter())


if __name__ == "__main__":
    core.storage.embedder.load_model = quickly
    sys.exit(main())
