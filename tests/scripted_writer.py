"""A language model that says what a test wrote down, in place of one that writes."""

from __future__ import annotations

from collections.abc import Callable


class Scripted:
    """Satisfies ``core.types.LanguageModel`` and, with its name, ``core.chunking.plan.Writer``: gives its answers in
    turn, and keeps what it was asked. An answer that is an exception is raised.
    """

    fingerprint, room = "scripted", 20_000

    def __init__(self, *answers: str | Exception) -> None:
        self.answers, self.prompts = list(answers), list[str]()

    def complete(self, prompt: str) -> str:
        self.prompts.append(prompt)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


class Answering(Scripted):
    """As ``Scripted``, with the answer made of the prompt, however often it is asked."""

    def __init__(self, answer: Callable[[str], str]) -> None:
        super().__init__()
        self._answer = answer

    def complete(self, prompt: str) -> str:
        self.prompts.append(prompt)
        return self._answer(prompt)
