"""Whatever a server does, who asks it gets an answer or a sentence, and never waits for ever."""

from __future__ import annotations

import socket
import time
from dataclasses import replace
from threading import Event, Thread, Timer

import pytest

from core.errors import CancelledError, LecternError, ModelError
from core.language_model.client import LONGEST_ANSWER, Client
from core.language_model.settings import LanguageSettings
from core.language_model.trying import local_servers, trial
from core.language_model.turns import Turns
from tests.language_model.endpoint import Script, endpoint

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"])]
KEY = "sk-very-secret"
WHOLE_BUT_SHORT = '{"choices": [{"message": {"content": "Half"}, "finish_reason": "length"}]}'


def settings_for(served, **changes):
    made = LanguageSettings(served.address, "small", timeout_seconds=20.0, agreed=(served.address,))
    return replace(made, **changes)


def kept(pieces, got):
    """Nothing; each piece goes to ``got`` as it comes, whatever ends them."""
    for piece in pieces:
        got.append(piece)
        yield from ()


def closed_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_an_answer_comes_in_pieces_and_is_asked_for_as_the_settings_say():
    with endpoint(Script.words("An ", "answer.")) as served:
        client = Client(settings_for(served, temperature=0.5), KEY)
        assert list(client.stream("Why?")) == ["An ", "answer."]
        path, headers, body = served.asked[0]
    assert path == "/v1/chat/completions"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert (body["model"], body["temperature"], body["stream"]) == ("small", 0.5, True)
    assert body["messages"] == [{"role": "user", "content": "Why?"}]


def test_what_the_machine_and_the_account_are_is_not_sent(monkeypatch):
    monkeypatch.setenv("OPENAI_ORG_ID", "org")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project")
    monkeypatch.setenv("OPENAI_API_KEY", "of the environment, which keys.py alone may look up")
    with endpoint() as served:
        Client(settings_for(served)).complete("Why?")
        headers = {name.lower(): value for name, value in served.asked[0][1].items()}
    assert "authorization" not in headers
    assert [name for name in headers if name.startswith(("x-stainless", "openai"))] == []
    assert headers["user-agent"] == "Lectern"


def test_nothing_is_sent_to_an_address_that_was_not_agreed_to():
    with endpoint() as served:
        for agreed in ((), ("http://127.0.0.1:1/v1",), (f"{served.address}/",)):
            with pytest.raises(ModelError, match="before you agreed"):
                Client(settings_for(served, agreed=agreed))
        assert served.asked == []


def test_a_server_that_leads_elsewhere_is_not_followed():
    with endpoint() as other, endpoint(Script.status(307, location=f"{other.address}/chat/completions")) as served:
        with pytest.raises(ModelError, match="nobody agreed to"):
            Client(settings_for(served), KEY).complete("Why?")
        assert other.asked == []


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Script.status(401), "does not accept the key"),
        (Script.status(404, "model 'small' not found"), "no model small"),
        (Script.status(404, "page not found"), "ends with /v1"),
        (Script.status(400, "This model's maximum context length is 512 tokens"), "longer than small reads"),
        (lambda handler: handler.begin(500, "text/plain"), r"failed \(status 500\)\. Look"),
        (Script.status(400, f"odd request by {KEY}"), r"refused the request \(status 400\): odd request by …"),
        (Script.status(429, retry_after="600"), "asks to wait 600 seconds"),
        (Script.body("<html>Sign in</html>", "text/html"), "web page"),
        (Script.body("{}", "application/json"), "no answer of a language model"),
        (Script.body("data: {not json\n\n", "text/event-stream"), "no answer of a language model"),
        (Script.body('data: {"error": {"message": "out of memory"}}\n\n', "text/event-stream"), "out of memory"),
        (Script.words(), "answered nothing"),
        (Script.words("Half an ", "answ", ended=False), "cut before the answer ended"),
        (Script.endless, "did not end"),
        (Script.words(why="length"), "write no more tokens"),
        (Script.words("<think>Let me", " see", why="length"), "write no more tokens"),
        (Script.words("<think>Let me see.</think>"), "answered nothing"),
        (Script.words(why="content_filter"), "A filter of"),
    ],
)
def test_every_fault_is_a_sentence_without_the_key(answer, words):
    with endpoint(answer) as served, pytest.raises(ModelError, match=words) as raised:
        Client(settings_for(served), KEY).complete("Why?")
    assert KEY not in str(raised.value)
    assert str(raised.value).endswith(".")


@pytest.mark.parametrize(
    ("answer", "beginning", "most"),
    [
        (Script.words("Half an ", "answ", ended=False), "Half an answ", 12),
        (Script.endless, "and so", LONGEST_ANSWER + 1000),
        (Script.words("Half an ", "answ", why="length"), "Half an answ", 12),
        (Script.body(WHOLE_BUT_SHORT, "application/json"), "Half", 4),
    ],
)
def test_what_had_come_before_a_fault_is_kept(answer, beginning, most):
    got = []
    with endpoint(answer) as served, pytest.raises(ModelError):
        got.extend(kept(Client(settings_for(served)).stream("Why?"), got))
    assert "".join(got).startswith(beginning)
    assert len("".join(got)) <= most


