"""Write the table of docs/diagnosis.md: the verdict on each scenario of the laboratory."""

from __future__ import annotations

import os
from itertools import groupby
from typing import TYPE_CHECKING, Final

from docs.whole import write_whole
from zmon.diagnosis.judged import verdict_of
from zmon.lab.scenario import load_scenario, names
from zmon.machine.view import no_inputs
from zmon.session.machines import open_lab
from zmon.session.navigator import Navigator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.diagnosis.diagnosis import Verdict

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "diagnosis.md")
HEAD = "| scenario | phase | diagnoses | verdict |\n| --- | --- | --- | --- |\n"
SECOND: Final = 1_000_000_000


def verdicts(name: str) -> Iterator[tuple[str, Verdict]]:
    """Yield each phase of a scenario, with the verdict on its last interval."""
    plan, navigator = load_scenario(name), Navigator(open_lab(f"lab:{name}"))
    end = float(plan.begin)
    for phase in plan.phases:
        end += phase.seconds
        navigator.seek(round(end * SECOND))
        view = navigator.view()
        if view is not None:
            view.inputs = no_inputs
            yield phase.name, verdict_of(view)


def ids(found: Verdict) -> str:
    """Return the diagnoses in words: those that explain the others first."""
    shown = [f"**{one.id}** {one.confidence}" for one in found.diagnoses]
    shown += [f"{one.id} by {by}" for one, by in found.explained]
    return ", ".join(shown) or "none"


def rows(name: str) -> str:
    """Return the rows of a scenario: phases that follow one another with the same diagnoses are one."""
    found = []
    for shown, phases in groupby(verdicts(name), lambda each: ids(each[1])):
        each = list(phases)
        words = each[-1][1].sentence.replace("|", "/")
        found.append(f"| {name} | {', '.join(phase for phase, _ in each)} | {shown} | {words} |\n")
    return "".join(found)


def page(written: str) -> str:
    """Return the page with the table of now in the place of that which was written."""
    before, head, _ = written.partition(HEAD)
    return f"{before}{head}{''.join(map(rows, names()))}"


if __name__ == "__main__":
    with open(FILE, encoding="utf-8") as stream:
        written = stream.read()
    write_whole(FILE, page(written))
