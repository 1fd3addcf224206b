"""What is found out about every chunk, and which of it the lexical index reads."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from core.errors import SettingsError
from core.settings.checks import one_of, within

FEATURE_GROUPS = ("genre", "section_type", "keywords", "entities", "dates", "references")
INDEXED_FEATURES = ("keywords", "names", "organisations", "symbols", "versions", "dates", "genre", "section_type")


def group_of(name: str) -> str:
    """The group of ``FEATURE_GROUPS`` that finds an indexed feature out.

    >>> group_of("symbols"), group_of("versions"), group_of("genre")
    ('entities', 'dates', 'genre')
    """
    return {**dict.fromkeys(("names", "organisations", "symbols"), "entities"), "versions": "dates"}.get(name, name)


@dataclass(frozen=True, slots=True)
class EnrichingSettings:
    """What is found out about chunks, all of it without a model.

    ``features``: the groups that are computed, () is off; headings, position, neighbours, pages and what the chunker
    said are always there. ``keywords``: at most so many per chunk. ``indexed``: features whose words enter the lexical
    index beside the text; () leaves it to the text. What is computed and not indexed serves ranking and people.
    ``twin_similarity``: the share of word shingles two passages must have in common to be shown as near-duplicates.
    """

    features: tuple[str, ...] = FEATURE_GROUPS
    keywords: int = 6
    indexed: tuple[str, ...] = ()
    twin_similarity: float = 0.8

    def __post_init__(self) -> None:
        for group in self.features:
            one_of("enriching.features", group, FEATURE_GROUPS)
        for name in self.indexed:
            one_of("enriching.indexed", name, INDEXED_FEATURES)
            if (group := group_of(name)) not in self.features:
                raise SettingsError(
                    f"enriching.indexed names {name!r}, which is not computed.",
                    f"Add {group!r} to enriching.features, or leave {name!r} out.",
                )
        within("enriching.keywords", self.keywords, 0, 50)
        within("enriching.twin_similarity", self.twin_similarity, 0.5, 1)

    def telling(self) -> dict[str, Any]:
        """The values that are not at rest: a dial that says what was always done names nothing anew.

        >>> EnrichingSettings().telling(), EnrichingSettings(keywords=3).telling()
        ({}, {'keywords': 3})
        """
        values = asdict(self)
        return {item.name: values[item.name] for item in fields(self) if values[item.name] != item.default}
