"""The set-up of the language model: its address, the agreement to it, its model, a test, its options and its key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from core.errors import LecternError
from core.language_model.client import Client
from core.language_model.keys import NAMES, has_keyring, key_of
from core.language_model.keys import keep as keep_key
from core.language_model.settings import LEAST_CONTEXT, LanguageSettings, tidy_address
from core.language_model.trying import Found, local_servers, trial
from core.search.context.written_prompt import TEMPLATE, template_fault
from pages.ui.shared import language, services, words

_ADDRESS, _MODEL, _CONTEXT = "language.address", "language.model", "language.context"
_TEMPERATURE, _LIMIT, _TEMPLATE = "language.temperature", "language.limit", "language.template"
_LOCAL, _LISTED, _ERROR = "language.local", "language.listed", "language.told"
_KEY, _JUDGES = "language.key", "language.judges"
_MOST_CONTEXT = 10_000_000
_ANSWER_TOKENS = 700  # tokens a test requires besides the context's budget, for the rest of the prompt and an answer
LOOK, AGREE, TEST, LIST = "Look for local servers", "Agree and use it", "Test", "List its models"
SENT = (
    "To {place} go: the question you ask, those before it in the conversation with the last answer, and the passages "
    "shown below it with their titles. Where you switch that on: questions to be reworded, whole documents that it "
    "writes contexts, summaries or questions of or proposes cuts for, texts to be checked with the places they are "
    "held against, and what a benchmark asks it. {key} Nothing else leaves Lectern for it, and nothing at all before "
    "you agree to this very address."
)


def show_language_model() -> None:
    """Draw the steps of the set-up, each once the one before is done; options and key are folded."""
    now = language.settings()
    st.caption(
        "With a language model Ask writes an answer from the passages it found, and every sentence of it is held "
        "against them. Any server that speaks as OpenAI's does will do, one on this machine too. Without one nothing "
        "is missing: Ask quotes."
    )
    _show_error()
    with st.container(border=True):
        _address(now)
        if now.address:
            _agreement(now)
        if now.is_agreed:
            _model(now)
            _trial(now)
    if now.is_agreed:
        with st.expander("How it is asked", icon=":material/tune:"):
            _options(now)
    if now.address:
        with st.expander("The key", icon=":material/key:"):
            _key(now)


def _address(now: LanguageSettings) -> None:
    st.session_state.setdefault(_ADDRESS, now.address)
    field, button = st.columns([4, 1.4], vertical_alignment="bottom")
    field.text_input(
        "Address",
        key=_ADDRESS,
        placeholder="http://localhost:11434/v1",
        on_change=_try(_take_address),
        persist_state="session",
    )
    if button.button(LOOK, key="language.look", width="stretch", help="Asks this machine at four usual ports."):
        with st.spinner("Asking this machine …"):
            st.session_state[_LOCAL] = local_servers()
    found: tuple[Found, ...] | None = st.session_state.get(_LOCAL)
    if found == ():
        st.info("No server answers at the usual ports. Start one, such as Ollama, and look again.")
    for server in found or ():
        if server.address != now.address:
            models = words.count(len(server.models), "model")
            st.button(
                f"Take {server.name} at {server.address}: {models}",
                key=f"language.take.{server.address}",
                icon=":material/arrow_forward:",
                type="tertiary",
                on_click=_try(partial(_take_address, server.address)),
            )


def _agreement(now: LanguageSettings) -> None:
    api_key = key_of(now.address)
    key = f"With it goes the key of {api_key.place}." if api_key.value else "No key goes with it."
    st.markdown(words.escaped(SENT.format(place=language.place(now), key=key)))
    language.show_leaving(now)
    if now.is_agreed:
        text, button = st.columns([4, 1.4], vertical_alignment="center")
        text.markdown(":material/check: You agreed to this address.")
        button.button("Take it back", key="language.disagree", on_click=_try(_disagree), width="stretch")
    else:
        st.button(AGREE, key="language.agree", type="primary", on_click=_try(_agree))


def _model(now: LanguageSettings) -> None:
    names = _listed(now.address)
    field, button = st.columns([4, 1.4], vertical_alignment="bottom")
    choices = list(dict.fromkeys([*names, *([now.model] if now.model else [])]))
    st.session_state.setdefault(_MODEL, now.model or None)
    field.selectbox(
        "Model",
        choices,
        key=_MODEL,
        placeholder="Choose one, or type its name",
        accept_new_options=True,
        on_change=_try(_take_model),
        persist_state="session",
    )
    button.button(LIST, key="language.list", on_click=_try(_list), width="stretch")


def _trial(now: LanguageSettings) -> None:
    if st.button(TEST, key="language.test", type="primary" if now.model else "secondary", disabled=not now.model):
        needed = services.library().settings.assembly.budget_tokens + _ANSWER_TOKENS
        with st.spinner(f"Asking {words.escaped(now.model)} for a word …"):
            try:
                st.success(words.escaped(trial(now, key_of(now.address).value, needed)), icon=":material/check:")
            except LecternError as error:
                st.error(words.escaped(str(error)), icon=":material/error:")


def _options(now: LanguageSettings) -> None:
    st.session_state.setdefault(_CONTEXT, now.context_tokens)
    st.session_state.setdefault(_TEMPERATURE, now.temperature)
    st.session_state.setdefault(_LIMIT, now.timeout_seconds)
    st.session_state.setdefault(_TEMPLATE, now.template or TEMPLATE)
    st.session_state.setdefault(_JUDGES, now.judges)
    change = _try(_save_options)
    window, temperature, limit = st.columns(3)
    window.number_input(
        "Context window, tokens", LEAST_CONTEXT, _MOST_CONTEXT, step=1024, key=_CONTEXT, on_change=change
    )
    temperature.number_input(
        "Temperature", 0.0, 2.0, step=0.1, key=_TEMPERATURE, on_change=change, help="0 writes the likeliest."
    )
    limit.number_input("Time limit, seconds", 1.0, 3600.0, step=10.0, key=_LIMIT, on_change=change)
    st.checkbox(
        "It judges what sentences mean",
        key=_JUDGES,
        on_change=change,
        help="When a text is checked, the model tells whether the nearest places say a sentence, in the place of the "
        "re-ranker that came with Lectern. Numbers, dates and names are compared exactly all the same, negations where "
        "half of the words are the same.",
    )
    st.text_area(
        "The prompt",
        key=_TEMPLATE,
        height=300,
        on_change=change,
        help="{question} and {passages} stand for what is asked and found; both are needed, and nothing else stands "
        "for anything. Each passage comes with its number, and between two marks that no document can know.",
    )
    st.button("The usual prompt", key="language.usual", on_click=_try(_usual), disabled=not now.template)


def _key(now: LanguageSettings) -> None:
    api_key = key_of(now.address)
    st.markdown(
        f"In use: the key of {words.escaped(api_key.place)}."
        if api_key.value
        else "No key is set; many local servers need none."
    )
    st.caption(
        f"Set {NAMES[0]} or {NAMES[1]} before Lectern is started, or in Streamlit's secrets file. Lectern writes a key "
        "into no library, no log, no export and no address."
    )
    if has_keyring():
        st.text_input("Give a key to this machine's keyring", key=_KEY, type="password", autocomplete="off")
        st.button("Keep it there", key="language.keep", on_click=_try(_keep_key))
    else:
        st.caption("With the package keyring installed, a key can be kept in the keyring of this machine, too.")


def _try(action: Callable[[], object]) -> Callable[[], None]:
    """The action as a callback; its error is shown above the fields when the page is drawn."""

    def run() -> None:
        try:
            action()
        except LecternError as error:
            st.session_state[_ERROR] = str(error)

    return run


def _show_error() -> None:
    error = st.session_state.pop(_ERROR, "")
    if error:
        st.error(words.escaped(error), icon=":material/error:")


def _take_address(address: str | None = None) -> None:
    """Save an address, or the field's; a new address forgets the model."""
    tidy = tidy_address(st.session_state[_ADDRESS] if address is None else address)
    now = language.settings()
    st.session_state[_ADDRESS] = tidy
    if tidy != now.address:
        st.session_state[_MODEL] = None
        language.save(replace(now, address=tidy, model=""))


