"""Components of the Chunks page."""
