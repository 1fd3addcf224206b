"""Sets on which a kind of growth can matter: documents whose answers lean on what stands elsewhere, and questions.

Each is made by rules from a fixed seed: invented names and figures in sentences that differ; ``calls`` alone is code
that others wrote. A question names what its passage names and not what that leans on; gold is both. So a set tells
whether a kind does what it is for, and what it costs where room is small, not how often documents need it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

from benchmarks.growth_code import called_code

_SEED = 19
_FIRST = (
    "Har Bel Tor Wes Lin Mar Oss Kel Dun Fen Gral Hol Ist Jor Nor Pel Quen Ros Sund Tal Ulm Ven Wald Yar Zell".split()
)
_LAST = "wick mond ford by stad haven mere burg lund thorpe dal nau sted vik rode holm".split()
_FILLER = (
    "Notices are given in writing and take effect on the working day after they arrive.",
    "Neither side answers for what it could not foresee and could not prevent.",
    "The copy that the office keeps decides where two copies differ.",
    "Visitors sign the book at the gate and wear what they are given there.",
    "Samples are kept for a year in the cold room behind the laboratory.",
    "Whoever leaves last turns off the lamps and locks both doors.",
    "Reports of the month before are laid on the table each first Monday.",
    "The pumps are looked at in spring, and the valves whenever they leak.",
    "Nobody may park before the sluice, which the fire brigade must reach.",
    "Fuel is bought together with the other stations, once a quarter.",
)
Made = tuple[Mapping[str, str], Sequence[tuple[str, Sequence[tuple[str, str]]]]]
"""Documents by name, and questions, each with its gold as (document, words that stand there once)."""


def _names(random: Random, count: int) -> list[str]:
    every = [first + last for first in _FIRST for last in _LAST]
    return random.sample(every, count)


def _filler(random: Random, count: int) -> Iterator[str]:
    for _ in range(count):
        yield f"{random.choice(_FILLER)[:-1]}, as was agreed in {random.randint(1980, 2030)}."


_TERMS = (  # a defined term, its unit, and what somebody does by it
    ("Quarterly Consideration", "crowns", "owe for the berths"),
    ("Delivery Window", "minutes", "keep to when it unloads"),
    ("Liability Cap", "crowns", "rely on after a leak"),
    ("Reference Volume", "litres", "take from the basin"),
    ("Cure Period", "minutes", "observe before it terminates"),
    ("Site Fee", "crowns", "pay for the crane"),
)


def contracts() -> Made:
    """Clauses that use a defined term, and the definition at the contract's beginning."""
    random, documents, questions = Random(_SEED), {}, []
    for name in _names(random, 12):
        file, defined, clauses = f"{name}.md", list[str](), list[str]()
        for at, (term, unit, verb) in enumerate(_TERMS, 1):
            value = f"{random.randint(11, 99)},{random.randint(100, 999)} {unit}"
            defined.append(f"“{term}” means {value}, as Annex {at} has it.")
            line = f"{at + 2}.1 {name} Harbour shall {verb} the {term} and nothing beyond it."
            others = (f"{at + 2}.{sub} {one}" for sub, one in enumerate(_filler(random, 4), 2))
            clauses += [f"{at + 2}. Part {at + 2}", line, *others]
            questions.append((f"What shall {name} Harbour {verb}?", [(file, line), (file, defined[-1])]))
        head = [f"# Agreement with {name} Harbour", "1. Definitions", *defined, "2. General", *_filler(random, 10)]
        documents[file] = "\n\n".join([*head, *clauses]) + "\n"
    return documents, questions


def logs() -> Made:
    """Requests whose entries interleave; the order's number stands in one of them."""
    random, documents, questions = Random(_SEED), {}, []
    ends = ("card declined by the bank", "parcel sent from the depot", "stock empty, order parked", "address not found")
    for name in _names(random, 10):
        entries: list[tuple[int, str, int]] = []
        for number in range(24):
            key, order = f"{random.getrandbits(32):08x}", random.randint(10_000, 99_999)
            said = (
                f"INFO request={key} order {order} came in",
                f"INFO request={key} basket of {random.randint(2, 40)} things",
                f"DEBUG request={key} price {random.randint(100, 9000)} looked up",
                f"WARN request={key} {random.choice(ends)}",
                f"INFO request={key} closed after {random.randint(3, 60)} s",
            )
            begun = 40 * number
            entries += [(begun + 25 * at + random.randint(0, 9), words, order) for at, words in enumerate(said)]
        stamped = [
            (f"2031-03-04 {8 + at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d} {words}", order)
            for at, words, order in sorted(entries)
        ]
        documents[f"{name}.log"] = "\n".join(line for line, _ in stamped) + "\n"
        for order in random.sample(sorted({order for _, order in stamped}), 7):
            gold = [(f"{name}.log", line) for line, own in stamped if own == order]
            questions.append((f"What became of order {order} of shop {name}?", gold))
    return documents, questions


