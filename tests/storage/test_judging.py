"""Judgments are made on words, follow them through edits, other parsers and the trash, and are listed when lost."""

from __future__ import annotations

import email.message
from pathlib import Path

import pytest

from core.errors import LecternError, NotFoundError, StorageError
from core.library import Incoming, Library
from core.storage.catalogue.judging import Judgment
from core.storage.catalogue.texts.documents import put_document
from core.storage.schema import migrations
from core.storage.store import Store
from tests.fast_encoder import FastEncoder
from tests.storage import builders

TEXT = "# Tokens\n\nAn access token is valid for one hour. A refresh token is valid for thirty days.\n\nThe end.\n"
QUESTION = "How long is an access token valid?"
QUOTE = "An access token is valid for one hour."


def put(library: Library, path: Path, text: str | bytes) -> str:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    report = library.ingest([Incoming(path.name, path)])
    assert report.failures == ()
    return report.documents[0].version_id


def judge(library: Library, version: str, quote: str = QUOTE, question: str = QUESTION) -> int:
    start = library.document(version).text.index(quote)
    return library.judge(question, version, start, start + len(quote))


def places(library: Library) -> list[str | None]:
    """The words each judgment stands on now; ``None`` for those that are lost."""
    return [
        None if row.lost else library.document(row.version_id).text[row.start : row.end]
        for row in library.judgments()
        if not row.unanswerable
    ]


@pytest.fixture
def page(tmp_path) -> Path:
    return tmp_path / "tokens.md"


def test_a_judgment_is_anchored_to_words_without_blanks_at_their_edges(library, page) -> None:
    version = put(library, page, TEXT)
    number = library.judge(f" {QUESTION}\n", version, 8, 49, answer=" one hour ", origin="synthetic")
    (row,) = library.judgments()
    assert (row.id, row.source, row.version_id, row.start, row.end, row.lost) == (
        *(number, "tokens.md", version, 10, 48),
        "",
    )
    made = row.judgment
    assert (made.question, made.quote, made.answer, made.origin) == (QUESTION, QUOTE, "one hour", "synthetic")
    assert (made.before, made.after) == (TEXT[:10], TEXT[48:])
    assert row.created_at.startswith("20")


def test_a_question_may_have_several_spans_and_none(library, page) -> None:
    version = put(library, page, TEXT)
    first, second = judge(library, version), judge(library, version, "one hour")
    nothing = library.judge_unanswerable("Who is the king of France?")
    rows = library.judgments()
    assert [row.id for row in rows] == [first, second, nothing]
    assert [row.unanswerable for row in rows] == [False, False, True]
    assert (rows[2].source, rows[2].version_id, rows[2].start, rows[2].lost) == (None, None, None, "")
    assert [row.id for row in library.judgments(version)] == [first, second]
    assert library.judgments("another") == []


@pytest.mark.parametrize(
    ("question", "start", "end", "words"),
    [
        (" \n", 0, 5, "needs a question"),
        (QUESTION, 8, 10, "nothing but blanks"),
        (QUESTION, 5, 5, "nothing but blanks"),
        (QUESTION, 90, 400, r"\[90, 400\) leaves the document, which has"),
        (QUESTION, 7, 3, "start <= end"),
        (QUESTION, -1, 3, "start <= end"),
    ],
)
def test_what_is_no_judgment_gets_a_sentence(library, page, question, start, end, words) -> None:
    version = put(library, page, TEXT)
    with pytest.raises(LecternError, match=words):
        library.judge(question, version, start, end)
    assert library.judgments() == []


def test_what_is_not_there_or_half_there_gets_a_sentence(library) -> None:
    with pytest.raises(NotFoundError, match="No document"):
        library.judge(QUESTION, "f" * 64, 0, 4)
    with pytest.raises(LecternError, match="needs a question"):
        library.judge_unanswerable("")
    with pytest.raises(LecternError, match="origin is 'robot'"):
        library.judge_unanswerable(QUESTION, origin="robot")
    with pytest.raises(LecternError, match="half a span"):
        library.add_judgments([Judgment(QUESTION, "f" * 64, "h", 0, None)])


