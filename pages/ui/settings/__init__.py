"""The tabs of the Settings page, and the dials of a chunking recipe, which other pages use."""
