"""Reports of benches: the figures as values, and their tables, charts and HTML page."""
