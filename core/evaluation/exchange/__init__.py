"""Import and export of judgments. Foreign formats are read, our own is read and written.

values.py     the value that every format is read into, and reading and writing files
ours.py       Lectern's suites; chroma.py, squad.py and beir.py: foreign data sets; table.py: a table of questions
placing.py    where quoted words are in a document
importing.py  a data set's judgments into a library; judged.py: a library's judgments as a suite
uploads.py    what a person gives: the format guessed, archives and spreadsheets unpacked
ragas.py      contexts and answers of a bench, for Ragas
"""

from core.evaluation.exchange import beir, chroma, ours, squad, table
from core.evaluation.exchange.values import Format

FORMATS: dict[str, Format] = {
    "ours": ours.FORMAT,
    "chroma": chroma.FORMAT,
    "squad": squad.FORMAT,
    "beir": beir.FORMAT,
    "table": table.FORMAT,
}
