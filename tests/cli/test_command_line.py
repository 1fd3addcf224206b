"""The command line's contract: exact shapes, offsets that address the text, exit codes, and a silent stdout."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import subprocess
import time
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from core.cli.main import main
from core.parsing import parse
from core.settings import ParsingSettings
from tests.cli.without_model import COMMAND
from tests.conftest import ROOT

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("quick_embedder")]  # with the model: test_export

DOCUMENT = {
    "source": str, "document": str, "kind": str, "characters": int, "chunks": int, "audit": dict, "version_id": str,
    "reused": bool, "parent": (str, type(None)), "by_words": str, "read": (dict, type(None)),
}  # fmt: skip
AUDIT = {"characters": int, "covered": int, "gaps": list, "words": (dict, type(None))}
WORDS = {
    "reader": str, "words": int, "in_text": int, "in_metadata": int, "dropped": list, "missing": int, "examples": list,
}  # fmt: skip
CHUNK = {
    "chunk_id": str, "level": int, "parent_id": (str, type(None)), "start": int, "end": int, "text": str,
    "tokens": int, "encoder_tokens": int, "headings": list, "prefix": list, "reasons": list, "metadata": dict,
    "features": dict,
}  # fmt: skip
HIT = {
    "chunk_id": str, "document": str, "source": str, "start": int, "end": int, "page": (int, type(None)),
    "headings": list, "scores": dict, "rank": int, "features": dict, "text": str,
}  # fmt: skip
PASSAGE = {
    "document": str, "source": str, "start": int, "end": int, "tokens": int, "chunk_ids": list, "rank": int,
    "score": float, "reason": str, "text": str,
}  # fmt: skip
QUERY = {
    "question": str, "understood": list, "hits": list, "passages": list, "context": dict, "conflicts": list,
    "notes": list, "reads": int, "timings_ms": dict, "ending": (dict, type(None)),
}  # fmt: skip
ANSWER = {
    "text": str, "citations": list, "supported": bool, "probability": float,
}  # fmt: skip
CITATION = {
    "document": str, "source": str, "start": int, "end": int, "page": (int, type(None)), "quote": str, "told": str,
    "kind": str, "cells": list, "short": (str, type(None)),
}  # fmt: skip
SPAN = {
    "document": str, "source": str, "start": int, "end": int, "page": (int, type(None)), "quote": str,
}  # fmt: skip
EXPLAINED = {
    "question": str, "place": dict, "read": (int, float), "sentence": str, "stages": list, "fates": list,
    "barred": list, "changes": list, "tried": int, "untried": list,
}  # fmt: skip
UNDERSTOOD = {"kind": str, "value": str, "words": str, "filters": bool}
CONFLICT = {
    "kind": str, "subject": list, "about": str, "sides": list,
}  # fmt: skip
SIDE = {
    "document": str, "source": str, "start": int, "end": int, "value": str, "normal": str, "rank": int,
}  # fmt: skip
SOURCE = {
    "id": int, "name": str, "kind": str, "path": (str, type(None)), "version_id": str, "document_kind": str,
    "title": str, "pages": int, "characters": int, "chunks": int, "parents": int, "covered": float, "truncated": int,
    "by_words": bool, "recipe": str, "recipe_fingerprint": str, "added_at": str, "changed_at": str, "size_bytes": int,
    "parent": (str, type(None)), "collections": list, "tags": list, "note": str, "also": list,
    "words": (dict, type(None)), "trashed_at": str, "read": (dict, type(None)),
    "words_alone": bool,
}  # fmt: skip
STATS = {
    "sources", "documents", "chunks", "parents", "characters", "covered", "coverage", "truncated", "texts", "vectors",
    "generations", "pending", "judgments", "jobs", "catalogue_bytes", "files_bytes", "chroma_bytes", "total_bytes",
    "trash", "text_bytes", "vectors_bytes", "lexical_bytes", "trash_bytes", "backups_bytes", "cache_bytes",
    "other_bytes", "recall",
}  # fmt: skip
QUESTION = "How long is an access token valid?"


def has_shape(value, shape) -> bool:
    assert set(value) == set(shape), set(value) ^ set(shape)
    for name, kind in shape.items():
        assert isinstance(value[name], kind), (name, value[name])
        assert kind is not int or not isinstance(value[name], bool), name
    return True


@pytest.fixture
def core(capsys):
    """Run a command in this process: ``(exit code, JSON or None, stderr)``; stdout holds one object or nothing."""

    def run(*arguments):
        code = main([*map(str, arguments), "--json"])
        written = capsys.readouterr()
        assert "Traceback" not in written.err
        assert written.out.count("\n") == bool(written.out), "one line"
        return code, json.loads(written.out) if written.out else None, written.err

    return run


@pytest.fixture(scope="module")
def documents(samples):
    return sorted((samples / "documents").iterdir())


@pytest.fixture(scope="module")
def home(tmp_path_factory, samples):
    """A library of the samples, made by the command itself."""
    place, out = tmp_path_factory.mktemp("samples") / "library", io.StringIO()
    with redirect_stdout(out):
        assert main(["ingest", str(samples / "documents"), "--library", str(place), "--json"]) == 0
    found = json.loads(out.getvalue())
    assert out.getvalue().count("\n") == 1
    assert has_shape(found, {"documents": list, "failures": list, "encoded": int, "reused": int, "seconds": float})
    assert found["failures"] == []
    assert found["encoded"] > 0
    return place


def texts_of(documents):
    return {str(path): parse(path.read_bytes(), path.name, ParsingSettings()).text for path in documents}


def test_ingest_again_encodes_nothing(core, home, samples, documents):
    code, found, _ = core("ingest", samples / "documents", "--library", home)
    assert (code, found["encoded"], found["failures"]) == (0, 0, [])
    taken = [item["source"] for item in found["documents"] if item["parent"] is None]
    assert taken == [str(path) for path in documents], "as given, in order"
    texts = texts_of(documents)
    for item in found["documents"]:
        assert has_shape(item, DOCUMENT)
        assert has_shape(item["audit"], AUDIT)
        words = item["audit"]["words"]
        if words is not None:
            assert has_shape(words, WORDS)
            dropped = sum(drop["words"] for drop in words["dropped"])
            assert words["words"] == words["in_text"] + words["in_metadata"] + dropped + words["missing"]
        assert item["reused"]
        assert item["parent"] or item["characters"] == len(texts[item["source"]])
        assert item["audit"]["covered"] <= item["audit"]["characters"] <= item["characters"]


def test_sources_are_paths_as_given(core, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.md", "in/b.md", "in/below/c.md", "in/.hidden.md", "in/.git/d.md"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(f"# {name}\n\nA sentence.\n")
    code, found, _ = core("ingest", "./a.md", "in/", "--library", "kept", "--set", "chunking.max_tokens=40")
    assert code == 0
    assert [item["source"] for item in found["documents"]] == ["./a.md", "in/b.md", "in/below/c.md"]
    code, found, _ = core("ingest", "missing.md", tmp_path / "a.md", "--library", "kept")
    assert (code, found["failures"][0]["source"]) == (1, "missing.md")
    assert found["documents"][0]["source"] == str(tmp_path / "a.md")
    code, found, _ = core("list", "--library", "kept")
    assert [item["name"] for item in found["sources"]] == [str(tmp_path / "a.md"), "in/b.md", "in/below/c.md"]
    assert {item["recipe"] for item in found["sources"]} == {"auto · child 40 · parent 700"}, "kept settings"
    code, found, _ = core("remove", "in/../in/b.md", "nothing.md", found["sources"][0]["id"], "--library", "kept")
    assert code == 1
    assert found == {
        "removed": ["in/b.md", str(tmp_path / "a.md")],
        "failures": [{"source": "nothing.md", "reason": found["failures"][0]["reason"]}],
    }
    assert core("remove", "nothing.md", "--library", "kept")[0] == 2
    assert core("remove", "c.md", "--library", "kept")[0] == 0, "the only file of this name"
    assert core("remove", "in/below/c.md", "--library", "kept")[0] == 2, "it is gone"
    assert core("list", "--library", "kept")[1] == {"sources": []}
    code, found, _ = core("query", "anything", "--library", "kept")
    assert (code, found["hits"], found["passages"], found["context"]["order"]) == (0, [], [], [])


@pytest.mark.parametrize("chunker", ["structure", "semantic"])
def test_chunk_prints_what_an_outsider_needs(core, documents, chunker):
    for path in documents if chunker == "structure" else documents[:1]:
        code, found, _ = core("chunk", path, "--chunker", chunker, "--set", "chunking.max_tokens=50")
        assert code == 0
        keys = {"source", "kind", "title", "text", "blocks", "chunks", "audit", "pages", "read"}
        assert set(found) == keys
        assert found["source"] == str(path)
        text = found["text"]
        by_id = {chunk["chunk_id"]: chunk for chunk in found["chunks"]}
        assert len(by_id) == len(found["chunks"]) > 1
        covered = bytearray(len(text))
        for chunk in found["chunks"]:
            assert has_shape(chunk, CHUNK)
            assert text[chunk["start"] : chunk["end"]] == chunk["text"]
            for part in chunk["prefix"]:
                assert set(part) == {"kind", "text", "start", "end"}
                assert (part["start"] is None) == (part["end"] is None)
                if part["start"] is not None and part["kind"] == "table_header":
                    assert text[part["start"] : part["end"]] == part["text"]
            if chunk["parent_id"] is not None:
                parent = by_id[chunk["parent_id"]]
                assert parent["level"] == chunk["level"] + 1
                assert parent["start"] <= chunk["start"] < chunk["end"] <= parent["end"]
            if chunk["level"] == 0:
                assert chunk["encoder_tokens"] <= 52
                covered[chunk["start"] : chunk["end"]] = b"\1" * (chunk["end"] - chunk["start"])
        assert has_shape(found["audit"], AUDIT)
        for gap in found["audit"]["gaps"]:
            assert set(gap) == {"start", "end", "reason"}
            assert gap["reason"]
            covered[gap["start"] : gap["end"]] = b"\1" * (gap["end"] - gap["start"])
        assert all(covered[place] or character.isspace() for place, character in enumerate(text)), "covered or named"
        assert found["audit"]["characters"] == sum(not character.isspace() for character in text)
        ends = 0
        for block in found["blocks"]:
            cells = block.pop("cells") if block["kind"] == "table" else []
            assert set(block) == {"kind", "start", "end", "level"}
            assert all(block["start"] <= cell["start"] <= cell["end"] <= block["end"] for cell in cells)
            assert ends <= block["start"] <= block["end"] <= len(text)
            ends = block["end"]


def test_query_answers_in_the_readers_order(core, home, samples, documents):
    sources = {str(path) for path in documents}
    texts = texts_of(documents)
    orders = {}
    for order in ("relevance", "document", "edges"):
        code, found, _ = core("query", QUESTION, "--library", home, "--set", f"assembly.order={order}")
        assert code == 0
        assert has_shape(found, QUERY)
        assert found["question"] == QUESTION
        assert [hit["rank"] for hit in found["hits"]] == list(range(1, len(found["hits"]) + 1))
        for hit in found["hits"]:
            assert has_shape(hit, HIT)
            assert hit["source"] in sources
            assert all(isinstance(score, float) for score in hit["scores"].values())
            assert (hit["page"] is not None) == hit["source"].endswith(".pdf")
        ids = {hit["chunk_id"]: hit for hit in found["hits"]}
        for passage in found["passages"]:
            assert has_shape(passage, PASSAGE)
            body = texts[passage["source"]][passage["start"] : passage["end"]]
            assert body
            assert f"{body}\n" in found["context"]["prompt"] + "\n"
            assert all(passage["start"] <= ids[chunk]["start"] < passage["end"] for chunk in passage["chunk_ids"])
        assert set(found["context"]) == {"order", "tokens", "prompt"}
        assert found["context"]["order"] == [passage["rank"] for passage in found["passages"]]
        assert found["context"]["tokens"] == sum(passage["tokens"] for passage in found["passages"]) <= 2000
        places = [
            found["context"]["prompt"].index(texts[item["source"]][item["start"] : item["end"]])
            for item in found["passages"]
        ]
        assert places == sorted(places), "the prompt holds them in this order"
        assert all(isinstance(value, float) and value >= 0 for value in found["timings_ms"].values())
        orders[order] = found["context"]["order"]
    assert orders["relevance"] == sorted(orders["relevance"])
    assert sorted(orders["edges"]) == sorted(orders["document"]) == orders["relevance"]
    assert orders["edges"] == [*orders["relevance"][::2], *orders["relevance"][1::2][::-1]]
    gold = json.loads((samples / "questions.jsonl").read_text(encoding="utf-8").splitlines()[0])["gold"][0]
    assert any(
        Path(item["source"]).name == gold["document"] and item["start"] <= gold["start"] < item["end"]
        for item in found["passages"]
    )


def test_ask_answers_with_places_beside_all_that_query_says(core, home, documents):
    texts = texts_of(documents)
    code, found, _ = core("ask", QUESTION, "--library", home)
    assert code == 0
    assert has_shape(found, {**QUERY, "answer": dict})
    answer = found.pop("answer")
    assert has_shape(answer, ANSWER)
    assert answer["supported"]
    assert "3600 seconds" in answer["text"]
    assert len(answer["text"].splitlines()) == len(answer["citations"]) > 0
    for cited, line in zip(answer["citations"], answer["text"].splitlines(), strict=True):
        assert has_shape(cited, CITATION)
        assert texts[cited["source"]][cited["start"] : cited["end"]] == cited["quote"]
        assert line.endswith(" ".join(cited["quote"].split()))
        assert line.startswith(cited["told"])
    searched = core("query", QUESTION, "--library", home)[1]
    assert set(found.pop("timings_ms")) == {*searched.pop("timings_ms"), "quotes"}
    assert found == searched


def test_ask_says_that_the_library_does_not_say(core, home, capsys):
    unlikely = ["--library", home, "--set", "answering.least_support=1"]
    code, found, _ = core("ask", QUESTION, *unlikely)
    assert code == 0
    assert (found["answer"]["supported"], found["answer"]["citations"]) == (False, [])
    assert found["answer"]["text"].startswith("Perhaps the library does not say")
    assert main(["ask", QUESTION, *map(str, unlikely)]) == 0
    assert capsys.readouterr().out.startswith("Perhaps the library does not say")
    code, found, sentence = core("ask", QUESTION, "--library", home, "--set", "answering.sentences=0")
    assert (code, found) == (2, None)
    assert "answering.sentences" in sentence


def test_check_holds_each_sentence_of_a_text_against_the_library(core, home, documents, capsys):
    texts = texts_of(documents)
    claimed = (
        "An access token is valid for 3600 seconds. Access tokens expire after 7200 seconds. The moon is of cheese."
    )
    code, found, said = core("check", claimed, "--library", home)
    assert (code, said) == (0, "")
    assert has_shape(found, {"sentences": list})
    assert [one["text"] for one in found["sentences"]] == [f"{part.strip('. ')}." for part in claimed.split(". ")]
    for one in found["sentences"]:
        assert has_shape(one, {"text": str, "verdict": str, "reason": str, "spans": list})
        for span in one["spans"]:
            assert has_shape(span, SPAN)
            assert texts[span["source"]][span["start"] : span["end"]] == span["quote"]
    assert [one["verdict"] for one in found["sentences"]] == ["supported", "not_found", "not_found"]
    assert "7200 seconds" in found["sentences"][1]["reason"]
    assert main(["check", claimed, "--library", str(home)]) == 0
    assert capsys.readouterr().out.startswith("supported: An access token is valid for 3600 seconds.")
    assert core("check", " -- ", "--library", home)[0] == 2


def test_why_tells_the_fate_of_a_passage_and_a_change_that_has_it_read(core, home, documents):
    texts = texts_of(documents)
    (name,) = [source for source in texts if source.endswith("handbook.md")]
    lost = ["--library", home, "--source", name, "--set", "assembly.budget_tokens=100"]
    code, found, said = core("why", QUESTION, "COFFEE  machine", *lost)
    assert (code, said) == (0, "")
    assert has_shape(found, EXPLAINED)
    place = found["place"]
    assert texts[name][place["start"] : place["end"]] == place["text"] == "coffee machine"
    assert (found["read"], found["question"], place["source"]) == (0, QUESTION, name)
    assert found["fates"]
    assert all(fate["start"] < place["end"] and place["start"] < fate["end"] for fate in found["fates"])
    assert all(set(fate["ranks"]) <= set(found["stages"]) for fate in found["fates"])
    change = found["changes"][0]
    turned = [part for dial, value in change["settings"].items() for part in ("--set", f"{dial}={value['to']}")]
    answered = core("query", QUESTION, "--library", home, "--set", "assembly.budget_tokens=100", *turned)[1]
    read = [one for one in answered["passages"] if one["source"] == name]
    assert any(one["start"] <= place["start"] and place["end"] <= one["end"] for one in read)
    assert core("why", QUESTION, "3600 seconds", "--library", home)[1]["read"] == 1


def test_why_says_which_place_it_took_and_what_is_not_there(core, home, documents, capsys):
    code, _, said = core("why", QUESTION, "token", "--library", home, "--place", 2)
    assert code == 0
    assert "this is number 2" in said
    for given, remedy in (
        (["no such words at all"], "fewer of them"),
        (["token", "--source", "nothing.md"], "no source nothing.md"),
        (["token", "--place", 0], "no place 0"),
        (["token", "--place", 99_999], "no place 99999"),
    ):
        code, found, said = core("why", QUESTION, *given, "--library", home)
        assert (code, found) == (2, None)
        assert remedy in said
    capsys.readouterr()
    assert main(["why", f"{QUESTION} type:pdf", "coffee machine", "--library", str(home)]) == 0
    assert "without “type: pdf” in the question" in capsys.readouterr().out


def test_query_takes_settings_and_presets(core, home):
    code, found, _ = core(
        "query", QUESTION, "--library", home, "--set", "retrieval.k=3", "--set", "assembly.budget_tokens=90"
    )
    assert code == 0
    assert len(found["hits"]) == 3
    assert found["context"]["tokens"] <= 90
    code, found, _ = core("query", QUESTION, "--library", home, "--preset", "words-only")
    assert code == 0
    assert all("dense" not in hit["scores"] and "lexical" in hit["scores"] for hit in found["hits"])
    first = core("query", QUESTION, "--library", home)[1]
    second = core("query", QUESTION, "--library", home)[1]
    del first["timings_ms"], second["timings_ms"]
    assert first == second


def test_query_says_what_it_understood_and_filters_by_it(core, home):
    code, found, told = core(
        "query", f'{QUESTION} type:md genre:opera "no such words stand anywhere" -zebra', "--library", home
    )
    assert code == 0
    assert all(has_shape(chip, UNDERSTOOD) for chip in found["understood"])
    chips = {(chip["kind"], chip["value"]): chip for chip in found["understood"]}
    assert chips["type", "md"]["filters"]
    assert chips["not", "zebra"]["filters"]
    assert all(chip["filters"] for chip in found["understood"])
    assert {Path(hit["source"]).suffix for hit in found["hits"]} == {".md"}
    assert any("opera" in note for note in found["notes"])
    assert any("no such words" in note for note in found["notes"])
    assert all(note in told for note in found["notes"])
    code, found, _ = core("query", f"{QUESTION} type:md", "--library", home, "--set", "understanding.filters=off")
    assert code == 0
    assert len({Path(hit["source"]).suffix for hit in found["hits"]}) > 1


def test_query_shows_what_the_passages_disagree_on(core, home, samples, documents):
    rows = map(json.loads, (samples / "questions.jsonl").read_text(encoding="utf-8").splitlines())
    asked = [row["question"] for row in rows if row["kind"] == "conflict"]
    texts = texts_of(documents)
    seen = 0
    for question in asked:
        code, found, _ = core("query", question, "--library", home)
        assert code == 0
        for conflict in found["conflicts"]:
            seen += 1
            assert has_shape(conflict, CONFLICT)
            assert len({side["normal"] for side in conflict["sides"]}) > 1
            for side in conflict["sides"]:
                assert has_shape(side, SIDE)
                assert texts[side["source"]][side["start"] : side["end"]] == side["value"]
    assert seen


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--set", "retrieval.k"], "'='"),
        (["--set", "retrieval.k=many"], "retrieval.k"),
        (["--set", "retrieval.k=0"], "1 to 1000"),
        (["--set", "retrieval.nothing=1"], "retrieval.k"),
        (["--set", "chunking.max_tokens=90"], "ingest"),
        (["--preset", "nobody"], "default"),
        (["--set", "retrieval.dense_weight=0", "--set", "retrieval.lexical_weight=0"], "weight"),
    ],
)
def test_a_setting_that_is_wrong_is_named(core, home, arguments, named):
    code, found, sentence = core("query", QUESTION, "--library", home, *arguments)
    assert (code, found) == (2, None)
    assert named in sentence


def test_settings_are_judged_together(core, documents):
    large = ["--set", "chunking.max_tokens=900", "--set", "chunking.parent_max_tokens=1800"]
    assert core("chunk", documents[0], *large)[0] == core("chunk", documents[0], *large[2:], *large[:2])[0] == 0
    assert core("chunk", documents[0], *large[:2])[0] == 2


def test_list_and_stats_say_the_same(core, home, documents):
    code, listed, _ = core("list", "--library", home)
    assert code == 0
    assert set(listed) == {"sources"}
    assert all(has_shape(row, SOURCE) for row in listed["sources"])
    assert [row["name"] for row in listed["sources"] if not row["parent"]] == [str(path) for path in documents]
    code, stats, _ = core("stats", "--library", home)
    assert code == 0
    assert set(stats) == STATS
    rows = listed["sources"]
    assert (stats["sources"], stats["documents"]) == (len(rows), len(rows))
    assert stats["chunks"] == sum(row["chunks"] for row in rows)
    assert stats["parents"] == sum(row["parents"] for row in rows)
    assert (stats["truncated"], stats["pending"]) == (0, 0)
    assert 0 < stats["coverage"] <= 1
    kept = ("catalogue", "files", "chroma", "backups", "cache", "other")
    assert stats["total_bytes"] == sum(stats[f"{part}_bytes"] for part in kept)
    assert stats["catalogue_bytes"] == stats["text_bytes"] + stats["vectors_bytes"] + stats["lexical_bytes"]
    assert all(stats[f"{part}_bytes"] > 0 for part in ("text", "vectors", "lexical", "files", "chroma"))


def test_a_dry_run_says_what_would_be_read_and_does_nothing(core, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("in/a.md", "in/drafts/b.md", "in/node_modules/c.md", "in/photo.md", "in/keep.log"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(b"GIF89a\0\0" if "photo" in name else b"# Head\n\nThe body.\n")
    Path("in/link.md").symlink_to("a.md")
    code, found, said = core(
        "ingest", "in/", "--dry-run", "--ignore", "drafts/", "--ignore", "*.log", "--library", "kept"
    )
    assert (code, said) == (0, "")
    assert not Path("kept").exists()
    assert found == {
        "files": [
            {"source": "in/a.md", "state": "new", "kind": "markdown", "bytes": 18, "reason": ""},
            {"source": "in/photo.md", "state": "unsupported", "kind": "", "bytes": 8,
             "reason": found["files"][1]["reason"]},
        ],
        "missing": [],
        "ignored": [{"source": "in/keep.log", "pattern": "*.log"},
                    {"source": "in/drafts", "pattern": "drafts/"},
                    {"source": "in/node_modules", "pattern": "node_modules/"}],
        "links": ["in/link.md"],
        "failures": [],
        "cost": {"kinds": {"markdown": 1}, "bytes": 18, "size_bytes": 18, "pages": 0, "chunks": 1,
                 "index_bytes": 8000, "seconds": None, "measured": 0,
                 "requests": 0, "prompt_tokens": 0, "writing_seconds": None,
                 "basis": "reckoned by the bytes of each kind, as such files usually are"},
    }  # fmt: skip
    assert core("ingest", "in/a.md", "in/drafts", "--library", "kept")[0] == 0
    Path("in/a.md").write_bytes(b"# Head\n\nAnother body.\n")
    Path("in/drafts/b.md").unlink()
    code, found, said = core("ingest", "./in", "gone.md", "--dry-run", "--library", "kept")
    assert code == 1
    assert "gone.md" in said
    assert [(item["source"], item["state"]) for item in found["files"]] == [
        ("./in/keep.log", "new"), ("./in/a.md", "changed"), ("./in/photo.md", "unsupported"),
    ]  # fmt: skip
    assert found["missing"] == [str(tmp_path / "in" / "drafts" / "b.md")]
    assert core("ingest", "gone.md", "--dry-run", "--library", "kept")[0] == 2
    code, found, _ = core("ingest", "in/a.md", "--dry-run", "--library", "kept")
    assert [(item["source"], item["state"]) for item in found["files"]] == [("in/a.md", "changed")]
    assert core("stats", "--library", "kept")[1]["sources"] == 2


def test_a_question_to_some_collections_and_tags(core, home, tmp_path):
    from core.library import Library

    place = tmp_path / "library"
    shutil.copytree(home, place)
    with Library.open(place) as library:
        chosen = library.sources()[:2]
        library.labels.collect([chosen[0].id, chosen[1].id], library.labels.create_collection("Work"))
        library.labels.tag([chosen[1].id], "read")
    asked = ["query", QUESTION, "--library", place, "--set", "retrieval.k=200"]
    code, found, _ = core(*asked, "--collection", "work")
    assert (code, {hit["source"] for hit in found["hits"]}) == (0, {row.name for row in chosen})
    code, found, _ = core(*asked, "--collection", "Work", "--tag", "READ")
    assert {hit["source"] for hit in found["hits"]} == {chosen[1].name}
    for wrong in (["--collection", "Wrok"], ["--tag", "raed"]):
        code, found, said = core(*asked, *wrong)
        assert (code, found) == (2, None)
        assert wrong[1] in said
    listed = core("list", "--library", place)[1]["sources"]
    assert [(row["collections"], row["tags"]) for row in listed[:2]] == [(["Work"], []), (["Work"], ["read"])]
    shutil.rmtree(place)


def test_passwords_are_tried_and_not_printed(core, tmp_path):
    import pymupdf

    place = tmp_path / "secret.pdf"
    with pymupdf.open() as made:
        made.new_page().insert_text((72, 72), "The hidden otter swims by night.")
        made.save(place, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="swordfish", owner_pw="owner")
    code, found, said = core("ingest", place, "--library", tmp_path / "kept")
    assert (code, found["documents"]) == (2, [])
    assert set(found["failures"][0]) == {"source", "reason"}
    code, found, said = core(
        "ingest", place, "--password", "no", "--password", "swordfish", "--library", tmp_path / "kept"
    )
    assert (code, len(found["documents"]), "swordfish" in said) == (0, 1, False)
    assert core("chunk", place)[0] == 2
    code, found, _ = core("chunk", place, "--password", "swordfish")
    assert code == 0
    assert "hidden otter" in found["text"]


def test_verify_finds_mends_and_says_so(core, tmp_path, samples):
    home = tmp_path / "library"
    assert core("ingest", samples / "documents" / "api.md", "--library", home)[0] == 0
    assert core("verify", "--library", home)[:2] == (0, {"ok": True, "problems": []})
    shutil.rmtree(home / "chroma")
    code, found, sentences = core("verify", "--library", home)
    assert (code, found["ok"]) == (1, False)
    for problem in found["problems"]:
        assert has_shape(problem, {"what": str, "where": str, "repairable": bool})
        assert problem["what"] in sentences
    assert core("verify", "--repair", "--library", home)[:2] == (0, {"ok": True, "problems": []})
    original = next(path for path in (home / "files").rglob("*") if path.is_file())
    original.write_bytes(b"changed")
    assert core("verify", "--library", home)[0] == 1
    assert core("verify", "--repair", "--library", home)[:2] == (0, {"ok": True, "problems": []}), "by the own file"
    original.write_bytes(b"changed")
    assert core("ingest", samples / "documents" / "api.md", "--library", home)[0] == 0, "which heals the original"
    assert core("verify", "--library", home)[0] == 0
    code, found, _ = core("rebuild", "--library", home)
    assert (code, found["encoded"], len(found["documents"])) == (0, 0, 1)
    assert core("verify", "--library", home)[0] == 0


def test_a_library_that_is_written_elsewhere(core, home, documents):
    from core.storage.store import Store

    with Store.open(home, write=True):
        for arguments in (["ingest", documents[0]], ["verify"], ["rebuild"], ["remove", "1"]):
            code, found, sentence = core(*arguments, "--library", home)
            assert (code, found) == (2, None)
            assert str(os.getpid()) in sentence
        assert core("list", "--library", home)[0] == core("stats", "--library", home)[0] == 0
        assert core("query", QUESTION, "--library", home)[0] == 0


def test_the_home_comes_from_the_environment(core, home, monkeypatch):
    held = core("stats", "--library", home)[1]
    monkeypatch.setenv("LECTERN_HOME", str(home))
    assert core("stats")[1] == held
    monkeypatch.setenv("HOME", str(home.parent))
    monkeypatch.setenv("LECTERN_HOME", f"~/{home.name}")
    assert core("stats")[1] == held


def test_without_json_a_person_reads_a_summary(home, samples, capsys):
    assert main(["stats", "--library", str(home)]) == 0
    documents = int(re.search(r"^documents: (\d+)$", capsys.readouterr().out, re.MULTILINE)[1])
    assert main(["list", "--library", str(home)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == documents > 0
    assert main(["query", QUESTION, "--library", str(home)]) == 0
    assert f"Question: {QUESTION}" in capsys.readouterr().out
    assert main(["ask", QUESTION, "--library", str(home)]) == 0
    told = capsys.readouterr().out
    assert re.search(r"^\[1\] .*3600 seconds.*\n    .+ \(.+, \d+-\d+\)$", told, re.MULTILINE)
    assert "The library is likely to say" in told
    assert main(["chunk", str(samples / "documents" / "api.md")]) == 0
    assert "characters covered" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["nothing"], ["ingest"], ["query"], ["ask"], ["export"], ["chunk"]])
def test_what_is_not_a_command_is_exit_code_two(arguments, capsys):
    with pytest.raises(SystemExit) as refused:
        main(arguments)
    assert refused.value.code == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert "usage: python -m core" in written.err


def test_an_odd_locale_prints_all_the_same(home):
    done = subprocess.run(
        [*COMMAND, "query", "naïve 日本語 \udcff", "--library", home, "--set", "retrieval.dense_weight=0"],
        cwd=ROOT, capture_output=True, check=False, env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")


def bench(core, suite, runs):
    code, found, _ = core("bench", suite, "--preset", "default", "--preset", "flat", "--runs", runs)
    assert code == 0
    return found


@pytest.mark.long
def test_bench_says_the_same_again(core, samples, tmp_path):
    found, second = (bench(core, samples, tmp_path / name) for name in ("runs.jsonl", "again.jsonl"))
    assert [item["metrics"] for item in second["presets"]] == [item["metrics"] for item in found["presets"]]
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "runs.jsonl").read_bytes()


def test_bench_with_bad_arguments(core, samples, tmp_path):
    for arguments, named in (
        (["--preset", "nobody"], "nobody"),
        (["--set", "retrieval.k=x"], "retrieval.k"),
        (["--runs", tmp_path / "no" / "folder.jsonl"], "folder.jsonl"),
        (["--work", "/proc/nowhere"], "/proc/nowhere"),
        (["--grid", tmp_path / "no.json"], "no.json"),
        (["--grid", grid_file(tmp_path, "{")], "not JSON"),
        (["--grid", grid_file(tmp_path, '{"vary": {"retrieval.depth": [1]}}')], "retrieval.depth"),
        (["--grid", grid_file(tmp_path, '{"vary": {}}'), "--set", "retrieval.k=9"], "--set"),
        (["--against", "nobody"], "nobody"),
    ):
        code, found, sentence = core("bench", samples, *arguments)
        assert (code, found) == (2, None)
        assert named in sentence


def grid_file(folder, text):
    path = folder / f"{len(list(folder.iterdir()))}.json"
    path.write_text(text, encoding="utf-8")
    return path


VARIED = {"chunking.chunker": ["structure", "fixed"], "retrieval.fusion": ["zscore", "rrf"], "retrieval.k": [0, 9]}


@pytest.fixture
def long_suite(tmp_path):
    """Few documents, quickly encoded, and so many questions that there is a middle to be killed in."""
    root = tmp_path / "long"
    (root / "documents").mkdir(parents=True)
    for name in ("otter", "heron"):
        (root / "documents" / f"{name}.md").write_text(f"# The {name}\n\nThe {name} sleeps by the river.\n")
    rows = [
        {"id": f"q{number}", "question": f"Where does the otter sleep in year {number}?",
         "gold": [{"document": "otter.md", "start": 13, "end": 44}]}
        for number in range(50)
    ]  # fmt: skip
    (root / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return root


@pytest.mark.long  # stopped and gone on with: test_bench
def test_a_killed_grid_goes_on_and_says_the_same(core, long_suite, tmp_path, monkeypatch):
    monkeypatch.setenv("LECTERN_HOME", str(tmp_path / "home"))
    file = grid_file(tmp_path, json.dumps({"vary": VARIED}))
    code, plan, sentence = core("bench", long_suite, "--grid", file, "--dry-run")
    assert (code, plan["recipes"], plan["presets"], plan["resumed"]) == (0, 2, 4, 0)
    assert "retrieval.k is 0" in sentence, "cells that cannot be are named with the reason"
    command = [*COMMAND, "bench", long_suite, "--grid", file, "--json"]
    running = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    runs = tmp_path / "home" / "benchmarks" / "runs"
    while running.poll() is None and not any(path.stat().st_size > 2_000 for path in runs.glob("*/cells/*.jsonl")):
        time.sleep(0.005)
    running.kill()
    assert running.wait() == -signal.SIGKILL
    assert not list(runs.glob("*/report.json"))
    _, plan, sentence = core("bench", long_suite, "--grid", file, "--dry-run")
    assert 0 < plan["resumed"] < 200
    assert "goes on from" in sentence
    code, found, _ = core("bench", long_suite, "--grid", file, "--against", "chunker=structure fusion=zscore k=9")
    assert code == 0
    assert [item["preset"] for item in found["skipped"]] == [
        f"chunker={chunker} fusion={fusion} k=0" for chunker in ("structure", "fixed") for fusion in ("zscore", "rrf")
    ]
    assert len(list(runs.glob("*/report.json"))) == 1, "the run that was killed is the one that was finished"
    other = ["--grid", file, "--work", tmp_path / "fresh", "--html", tmp_path / "report.html"]
    _, fresh, _ = core("bench", long_suite, *other)
    assert [item["metrics"] for item in found["presets"]] == [item["metrics"] for item in fresh["presets"]]
    assert [item["lost"] for item in found["presets"]] == [item["lost"] for item in fresh["presets"]]
    compared = found["against"]["presets"]
    assert set(compared) == {item["preset"] for item in found["presets"]} - {found["against"]["baseline"]}
    verdicts = {item["verdict"] for metrics in compared.values() for item in metrics.values()}
    assert verdicts <= {"better", "worse", "no difference seen"}
    assert "fusion=rrf" in (tmp_path / "report.html").read_text(encoding="utf-8")
