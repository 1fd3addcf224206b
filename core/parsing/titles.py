"""Which of the titles that files state are titles."""

from __future__ import annotations

import re

MAX_TITLE = 200  # characters
_POOR_TITLE = re.compile(
    r"untitled|title|document\d*|slide \d+|microsoft (?:word|powerpoint|excel) - .*|powerpoint presentation|"
    r".*\.(?:docx?|pptx?|xlsx?|tex|dvi|indd|qxd|pdf|rtf|odt|html?|ps)|[\W\d_]*|cover|contents|layout \d+",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?:sheet|page|slide|table|tabelle|blatt|feuil|hoja|folha|foglio) ?\d+", re.IGNORECASE)


def is_numbered(heading: str) -> bool:
    """Whether a heading only counts: a program named the sheet or slide.

    >>> is_numbered("Sheet1"), is_numbered("Sheet music")
    (True, False)
    """
    return bool(_NUMBERED.fullmatch(heading))


def is_title(stated: str) -> bool:
    """Whether a stated title, on one line, names a document rather than the program or template that made it.

    >>> [is_title(text) for text in ("The keeping of ducks", "Microsoft Word - Draft.doc", "Slide 1")]
    [True, False, False]
    """
    readable = stated.isprintable() and "\ufffd" not in stated
    return 3 <= len(stated) <= MAX_TITLE and readable and not _POOR_TITLE.fullmatch(stated)
