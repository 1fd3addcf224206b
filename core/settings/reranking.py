"""How the best leaves are read again, each together with the question."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from core.settings.checks import one_of, within

OWN_RERANKER = "lectern"
LATE_INTERACTION = "late-interaction"
RERANKING_UNITS = ("child", "window", "parent")
PRECISIONS = ("auto", "float32", "bfloat16")


@dataclass(frozen=True, slots=True)
class RerankingSettings:
    """A second, slower opinion of the best leaves.

    ``model``: "" is off; "lectern" is the small CrossEncoder that comes with Lectern; "late-interaction" compares the
    embedder's own token states and needs no second model, but an embedder is not trained for it, so it serves as a
    share (a ``blend`` of 0.3 to 0.5), not alone; else the name or folder of a sentence-transformers CrossEncoder that
    lies on this machine. ``unit``: what is read of a leaf: the "child" itself, a "window" of ``window_sentences`` on
    each side of it, or its "parent"; ``prefix``: whether its title, headings and table header are read before it.
    ``candidates``: how many of the best are read; the others follow as they were. ``keep``: how many leaves go on after
    it, 0 keeps all. ``neighbour_share``: how much a leaf is thought of as the best of it and the two beside it, of
    those that were read; 0 is off. ``blend``: the share of its opinion against the ranking before it, both
    standardised; 1 decides alone. ``timeout_seconds``: after it no further batch is begun, 0 is off. ``batch_size``:
    passages per forward pass.
    Of a CrossEncoder alone, as the embedder has its own: ``max_tokens`` of question and passage together, 0 is the
    model's limit, and ``precision``, of which "auto" takes bfloat16 where the processor is quicker in it.
    """

    model: str = ""
    unit: str = "child"
    window_sentences: int = 2
    candidates: int = 20
    keep: int = 0
    blend: float = 1.0
    timeout_seconds: float = 10.0
    batch_size: int = 8
    max_tokens: int = 0
    precision: str = "auto"
    prefix: bool = True
    neighbour_share: float = 0.0

    def __post_init__(self) -> None:
        one_of("reranking.unit", self.unit, RERANKING_UNITS)
        one_of("reranking.precision", self.precision, PRECISIONS)
        within("reranking.window_sentences", self.window_sentences, 0, 50)
        within("reranking.candidates", self.candidates, 1, 1000)
        within("reranking.keep", self.keep, 0, 1000)
        within("reranking.blend", self.blend, 0, 1)
        within("reranking.neighbour_share", self.neighbour_share, 0, 1)
        within("reranking.timeout_seconds", self.timeout_seconds, 0, 3600)
        within("reranking.batch_size", self.batch_size, 1, 1024)
        within("reranking.max_tokens", self.max_tokens, 0, 1_000_000)

    @property
    def off(self) -> bool:
        """Whether the stage leaves everything as it is: then it need not run, and loads nothing."""
        return not self.model

    def telling(self) -> dict[str, Any]:
        """The values that are read; nothing where the stage is off.

        How many are read at once changes no order, and is left out.

        >>> RerankingSettings(candidates=50, keep=3).telling()
        {}
        >>> sorted(RerankingSettings("late-interaction", keep=3).telling())
        ['blend', 'candidates', 'keep', 'model', 'neighbour_share', 'prefix', 'timeout_seconds', 'unit']
        """
        if self.off:
            return {}
        unread = {"batch_size"}
        if self.unit != "window":
            unread.add("window_sentences")
        if self.model == LATE_INTERACTION:
            unread |= {"max_tokens", "precision"}
        return {name: value for name, value in asdict(self).items() if name not in unread}
