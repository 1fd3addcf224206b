"""Detectors that chunkers use: separators, turns, clauses, table rows, time stamps, breakpoints, captions."""