def notes() -> Made:
    """Notes that say little but where it stands, in other notes and other words."""
    random, documents, questions = Random(_SEED), {}, []
    for name in _names(random, 72):
        plan, hours = f"plan-{random.randint(1000, 9999)}", sorted(random.sample(range(5, 23), 3))
        line = f"How the herons of {name} are fed is written down in [the plan]({plan}.md)."
        answer = f"Oats and barley, {random.randint(2, 9)} buckets, at {hours[0]}, {hours[1]} and {hours[2]} o'clock."
        body = list(_filler(random, 12))
        documents[f"{name}.md"] = "\n\n".join([f"# {name}", *body[:6], line, *body[6:]]) + "\n"
        documents[f"{plan}.md"] = "\n\n".join([f"# {plan}", answer, *_filler(random, 3)]) + "\n"
        questions.append((f"How are the herons of {name} fed?", [(f"{name}.md", line), (f"{plan}.md", answer)]))
    return documents, questions


_ACTS = (
    "Open the {} valve",
    "Wait until the {} gauge falls",
    "Close the {} gate",
    "Write the {} reading down",
    "Rinse the {} filter",
    "Tighten the {} bolts",
    "Call the {} station",
    "Start the {} pump",
)


def manuals() -> Made:
    """Procedures as numbered lists; gold is the whole list."""
    random, documents, questions = Random(_SEED), {}, []
    things = "upper lower left right main spare inner outer old new north south".split()
    for name in _names(random, 12):
        parts = [f"# Manual of {name}"]
        for at, work in enumerate(("draining", "filling", "cleaning", "testing", "sealing", "parking"), 1):
            acts = (random.choice(_ACTS).format(random.choice(things)) for _ in range(12))
            steps = "\n".join(f"{step}. {act} {random.randint(2, 90)} times." for step, act in enumerate(acts, 1))
            parts += [f"## {at} On {work} the {name} lock", *_filler(random, 3), f"For {work} it:", steps]
            parts += _filler(random, 3)
            questions.append((f"What are the steps for {work} the {name} lock?", [(f"{name}.md", steps)]))
        documents[f"{name}.md"] = "\n\n".join(parts) + "\n"
    return documents, questions


_PARTS = "hinge crank gasket ratchet sluice winch girder lantern rudder bearing".split()


def interviews() -> Made:
    """Answers that do not say what was asked about, a word or two of a third speaker between them and the question."""
    random, documents, questions = Random(_SEED), {}, []
    for name in _names(random, 12):
        file, turns = f"{name}.txt", list[str]()
        for place, part in zip(_names(random, 12), random.sample(_PARTS * 2, 12), strict=True):
            asked = f"What did they find at the {place} crossing?"
            days, year = random.randint(2, 90), random.randint(1950, 2030)
            told = f"A worn {part} of {year}, so it stayed shut for {days} days and a ferry went in its place."
            aside = random.choice(("Closer to the microphone, please.", "One moment, the tape is turned."))
            talk, wide = (" ".join(_filler(random, count)) for count in (2, 7))
            turns += [f"Ines Roth: {asked}", f"Clerk: {aside}", f"Tom Vale: {wide} {told}", f"Clerk: {talk}"]
            if len(turns) % 8 == 0:  # of every other one it is asked
                wanted = (
                    f"In the talk at {name}, how long was it shut for the worn {part} of {year}, and where was that?"
                )
                questions.append((wanted, [(file, asked), (file, told)]))
        documents[file] = f"Talk at {name}\n\n" + "\n\n".join(turns) + "\n"
    return documents, questions


SETS: dict[str, Callable[[], Made]] = {
    "contracts": contracts,
    "logs": logs,
    "notes": notes,
    "manuals": manuals,
    "interviews": interviews,
    "calls": called_code,
}


def write(name: str, folder: Path) -> Path:
    """A set as a suite's folder. Raises ``ValueError`` where gold is not found just once."""
    documents, questions = SETS[name]()
    (folder / "documents").mkdir(parents=True, exist_ok=True)
    for document, text in documents.items():
        (folder / "documents" / document).parent.mkdir(parents=True, exist_ok=True)
        (folder / "documents" / document).write_text(text, encoding="utf-8")
    with (folder / "questions.jsonl").open("w", encoding="utf-8") as lines:
        for number, (question, gold) in enumerate(questions):
            spans = []
            for document, words in gold:
                if documents[document].count(words) != 1:
                    raise ValueError(f"{document} does not hold {words!r} just once.")
                start = documents[document].index(words)
                spans.append({"document": document, "start": start, "end": start + len(words)})
            lines.write(json.dumps({"id": f"{name}-{number}", "question": question, "gold": spans}) + "\n")
    return folder
