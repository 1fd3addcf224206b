"""The command that plants sentences in a copy of a library and maps how far each gets."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from core.cli import console
from core.cli.options import asked_settings, home, language_model, reading
from core.errors import LecternError, ModelError

if TYPE_CHECKING:
    from core.evaluation.needles import NeedleMap
    from core.language.client import Client


def needles(options: Namespace) -> int:
    """Print the map: of the sentences planted at each depth, how many each stage still has."""
    from core.evaluation.needles import KINDS, NeedlePlan, Own, needle_map

    if bool(options.sentence) != bool(options.question):
        raise LecternError("A sentence needs a question, and a question a sentence.", "Give --sentence and --question.")
    own = (Own(options.sentence, options.question, options.answer),) if options.sentence else ()
    kinds = tuple(options.kinds) or (() if own else tuple(KINDS))
    model = _model() if options.answers else None
    progress = console.Progress()
    with reading(home(options)) as library:
        plan = NeedlePlan(
            tuple(options.tokens) or NeedlePlan().tokens,
            kinds,
            own,
            asked_settings(options, library.settings),
            tuple(options.prompts) or NeedlePlan().prompts,
            options.seed,
        )
        name = model.settings.model if model else ""
        found = needle_map(
            library, plan, model, lambda what, done, total: progress.show(f"{what} {done} of {total}"), name
        )
    console.answer(options, found.to_dict(), _in_words(found))
    return 0


def _model() -> Client:
    """The language model as the app has it set up."""
    found = language_model()
    if found is None:
        raise ModelError("No language model is set up.", "Choose one on the Settings page, or leave --answers out.")
    return found


def _in_words(found: NeedleMap) -> str:
    """A table a size: a line a stage, a column a depth; and what was found in words."""
    lines: list[str] = []
    for tokens in dict.fromkeys(cell.tokens for cell in found.cells):
        cells = [cell for cell in found.cells if cell.tokens == tokens]
        depths = sorted({cell.depth for cell in cells})
        lines.append(f"{f'{tokens:,} tokens':14}" + "".join(f"{f'{depth} %':>7}" for depth in depths))
        for stage in dict.fromkeys(cell.stage for cell in cells):
            held = {cell.depth: f"{cell.found}/{cell.planted}" for cell in cells if cell.stage == stage}
            lines.append(f"{stage:14}" + "".join(f"{held.get(depth, '-'):>7}" for depth in depths))
    spent = f"{found.encoded:,} texts encoded, {found.reused:,} reused, {found.seconds:.0f} s"
    return "\n".join([*lines, *found.sentences, spent])
