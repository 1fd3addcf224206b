"""Components of the Ask page: the question, the evidence, the answer, why-not."""
