"""Conditions against brute force: whatever is asked, exactly the leaves that should pass do."""

from __future__ import annotations

import json
import re
import unicodedata
import zlib
from dataclasses import replace
from datetime import date
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.storage.catalogue.filing.conditions import RELATIONS, Condition, holds, resolve
from core.storage.catalogue.filing.folders import add_folder
from core.storage.catalogue.filing.labels import Labels
from core.storage.catalogue.filing.names import Scope, versions_in
from core.storage.catalogue.filing.source_metadata import KnownNames, genre_of, known, source_metadata
from core.storage.catalogue.filing.trash import trash_sources
from core.storage.catalogue.texts.documents import put_document, texts
from core.storage.index.leaves import load_leaves, narrow
from core.storage.store import Store
from core.text.phrases import occurrences
from core.text.tokens import is_boundary
from core.text.values.calendar_names import Period
from tests.storage.builders import document, ingest

TEXTS = {
    "2024-03 minutes.md": "The access token is kept. Access\nTokens end; an access  token's life. Draft.",
    "handbook-v2.md": "Tokens of access: the draft of a plan. Ada's hat, O'Neill’s mother-in-law, drafty.",
    "handbook-v1.md": "An older access token lasted a day. No\u00a0draft. \u212aelvin, ſmall, İzmir, STRASSE.",
    "tokyo.txt": "東京都は日本の首都。使用access token吧。 ประเทศไทย is Thailand. user_name is no user.",
    "zero.log": "before\x00after the access token came a NUL.",
    "empty-ish.txt": "x",
}
WORDS = [
    *("access token", "draft", "token", "Tokens", "access", "ACCESS  TOKEN", "東京", "ไทย", "kelvin", "small", "İzmir"),
    *(
        "o'neill's",
        "mother-in-law",
        "user",
        "user_name",
        "after the",
        "nowhere at all",
        "x",
        "strasse",
        "draft of a plan",
    ),
]


def asked(kind, value):
    return Condition(kind, value, 0, 1, f"{kind}: {value}")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    home = tmp_path_factory.mktemp("conditions")
    with Store.open(home / "library", write=True) as opened:
        sources = {
            name: ingest(
                opened, name, text, size=7 + 3 * at, path=home / "files" / ("old" if "v1" in name else "new") / name
            )
            for at, (name, text) in enumerate(TEXTS.items())
        }
        plans = Labels(opened).create_collection("Big plans")
        Labels(opened).collect([sources["handbook-v2.md"], sources["tokyo.txt"]], plans)
        Labels(opened).tag([sources["tokyo.txt"]], "far away")
        add_folder(opened, home / "files")
        yield opened


def brute(store, leaves, conditions):
    """The definition, leaf by leaf and character by character."""
    there = source_metadata(store)
    mask = []
    for at in range(len(leaves)):
        version = leaves.version_ids[leaves.documents[at]]
        text = texts(store, [version])[version]
        sources = [one for one in there if one.version_id == version]
        of_sources = [one for one in conditions if one.kind not in ("phrase", "not")]
        passes = any(
            all(
                any(holds(one, source) for one in of_sources if one.kind == kind)
                if kind in ("type", "in", "genre")
                else all(holds(one, source) for one in of_sources if one.kind == kind)
                for kind in {one.kind for one in of_sources}
            )
            for source in sources
        )
        own = [range(start, end) for start, end in spans_of(leaves, version)]
        here = range(leaves.starts[at], leaves.ends[at])
        for one in conditions:
            if one.kind == "phrase":
                passes = passes and any(touches(text, one.value, leaf) for leaf in own)
            elif one.kind == "not":
                passes = passes and not touches(text, one.value, here)
        phrases = [one.value for one in conditions if one.kind == "phrase"]
        passes = passes and (not phrases or any(touches(text, phrase, here) for phrase in phrases))
        mask.append(passes)
    return mask


def spans_of(leaves, version):
    own = leaves.documents == leaves.version_ids.index(version)
    return list(zip(leaves.starts[own].tolist(), leaves.ends[own].tolist(), strict=True))


