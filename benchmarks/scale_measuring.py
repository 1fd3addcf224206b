"""Measures opening, searching and changing one library, in a process of its own: JSON on standard output.

    python -m benchmarks.scale_measuring LIBRARY SETTINGS QUESTIONS

Called by ``benchmarks.scale``. Every question is new, in words of the library. Encoding and word search alone are
measured with a second set of questions of the same kind, so that neither set profits from caches filled by the other.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks.scale_library import KnownQuestions, World, fill, put
from core.embedding import load_model
from core.library import Library
from core.settings import EmbeddingSettings, Settings
from core.storage.index.lexical import FtsIndex
from core.text.languages import question_tokens
from core.types import Vectors

CHANGES = 3  # documents removed and added again
ADDED = 2000  # leaves added as by an ingest


def seconds(action: Callable[[], Any]) -> float:
    """The wall time of an action in seconds."""
    started = perf_counter()
    action()
    return perf_counter() - started


def milliseconds(turns: list[tuple[Callable[[], Any], ...]]) -> list[dict[str, float]]:
    """Median and 95th percentile of the wall time of each action of the turns, and the median of its CPU time, in ms.

    ``turns``: rows of the same actions. They alternate, so that changes in the machine's load affect all of them alike.
    """
    walls = np.zeros((len(turns), len(turns[0])))
    worked = np.zeros_like(walls)
    for row, turn in enumerate(turns):
        for column, action in enumerate(turn):
            began = process_time()
            walls[row, column] = 1000 * seconds(action)
            worked[row, column] = 1000 * (process_time() - began)
    columns = zip(walls.T, worked.T, strict=True)
    return [
        {"p50": float(np.median(wall)), "p95": float(np.percentile(wall, 95)), "cpu": float(np.median(work))}
        for wall, work in columns
    ]


def resident_mb(process: int | str = "self") -> float:
    """The resident memory of a process in megabytes; 0 on systems other than Linux."""
    status = Path(f"/proc/{process}/status")
    lines = status.read_text().splitlines() if status.is_file() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0.0)


def measured(home: Path, settings: Settings, questions: int) -> dict[str, Any]:
    """All figures of a library; its documents are the same afterwards."""
    world, asked, found = World(), dict[str, Vectors](), dict[str, Any]()
    encoder = KnownQuestions(asked, load_model(EmbeddingSettings()).encoder)
    encoder.encode(["The model is loaded."])
    before, started = resident_mb(), perf_counter()
    with Library.open(home, encoder=encoder) as library:
        found["open_s"] = perf_counter() - started
        documents = library.stats().documents
        asked.update(world.question(number, documents) for number in range(2 * questions + 20))
        texts = list(asked)
        ask = lambda text: library.search(text, settings)  # noqa: E731 - short, used often below
        found["first_question_s"] = seconds(lambda: ask(texts[-1]))
        for text in texts[-19:-1]:  # warm-up: imports and caches
            ask(text)
        index = FtsIndex(library._store, library.searcher.snapshot().leaves.generation)
        alone = texts[questions : 2 * questions]
        index.search(question_tokens(texts[-1], ()))
        turns = [
            (
                lambda other=other: encoder.encode([other]),
                lambda other=other: index.search(question_tokens(other, ())),
                lambda text=text: ask(text),
            )
            for text, other in zip(texts[:questions], alone, strict=True)
        ]
        found |= dict(zip(("encode", "lexical", "question"), milliseconds(turns), strict=True))
        found["floor_ms"] = max(found["encode"]["p50"], found["lexical"]["p50"])
        found["beyond_ms"] = found["question"]["p50"] - found["floor_ms"]
        found["resident_mb"] = resident_mb() - before
        found["in_memory"] = library.searcher.snapshot().leaves.vectors.in_memory
        found |= changed(library, world, lambda: ask(texts[-2]))
        found |= added(library, world)
        found["verify_s"] = seconds(lambda: found.update(problems=len(library.verify())))
        found["chunks"], found["bytes"] = library.stats().chunks, library.stats().total_bytes
    return found


def changed(library: Library, world: World, ask: Callable[[], Any]) -> dict[str, float]:
    """Median seconds to remove a document, to ask the next question, and to add the document again."""
    sources = library.sources()
    gone, then, back = [], [], []
    for source in sources[len(sources) // 2 :][:CHANGES]:
        number = int(Path(source.name).stem.rsplit(" ", 1)[-1])
        gone.append(seconds(lambda source=source: library.remove(source.id)))
        then.append(seconds(ask))
        back.append(seconds(lambda number=number: put(library, world.document(number))))
    return {"remove_s": float(np.median(gone)), "after_s": float(np.median(then)), "put_s": float(np.median(back))}


def added(library: Library, world: World) -> dict[str, float]:
    """Wall and CPU milliseconds per leaf to add documents as by an ingest; they are removed afterwards."""
    figures = library.stats()
    before = {source.id for source in library.sources()}
    began, worked = perf_counter(), process_time()
    made = fill(library, world, figures.chunks + ADDED)
    taken = perf_counter() - began - made["making"], process_time() - worked - made["making"]
    for source in library.sources():
        if source.id not in before:
            library.remove(source.id)
    return {name: 1000 * one / made["leaves"] for name, one in zip(("leaf_ms", "leaf_cpu_ms"), taken, strict=True)}


if __name__ == "__main__":
    home, changes, count = sys.argv[1:]
    print(json.dumps(measured(Path(home), Settings().with_values(json.loads(changes)), int(count))))
