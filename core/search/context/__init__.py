"""Extents to the context a reader gets: budget, order, end, prompt, and what became of every candidate."""
