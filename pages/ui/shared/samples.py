"""The samples that come with Lectern: documents to load with one click, questions to start from, a suite."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from core.library import SourceRow

FOLDER = Path(__file__).parents[3] / "data" / "samples"
SUGGESTED = 6


def documents() -> list[Path]:
    """The sample files, sorted by name."""
    return sorted(path for path in (FOLDER / "documents").iterdir() if path.is_file())


def questions(sources: Iterable[SourceRow]) -> list[str]:
    """The first ``SUGGESTED`` sample questions; [] unless all sample documents are in the library."""
    present = {Path(source.name).name for source in sources}
    if not {path.name for path in documents()} <= present:
        return []
    lines = (FOLDER / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["question"] for line in lines[:SUGGESTED]]
