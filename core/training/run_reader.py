"""From pairs with answers to the reader's file: lists as for the re-ranker, and questions nearly answered."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from core.embedding import load_model, reranker_file
from core.embedding.answer_reader import lay_over, write
from core.errors import LecternError
from core.settings import EmbeddingSettings
from core.training.lists import Listed, Miner
from core.training.loop import Plan, Watched, draw, identity_of, teach, turn
from core.training.pairs import Pair, balanced, fingerprint
from core.training.run import Remembered, held_out_lists, miners_of
from core.training.span_model import SpanModel, occurrences
from core.types import Encoder

_YEAR = re.compile(r"\b(1[5-9]\d\d|20\d\d)\b")
_NUMBER = re.compile(r"\b\d{1,3}\b")
_NAME = re.compile(r"(?<!^)(?<!\. )\b[A-Z][\w'’-]+(?: (?:of |the )?[A-Z][\w'’-]+)*")
_SIDES = (
    "first last, largest smallest, highest lowest, oldest youngest, before after, more less, most least, north south,"
    " east west, northern southern, eastern western, start end, begin end, began ended, won lost, minimum maximum,"
    " import export, increase decrease, men women, male female, father mother, husband wife, day night, summer winter,"
    " internal external, upper lower, left right, buy sell, open close, hot cold, AM FM, input output, read write,"
    " oldest newest, earliest latest, shortest longest, cause cure, birth death, born died"
)
_OTHER_SIDE = {one: other for pair in _SIDES.split(",") for one, other in (pair.split(), pair.split()[::-1])}


def names(question: str) -> list[str]:
    """The names in a question, its first word aside.

    >>> names("Who did Marie Curie meet in Paris?")
    ['Marie Curie', 'Paris']
    """
    return _NAME.findall(question)


def near_miss(question: str, passage: str, others: Sequence[str], choose: random.Random) -> str | None:
    """The question with one thing in it replaced by what the passage does not mention; ``None`` where it has none.

    ``others``: names that may stand for those of the question.

    >>> near_miss("Who sang in 1987?", "She sang in 1987.", [], random.Random(0))
    'Who sang in 1989?'
    >>> near_miss("Who lives here?", "He does.", [], random.Random(0)) is None
    True
    """
    found = [(one.span(), "year") for one in _YEAR.finditer(question)]
    found += [(one.span(), "number") for one in _NUMBER.finditer(question)]
    found += [(one.span(), "side") for one in re.finditer(r"\w+", question) if one.group() in _OTHER_SIDE]
    found += [(one.span(), "name") for one in _NAME.finditer(question)] if others else []
    if not found:
        return None
    (start, end), kind = choose.choice(found)
    old = question[start:end]
    if kind == "year":
        new = str(int(old) + choose.choice((-1, 1)) * choose.randint(1, 30))
    elif kind == "number":
        new = str(int(old) + choose.randint(1, 9))
    else:
        new = _OTHER_SIDE[old] if kind == "side" else choose.choice(others)
    # A part of the old name would still be answered by the passage.
    if re.search(rf"\b{re.escape(new)}\b", passage, re.IGNORECASE) or set(new.lower().split()) & set(
        old.lower().split()
    ):
        return None
    return question[:start] + new + question[end:]


SIZES = (200, 300, 400, 450, 600)  # characters of a piece: what is read is no longer
_ENCODED = 300  # characters of a passage by which those near it are found


def train_on(
    pairs: Sequence[Pair],
    plan: Plan,
    from_layer: int,
    work: Path,
    target: Path,
    encoder: Encoder | None = None,
    begin_from: Path | None = None,
    watch: Callable[[Watched], None] | None = None,
    say: Callable[[str], None] = lambda sentence: None,
) -> None:
    """Train on the pairs whose answer stands in their passage, and on those not answerable; write to ``target``.

    ``from_layer``: see ``SpanModel``. The rest is that of ``core.training.run.train_on``, which raises the same.
    """
    pairs = [pair for pair in pairs if not pair.answerable or occurrences(pair.answer.strip(), pair.positive)]
    chosen = balanced(pairs, {}, plan.seed)
    if not chosen:
        raise LecternError("No pair to train on has an answer that stands in its passage.", "Give other pairs.")
    model = SpanModel(from_layer, plan.max_tokens, plan.seed)
    if begin_from is not None:
        lay_over(model.module, begin_from.read_bytes(), begin_from.name)
    encoder = Remembered(encoder or load_model(EmbeddingSettings()).encoder, work, _ENCODED)
    miners = miners_of(pairs, encoder, say, SIZES)
    others = {
        source: sorted({name for pair in chosen if pair.source == source for name in names(pair.question)})
        for source in miners
    }
    say(f"{len(chosen):,} pairs to train on, {plan.steps * plan.questions:,} lists to read.")

    def lists_of(step: int) -> list[Listed]:
        choose = draw(plan.seed, step)
        asked = turn(chosen, plan, step)
        found = [_listed(miners[pair.source], pair, plan.passages, choose) for pair in asked]
        return found + [
            missed
            for pair, one in zip(asked, found, strict=True)
            if pair.answerable and (missed := _missed(one, others[pair.source], choose))
        ]

    learnt_from = f"{encoder.fingerprint}:{fingerprint(pairs)}:{reranker_file.SHA256}:from layer {from_layer}"
    teach(
        model,
        plan,
        lists_of,
        held_out_lists(pairs, miners, plan.seed, plan.passages),
        work / "checkpoint.pt",
        identity_of(plan, learnt_from, begin_from),
        watch,
    )
    write(model.module, target, from_layer)


def _listed(miner: Miner, pair: Pair, count: int, choose: random.Random) -> Listed:
    """A list of the pair; where it is not answerable of its own passage alone, which is the hard one."""
    listed = miner.listed(pair, count, choose)
    return listed if pair.answerable else replace(listed, passages=listed.passages[:1])


def _missed(listed: Listed, others: Sequence[str], choose: random.Random) -> Listed | None:
    """The passage that answers under a question that it nearly answers."""
    question = near_miss(listed.question, listed.passages[0], others, choose)
    return Listed(question, listed.passages[:1]) if question else None
