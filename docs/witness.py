"""Write the tables of docs/witness.md from what tests/golden/witness holds of each machine.

`make goldens` asks zmon about the machines and then writes the page.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from docs.whole import write_whole
from tests.goldens import GOLDEN
from tests.witness.answers import OUTCOMES
from tests.witness.looks import MODES
from tests.witness.machines import MACHINES

if TYPE_CHECKING:
    from collections.abc import Iterable

FILE: Final = Path(__file__).parent / "witness.md"
CONFIDENCES: Final = ("certain", "likely", "possible")
SCORES: Final = f"| measured | {' | '.join(OUTCOMES)} |\n|{' --- |' * (len(OUTCOMES) + 1)}\n"
CLAIMS: Final = "| confidence | right | other |\n| --- | --- | --- |\n"
OTHER: Final = (
    f"| machine and truth | {' | '.join(look.name for look in MODES)} |\n|{' --- |' * (len(MODES) + 1)}\n"
)


class Held(NamedTuple):
    """What is held of one machine."""

    truth: str
    answers: tuple[str, ...]
    """Of each mode: the outcome, and the first diagnosis with its confidence."""
    changes: str
    """Where another look has another first diagnosis; `none` if none has."""


def held(name: str) -> Held:
    """Return what is held of a machine."""
    first = (GOLDEN / "witness" / f"{name}.txt").read_text(encoding="utf-8").partition("\n")[0]
    truth, *answers, changes = first.split(" | ")
    return Held(truth, tuple(answers), changes)


def cells_of(row: str) -> list[str]:
    """Return the cells of a row of a table."""
    return [part.strip() for part in row.strip().strip("|").split(" | ")]


def table(page: str, head: str) -> list[str]:
    """Return the rows below a head."""
    return re.findall(r"\|.*\n", page.partition(head)[2].partition("\n\n")[0] + "\n")


def score(machines: Iterable[Held]) -> dict[str, Counter[str]]:
    """Return for each mode how many answers are right, and so on."""
    listed = [machine.answers for machine in machines]
    return {
        look.name: Counter(answers[at].partition(":")[0] for answers in listed)
        for at, look in enumerate(MODES)
    }


def claims(machines: Iterable[Held]) -> dict[str, Counter[bool]]:
    """Return for each confidence how many first claims are right, and how many are not."""
    counts: dict[str, Counter[bool]] = {confidence: Counter() for confidence in CONFIDENCES}
    for machine in machines:
        for answer in machine.answers:
            outcome, _, claim = answer.partition(": ")
            if claim:
                counts[claim.split()[1]][outcome == "right"] += 1
    return counts


def page(written: str) -> str:
    """Return the page with tables of what is held now in the place of those that were written."""
    machines = [held(name) for name in MACHINES]
    other = (
        f"| {name}: {machine.truth} | {' | '.join(machine.answers)} |\n"
        for name, machine in zip(MACHINES, machines, strict=True)
        if any(not answer.startswith("right") for answer in machine.answers)
    )
    contents = {
        SCORES: "".join(
            f"| {name} | {' | '.join(str(counts[outcome]) for outcome in OUTCOMES)} |\n"
            for name, counts in score(machines).items()
        ),
        CLAIMS: "".join(
            f"| {confidence} | {counts[True]} | {counts[False]} |\n"
            for confidence, counts in claims(machines).items()
        ),
        OTHER: "".join(other),
    }
    for head, content in contents.items():
        before, found, after = written.partition(head)
        _, gap, rest = f"\n{after}".partition("\n\n")
        written = f"{before}{found}{content}{gap[1:]}{rest}"
    return written


if __name__ == "__main__":
    write_whole(FILE, page(FILE.read_text(encoding="utf-8")))
