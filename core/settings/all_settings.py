"""The settings of all stages, which can be changed by name."""

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

OF_DOCUMENTS = ("parsing", "chunking", "embedding")  # stages applied to documents; the others apply to questions


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of all stages. ``Settings()`` is the preset "default".

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
        """The settings as nested JSON values: stage -> field -> value."""
        return asdict(self)

    def fingerprint(self) -> str:
        """Sixteen hex digits, equal for settings that give the same results.

        >>> Settings().fingerprint() == Settings().fingerprint()
        True
        """
        stages = {item.name: _active_values(getattr(self, item.name)) for item in fields(self)}
        return fingerprint_of({name: values for name, values in stages.items() if values})

    def value(self, name: str) -> Any:
        """The setting ``name``, "stage.field"; ``None`` for an unknown one.

        >>> Settings().value("retrieval.rrf_k")
        60
        """
        stage, _, field_name = name.partition(".")
        return getattr(getattr(self, stage, None), field_name, None)

    def with_value(self, name: str, value: Any) -> Settings:
        """A copy with setting ``name``, "stage.field", changed. Strings are converted. Raises ``SettingsError``."""
        return self.with_values({name: value})

    def with_values(self, values: Mapping[str, Any]) -> Settings:
        """As ``with_value`` for several settings. Only the result must be valid, so their order does not matter.

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
            stages.setdefault(stage_name, {})[field_name] = _converted(name, getattr(stage, field_name), value)
        changed: dict[str, Any] = {name: replace(getattr(self, name), **new) for name, new in stages.items()}
        return replace(self, **changed)


_BOOLEANS = {"true": True, "on": True, "yes": True, "1": True, "false": False, "off": False, "no": False, "0": False}


def _converted(name: str, current: Any, value: Any) -> Any:
    """``value`` converted to the type of ``current``. A tuple may be given as text with commas.

    >>> _converted("x", 3, "4"), _converted("x", ("a",), "b,c"), _converted("x", 0.5, 1), _converted("x", False, "on")
    (4, ('b', 'c'), 1.0, True)
    """
    try:
        if isinstance(current, bool):
            return _BOOLEANS[str(value).lower()]
        if isinstance(current, tuple):
            items = value.split(",") if isinstance(value, str) else value
            return tuple(item.strip() for item in items if item.strip())
        if isinstance(value, bool) or (isinstance(current, int) and float(value) != int(float(value))):
            raise ValueError(value)
        if isinstance(current, str) and not isinstance(value, str):
            raise ValueError(value)
        return int(float(value)) if isinstance(current, int) else type(current)(value)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        raise SettingsError(f"{name} cannot be {value!r}.", f"It is a value like {current!r}.") from None


def stage_fingerprint(stage: Any) -> str:
    """The fingerprint of one stage's settings."""
    return fingerprint_of(_active_values(stage))


def _active_values(stage: Any) -> dict[str, Any]:
    """The values of a stage that affect its result, of which its fingerprint is made."""
    values: dict[str, Any] = stage.active_values() if hasattr(stage, "active_values") else asdict(stage)
    return values


def fingerprint_of(value: object) -> str:
    """Sixteen hex digits of the SHA-256 of the value's canonical JSON."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
