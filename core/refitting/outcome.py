"""What came of a fit, and which of it may be applied: of each part what gained on the questions kept out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.errors import LecternError
from core.refitting.gains import GAIN, UNCHANGED, Gain
from core.refitting.splitting import By
from core.refitting.turning import BLEND, changes
from core.settings import Settings


@dataclass(frozen=True, slots=True)
class CarefulShare:
    """The re-ranker's share under Careful: as it is, as it was fitted, and what that gains where Careful asks.

    ``gain``: ``None`` where nothing better was found, or where the re-ranker cannot be asked, which ``unread`` tells.
    ``trained``: questions it was fitted to, not all where the first of them promised nothing.
    """

    before: float
    after: float
    gain: Gain | None
    trained: int
    unread: str = ""

    @property
    def verdict(self) -> str:
        """Of the gain; ``UNCHANGED`` where there was nothing to try."""
        return UNCHANGED if self.gain is None else self.gain.verdict

    @property
    def sentence(self) -> str:
        """The verdict for a person.

        >>> CarefulShare(0.4, 0.4, None, 16).sentence
        'Careful: on the 16 questions it looked at, no share of its re-ranker was clearly better than 0.4. It stays.'
        """
        if self.unread:
            return f"Careful: its re-ranker could not be asked, and its share stays {self.before:g}. {self.unread}"
        if self.gain is None:
            return (
                f"Careful: on the {self.trained} questions it looked at, no share of its re-ranker was clearly better "
                f"than {self.before:g}. It stays."
            )
        found = self.gain.sentence
        return (
            f"Careful, its re-ranker's share {self.after:g} instead of {self.before:g}: {found[0].lower()}{found[1:]}"
        )

    @property
    def changes(self) -> Mapping[str, tuple[float, float]]:
        """The dial with both values, where they differ."""
        return {BLEND.name: (self.before, self.after)} if self.after != self.before else {}


@dataclass(frozen=True, slots=True)
class Refitted:
    """What came of a fit. ``after``: equal to ``before`` where nothing better was found, and ``gain`` is ``None`` then.

    ``trained``, ``held_out``: numbers of questions; ``by``: what parts them. ``fitted``: points of mean recall gained
    on the questions fitted to, which says nothing of others. ``left_out``: questions beyond the most that are asked.
    ``careful``: the share of Careful's re-ranker, ``None`` where it was not asked for, or ``before`` has one on.
    """

    before: Settings
    after: Settings
    gain: Gain | None
    trained: int
    held_out: int
    by: By
    fitted: float
    left_out: int
    seconds: float
    careful: CarefulShare | None = None

    @property
    def changes(self) -> Mapping[str, tuple[float, float]]:
        """The dials that were turned, with both values; Careful's share is told apart, in ``careful``."""
        return changes(self.before, self.after)

    @property
    def gains(self) -> Mapping[str, tuple[float, float]]:
        """The dials that may be applied, with both values: of each part those that gained on the held-out questions.

        Of the re-ranker's share the value before is the settings' own, not what Careful makes of it.
        """
        found = dict(self.changes) if self.verdict == GAIN else {}
        if self.careful is not None and self.careful.verdict == GAIN:
            found[BLEND.name] = self.before.reranking.blend, self.careful.after
        return found

    @property
    def verdict(self) -> str:
        """Of the gain; ``UNCHANGED`` where there was nothing to try."""
        return UNCHANGED if self.gain is None else self.gain.verdict

    @property
    def sentence(self) -> str:
        """The verdict for a person, with its interval."""
        if self.gain is None:
            return (
                f"Nothing clearly better than the present dials was found on the {self.trained} questions that were "
                "fitted to. They stay as they are."
            )
        return self.gain.sentence

    def onto(self, settings: Settings) -> Settings:
        """Settings with the fitted dials that gained. Raises ``LecternError`` where no gain was shown at all."""
        if not self.gains:
            raise LecternError(self.sentence, "Judge more questions, and fit again.")
        return settings.with_values({name: value for name, (_, value) in self.gains.items()})
