"""The bench's logic through AppTest: dials, trials and what they cost, scopes, edits, health, comparison."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Slider

from core.chunking.edits import edits
from core.errors import CancelledError
from core.ingest.teaching_section_starts import teach
from core.library import Incoming, Library
from core.settings import CHUNKERS, DIALS, ChunkingSettings
from pages.ui.chunks.status import TAUGHT_ANEW
from pages.ui.shared import services
from tests.ingest.test_teaching_section_starts import handbook
from tests.pages.apps import PATIENT, plain, said, start
from tests.pages.browsing import until

pytestmark = pytest.mark.model
SENTENCES = "The weir stands north of the lock. Its gauge is read at noon and at night. Nobody may move it alone. "
NOTES = {
    "weir.md": f"# Weir\n\n{SENTENCES * 4}\n\n## Lock\n\n{SENTENCES * 4}",
    "tea.txt": "The kettle stands in the kitchen on the second floor.\n\nTea is free on Fridays, coffee never is.\n",
}


def library() -> Library:
    return services.library()


def version(name: str) -> str:
    return next(row.version_id for row in library().sources() if row.name == name)


def recipe(name: str) -> str:
    return next(row.recipe for row in library().sources() if row.name == name)


def turn(app: AppTest, size: int) -> AppTest:
    return app.slider(key="chunks.max_tokens").set_value(size).run()


def size_dial(app: AppTest) -> Slider:
    """The dial of the size, of whichever side is drawn."""
    return next(slider for slider in app.slider if slider.label.startswith("Chunk, at most"))


def size(app: AppTest) -> int:
    return int(size_dial(app).value)


def applying(app: AppTest) -> AppTest:
    """With the way to apply a trial open."""
    app.session_state["chunks.applying"] = True
    return app.run()


def at_rest() -> None:
    until(lambda: all(job.finished for job in library().queue.jobs()))


WIDGETS = ("slider", "selectbox", "toggle", "text_area", "text_input")


@pytest.mark.usefixtures("home")
def test_a_turned_dial_is_a_trial_that_changes_nothing_and_goes_back() -> None:
    app = start("chunks")
    assert "As indexed" in plain(app)
    before = recipe("weir.md")
    turn(app, 30)
    assert "Trial" in plain(app)
    assert "→" in plain(app)
    assert "to encode" in plain(app)
    assert recipe("weir.md") == before
    assert not library().queue.jobs()
    app.button(key="chunks.back").click().run()
    assert "As indexed" in plain(app)
    assert size(app) == ChunkingSettings().max_tokens


@pytest.mark.usefixtures("home")
def test_dials_turned_together_before_the_page_is_drawn_again_all_stay_turned() -> None:
    app = start("chunks")
    app.slider(key="chunks.max_tokens").set_value(60)
    app.slider(key="chunks.parent_max_tokens").set_value(300)
    app.selectbox(key="chunks.chunker").set_value("recursive").run()
    assert (size(app), app.slider(key="chunks.parent_max_tokens").value) == (60, 300)
    assert app.selectbox(key="chunks.chunker").value == "recursive"


@pytest.mark.usefixtures("home")
def test_a_report_of_dials_drawn_before_all_were_set_turns_none_back() -> None:
    from pages.ui.settings.recipe_words import STARTS

    app = start("chunks")
    app.slider(key="chunks.max_tokens").set_value(60).run()
    before = {widget.key for widget in app.slider}
    app.selectbox(key="chunks.start").set_value("Papers: claims").run()
    assert size(app) == STARTS["Papers: claims"].max_tokens
    assert not before & {widget.key for widget in app.slider}, "what is reported of the dials before is none of these"
    late = AppTest.from_function(heard_late, default_timeout=PATIENT).run()
    assert not late.exception
    assert late.markdown[0].value == "code, 90 tokens"


def heard_late() -> None:
    """All dials are set while the window still shows the ones before, which then report themselves."""
    from dataclasses import asdict

    import streamlit as st

    from core.settings import ChunkingSettings
    from pages.ui.chunks import state as chunks_state

    drawn = asdict(ChunkingSettings(chunker="learned"))
    seen = chunks_state.set_anew("a")
    chunks_state.turn("a", asdict(ChunkingSettings(chunker="code")))
    chunks_state.turn_some("a", {"learned_probability": 0.01, "max_tokens": 20}, drawn, seen)
    chunks_state.turn_some("a", {"max_tokens": 90}, drawn, chunks_state.set_anew("a"))
    held = chunks_state.turned_values("a") or {}
    st.markdown(f"{held['chunker']}, {held['max_tokens']} tokens")


@pytest.mark.usefixtures("home")
def test_no_dial_turns_back_by_itself() -> None:
    app = turn(start("chunks"), 60)
    app.segmented_control(key="chunks.overlap_way").set_value("adaptive").run()
    assert app.slider(key="chunks.overlap_tokens").value == 15, "a quarter of the chunk at first"
    app.selectbox(key="chunks.chunker").set_value("semantic").run()
    app.slider(key="chunks.semantic_percentile").set_value(60).run()
    app.selectbox(key="chunks.chunker").set_value("sentence").run()
    app.selectbox(key="chunks.chunker").set_value("semantic").run()
    assert app.slider(key="chunks.semantic_percentile").value == 60
    app.switch_page("pages/ask.py").run()
    app.switch_page("pages/chunks.py").run()
    assert app.slider(key="chunks.semantic_percentile").value == 60
    assert app.slider(key="chunks.max_tokens").value == 60
    turn(app, 20)
    assert app.slider(key="chunks.overlap_tokens").value == 15
    assert "Overlap is held at 10, half of the chunk." in plain(app)
    assert not app.exception


@pytest.mark.usefixtures("home")
def test_every_chunker_can_be_tried_with_all_its_dials() -> None:
    app = start("chunks")
    for chunker in CHUNKERS:
        app.selectbox(key="chunks.chunker").set_value(chunker).run()
        assert not app.exception
        assert not app.error
        drawn = {widget.key for kind in WIDGETS for widget in app.get(kind)}
        dials = {name for name in DIALS.get(chunker, ()) if name == "semantic_threshold" or "semantic_" not in name}
        assert {f"chunks.{name}" for name in dials} <= drawn, chunker


@pytest.mark.usefixtures("home")
def test_a_link_stands_against_what_the_window_tells_of_the_picker_before_it_heard() -> None:
    app = start("chunks")
    shown, other = version("weir.md"), version("tea.txt")
    assert app.session_state["chunks.version"] == shown
    app.session_state["chunks.version"] = other  # as a link in the text does it, and the plots
    app.session_state["chunks.picker"] = 1
    app.run()  # with the old picker's own value, as a reader's report still brings it
    assert app.session_state["chunks.version"] == other
    app.selectbox(key="chunks.picker.1").set_value(shown).run()
    app.selectbox(key="chunks.picker.1").set_value(other).run()
    app.selectbox(key="chunks.picker.1").set_value(shown).run()
    assert app.session_state["chunks.version"] == shown
    assert not app.exception


@pytest.mark.usefixtures("home")
def test_a_recipe_for_this_document_changes_this_document_alone() -> None:
    app = start("chunks")
    assert app.session_state["chunks.version"] == version("weir.md")
    turn(app, 30)
    assert not app.get("radio"), "what it costs is reckoned when that is asked for, not at every turn"
    applying(app).radio(key="chunks.scope").set_value("document").run()
    assert "1 document, " in plain(app)
    tea = library().tree(version("tea.txt"))
    app.button(key="chunks.apply").click().run()
    at_rest()
    assert "child 30" in recipe("weir.md")
    assert "child 110" in recipe("tea.txt")
    assert library().tree(version("tea.txt")) == tea
    assert library().settings.chunking == ChunkingSettings()
    app.run()
    assert "As indexed" in plain(app)
    assert "its own" in plain(app)
    app.button(key="chunks.forget").click().run()
    at_rest()
    assert "child 110" in recipe("weir.md")


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(("scope", "reached"), [("kind", ["weir.md"]), ("library", ["weir.md", "tea.txt"])])
def test_a_recipe_for_a_kind_or_the_library_reaches_its_documents(scope: str, reached: list[str]) -> None:
    app = applying(turn(start("chunks"), 30))
    app.radio(key="chunks.scope").set_value(scope).run()
    app.button(key="chunks.apply").click().run()
    at_rest()
    assert [name for name in NOTES if "child 30" in recipe(name)] == reached
    app.session_state["chunks.applying"] = False
    turn(app.run(), 40)
    assert applying(app).radio(key="chunks.scope").value == scope, "what was chosen last is offered again"


@pytest.mark.usefixtures("home")
def test_a_cut_that_was_cancelled_half_way_says_so_and_can_be_finished() -> None:
    start()

    class Stops:
        def stage(self, index: int, stage: str, done: int, total: int) -> None:
            raise CancelledError("Stopped.")

        def finished(self, index: int, outcome: object) -> None:
            raise AssertionError("nothing is finished")

    with pytest.raises(CancelledError):
        library().apply(library().settings.with_value("chunking.chunker", "fixed"), Stops())
    app = start("chunks")
    assert "The index still holds another cut." in plain(app)
    app.button(key="chunks.recut").click().run()
    at_rest()
    app.run()
    assert recipe("weir.md").startswith("fixed")
    assert "As indexed" in plain(app)


@pytest.mark.usefixtures("home")
def test_a_document_that_was_never_encoded_says_so_and_can_be() -> None:
    start()
    staged = library().stage(b"Words that nobody encoded.")

    class Stops:
        def stage(self, index: int, stage: str, done: int, total: int) -> None:
            if stage == "encoding":
                raise CancelledError("Stopped.")

        def finished(self, index: int, outcome: object) -> None:
            raise AssertionError("nothing is finished")

    with pytest.raises(CancelledError):
        library().ingest([Incoming("new.md", content_hash=staged)], Stops(), promptly=True)
    app = start("chunks", document=version("new.md"))
    assert "found by its words so far" in plain(app)
    app.button(key="chunks.recut").click().run()
    at_rest()
    assert "As indexed" in plain(app.run())


@pytest.mark.usefixtures("home")
def test_what_was_cut_before_a_later_lesson_says_so_and_all_of_it_is_brought_up_to_date() -> None:
    def add(*turns: int) -> None:
        staged = {f"handbook-{turn}.md": library().stage(handbook(turn).encode()) for turn in turns}
        library().ingest([Incoming(name, content_hash=staged[name]) for name in staged])

    start()
    add(1, 2)
    library().apply(library().settings.with_value("chunking.chunker", "learned"))
    add(3)
    teach(library()._store, library().model)
    app = start("chunks")
    assert TAUGHT_ANEW in plain(app)
    app.button(key="chunks.recut").click().run()
    at_rest()
    assert "As indexed" in plain(app.run())
    assert all(library().cutting.is_cut_so(row.version_id) for row in library().sources())


@pytest.mark.usefixtures("home")
def test_a_finding_leads_to_its_places_in_turn() -> None:
    from core.inspecting.findings import Defect

    app = start("chunks")
    app.selectbox(key="chunks.chunker").set_value("fixed").run()
    turn(app, 16)
    key = f"chunks.health.{Defect.ENDS_MID_SENTENCE}"
    app.button(key=key).click().run()
    first = app.session_state["chunks.jump"][1]
    assert "1 of " in plain(app)
    app.button(key="chunks.health.next").click().run()
    second = app.session_state["chunks.jump"][1]
    assert "2 of " in plain(app)
    assert second["start"] > first["start"]
    app.button(key="chunks.health.previous").click().run()
    assert app.session_state["chunks.jump"][1]["start"] == first["start"]
    assert app.session_state["chunks.jump"][1]["count"] > second["count"]
    app.session_state["chunks.version"], app.session_state["chunks.picker"] = version("tea.txt"), 1
    assert "1 of " not in plain(app.run())  # nobody looked at a place of this one


@pytest.mark.usefixtures("home")
def test_an_edit_holds_in_every_trial_is_listed_and_can_be_removed() -> None:
    start()
    one = version("weir.md")
    tree = library().tree(one)
    place = tree.leaves[1].start
    number = library().cutting.edit(edits.merge(tree.document, place))
    app = start("chunks")
    assert "Not indexed yet" in plain(app)
    assert "Merged" in plain(app)
    turn(app, 90)
    assert "Merged" in plain(app)
    app.button(key=f"chunks.edit.{number}").click().run()
    assert library().cutting.edits(one) == []
    at_rest()
    assert "Merged" not in plain(app.run())


@pytest.mark.usefixtures("home")
def test_an_edit_that_no_longer_fits_is_listed_with_its_reason() -> None:
    start()
    document = library().document(version("weir.md"))
    tree = library().tree(document.version_id)
    middle = document.text.index("Its gauge", tree.leaves[0].start + 40)
    library().cutting.edit(edits.split(document, middle))
    library().cutting.edit(edits.merge(document, middle), library().cutting.as_cut_now(document.version_id).tree)
    app = start("chunks")
    assert "A later edit joins the text at this place." in plain(app)


@pytest.mark.usefixtures("home")
def test_two_cuts_stand_side_by_side_with_the_gold_each_severs() -> None:
    app = start("chunks")
    one = version("weir.md")
    tree = library().tree(one)
    boundary = tree.leaves[1].start
    library().judge("Where is the weir?", one, boundary - 30, boundary + 30)
    app.selectbox(key="chunks.other").set_value("Fixed size").run()
    assert not app.exception
    figures = app.table[0].value
    names = list(figures[figures.columns[0]])
    assert list(figures["A"])[names.index("Chunks")] == str(len(tree.leaves))
    assert list(figures["A"])[names.index("Answers severed")] == "1 of 1"
    assert list(figures["A"])[names.index("Read in part")] == "0"
    app.segmented_control(key="chunks.side").set_value("b").run()
    size_dial(app).set_value(40).run()
    assert "As indexed" in plain(app), "the first side is as it was"
    assert list(app.table[0].value["B"])[names.index("Chunks")] != str(len(tree.leaves))


@pytest.mark.usefixtures("home")
def test_bs_dials_are_taken_and_are_then_the_trial_that_can_be_applied() -> None:
    app = start("chunks")
    app.selectbox(key="chunks.other").set_value("Another set of dials").run()
    assert app.button(key="chunks.take_b").disabled, "both are alike"
    size_dial(app).set_value(30).run()
    app.button(key="chunks.take_b").click().run()
    assert not app.exception
    assert app.selectbox(key="chunks.other").value is None
    assert not app.table
    assert "Trial" in plain(app)
    assert size(app) == 30
    applying(app).radio(key="chunks.scope").set_value("document").run()
    app.button(key="chunks.apply").click().run()
    at_rest()
    assert "child 30" in recipe("weir.md")


@pytest.mark.usefixtures("home")
def test_taking_how_it_is_cut_now_ends_the_trial() -> None:
    app = turn(start("chunks"), 30)
    app.selectbox(key="chunks.other").set_value("As it is cut now").run()
    app.button(key="chunks.take_b").click().run()
    assert "As indexed" in plain(app)
    assert size(app) == ChunkingSettings().max_tokens


def test_a_library_that_is_only_read_can_be_tried_and_not_changed(home: Path) -> None:
    with Library.open(home):
        app = turn(start("chunks"), 30)
        assert "Trial" in plain(app)
        assert not [button for button in app.button if button.key in ("chunks.apply", "chunks.back")]


def test_every_start_is_a_recipe_and_every_choice_has_words() -> None:
    from core.settings import ANCHOR_PLACES, PARENTS, PREFIX_KINDS, THRESHOLDS
    from pages.ui.settings import recipe_words as said_of
    from pages.ui.settings.recipe_values import sliders

    assert set(said_of.CHUNKER_WORDS) == set(said_of.CHUNKER_HELP) == set(CHUNKERS)
    assert set(said_of.THRESHOLD_WORDS) == set(THRESHOLDS)
    assert set(said_of.PREFIX_WORDS) == set(PREFIX_KINDS)
    assert set(said_of.PARENTS_WORDS) == set(PARENTS)
    assert set(said_of.ANCHOR_WORDS) == set(ANCHOR_PLACES)
    others = {"semantic_threshold", "anchors", "anchor_at", "table_key"}
    assert {name for names in DIALS.values() for name in names} <= set(sliders(256, 2)) | others


@pytest.mark.parametrize(("reads", "specials", "largest"), [(256, 2, 254), (512, 2, 510), (32_768, 1, 8192)])
@pytest.mark.parametrize("unit", ["tokens", "characters"])
def test_a_chunk_may_be_as_large_as_the_encoder_reads(unit: str, reads: int, specials: int, largest: int) -> None:
    app = AppTest.from_function(dials_alone, default_timeout=180, args=(unit, reads, specials)).run()
    assert not app.exception
    size = app.slider(key="chunks.max_tokens")
    assert size.max == (largest if unit == "tokens" else min(20 * largest, 8192))
    assert f"The encoder reads {reads:,} tokens, {specials} of them its own." in size.help
    size.set_value(size.max).run()
    app.slider(key="chunks.parent_max_tokens").set_value(app.slider(key="chunks.parent_max_tokens").max).run()
    assert app.caption[-1].value == "these settings can be", app.caption[-1].value


def dials_alone(unit: str, reads: int, specials: int) -> None:
    """The dials, and whether they can be."""
    from dataclasses import asdict

    import streamlit as st

    from core.settings import ChunkingSettings
    from pages.ui.settings.recipe_dials import show_dials
    from pages.ui.settings.recipe_values import settings_or_reason, sliders

    held = st.session_state.setdefault("values", asdict(ChunkingSettings(unit=unit)))
    show_dials("a", held, held.update, lambda side, values: held.update(values), sliders(reads, specials))
    said = settings_or_reason(held, ChunkingSettings())[1]
    st.caption(said[0] if said else "these settings can be")


@pytest.mark.usefixtures("home")
def test_who_reads_a_document_whose_file_changes_goes_on_with_its_new_text() -> None:
    def put(text: bytes) -> str:
        library().ingest([Incoming("mug.txt", content_hash=library().stage(text))])
        return version("mug.txt")

    old = put(b"The mug hangs beside the door.")
    app = start("chunks")
    next(box for box in app.selectbox if box.label == "Document").set_value(old).run()
    new = put(b"The mug is broken.")
    turn(app, 60)
    assert not app.exception
    assert not app.error
    assert app.session_state["chunks.version"] == new != old
    app.run()
    assert "The document has changed meanwhile" not in said(app)
    library().trash([row.id for row in library().sources() if row.name == "mug.txt"])
    assert "not in the library any more" in said(app.run())
    assert app.session_state["chunks.version"] != new
