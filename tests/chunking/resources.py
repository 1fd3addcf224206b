"""What the chunkers that learn or ask are handed where laws are tried: without it they would run as another chunker."""

from __future__ import annotations

import json
import re

import numpy as np

from core.chunking.chunkers.proposed import INTENTS
from core.chunking.plan import ChunkerResources
from tests.fast_encoder import FastEncoder
from tests.scripted_writer import Answering

NEEDED = ("learned", "proposed")
EVERY = 3  # sentences


class ConstantStarts:
    """Satisfies ``core.chunking.plan.SectionStarts``: a section starts at every third sentence, whatever it says."""

    fingerprint = "every-third"

    def probability(self, document, sentences, vectors):
        assert len(vectors) == len(sentences)
        chances = np.full(len(sentences), 0.1)
        chances[::EVERY] = 0.9
        return chances


def divide(prompt: str) -> str:
    """Every third sentence of the prompt's run begins another intent."""
    count = int(re.search(r"from\s1 to (\d+) is in exactly one range", prompt).group(1))
    firsts = range(1, count + 1, EVERY)
    return json.dumps(
        [
            {"first": first, "last": min(first + EVERY - 1, count), "intent": INTENTS[number % len(INTENTS)]}
            for number, first in enumerate(firsts)
        ]
    )


def every_resource() -> ChunkerResources:
    """All of them; the encoder and the writers keep what they were given."""
    situator = Answering(lambda prompt: f"This is passage {len(prompt)} of a longer whole. It goes on.")
    return ChunkerResources(FastEncoder(), ConstantStarts(), Answering(divide), situator)


def check_own_way(name, tree):
    """Raises AssertionError where a chunker that had its resources did what another does, or was refused."""
    if name in NEEDED:
        said = [reason for leaf in tree.leaves for reason in leaf.reasons[2:]]
        assert not [reason for reason in said if reason.startswith(("instead:", "refused:"))], said[:3]
