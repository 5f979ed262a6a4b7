"""EXCEPT: the exceptions of the time that is looked at, one row each: what is open first, then the newest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent
from zmon.base.clock import DATED, clock, length
from zmon.base.event import LEVELS, OPEN
from zmon.base.ranges import names
from zmon.diagnosis.catalogue import is_of
from zmon.machine.figure import Needs
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.base.absent import Absent, Value
    from zmon.base.event import ExceptionEntry, Exceptions
    from zmon.diagnosis.diagnosis import Verdict
    from zmon.machine.view import View

NEEDS: Final = Needs(history=True, exceptions=True)
NONE: Final = absent("no rule has held for long enough: no exceptions")
NO_CAUSE: Final = absent("the rule names no cause")


def table(view: View) -> Table:
    """Fill EXCEPT; the keys are the numbers of the exceptions by their begin, from 1."""
    interval, exceptions = view.interval, exceptions_of(view)
    entries = sorted(
        exceptions.entries, key=lambda entry: (entry.state != OPEN, -entry.begin, entry.heaviness)
    )
    days = {clock(utc, "%m-%d") for entry in entries for utc in (entry.begin, entry.end)}
    columns: dict[str, list[Value]] = {
        "number": [entry.number for entry in entries],
        "begin": [entry.begin for entry in entries],
        "begun": [clock(entry.begin, DATED if len(days) > 1 else "%H:%M:%S") for entry in entries],
        "lasted": [entry.seconds for entry in entries],
        "length": [_length(entry) for entry in entries],
        "end": [entry.end for entry in entries],
        "state": [entry.state or "open" for entry in entries],
        "level": [LEVELS[entry.level] for entry in entries],
        "where": [entry.where or "all" for entry in entries],
        "rule": [entry.rule for entry in entries],
        "worst": [entry.worst for entry in entries],
        "worst_at": [entry.worst_end for entry in entries],
        "limit": [entry.limit for entry in entries],
        "unit": [entry.unit for entry in entries],
        "mean": [entry.mean for entry in entries],
        "intervals": [entry.intervals for entry in entries],
        "cause": [entry.cause or NO_CAUSE for entry in entries],
        "sentence": [entry.words for entry in entries],
    }
    marks = {row: "!" if entry.level == len(LEVELS) - 1 else "*" for row, entry in enumerate(entries)}
    return Table(
        [str(entry.number) for entry in entries],
        columns,
        notes=(
            *_progress(exceptions),
            *_sentences(exceptions, entries),
            *_examined(view, entries),
            *not_judged(exceptions.unknown),
        ),
        span=None if interval.skipped or not exceptions.end else (exceptions.begin, exceptions.end),
        missing=None
        if entries
        else NONE
        if exceptions.until >= exceptions.end
        else absent("none is known yet"),
        marks={"level": marks},
        home=str(entries[0].number) if entries else "",
    )


def exceptions_of(view: View) -> Exceptions:
    """Return the exceptions of the whole time, or of the time between marks if that is looked at."""
    interval = view.interval
    if not interval.skipped or interval.before is None:
        return view.history.exceptions(0, interval.after.at.utc if interval.skipped else None)
    return view.history.exceptions(interval.before.at.utc, interval.after.at.utc)


def _length(entry: ExceptionEntry) -> str:
    """Write how long an exception lasted, `19m30s`, so that the column holds it; a plus: it is still open."""
    written = length(entry.seconds, short=True).replace(" ", "")
    return f"{written}{'+' * (entry.state == OPEN)}"


def _progress(exceptions: Exceptions) -> list[str]:
    problem = [exceptions.problem] if exceptions.problem else []
    if exceptions.anew:
        problem.append(
            f"Judged by other rules, when it was recorded; by the rules of today: {exceptions.anew}"
        )
    if exceptions.until >= exceptions.end:
        return problem
    parts = (
        f"up to {clock(exceptions.until, DATED)} of {clock(exceptions.end, DATED)}"
        if exceptions.until
        else "none so far"
    )
    return [*problem, f"Samples are still judged: {parts}"]


def _sentences(exceptions: Exceptions, entries: Sequence[ExceptionEntry]) -> list[str]:
    seen = [last_seen(entry, exceptions.until) for entry in entries]
    return [
        f"{clock(entry.begin)} {entry.words}{f' ({last})' if last else ''}"
        for entry, last in zip(entries, seen, strict=True)
    ]


def last_seen(entry: ExceptionEntry, until: int) -> str:
    """Say when an exception last held that is open but no longer holds, of samples judged up to a time."""
    return f"last seen at {clock(entry.end)}" if entry.state == OPEN and entry.end < until else ""


def _examined(view: View, entries: list[ExceptionEntry]) -> list[str]:
    """Say of causes that exceptions point to why DIAGNOSE does not name them, in the interval at hand."""
    interval = view.interval
    if interval.before is None or view.figures_only:
        return []
    begin, end = interval.before.at.utc, interval.after.at.utc
    now = [entry for entry in entries if entry.cause and entry.begin < end and entry.end > begin]
    if not now:
        return []
    from zmon.diagnosis.judged import verdict_of  # noqa: PLC0415 - most times have no exception

    return [f"Looked at: {sentence}" for sentence in examined_of(verdict_of(view), now)]


def examined_of(verdict: Verdict, entries: Sequence[ExceptionEntry]) -> list[str]:
    """Return why a verdict does not name the causes that exceptions point to, as far as it looked at them."""
    causes = {entry.cause for entry in entries if entry.cause}
    return [
        examined.words for examined in verdict.examined if any(is_of(examined.id, cause) for cause in causes)
    ]


def not_judged(unknown: Mapping[str, Absent]) -> list[str]:
    """Say which rules are not judged, those for the same reason in one line."""
    rules: dict[str, list[str]] = {}
    for name, why in unknown.items():
        rules.setdefault(why.reason, []).append(name)
    return [
        f"{'Rule' if len(same) == 1 else 'Rules'} {names(same, len(same))}"
        f" {'is' if len(same) == 1 else 'are'} not judged: {reason}"
        for reason, same in rules.items()
    ]


DEFINITIONS: Final = {"exceptions": TableDefinition(NEEDS, table, has_status=True)}
