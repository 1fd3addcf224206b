"""How clustered evidence is: shares of the top hits, and the way of growing that suits them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.search.context.candidate_outcomes import CLUSTERED_SHARE, clustered
from core.settings import EXPANSIONS
from tests.search.context.worlds import worlds


@given(worlds(), st.integers(1, 12))
def test_shares_count_hits_that_have_another_one_beside_them(world, top):
    ranking = world.ranking
    found = clustered(ranking, top)
    hits = ranking.pool[ranking.kept[:top]].tolist()
    leaves = ranking.leaves

    def beside(column, alone=None):
        values = [int(column[hit]) for hit in hits]
        return sum(values.count(value) > 1 and value != alone for value in values)

    assert found.hits == len(hits)
    assert round(found.in_parent * len(hits)) == beside(leaves.parent_rows, alone=-1)
    assert round(found.in_document * len(hits)) == beside(leaves.documents)
    assert 0 <= found.in_parent <= found.in_document <= 1, "who shares a parent shares its document"
    assert set(found.expansions) <= set(EXPANSIONS)
    assert bool(found.expansions) == (len(hits) > 1)
    if len(hits) > 1:
        clustering = found.in_parent >= CLUSTERED_SHARE
        assert ("auto-merge" in found.expansions) == clustering
        assert ("flat" in found.expansions) == (found.in_document < CLUSTERED_SHARE)
        assert found.advice.startswith(f"{beside(leaves.parent_rows, alone=-1)} of the best {len(hits)} hits")
        assert all(name in found.advice for name in found.expansions)
    assert found == clustered(ranking, top)
