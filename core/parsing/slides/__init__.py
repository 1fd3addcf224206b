"""Reads presentations as pieces."""
