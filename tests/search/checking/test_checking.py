"""What is exact must stand there; what means the same is not doubted; a citation counts only where it leads."""

from __future__ import annotations

import numpy as np
import pytest

from core.evidence import Passage
from core.search.checking.checking import NOT_FOUND, PARTLY, SUPPORTED, Checker
from core.search.checking.claims import claims
from core.text.polarity import opposed, polarity
from core.types import PrefixPart

TOKENS = (
    "An access token is valid for 15 minutes. It does not renew itself. Ada Lovelace of Fennmark signed the order on "
    "5 March 2024. The gateway holds at most 1,200 events and costs €2.5 million."
)
TEA = "The kettle stands on the second floor. Tea is free on Fridays, and coffee is not. Version 3.11.2 runs there."


def passage(text, rank, document="Tokens", prefix=()):
    return Passage(document, document, f"{document}.md", 0, len(text), text, 9, (), (), rank, 1.0, "", (), None, prefix)


def unsure(claim, texts):
    """A cross-encoder that never says anything: what is found then is found by words."""
    return np.zeros(len(texts))


def verdicts(text, passages=None, judge=unsure):
    held = passages or [passage(TOKENS, 1), passage(TEA, 2, "Tea")]
    checker = Checker(held, judge)
    return [checker.check(claim) for claim in claims(text)]


@pytest.mark.parametrize(
    "text",
    [
        "An access token is valid for 15 minutes.",
        "An access token is valid for 900 seconds.",
        "An access token is valid for fifteen minutes [1].",
        "An access token is valid for 15 min.",
        "It doesn't renew itself.",
        "Ada Lovelace of Fennmark signed the order on 2024-03-05.",
        "The order was signed by Ada Lovelace of Fennmark in March 2024.",
        "The gateway holds at most 1200 events.",
        "The gateway costs 2,500,000 euros.",
        "Tea is free on Fridays [2].",
        "Version 3.11.2 runs there.",
    ],
)
def test_what_stands_there_is_supported_however_it_is_spelt(text):
    (verdict,) = verdicts(text)
    assert verdict.verdict == SUPPORTED, verdict.reason
    assert verdict.spans


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("An access token is valid for 16 minutes.", "16 minutes"),
        ("An access token is valid for 15 hours.", "15 hours"),
        ("It renews itself.", "renew"),
        ("An access token is not valid for 15 minutes.", "valid"),
        ("Ada Lovelace of Fennmark signed the order on 6 March 2024.", "6 March 2024"),
        ("Ada Lovelace of Fennmark signed the order in April 2024.", "April 2024"),
        ("Grace Hopper of Fennmark signed the order on 5 March 2024.", "Grace Hopper"),
        ("The gateway holds at most 1,300 events.", "1,300"),
        ("The gateway costs $2.5 million.", "$2.5 million"),
        ("Tea is not free on Fridays.", "free"),
        ("Version 3.11.3 runs there.", "3.11.3"),
        ("Zebras graze in the savannah at dawn.", ""),
    ],
)
def test_what_is_altered_is_not_found_and_named(text, named):
    (verdict,) = verdicts(text)
    assert verdict.verdict == NOT_FOUND
    assert named in verdict.reason


def test_names_in_each_others_place_are_seen():
    held = [passage("In the end Ada Lovelace paid Grace Hopper for the engine.", 1)]
    (told,) = verdicts("In the end Grace Hopper paid Ada Lovelace for the engine.", held)
    assert told.verdict == NOT_FOUND
    (told,) = verdicts("In the end Grace Hopper was paid by Ada Lovelace for the engine.", held)
    assert told.verdict == SUPPORTED


