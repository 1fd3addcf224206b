"""How far one question, and one small file, walk through the code: files, functions and changes of file.

    python -m benchmarks.walk

A function counts once however often it is called; a change of file is a call from a function of one file of ``core``
into a function of another one. Comprehensions and lambdas belong to the function they stand in. What runs in the
readers' own processes is not seen. The question is warm: the same library has answered another one before.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from core.library import Incoming, Library

ROOT = Path(__file__).resolve().parents[1]
CORE = str(ROOT / "core")
QUESTIONS = ("Who signs travel expenses?", "How long is an access token valid?")
NOTE = b"# Kettle\n\nThe kettle stands in the kitchen.\n\n- Fill it.\n- Switch it on.\n"


@dataclass
class Walk:
    """What was seen of a call: functions by file, and how often one file called into another."""

    functions: set[tuple[str, str, int]] = field(default_factory=set)
    changes: int = 0

    def see(self, frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or not frame.f_code.co_filename.startswith(CORE) or frame.f_code.co_name.startswith("<"):
            return
        code = frame.f_code
        self.functions.add((code.co_filename, code.co_qualname, code.co_firstlineno))
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(CORE):
            caller = caller.f_back
        self.changes += caller is not None and caller.f_code.co_filename != code.co_filename

    @property
    def files(self) -> int:
        return len({file for file, _, _ in self.functions})


def walked(action: Callable[[], Any]) -> Walk:
    """What ``action`` walks through, in the thread that calls it."""
    walk = Walk()
    sys.setprofile(walk.see)
    try:
        action()
    finally:
        sys.setprofile(None)
    return walk


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder, Library.open(Path(folder) / "library") as library:
        samples = sorted((ROOT / "data/samples/documents").iterdir())
        library.ingest([Incoming(path.name, path) for path in samples])
        library.search(QUESTIONS[0])
        asked = walked(lambda: library.search(QUESTIONS[1]))
        small = library.stage(NOTE)
        read = walked(lambda: library.ingest([Incoming("kettle.md", content_hash=small)]))
    print("| walk | files | functions | changes of file |\n|---|---|---|---|")
    for name, walk in (("one warm question", asked), ("one small file", read)):
        print(f"| {name} | {walk.files} | {len(walk.functions)} | {walk.changes:,} |")


if __name__ == "__main__":
    main()