@lru_cache
def touches(text, words, leaf):
    """Whether a leaf has a character of one of the occurrences."""
    return any(set(leaf) & set(range(*span)) for span in slow_occurrences(text, words))


def slow_occurrences(text, words):
    """Whole words in any case, by trying every place of the text as it reads."""
    read, asked_for = [], []
    for body, into in ((text.replace("\u2011", "-"), read), (words, asked_for)):
        for start, end in pairwise(place for place in range(len(body) + 1) if is_boundary(body, place)):
            seen = unicodedata.normalize("NFC", body[start:end].replace("ﬁ", "fi"))
            for at, one in enumerate(seen):
                place = (start + at, start + at + 1) if seen == body[start:end] else (start, end)
                into.append((one.lower() if len(one.lower()) == 1 else one, *place))
    lowered = "".join(one for one, _, _ in read)
    parts = "".join(one for one, _, _ in asked_for).split()
    joined = r"[*_`]*\s+[*_`]*".join(re.sub(r"\\?['‘’]", "['‘’]", re.escape(part)) for part in parts)
    unspaced = re.compile(r"[\u0e00-\u0eff\u2e80-\u9fff]")

    def goes_on(inside, beyond):
        beyond = re.sub(r"\A_{1,3}", "", beyond)
        return bool(beyond) and all(re.match(r"\w", one) and not unspaced.match(one) for one in (inside, beyond[0]))

    at = 0
    while at < len(lowered):
        match = re.compile(joined).match(lowered, at)
        if match and not (
            goes_on(match[0][0], lowered[: match.start()][::-1]) or goes_on(match[0][-1], lowered[match.end() :])
        ):
            yield read[match.start()][1], read[match.end() - 1][2]
            at = match.end()
        else:
            at += 1


PLACED = st.one_of(
    st.tuples(st.just("type"), st.sampled_from(["md", "markdown", "text", "txt", "log", "pdf"])),
    st.tuples(
        st.just("in"), st.sampled_from(["handbook", "big plans", "far away", "old", "files", "nowhere", "v2 md"])
    ),
    st.tuples(
        st.sampled_from(RELATIONS),
        st.sampled_from(["2024", "2024-03", "2023-12-31", "2023/2024", "2030"]),
    ),
)
CONDITIONS = st.one_of(
    st.tuples(st.sampled_from(["phrase", "not"]), st.sampled_from(WORDS)),
    PLACED,
    PLACED.map(lambda pair: (f"-{pair[0]}", pair[1])),
).map(lambda pair: asked(*pair))


@given(conditions=st.lists(CONDITIONS, max_size=4))
def test_exactly_what_brute_force_finds_passes(store, conditions):
    leaves = load_leaves(store)
    found = resolve(store, leaves, conditions)
    assert found.mask.tolist() == brute(store, leaves, conditions)
    assert list(found.counts) == [sum(brute(store, leaves, [one])) for one in conditions]
    assert found.aside == ()


@given(words=st.lists(st.sampled_from(WORDS), max_size=3, unique=True), kind=st.sampled_from(["not", "phrase"]))
def test_what_a_left_out_word_bars_are_its_leaves_and_its_places(store, words, kind):
    leaves = load_leaves(store)
    conditions = [asked("not", word) for word in words] + [asked(kind, "access token"), asked("type", "md")]
    excluded = resolve(store, leaves, conditions).excluded
    out = [one for one in dict.fromkeys(conditions) if one.kind == "not"]
    expected = {}
    for place, version in enumerate(leaves.version_ids):
        text = texts(store, [version])[version]
        own = spans_of(leaves, version)
        for one in out:
            for first, last in slow_occurrences(text, one.value):
                expected.setdefault(place, set()).add((first, last, one.value))
                expected[place] |= {(*leaf, one.value) for leaf in own if leaf[0] < last and first < leaf[1]}
    found = {}
    if excluded is not None:
        assert excluded.conditions == tuple(out)
        for place in range(len(leaves.version_ids)):
            starts, ends, whose = excluded.within(place, 0, 10**6)
            if len(starts):
                values = [out[at].value for at in whose]
                found[place] = set(zip(starts.tolist(), ends.tolist(), values, strict=True))
    assert found.keys() == expected.keys()
    for place, spans in found.items():
        assert spans <= expected[place]
        for first, last, value in expected[place]:  # a place within a leaf is excluded with the leaf
            assert any(start <= first and last <= end and value == one for start, end, one in spans)


