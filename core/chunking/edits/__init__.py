"""Edits by hand: made on a cut, following a changed text, replayed on every new cut."""
