"""Generates questions with gold from unlabelled documents, by rules or by a language model.

Drafts come from ``prose`` (sentences), ``tables``, ``structure`` (headings and lists), ``code``, or ``written`` (a
model, from passages). ``documents`` collects the drafts of one document. ``checking`` tests a draft against the whole
library. ``making`` selects questions and spreads them over documents and kinds.
"""
