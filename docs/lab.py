"""Write the chapter on scenarios of docs/lab.md: what each follows, what the model gives, what is assumed.

    python docs/lab.py

It simulates all of them, which takes about half a minute.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from docs.whole import write_whole
from zmon.lab.scenario import load_scenario, names
from zmon.lab.study_report import report, short

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zmon.lab.model import Scenario
    from zmon.lab.study_report import ReportLine

FILE: Final = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lab.md")
BEGIN: Final = "<!-- Written by `python docs/lab.py`; do not edit below. -->\n"


def chapter(lines: Iterable[ReportLine]) -> str:
    """Return the chapter, from the scenarios and the figures that the model gives."""
    found = list(lines)
    return "\n".join(
        row
        for name in names()
        for row in _section(load_scenario(name), [line for line in found if line.plan.name == name])
    )


def _section(plan: Scenario, lines: list[ReportLine]) -> Iterator[str]:
    yield from (f"### {plan.name}", "", f"*{plan.title}.* {' '.join(plan.text.split())}", "")
    if lines:
        yield "| figure | bounds | model | | basis | what the study says | place | why these bounds |"
        yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
        yield from (_row(line) for line in lines)
        yield ""
    if plan.assumed:
        yield from ("Assumed:", "", *(f"* {one}" for one in plan.assumed), "")


def _row(line: ReportLine) -> str:
    name, study, low, high, why, _measure, basis, place, differs = line.figure
    model = f"{short(line.value)} | {line.verdict} | {basis}"
    reason = f"{why}. It differs: {differs}" if differs else why
    return f"| {name} | {low:g} to {high:g} | {model} | {study} | {place} | {reason} |"


def page(text: str, lines: Iterable[ReportLine]) -> str:
    """Return the whole page, its chapter written anew."""
    return text.partition(BEGIN)[0] + BEGIN + "\n" + chapter(lines)


def main() -> int:
    """Write the page."""
    with open(FILE, encoding="utf-8") as file:
        text = file.read()
    write_whole(FILE, page(text, report(names())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
