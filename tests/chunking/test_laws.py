"""The six span laws, for every chunker, every dial and every kind of block."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as profile

from core.chunking import CHUNKERS, audit, chunk, encoder_input
from core.embedding.tokenizer import packaged_counter
from tests.chunking import aids, checker, generated

AIDS = aids.aids()
PATIENT = profile(deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("name", list(CHUNKERS))
def test_laws_hold(name):
    @PATIENT
    @given(document=generated.documents(), dials=generated.settings(name))
    def holds(document, dials):
        counter = packaged_counter()
        tree = chunk(document, dials, counter, "parser-1", AIDS)
        checker.check_tree(tree, dials, counter)
        aids.check_own_way(name, tree)
        again = chunk(document, dials, counter, "parser-1", AIDS)
        assert [one.chunk_id for one in again.chunks] == [one.chunk_id for one in tree.chunks]
        report = audit(tree)
        assert report.characters == len(checker.non_blank(document.text))
        lost = sum(len(checker.non_blank(document.text[gap.start : gap.end])) for gap in report.gaps)
        assert report.covered == report.characters - lost
        assert {gap.reason for gap in report.gaps} <= {"front matter, kept as metadata", "running header or footer"}
        for leaf in tree.leaves:
            assert encoder_input(leaf, dials.read_prefix) == checker.read_by_encoder(leaf, dials.read_prefix)

    holds()


@pytest.mark.parametrize("name", list(CHUNKERS))
def test_laws_hold_without_additive_counts(name):
    """A tokenizer for which the parts of a text do not add up to the whole: sizes are recounted, not assumed."""

    @PATIENT
    @given(document=generated.documents(), dials=generated.settings(name))
    def holds(document, dials):
        counter = generated.ThirdsCounter()
        tree = chunk(document, dials, counter, aids=AIDS)
        checker.check_tree(tree, dials, counter)

    holds()
