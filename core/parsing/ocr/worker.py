"""The worker process that reads pictures by OCR: ``python -m core.parsing.ocr.worker``.

It is started when the first page needs it.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.parsing.ocr.engine import Engine
from core.parsing.sandbox.worker import Answer, Failures, Task, serve
from core.plain_values import to_values

_ENGINES: list[Engine] = []


def read_picture(data: bytes, request: Answer) -> Iterator[Answer]:
    """One "reading" frame with the lines of an encoded picture."""
    yield {"type": "reading", **to_values(_ENGINES[0].read(data))}


TASKS: dict[str, Task] = {"read": read_picture}


def failures() -> Failures:
    """All exceptions: the page gets an error message, and the process goes on to the next."""
    return (Exception,)


def warm_up() -> None:
    """Load the models and read a drawn line, so that nothing is loaded lazily: afterwards no file can be opened."""
    import cv2
    import numpy as np

    _ENGINES.append(Engine())
    paper = np.full((120, 480, 3), 255, np.uint8)
    cv2.putText(paper, "a warm line", (20, 70), cv2.FONT_HERSHEY_SIMPLEX, 1.5, (0, 0, 0), 3)
    list(read_picture(cv2.imencode(".jpg", paper)[1].tobytes(), {}))


def main() -> None:
    """Serve requests from standard input until it closes."""
    serve(TASKS, warm_up, failures)


if __name__ == "__main__":
    main()
