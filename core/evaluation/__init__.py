"""Evaluation: suites of questions with gold spans, metrics, statistics, and the bench that runs presets over them."""
