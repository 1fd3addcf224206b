"""Fits a library's settings, and a re-ranker, to the user's judgments and validates them on held-out judgments.

splitting.py          splits questions into a training and a held-out half
coordinate_search.py  the settings that are fitted, and the search over them
scoring.py            recall of a question's gold under given settings
gains.py              the gain on the held-out half, its verdict, and what may be applied
fitting.py            the whole fit of settings
listwise.py           listwise training of a re-ranker
tuning.py             fine-tuning the re-ranker with judgments, also as a background job
taught_rerankers.py   fine-tuned re-rankers on disk: which is used, what each was trained on, which may be removed
"""
