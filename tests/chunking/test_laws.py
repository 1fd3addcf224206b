"""The six span laws, for every chunker, every dial and every kind of block, on any text and on those of its domain."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as profile
from hypothesis import strategies as st

from core.chunking import chunk
from core.chunking.auditing import BESIDE_ARTICLE, audit
from core.chunking.chunkers import CHUNKERS
from core.chunking.prefixes import encoder_input
from core.embedding.tokenizer import packaged_counter
from tests.chunking import checker, domain_texts, generated, resources

RESOURCES = resources.every_resource()
PATIENT = profile(deadline=None, suppress_health_check=list(HealthCheck))
SET_ASIDE = {"front matter, kept as metadata", "running header or footer", BESIDE_ARTICLE}
DOCUMENTS = st.one_of(generated.documents(), generated.documents(), domain_texts.documents())


@pytest.mark.parametrize("name", list(CHUNKERS))
def test_laws_hold(name):
    """With a tokenizer for which the parts of a text do not add up to the whole, too: sizes are recounted."""

    @PATIENT
    @given(document=DOCUMENTS, dials=generated.settings(name), is_additive=st.sampled_from([True, True, False]))
    def holds(document, dials, is_additive):
        counter = packaged_counter() if is_additive else generated.ThirdsCounter()
        tree = chunk(document, dials, counter, "parser-1", RESOURCES)
        checker.check_tree(tree, dials, counter)
        resources.check_own_way(name, tree)
        again = chunk(document, dials, counter, "parser-1", RESOURCES)
        assert again.chunks == tree.chunks
        report = audit(tree)
        assert report.characters == len(checker.non_blank(document.text))
        lost = sum(len(checker.non_blank(document.text[gap.start : gap.end])) for gap in report.gaps)
        assert report.covered == report.characters - lost
        assert {gap.reason for gap in report.gaps} <= SET_ASIDE
        for leaf in tree.leaves:
            assert encoder_input(leaf, dials.read_prefix) == checker.read_by_encoder(leaf, dials.read_prefix)

    holds()
