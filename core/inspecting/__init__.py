"""What the Chunks page shows, computed as values without drawing: health, comparison, curve, tree, map and sizes."""
