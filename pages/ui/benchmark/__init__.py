"""The parts of the Benchmark page."""
