"""A flow worker whose second reading never ends, that dies on CSV and talks nonsense about books. Run by test_flow."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from core.parsing.sandbox.flow_worker import TASKS, failures, warm_up
from core.parsing.sandbox.worker import Answer, serve


def halting(data: bytes, request: Answer) -> Iterator[Answer]:
    yield from TASKS["article"](data, {**request, "second": False})
    time.sleep(600)


def dying(data: bytes, request: Answer) -> Iterator[Answer]:
    yield {"type": "reading"}
    os._exit(3)


def raving(data: bytes, request: Answer) -> Iterator[Answer]:
    yield {"type": "reading", "title": 1}
    yield {"type": "pieces", "pieces": [["no", "piece"]]}
    yield {"type": "read"}


if __name__ == "__main__":
    serve({"article": halting, "csv": dying, "epub": raving}, warm_up, failures)
