"""Markup and references inside texts: links, tags, fences, lists of references."""