def test_what_a_server_lets_no_further_be_written_is_taken_where_a_whole_answer_is_asked_for():
    with endpoint(Script.words("Half an ", "answ", why="length")) as served:
        assert Client(settings_for(served)).complete("Why?") == "Half an answ"


def test_what_a_model_thinks_aloud_is_no_part_of_its_answer():
    with endpoint(Script.words("<thi", "nk>\nPassage 1 says so.\n</th", "ink>\n\nIt is free ", "[1].")) as served:
        assert list(Client(settings_for(served)).stream("Why?")) == ["It is free ", "[1]."]
    with endpoint(Script.words("Passage 1 says so.\n</th", "ink>\n\nIt is free ", "[1].")) as served:
        assert Client(settings_for(served)).complete("Why?") == "It is free [1]."


@pytest.mark.parametrize("answer", [Script.silence, Script.pings, Script.words(*["x"] * 99, pause=0.1)])
def test_the_time_limit_holds_whatever_comes(answer):
    with endpoint(answer) as served, pytest.raises(ModelError, match="was not done within 1 seconds"):
        Client(settings_for(served, timeout_seconds=1.0)).complete("Why?")


@pytest.mark.parametrize("answer", [Script.silence, Script.pings, Script.status(429, retry_after="9")])
def test_who_stops_waits_no_longer(answer):
    stop = Event()
    with endpoint(answer) as served:
        Timer(0.3, stop.set).start()
        with pytest.raises(CancelledError):
            list(Client(settings_for(served)).stream("Why?", stop))


def test_a_refusal_that_passes_is_met_with_another_attempt():
    with endpoint(Script.status(500), Script.status(429, retry_after="0.1"), Script.words("Yes.")) as served:
        assert Client(settings_for(served)).complete("Why?") == "Yes."
    with (
        endpoint(Script.status(503, "down")) as served,
        pytest.raises(ModelError, match=r"failed \(status 503\): down"),
    ):
        Client(settings_for(served)).complete("Why?")


def test_a_server_that_answers_at_once_is_understood():
    told = '{"choices": [{"message": {"content": "Yes."}}]}'
    with endpoint(Script.body(told, "application/json")) as served:
        assert Client(settings_for(served)).complete("Why?") == "Yes."


def test_a_server_that_does_not_run_is_said_to_be_off():
    address = f"http://127.0.0.1:{closed_port()}/v1"
    with pytest.raises(ModelError, match="Nothing answers"):
        Client(LanguageSettings(address, "small", agreed=(address,))).complete("Why?")


def test_a_prompt_that_does_not_fit_is_not_sent():
    with endpoint() as served:
        with pytest.raises(ModelError, match="reads 600 with its answer"):
            Client(settings_for(served, context_tokens=600)).complete("word " * 900)
        assert served.asked == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model": "none"}, "There is no model none .* It has: large, small."),
        ({"model": ""}, "No model is chosen"),
        ({"model": "large", "context_tokens": 8192}, "reads 4,096 tokens, not 8,192"),
        ({"context_tokens": 1024}, "reads 1,024 tokens, and a prompt with its answer takes about 2,300"),
    ],
)
def test_a_trial_says_what_is_wrong(changes, words):
    with endpoint() as served:
        with pytest.raises(LecternError, match=words):
            trial(settings_for(served, **changes), "", 2300)
        assert trial(settings_for(served), "", 2300) == f"small at {served.address[7:-3]} answers."


def test_local_servers_are_those_that_list_models():
    with endpoint() as one, endpoint(models=Script.body("<html>", "text/html")) as other:
        ports = [("A", int(one.address[17:-3])), ("B", int(other.address[17:-3])), ("C", closed_port())]
        found = local_servers(ports)
    assert [(server.name, [model.name for model in server.models]) for server in found] == [("A", ["large", "small"])]


def test_a_question_goes_before_the_cutting_of_documents():
    turns, order, begun = Turns(), [], []

    def take(name, urgent):
        with turns.turn(urgent=urgent):
            order.append(name)

    with turns.turn():
        for name, urgent in (("cut", False), ("cut again", False), ("question", True)):
            begun.append(Thread(target=take, args=(name, urgent)))
            begun[-1].start()
            while turns.waiting < len(begun):
                time.sleep(0.01)
    for thread in begun:
        thread.join(10)
    assert order == ["question", "cut", "cut again"]


def test_who_waits_for_a_turn_can_be_stopped():
    turns, stop = Turns(), Event()
    with turns.turn():
        stop.set()
        with pytest.raises(CancelledError), turns.turn(stop=stop):
            pass
    with turns.turn():
        assert turns.waiting == 0
