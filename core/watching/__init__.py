"""Folders that the library keeps in step with: looked at, compared on three sides, carried out, watched."""
