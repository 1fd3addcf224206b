"""The Ask page: its dials, what it remembers, what it holds, and what it says of two contexts and of a lost place."""

from __future__ import annotations

import json
from dataclasses import fields
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from core.evidence import Passage
from core.settings import PRESETS, Settings
from core.text.phrases import find_words
from core.types import Span
from pages.ui.ask import evidence
from pages.ui.ask import tabs as ask_tabs
from pages.ui.ask.compare import partner, pieces
from pages.ui.ask.dials import sidebar
from pages.ui.ask.dials.sidebar import BY_NAME, DIALS, FOLDS
from pages.ui.ask.why import TASK, surroundings
from pages.ui.shared import background, services, state
from tests.pages.apps import plain, said, start
from tests.pages.browsing import until

QUESTION = "How long is an access token valid?"
NOTES = {
    "tokens.md": "# Tokens\n\nAn access token is valid for 3600 seconds.\n\n## Renewal\n\nAsk anew before it ends.\n",
    "tea.txt": "The kettle stands in the kitchen on the second floor.\n\nTea is free on Fridays.\n",
}
# Decided elsewhere: on the Settings page, or by what is searched at all.
NOT_TURNED = {"exact_below", "batch_size", "max_tokens", "precision"}


def asked(question: str = QUESTION, tab: str = "") -> AppTest:
    """The page after a question, with a tab open."""
    app = start("ask")
    if tab:
        app.session_state[state.ASK_TAB] = tab
    app.text_input(key=state.QUESTION).set_value(question)
    app.button[0].click().run()
    assert not app.exception
    return app


# What is not drawn needs no page.


def test_every_setting_of_a_question_has_a_dial_that_reaches_it() -> None:
    stages = {fold.name for fold in FOLDS}
    known = {f"{stage}.{field.name}" for stage in stages for field in fields(getattr(Settings(), stage))}
    assert known - set(BY_NAME) == {name for name in known if name.partition(".")[2] in NOT_TURNED}
    for dial in DIALS:
        value = Settings().value(dial.name)
        if dial.reach is not None:
            low, high, step = dial.reach
            assert low <= value <= high
            assert {type(low), type(high), type(step)} == {type(value)}  # a slider takes one kind of number
        elif isinstance(value, tuple):
            assert dial.choices
            assert set(value) <= dial.choices.keys()
        elif dial.choices is not None:
            assert value in dial.choices
        else:
            assert isinstance(value, bool)


def passage(start: int, text: str, rank: int = 1, version: str = "v") -> Passage:
    return Passage(version, "D", "d.md", start, start + len(text), text, 1, (), (), rank, 0.0, "")


TEXT = "One two  three.\n\nFour five six, seven."


@given(st.data())
def test_pieces_are_the_passage_and_mark_what_the_other_context_lacks(data: st.DataObject) -> None:
    places = st.integers(0, len(TEXT))
    first, last = sorted((data.draw(places), data.draw(places)))
    borders = sorted(data.draw(st.lists(places, max_size=6)))
    others = [passage(one, TEXT[one:two]) for one, two in list(pairwise(borders))[::2]]
    found = pieces(passage(first, TEXT[first:last]), others)
    assert "".join(text for text, _ in found) == TEXT[first:last]
    marks = [only for text, only in found for _ in text]
    for at, letter in enumerate(TEXT[first:last]):
        held = any(other.start <= first + at < other.end for other in others)
        assert letter.isspace() or marks[at] == (not held)


def test_the_partner_of_a_passage_shares_most_with_it() -> None:
    one = passage(0, TEXT[:20])
    others = [passage(18, TEXT[18:30], 1), passage(2, TEXT[2:12], 2), passage(0, TEXT[:20], 3, "another")]
    found = partner(one, others)
    assert found is not None
    assert found.rank == 2
    assert partner(passage(0, "One", version="third"), others) is None


@given(st.text(alphabet="ab \n.", max_size=60), st.text(alphabet="ab .", max_size=5))
def test_a_place_is_where_the_words_stand(text: str, words: str) -> None:
    for place in find_words(text, words, 9):
        assert text[place.start : place.end].split() == words.split()
        before, held, behind = surroundings(text, place)
        assert held == " ".join(words.split())
        assert "\n" not in before + held + behind


