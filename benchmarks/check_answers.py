"""How often the check of sentences sees what was altered in them, and how often it doubts what is right.

    python -m benchmarks.check_answers FOLDER... [--each 150] [--seed 1] [--json FILE] [--wrong] [--code]

FOLDER holds documents of any kind (data/samples/documents). Pairs are made of their real sentences: each is changed in
one thing, or said otherwise without changing what it says, by rules (``benchmarks/check_answers_changes.py``), and held
against the ten sentences around its place as an answer would be held against a passage. An altered sentence is *seen*
where it is not "supported"; a faithful one is a *false alarm* where it is not. ``--code``: the same of a few lines of
programs (``benchmarks/check_answers_code.py``), whose every claim has to be supported.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from benchmarks.check_answers_changes import ALTERED, FAITHFUL, Change, Pool
from benchmarks.check_answers_code import CODE_ALTERED, CODE_FAITHFUL, quotes
from core.errors import LecternError
from core.evidence import Passage
from core.ingest.gathering import find_files
from core.parsing import parse
from core.search.answer.prose import is_prose
from core.search.checking.checking import SUPPORTED, Checker, Verdict
from core.search.checking.claims import Claim, claims
from core.search.checking.facts import facts
from core.search.checking.library_check import packaged_judge
from core.settings import ParsingSettings
from core.text.sentences import asks, is_ended, sentence_spans
from core.types import Span

ROOT = Path(__file__).resolve().parents[1]
AROUND = 5  # sentences on each side
LENGTHS = range(7, 45)  # words


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str
    passage: Passage


def sentences(folder: Path, code: bool, chance: random.Random) -> Iterator[Sentence]:
    """The prose of all documents below a folder, each sentence with the passage around it, or lines of programs."""
    items, _ = find_files([str(folder)], ROOT / "data" / "library", [])
    for item in items:
        try:
            document = parse(item.path.read_bytes(), item.path.name, ParsingSettings())
        except LecternError as error:
            print(f"{item.name}: {error}", file=sys.stderr)
            continue
        if code:
            for start, end in quotes(document.text, chance) if document.kind == "code" else ():
                text = document.text[start:end]
                whole = passage(document.title, item.name, document.text, max(0, start - 600), end + 600)
                yield Sentence(text, whole)
            continue
        spans = sentence_spans(document.text)
        for at, span in enumerate(spans):
            text = document.text[span.start : span.end]
            if len(text.split()) not in LENGTHS or not is_ended(text) or asks(text) or not is_prose(text):
                continue
            if not text[0].isupper():
                continue
            start, end = spans[max(0, at - AROUND)].start, spans[min(len(spans) - 1, at + AROUND)].end
            yield Sentence(" ".join(text.split()), passage(document.title, item.name, document.text, start, end))


def passage(title: str, name: str, text: str, start: int, end: int) -> Passage:
    return Passage(name, title, name, start, end, text[start:end], 0, (), (), 1, 1.0, "")


def pairs(
    found: Sequence[Sentence], each: int, chance: random.Random, changes: Mapping[str, Change]
) -> Iterator[tuple[str, str, Sentence]]:
    """``(kind, claim, sentence)``: up to ``each`` of every kind, drawn from sentences in an order of their own."""
    pool = Pool([name for one in found for name in facts(one.text).names], [one.text for one in found])
    for kind, change in changes.items():
        order = list(found)
        chance.shuffle(order)
        made = 0
        for one in order:
            claim = change(one.text, one.passage.text, pool, chance)
            if claim is not None and made < each and (claim != one.text or kind == "verbatim"):
                made += 1
                yield kind, claim, one


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--each", type=int, default=150, help="pairs of each kind, at most (default: 150)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write the figures")
    parser.add_argument("--code", action="store_true", help="lines of programs in place of sentences")
    parser.add_argument("--wrong", action="store_true", help="print every pair that was judged wrongly")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    found = [one for folder in options.folders for one in sentences(folder, options.code, chance)]
    altered, faithful = (CODE_ALTERED, CODE_FAITHFUL) if options.code else (ALTERED, FAITHFUL)
    verdicts: dict[str, list[Verdict]] = defaultdict(list)
    begun = perf_counter()
    for kind, claim, one in pairs(found, options.each, random.Random(options.seed), {**altered, **faithful}):
        checker = Checker([one.passage], packaged_judge)
        said = claims(claim) if options.code else [Claim(claim, Span(0, len(claim)))]
        told = [checker.check(replace(part, cited=())) for part in said]
        verdict = next((part for part in told if part.verdict != SUPPORTED), told[0])
        verdicts[kind].append(verdict)
        if options.wrong and (verdict.verdict == SUPPORTED) != (kind in faithful):
            print(f"{kind}: {verdict.verdict}: {verdict.reason}\n  said  {one.text}\n  claim {claim}")
    seconds = perf_counter() - begun
    figures = {kind: dict(Counter(one.verdict for one in told)) for kind, told in verdicts.items()}
    total = sum(map(len, verdicts.values()))
    print(f"{len(found):,} sentences, {total:,} pairs, {1000 * seconds / max(1, total):.0f} ms a pair")
    print(f"{'':28}{'pairs':>6}{'seen':>7}   partly  not found")
    for kind, told in verdicts.items():
        count = Counter(one.verdict for one in told)
        share = 1 - count[SUPPORTED] / len(told)
        said = "false alarms" if kind in faithful else "seen"
        print(f"{kind:14}{said:14}{len(told):6}{share:7.3f}{count['partly']:9}{count['not_found']:11}")
    if options.json:
        options.json.write_text(json.dumps({"sentences": len(found), "verdicts": figures}, indent=1), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
