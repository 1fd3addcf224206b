"""What questions are asked of: words in FTS5, vectors in Chroma, the leaves as arrays, and the outbox between."""
