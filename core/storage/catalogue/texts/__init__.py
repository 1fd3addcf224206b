"""Versions of documents: their text and structure, their chunks by generation, and what a person set for either."""
