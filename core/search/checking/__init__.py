"""A text held against what the library says, sentence by sentence."""
