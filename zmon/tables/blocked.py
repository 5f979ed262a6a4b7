"""BLOCKED: tasks that wait and cannot be interrupted (state D): how long, for what, on which device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.absent import Absent, absent
from zmon.kinds import BLOCKED_TASK, CMF, DASD, DEVICE, ROUNDS
from zmon.tables.table import Needs, Table
from zmon.tables.topology import TOPOLOGY
from zmon.tables.unit_loads import KINDS, NO_LCU, DiskPlaces, unit_loads
from zmon.tables.view import TableDefinition
from zmon.tables.wait_states import NOBODY, place_words
from zmon.unit_name import title_of
from zmon.wait_place import OPEN_FILES

if TYPE_CHECKING:
    from zmon.absent import Value
    from zmon.tables.view import View

NEEDS: Final = Needs((BLOCKED_TASK, ROUNDS, *KINDS, CMF, DASD, DEVICE), topology=TOPOLOGY, on_demand=True)

SECOND: Final = 1e9
NONE_WAITS: Final = absent("no task is in state D")
AT_LEAST: Final = "Waits for: since zmon saw it first, so at the least"
CANDIDATES: Final = "~ Device: those below the files that the task has open"


def table(view: View) -> Table:
    """Fill BLOCKED: one row per task, keyed by its number, the one that waits longest first."""
    blocked = view.interval.after.frame(BLOCKED_TASK)
    if blocked.missing is not None or not blocked.keys:
        return Table([], {}, missing=blocked.missing or NONE_WAITS)
    units = [unit if isinstance(unit, str) and unit else NOBODY for unit in blocked.column("unit")]
    places = DiskPlaces(view, unit_loads(view.interval))
    on = [_leaves(view, numbers) for numbers in blocked.column("devices")]
    columns: dict[str, list[Value]] = {
        "task": [int(key) for key in blocked.keys],
        "command": list(blocked.column("command")),
        "unit": [NOBODY if unit == NOBODY else title_of(unit) for unit in units],
        "waiting": [wait / SECOND for wait in view.interval.of(BLOCKED_TASK).numbers("waiting")],
        "what": [
            place if isinstance(place, Absent) else place_words(str(place))
            for place in blocked.column("place")
        ],
        "device": [
            one if isinstance(one, Absent) else ", ".join(places.device.get(number, number) for number in one)
            for one in on
        ],
        "lcu": [one if isinstance(one, Absent) else _lcus(places, one) for one in on],
        "evidence": list(blocked.column("evidence")),
        "file": list(blocked.column("file")),
        "process": list(blocked.column("process")),
        "state": list(blocked.column("state")),
        "path": list(units),
    }
    guessed = frozenset(row for row, how in enumerate(columns["evidence"]) if how == OPEN_FILES)
    return Table(
        list(blocked.keys),
        columns,
        estimated=dict.fromkeys(("device", "lcu"), guessed) if guessed else {},
        notes=(AT_LEAST, CANDIDATES) if guessed else (AT_LEAST,),
    )


def _leaves(view: View, numbers: Value) -> list[str] | Absent:
    """Return the numbers of the disks below devices."""
    if isinstance(numbers, Absent):
        return numbers
    leaves = unit_loads(view.interval).leaves
    found = [leaf for number in str(numbers).split() for leaf in leaves.leaves(number) or (number,)]
    return list(dict.fromkeys(found))


def _lcus(places: DiskPlaces, numbers: list[str]) -> Value:
    names = [name for number in numbers if not isinstance(name := places.lcu_name(number), Absent)]
    return ", ".join(dict.fromkeys(names)) or NO_LCU


DEFINITIONS: Final = {"blocked": TableDefinition(NEEDS, table)}
