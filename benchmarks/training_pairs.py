"""Pairs to train the re-ranker on, of public repositories: paragraphs, options, defaults, parameters, cells of sheets.

    python -m benchmarks.training_pairs --squad-train DIR --squad-dev DIR --unanswerable DIR --shifts DIR --filings DIR
        --curl DIR --prometheus DIR --tables DIR --stories DIR --wiki-tables DIR --out FILE.jsonl.gz [--seed 6]

DIR: pages of SQuAD's articles, questions made from them, and the folders with the files of
modestyachts/squadshifts-website, whose ``new_wiki`` is left to measure on, of TAT-QA, FairytaleQA and
WikiTableQuestions (``training_pairs_squad``); checkouts of curl, prometheus and fivethirtyeight/data; parameters are
read from the docstrings of numpy, pandas, scikit-learn and scipy as installed. Of those four the questions are made by
rule, people asked all others: the default of an option and the option that does a thing, the cell of a row and a
column. Some are nearly answered and not ``answerable``: the default of what has none, an option with another's word in
it, the row of another, a column that is not there. The documents of ``benchmarks/hour`` are left out. The pairs are no
part of the project.
"""

from __future__ import annotations

import argparse
import ast
import csv
import gzip
import importlib.util
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.reranker.pairs import Pair
from benchmarks.training_pairs_squad import (
    PARTS,
    of_filings,
    of_json,
    of_squad,
    of_stories,
    of_wiki_tables,
    with_missed,
)

DEFAULTS = (
    "What is the default {words} of {of}?",
    "What is the default of {name} in {of}?",
    "What is the default of `{name}` in {of}?",
    "Which {words} does {of} use unless told otherwise?",
    "What is {name} by default?",
    "What {words} does {of} have if none is given?",
    "default {words} {of}",
    "{of} default {name}",
)
DOES = (
    "Which {kind} of {of} {third} {rest}?",
    "How do I {does} with {of}?",
    "Which {kind} makes {of} {does}?",
    "How can {of} {does}?",
    "{of} {does}",
)
SETS = (
    "Which {kind} of {of} sets the {does}?",
    "Which {kind} is for the {does}?",
    "How do I set the {does} in {of}?",
    "{of} {kind} for {does}",
)
CELLS = (
    "What is the {head} of {row}?",
    "What {head} does {row} have?",
    "What was the {head} for {row}?",
    "What is {row}'s {head}?",
    "{row} {head}",
    "{head} of {row}",
)
ABSENT = ("population", "price", "share abroad", "rank in 2031", "first owner", "weight", "revenue", "opening year")
VERBS = frozenset(
    "show set use make write read send allow enable disable print ignore include exclude limit suppress "
    "follow force keep add remove skip store load run wait return create delete change specify tell "
    "provide define select pass fail retry resolve display output switch turn put get reject accept "
    "request verify require convert save restrict append continue start stop connect".split()
)
OF_THE_HOUR = re.compile(
    r"candy|drug-use|police-locals|airline|bad-drivers|college-majors|alcohol|urbaniz|forecast|predictions|polls"
)
LIBRARIES = ("numpy", "pandas", "scipy", "sklearn")
MOST = {"docstrings": 900, "tables": 1100}  # of a source made by rule, answerable and not each; 500 of the others


@dataclass(frozen=True, slots=True)
class Entry:
    """What is said of an option at ``text``. ``term``: as written; ``does``: its first sentence, "" for none."""

    name: str
    term: str
    text: str
    default: str
    does: str = ""


