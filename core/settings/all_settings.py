"""All stages together, changed by name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from core.errors import SettingsError
from core.settings.chunking import ChunkingSettings
from core.settings.context import AnsweringSettings, AssemblySettings, ExpansionSettings
from core.settings.preparing import EmbeddingSettings, ParsingSettings
from core.settings.searching import DiversitySettings, RerankingSettings, RetrievalSettings, UnderstandingSettings

OF_DOCUMENTS = ("parsing", "chunking", "embedding")  # stages that read and cut; the others only answer


@dataclass(frozen=True, slots=True)
class Settings:
    """All stages together. Presets differ from ``Settings()`` only in values.

    >>> Settings().with_value("retrieval.k", "20").retrieval.k
    20
    """

    parsing: ParsingSettings = field(default_factory=ParsingSettings)
    chunking: ChunkingSettings = field(default_factory=ChunkingSettings)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    retrieval: RetrievalSettings = field(default_factory=RetrievalSettings)
    expansion: ExpansionSettings = field(default_factory=ExpansionSettings)
    assembly: AssemblySettings = field(default_factory=AssemblySettings)
    understanding: UnderstandingSettings = field(default_factory=UnderstandingSettings)
    diversity: DiversitySettings = field(default_factory=DiversitySettings)
    reranking: RerankingSettings = field(default_factory=RerankingSettings)
    answering: AnsweringSettings = field(default_factory=AnsweringSettings)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Plain nested values, fit for JSON."""
        return asdict(self)

    def fingerprint(self) -> str:
        """Same values, same sixteen hex digits.

        >>> Settings().fingerprint() == Settings().fingerprint()
        True
        """
        told = {item.name: _active_values(getattr(self, item.name)) for item in fields(self)}
        return fingerprint_of({name: values for name, values in told.items() if values})

    def with_value(self, name: str, value: Any) -> Settings:
        """A copy with ``stage.field`` set; strings are read as the field's type. Raises ``SettingsError``."""
        return self.with_values({name: value})

    def with_values(self, values: Mapping[str, Any]) -> Settings:
        """As ``with_value`` for several at once: only the whole need be valid, in whatever order they are given.

        >>> Settings().with_values({"chunking.max_tokens": 900, "chunking.parent_max_tokens": 900}).chunking.max_tokens
        900
        """
        stages: dict[str, dict[str, Any]] = {}
        for name, value in values.items():
            stage_name, _, field_name = name.partition(".")
            stage = getattr(self, stage_name, None) if stage_name in {item.name for item in fields(self)} else None
            known = {item.name for item in fields(stage)} if stage is not None else set()
            if field_name not in known:
                names = ", ".join(f"{stage_name}.{item}" for item in sorted(known)) or ", ".join(
                    item.name for item in fields(self)
                )
                raise SettingsError(f"There is no setting {name!r}.", f"Choose among: {names}.")
            stages.setdefault(stage_name, {})[field_name] = _read_as(name, getattr(stage, field_name), value)
        changed: dict[str, Any] = {name: replace(getattr(self, name), **new) for name, new in stages.items()}
        return replace(self, **changed)


_ANSWERS = {"true": True, "on": True, "yes": True, "1": True, "false": False, "off": False, "no": False, "0": False}


def _read_as(name: str, current: Any, value: Any) -> Any:
    """``value`` in the type of ``current``; text is converted, tuples are written with commas.

    >>> _read_as("x", 3, "4"), _read_as("x", ("a",), "b,c"), _read_as("x", 0.5, 1), _read_as("x", False, "on")
    (4, ('b', 'c'), 1.0, True)
    """
    try:
        if isinstance(current, bool):
            return _ANSWERS[str(value).lower()]
        if isinstance(current, tuple):
            items = value.split(",") if isinstance(value, str) else value
            return tuple(item.strip() for item in items if item.strip())
        if isinstance(value, bool) or (isinstance(current, int) and float(value) != int(float(value))):
            raise ValueError(value)
        if isinstance(current, str) and not isinstance(value, str):
            raise ValueError(value)
        return int(float(value)) if isinstance(current, int) else type(current)(value)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        raise SettingsError(
            f"{name} cannot be {value!r}.", f"It is a {type(current).__name__} like {current!r}."
        ) from None


def stage_fingerprint(stage: Any) -> str:
    """Fingerprint of one stage's settings."""
    return fingerprint_of(_active_values(stage))


def _active_values(stage: Any) -> dict[str, Any]:
    """The values of a stage that its fingerprint is made of."""
    told: dict[str, Any] = stage.active_values() if hasattr(stage, "active_values") else asdict(stage)
    return told


def fingerprint_of(value: object) -> str:
    """Sixteen hex digits of the SHA-256 of the value's canonical JSON."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
