"""In which precision a model of this machine computes: one rule for the embedder and for re-rankers."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any


def wants_bfloat16(precision: str, device: str) -> bool:
    """bfloat16 where asked for, or where the processor computes in it (elsewhere it is emulated and slow).

    ``precision``: "auto", "float32" or "bfloat16". ``device``: of torch; only "cpu" is ever slowed or sped up here.
    """
    if device != "cpu" or precision == "float32":
        return False
    import torch

    capabilities = torch.cpu.get_capabilities()
    return precision == "bfloat16" or bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))


def computing(half: bool) -> AbstractContextManager[Any]:
    """The context of a forward pass: bfloat16 where ``half``, else as the weights are."""
    if not half:
        return nullcontext()
    import torch

    return torch.autocast("cpu", dtype=torch.bfloat16)
