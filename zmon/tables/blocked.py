"""BLOCKED: tasks that wait and cannot be interrupted (state D): how long, for what, on which device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.clock import SECOND
from zmon.kinds import BLOCKED_TASK, CMF, DASD, DEVICE, OPEN_FILE, ROUNDS
from zmon.machine.figure import Needs
from zmon.machine.topology import TOPOLOGY
from zmon.machine.unit_loads import KINDS
from zmon.machine.wait_devices import CANDIDATES, WaitDevices
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Table
from zmon.tables.wait_states import NOBODY, hidden_tasks, place_words
from zmon.values.unit_name import title_of

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.machine.view import View

NEEDS: Final = Needs(
    (BLOCKED_TASK, OPEN_FILE, ROUNDS, *KINDS, CMF, DASD, DEVICE), topology=TOPOLOGY, on_demand=True
)

NONE_WAITS: Final = absent("no task is in state D")
AT_LEAST: Final = "Waits for: since zmon saw it first, so at the least"


def table(view: View) -> Table:
    """Fill BLOCKED: one row per task, keyed by its number, the one that waits longest first."""
    blocked = view.interval.after.frame(BLOCKED_TASK)
    if blocked.missing is not None or not blocked.keys:
        hidden = [absent(f"no task that is seen is in state D: {why}") for why in hidden_tasks(view)]
        return Table([], {}, missing=blocked.missing or next(iter(hidden), NONE_WAITS))
    units = [unit if isinstance(unit, str) and unit else NOBODY for unit in blocked.column("unit")]
    devices = WaitDevices(view)
    told = (blocked.column(name) for name in ("devices", "evidence", "process", "place"))
    on = [
        devices.of(numbers, evidence, str(process), unit, place)
        for unit, numbers, evidence, process, place in zip(units, *told, strict=True)
    ]
    columns: dict[str, list[Value]] = {
        "task": [int(key) for key in blocked.keys],
        "command": list(blocked.column("command")),
        "unit": [NOBODY if unit == NOBODY else title_of(unit) for unit in units],
        "waiting": [wait / SECOND for wait in view.interval.of(BLOCKED_TASK).numbers("waiting")],
        "what": [
            place if isinstance(place, Absent) else place_words(str(place))
            for place in blocked.column("place")
        ],
        "device": [where.device for where in on],
        "lcu": [where.lcu for where in on],
        "evidence": [where.evidence for where in on],
        "file": list(blocked.column("file")),
        "process": list(blocked.column("process")),
        "state": list(blocked.column("state")),
        "path": list(units),
    }
    guessed = frozenset(row for row, where in enumerate(on) if where.is_estimate)
    return Table(
        list(blocked.keys),
        columns,
        estimated=dict.fromkeys(("device", "lcu"), guessed) if guessed else {},
        notes=(AT_LEAST, *([CANDIDATES] if guessed else []), *hidden_tasks(view)),
    )


DEFINITIONS: Final = {"blocked": TableDefinition(NEEDS, table)}
