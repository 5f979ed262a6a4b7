"""The verdict on each scenario is in tests/golden/verdicts, and OVERVIEW has it in three lines."""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.goldens import compare
from zmon.base.shipped import shipped
from zmon.diagnosis.judged import verdict_of
from zmon.lab.scenario import load_scenario, names
from zmon.machine.view import no_inputs
from zmon.screen.dashboard import VERDICT_LINES, Dashboard
from zmon.screen.definition import load_screens
from zmon.session.machines import open_capture, open_lab
from zmon.session.recording import open_recording
from zmon.session.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.diagnosis.diagnosis import Verdict

SECOND: Final = 1_000_000_000
COLUMNS: Final = 80
NAMES: Final = 2
"""Things that the three lines name at most; a range of them, and a word of a command, is one."""
ROWS: Final = 17
"""Rows that DIAGNOSE has on a terminal of 24 lines."""
FURTHER: Final = ("2.", "Also", "Looked", "Not known", "Else", "Next")
"""What heads the lines behind those of the first cause."""
NAME: Final = re.compile(
    r"\b(?:LCU \w{4}|(?:FCP|fcp)?[0-9A-Fa-f]{4}(?:-(?:FCP)?[0-9A-Fa-f]{4})?|[A-Z0-9_]+\.[A-Z][A-Z0-9_]+)\b"
)
"""LCUs, devices, and tablespaces with their database."""
RECORDINGS: Final = Path(__file__).parents[2] / "recordings"


def verdicts(name: str) -> Iterator[tuple[str, Verdict]]:
    """Yield each phase of a scenario, with the verdict on its last interval."""
    plan = load_scenario(name)
    session = Session(open_lab(f"lab:{name}"), load_screens(shipped("screens")))
    end = float(plan.begin)
    for phase in plan.phases:
        end += phase.seconds
        session.seek(round(end * SECOND))
        view = session.view()
        if view is not None:
            view.inputs = no_inputs
            check_lines(session)
            check_rows(session)
            yield phase.name, verdict_of(view)


def check_lines(session: Session) -> None:
    """Hold that OVERVIEW says in three lines what is wrong, and names two things at most."""
    lines = [line.text for line in Dashboard(session.sheet(), COLUMNS).lines()]
    heads = (place for place, line in enumerate(lines) if line.startswith(" Resource "))
    heading = next(heads, len(lines))  # one pass of a capture has no load
    verdict = [line for line in lines[:heading] if line.strip()]
    assert len(verdict) <= VERDICT_LINES, verdict
    assert len({name.upper() for name in NAME.findall(" ".join(verdict))}) <= NAMES, verdict


def check_rows(session: Session) -> None:
    """Hold that DIAGNOSE shows the first cause whole at 80x24."""
    session.open("DIAGNOSE")
    what = session.sheet().in_room(COLUMNS).table.column("what")
    further = [row for row, word in enumerate(what) if str(word).startswith(FURTHER)]
    assert min(further, default=len(what)) <= ROWS, [*what]
    session.back()


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


@pytest.mark.parametrize(
    "name", [path.name for path in sorted(RECORDINGS.iterdir()) if path.suffix in {".zmon", ".gz"}]
)
def test_the_verdict_on_what_comes_with_zmon_has_three_lines(name: str) -> None:
    """At its end, where a recording opens that has no exceptions."""
    path = str(RECORDINGS / name)
    timeline = open_capture(path) if name.endswith(".gz") else open_recording(path)
    session = Session(timeline, load_screens(shipped("screens")))
    session.end()
    check_lines(session)
