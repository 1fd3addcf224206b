"""The worker for PDF, killed by the second engine as a hostile file might do it. Run by test_pdf_marks."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

from core.parsing.pdf.worker import TASKS, main, parse_pdf
from core.parsing.sandbox.worker import Answer


def crash_in_second_reading(data: bytes, request: Answer) -> Iterator[Answer]:
    for message in parse_pdf(data, request):
        if message["type"] == "second" and message["number"] > 1 and request.get("memory_bytes"):
            ctypes.string_at(0)
        yield message


if __name__ == "__main__":
    TASKS["parse"] = crash_in_second_reading
    main()
