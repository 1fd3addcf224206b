"""Web pages to pieces in reading order."""
