"""The parts of the Ask page: the question, the dials, the answer, the evidence, and why a passage was not read."""