def test_the_same_judgment_is_kept_once_and_keeps_its_number(library, page) -> None:
    version = put(library, page, TEXT)
    number = judge(library, version)
    made = library.judgments()[0].judgment
    before = library.revision()
    other = library.judge_unanswerable("Who?")
    assert library.revision() == before + 1, "pages that watch the revision draw themselves anew"
    start = TEXT.index(QUOTE)
    assert library.judge(QUESTION, version, start, start + len(QUOTE), answer="One hour.") == number
    assert library.add_judgments([made, Judgment("Who?", None, None, None, None), made]) == [number, other, number]
    assert [row.judgment.answer for row in library.judgments()] == ["One hour.", ""]


def test_judgments_are_forgotten_all_or_none(library, page) -> None:
    version = put(library, page, TEXT)
    first, second = judge(library, version), judge(library, version, "one hour")
    with pytest.raises(NotFoundError, match="no judgment 99"):
        library.remove_judgments([first, 99])
    assert len(library.judgments()) == 2
    library.remove_judgments([first, first])
    assert [row.id for row in library.judgments()] == [second]


def test_judgments_stay_through_another_cut_and_can_be_read_beside_a_writer(library, page) -> None:
    judge(library, put(library, page, TEXT))
    library.apply(library.settings.with_values({"chunking.max_tokens": "32"}))
    assert places(library) == [QUOTE]
    with Library.open(library.home, write=False, encoder=FastEncoder()) as reader:
        assert places(reader) == [QUOTE]
        with pytest.raises(StorageError):
            reader.judge_unanswerable("Who?")


def test_a_judgment_follows_its_file_through_edits(library, page) -> None:
    judge(library, put(library, page, TEXT))
    version = put(library, page, "# News\n\nSomething new.\n\n" + TEXT.replace("thirty", "ninety"))
    assert places(library) == [QUOTE]
    (row,) = library.judgments()
    assert (row.version_id, row.judgment.version_id) == (version, version)
    put(library, page, TEXT.replace("valid for one hour", "valid for two full hours"))
    assert places(library) == ["An access token is valid for two full hours."]
    put(library, page, TEXT)
    assert places(library) == [QUOTE]


def test_a_passage_that_is_gone_is_listed_and_comes_back_with_the_undo(library, page) -> None:
    judge(library, put(library, page, TEXT))
    version = put(library, page, TEXT.replace(QUOTE, ""))
    (row,) = library.judgments()
    assert (row.start, row.end, row.version_id, row.source) == (None, None, version, "tokens.md")
    assert row.lost.startswith("The passage is no longer in tokens.md")
    assert row.judgment.quote == QUOTE
    put(library, page, "Other words first.\n\n" + TEXT.replace(QUOTE, ""))
    assert places(library) == [None]
    put(library, page, "Other words first.\n\n" + TEXT)
    assert places(library) == [QUOTE], "not the same file, but the same passage"
    put(library, page, TEXT.replace(QUOTE, ""))
    put(library, page, TEXT)
    assert places(library) == [QUOTE]


def test_an_edge_that_was_cut_off_comes_back_with_the_undo(library, page) -> None:
    judge(library, put(library, page, TEXT))
    put(library, page, TEXT.replace("for one hour.", ""))
    assert places(library) == ["An access token is valid"]
    put(library, page, TEXT)
    assert places(library) == [QUOTE]


def test_the_trash_hides_a_judgment_and_gives_it_back(library, page) -> None:
    version = put(library, page, TEXT)
    judge(library, version)
    (source,) = library.sources()
    library.trash([source.id])
    (row,) = library.judgments()
    assert (row.lost, row.source, row.start) == ("tokens.md is in the trash.", None, None)
    library.restore([source.id])
    assert places(library) == [QUOTE]
    library.remove(source.id)
    (row,) = library.judgments()
    assert (row.lost, row.version_id) == ("The document was removed from the library.", version)
    put(library, page, TEXT)
    assert places(library) == [QUOTE]


