"""What the scenarios are to reproduce, and what the model gives."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.lab.measure import MeasureError, measured, parse_measure
from zmon.lab.scenario import load_scenario
from zmon.lab.simulation import Simulation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zmon.lab.model import Scenario, StudyFigure

HEADINGS: Final = (
    "scenario", "figure", "study", "from", "to", "model", "verdict", "why these bounds", "basis", "place",
    "why it differs",
)  # fmt: skip


class ReportLine(NamedTuple):
    """One figure, and what the model gives."""

    plan: Scenario
    figure: StudyFigure
    value: float

    @property
    def holds(self) -> bool:
        """Whether it is within the bounds that follow from the study."""
        return self.figure.low <= self.value <= self.figure.high

    @property
    def verdict(self) -> str:
        """The same in a word; `differs` where the scenario says why the model cannot give it."""
        return "holds" if self.holds else "differs" if self.figure.differs else "FAILS"

    def cells(self) -> tuple[str, ...]:
        """Return it as texts, under `HEADINGS`."""
        name, study, low, high, why, _measure, *rest = self.figure
        model = short(self.value)
        return self.plan.name, name, study, f"{low:g}", f"{high:g}", model, self.verdict, why, *rest


def short(value: float) -> str:
    """Return a number with three digits that count, or all before the point."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:#.3g}"


def report(names: Iterable[str], seed: int | None = None) -> Iterator[ReportLine]:
    """Yield the figures of scenarios as the model gives them, which may compare with other scenarios.

    All are simulated with their own seed, or with the one that is given.

    Raises:
        ScenarioError: one cannot be used.
        MeasureError: what is to be measured is not there.
        OSError: a file cannot be read.
    """
    run = cache(lambda name: Simulation(_to_measure(load_scenario(name), seed)))
    for name in names:
        own = run(name)
        for figure in own.plan.figures:
            try:
                values = [
                    measured(run(measure.scenario) if measure.scenario else own, measure)
                    for measure in parse_measure(figure.measure)
                ]
                value = values[0] / values[1] if len(values) == 2 else values[0]
            except ZeroDivisionError:
                raise MeasureError(
                    f"{name}: {figure.measure}: nothing was done, so there is no ratio"
                ) from None
            except MeasureError as error:
                raise MeasureError(f"{name}: {figure.measure}: {error}") from error
            yield ReportLine(own.plan, figure, value)


def _to_measure(plan: Scenario, seed: int | None) -> Scenario:
    drawn = max(plan.drawn, plan.measured)
    return plan._replace(drawn=drawn, seed=plan.seed if seed is None else seed)


def text(lines: Iterable[ReportLine]) -> Iterator[str]:
    """Yield the report as a person reads it in a terminal."""
    name = ""
    for line in lines:
        if line.plan.name != name:
            if name:
                yield ""
            name = line.plan.name
            yield f"{name}: {line.plan.title}"
        bounds = f"{line.figure.low:g} to {line.figure.high:g}"
        basis, place = line.figure.basis or "-", line.figure.place or "-"
        verdict = f"{short(line.value):>6} {line.verdict:7}"
        yield f"  {line.figure.name:<76} {bounds:>14} {verdict} {basis:7} {place}"
