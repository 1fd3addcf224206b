"""Reads formats that pandoc converts, and EPUB and bibliographies."""
