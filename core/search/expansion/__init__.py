"""Children to extents: how far each retrieved leaf is allowed to grow before it is read."""
