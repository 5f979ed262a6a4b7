"""With which seeds the figures of the studies hold: the report repeated, in several processes."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from textwrap import wrap
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.lab.study_report import report, short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from zmon.lab.model import StudyFigure
    from zmon.lab.study_report import ReportLine

SEED_HEADINGS: Final = (
    "scenario",
    "figure",
    "from",
    "to",
    "holds",
    "seeds",
    "lowest",
    "highest",
    "basis",
    "place",
)
NICE: Final = 10
WIDTH: Final = 140
"""Characters of the longest line of a reason; the lines of figures are as long."""


class SeedLine(NamedTuple):
    """One figure, and what the model gives with each seed."""

    scenario: str
    figure: StudyFigure
    values: tuple[float, ...]

    @property
    def holding(self) -> int:
        """With how many seeds it is within its bounds."""
        return sum(self.figure.low <= value <= self.figure.high for value in self.values)

    def cells(self) -> tuple[str, ...]:
        """Return it as texts, under `SEED_HEADINGS`."""
        figure, values = self.figure, self.values
        return (
            self.scenario, figure.name, f"{figure.low:g}", f"{figure.high:g}", str(self.holding),
            str(len(values)), short(min(values)), short(max(values)), figure.basis, figure.place,
        )  # fmt: skip


def seed_report(
    names: Sequence[str], seeds: Sequence[int], progress: Callable[[int], object] = int
) -> list[SeedLine]:
    """Return the figures of scenarios with each of the seeds.

    Args:
        names: of the scenarios, or their paths.
        seeds: one simulation of all scenarios for each.
        progress: is called with the number of seeds that are done.

    Raises:
        ScenarioError, MeasureError, OSError: see `report`.
    """
    reports: list[list[ReportLine]] = []
    with ProcessPoolExecutor(initializer=os.nice, initargs=(NICE,)) as pool:
        for lines in pool.map(partial(_lines, tuple(names)), seeds):
            reports.append(lines)
            progress(len(reports))
    return [
        SeedLine(same[0].plan.name, same[0].figure, tuple(line.value for line in same))
        for same in zip(*reports, strict=True)
    ]


def _lines(names: tuple[str, ...], seed: int) -> list[ReportLine]:
    return list(report(names, seed))


def seed_text(lines: Iterable[SeedLine]) -> Iterator[str]:
    """Yield the report as a person reads it in a terminal, with the reason where a figure differs."""
    for line in lines:
        name = f"{line.scenario}: {line.figure.name}"
        bounds = f"{line.figure.low:g} to {line.figure.high:g}"
        values = f"{short(min(line.values))} to {short(max(line.values))}"
        holding = f"{line.holding} of {len(line.values)}"
        yield f"{name:<92} {bounds:>14} {values:>16} {holding:>11} {line.figure.basis}"
        if line.figure.differs and line.holding < len(line.values):
            yield from wrap(
                f"differs: {line.figure.differs}", WIDTH, initial_indent="  ", subsequent_indent="  "
            )
