"""Text to vectors: the packaged encoder, any other by name or path, its tokenizer, and the cached way to use them."""

from core.embedding.cached import (
    BorrowingEncoder,
    Encoded,
    KeepingEncoder,
    MemoryVectors,
    encode_cached,
    over_cache,
    vector_key,
)
from core.embedding.encoder import EmbeddingModel, load_model
from core.embedding.tokenizer import WordPieceCounter, packaged_counter

__all__ = [
    "BorrowingEncoder",
    "EmbeddingModel",
    "Encoded",
    "KeepingEncoder",
    "MemoryVectors",
    "WordPieceCounter",
    "encode_cached",
    "load_model",
    "over_cache",
    "packaged_counter",
    "vector_key",
]
