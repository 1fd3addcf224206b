"""Components of the Library page."""
