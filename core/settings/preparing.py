"""How a file is read, how its chunks are encoded, and what is found out about them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from core.errors import SettingsError
from core.settings.checks import one_of, within

READERS = ("own", "unstructured")
WEB_PAGES = ("article", "whole")
SCANS = ("packaged", "tesseract", "off")
ENDPOINT = "endpoint:"  # before the name of a model that an address answers for


@dataclass(frozen=True, slots=True)
class ParsingSettings:
    """Limits for the worker that reads a file, and who reads it. ``timeout_seconds`` is per file.

    ``reader``: "own", or "unstructured" for the formats that library reads; PDF, spreadsheets of OpenDocument and
    source code are always our own. ``web_pages``: "article" sets aside what is not a saved page's article, "whole"
    keeps the page; a page without an article is whole in any case. Only our own reader asks.

    ``scans``: who reads pages that are pictures: "packaged", the OCR that comes with the installation, "tesseract",
    that program where it is on the path, for ``scan_languages`` as it spells them ("eng+deu"), or "off".
    """

    timeout_seconds: int = 600
    memory_megabytes: int = 2048
    reader: str = "own"
    web_pages: str = "article"
    scans: str = "packaged"
    scan_languages: str = "eng"

    def __post_init__(self) -> None:
        one_of("parsing.reader", self.reader, READERS)
        one_of("parsing.web_pages", self.web_pages, WEB_PAGES)
        one_of("parsing.scans", self.scans, SCANS)
        if not all(name.replace("_", "").isalnum() for name in self.scan_languages.split("+")):
            raise SettingsError(
                f"parsing.scan_languages is {self.scan_languages!r}.", "Name languages as Tesseract does: eng+deu."
            )
        within("parsing.timeout_seconds", self.timeout_seconds, 1, 36_000)
        within("parsing.memory_megabytes", self.memory_megabytes, 256, 65_536)

    @property
    def scans_mark(self) -> str:
        """What the name of a parser says of who reads its scans; "" of the default.

        >>> ParsingSettings().scans_mark, ParsingSettings(scans="tesseract").scans_mark
        ('', '-tesseract-eng')
        """
        if self.scans == "tesseract":
            return f"-tesseract-{self.scan_languages}"
        return "" if self.scans == "packaged" else "-without-scans"


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """Which encoder. ``model``: "packaged" is the all-MiniLM-L6-v2 of the requirements; else a path or name, or
    "endpoint:NAME" for a model of that name at the address that was agreed to for it.

    ``precision``: "auto" takes bfloat16 where the processor is quicker in it. ``batch_size``: texts per forward pass.
    """

    model: str = "packaged"
    precision: str = "auto"
    batch_size: int = 32

    def __post_init__(self) -> None:
        one_of("embedding.precision", self.precision, ("auto", "float32", "bfloat16"))
        within("embedding.batch_size", self.batch_size, 1, 1024)

    @property
    def is_packaged(self) -> bool:
        """Whether it is the model that comes along; any other has a tokenizer of its own, opened by its name."""
        return self.model == "packaged"

    @property
    def endpoint_model(self) -> str:
        """The name of a model at an endpoint; "" for an embedder of this machine.

        >>> EmbeddingSettings("endpoint:nomic-embed-text").endpoint_model, EmbeddingSettings().endpoint_model
        ('nomic-embed-text', '')
        """
        return self.model.removeprefix(ENDPOINT) if self.model.startswith(ENDPOINT) else ""


GENRES = (
    "API",
    "architecture",
    "guide",
    "tutorial",
    "troubleshooting",
    "reference",
    "policy",
    "paper",
    "meeting",
    "log",
    "code",
    "FAQ",
    "release notes",
    "other",
)
"""What sort of writing a document may be recognised as; "other" where none is recognised."""

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

    ``features``: the groups that are computed, () is off; section, place and what the chunker
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

    def active_values(self) -> dict[str, Any]:
        """The values that are not at rest: a dial that says what was always done names nothing anew.

        >>> EnrichingSettings().active_values(), EnrichingSettings(keywords=3).active_values()
        ({}, {'keywords': 3})
        """
        values = asdict(self)
        return {item.name: values[item.name] for item in fields(self) if values[item.name] != item.default}
