"""Passages that stand in several documents: asked for by one of them, none is forgotten and none is made up."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.enriching.twins import twins
from core.inspecting.repeated import Repeated
from core.types import Span
from tests.enriching.test_twins import groups

MILL = "The mill stands by the river and has ground flour since the year 1780 without a rest"
NEARLY = MILL.replace("rest", "pause")
LONGER = f"{MILL}. It was rebuilt after the great fire and again after the flood of the next spring."
LIVE = ("a", "b", "c", "d")


def placed(*documents: tuple[str, str]) -> list[tuple[str, Span]]:
    """Passages one after the other in their documents."""
    ends: dict[str, int] = {}
    places: list[tuple[str, Span]] = []
    for version, text in documents:
        start = ends.get(version, 0)
        ends[version] = start + len(text)
        places.append((version, Span(start, ends[version])))
    return places


def repeated(*documents: tuple[str, str], live: tuple[str, ...] = LIVE) -> Repeated:
    return Repeated(twins(text for _, text in documents), placed(*documents), live)


def test_a_passage_leads_to_every_other_document_that_has_it_and_back() -> None:
    found = repeated(("a", MILL), ("b", MILL.upper()), ("c", MILL), ("d", "Ducks swim in the moat of the mill."))
    first = Span(0, len(MILL))
    for version, others in {"a": "bc", "b": "ac", "c": "ab"}.items():
        alike = found.elsewhere(version, first)
        assert {(one.version_id, one.kind, one.similarity) for one in alike} == {(to, "same", 1.0) for to in others}
        assert found.spans(version) == (first,)
    assert found.spans("d") == ()
    assert found.count == 2


def test_what_is_near_one_of_several_equal_passages_is_near_them_all() -> None:
    found = repeated(("a", MILL), ("b", MILL), ("c", NEARLY), ("d", NEARLY))
    for version, said, equal, near in (("a", MILL, "b", "cd"), ("d", NEARLY, "c", "ab")):
        alike = found.elsewhere(version, Span(0, len(said)))
        assert [(one.version_id, one.kind) for one in alike] == [(equal, "same"), *((to, "near") for to in near)]


def test_the_longer_one_holds_and_the_shorter_is_held() -> None:
    documents = ("a", f"{MILL}."), ("b", LONGER)
    made = repeated(*documents)
    assert [[one.kind for one in made.elsewhere(*place)] for place in placed(*documents)] == [["holds"], ["held"]]


def test_a_document_in_the_trash_is_not_named_but_still_joins_the_others() -> None:
    found = repeated(("a", MILL), ("b", MILL), ("c", MILL), live=("b", "c"))
    assert [one.version_id for one in found.elsewhere("b", Span(0, len(MILL)))] == ["c"]
    assert found.count == 2


def test_what_repeats_inside_one_document_alone_is_nothing_elsewhere() -> None:
    found = repeated(("a", MILL), ("a", MILL), ("b", "Other words about reeds, ducks and the moon above them."))
    assert found.spans("a") == found.elsewhere("a", Span(0, len(MILL))) == ()
    assert found.elsewhere("a", Span(1, 2)) == ()
    assert found.count == 1


PASSAGES = st.lists(
    st.tuples(st.sampled_from(LIVE), st.sampled_from([MILL, NEARLY, LONGER, "Ducks swim."])), max_size=9
)


@given(PASSAGES)
def test_the_relation_is_mutual_and_is_what_the_pairs_say(documents: list[tuple[str, str]]) -> None:
    places = placed(*documents)
    pairs = twins(text for _, text in documents)
    found = Repeated(pairs, places, LIVE)
    direct: dict[int, set[int]] = {at: set() for at in range(len(places))}
    for pair in pairs:
        direct[pair.first].add(pair.second)
        direct[pair.second].add(pair.first)
    together = {name: group for group in groups(pairs) for name in group}
    for name, (version, span) in enumerate(places):
        alike = found.elsewhere(version, span)
        named = {places.index((one.version_id, one.span)) for one in alike}
        others = {other for other in direct[name] if places[other][0] != version}
        assert others <= named <= together.get(name, set()) - {name}
        assert (span in found.spans(version)) == bool(alike)
        for one in alike:
            back = [(again.version_id, again.span) for again in found.elsewhere(one.version_id, one.span)]
            assert (version, span) in back
