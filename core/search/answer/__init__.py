"""From a context to an answer without a language model: the best supporting lines, quoted with their citations, and the
probability that the library holds an answer at all.
"""
