"""Which paragraphs of a Word document are source code: by their style, or by a monospaced face and what they say."""

from __future__ import annotations

import re
from collections.abc import Sequence

_CODE_SIGN = re.compile(
    r"[{}<>;=|\\$`~^@#&\[\]]|\w\(|\)\s*[:,;]|->|::|//|/\*|\*/|\s\*\s|^\s{2,}\S|^\s*(?:--|%|!)\S?|\w_\w|\w\.\w+\("
    r"|^\s*(?:import|from|def|class|return|print|echo|sudo|pip|npm|git|cd|ls|else|elif|try|end|begin|select)\b(?![.,])"
)
_PLAIN_WORD = re.compile(r"[(\"'“‘]?[^\W\d_]+(?:['’-][^\W\d_]+)*[.,;:!?)\"'”’]*")
_PROSE_WORDS, _PROSE_SHARE = 6, 0.8  # a line of so many words, so many of them plain, is no code
_SHARE = 0.3  # of the lines in one run of monospaced paragraphs


def says_code(text: str) -> bool:
    """Whether a line in a monospaced face reads as code rather than as typewritten prose.

    >>> says_code("SELECT * FROM users WHERE active = 1;"), says_code("make install; make test")
    (True, True)
    >>> says_code("This memo is set in a typewriter face."), says_code("The parties agree; see [3] for what they owe.")
    (False, False)
    """
    return bool(_CODE_SIGN.search(text)) and not _is_prose(text.split())


def _is_prose(words: list[str]) -> bool:
    return len(words) >= _PROSE_WORDS and sum(map(bool, map(_PLAIN_WORD.fullmatch, words))) >= _PROSE_SHARE * len(words)


def are_code(lines: Sequence[str]) -> bool:
    """Whether consecutive monospaced lines are code: enough of them say so.

    >>> are_code(["def f(n):", "    a, b = 0, 1", "", "    return a"]), are_code(["Dear Jane,", "", "yours"])
    (True, False)
    """
    inked = [line for line in lines if line.strip()]
    return bool(inked) and sum(map(says_code, inked)) >= max(1, _SHARE * len(inked))
