"""Gold of foreign files put on a document's text: offsets where the words agree, else the words themselves."""

from __future__ import annotations

from core.errors import SuiteError
from core.evaluation.exchange.values import Anchor
from core.evaluation.fields import shown
from core.evaluation.suites import GoldSpan
from core.text.anchoring import find_quote


def place_quote(document: str, text: str | None, quote: str, start: int, place: str) -> tuple[GoldSpan, Anchor]:
    """The gold a quotation stands for; where the text is not carried, what the file says of it.

    Raises ``SuiteError`` where the words are not in the text.
    """
    if not quote.strip():
        raise SuiteError(
            f"{place}: the answer's text is {shown(quote)}.", "A question without an answer has no answers."
        )
    end = start + len(quote)
    if text is not None and text[start:end] != quote:
        found = find_quote(text, quote, "", "", start)
        if found is None:
            raise SuiteError(f"{place}: {shown(quote)} is not in the text of {document}.", "Check text and offset.")
        start, end = found.start, found.end
        quote = text[start:end]
    return GoldSpan(document, start, end), Anchor(quote)