def answers() -> None:
    import streamlit

    from pages.ui.ask.answer import answer_place, turn_of

    question = streamlit.session_state["asked"]
    place = answer_place(turn_of(question))
    if not streamlit.session_state["searching"]:
        place.markdown(question)


def test_an_answer_gives_way_to_another_question_before_that_is_answered_and_to_no_dial() -> None:
    app = AppTest.from_function(answers)

    def drawn(asked: str, *, searching: bool) -> list[tuple[int, str]]:
        app.session_state["asked"], app.session_state["searching"] = asked, searching
        app.run()
        return [(at, child.type) for at, child in app.main.children.items()]

    first = drawn("one", searching=False)
    assert drawn("one", searching=True) == first  # a dial was turned: the window keeps what stands there
    for another in ("two", "three"):
        before, now = dict(drawn(app.session_state["asked"], searching=False)), dict(drawn(another, searching=True))
        # Emptied by an element of its own: a container alone would leave in the window what stood in it.
        assert [at for at in before if before[at] != now[at]] == [0, 1]
        assert sorted(now.values()) == sorted(before.values())


CHIPS = "How do I roll back? in:handbook type:pdf -draft"
WRITTEN = "An access token is valid for an hour, and is renewed by whoever asks for another before the hour is over."


def chips_page() -> None:
    """The chips of a question, with what a language model wrote of it, and the dials that have it write."""
    import streamlit

    from core.search.question.analysis import understand
    from core.search.question.rewording import Wording, Written
    from core.settings import Settings
    from core.storage.catalogue.filing.source_metadata import KnownNames
    from pages.ui.ask import chips as ask_chips
    from pages.ui.ask.dials import sidebar
    from tests.pages.test_ask_page import CHIPS, WRITTEN

    known = KnownNames(names=frozenset({"handbook.md"}), kinds=frozenset({"pdf"}))
    wording = Wording((Written("rewritten", "roll back"), Written("imagined", WRITTEN)), ("It could not be used.",))
    taken = ask_chips.ignored(CHIPS)
    sidebar.ask_dials(Settings(), writer=bool(streamlit.session_state.get("writer")))
    ask_chips.show_chips(CHIPS, understand(CHIPS, known=known, ignored=taken).with_wording(wording, taken))
    streamlit.caption(repr(sorted(ask_chips.ignored(CHIPS))))


def test_what_was_understood_or_written_is_taken_away_and_brought_back() -> None:
    app = AppTest.from_function(chips_page, default_timeout=180).run()
    labels = [button.label.replace("\\", "") for button in app.main.button]
    assert labels[:4] == ["only in: handbook", "only type: PDF", "without draft", "searched as: roll back"]
    assert labels[4].startswith("imagined answer: An access token")
    assert labels[4].endswith(" …")
    assert WRITTEN in app.main.button[4].help.replace("\\", "")
    assert "It could not be used" in said(app)
    for place, key in ((1, ("type", "pdf")), (4, ("imagined", WRITTEN))):
        app.main.button[place].click().run()
        assert app.main.caption[-1].value == repr([key])
        app.main.button[4].click().run()  # what was taken away stands last
        assert app.main.caption[-1].value == "[]"
        assert [button.label.replace("\\", "") for button in app.main.button] == labels
    assert not app.exception


def test_dials_of_a_language_model_cannot_be_turned_without_one_and_say_why() -> None:
    writing = {dial.key for dial in DIALS if dial.writes}
    assert writing == {f"ask.understanding.{name}" for name in ("rewrite", "decompose", "imagined_answers")}
    assert {dial.key for dial in FOLDS[0].dials[-len(writing) :]} == writing  # "the last three", as the sentence says
    app = AppTest.from_function(chips_page, default_timeout=180).run()
    drawn = [*app.sidebar.toggle, *app.sidebar.slider]
    assert {widget.key for widget in drawn if widget.disabled} == writing
    assert sidebar.NO_WRITER in said(app)
    app.session_state["writer"] = True
    app.run()
    assert not any(widget.disabled for widget in [*app.sidebar.toggle, *app.sidebar.slider])
    assert sidebar.NO_WRITER not in said(app)
    assert not app.exception


