"""Recordings of scenarios, and what is judged of days, are made once and kept on disk.

Exceptions are a pure function of the rules and of the samples (see `zmon.rule.watch`), the steps of a verdict
one of the samples, a plan of moves one of the files and units.  Judging a day takes seconds, and so does a
plan.  A live machine, and what is looked at with inputs of a user, are judged anew; so is everything where a
test asks for the fixture `anew`.
"""

from __future__ import annotations

import hashlib
import os
from bisect import bisect_right
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tests.disk_cache import ROOT, appended, digest, dump, kept, kept_file, pickled, sources_digest
from zmon.base.clock import END_OF_TIME, HOUR
from zmon.diagnosis import judged as diagnosed
from zmon.diagnosis.steps import span_of
from zmon.placement import planner, spread_report
from zmon.session.exception_log import ExceptionLog
from zmon.session.machines import ScenarioSection, simulated
from zmon.session.navigator import Navigator
from zmon.session.recording import RecordingSection
from zmon.trends.rollup import recording_with_trends

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from zmon.base.absent import Absent
    from zmon.base.event import ExceptionEntry
    from zmon.diagnosis.stretch import Step
    from zmon.lab.model import Scenario
    from zmon.machine.view import History, View
    from zmon.placement.items import FileItem, Unit
    from zmon.rule.grammar import Rule
    from zmon.session.timeline import Timeline

JUDGING: Final = (
    "zmon.session.exception_log",
    "zmon.session.machines",
    "zmon.session.recording",
    "zmon.trends.quiet_minutes",
    *sorted(f"zmon.tables.{path.stem}" for path in (ROOT / "zmon/tables").glob("*.py")),  # found by name
)
"""The modules that exceptions and verdicts follow from."""

WHOLE: Final = END_OF_TIME - 1
"""The end of all that is judged; of END_OF_TIME a log would read what a recorder has stored."""

judge_anew: Final = ExceptionLog.advance
steps_anew: Final = diagnosed._judged
step_anew: Final = diagnosed._step
plan_anew: Final = planner.plan_moves
_new_history: Final = Navigator._new_history
_hours: Final[dict[str, tuple[dict[tuple[int, int], Step], int]]] = {}
"""The steps of each hour that this process has read or judged, and where in its file they end."""


class JudgedDay(NamedTuple):
    """What a `Watch` knows when it has seen the samples of a day up to one."""

    until: int
    """When that was taken, UTC in ns; 0 before the second."""
    entries: list[ExceptionEntry]
    unknown: dict[str, Absent]

    def log(self) -> list[ExceptionEntry]:
        """Return the exceptions."""
        return self.entries


def source_of(timeline: Timeline) -> str:
    """Return the digest of what is recorded or simulated; nothing for other timelines."""
    parts = []
    for section in () if timeline.live else timeline.refresh():
        if isinstance(section, ScenarioSection):
            parts.append(repr(section.plan))
        elif isinstance(section, RecordingSection) and Path(section.path).is_file():
            parts += [_content(section.path), _content(f"{section.path}-wal")]
        else:
            return ""
    return digest(*parts) if parts else ""