def test_names_are_told_apart_where_the_words_beside_them_are_the_same():
    held = [passage("The `COMP_WORDS` variable holds the words, and\nthe `COMP_CWORD` variable holds the index.", 1)]
    (told,) = verdicts(
        "The `COMP_CWORD` variable holds the words, and the `COMP_WORDS` variable holds the index.", held
    )
    assert (told.verdict, told.reason[:10]) == (NOT_FOUND, "COMP_CWORD")
    held = [passage("OpenRC is the service manager on systems such as Gentoo.", 1)]
    (told,) = verdicts("Gentoo is the service manager on systems such as OpenRC.", held)
    assert told.verdict == NOT_FOUND
    (told,) = verdicts("OpenRC is the service manager on systems such as Gentoo.", held)
    assert told.verdict == SUPPORTED


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Die Mieter zahlen die Miete bis zum dritten Werktag.", SUPPORTED),  # the noun is bent
        ("Der Mieter zahlt die Miete bis zum dritten Kalendertag.", PARTLY),  # another noun, or a name
        ("Der Mieter zahlt die Miete bis zum vierten Werktag an Anna Weber.", NOT_FOUND),  # another name
    ],
)
def test_in_german_a_noun_is_no_name(text, verdict):
    held = [passage("Der Mieter zahlt die Miete bis zum dritten Werktag an Anna Schmidt.", 1)]
    (told,) = verdicts(text, held)
    assert told.verdict == verdict, told.reason


def test_a_unit_may_stand_in_a_tables_header():
    header = (PrefixPart("table_header", "| sensor | minutes |"),)
    held = [passage("| heron | 15 |", 1, prefix=header)]
    (told,) = verdicts("The heron sensor has 15 minutes.", held)
    assert told.verdict == SUPPORTED
    (told,) = verdicts("The heron sensor has 15 hours.", held)
    assert told.verdict == NOT_FOUND


def test_what_stands_elsewhere_than_it_cites_is_partly_supported():
    (told,) = verdicts("Tea is free on Fridays [1].")
    assert (told.verdict, told.reason) == (PARTLY, "It stands in [2], not in what it cites.")
    (told,) = verdicts("Tea is free on Fridays [2].")
    assert told.verdict == SUPPORTED


def test_a_sentence_whose_citation_leads_nowhere_is_held_against_all():
    (told,) = verdicts("Tea is free on Fridays [7].")
    assert told.verdict == SUPPORTED


def test_meaning_is_the_cross_encoders_to_judge_and_never_outweighs_what_is_exact():
    def sure(claim, texts):
        return np.ones(len(texts))

    other = "An access token stays valid for 15 minutes."
    assert verdicts(other)[0].verdict == PARTLY
    assert verdicts(other, judge=sure)[0].verdict == SUPPORTED
    assert verdicts(other.replace("15", "25"), judge=sure)[0].verdict == NOT_FOUND


def test_spans_are_places_of_the_documents():
    (told,) = verdicts("Tea is free on Fridays.")
    place = told.spans[0]
    assert TEA[place.start : place.end] == told.texts[0] == "Tea is free on Fridays, and coffee is not."
    assert verdicts("Tea is free.", [passage("", 1)])[0].verdict == NOT_FOUND


@pytest.mark.parametrize("text", ["", " \n", "...", "[1] [2]", "[1]."])
def test_what_says_nothing_is_no_claim(text):
    assert claims(text) == []


def test_citations_belong_to_the_sentence_they_stand_behind():
    text = "Tea is free.[1] Coffee is not [2, 4-5]. It is [a] joke.\n\n- A kettle. [3]\n"
    assert [(one.text, one.cited) for one in claims(text)] == [
        ("Tea is free.", (1,)),
        ("Coffee is not.", (2, 4, 5)),
        ("It is [a] joke.", ()),
        ("A kettle.", (3,)),
    ]
    assert all(text[one.span.start : one.span.end].strip() for one in claims(text))


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("It is free.", "It is not free.", False),
        ("It never sleeps.", "It doesn't ever sleep.", True),
        ("It does not renew automatically.", "It does not automatically renew.", True),
        ("Nobody may enter.", "Everybody may enter.", False),
        ("It is fast.", "It is fast but not cheap.", True),
        ("It is not only fast.", "It is fast.", True),
        ("He will not do it.", "He will do it.", False),
        ("Er schläft nicht lange.", "Er schläft lange.", False),
        ("It isn't the only place to load from.", "It is not the\nonly place to load from.", True),
        ("It returns `None` in this case.", "In this case it returns None.", True),
    ],
)
def test_denials_are_told_by_what_they_deny(one, other, agree):
    assert (opposed(polarity(one), polarity(other)) == "") is agree
    assert (opposed(polarity(other), polarity(one)) == "") is agree
