"""What chunkers look for in a text: separators, turns, clauses, rows, stamps, breakpoints, captions."""
