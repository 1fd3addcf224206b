"""Numbers, units and dates in running text."""