@given(
    st.text("aAbB İıſKk'’_-\n 東ßfifﬁ\u0301\u2011*`", max_size=30),
    st.text("aAbB İſKk'’_ 東ßfiﬁá-", min_size=1, max_size=5),
)
def test_occurrences_are_those_of_trying_every_place(text, words):
    assert list(occurrences(text, words)) == (list(slow_occurrences(text, words)) if words.split() else [])


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("The `Authorization` header.", "authorization header", "Authorization` header"),
        ("An **access** token, no **access**.", "access token", "access** token"),
        ("The _refresh_ token", "refresh", "refresh"),
        ("See the [field manual](http://x.y) of 2024.", "field manual of 2024", "field manual](http://x.y) of 2024"),
        ('The [refresh][1] **[token](a "b")** ends.', "refresh token ends", 'refresh][1] **[token](a "b")** ends'),
        (unicodedata.normalize("NFD", "Er öffnet täglich."), "öffnet täglich", "o\u0308ffnet ta\u0308glich"),
        ("Er öffnet täglich.", unicodedata.normalize("NFD", "ÖFFNET"), "öffnet"),
        (unicodedata.normalize("NFD", "사무실 문"), "사무실", unicodedata.normalize("NFD", "사무실")),
        ("An oﬃce of ﬁne men", "office of fine men", "oﬃce of ﬁne men"),
        ("Don\u2011stop, mother\u2010in\u2011law", "mother-in-law", "mother\u2010in\u2011law"),
        ("A cafe\u0301.", "cafe", None),
        ("A user_name, first*second", "user name", None),
        ("A user_name", "user", None),
        ("A ﬁnery", "fine", None),
    ],
)
def test_what_reads_the_same_is_the_same_phrase(text, words, found):
    assert [text[start:end] for start, end in occurrences(text, words)] == ([found] if found else [])


def test_what_is_written_otherwise_is_looked_for_in_the_store_too(tmp_path):
    texts = {
        "nfd": unicodedata.normalize("NFD", "Die Prüfung ist öffentlich."),
        "tex": "The ﬁrst oﬃce.",
        "kelvin": "A tas\u212a.",
    }
    with Store.open(tmp_path / "library", write=True) as store:
        for name, text in texts.items():
            ingest(store, f"{name}.md", text, size=40)
        leaves = load_leaves(store)
        for kind in ("phrase", "not"):
            for at, words in enumerate(("öffentlich", "first office", "task")):
                mask = resolve(store, leaves, [asked(kind, words)]).mask
                assert mask.tolist() == [(document == at) == (kind == "phrase") for document in leaves.documents]


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), st.data())
def test_composed_or_not_the_same_is_found(text, data):
    found = []
    start = data.draw(st.integers(0, len(text)))
    words = text[start : start + 2]
    assume(words[:1].isalnum())
    for form in ("NFC", "NFD"):
        body = unicodedata.normalize(form, text)
        spans = list(occurrences(body, unicodedata.normalize(form, words)))
        assert all(0 <= start < end <= len(body) for start, end in spans)
        found.append([unicodedata.normalize("NFC", body[:start]) for start, _ in spans])
    assert found[0] == found[1]


@given(conditions=st.lists(CONDITIONS, max_size=3), data=st.data())
def test_a_scope_of_leaves_passes_what_the_whole_does(store, conditions, data):
    leaves = load_leaves(store)
    there = versions_in(store, Scope())
    chosen = data.draw(st.sets(st.sampled_from(sorted(there))))
    some = narrow(leaves, {version: there[version] for version in chosen})
    whole = dict(zip(leaves.rows.tolist(), resolve(store, leaves, conditions).mask.tolist(), strict=True))
    assert resolve(store, some, conditions).mask.tolist() == [whole[row] for row in some.rows.tolist()]


