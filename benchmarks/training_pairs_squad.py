"""Pairs of SQuAD and of sets like it, whose questions people wrote.

SQuAD is read from the pages on which its makers show it, a paragraph and beside it its questions. The repository
rajpurkar/SQuAD-explorer holds such a page for every article: in its branch ``gh-pages`` for the development split of
SQuAD 2.0 (``explore/v2.0/dev``), and in its history, at 13f82e35, for the training split of the first version
(``explore/1.0/train``). The questions of SQuAD 2.0's training split that only seem to be answered stand, each beside
the one it was made from, in the folder ``QG`` of haichao592/UnAnsQ (Zhu et al., "Learning to ask unanswerable questions
for machine reading comprehension", ACL 2019).
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from benchmarks.reranker.pairs import Pair

_APART = re.compile(r" (?=[,.?!;:%)\]]|n't\b|'(?:s|re|ve|ll|d|m)\b)|(?<=[(\[$]) ")  # as a tokenizer left it
PARTS = 22  # of the training split: who seeks what is hard to tell apart reads all passages of a source


def of_squad(pages: Path, source: str, parts: int = 1) -> Iterator[Pair]:
    """Pairs of the pages of a folder, an article each; a question without an answer is not answerable.

    ``parts``: sources that the articles are dealt to in turn. Of several answers the shortest is taken. What is marked
    as an answer and does not stand in its paragraph is left out.
    """
    for number, page in enumerate(sorted(path for path in pages.glob("*.html") if path.stem != "index")):
        name = f"{source}-{number % parts:02d}" if parts > 1 else source
        for wrap in LexborHTMLParser(page.read_text(encoding="utf-8")).css(".para-wrap"):
            text = _text(wrap, "pre")
            for asked in wrap.css(".qa-wrap"):
                question = " ".join(_text(asked, ".question").split())
                said = [answer.text().strip() for answer in asked.css(".answer")]
                answer = _shortest(said, text)
                if question and text and (answer or not said):
                    yield Pair(name, question, text, f"squad:{unquote(page.stem)}", answer, bool(said))


def _shortest(said: Iterable[str], text: str) -> str:
    """Of several answers the shortest that stands in the text; "" for none."""
    return min((one for one in said if one and one in text), key=len, default="")


def _text(node: LexborNode, selector: str) -> str:
    found = node.css_first(selector)
    return found.text().strip() if found else ""


def with_missed(pairs: Iterable[Pair], folder: Path) -> Iterator[Pair]:
    """The pairs; one from whose question people made others without an answer, once with each of these as ``missed``.

    ``folder``: of UnAnsQ, whose files hold a question and the one made from it in the same line of two files.
    """
    made: dict[str, list[str]] = {}
    for path in sorted(folder.glob("*-unanswerable-questions.txt")):
        beside = path.with_name(path.name.replace("-un", "-"))
        lines = (one.read_text(encoding="utf-8").splitlines() for one in (beside, path))
        for asked, missed in zip(*lines, strict=True):
            made.setdefault(_letters(asked.split("\t")[1]), []).append(_APART.sub("", missed.split("\t")[1]))
    for pair in pairs:
        missed_here = dict.fromkeys(made.get(_letters(pair.question), ())) if pair.answer else {}
        yield from [replace(pair, missed=one) for one in missed_here] or [pair]


def of_json(path: Path, source: str) -> Iterator[Pair]:
    """Pairs of a file as SQuAD 1.1 has them, of whose answers the shortest is taken."""
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        for number, paragraph in enumerate(article["paragraphs"]):
            text = paragraph["context"]
            for asked in paragraph["qas"]:
                said = [answer["text"].strip() for answer in asked["answers"]]
                answer = _shortest(said, text)
                if answer:
                    question = " ".join(asked["question"].split())
                    yield Pair(source, question, text, f"{source}:{article.get('title', '')} {number}", answer)


def of_filings(path: Path) -> Iterator[Pair]:
    """Pairs of TAT-QA (NExTplusplus/TAT-QA, ``dataset_raw``): of a span of text, or of a cell, whose table is read by
    rows.
    """
    for number, filing in enumerate(json.loads(path.read_text(encoding="utf-8"))):
        table = "\n".join(" | ".join(" ".join(cell.split()) for cell in row) for row in filing["table"]["table"])
        texts = [table, *(paragraph["text"] for paragraph in filing["paragraphs"])]
        for asked in filing["questions"]:
            said = asked["answer"] if isinstance(asked["answer"], list) else [asked["answer"]]
            answer = str(said[0]).strip() if asked["answer_type"] == "span" and len(said) == 1 else ""
            holding = next((text for text in texts if answer in text), "") if answer else ""
            if holding:
                yield Pair("filings", asked["question"].strip(), holding, f"filings:{path.stem} {number}", answer)


def of_stories(root: Path) -> Iterator[Pair]:
    """Pairs of FairytaleQA (uci-soe/FairytaleQAData, ``data-by-origin``) whose answer stands in its section."""
    for path in sorted((root / "questions").rglob("*-questions.csv")):
        name = path.name.removesuffix("-questions.csv")
        told = root / "section-stories" / path.parent.relative_to(root / "questions") / f"{name}-story.csv"
        sections = {row["section"]: row["text"] for row in _rows(told)} if told.exists() else {}
        for row in _rows(path):
            text, answer = sections.get(row["cor_section"], ""), (row["answer1"] or "").strip(" .")
            if answer and answer in text and row["question"]:
                yield Pair("stories", " ".join(row["question"].split()), text, f"story:{name}", answer)


def of_wiki_tables(root: Path) -> Iterator[Pair]:
    """Pairs of WikiTableQuestions (ppasupat/WikiTableQuestions): of questions whose answer is one cell, in whose row
    stands what the question names. Such a row is read alone, as the answer line reads it, each value with its header.
    """
    for asked in _rows(root / "data" / "training.tsv", "excel-tab"):
        table = root / asked["context"]
        rows = list(csv.reader(table.open(encoding="utf-8"), escapechar="\\"))
        wanted, question = asked["targetValue"], asked["utterance"]
        cells = Counter(cell for row in rows[1:] for cell in row)
        for row in rows[1:] if cells[wanted] == 1 and len(wanted) > 1 else ():
            named = any(len(cell) > 3 and cell.lower() in question and cell != wanted for cell in row)
            if wanted in row and named and len(row) == len(rows[0]):
                text = "; ".join(f"{head}: {cell}" for head, cell in zip(rows[0], row, strict=True) if cell)
                if len(text) < 700:
                    yield Pair(
                        "wiki-tables", question, " ".join(text.split()), f"wiki-table:{asked['context']}", wanted
                    )


def _rows(path: Path, dialect: str = "excel") -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file, dialect=dialect))


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", text.lower())
