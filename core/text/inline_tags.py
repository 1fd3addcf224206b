"""Tags of HTML among the words of other texts, which models had better not read: of an anchor in a table of Markdown
its name is said three times before the one word that it is set around.
"""

from __future__ import annotations

import re

# Only what marks words up: any other name between angles may be code, or something to fill in. As Rust's and Python's
# expressions both have it.
PATTERN = r'<(?:a|span)(?:\s+[\w:-]+="[^"<>]*")+\s*>|</(?:a|span)>|<br\s*/?>'
_TAG = re.compile(PATTERN)


def blanked(text: str) -> str:
    """The text with a blank for each character of such tags, so that every place stays where it is.

    >>> blanked('a <a id="x">b</a><br/>c'), blanked("a<b, c>d and <path>")
    ('a           b         c', 'a<b, c>d and <path>')
    """
    return _TAG.sub(lambda tag: " " * len(tag[0]), text) if "<" in text else text
