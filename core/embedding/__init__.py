"""Encoders: the packaged model or any other by name or path, its tokenizer, and encoding through a vector cache."""

from core.embedding.cached import (
    CachedEncoder,
    Encoded,
    MemoryVectors,
    encode_cached,
    vector_key,
)
from core.embedding.encoder import EmbeddingModel, load_model
from core.embedding.tokenizer import WordPieceCounter, packaged_counter

__all__ = [
    "CachedEncoder",
    "EmbeddingModel",
    "Encoded",
    "MemoryVectors",
    "WordPieceCounter",
    "encode_cached",
    "load_model",
    "packaged_counter",
    "vector_key",
]
