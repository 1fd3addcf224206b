"""Questions with gold made from a person's own documents without labels: by rules, or by a language model.

Each file drafts from one thing: ``prose`` from sentences, ``tables``, ``structure`` from headings and lists, ``code``;
``written`` has a model draft from passages. ``documents`` gathers a document's, ``checking`` asks the library
whether something else answers, ``making`` chooses and spreads.
"""
