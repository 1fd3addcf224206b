"""Clauses: numbers that count up and numbers that do not, leaves and parents, and defined terms."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.chunking.signals.clauses import find_clauses
from core.chunking.signals.terms import find_terms
from tests.chunking.domains import leaf_with, parents_of, tree_of


def labels(text):
    return [clause.label for clause in find_clauses(text)]


CASES = {
    "decimals": ("1. Rent\n1.1 It is due.\n1.2 In cash.\n2. Term\n2.1 A year.", ["1", "1.1", "1.2", "2", "2.1"]),
    "letters and romans": (
        "1.1 He pays:\n(a) rent;\n(b) charges for\n    (i) heat; and\n    (ii) water; and\n(c) tax.\n1.2 Else none.",
        ["1.1", "1.1(a)", "1.1(b)", "1.1(b)(i)", "1.1(b)(ii)", "1.1(c)", "1.2"],
    ),
    "articles": ("ARTICLE I\nRENT\n\nARTICLE II\nTERM\n\nARTICLE IV\nEND", ["ARTICLE I", "ARTICLE II", "ARTICLE IV"]),
    "a law": (
        "§ 535 Inhalt\n(1) Er gewährt.\n(2) Er zahlt.\n§ 536 Mangel\n(1) Es fehlt.\n§ 536a Ersatz\nEr haftet.",
        ["§ 535", "§ 535(1)", "§ 535(2)", "§ 536", "§ 536a"],
    ),
    "schedules": (
        "Schedule 1\n1. Lamp\n2. Bed\nSchedule 2\n1. Chair\n2. Desk",
        ["Schedule 1", "Schedule 1 1", "Schedule 1 2", "Schedule 2", "Schedule 2 1", "Schedule 2 2"],
    ),
    "markdown": ("## 1. Scope\n\n**1.1** This.\n\n1.2. That.\n\n## 2. Fees\n", ["1", "1.1", "1.2", "2"]),
    "the letter i": ("".join(f"({letter}) thing\n" for letter in "abcdefghij"), [f"({x})" for x in "abcdefghij"]),
    "pleadings": (
        "I. Facts\nA. The car\n1. It is red.\n2. It is old.\nB. The house\nII. Law",
        ["I.", "I. A.", "I. A. 1", "I. A. 2", "I. B.", "II."],
    ),
    "struck clauses": ("1. One\n2. Two\n5. Five\n", ["1", "2", "5"]),
    "years": ("2019. It was good.\n2020. It was bad.\n2021. It was worse.", []),
    "one stray number": ("It rained.\n7. Nobody came.\nAll left.", []),
    "wrapped prose": ("for a term of\n3. months or under Section\n5. of the Act they paid\n6. times", []),
    "a sentence about a clause": ("Section 5 applies to all.\nSection 6 applies to none.", []),
    "counting down": ("3. Three\n2. Two\n1. One", []),
    "decimals in prose": ("It cost\n2.5 million in all and\n3.1 percent more.", []),
    "nothing": ("", []),
}


@pytest.mark.parametrize("name", list(CASES))
def test_numbers_count_up_or_number_nothing(name):
    text, expected = CASES[name]
    assert labels(text) == expected


@given(st.text(alphabet="12.()aivx§AI \n", max_size=200))
def test_clauses_are_in_order_and_nested(text):
    found = find_clauses(text)
    assert all(0 <= one.start <= one.body <= one.end <= one.until <= len(text) for one in found)
    assert all(before.end <= after.start for before, after in pairwise(found))
    for one in found:
        if one.parent >= 0:
            parent = found[one.parent]
            assert parent.start < one.start
            assert one.until <= parent.until
            assert one.depth == parent.depth + 1


SENTENCE = "The Lessee shall pay what is due on the first day of every month without being asked to. "


def contract(articles=4, size=2):
    lines = []
    for article in range(1, articles + 1):
        lines.append(f"ARTICLE {article}\nMATTERS\n")
        lines.extend(f"{article}.{number} {SENTENCE * size}\n" for number in range(1, 6))
    return "\n".join(lines)


def test_a_leaf_is_a_clause_and_a_parent_its_article():
    tree = tree_of("clause", contract(size=4), max_tokens=110)
    assert [parent.text.split("\n")[0] for parent in parents_of(tree)] == [f"ARTICLE {at}" for at in range(1, 5)]
    numbers = [leaf.metadata["clause"] for leaf in tree.leaves]
    assert numbers[:3] == [("ARTICLE 1", "1.1"), ("1.2",), ("1.3",)]
    assert leaf_with(tree, "2.3").reasons[0] == "begins: clause 2.3 starts here"


@pytest.mark.parametrize("file", ["law.txt", "law.md"])
def test_the_title_of_an_article_is_neither_a_leaf_nor_a_parent(file):
    text = "\n\n".join(
        f"Article {article} Duties\n\n" + "\n\n".join(f"{article}.{at} {SENTENCE * 14}" for at in range(1, 6))
        for article in range(1, 4)
    )
    tree = tree_of("clause", text, file)
    for title in ("Article 1 Duties", "Article 2 Duties", "Article 3 Duties"):
        assert "The Lessee shall pay" in leaf_with(tree, title).text
    parents = parents_of(tree)
    assert [parent.text[:3] for parent in parents[1:5]] == ["1.2", "1.3", "1.4", "1.5"]
    assert min(parent.tokens for parent in parents) > 100


def test_a_small_clause_between_large_ones_has_no_parent_of_its_own():
    large = SENTENCE * 16
    text = f"Article 1 Duties\n\n1.1 {large}\n\n1.2 Void.\n\n1.3 {large}\n\n1.4 {large}\n\nArticle 2\n\n2.1 {large}\n"
    tree = tree_of("clause", text)
    starts = [parent.text.split("\n")[0][:9].strip() for parent in parents_of(tree)]
    assert starts == ["Article 1", "1.2 Void.", "1.4 The L", "Article 2"]
    assert "1.3 The Lessee" in leaf_with(tree, "1.2 Void.").text


def test_a_clause_larger_than_a_leaf_is_cut_at_sentences():
    tree = tree_of("clause", contract(size=9), max_tokens=60)
    assert all(leaf.text.endswith(("to.", "MATTERS")) for leaf in tree.leaves)


def test_words_that_introduce_stay_with_the_first_sub_clause():
    text = "1. Duties\n1.1 The Lessee shall at all times:\n" + "".join(
        f"({letter}) keep the rooms of the house clean and dry and open to the Lessor on working days;\n"
        for letter in "abcdefgh"
    )
    tree = tree_of("clause", text + "1.2 Nothing else.\n2. End\n", max_tokens=50)
    assert "(a) keep" in leaf_with(tree, "shall at all times:").text


TERMS = {
    'Ada Ltd (the "Lessor") and Bob (each, a "Party") met.': ["Lessor", "Party"],
    "“Rent” means 500. “Net Rent” shall mean less.": ["Rent", "Net Rent"],
    "Die Ada GmbH (im Folgenden „Vermieter“ genannt) lässt.": ["Vermieter"],
    "„Mietsache“ bezeichnet die Wohnung.": ["Mietsache"],
    "**Confidential Information** means what is secret.": ["Confidential Information"],
    'Services ("Services") are due.': ["Services"],
    'He said ("so it is", she thought) nothing. "no" means no.': [],
    'The film ("Heat" was its name in the United States of America) ran.': [],
}


@pytest.mark.parametrize("text", list(TERMS))
def test_terms_are_found_where_they_are_defined(text):
    assert [term.name for term in find_terms(text)] == TERMS[text]


def test_uses_lead_to_definitions():
    text = (
        f'1. Parties\n1.1 Ada Ltd (the "Lessor") lets the house. {"It is so. " * 20}\n'
        f"1.2 The Lessors agree on nothing at all here. {'It was so. ' * 20}\n2. End\n2.1 The lessor may end it.\n"
    )
    tree = tree_of("clause", text, max_tokens=90)
    used = leaf_with(tree, "1.2").metadata["uses"]
    name, _, span = used[0].rpartition(" ")
    start, end = map(int, span.split(":"))
    assert (name, text[start:end]) == ("Lessor", '1.1 Ada Ltd (the "Lessor") lets the house.')
    assert leaf_with(tree, "1.1").metadata["terms"] == used
    assert "uses" not in leaf_with(tree, "2.1").metadata


def test_a_clause_is_cited_by_its_sentences():
    words = "The Lessee keeps the flat clean at all times. He mends what he breaks. He tells the Lessor of any damage."
    text = f"1. Rent\n1.1 The rent is due on the first day.\n1.2 {words}\n2. Term\n2.1 One year. Then no more."
    tree = tree_of("clause", text, clause_sentences=1)
    found = {leaf.metadata["clause"]: leaf.text for leaf in tree.leaves}
    assert found["1.2, sentence 2",] == "He mends what he breaks."
    assert leaf_with(tree, "He mends").reasons[0] == "begins: another sentence of clause 1.2 starts here"
    pairs = tree_of("clause", text, clause_sentences=2)
    assert leaf_with(pairs, "keeps the flat").text.endswith("mends what he breaks.")
    assert leaf_with(tree_of("clause", text), "keeps the flat").text.endswith("any damage.")
