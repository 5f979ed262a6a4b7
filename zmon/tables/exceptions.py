"""EXCEPT: the exceptions of the time that is looked at, one row each: what is open first, then the newest.

A rule knows a figure and a possible cause; which diagnosis it is, the verdict says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent
from zmon.base.clock import DATED, clock, length
from zmon.base.event import LEVELS, OPEN, What, worst_of
from zmon.base.event_line import line
from zmon.base.ranges import names
from zmon.diagnosis.catalogue import is_of
from zmon.diagnosis.steps import part_of
from zmon.machine.figure import Needs
from zmon.machine.topology import units_of
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from zmon.base.absent import Absent, Value
    from zmon.base.event import ExceptionEntry, Exceptions
    from zmon.diagnosis.diagnosis import Verdict
    from zmon.interval import Interval
    from zmon.machine.view import View

NEEDS: Final = Needs(history=True, verdict=True, exceptions=True)
NONE: Final = absent("no rule has held for long enough: no exceptions")
NOT_JUDGED: Final = absent("rules compare two samples, and this is the first one; CHECK judges one alone")
NO_CAUSE: Final = absent("the verdict on that interval has no diagnosis of it")
NOT_ASKED: Final = absent("the verdict on its worst interval, to which WORST leads, was not asked for")
MOST_EVENTS: Final = 5
"""Events that are no exceptions and are listed; the others are counted."""
MOST_ASKED: Final = 20
"""Exceptions of another time, at most, of whose worst interval the verdict is asked."""


def table(view: View) -> Table:
    """Fill EXCEPT; the keys are the numbers of the exceptions by their begin, from 1."""
    interval, exceptions = view.interval, exceptions_of(view)
    entries = sorted(exceptions.entries, key=lambda entry: entry.rank)
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
        "cause": _causes(view, entries),
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
            *_other_events(view, exceptions),
        ),
        span=None if interval.skipped or not exceptions.end else (exceptions.begin, exceptions.end),
        missing=None if entries else _why_none(interval, exceptions),
        marks={"level": marks},
        home=str(entries[0].number) if entries else "",
    )


def _other_events(view: View, exceptions: Exceptions) -> Iterator[str]:
    """Yield what happened besides, the last events: gaps, restarts, changes, notes."""
    if view.history.fleet is not None:
        return
    begin, end = exceptions.begin, exceptions.end or view.interval.after.at.utc
    others = [event for event in view.history.happened(begin, end) if event.what is not What.LIMIT]
    yield from map(line, others[-MOST_EVENTS:])
    if len(others) > MOST_EVENTS:
        yield f"EVENTS lists {len(others) - MOST_EVENTS:,} more events"


def is_complete(log: Exceptions, end: int) -> bool:
    """Return whether the rules are applied to all samples up to a time."""
    return log.until >= min(log.end, end)


def still_judged(log: Exceptions) -> str:
    """Say that they are not, and how far that has come."""
    until = f": done up to {clock(log.until)}" if log.until > log.begin else ""
    return f"The rules are still being applied to the samples{until}."


def earlier(entries: Sequence[ExceptionEntry], end: int) -> str:
    """Say how many exceptions there were up to a time, if there were any, and which was the worst."""
    worst = worst_of(entries)
    if worst is None:
        return ""
    days = {clock(utc, "%Y-%m-%d") for utc in (worst.begin, end)}
    at = clock(worst.begin, DATED if len(days) > 1 else "%H:%M:%S")
    which = f"{len(entries)} earlier, the worst" if len(entries) > 1 else "one earlier,"
    return f"{which} at {at}: WORST {worst.number} shows it, in a shell --at"


def _why_none(interval: Interval, exceptions: Exceptions) -> Absent:
    """Return why there is no exception: no rule held, or none can be judged yet."""
    if interval.before is None:
        return NOT_JUDGED
    return NONE if exceptions.until >= exceptions.end else absent("none is known yet")


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
        f"{clock(entry.begin)} {entry.told}{f' ({last})' if last else ''}"
        for entry, last in zip(entries, seen, strict=True)
    ]


def last_seen(entry: ExceptionEntry, until: int) -> str:
    """Say when an exception last held that is open but no longer holds, of samples judged up to a time."""
    return f"last seen at {clock(entry.end)}" if entry.state == OPEN and entry.end < until else ""


def _causes(view: View, entries: Sequence[ExceptionEntry]) -> list[Value]:
    """Return the diagnosis of each exception: by the verdict on its worst interval, whatever is looked at.

    Where that is no longer there, it is that on the interval at hand, if the exception held in it.
    """
    if view.figures_only or view.history.fleet is not None or not entries:
        return [NOT_ASKED] * len(entries)
    from zmon.diagnosis.judged import verdict_of  # noqa: PLC0415 - most times have no exception
    from zmon.diagnosis.related import diagnosis_of  # noqa: PLC0415 - likewise

    def cause(entry: ExceptionEntry, at: View) -> Value:
        lcu = units_of(at).of.get(entry.key, "")
        diagnosis = diagnosis_of(verdict_of(at), entry, lcu)
        return NO_CAUSE if diagnosis is None else diagnosis.id

    kept, asked = view.history.causes, 0
    causes: list[Value] = []
    for entry in entries:
        place = entry.rule, entry.key, entry.worst_end
        if place not in kept and asked < MOST_ASKED:
            worst = next(view.history.past(entry.worst_end), None)
            asked += 1
            if worst is not None and worst.before is not None:
                kept[place] = cause(entry, part_of(view, worst))
        if place not in kept and _is_present(view, entry):
            causes.append(cause(entry, view))
        else:
            causes.append(kept.get(place, NOT_ASKED))
    return causes


def _is_present(view: View, entry: ExceptionEntry) -> bool:
    """Return whether an exception held in the interval at hand."""
    before, after = view.interval.before, view.interval.after
    return before is not None and entry.begin < after.at.utc and entry.end > before.at.utc


def _examined(view: View, entries: list[ExceptionEntry]) -> list[str]:
    """Say of causes that exceptions point to why DIAGNOSE does not name them, in the interval at hand."""
    now = [entry for entry in entries if entry.cause and _is_present(view, entry)]
    if not now or view.figures_only:
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
