"""The registry of all chunkers, one file each: functions from a ``ChunkingContext`` to a ``Plan``.

Their settings are in ``core/settings/chunking.py``.
"""

from __future__ import annotations

from core.chunking.chunkers.anchored import anchored
from core.chunking.chunkers.auto import auto
from core.chunking.chunkers.claim import claim
from core.chunking.chunkers.clause import clause
from core.chunking.chunkers.cluster import cluster
from core.chunking.chunkers.code import code
from core.chunking.chunkers.conversation import conversation
from core.chunking.chunkers.fixed import fixed
from core.chunking.chunkers.learned import learned
from core.chunking.chunkers.log import log
from core.chunking.chunkers.proposed import proposed
from core.chunking.chunkers.recursive import recursive
from core.chunking.chunkers.semantic import semantic
from core.chunking.chunkers.sentence import sentence
from core.chunking.chunkers.structure import structure
from core.chunking.chunkers.table import table
from core.chunking.chunkers.texttiling import texttiling
from core.chunking.plan import Chunker

CHUNKERS: dict[str, Chunker] = {
    "auto": auto,
    "structure": structure,
    "recursive": recursive,
    "fixed": fixed,
    "sentence": sentence,
    "semantic": semantic,
    "cluster": cluster,
    "learned": learned,
    "texttiling": texttiling,
    "code": code,
    "table": table,
    "log": log,
    "conversation": conversation,
    "clause": clause,
    "claim": claim,
    "anchored": anchored,
    "proposed": proposed,
}
