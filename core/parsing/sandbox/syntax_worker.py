"""The child process that reads the syntax of code from documents: ``python -m core.parsing.sandbox.syntax_worker``.

It answers with one "syntax" frame for each text, in order, as soon as it is read: where a text is too much for it,
those before it are safe.
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
    """Of each (text, language) in ``data``, a list in JSON."""
    for text, name in json.loads(data):
        found = read_source(text, name)
        if isinstance(found, Syntax):
            yield {"type": "syntax", "syntax": found.to_plain()}
        else:
            yield {"type": "syntax", "unread": found.value}


TASKS: dict[str, Task] = {"syntax": read_syntax}


def failures() -> Failures:
    """None but what is known already: our own code and a parser that recovers from everything. A bug ends it."""
    return ()


def warm_up() -> None:
    """Load every grammar: behind the shut doors no file can be opened."""
    for name, grammar in GRAMMARS.items():
        language(name)
        query(name, grammar.calls)
    for _ in read_syntax(json.dumps(_WARM).encode(), {}):
        continue


if __name__ == "__main__":
    serve(TASKS, warm_up, failures)
