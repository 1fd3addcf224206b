"""The processes that files are read in: warm, recycled, bounded, with their doors closed."""
