"""Edits by hand of a document's chunks: how they are made, moved to a changed text, and replayed on every new cut."""
