"""From an analysed question to a ranking of leaves, with the scores of every stage."""
