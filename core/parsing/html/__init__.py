"""Reads web pages, and XML that is converted to them, as pieces in reading order."""
