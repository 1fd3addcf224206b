"""A question to its result: read, searched, ranked, grown, filled into a context, answered and explained."""
