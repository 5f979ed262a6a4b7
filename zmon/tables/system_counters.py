"""SYSTEM (FCX102): what this Linux counts of interrupts, diagnoses, I/O starts and the work of its scheduler.

The items of the original that Linux knows are first, and in its words; those that only CP counts stay in
their places without a value.  Behind them is what the original does not have: interrupts by type, diagnoses
by code, those that happened.  No counter is shown twice, except in the sum of its class of interrupts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.kinds import CMF, CPU, DIAGNOSE, INTERRUPT, TASKS
from zmon.machine.figure import Needs
from zmon.machine.join import total
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zmon.base.absent import Number, Value
    from zmon.interval import Delta
    from zmon.machine.view import View

NEEDS: Final = Needs((CMF, CPU, DIAGNOSE, INTERRUPT, TASKS))

BY_CP: Final = absent("counted by CP, not by Linux")
NOT_MEASURED: Final = absent("channel measurement, which counts them, is on for no device")
NO_ROW: Final = absent("the kernel of this machine does not list it")
NAMED: Final = frozenset(TASKS.by_name[name].unread for name in ("switches", "forks"))
"""Reasons that name the source of the counter."""
OF_CP: Final = (
    "Real CSCH instructions", "Real HSCH instructions", "SVC instr. simulated", "FP successful x-lates",
    "Nr. of SIE executions", "Nr. of SIE intercepts", "HPF done", "El. time slice drops",
)  # fmt: skip
"""Items of the original that Linux has no counter for."""
GROUPS: Final = {"EXT": "External interrupts", "I/O": "I/O interrupts", "AIO": "Adapter interrupts"}
TIMESLICE: Final = "044"
RELINQUISHED: Final = "09c"
FAULTS: Final = "PFL"


def table(view: View) -> Table:
    """Fill SYSTEM: one row per item, keyed by what it is called."""
    interval = view.interval
    interrupts, diagnoses = interval.of(INTERRUPT), interval.of(DIAGNOSE)
    tasks, cpus = interval.of(TASKS), interval.of(CPU)
    rows: dict[str, tuple[str, Number]] = {
        "Real SSCH instructions": ("cmf", _started(view)),
        **dict.fromkeys(OF_CP, ("CP", BY_CP)),
        "Diag.X'44' Voluntary Timeslice End": ("diag 044", _one(diagnoses, TIMESLICE)),
        "Diag.X'9C' Relinquish Timeslice": ("diag 09c", _one(diagnoses, RELINQUISHED)),
        "Entries to enabled wait": ("idle_count", _all(cpus, "idle_entries")),
        "Context switches": ("/proc/stat", _one(tasks, "tasks", "switches")),
        "Processes and threads made": ("/proc/stat", _one(tasks, "tasks", "forks")),
        "Pseudo page faults": ("PFL", _one(interrupts, FAULTS)),
        **{name: (group, _group(interrupts, group)) for group, name in GROUPS.items()},
    }
    for what, delta, source in (("", interrupts, "{}"), ("Diag.X'{}' ", diagnoses, "diag {}")):
        told = zip(delta.keys, delta["what"], delta.numbers("count"), strict=True)
        for key, sentence, count in told:
            if count and key not in {TIMESLICE, RELINQUISHED, FAULTS}:
                code = what.format(key.upper().lstrip("0") or "0")
                name = f"{code}{sentence if isinstance(sentence, str) else key}"
                rows[name if name not in rows else f"{name} ({key})"] = (source.format(key), count)
    seconds = interval.seconds
    columns: dict[str, list[Value]] = {
        "item": list(rows),
        "count": [count for _, count in rows.values()],
        "rate": [count / seconds for _, count in rows.values()],
        "counter": [source for source, _ in rows.values()],
    }
    reasons: dict[Absent, dict[str, None]] = {}  # the counters without a value; the same one only once
    for source, count in rows.values():
        if isinstance(count, Absent):
            reasons.setdefault(count, {})[source] = None
    is_counted = any(not isinstance(count, Absent) for _, count in rows.values())
    return Table(
        list(rows) if is_counted else [],
        columns if is_counted else {name: [] for name in columns},
        notes=tuple(_reason(count, sources) for count, sources in reasons.items()) if is_counted else (),
        missing=None if is_counted else interrupts.missing or diagnoses.missing or NO_ROW,
    )


def _reason(count: Absent, sources: Iterable[str]) -> str:
    """Say why counters have no value."""
    return count.reason if count in NAMED else f"{', '.join(sources)}: {count.reason}"


def _started(view: View) -> Number:
    """Return the starts of all devices; where none is measured, the reason of one is not that of all."""
    counted = view.interval.after.frame(CMF).column("ssch")
    is_off = bool(counted) and all(isinstance(count, Absent) for count in counted)
    return NOT_MEASURED if is_off else _all(view.interval.of(CMF), "ssch")


def _all(delta: Delta, name: str) -> Number:
    """Return a counter of all rows together."""
    return total(delta.numbers(name)) if delta.keys else delta.missing or NO_ROW


def _one(delta: Delta, key: str, name: str = "count") -> Number:
    """Return a counter of one row."""
    row = delta.index.get(key)
    return (delta.missing or NO_ROW) if row is None else delta.numbers(name)[row]


def _group(interrupts: Delta, group: str) -> Number:
    """Return the interrupts of one class."""
    cells = zip(interrupts["group"], interrupts.numbers("count"), strict=True)
    counts = [count for name, count in cells if name == group]
    return total(counts) if counts else interrupts.missing or NO_ROW


DEFINITIONS: Final = {"system_counters": TableDefinition(NEEDS, table)}
