"""The tab "Why not this passage?": what became of a place at each stage, and the smallest change that admits it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from core.evidence import Hit
from core.library import JudgmentRow, SourceRow
from core.search.explaining.why_not import Change, WhyNot, why_not
from core.search.question.query import Query
from core.settings import Settings
from core.text.phrases import find_words
from core.types import Span
from pages.ui.ask import chips as ask_chips
from pages.ui.ask.dials import sidebar
from pages.ui.ask.dials.sidebar import BY_NAME, as_labelled
from pages.ui.ask.judging_gold import of_question
from pages.ui.ask.stage_ranks import show_fates
from pages.ui.reader import readings
from pages.ui.shared import assets, services, state, tasks, words


def offer(change: Change) -> str:
    """The label of the button that makes a change.

    >>> offer(Change({"assembly.budget_tokens": (1000, 1600)}, 0.1, 1.0))
    'Set “Budget, tokens” to 1,600'
    >>> offer(Change({}, 0.5, 1.0, (("type", "pdf"),)))
    'Take away “type: pdf”'
    >>> offer(Change({"retrieval.k": (50, 90)}, 0.1, 1.0, (("type", "pdf"),)))
    'Take away “type: pdf” and set “Chunks kept (k)” to 90'
    """
    chips = " and ".join(f"“{kind}: {value}”" for kind, value in change.remove)
    dials = [(BY_NAME[name], after) for name, (_, after) in change.settings.items()]
    settings = " and ".join(f"“{dial.label}” to {dial.said(after)}" for dial, after in dials)
    parts = [f"take away {chips}"] if chips else []
    parts += [f"set {settings}"] if settings else []
    label = " and ".join(parts)
    return f"{label[:1].upper()}{label[1:]}"


TAB = "Why not this passage?"
TASK = "why"
LISTED = 8  # places offered
_MOST_PLACES = 200  # places searched for
_AROUND = 70  # characters shown on each side of a place


@dataclass(frozen=True, slots=True)
class ExplainedPlace:
    """A place whose absence from the context is to be explained.

    ``under``: the fingerprint of the settings to explain it for, "" for those of the next run of the page.
    """

    version: str
    place: Span
    under: str = ""


_bring = st.components.v2.component("lectern.bring", js=assets.text(__file__, "ask_bring.js"))


def point_at(version: str, place: Span) -> None:
    """Explain a span that was selected in a text, and bring the tab into view; a callback."""
    st.session_state[state.WHY] = ExplainedPlace(version, place)
    st.session_state[state.WHY_DOCUMENT] = version
    st.session_state[state.WHY_WORDS] = ""
    open_it()


def open_it(tab: str = TAB) -> None:
    """Open this or another tab of Ask and bring it into view; a callback."""
    st.session_state[state.ASK_TAB] = tab
    state.bump(state.TAB_POINTED)


def bring() -> None:
    """Scroll the tab that this is drawn in into view, once after each ``open_it``."""
    _bring(key="ask.bring", data={"count": state.counter(state.TAB_POINTED)})


def show_why(query: Query, settings: Settings, sources: list[SourceRow], hits: Sequence[Hit] = ()) -> None:
    """Draw the choice of a place, in the documents of the hits first, and the explanation of the one asked for."""
    named = {source.version_id: source for source in sources if source.version_id}
    found = [hit.version_id for hit in hits if hit.version_id in named]
    titles = {version: named[version] for version in dict.fromkeys([*found, *named])}
    st.caption(
        "Point at words that should have been read: mark them in the evidence or in Chunks and press w, or pick their "
        "document and type some of them."
    )
    picked = _picked(query.question, titles)
    if picked is not None:
        version, place = picked
        st.button(
            "Why is it not read?",
            key="ask.why.go",
            type="primary",
            icon=":material/help:",
            on_click=_ask,
            args=[ExplainedPlace(version, place)],
        )
    asked: ExplainedPlace | None = st.session_state.get(state.WHY)
    if asked is not None and asked.version in titles:
        _explain(query, settings, asked, titles[asked.version])


def _ask(asked: ExplainedPlace | None) -> None:
    st.session_state[state.WHY] = asked


def _picked(question: str, titles: dict[str, SourceRow]) -> tuple[str, Span] | None:
    """Draw the choice of a document and of a place in it; returns the place, ``None`` while there is none."""
    state.forget_unoffered(state.WHY_DOCUMENT, titles)
    choice, typed = st.columns([2, 3], gap="small")
    version = choice.selectbox(
        "Document",
        list(titles),
        key=state.WHY_DOCUMENT,
        format_func=lambda key: f"{titles[key].title}  ·  {words.place_name(titles[key].name)}",
        persist_state="session",
    )
    sought = typed.text_input(
        "Words of the passage", key=state.WHY_WORDS, placeholder="as they stand there", persist_state="session"
    )
    text = readings.document(version).text
    places = find_words(text, sought, _MOST_PLACES)
    gold = _gold(question, version) if not sought.strip() else []
    if sought.strip() and not places:
        st.caption("These words do not stand in this document one after another. Try fewer of them.")
    offered = [*places[:LISTED], *gold]
    if not offered:
        return None
    state.forget_unoffered(state.WHY_PLACE, offered)
    found = f"{words.count(len(places), 'place')}; {'these are the first' if len(places) > LISTED else 'which one?'}"
    chosen = st.radio(
        found if places else "Answers marked for this question",
        offered,
        key=state.WHY_PLACE,
        format_func=lambda place: _line(text, place),
        label_visibility="visible" if len(offered) > 1 else "collapsed",
    )
    return version, chosen or offered[0]


def _gold(question: str, version: str) -> list[Span]:
    """The gold spans of a question in a document."""
    rows: list[JudgmentRow] = of_question(services.library().judgments(version), question)
    return list(
        dict.fromkeys(Span(row.start, row.end) for row in rows if row.start is not None and row.end is not None)
    )


def surroundings(text: str, place: Span) -> tuple[str, str, str]:
    """The text before a place, in it and after it, each on one line and cut at a word.

    >>> surroundings("Tea is\\nfree on Fridays.", Span(7, 11))
    ('Tea is ', 'free', ' on Fridays.')
    """
    before = " ".join(f"|{text[max(0, place.start - _AROUND) : place.start]}|".split())[1:-1]
    behind = " ".join(f"|{text[place.end : place.end + _AROUND]}|".split())[1:-1]
    if place.start > _AROUND:
        before = f"… {before.split(' ', 1)[-1]}"
    if place.end + _AROUND < len(text):
        behind = f"{behind.rsplit(' ', 1)[0]} …"
    return before, " ".join(text[place.start : place.end].split()), behind


def _line(text: str, place: Span) -> str:
    before, inside, behind = surroundings(text, place)
    return f"{words.escaped(before)}:orange-background[**{words.escaped(inside)}**]{words.escaped(behind)}"


def _explain(query: Query, settings: Settings, asked: ExplainedPlace, source: SourceRow) -> None:
    """Draw the explanation, the changes that admit the place, and its chunks' ranks; or the progress of that."""
    now = settings.fingerprint()
    if not asked.under:
        asked = ExplainedPlace(asked.version, asked.place, now)
        _ask(asked)
    library = services.library()
    searcher, version, span = library.searcher, asked.version, asked.place
    task = tasks.get_or_start(
        TASK,
        (query, asked, library.revision()),
        lambda task: why_not(searcher, query, settings, version, span, task.tell),
    )
    if not tasks.finished_or_progress(TASK, task, "Trying step {done} of {total}", lambda: _ask(None)):
        return
    explained = task.result()
    text = readings.document(asked.version).text
    place = " ".join(text[asked.place.start : asked.place.end].split())
    st.markdown(f"“{words.escaped(place[:200])}” · {words.escaped(source.title)}")
    if explained.admitted:
        st.success(as_labelled(explained.sentence), icon=":material/check_circle:")
    else:
        st.info(as_labelled(explained.sentence), icon=":material/help:")
    if asked.under != now:
        again = ExplainedPlace(asked.version, asked.place)
        st.button("The dials were turned since: ask again", key="ask.why.again", on_click=_ask, args=[again])
    else:
        _changes(query.question, explained, asked)
    show_fates(explained, text, settings.retrieval.fusion)


def _changes(question: str, explained: WhyNot, asked: ExplainedPlace) -> None:
    """A button for each change that admits the place: it sets dials or removes chips, and asks again."""
    with st.container(horizontal=True, gap="xsmall"):
        for number, change in enumerate(explained.changes):
            st.button(
                words.escaped(offer(change)),
                key=f"ask.why.change.{number}",
                on_click=_make,
                args=[question, change, asked],
                help=f"Tried: the context then holds {change.held:.0%} of it.",
            )
    if explained.tried > 1:
        st.caption(f"{words.count(explained.tried, 'context')} were filled to find this out.")
    if explained.untried:
        untried = ", ".join(BY_NAME[name].label for name in explained.untried)
        st.caption(words.escaped(f"That was enough; not tried to their ends: {untried}."))


def _make(question: str, change: Change, asked: ExplainedPlace) -> None:
    for kind, value in change.remove:
        ask_chips.take_away(question, (kind, value), f"{kind}: {value}")
    sidebar.turn({name: after for name, (_, after) in change.settings.items()})
    _ask(ExplainedPlace(asked.version, asked.place))
