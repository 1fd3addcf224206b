"""The chunkers, one file each: from a chunking context to a plan of parents, leaves and reasons.

``core.chunking.CHUNKERS`` names them; their dials are in ``core/settings/chunking.py``.
"""
