"""Formats read through pandoc, and the small readers beside it."""
