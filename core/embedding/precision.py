"""In which precision and with how many threads a model computes here: one rule for the embedder and for re-rankers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

# So many characters together are read by one thread: two that share a question wait for each other at every layer, a
# long time where another program has one of the cores, and the search for its words wants the other core meanwhile.
LITTLE = 600


def wants_bfloat16(precision: str, device: str) -> bool:
    """bfloat16 where asked for, or where the processor is quicker in it (elsewhere it is emulated and slow).

    ``precision``: "auto", "float32" or "bfloat16". ``device``: of torch; only "cpu" is ever slowed or sped up here.
    """
    if device != "cpu" or precision == "float32":
        return False
    import torch

    return precision == "bfloat16" or quicker_in_bfloat16(torch.cpu.get_capabilities())


def quicker_in_bfloat16(capabilities: Mapping[str, Any]) -> bool:
    """Whether a processor multiplies matrices quicker in bfloat16. ``capabilities``: as ``torch.cpu`` names them.

    Where it has tiles for it (AMX), or AVX-512 instructions for it and is not of those made to have the tiles as well,
    which ``avx512_fp16`` tells: there, with the tiles hidden as virtual machines hide them, the instructions take twice
    the time of float32's (measured on a Xeon: 82 against 155 GFLOP/s on one core).

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
    """The context of a forward pass: bfloat16 where ``half``, else as the weights are.

    ``characters``: how many are read; up to ``LITTLE`` one thread does. ``None``: all that torch would take.
    """
    import torch

    everything = _threads()
    wanted = 1 if characters is not None and characters <= LITTLE else everything
    if torch.get_num_threads() != wanted:  # of the thread that asks; setting it costs torch what it had prepared
        torch.set_num_threads(wanted)
    try:
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=half):
            yield
    finally:
        if wanted != everything:  # threads that begin later take over what was set last
            torch.set_num_threads(everything)


@cache
def _threads() -> int:
    """As many as torch takes by itself: asked once, before ``computing`` has set any."""
    import torch

    return torch.get_num_threads()