def spoken(name: str) -> str:
    """
    >>> spoken("max_iter"), spoken("scrapeInterval")
    ('max iter', 'scrape interval')
    """
    return re.sub(r"[_.-]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)).strip().lower()


def once(answer: str, text: str) -> bool:
    """Whether it stands there once, as whole words: of several places one would be marked by chance."""
    return len(re.findall(rf"(?<!\w){re.escape(answer)}(?!\w)", text)) == 1


def asked_of(entry: Entry, of: str, kind: str, choose: random.Random) -> str:
    """The question which option does what an entry says."""
    does = " ".join(re.sub(r"\(.*?\)", "", entry.does).strip(" .").split()[:12])
    does = does[:1].lower() + does[1:]
    verb, _, rest = does.partition(" ")
    template = choose.choice(DOES if verb in VERBS else SETS)
    return template.format(kind=kind, of=of, does=does, third=f"{verb}s", rest=rest)


def of_entries(
    source: str, pool: str, of: str, kind: str, entries: Sequence[Entry], choose: random.Random
) -> Iterator[Pair]:
    """Pairs of options that are told of one after the other; a passage holds up to five of them."""
    others = [word for entry in entries for word in re.findall(r"[A-Za-z][\w-]{3,}", entry.does)]
    for at, entry in enumerate(entries):
        near = entries[max(0, at - choose.randint(0, 2)) : at + 1 + choose.randint(0, 2)]
        passage = "\n\n".join(one.text for one in near)[:1100]
        passage = passage if entry.text in passage else entry.text
        template = choose.choice(DEFAULTS)
        question = template.format(words=spoken(entry.name), name=entry.name, of=of)
        if entry.default and once(entry.default, passage):
            yield Pair(source, question, passage, pool, entry.default)
        elif not entry.default and "efault" not in entry.text:
            yield Pair(source, question, entry.text[:500], pool, entry.term, answerable=False)
        if len(entry.does) > 15 and once(entry.term, passage):
            question = asked_of(entry, of, kind, choose)
            yield Pair(source, question, passage, pool, entry.term)
            own = [word for word in re.findall(r"[A-Za-z][\w-]{3,}", entry.does)[1:] if word in question]
            other = choose.choice(others)
            if own and choose.random() < 0.3 and other.lower() not in entry.text.lower():
                missed = question.replace(choose.choice(own), other, 1)
                yield Pair(source, missed, entry.text[:500], pool, entry.term, answerable=False)


def of_curl(root: Path, choose: random.Random) -> Iterator[Pair]:
    """Pairs of the options of curl, each a Markdown file with a head."""
    entries: list[Entry] = []
    for path in sorted((root / "docs" / "cmdline-opts").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        told = dict(re.findall(r"^(Long|Arg|Help): (.+)$", text, re.MULTILINE))
        if "Long" in told and "Help" in told:
            body = re.sub(r"\n{2,}", "\n", re.sub(r"^# .*\n+", "", text.split("---", 2)[-1].strip()))[:500]
            default = re.search(r"[Dd]efaults?(?: value)?(?: is| to|:) ([\w.\"'/-]{1,20}[\w\"'])(?=[\s.,)])", body)
            term = f"--{told['Long']}"
            head = f"{term} {told.get('Arg', '')}".strip()
            entries.append(
                Entry(told["Long"], term, f"{head}\n{body}", default[1] if default else "", told["Help"].strip())
            )
    for part in range(0, len(entries), 40):
        shown = entries[part : part + 40]
        yield from of_entries("options-curl", f"curl:part{part // 40}", "curl", "option", shown, choose)


def of_prometheus(root: Path, choose: random.Random) -> Iterator[Pair]:
    """Pairs of the flags of Prometheus, rows of a table, and of its settings, each below a comment."""
    for name in ("prometheus", "promtool"):
        flags: list[Entry] = []
        for line in (root / "docs" / "command-line" / f"{name}.md").read_text(encoding="utf-8").splitlines():
            cells = [cell.strip() for cell in line.split("|")[1:-1]]
            found = re.search(r">(--[\w.-]+)<", cells[0]) if len(cells) == 3 else None
            if found:
                default = cells[2].strip("`")
                text = f"Flag: {found[1]}; Description: {cells[1]}" + (f"; Default: {default}" if default else "")
                flags.append(Entry(found[1][2:], found[1], text, default, cells[1].split(". ")[0]))
        yield from of_entries("options-prometheus", f"prometheus:{name}", name, "flag", flags, choose)
    text = (root / "docs" / "configuration" / "configuration.md").read_text(encoding="utf-8")
    settings = [
        Entry(found[2], found[2], found[0], found[3], " ".join(re.findall(r"# (.*)", found[1])).split(". ")[0])
        for found in re.finditer(r"((?:^ *# .*\n)+) *\[ (\w+): .*?\| default = ([^\]\n]+?) \]", text, re.MULTILINE)
    ]
    pool = "prometheus:configuration"
    yield from of_entries("options-prometheus", pool, "Prometheus", "setting", settings, choose)


def of_docstrings(library: str, choose: random.Random, most: int = 200) -> Iterator[Pair]:
    """Pairs of the parameters of ``most`` functions and classes of an installed library."""
    found = importlib.util.find_spec(library)
    paths = sorted(Path(found.origin).parent.rglob("*.py")) if found and found.origin else []
    choose.shuffle(paths)
    taken = 0
    for path in paths:
        if taken >= most:
            return
        if "test" in str(path):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ClassDef | ast.FunctionDef) or node.name.startswith("_"):
                continue
            said = re.search(
                r"Parameters\n-+\n(.*?)(?:\n\n(?=\w[^\n]*\n-+\n)|\Z)", ast.get_docstring(node) or "", re.DOTALL
            )
            entries = list(_parameters(said[1])) if said else []
            pool = f"{library}:{path.stem}"
            for entry in entries:
                values = re.search(r"\{[^}]{4,60}\}", entry.text.partition("\n")[0])
                if values and once(values[0], entry.text):
                    asked = f"Which values does {entry.name} of {node.name} take?"
                    yield Pair("docstrings", asked, entry.text, pool, values[0])
            if len(entries) > 1:
                taken += 1
                yield from of_entries("docstrings", pool, node.name, "parameter", entries[:8], choose)


def _parameters(text: str) -> Iterator[Entry]:
    for part in re.split(r"\n(?=\w[\w, *]* ?: )", text):
        head = re.match(r"(\w+) ?: (.*)", part)
        if head:
            default = re.search(r"default(?:=| is |: ?| )`{0,2}([\w.'\"+-]{1,25})", head[2]) or re.search(
                r"[Dd]efaults? (?:is|to|value is|=) ?`{0,2}([\w.'\"-]{1,20}\w)", part
            )
            yield Entry(head[1], head[1], part.strip()[:450], default[1].rstrip(".") if default else "")


def of_tables(root: Path, choose: random.Random) -> Iterator[Pair]:
    """Pairs of the rows of sheets, four of a folder: read as the answer line does, each value with its header."""
    taken: Counter[str] = Counter()
    for path in sorted(root.rglob("*.csv")):
        if OF_THE_HOUR.search(str(path.relative_to(root))) or taken[str(path.parent)] == 4:
            continue
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            heads, *rows = list(csv.reader(file))[:400] or [[]]
        rows = [row for row in rows if len(row) == len(heads)]
        names = next((at for at in range(len(heads)) if _names(rows, at)), None)
        if len(rows) < 5 or not 2 <= len(heads) <= 14 or names is None:
            continue
        taken[str(path.parent)] += 1
        for row in choose.sample(rows, min(26, len(rows))):
            text = "; ".join(f"{head}: {value}" for head, value in zip(heads, row, strict=True) if value)
            at = choose.choice([at for at in range(len(heads)) if at != names])
            template, other = choose.choice(CELLS), choose.choice(rows)[names]
            pool, answer = f"table:{spoken(path.stem).replace(' ', '_')}", row[at]
            question = template.format(head=spoken(heads[at]), row=row[names])
            if len(text) > 420 or not answer:
                continue
            if once(answer, text):
                yield Pair("tables", question, text, pool, answer)
            if other not in text and choose.random() < 0.35:
                missed = template.format(head=spoken(heads[at]), row=other)
                yield Pair("tables", missed, text, pool, answer, answerable=False)
            elif choose.random() < 0.25:
                missed = template.format(head=choose.choice(ABSENT), row=row[names])
                yield Pair("tables", missed, text, pool, answer, answerable=False)


def _names(rows: Sequence[Sequence[str]], at: int) -> bool:
    """Whether a column tells the rows apart by words."""
    words = sum(re.search("[A-Za-z]{3}", row[at]) is not None and len(row[at]) < 40 for row in rows)
    return bool(rows) and words > 0.9 * len(rows) and len({row[at] for row in rows}) > 0.9 * len(rows)


def main() -> None:
    """Write the pairs."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    folders = "squad-train squad-dev unanswerable shifts filings curl prometheus tables stories wiki-tables"
    for name in (*folders.split(), "out"):
        options.add_argument(f"--{name}", type=Path, required=True)
    options.add_argument("--seed", type=int, default=6)
    given = options.parse_args()
    choose = random.Random(given.seed)
    asked = [*with_missed(of_squad(given.squad_train, "squad", PARTS), given.unanswerable)]
    asked += of_squad(given.squad_dev, "squad-dev")
    for name in ("reddit", "amazon_reviews"):
        asked += of_json(given.shifts / f"{name}_v1.0.json", name)
    for name in ("dev", "test_gold"):
        asked += of_filings(given.filings / f"tatqa_dataset_{name}.json")
    asked += [*of_stories(given.stories), *of_wiki_tables(given.wiki_tables)]
    made = [*of_curl(given.curl, choose), *of_prometheus(given.prometheus, choose), *of_tables(given.tables, choose)]
    for library in LIBRARIES:
        made += of_docstrings(library, choose)
    choose.shuffle(made)
    taken: Counter[tuple[str, bool]] = Counter()
    with gzip.open(given.out, "wt", encoding="utf-8") as lines:
        for at, pair in enumerate([*asked, *made]):
            kind = pair.source, pair.answerable
            if at < len(asked) or (taken[kind] < MOST.get(pair.source, 500) and 12 < len(pair.question) < 160):
                taken[kind] += 1
                lines.write(json.dumps(asdict(pair)) + "\n")
    print("\n".join(f"{source}, answerable {answerable}: {count}" for (source, answerable), count in taken.items()))


if __name__ == "__main__":
    main()
