"""A library's dials fitted to its person's own judgments, and shown to help, or not, on judgments kept out of the fit.

splitting.py          which questions are fitted to, and which are kept out
coordinate_search.py  the dials of fusion and blending, and the walk along them
scoring.py            what a question's gold gets under given settings
gains.py              what a fit is worth on the others, the verdict, and what may be applied
fitting.py            all of it
tuning.py             the re-ranker taught by judgments, and as a job in the background
taught_rerankers.py   where taught re-rankers lie, which is used, what each has seen, and what may go
"""
