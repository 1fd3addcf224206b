"""From extents to the context and its prompt: budget, order, early ending, and the fate of every candidate."""
