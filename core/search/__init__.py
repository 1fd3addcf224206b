"""Search: a question is analysed, searched, ranked, expanded, put into a context, answered and explained."""
