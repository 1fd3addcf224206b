"""A script in a language model's place: what it writes of a document follows from the document alone."""

from __future__ import annotations

import re

from core.text.sentences import sentence_spans

_MARKED = re.compile(r"<(\w+ [0-9a-f]{8})>\n(.*?)\n</\1>", re.DOTALL)
_VERBS = frozenset(
    "is are was were be has have had can could may might must shall should will would do does did means denotes"
    " ist sind war waren wird werden hat haben kann muss bezeichnet est sont était étaient peut désigne es son fue"
    " era tiene puede significa".split()
)
_SUBJECT = 10  # words of a subject at most


class Scripted:
    """Satisfies ``core.chunking.plan.Writer``."""

    fingerprint, room = "script: title and first sentence", 60_000

    def complete(self, prompt: str) -> str:
        """The document's title and first sentence; of a child alone, its first sentence, or a question for that."""
        (title, _, text), *chunks = [text.partition("\n") for _, text in _MARKED.findall(prompt)]
        chunk = "".join(chunks[0]) if chunks else text
        if "Write one or two sentences" in prompt:
            return _first(chunk)
        if " questions, " in prompt[-500:]:
            return f"What is said of {_subject(_first(chunk))}?"
        return f"{title}: {_first(text)}"


def _first(text: str) -> str:
    return next((" ".join(text[span.start : span.end].split()) for span in sentence_spans(text)), "")


def _subject(sentence: str) -> str:
    """The words before a sentence's first verb that is known, where there are few; else its first words."""
    words = sentence.split()[: _SUBJECT + 1]
    ends = [at for at, word in enumerate(words) if word.casefold() in _VERBS]
    return " ".join(words[: ends[0] if ends and ends[0] else _SUBJECT])
