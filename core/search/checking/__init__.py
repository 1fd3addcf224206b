"""Checks whether passages of the library support the sentences of a text."""
