"""Sentences planted in a copy of a library, and how far each gets: which stage loses what stands where.

``facts`` makes the sentences and what is asked of them, ``planting`` the copy they stand in; ``mapping`` follows them
from the file to the context, ``prompts`` into what a language model says, with and without retrieval; ``maps`` holds
what came of it.
"""
