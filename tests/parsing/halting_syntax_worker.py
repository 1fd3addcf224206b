"""A reader of syntax that some texts hang, fill or bring down: ``python -m tests.parsing.halting_syntax_worker``."""

from __future__ import annotations

import base64
import json
import os
import time
from array import array
from collections.abc import Iterator

from core.parsing.sandbox.syntax_worker import failures, read_syntax, warm_up
from core.parsing.sandbox.worker import Answer, serve


def read(data: bytes, request: Answer) -> Iterator[Answer]:
    """As the real one, but for texts that say what to do."""
    for text, language in json.loads(data):
        if "HANG" in text:
            time.sleep(600)
        if "FILL" in text:
            _ = [bytearray(1 << 24) for _ in range(1 << 20)]
        if "FALL" in text:
            os._exit(3)
        if "RAVE" in text:  # a tree that is its own first child
            rave = read_syntax(json.dumps([("x = f(y)", "python")]).encode(), request)
            shape = base64.b64encode(array("i", [0, 8, 0, 8, 0, 8, 1, 4]).tobytes()).decode()
            yield from ({"type": "syntax", "syntax": [*frame["syntax"][:3], shape]} for frame in rave)
        yield from read_syntax(json.dumps([(text, language)]).encode(), request)


if __name__ == "__main__":
    serve({"syntax": read}, warm_up, failures)
