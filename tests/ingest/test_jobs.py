"""Jobs are durable: they report, stop when asked, go on after a crash, and no failure ends the worker."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from core.errors import CancelledError, LecternError, NotFoundError, ParseError, StorageError
from core.ingest.jobs import JobQueue, Worker
from core.ingest.reporting import Reporter
from core.storage.catalogue.filing.sources import sources
from core.storage.catalogue.job_rows import UNFINISHED, Job, NewItem
from core.storage.store import Store
from tests.storage.builders import document, ingest

THREE = [NewItem("a.txt"), NewItem("b.txt"), NewItem("c.txt")]


@pytest.fixture
def queue(store):
    return JobQueue(store)


def until(condition: Callable[[], object], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.005)


def finish_all(job, reporter) -> None:
    for item in reporter.items():
        reporter.stage(item.id, "reading", 0, 1)
        reporter.finish_item(item.id, f"version of {item.name}")
    reporter.result({"finished": True})


def states(queue, job_id) -> list[str]:
    return [item.state for item in queue.items(job_id)]


def test_the_life_of_a_job(queue, tmp_path) -> None:
    odd = tmp_path / "a\udcff.txt"
    job_id = queue.enqueue("ingest", {"settings": {"k": 1}}, [NewItem("a.txt", path=odd), NewItem("b\udcff.txt")])
    waiting = queue.job(job_id)
    assert (waiting.state, waiting.items, waiting.items_done, waiting.finished) == ("queued", 2, 0, False)
    assert dict(waiting.payload) == {"settings": {"k": 1}}
    seen = []

    def handler(job, reporter) -> None:
        seen.append((job.state, [(item.name, item.path) for item in reporter.items()]))
        finish_all(job, reporter)

    assert queue.run_next({"ingest": handler})
    assert not queue.run_next({"ingest": handler})
    assert seen == [("running", [("a.txt", odd), ("b?.txt", None)])]
    job = queue.job(job_id)
    assert (job.state, job.items_done, dict(job.result), job.reason, job.finished) == (
        "done",
        2,
        {"finished": True},
        "",
        True,
    )
    assert job.created_at <= job.started_at <= job.finished_at
    assert [item.version_id for item in queue.items(job_id)] == ["version of a.txt", "version of b?.txt"]
    assert queue.jobs() == [job]


def test_jobs_run_in_order_and_show_newest_first(queue) -> None:
    ids = [queue.enqueue("work", {"n": number}) for number in range(3)]
    ran = []
    while queue.run_next({"work": lambda job, reporter: ran.append(job.id)}):
        pass
    assert ran == ids
    assert [job.id for job in queue.jobs(limit=2)] == [ids[2], ids[1]]


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ParseError("The file is torn.", "Save it again."), "The file is torn. Save it again."),
        (ZeroDivisionError("division by zero"), "An unexpected ZeroDivisionError stopped the work: division by zero"),
    ],
)
def test_an_error_ends_its_job_alone(queue, caplog, error, sentence) -> None:
    first, second = queue.enqueue("breaks", {}, THREE), queue.enqueue("works", {}, THREE)

    def breaks(job, reporter) -> None:
        reporter.finish_item(reporter.items()[0].id, "version")
        raise error

    while queue.run_next({"breaks": breaks, "works": finish_all}):
        pass
    assert (queue.job(first).state, queue.job(first).reason) == ("failed", sentence)
    assert states(queue, first) == ["done", "failed", "failed"]
    assert {item.reason for item in queue.items(first)[1:]} == {sentence}
    assert queue.job(second).state == "done"
    assert ("Traceback" in caplog.text) == isinstance(error, ZeroDivisionError)


def test_smaller_files_go_first_and_those_of_one_name_as_they_came(queue, store, tmp_path) -> None:
    book, letter = tmp_path / "a-book.txt", tmp_path / "z-letter.txt"
    book.write_text("word " * 900)
    letter.write_text("word")
    first, second = store.files.stage(b"x" * 2000), store.files.stage(b"x")
    twice = [NewItem("same.md", content_hash=held) for held in (first, second)]
    items = [NewItem("a-book.txt", path=book), *twice, NewItem("z-letter.txt", letter)]
    named = [(item.name, item.content_hash) for item in queue.smaller_first(items)]
    assert named == [("z-letter.txt", None), ("same.md", first), ("same.md", second), ("a-book.txt", None)]


def test_work_nobody_here_knows_waits_for_a_program_that_does(queue) -> None:
    done = []
    of_tomorrow = queue.enqueue("of tomorrow", {})
    known = queue.enqueue("known", {})
    assert queue.run_next({"known": lambda job, reporter: done.append(job.id)})
    assert done == [known]
    assert not queue.run_next({"known": lambda job, reporter: done.append(job.id)})
    assert queue.job(of_tomorrow).state == "queued"
    assert queue.run_next({"of tomorrow": lambda job, reporter: done.append(job.id)})
    assert done == [known, of_tomorrow]


def test_a_waiting_job_is_cancelled_at_once(queue) -> None:
    job_id = queue.enqueue("work", {}, THREE)
    queue.cancel(job_id)
    assert queue.job(job_id).state == "cancelled"
    assert states(queue, job_id) == ["cancelled"] * 3
    assert not queue.run_next({"work": finish_all})
    queue.retry(job_id)
    assert queue.run_next({"work": finish_all})
    assert states(queue, job_id) == ["done"] * 3


def slow(job, reporter) -> None:
    """Two items at once, the third never ends."""
    items = reporter.items()
    for item in items[:-1]:
        reporter.finish_item(item.id, "version")
    done = 0
    while True:
        done += 1
        reporter.stage(items[-1].id, "encoding", done, 10**9)
        time.sleep(0.001)


def running(queue, job_id) -> bool:
    return queue.items(job_id)[-1].state == "running"


def test_a_running_job_stops_when_cancelled_and_keeps_what_is_done(queue) -> None:
    job_id = queue.enqueue("work", {}, THREE)
    worker = Worker(queue, {"work": slow})
    worker.start()
    until(lambda: running(queue, job_id))
    queue.cancel(job_id)
    until(lambda: queue.job(job_id).state == "cancelled")
    assert states(queue, job_id) == ["done", "done", "cancelled"]
    queue.retry(job_id)
    until(lambda: running(queue, job_id))
    assert states(queue, job_id) == ["done", "done", "running"]  # what was done is not done again
    queue.cancel(job_id)
    until(lambda: queue.job(job_id).state == "cancelled")
    assert worker.stop()


def test_a_cancellation_written_by_another_process_is_seen(queue, store) -> None:
    job_id = queue.enqueue("work", {}, THREE)
    worker = Worker(queue, {"work": slow})
    worker.start()
    until(lambda: running(queue, job_id))
    with store.transaction() as connection:
        connection.execute("UPDATE job SET cancel_requested = 1")
    until(lambda: queue.job(job_id).state == "cancelled")
    assert worker.stop()


def test_one_item_is_cancelled_and_the_others_go_on(queue) -> None:
    job_id = queue.enqueue("work", {}, THREE)

    def handler(job, reporter) -> None:
        for item in reporter.items():
            try:
                reporter.stage(item.id, "reading")
                if item.name == "b.txt":
                    queue.cancel_item(item.id)
                reporter.stage(item.id, "encoding")
                reporter.finish_item(item.id, "version")
            except CancelledError:
                reporter.check()

    queue.run_next({"work": handler})
    assert queue.job(job_id).state == "done"
    assert states(queue, job_id) == ["done", "cancelled", "done"]
    assert queue.job(job_id).items_cancelled == 1
    queue.retry_item(queue.items(job_id)[1].id)
    queue.run_next({"work": finish_all})
    assert states(queue, job_id) == ["done"] * 3


def test_a_stopped_worker_leaves_its_job_waiting(queue) -> None:
    job_id = queue.enqueue("work", {}, THREE)
    worker = Worker(queue, {"work": slow})
    worker.start()
    until(lambda: running(queue, job_id))
    assert worker.stop()
    assert queue.job(job_id).state == "queued"
    assert states(queue, job_id) == ["done", "done", "queued"]


def test_what_is_put_first_is_done_first_and_what_ran_goes_on_after_it(queue) -> None:
    order: list[tuple[str, str]] = []
    jobs = [queue.enqueue(kind, {"name": name}, THREE) for name, kind in (("long", "work"), ("other", "work"))]

    def handler(job, reporter) -> None:
        for item in reporter.items():
            reporter.stage(item.id, "reading")
            if job.payload["name"] == "long" and len(order) == 1:
                urgent = queue.enqueue("work", {"name": "urgent"}, THREE[:1])
                queue.put_first(jobs[1])
                queue.put_first(urgent, before=("work",))
            reporter.stage(item.id, "encoding")
            order.append((job.payload["name"], item.name))
            reporter.finish_item(item.id, "version")

    while queue.run_next({"work": handler}):
        pass
    names = [name for name, _ in order]
    assert names == ["long", "urgent", "other", "other", "other", "long", "long"]
    assert order[-2:] == [("long", "b.txt"), ("long", "c.txt")], "what was done is not done again"
    assert {job.state for job in queue.jobs()} == {"done"}


def test_done_and_stored_are_one(queue, store) -> None:
    job_id = queue.enqueue("ingest", {}, THREE)

    def handler(job, reporter) -> None:
        for item in reporter.items():
            with store.transaction():
                ingest(store, item.name, f"The text of {item.name}.")
                reporter.finish_item(item.id, document(f"The text of {item.name}.").version_id)
                if item.name == "b.txt":
                    raise ParseError("stop", "here")

    queue.run_next({"ingest": handler})
    assert states(queue, job_id) == ["done", "failed", "failed"]
    assert [row.name for row in sources(store)] == ["a.txt"]


def test_a_job_cancelled_just_before_its_process_died_stays_cancelled(store, queue) -> None:
    job_id = queue.enqueue("work", {}, THREE)
    with store.transaction() as connection:
        connection.execute("UPDATE job SET state = 'running', cancel_requested = 1")
        connection.execute("UPDATE job_item SET state = 'running' WHERE ordinal = 0")
    assert queue.recover() == 0
    assert (queue.job(job_id).state, states(queue, job_id)) == ("cancelled", ["cancelled"] * 3)


def fail(job: Job, reporter: Reporter) -> None:
    raise LecternError("It cannot be done.")


def test_staged_bytes_live_as_long_as_a_job_may_need_them(tmp_path) -> None:
    home = tmp_path / "library"
    with Store.open(home, write=True) as store:
        queue = JobQueue(store)
        held = store.files.stage(b"of a job that failed")
        shared = store.files.stage(b"of a failed job, and in the library")
        ingest(store, "shared", "of a failed job, and in the library")
        job_id = queue.enqueue("work", {}, [NewItem("a", content_hash=held), NewItem("b", content_hash=shared)])
        queue.run_next({"work": fail})
    with Store.open(home, write=True) as store:
        queue = JobQueue(store)
        assert store.files.path(held).is_file()
        queue.dismiss(job_id)
        assert not store.files.path(held).is_file()
        assert store.files.path(shared).is_file()
        with pytest.raises(NotFoundError):
            queue.job(job_id)


def test_only_finished_jobs_are_dismissed(queue) -> None:
    done, waiting = queue.enqueue("work", {}, THREE), queue.enqueue("later", {}, THREE)
    queue.run_next({"work": finish_all})
    with pytest.raises(StorageError, match="still queued"):
        queue.dismiss(waiting)
    queue.dismiss(done)
    assert [job.id for job in queue.jobs()] == [waiting]
    assert queue.items(done) == []


def test_failures_are_dismissed_while_their_job_goes_on(store, queue) -> None:
    held = store.files.stage(b"of the item that failed")
    job_id = queue.enqueue("work", {}, [NewItem("bad", content_hash=held), NewItem("good")])

    def one_fails(job: Job, reporter: Reporter) -> None:
        bad, good = reporter.items()
        reporter.finish_item(bad.id, reason="It is no document.")
        queue.dismiss_items(job_id, "failed")  # seen on the page, and dismissed there, before the job is over
        assert [item.name for item in queue.items(job_id)] == ["good"]
        reporter.finish_item(good.id)

    assert queue.run_next({"work": one_fails})
    assert states(queue, job_id) == ["done"]
    assert not store.files.path(held).is_file()
    queue.dismiss_items(job_id, "failed")
    assert queue.jobs() == []


def test_jobs_and_items_are_found_by_state_and_kind(queue) -> None:
    done = queue.enqueue("work", {}, THREE)
    waiting = queue.enqueue("work", {}, THREE)
    other = queue.enqueue("other", {}, THREE)

    def some(job: Job, reporter: Reporter) -> None:
        first, second, third = reporter.items()
        reporter.finish_item(first.id, "version")
        reporter.finish_item(second.id, reason="It is no document.", problem="password")
        queue.cancel_item(third.id)

    queue.cancel(waiting)
    assert queue.run_next({"work": some})
    assert [job.id for job in queue.jobs()] == [other, waiting, done]
    assert [job.id for job in queue.jobs(states=UNFINISHED)] == [other]
    assert [job.id for job in queue.jobs(kinds=["work"], states=["done", "queued"])] == [done]
    assert [job.id for job in queue.jobs(1, kinds=["work", "other"])] == [other]
    assert [item.name for item in queue.items(other, states=UNFINISHED, limit=2)] == ["a.txt", "b.txt"]
    assert [item.state for item in queue.items(done, states=["failed", "cancelled"])] == ["failed", "cancelled"]
    failed = queue.items(done, states=["failed"])[0]
    assert (failed.problem, queue.item(failed.id)) == ("password", failed)
    job = queue.job(done)
    assert (job.items, job.items_done, job.items_failed, job.items_cancelled) == (3, 1, 1, 1)
    queue.retry(done)
    assert queue.item(failed.id).problem == ""


def test_what_is_not_there(queue) -> None:
    for action in (
        queue.job,
        queue.cancel,
        queue.retry,
        queue.retry_item,
        queue.dismiss,
        queue.cancel_item,
        lambda job_id: queue.dismiss_items(job_id, "failed"),
        queue.item,
    ):
        with pytest.raises(NotFoundError):
            action(99)
    assert queue.items(99) == []


def test_readers_see_jobs_and_change_none(store, queue) -> None:
    job_id = queue.enqueue("work", {}, THREE)
    with Store.open(store.home, write=False) as reader:
        watching = JobQueue(reader)
        assert watching.job(job_id).items == 3
        for action in (watching.cancel, watching.retry, lambda job_id: watching.run_next({})):
            with pytest.raises(StorageError, match="opened for reading"):
                action(job_id)


def test_a_verdict_the_disk_refuses_is_kept_until_it_takes_it(queue, store, monkeypatch, caplog) -> None:
    """The failure of a job for want of space must not itself be lost, nor the worker with it."""
    job_id = queue.enqueue("work", {}, THREE)
    refuse = threading.Event()
    begin = store.transaction

    def transaction():
        if refuse.is_set():
            raise StorageError("The disk is full.", "Free some space.")
        return begin()

    def handler(job, reporter) -> None:
        refuse.set()
        reporter.finish_item(reporter.items()[0].id, "version")

    monkeypatch.setattr(store, "transaction", transaction)
    worker = Worker(queue, {"work": handler})
    worker.start()
    until(lambda: "could not be noted" in caplog.text)
    assert queue.job(job_id).state == "running"
    refuse.clear()
    until(lambda: queue.job(job_id).state == "failed")
    assert queue.job(job_id).reason == "The disk is full. Free some space."
    assert worker.stop()


def test_an_item_tried_again_while_its_job_runs_is_run_after_it(queue) -> None:
    job_id = queue.enqueue("work", {}, THREE)
    turns: list[list[str]] = []

    def handler(job, reporter) -> None:
        items = reporter.items()
        turns.append([item.name for item in items])
        for item in items:
            reporter.finish_item(item.id, "version", "" if len(turns) > 1 else "Not this time.")
        if len(turns) == 1:
            queue.retry_item(items[1].id)

    while queue.run_next({"work": handler}):
        pass
    assert turns == [["a.txt", "b.txt", "c.txt"], ["b.txt"]]
    assert states(queue, job_id) == ["failed", "done", "failed"]
    assert queue.job(job_id).state == "done"
