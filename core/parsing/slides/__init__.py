"""Presentations to pieces."""
