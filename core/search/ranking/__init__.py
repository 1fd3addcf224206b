"""A question to ranked leaves, every stage's scores kept."""
