"""The parts of the Chunks page: cuts and their dials, readers, plots, edits, comparison and health."""