def weak_page() -> None:
    """A weak answer, and sources that disagree."""
    from core.evidence import Answer, Citation, Context, Quote, Trace
    from core.library import SearchResult
    from core.search.answer.support import Support
    from core.search.context.conflicts import ConflictSide, ContextConflict
    from core.search.question.analysis import Understanding
    from core.types import Span
    from pages.ui.ask import answer as ask_answer
    from pages.ui.ask import conflicts as ask_conflicts

    told = Support(0.2, False, "The library does not say: an answer is 20% likely.")
    nothing = Context((), (), 0, 100, "")
    result = SearchResult("Why?", (), (), nothing, Trace("Why?", (), ()), {}, Understanding("Why?", "Why?"))
    nearest = Answer((Quote("Tea is free.", 0.4, Citation("v", "Tea", "tea.txt", 3, 15)),))
    ask_answer.show_answer(nearest, told, result)
    sides = [
        ConflictSide("9 s", "9 s", Span(5, 8), "Wait 9 s.", Span(0, 9), "v", "Tea", "tea.txt", 1),
        ConflictSide("8 s", "8 s", Span(25, 28), "Wait 8 s.", Span(20, 29), "w", "Milk", "milk.txt", 2),
    ]
    ask_conflicts.show_conflicts(
        [ContextConflict("number", ("wait",), tuple(sides), "Wait …")],
    )


def test_weak_support_and_disagreement_are_said() -> None:
    app = AppTest.from_function(weak_page, default_timeout=180).run()
    assert not app.exception
    drawn = [json.loads(element.proto.json) for element in app.get("bidi_component")]
    answer, conflict = drawn
    assert answer["weak"] == "an answer is 20% likely."
    assert [quote["text"] for quote in answer["quotes"]] == ["Tea is free."]
    (row,) = conflict["rows"]
    assert row["about"] == "Wait …"
    assert [side["pieces"] for side in row["sides"]] == [["Wait ", "9 s", "."], ["Wait ", "8 s", "."]]


# The page itself.


@pytest.mark.model
@pytest.mark.usefixtures("home")
def test_a_question_is_remembered_asked_again_and_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    app = asked()
    assert f"**{services.home().name}** · 2 documents" in said(app).replace("\\", "")
    assert "so far" not in said(app)
    (first,) = services.library().log.since("")
    assert (first.question, first.quoted) == (QUESTION, True)
    assert first.version_ids
    assert first.similarity is not None
    app.run()
    assert len(services.library().log.since("")) == 1
    app.text_input(key=state.QUESTION).set_value("Where is the kettle?")
    app.button[0].click().run()
    app.button(key="ask.past.1").click().run()
    assert app.text_input(key=state.QUESTION).value == QUESTION
    assert services.library().log.latest(5) == [QUESTION, "Where is the kettle?"]
    app.button(key="ask.forget").click().run()
    assert services.library().log.latest(5) == []
    monkeypatch.setattr(background, "active_jobs", lambda *kinds: [kinds])
    assert "2 documents so far: more are being read" in said(app.run())
    assert not app.exception


@pytest.mark.model
@pytest.mark.usefixtures("home")
def test_only_dials_that_are_read_are_drawn_and_the_turned_ones_say_so() -> None:
    app = start("ask")
    drawn = {slider.key for slider in app.slider}
    assert "ask.expansion.max_share" in drawn
    assert "ask.expansion.window_sentences" not in drawn
    app.selectbox(key="ask.expansion.strategy").set_value("window").run()
    drawn = {slider.key for slider in app.slider}
    assert "ask.expansion.window_sentences" in drawn
    styles = " ".join(str(element.proto.body) for element in app.get("html"))
    assert ".st-key-ask-expansion-strategy" in styles
    assert "1 turned" in styles
    app.button(key="ask.reset").click().run()
    assert app.selectbox(key="ask.expansion.strategy").value == Settings().expansion.strategy


