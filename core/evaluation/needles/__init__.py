"""Needle-in-a-haystack tests: plants sentences in a copy of a library and finds the stage that loses each.

``facts`` generates the sentences and their questions, ``planting`` the copy that holds them. ``mapping`` follows them
from the file to the context, ``prompts`` into the answer of a language model, with and without retrieval. ``maps``
defines the plan and the result.
"""
