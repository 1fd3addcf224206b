"""What the Chunks page shows, as values: health, comparison, curve, tree, map and sizes. Pure functions, no drawing."""
