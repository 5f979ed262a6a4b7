"""The verdict on each scenario of the laboratory is in tests/golden/verdicts."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

import pytest

from tests.goldens import compare
from zmon.diagnosis.judged import verdict_of
from zmon.lab.scenario import load_scenario, names
from zmon.machine.view import no_inputs
from zmon.session.machines import open_lab
from zmon.session.navigator import Navigator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.diagnosis.diagnosis import Verdict

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


def ids(verdict: Verdict) -> str:
    """Return the diagnoses in words: those that explain the others first."""
    shown = [f"**{diagnosis.id}** {diagnosis.confidence}" for diagnosis in verdict.diagnoses]
    shown += [f"{diagnosis.id} by {by}" for diagnosis, by in verdict.explained]
    return ", ".join(shown) or "none"


def rows(name: str) -> Iterator[str]:
    """Yield the rows of a scenario: phases that follow one another with the same diagnoses are one."""
    for shown, group in groupby(verdicts(name), lambda judged: ids(judged[1])):
        phases = list(group)
        words = phases[-1][1].sentence.replace("|", "/")
        yield f"{', '.join(phase for phase, _ in phases)} | {shown} | {words}"


@pytest.mark.whole_days
@pytest.mark.parametrize("name", names())
def test_each_scenario_has_the_verdict_that_is_held(name: str) -> None:
    """On the last interval of each phase."""
    compare(f"verdicts/{name}", rows(name))
