"""Word documents to pieces."""
