"""Precision and number of threads for inference on a CPU; the same rules for encoder and re-rankers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

# Inputs of up to this many characters use one thread. Threads that share so little work mostly wait for each other, and
# lexical search needs the other cores at the same time.
LITTLE = 600


def wants_bfloat16(precision: str, device: str) -> bool:
    """Whether to compute in bfloat16: if asked for, or for "auto" if the CPU is faster in it.

    ``precision``: "auto", "float32" or "bfloat16". ``device``: torch's name; ``False`` for anything but "cpu".
    """
    if device != "cpu" or precision == "float32":
        return False
    import torch

    return precision == "bfloat16" or quicker_in_bfloat16(torch.cpu.get_capabilities())


def quicker_in_bfloat16(capabilities: Mapping[str, Any]) -> bool:
    """Whether a CPU multiplies matrices faster in bfloat16 than in float32. ``capabilities``: of ``torch.cpu``.

    True with AMX tiles, or with AVX-512 bfloat16 instructions on a CPU without AMX. A virtual machine may hide the AMX
    tiles of a CPU, which ``avx512_fp16`` reveals; bfloat16 takes twice as long as float32 there (measured on a Xeon: 82
    against 155 GFLOP/s on one core).

    >>> hidden = {"avx512_bf16": True, "avx512_fp16": True, "amx_bf16": False}
    >>> quicker_in_bfloat16(hidden), quicker_in_bfloat16(hidden | {"amx_bf16": True})
    (False, True)
    >>> quicker_in_bfloat16({"avx512_bf16": True}), quicker_in_bfloat16({"avx2": True})
    (True, False)
    """
    vectors = capabilities.get("avx512_bf16") and not capabilities.get("avx512_fp16")
    return bool(capabilities.get("amx_bf16") or vectors)


@contextmanager
def computing(half: bool, characters: int | None = None) -> Iterator[None]:
    """The context for a forward pass: in bfloat16 if ``half``, else in the precision of the weights.

    ``characters``: size of the input; up to ``LITTLE`` it uses one thread. ``None`` uses torch's default.
    """
    import torch

    default = _default_threads()
    threads = 1 if characters is not None and characters <= LITTLE else default
    if torch.get_num_threads() != threads:  # setting an equal number would still reset torch's thread pool
        torch.set_num_threads(threads)
    try:
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=half):
            yield
    finally:
        if threads != default:  # Python threads started later inherit the number that was set last
            torch.set_num_threads(default)


@cache
def _default_threads() -> int:
    """Torch's default number of threads; cached before ``computing`` changes it."""
    import torch

    return torch.get_num_threads()
