"""The worker process that parses source code: ``python -m core.parsing.sandbox.syntax_worker``.

It answers with one "syntax" frame for each text, in order and as soon as it is parsed, so that a text which ends the
process does not cost the results of those before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from core.parsing.sandbox.worker import Answer, Failures, Task, serve
from core.syntax import GRAMMARS, Syntax, read_source
from core.syntax.tree import language, query

_WARM = (
    ("def é():\n    return f('語')\n", "python"),
    ("package a;\n\npublic class B { int c() { return 1; } }\n", "go"),
)


def read_syntax(data: bytes, request: Answer) -> Iterator[Answer]:
    """A frame for each (text, language) in ``data``, a JSON list."""
    for text, name in json.loads(data):
        result = read_source(text, name)
        if isinstance(result, Syntax):
            yield {"type": "syntax", "syntax": result.to_plain()}
        else:
            yield {"type": "syntax", "unread": result.value}


TASKS: dict[str, Task] = {"syntax": read_syntax}


def failures() -> Failures:
    """None: the parser recovers from any input, so that an exception is a bug of ours and ends the process."""
    return ()


def warm_up() -> None:
    """Load every grammar: afterwards no file can be opened."""
    for name, grammar in GRAMMARS.items():
        language(name)
        query(name, grammar.calls)
    for _ in read_syntax(json.dumps(_WARM).encode(), {}):
        continue


if __name__ == "__main__":
    serve(TASKS, warm_up, failures)