@pytest.mark.model
@pytest.mark.usefixtures("home")
def test_two_settings_are_compared_on_the_same_question() -> None:
    app = asked(tab=ask_tabs.SIDES)
    app.button(key="ask.keep").click().run()
    assert "Turn one at the left" in said(app)
    app.slider(key="ask.retrieval.k").set_value(1).run()
    assert not app.exception
    app.button(key="ask.take").click().run()
    assert app.slider(key="ask.retrieval.k").value == Settings().retrieval.k
    app.button(key="ask.drop").click().run()
    assert not app.exception


@pytest.mark.model
@pytest.mark.usefixtures("home")
def test_each_document_is_asked_by_itself_and_says_what_it_says() -> None:
    app = asked("Which floor has the kettle?")
    app.button(key="ask.each.open").click().run()
    told = plain(app)
    assert "The kettle stands in the kitchen on the second floor" in told
    assert told.index("tea.txt") < told.index("tokens.md") < told.index("does not say")
    app.button(key="ask.document.0.0").click().run()
    assert not app.exception


def column(app: AppTest, number: int, name: str) -> list[Any]:
    return list(app.dataframe[number].value[name])


@pytest.mark.model
@pytest.mark.usefixtures("home")
def test_the_scores_name_every_stage_and_who_is_kept_before_and_after_the_best_are_read_again() -> None:
    app = asked(tab=ask_tabs.SCORES)
    kept = [rank for rank in column(app, 0, "Kept #") if rank == rank]
    assert kept == sorted(kept)
    assert kept
    assert {"Meaning #", "Words", "Near"} <= set(app.dataframe[0].value)
    assert "Re-ranked" not in app.dataframe[0].value
    app.selectbox(key="ask.reranking.model").set_value("packaged").run()
    over(app, "reranking")
    assert "Re-ranked" in app.dataframe[0].value


