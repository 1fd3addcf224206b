def sort(items):
    """Sorted."""
    return sorted(items)
