"""How a file is read, and how its chunks are encoded."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import SettingsError
from core.settings.checks import check, dial

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
    precision: str = dial("auto", among=("auto", "float32", "bfloat16"))
    batch_size: int = dial(32, 1, 1024)

    def __post_init__(self) -> None:
        check("embedding", self)

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
    "report",
    "correspondence",
    "data",
    "other",
)
"""What sort of writing a document may be recognised as; "other" where none is recognised."""


SECTION_TYPES = tuple("definition example steps caveat reference api_ref table code question summary prose".split())
"""What a passage may be recognised as doing; "prose" where nothing shows anything else."""
