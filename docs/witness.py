"""Write the tables of docs/witness.md: what zmon says of the machines of tests/witness, beside the truth."""

from __future__ import annotations

import os
import re
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Final

from docs.whole import write_whole
from tests.witness.answers import OUTCOMES, ask
from tests.witness.looks import MODES, SAME
from tests.witness.machines import MACHINES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.witness.answers import Answer
    from tests.witness.looks import Look
    from tests.witness.parts import Machine

FILE: Final = os.path.join(os.path.dirname(os.path.abspath(__file__)), "witness.md")
CONFIDENCES: Final = ("certain", "likely", "possible")
SCORES: Final = f"| measured | {' | '.join(OUTCOMES)} |\n|{' --- |' * (len(OUTCOMES) + 1)}\n"
CLAIMS: Final = "| confidence | right | other |\n| --- | --- | --- |\n"
MEASURED: Final = " | ".join(look.name for look in MODES)
ANSWERS: Final = f"| machine | truth | {MEASURED} | changes |\n|{' --- |' * (len(MODES) + 3)}\n"
SENTENCES: Final = "| machine | measured | zmon says |\n| --- | --- | --- |\n"
HEADS: Final = (SCORES, CLAIMS, ANSWERS, SENTENCES)
"""The heads of the tables, in their order."""


def cell(machine: Machine, look: Look, answer: Answer) -> str:
    """Return an answer in words: what it is, the first diagnosis, how sure that is."""
    outcome = answer.outcome(machine, look)
    return f"{outcome}: {answer.first} {answer.confidence}" if answer.first else outcome


def rows(name: str) -> tuple[str, str]:
    """Return the row of a machine among the answers, and its sentences where they are not right."""
    machine = MACHINES[name]
    truth = machine.truth
    answers = [ask(machine, look) for look in MODES]
    cells = [cell(machine, look, answer) for look, answer in zip(MODES, answers, strict=True)]
    changed = []
    for look in SAME:
        answer = ask(machine, look)
        if answer.first != answers[0].first:
            changed.append(f"{look.name}: {answer.first or 'none'}")
    said = f"{truth.says} ({', '.join(truth.first)})" if truth.first else truth.says
    row = f"| {name} | {said} | {' | '.join(cells)} | {', '.join(changed) or 'none'} |\n"
    sentences = [
        f"| {name} | {look.name} | {answer.sentence.replace('|', '/')} |\n"
        for look, answer in zip(MODES, answers, strict=True)
        if answer.outcome(machine, look) != "right"
    ]
    return row, "".join(sentences)


def cells_of(row: str) -> list[str]:
    """Return the cells of a row of a table."""
    return [part.strip() for part in row.strip().strip("|").split(" | ")]


def score(answers: Iterable[str]) -> dict[str, Counter[str]]:
    """Return for each mode how many answers are right, and so on, from the rows of the table."""
    listed = [cells_of(row) for row in answers]
    return {
        look.name: Counter(row[at].partition(":")[0] for row in listed) for at, look in enumerate(MODES, 2)
    }


def claims(answers: Iterable[str]) -> dict[str, Counter[bool]]:
    """Return for each confidence how many first claims are right, and how many are not."""
    counts: dict[str, Counter[bool]] = {confidence: Counter() for confidence in CONFIDENCES}
    for row in answers:
        for said in cells_of(row)[2 : 2 + len(MODES)]:
            outcome, _, claim = said.partition(": ")
            if claim:
                counts[claim.split()[1]][outcome == "right"] += 1
    return counts


def table(page: str, head: str) -> list[str]:
    """Return the rows below a head."""
    return re.findall(r"\|.*\n", page.partition(head)[2].partition("\n\n")[0] + "\n")


def page(written: str, made: Iterable[tuple[str, str]]) -> str:
    """Return the page with tables of these rows in the place of those that were written."""
    answers, sentences = zip(*made, strict=True)
    contents = {
        SCORES: "".join(
            f"| {name} | {' | '.join(str(counts[outcome]) for outcome in OUTCOMES)} |\n"
            for name, counts in score(answers).items()
        ),
        CLAIMS: "".join(
            f"| {confidence} | {counts[True]} | {counts[False]} |\n"
            for confidence, counts in claims(answers).items()
        ),
        ANSWERS: "".join(answers),
        SENTENCES: "".join(sentences),
    }
    for head, content in contents.items():
        before, found, after = written.partition(head)
        _, gap, rest = f"\n{after}".partition("\n\n")
        written = f"{before}{found}{content}{gap[1:]}{rest}"
    return written


if __name__ == "__main__":
    with ProcessPoolExecutor() as workers:
        made = list(workers.map(rows, MACHINES))
    with open(FILE, encoding="utf-8") as stream:
        written = stream.read()
    write_whole(FILE, page(written, made))
