"""Judgments in the formats of others, which are read, and in ours, which is written too.

values.py    what a data set is read into, and its files
ours.py      chroma.py  squad.py  beir.py
ragas.py     what a bench read and answered, for Ragas alone
"""

from core.evaluation.exchange import beir, chroma, ours, squad
from core.evaluation.exchange.values import Format

FORMATS: dict[str, Format] = {
    "ours": ours.FORMAT,
    "chroma": chroma.FORMAT,
    "squad": squad.FORMAT,
    "beir": beir.FORMAT,
}
