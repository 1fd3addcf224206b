"""The command that holds a text against a library, sentence by sentence."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from core.cli import console, contract
from core.cli.options import asked_settings, home, reading
from core.search.checking.checking import NOT_FOUND, PARTLY, SUPPORTED, Verdict
from core.search.checking.library_check import check_text

_SAID = {SUPPORTED: "supported", PARTLY: "partly", NOT_FOUND: "not found"}


def check(options: Namespace) -> int:
    """Print whether the library supports each sentence of a text, and where it says so."""
    text = sys.stdin.read() if options.text == "-" else options.text
    with reading(home(options)) as library:
        settings = asked_settings(options, library.settings)
        scope = library.scope(options.collections, options.tags)
        verdicts = check_text(library.searcher, text, settings, scope, console.Progress().checking)
    console.answer(options, checked(verdicts), "\n\n".join(map(_in_words, verdicts)))
    return 0


def checked(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """What ``check`` says of each sentence. ``spans``: where it stands, or what came nearest."""
    return {
        "sentences": [
            {
                "text": verdict.claim.text,
                "verdict": verdict.verdict,
                "reason": verdict.reason,
                "spans": [
                    {**contract.told(place, "document source start end page"), "quote": text}
                    for place, text in zip(verdict.spans, verdict.texts, strict=True)
                ],
            }
            for verdict in verdicts
        ]
    }


def _in_words(verdict: Verdict) -> str:
    places = [f"    {place.document} ({place.source}, {place.start}-{place.end})" for place in verdict.spans]
    head = f"{_SAID[verdict.verdict]}: {verdict.claim.text}"
    return "\n".join([head, f"    {verdict.reason}", *places])
