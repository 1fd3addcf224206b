"""Chroma is told nothing while somebody's question is being answered, for a while."""

from __future__ import annotations

import threading

from core.storage.index.outbox import apply_outbox, pending
from core.storage.right_of_way import RightOfWay
from tests.storage.builders import ingest


def test_who_waits_goes_on_when_the_last_question_is_answered() -> None:
    way, inside, answered = RightOfWay(), threading.Barrier(3), [threading.Event(), threading.Event()]

    def question(done: threading.Event) -> None:
        with way.first(), way.first():
            inside.wait()
            done.wait()

    threads = [threading.Thread(target=question, args=(done,)) for done in answered]
    for thread in threads:
        thread.start()
    inside.wait()
    assert not way.give_way(0.0)
    answered[0].set()
    threads[0].join()
    assert not way.give_way(0.0)
    threading.Timer(0.05, answered[1].set).start()
    assert way.give_way(60.0)
    threads[1].join()
    assert way.give_way(0.0)


def test_chroma_is_told_after_the_question_and_by_who_asks(store) -> None:
    ingest(store, "one", "Every event is validated before it is stored.")
    told = threading.Thread(target=apply_outbox, args=(store,))
    with store.questions.first():
        told.start()
        told.join(0.2)
        assert pending(store)
    told.join()
    assert not pending(store)
    ingest(store, "two", "The store never forgets an event.")
    with store.questions.first():
        apply_outbox(store)
        assert not pending(store)