@pytest.mark.model
@pytest.mark.usefixtures("home")
def test_a_passage_shows_its_relevance_and_what_that_is(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[dict[str, Any]] = []

    def draw(data: dict[str, Any], **_: Any) -> SimpleNamespace:
        drawn.append(data)
        return SimpleNamespace(open=None, judging=None)

    monkeypatch.setattr(evidence, "_evidence", draw)
    asked()
    told = drawn[-1]
    best = max(hit["scores"][told["stages"][-1]["name"]] for hit in told["hits"])
    assert max(passage["score"] for passage in told["passages"]) == best, "of passages that hold one child each"
    assert told["relevance"]["digits"] == 2
    assert "the score of its best chunk (standard deviations above the mean" in told["relevance"]["help"]


def test_the_relevance_of_what_was_merged_led_to_or_cut_into_sentences_is_said() -> None:
    def said_of(**dials: Any) -> str:
        return evidence.relevance_help("reranked", Settings().with_values(dials))

    assert "half of its support" in said_of(**{"expansion.strategy": "auto-merge"})
    assert "half way from that one's" in said_of(**{"expansion.strategy": "neighbours"})
    assert "4 parts of its best chunk's" in said_of(**{"assembly.unit": "sentences"})
    assert "4 parts of its best chunk's" in said_of(**{"assembly.budget_tokens": 250})
    assert said_of().endswith("the score of its best chunk (the re-ranker's own, blended with the ranking before it).")


@pytest.mark.model
@pytest.mark.usefixtures("home")
def test_a_place_is_pointed_at_by_its_words() -> None:
    app = asked(tab=ask_tabs.WHY)
    app.text_input(key=state.WHY_WORDS).set_value("no such words").run()
    assert "do not stand in this document" in said(app)
    versions = app.selectbox(key=state.WHY_DOCUMENT).options
    tea = next(number for number, name in enumerate(versions) if name.startswith("Tea"))
    app.selectbox(key=state.WHY_DOCUMENT).select_index(tea)
    app.text_input(key=state.WHY_WORDS).set_value("the").run()
    assert len(app.radio(key=state.WHY_PLACE).options) == 3
    app.text_input(key=state.WHY_WORDS).set_value("free on Fridays").run()
    assert app.radio(key=state.WHY_PLACE).value == Span(62, 77)
    assert not app.exception


@pytest.mark.model
@pytest.mark.usefixtures("home")
def test_a_lost_place_is_explained_and_let_in_by_the_change_that_is_offered() -> None:
    app = asked(tab=ask_tabs.WHY)
    app.slider(key="ask.retrieval.k").set_value(1).run()
    versions = app.selectbox(key=state.WHY_DOCUMENT).options
    app.selectbox(key=state.WHY_DOCUMENT).select_index(versions.index(next(one for one in versions if "tea" in one)))
    app.text_input(key=state.WHY_WORDS).set_value("free on Fridays").run()
    app.button(key="ask.why.go").click().run()
    over(app)
    assert "instead of" in said(app)
    offered = app.button(key="ask.why.change.0")
    assert offered.label.startswith("Set ")
    offered.click().run()
    over(app)
    assert "It is in the context" in " ".join(element.value for element in app.success)
    app.slider(key="ask.retrieval.k").set_value(1).run()
    assert "ask.why.again" in {button.key for button in app.button}  # what was told holds no longer


@pytest.mark.model
@pytest.mark.usefixtures("home")
def test_a_filter_keeps_a_place_out_until_it_is_taken_away() -> None:
    app = asked(f"{QUESTION} type:txt", tab=ask_tabs.WHY)
    assert "ask.chip.type.txt" in {button.key for button in app.button}
    versions = app.selectbox(key=state.WHY_DOCUMENT).options
    app.selectbox(key=state.WHY_DOCUMENT).select_index(versions.index(next(one for one in versions if "tokens" in one)))
    app.text_input(key=state.WHY_WORDS).set_value("3600 seconds").run()
    app.button(key="ask.why.go").click().run()
    over(app)
    assert "It was not searched" in said(app)
    app.button(key="ask.why.change.0").click().run()
    over(app)
    assert "It is in the context" in " ".join(element.value for element in app.success)
    back = next(button for button in app.button if str(button.key).startswith("ask.chip.back."))
    back.click().run()
    assert "ask.chip.type.txt" in {button.key for button in app.button}


def over(app: AppTest, what: str = TASK) -> None:
    """Wait until the work that was begun is over, as its progress does by drawing the page again."""
    task = None
    # Where the library changed meanwhile, as when its index is caught up with, the page begins it anew.
    while (begun := app.session_state[state.TASKS][what]) is not task:
        task = begun
        until(lambda one=begun: one.over)
        app.run()
        assert not app.exception


@pytest.mark.model
@pytest.mark.usefixtures("home")
def test_choosing_a_profile_turns_the_dials_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PRESETS, "careful", Settings().with_values({"retrieval.k": 7, "diversity.method": "mmr"}))
    app = start("ask")
    app.segmented_control(key=state.PROFILE).set_value(sidebar.CAREFUL).run()
    assert app.slider(key="ask.retrieval.k").value == 7
    assert app.selectbox(key="ask.diversity.method").value == "mmr"
    assert "turned" not in " ".join(str(element.proto.body) for element in app.get("html"))
    app.slider(key="ask.retrieval.k").set_value(9).run()
    app.button(key="ask.reset").click().run()
    assert app.slider(key="ask.retrieval.k").value == 7
    app.segmented_control(key=state.PROFILE).set_value(sidebar.QUICK).run()
    assert app.slider(key="ask.retrieval.k").value == Settings().retrieval.k
    assert not app.exception


@pytest.mark.model
@pytest.mark.usefixtures("home")
def test_a_model_that_is_not_there_costs_a_sentence_not_the_answer() -> None:
    app = start()
    app.session_state["ask.reranking.model"] = "no/such-model"
    app.switch_page("pages/ask.py").run()
    app.session_state[state.ASK_TAB] = ask_tabs.SCORES
    app.text_input(key=state.QUESTION).set_value(QUESTION)
    app.button[0].click().run()
    over(app, "reranking")
    assert "were not read again" in said(app)
    assert len(app.dataframe[0].value)  # of the order before
