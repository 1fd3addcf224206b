"""What a language model says before each leaf: its cost is told before, and no reply is asked for or encoded twice."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys

import pytest

from core.errors import CancelledError
from core.ingest.cost import sentence
from core.language_model.client import Client
from core.language_model.settings import LanguageSettings
from core.library import Incoming, Library
from core.settings import USUAL_PREFIX
from tests.conftest import ROOT
from tests.fast_encoder import FastEncoder
from tests.language_model.endpoint import Script, endpoint

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"])]
WRITTEN = {"chunking.max_tokens": 40, "chunking.prefix": (*USUAL_PREFIX, "written")}
TEXT = "Brightholm is a lighthouse. " + " ".join(
    f"It was painted for the {number}. time in spring, by hands that nobody remembers now." for number in range(30)
)
IN_ANOTHER_PROCESS = """
import sys
from pathlib import Path
from tests.fast_encoder import FastEncoder
from tests.ingest.test_written import ingested, library_at
ingested(library_at(Path(sys.argv[1]), sys.argv[2], FastEncoder()), Path(sys.argv[3]))
"""


def about(handler):
    """The title and the first sentence of the document that the prompt shows."""
    prompt = handler.server.state.asked[-1][2]["messages"][-1]["content"]
    _, title, text, *_ = prompt.split("\n")
    Script.words(f"{title}: ", f"{text.partition('. ')[0]}.")(handler)


def library_at(home, address, encoder):
    library = Library.open(home, encoder=encoder)
    settings = LanguageSettings(address, "small", agreed=(address,))
    library.write_with(None, Client(settings, urgent=False))
    return library


def ingested(library, file):
    return library.ingest([Incoming(file.name, file)], settings=library.settings.with_values(WRITTEN))


def words_and_questions(handler):
    """A summary of three words, and of each leaf a question that it alone answers, by what the prompt asks for."""
    prompt = handler.server.state.asked[-1][2]["messages"][-1]["content"]
    number = re.search(r"and here is one chunk.*?(\d+)\. time", prompt, re.DOTALL)
    if "questions, in" in prompt:
        Script.words(f"1. Who varnished barge {number and number[1]}?\nHere.\n2. Is there a ferry?")(handler)
    else:
        Script.words("Harbour dues and their collectors. It goes on." if number is None else "Nobody knows them.")(
            handler
        )


def leaves(library):
    return library.tree(library.sources()[0].version_id).leaves


def said(leaf):
    return next((part.text for part in leaf.prefix if part.kind == "written"), "")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "lights.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_it_stands_before_every_leaf_for_meaning_and_words_and_goes_with_the_document(tmp_path, file):
    encoder = FastEncoder()
    with endpoint(about) as served, library_at(tmp_path / "library", served.address, encoder) as library:
        assert ingested(library, file).failures == ()
        found = leaves(library)
        assert len(found) > 5
        assert all(said(leaf).startswith("Lights: Brightholm") for leaf in found)
        assert all(library.document(library.sources()[0].version_id).text[x.start : x.end] == x.text for x in found)
        assert len(served.prompts) == len(set(served.prompts)) == len(found)
        assert len(encoder.texts) == len(set(encoder.texts)) == len(found)
        assert all("Brightholm" in text for text in encoder.texts)
        words_alone = library.settings.with_values({"retrieval.dense_weight": 0.0, "retrieval.lexical_weight": 1.0})
        assert len(library.search("Brightholm", words_alone).hits) > 1
        library.rebuild()
        assert len(served.prompts) == len(found), "a reply is kept"
        assert len(encoder.texts) == len(found), "and so is its vector"
        library.remove(library.sources()[0].id)
        ingested(library, file)
        assert len(served.prompts) == 2 * len(found), "what was said of a document leaves with it"


def test_the_cost_is_told_before_and_a_look_asks_nothing(tmp_path, file):
    with endpoint(about) as served, library_at(tmp_path / "library", served.address, FastEncoder()) as library:
        library.ingest([Incoming(file.name, file)])
        wanted = library.settings.with_values(WRITTEN)
        cost = library.cutting.plan("library", "", wanted.chunking)
        assert served.prompts == []
        assert cost.requests == cost.chunks_then > 5
        assert cost.prompt_tokens > cost.requests * len(TEXT) / 4
        assert "the language model is asked" in cost.sentence
        assert "not known yet" in cost.sentence
        report = library.apply(wanted)
        assert (len(served.prompts), report.encoded) == (cost.requests, cost.texts_to_encode)
        assert library.cutting.plan("library", "", wanted.chunking).sentence == "Nothing would change."
        again = library.cutting.plan("library", "", wanted.with_value("chunking.max_tokens", 60).chunking)
        assert again.writing_seconds is not None, "now its pace is known"


def test_a_leaf_is_found_by_what_a_model_asks_of_it_and_the_trace_says_so(tmp_path, file):
    encoder, wanted = FastEncoder(), {"chunking.aliases": ("summary", "questions", "document"), **WRITTEN}
    wanted["chunking.prefix"] = USUAL_PREFIX
    meaning = {"retrieval.dense_weight": 1.0, "retrieval.lexical_weight": 0.0, "retrieval.coverage_weight": 0.0}
    with endpoint(words_and_questions) as served, library_at(tmp_path / "at", served.address, encoder) as library:
        library.ingest([Incoming(file.name, file)])
        own = library.stats().texts
        settings = library.settings.with_values(wanted)
        cost = library.cutting.plan("library", "", settings.chunking)
        assert cost.requests == 2 * cost.chunks_then + 1
        library.apply(settings)
        assert len(served.prompts) == cost.requests
        held = len(leaves(library))
        assert len(encoder.texts) == len(set(encoder.texts)) == library.stats().texts + own
        assert library.stats().texts <= cost.texts_to_encode
        found = library.search("Who varnished barge 17?", settings.with_values(meaning))
        by_id = {one.chunk_id: one for one in found.trace.candidates}
        best = by_id[found.hits[0].chunk_id]
        assert "17. time" in found.hits[0].text
        assert best.matched == "question 1"
        assert best.scores["alias"] > 0.99 > best.scores["dense"]
        assert library.verify() == []
        first = library.search("Harbour dues and their collectors. It goes on.", settings.with_values(meaning))
        assert first.hits[0].start == 0
        assert first.trace.candidates[0].matched == "document's summary"
        encoded, asked = len(encoder.texts), len(served.prompts)
        library.rebuild()
        assert (len(encoder.texts), len(served.prompts)) == (encoded, asked), "nothing is encoded or asked for twice"
        assert (
            library.search("Who varnished barge 17?", settings.with_values(meaning)).hits[0].text == found.hits[0].text
        )
        library.apply(settings.with_value("chunking.aliases", ()))
        assert library.stats().texts == held
        plain = library.search("Who varnished barge 17?", library.settings.with_values(meaning))
        assert "alias" not in plain.trace.stages
        assert (len(encoder.texts), len(served.prompts)) == (encoded, asked)


def test_new_files_tell_what_the_model_would_be_asked(tmp_path, file):
    with endpoint(about) as served, library_at(tmp_path / "library", served.address, FastEncoder()) as library:
        size = file.stat().st_size
        wanted = library.settings.with_values({**WRITTEN, "chunking.aliases": ("questions", "document")}).chunking
        assert library.cost([("text", size)]).requests == 0
        cost = library.cost([("text", size)], wanted)
        assert cost.requests == 2 * cost.chunks + 1
        assert "The language model is asked" in sentence(cost)
        library.write_with(None, None)
        assert library.cost([("text", size)], wanted).requests == 0, "nobody is there to be asked"
        assert served.prompts == []


@pytest.mark.long
def test_after_a_kill_it_goes_on_where_it_was(tmp_path, file):
    home, child = tmp_path / "library", []
    killed_at = 4

    def dying(handler):
        if len(served.prompts) == killed_at and not child[0].poll():
            os.kill(child[0].pid, signal.SIGKILL)
        about(handler)

    with endpoint(dying) as served:
        command = [sys.executable, "-c", IN_ANOTHER_PROCESS, str(home), served.address, str(file)]
        child.append(subprocess.Popen(command, cwd=ROOT))
        assert child[0].wait() == -signal.SIGKILL
        assert len(served.prompts) == killed_at
        encoder = FastEncoder()
        with library_at(home, served.address, encoder) as library:
            assert ingested(library, file).failures == ()
            found = leaves(library)
            assert all(said(leaf) for leaf in found)
            again = len(served.prompts) - len(set(served.prompts))
            assert again == 1, "the one that was under way, and none before it"
            assert len(encoder.texts) == len(found)


def test_it_can_be_cancelled_and_what_was_written_is_not_asked_for_again(tmp_path, file):
    class Stopping:
        def stage(self, index, stage, done, total):
            if stage == "chunking" and done == 3 and total > 3:
                raise CancelledError("The work was stopped.")

        def finished(self, index, outcome):
            """Nothing is kept of it."""

    with endpoint(about) as served, library_at(tmp_path / "library", served.address, FastEncoder()) as library:
        settings = library.settings.with_values(WRITTEN)
        with pytest.raises(CancelledError):
            library.ingest([Incoming(file.name, file)], Stopping(), settings)
        assert library.sources() == []
        assert len(served.prompts) == 3
        ingested(library, file)
        assert len(served.prompts) == len(set(served.prompts)) == len(leaves(library))


def test_a_server_that_is_off_fails_the_file_with_a_sentence_and_a_retry_pays_for_the_rest_alone(tmp_path, file):
    bad = Script.status(401, "bad key")
    with endpoint(about, about, bad) as served, library_at(tmp_path / "library", served.address, FastEncoder()) as one:
        report = ingested(one, file)
        assert len(report.failures) == 1
        assert "key" in report.failures[0].reason
        served.answers[:] = [about]
        assert ingested(one, file).failures == ()
        assert all(said(leaf) for leaf in leaves(one))
