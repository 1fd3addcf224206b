"""Rich text to pieces."""