def _content(path: str) -> str:
    """Return the digest of a file's bytes; nothing if there is none."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest() if Path(path).is_file() else ""


def _key(source: str, what: str) -> str:
    """Return the digest of what is judged of a source; sentences have times of the zone that clocks show."""
    return digest(sources_digest(*JUDGING), source, what, os.environ["TZ"])


def _advance(log: ExceptionLog, until: int = END_OF_TIME, seconds: float | None = None) -> bool:
    """Judge all samples up to a time at once."""
    timeline, inputs, until = log._timeline, log._timeline.inputs, min(until, log._end)
    is_begun = log._position is not None and not isinstance(log._watch, JudgedDay)
    if is_begun or (inputs is not None and inputs().given) or log.is_stored():
        return judge_anew(log, until, seconds)
    source = source_of(timeline)
    if not source:
        return judge_anew(log, until, seconds)
    if until <= log.until:
        return True
    is_recorded = all(isinstance(section, RecordingSection) for section in timeline.refresh())
    first, _ = timeline.span() or (0, 0)
    begin = log._begin if log._begin > first else 0
    end = log._end if is_recorded else until  # of what is simulated no more than is asked for
    if is_recorded and not begin:
        end = WHOLE  # a day is judged once, whoever asks for which part of it
    what = repr((begin, end, log.rules))
    days: list[JudgedDay] = kept(
        "exceptions", _key(source, what), lambda: list(_days(timeline, log.rules, begin, end))
    )
    number = bisect_right(days, until, key=attrgetter("until"))
    with log._lock:
        if number:
            log._watch = days[number - 1]  # type: ignore[assignment]  # it has what is asked of one
            log._position = timeline.find(days[number - 1].until)
        log._done = until == log._end
    return True


def _days(timeline: Timeline, rules: Sequence[Rule], begin: int, end: int) -> Iterator[JudgedDay]:
    """Yield what is known after each sample between two times."""
    anew = ExceptionLog(timeline, rules)
    anew.confine(begin, end)
    known: JudgedDay | None = None
    position = timeline.find(begin) or timeline.next()
    while position is not None and position.utc <= end:
        judge_anew(anew, position.utc)
        entries, unknown = anew._watch.log(), dict(anew._watch.unknown)
        if known is not None and (entries, unknown) == known[1:]:
            entries, unknown = known[1:]
        known = JudgedDay(anew.until, entries, unknown)
        yield known
        position = timeline.next(position)


def recording_of(plan: Scenario) -> Path:
    """Return a recording of a scenario, with trends, which nobody may change."""

    def record(path: Path) -> None:
        writer = recording_with_trends(str(path), sealed=7, durable=False)
        for sample in simulated([plan]).samples():
            writer.append(sample)
        writer.close()

    return kept_file("recordings", digest(sources_digest("zmon.trends.rollup", *JUDGING), repr(plan)), record)


def _history_of(navigator: Navigator) -> History:
    """Return a history that knows which timeline it is of."""
    history = _new_history(navigator)
    vars(history)["timeline"] = navigator.timeline
    return history


def _steps(view: View) -> Iterator[Step]:
    """Yield the steps of a long time with their verdicts."""
    timeline: Timeline | None = vars(view.history).get("timeline")
    inputs, after = view.user_inputs, view.interval.after
    last = next(view.history.past(after.at.utc), None)
    is_of_it = last is not None and last.after.at == after.at and not (inputs is not None and inputs.given)
    source = source_of(timeline) if timeline is not None and is_of_it else ""
    vars(view.history)["source"] = source if view.interval.skipped else ""
    if not source or not view.interval.skipped:
        return steps_anew(view)
    what = repr((span_of(view), sorted(after.frames), inputs is None))
    steps: list[Step] = kept("steps", _key(source, what), lambda: list(steps_anew(view)))
    return iter(steps)


def _step(view: View) -> Step:
    """Return a step with its verdict; times that overlap have steps in common, kept by their hours."""
    source: str = vars(view.history).get("source", "")
    if not source:
        return step_anew(view)
    span, frames = span_of(view), sorted(view.interval.after.frames)
    hour = _key(source, repr((span[0] // HOUR, frames, view.user_inputs is None)))
    known, end = _hours.setdefault(hour, ({}, 0))
    if span not in known:
        with appended("hours", hour) as file:
            file.seek(min(end, file.seek(0, os.SEEK_END)))
            known.update(pickled(file))
            if span not in known:
                known[span] = step_anew(view)
                dump((span, known[span]), file)
            _hours[hour] = known, file.tell()
    return known[span]


def _plan(items: Iterable[FileItem], units: Sequence[Unit], **options: Any) -> planner.MovePlan:
    """Return up to `most` moves in order of benefit."""
    laid, options["shared"] = tuple(items), tuple(options.get("shared", ()))
    named = [unit._replace(others=sorted(unit.others)) for unit in units]  # type: ignore[arg-type]  # a set has no order
    key = digest(sources_digest("zmon.placement.whatif"), repr((laid, named, sorted(options.items()))))
    plan: planner.MovePlan = kept("plans", key, lambda: plan_anew(laid, units, **options))
    return plan


def judge_once() -> None:
    """Put what remembers into the place of what judges."""
    for place, name, function in (
        (ExceptionLog, "advance", _advance),
        (Navigator, "_new_history", _history_of),
        (diagnosed, "_judged", _steps),
        (diagnosed, "_step", _step),
        (planner, "plan_moves", _plan),
        (spread_report, "plan_moves", _plan),
    ):
        setattr(place, name, function)
