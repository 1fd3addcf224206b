"""Components of the Benchmark page."""