def _agree() -> None:
    now = language.settings()
    language.save(now.agreeing(now.address))
    _list()


def _disagree() -> None:
    now = language.settings()
    language.save(replace(now, agreed=tuple(address for address in now.agreed if address != now.address)))


def _list() -> None:
    now = language.settings()
    models = Client(now, key_of(now.address).value).models()
    st.session_state[_LISTED] = (now.address, {model.name: model.context_tokens for model in models})
    if not now.model and len(models) == 1:
        st.session_state[_MODEL] = models[0].name
        _take_model()


def _listed(address: str) -> dict[str, int]:
    """The context window of each model listed last at an address, 0 where the server does not say; {} if none was."""
    listed: tuple[str, dict[str, int]] = st.session_state.get(_LISTED, ("", {}))
    return listed[1] if listed[0] == address else {}


def _take_model() -> None:
    """Save the chosen model, with the context window that its server reports."""
    chosen, now = str(st.session_state.get(_MODEL) or "").strip(), language.settings()
    window = min(max(LEAST_CONTEXT, _listed(now.address).get(chosen) or now.context_tokens), _MOST_CONTEXT)
    st.session_state[_CONTEXT] = window
    language.save(replace(now, model=chosen, context_tokens=window))


def _save_options() -> None:
    """Save the options as the widgets have them. A faulty prompt is not saved; raises ``LecternError`` for it."""
    template = st.session_state[_TEMPLATE].strip() + "\n"
    fault = template_fault(template)
    now = replace(
        language.settings(),
        context_tokens=int(st.session_state[_CONTEXT]),
        temperature=float(st.session_state[_TEMPERATURE]),
        timeout_seconds=float(st.session_state[_LIMIT]),
        judges=bool(st.session_state[_JUDGES]),
    )
    if not fault:
        now = replace(now, template="" if template == TEMPLATE else template)
    language.save(now)
    if fault:
        raise LecternError(fault, "It is not kept like this.")


def _usual() -> None:
    st.session_state[_TEMPLATE] = TEMPLATE
    language.save(replace(language.settings(), template=""))


def _keep_key() -> None:
    value = st.session_state.pop(_KEY, "").strip()
    keep_key(language.settings().address, value)
