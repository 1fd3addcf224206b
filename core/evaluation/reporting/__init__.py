"""What a bench found, as values, and as it is shown and passed on: words, breakdowns, charts, CSV, JSON, HTML."""