def test_of_two_sources_the_one_that_stays_keeps_the_judgment(library, page, tmp_path) -> None:
    version = put(library, page, TEXT)
    put(library, tmp_path / "copy.md", TEXT)
    judge(library, version)
    changed = put(library, page, TEXT.replace("# Tokens", "# Tickets"))
    (row,) = library.judgments()
    assert (row.version_id, row.source) == (version, "copy.md")
    last = put(library, tmp_path / "copy.md", TEXT.replace("The end.", "An end."))
    (row,) = library.judgments()
    assert row.version_id == last != changed
    assert places(library) == [QUOTE]


def test_another_reading_of_the_same_bytes_takes_the_judgments_along(tmp_path) -> None:
    """A parser, or a setting of it, made another text of the file: the version stays, its text does not."""
    with Store.open(tmp_path / "library", write=True) as store:
        builders.ingest(store, "a.txt", TEXT)
        library = Library(store, FastEncoder())
        version = builders.document(TEXT).version_id
        judge(library, version)
        again = TEXT.replace("# Tokens\n", "Tokens\n======\n").replace("one hour", "one\nhour")
        put_document(store, _with_text(again), size_bytes=1, parser="plain-2")
        assert places(library) == [QUOTE.replace("one hour", "one\nhour")]
        put_document(store, _with_text("Nothing."), size_bytes=1, parser="plain-3")
        assert places(library) == [None]
        put_document(store, _with_text(TEXT), size_bytes=1, parser="plain-1")
        assert places(library) == [QUOTE]


def _with_text(text: str):
    whole = builders.document(TEXT)
    return type(whole)(version_id=whole.version_id, kind=whole.kind, title=whole.title, text=text)


def test_what_is_attached_to_a_mail_is_followed_to_the_mail_that_replaces_it(library, tmp_path) -> None:
    def mail(attached: str) -> bytes:
        message = email.message.EmailMessage()
        message["Subject"], message["From"], message["To"] = "Tokens", "a@example.org", "b@example.org"
        message.set_content("See what is attached.\n")
        message.add_attachment(attached, filename="tokens.md")
        return bytes(message)

    path = tmp_path / "mail.eml"
    put(library, path, mail(TEXT))
    attached = next(row for row in library.sources() if row.parent)
    judge(library, attached.version_id)
    put(library, path, mail("Once more.\n\n" + TEXT))
    assert places(library) == [QUOTE]
    (row,) = library.judgments()
    assert row.source == "mail.eml › tokens.md"
    assert row.version_id != attached.version_id


def test_an_edit_that_cannot_be_stored_moves_no_judgment(library, page, monkeypatch) -> None:
    version = put(library, page, TEXT)
    judge(library, version)

    def refuse(*_arguments: object) -> None:
        raise StorageError("The disk is full.")

    monkeypatch.setattr("core.ingest.ingest.trash.detach_trashed_attachments", refuse)
    page.write_text("Something else.")
    assert library.ingest([Incoming(page.name, page)]).failures
    (row,) = library.judgments()
    assert (row.version_id, row.lost) == (version, "")


def test_judgments_of_an_earlier_lectern_are_kept(tmp_path, monkeypatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "MIGRATIONS", migrations.MIGRATIONS[:2])
        with Store.open(tmp_path / "old", write=True) as store, store.transaction() as connection:
            connection.execute(
                'INSERT INTO judgment(question, quote, "before", "after", origin, created_at)'
                " VALUES ('Who?', '', '', '', 'human', '2026-01-01T00:00:00+00:00')"
            )
    with Store.open(tmp_path / "old", write=True) as store:
        (row,) = Library(store, FastEncoder()).judgments()
        assert (row.judgment.question, row.judgment.answer, row.unanswerable) == ("Who?", "", True)