def test_a_phrase_that_nothing_has_is_set_aside_only_where_that_is_wanted(store):
    leaves = load_leaves(store)
    conditions = [asked("phrase", "no such words"), asked("phrase", "draft")]
    strict, lenient = resolve(store, leaves, conditions), resolve(store, leaves, conditions, lenient=True)
    assert not strict.mask.any()
    assert lenient.aside == (conditions[0],)
    assert lenient.mask.tolist() == resolve(store, leaves, conditions[1:]).mask.tolist()


def test_without_conditions_or_leaves_there_is_nothing_to_ask(store, tmp_path):
    leaves = load_leaves(store)
    assert resolve(store, leaves, []).mask.all()
    with Store.open(tmp_path / "empty", write=True) as empty:
        assert resolve(empty, load_leaves(empty), [asked("type", "pdf"), asked("phrase", "x")]).mask.shape == (0,)
        assert known(empty) == KnownNames()


def test_what_is_known_can_be_asked_for(store):
    there = known(store)
    leaves = load_leaves(store)
    assert there.kinds >= {"text", "md", "txt", "log"}
    assert there.collections == {"Big plans"}
    assert there.tags == {"far away"}
    assert there.folders == {"files", "old", "new"}  # and none that holds everything, but the remembered one
    for place in there.places:
        assert resolve(store, leaves, [asked("in", place)]).mask.any(), place


def test_a_document_is_dated_by_its_name_and_else_by_its_file(store, tmp_path):
    days = {one.names[0]: one.days for one in source_metadata(store)}
    assert days["2024-03 minutes.md"] == Period(date(2024, 3, 1), date(2024, 3, 31))
    assert days["tokyo.txt"].first == days["tokyo.txt"].last


@pytest.mark.parametrize(
    ("head", "day"),
    [
        ({"updated": "2026-09-30", "created": "2020-01-01"}, date(2026, 9, 30)),
        ({"reviewed": "2025-03-18"}, date(2025, 3, 18)),
        ({"published": "2024-02-01T08:00:00Z", "owner": "2023-01-01"}, date(2024, 2, 1)),
    ],
)
def test_the_head_of_a_note_says_what_day_it_is_of(tmp_path, head, day):
    note = replace(document("A note."), metadata=head)
    with Store.open(tmp_path / "library", write=True) as store:
        ingest(store, "note.md", note.text)
        with store.transaction():
            put_document(store, note, size_bytes=7, parser="plain-1")
        (standing,) = source_metadata(store)
    assert standing.days == Period(day, day)


def test_what_is_in_the_trash_or_of_two_sources(tmp_path):
    with Store.open(tmp_path / "library", write=True) as store:
        first = ingest(store, "one.md", "The same words.", path=tmp_path / "a" / "one.md")
        ingest(store, "two.md", "The same words.", path=tmp_path / "b" / "two.md")
        ingest(store, "three.md", "Other words.", path=Path(tmp_path / "b" / "three.md"))
        leaves = load_leaves(store)
        together = [asked("in", "one"), asked("type", "md")]
        assert resolve(store, leaves, together).mask.sum() == 1
        assert not resolve(store, leaves, [asked("in", "one"), asked("type", "log")]).mask.any()
        trash_sources(store, [first])
        # its twin keeps the version, under its own name
        assert not resolve(store, leaves, [asked("in", "one")]).mask.any()
        assert resolve(store, leaves, [asked("in", "two")]).mask.sum() == 1
        assert np.array_equal(resolve(store, leaves, [asked("phrase", "same")]).mask, leaves.documents == 0)


@given(
    st.text(max_size=40).map(lambda some: some * 60),
    st.sampled_from(["", "API", "release notes"]),
    st.text(max_size=20),
)
def test_a_genre_is_read_whatever_stands_beside_it(title, genre, heading):
    entry = {"title": title + "x", "kind": "text", "genre": genre, "headings": [heading, '"genre":"log"']}
    packed = zlib.compress(
        json.dumps([{name: value for name, value in entry.items() if value}], separators=(",", ":")).encode()
    )
    assert genre_of(packed) == (genre or "other")
