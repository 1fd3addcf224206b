"""Settings and dials, on the Settings page and beside the others."""
