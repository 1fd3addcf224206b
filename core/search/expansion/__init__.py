"""From a ranking to extents: how far each retrieved leaf is expanded before it is read."""
