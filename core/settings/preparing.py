"""The settings of parsing and embedding."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import SettingsError
from core.settings.checks import check, dial

READERS = ("own", "unstructured")
WEB_PAGES = ("article", "whole")
SCANS = ("packaged", "tesseract", "off")
ENDPOINT = "endpoint:"  # prefix of the name of an embedder that runs on a server


@dataclass(frozen=True, slots=True)
class ParsingSettings:
    """How files are parsed.

    ``timeout_seconds``, ``memory_megabytes``: limits of the worker process for one file. ``reader``: "own", or
    "unstructured" for the formats that this library supports; PDF, OpenDocument spreadsheets and source code always
    have our own. ``web_pages``: "article" removes everything but the article of a saved web page, "whole" keeps the
    page, as does a page without an article; only for our own reader. ``scans``: the OCR for scanned pages: "packaged",
    "tesseract" (the program on the path, with ``scan_languages`` like "eng+deu"), or "off".
    """

    timeout_seconds: int = dial(600, 1, 36_000)
    memory_megabytes: int = dial(2048, 256, 65_536)
    reader: str = dial("own", among=READERS)
    web_pages: str = dial("article", among=WEB_PAGES)
    scans: str = dial("packaged", among=SCANS)
    scan_languages: str = "eng"

    def __post_init__(self) -> None:
        check("parsing", self)
        if not all(name.replace("_", "").isalnum() for name in self.scan_languages.split("+")):
            raise SettingsError(
                f"parsing.scan_languages is {self.scan_languages!r}.", "Name languages as Tesseract does: eng+deu."
            )

    @property
    def scans_mark(self) -> str:
        """The suffix of a parser's fingerprint for its OCR; "" for the default.

        >>> ParsingSettings().scans_mark, ParsingSettings(scans="tesseract").scans_mark
        ('', '-tesseract-eng')
        """
        if self.scans == "tesseract":
            return f"-tesseract-{self.scan_languages}"
        return "" if self.scans == "packaged" else "-without-scans"


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """The encoder.

    ``model``: "packaged" is all-MiniLM-L6-v2 from the requirements; else a path or name, or "endpoint:NAME" for a model
    on the embedding server that the user agreed to. ``precision``: "auto" is bfloat16 where the processor is faster
    with it. ``batch_size``: texts in one forward pass.
    """

    model: str = "packaged"
    precision: str = dial("auto", among=("auto", "float32", "bfloat16"))
    batch_size: int = dial(32, 1, 1024)

    def __post_init__(self) -> None:
        check("embedding", self)

    @property
    def is_packaged(self) -> bool:
        """Whether it is the packaged model."""
        return self.model == "packaged"

    @property
    def endpoint_model(self) -> str:
        """The name of a model on a server; "" for a local one.

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
    "report",
    "correspondence",
    "data",
    "other",
)
"""The genres that a document may be classified as; "other" for none of them."""


SECTION_TYPES = tuple("definition example steps caveat reference api_ref table code question summary prose".split())
"""The types that a passage may be classified as; "prose" for none of them."""
