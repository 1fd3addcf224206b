"""A model behind an endpoint as an embedder: its vectors, its faults, and a library that outlives its server."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from functools import partial
from threading import Thread

import numpy as np
import pytest

from core.errors import ModelError
from core.language_model import embedding
from core.language_model.client import Client
from core.language_model.embedding import EndpointEncoder
from core.language_model.settings import LanguageSettings, load, save
from core.library import Incoming, Library
from core.search.result import BY_WORDS_ALONE, by_words_alone
from core.settings import Settings
from core.storage.shelf import language_file
from core.storage.store import Store
from tests.fast_encoder import FastEncoder
from tests.language_model.endpoint import Script, endpoint
from tests.language_model.test_client import closed_port

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"])]
KEY = "sk-very-secret"
NOTES = {
    "tokens.md": b"# Tokens\n\nAn access token is valid for 3600 seconds.\n",
    "tea.txt": b"The kettle stands in the kitchen on the second floor.\n",
}
AT_ENDPOINT = Settings().with_values({"embedding.model": "endpoint:small", "embedding.batch_size": 2})


def settings_for(served, **changes):
    made = LanguageSettings(embedding_address=served.address, timeout_seconds=20.0, agreed=(served.address,))
    return replace(made, **changes)


def encoder_at(served, dimension=256, batch_size=2, **changes):
    settings = settings_for(served, **changes).embedding("small")
    return EndpointEncoder("small", dimension, batch_size, lambda urgent: Client(settings, KEY, urgent=urgent))


def vectors(*rows):
    data = [{"index": index, "embedding": row} for index, row in enumerate(rows)]
    return Script.body(json.dumps({"data": data}), "application/json")


def put(library, *names):
    return library.ingest([Incoming(name, content_hash=library.stage(NOTES[name])) for name in names])


def test_vectors_come_in_batches_in_order_and_of_unit_norm():
    texts, told = ["the cat sat", "a cat sat", "stock prices", ""], []
    with endpoint() as served:
        found = encoder_at(served).encode(texts, told.append)
        assert [len(body["input"]) for _, _, body in served.asked] == [2, 2]
        path, headers, body = served.asked[0]
    assert (path, body["model"], headers["authorization"]) == ("/v1/embeddings", "small", f"Bearer {KEY}")
    np.testing.assert_allclose(found[:3], FastEncoder().encode(texts[:3]), atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)
    assert told == [2, 4]


def test_the_length_is_learnt_by_one_request_and_names_the_model_with_its_name_alone():
    with endpoint() as one, endpoint() as other:
        asked, known = encoder_at(one, dimension=0), encoder_at(other)
        assert (asked.dimension, len(one.asked), len(other.asked)) == (256, 1, 0)
    assert asked.fingerprint == known.fingerprint
    assert asked.fingerprint != EndpointEncoder("small", 384, 2, None).fingerprint
    assert asked.fingerprint != EndpointEncoder("large", 256, 2, None).fingerprint


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Script.status(501, f"no embeddings for {KEY}"), r"failed \(status 501\): no embeddings for …"),
        (Script.status(400, "input exceeds the context size"), "longer than small reads"),
        (Script.status(404, "page not found"), "makes no vectors. Start one that does"),
        (Script.body("oops", "text/plain"), "no vectors of small"),
        (Script.status(307, location="http://127.0.0.1:1/v1/embeddings"), "nobody agreed to"),
        (Script.body("{}", "application/json"), "no vectors of small"),
        (Script.body('{"data": [{"index": 0, "embedding": "AAAA"}]}', "application/json"), "no vectors of small"),
        (vectors(), "no vectors of small"),
        (vectors([]), "no vectors of small"),
        (vectors([1.0] * 256, [1.0] * 256), "no vectors of small"),
        (vectors([float("nan")] * 256), "no vectors of small"),
        (vectors([1.0] * 8), "answers with 8 numbers for a text, and the library's vectors have 256"),
    ],
)
def test_every_fault_is_a_sentence_without_the_key(answer, words):
    with endpoint() as served:
        served.vectors[:] = [answer]
        with pytest.raises(ModelError, match=words) as raised:
            encoder_at(served, timeout_seconds=1.0).encode(["one text"])
    assert KEY not in str(raised.value)
    assert str(raised.value).endswith(".")


def test_a_question_goes_before_the_batches_of_documents():
    ended = []

    def encode(encoder, name, count, progress):
        encoder.encode([name] * count, progress)
        ended.append(name)

    with endpoint() as served:
        encoder = encoder_at(served, batch_size=1)
        documents = Thread(target=partial(encode, encoder, "document", 60, lambda done: None))
        documents.start()
        encode(encoder, "question", 1, None)
        documents.join()
    assert ended == ["question", "document"]


@pytest.fixture
def at_endpoint(tmp_path, monkeypatch):
    """A server that was agreed to, and the folder of a library that it embeds for."""
    monkeypatch.setenv("LECTERN_SHELF", str(tmp_path / "libraries.json"))
    for name in ("LECTERN_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with endpoint() as served:
        save(language_file(), settings_for(served))
        yield served, tmp_path / "library"


def move_to(address):
    now = load(language_file())
    save(language_file(), replace(now, embedding_address=address, agreed=(*now.agreed, address)))


def test_a_library_is_embedded_and_asked_by_an_endpoint_and_opens_without_it(at_endpoint):
    served, home = at_endpoint
    with Library.open(home) as library:
        report = library.ingest(
            [Incoming(name, content_hash=library.stage(data)) for name, data in NOTES.items()], settings=AT_ENDPOINT
        )
        assert report.failures == ()
        assert library.search("Where does the kettle stand?").hits[0].source == "tea.txt"
        served.asked.clear()
        library.search("Where does the kettle stand?")
        put(library, *NOTES)
        assert served.texts == []  # vectors of this embedder are kept like any other's
    served.vectors[:] = [Script.status(500)]
    with Library.open(home) as library:
        assert len(library.sources()) == 2
        assert library.model.encoder.dimension == 256
        words_alone = library.settings.with_value("retrieval.dense_weight", 0)
        assert library.search("kettle kitchen", words_alone).hits[0].source == "tea.txt"
        assert served.texts == []


def test_the_same_model_at_another_address_encodes_nothing_anew(at_endpoint):
    served, home = at_endpoint
    with Library.open(home) as library:
        library.ingest([Incoming("tea.txt", content_hash=library.stage(NOTES["tea.txt"]))], settings=AT_ENDPOINT)
    with endpoint() as other:
        move_to(other.address)
        served.asked.clear()
        with Library.open(home) as library:
            assert library.rebuild().encoded == 0
            assert library.search("kettle").hits
        assert other.texts == ["kettle"]
    assert served.asked == []


def test_without_its_server_a_library_goes_by_words_and_says_so_and_meaning_follows(at_endpoint):
    served, home = at_endpoint
    question = "How long is an access token valid?"
    with Library.open(home) as library:
        library.ingest([Incoming("tea.txt", content_hash=library.stage(NOTES["tea.txt"]))], settings=AT_ENDPOINT)
        move_to(f"http://127.0.0.1:{closed_port()}/v1")
        report = put(library, "tokens.md")
        assert report.failures == ()
        assert "Nothing answers" in report.documents[0].by_words
        assert [row.by_words for row in library.sources()] == [False, True]
        found = library.search(question)
        assert found.hits[0].source == "tokens.md"
        (note,) = [note for note in found.notes if note.startswith(BY_WORDS_ALONE)]
        assert note.endswith("Start the server there, or check the address.")
        assert not any("dense" in candidate.scores for candidate in found.trace.candidates)
        words = library.settings.with_values({"answering.reader": "off", "answering.least_support": 0.0})
        line = library.searcher.answer(found, words.answering)
        assert line.text.startswith("An access token is valid for 3600 seconds.")
        with pytest.raises(ModelError, match="Nothing answers"):  # nothing is measured by half of the searches
            library.searcher.rank(question, library.settings)
        move_to(served.address)
        served.asked.clear()
        assert put(library, "tokens.md", "tea.txt").failures == ()
        assert [row.by_words for row in library.sources()] == [False, False]
        assert not any("kettle" in text for text in served.texts)
        again = library.search(question)
        assert not by_words_alone(again.notes)
        assert "dense" in again.hits[0].scores


def test_a_library_opens_whose_settings_name_an_endpoint_that_never_served(at_endpoint):
    _, home = at_endpoint
    move_to(f"http://127.0.0.1:{closed_port()}/v1")
    with Library.open(home):
        pass
    with closing(Store.open(home, write=True)) as store:
        store.save_settings(AT_ENDPOINT)
    with Library.open(home) as library:
        assert library.settings.embedding.endpoint_model == "small"
        assert library.search("kettle").hits == ()
        with pytest.raises(ModelError, match="Nothing answers"):
            put(library, "tea.txt")


def test_a_server_that_does_not_answer_a_question_is_not_asked_for_the_next_one_at_once():
    with endpoint() as served:
        served.vectors[:] = [Script.status(500)]
        encoder = encoder_at(served)
        for text in ("one", "two"):
            with pytest.raises(ModelError, match="status 500"):
                encoder.encode([text])
        assert set(served.texts) == {"one"}
        with pytest.raises(ModelError, match="status 500"):
            encoder.encode(["three"], lambda done: None)
        assert "three" in served.texts


def test_a_question_waits_less_long_for_its_vectors_than_a_document_and_a_slow_server_is_left_alone(monkeypatch):
    monkeypatch.setattr(embedding, "_QUESTION_SECONDS", 0.5)
    monkeypatch.setattr(embedding, "_RETRY_SECONDS", 0.0)
    with endpoint() as served:
        served.vectors[:] = [Script.silence]
        encoder = encoder_at(served)
        for text in ("one", "two"):
            with pytest.raises(ModelError, match=r"not done within 0\.5 seconds\. Look whether its server is busy"):
                encoder.encode([text])
        assert served.texts == ["one"]


def test_an_embedder_without_an_address_says_that_it_has_none(at_endpoint):
    _, home = at_endpoint
    save(language_file(), LanguageSettings())
    with Library.open(home) as library, pytest.raises(ModelError, match="There is no address to ask small at"):
        library.ingest([Incoming("tea.txt", content_hash=library.stage(NOTES["tea.txt"]))], settings=AT_ENDPOINT)


def test_an_embedder_whose_server_is_gone_is_not_taken_and_the_old_one_serves(at_endpoint, fast_encoder):
    served, home = at_endpoint
    with Library.open(home) as library:
        library.ingest([Incoming("tea.txt", content_hash=library.stage(NOTES["tea.txt"]))], settings=AT_ENDPOINT)
        served.vectors[:] = [Script.status(500, "down")]
        with pytest.raises(ModelError, match="down"):
            library.apply(library.settings.with_value("embedding.model", "endpoint:large"))
        served.vectors[:] = [Script.vectors]
        assert library.settings.embedding.model == "endpoint:small"
        assert library.search("kettle").hits


def test_nothing_is_sent_where_the_agreement_was_taken_back(at_endpoint):
    served, home = at_endpoint
    with Library.open(home) as library:
        library.ingest([Incoming("tea.txt", content_hash=library.stage(NOTES["tea.txt"]))], settings=AT_ENDPOINT)
        save(language_file(), replace(load(language_file()), agreed=()))
        served.asked.clear()
        assert "before you agreed" in put(library, "tokens.md").documents[0].by_words
        assert any("before you agreed" in note for note in library.search("something new").notes)
    assert served.asked == []
