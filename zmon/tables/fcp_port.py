"""FCPPORT: the ports of storage servers, with the paths over each and what they carry.

A port that two adapters see has two rows.  The kernel says whether it is online; the paths over it are those
of MPATH, so a port without multipath devices has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent, text_of
from zmon.base.ranges import some
from zmon.kinds import TARGET_PORT
from zmon.machine.devices import address
from zmon.machine.figure import Needs
from zmon.machine.join import mean, total
from zmon.tables import multipath
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Table, summed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.base.absent import Number, Value
    from zmon.machine.view import View

NEEDS: Final = Needs((TARGET_PORT, *multipath.NEEDS.kinds), topology=multipath.NEEDS.topology)

ONLINE: Final = "Online"
NO_PATH: Final = absent("no path of a multipath device leads over this port")
NO_PORT: Final = absent("over which port some paths lead is not known")
IDLE: Final = absent("no I/O over this port in the interval")
SUMMED: Final = ("paths", "down", "faults", "io", "mbs", "errors", "timeouts")
TIMES: Final = ("resp", "fabric", "chan")


def table(view: View) -> Table:
    """Fill FCPPORT: one row per adapter and port, keyed `0.0.fc60 0x500507630a1b06dc`."""
    ports, paths = view.interval.of(TARGET_PORT), multipath.table(view)
    rows, unplaced = dict[tuple[str, str], list[int]](), set[str]()
    states: dict[tuple[str, str], Value] = {}
    for adapter, name, state in zip(
        *(ports[name] for name in ("adapter", "port_name", "state")), strict=True
    ):
        if isinstance(adapter, str) and isinstance(name, str):
            states[adapter, name] = state
            rows[adapter, name] = []
    for row, (adapter, name) in enumerate(zip(paths.column("adapter"), paths.column("port"), strict=True)):
        if isinstance(adapter, str) and isinstance(name, str):
            rows.setdefault((adapter, name), []).append(row)
        elif name is not multipath.NO_MORE:
            unplaced.add(text_of(adapter))
    places, unseen = sorted(rows), ports.missing or absent("the adapter does not list this port")
    columns: dict[str, list[Value]] = {
        "addr": [address(adapter) for adapter, _ in places],
        "adapter": [adapter for adapter, _ in places],
        "port": [name for _, name in places],
        "state": [states.get(place, unseen) for place in places],
        "paths": [len(rows[place]) for place in places],
        "maps": [len({paths.columns["device"][row] for row in rows[place]}) for place in places],
        **{name: [_together(paths.columns, name, rows[place]) for place in places]
           for name in (*SUMMED[1:], *TIMES)},
    }  # fmt: skip
    for row in (row for row, (adapter, _) in enumerate(places) if unplaced & {"", adapter}):
        columns["paths"][row] = columns["maps"][row] = NO_PORT
    lost = [
        f"{address(adapter)}: port {name} is {state}"
        for (adapter, name), state in states.items()
        if isinstance(state, str) and state != ONLINE
    ]
    summary = summed("ports", columns, SUMMED) if places else None
    notes, missing = tuple(some(lost, "ports are not online")), None if places else ports.missing
    return Table(
        [f"{adapter} {name}" for adapter, name in places], columns, summary, notes=notes, missing=missing
    )


def _together(columns: Mapping[str, Sequence[Value]], name: str, rows: Sequence[int]) -> Number:
    """Return what the paths over a port have together; a time is their mean, each with its I/O."""
    if not rows:
        return NO_PATH
    values: list[Number] = [columns[name][row] for row in rows]  # type: ignore[misc]  # numbers
    if name not in TIMES:
        return total(values)
    weights: list[Number] = [columns["io"][row] for row in rows]  # type: ignore[misc]  # likewise
    return mean(values, weights, IDLE.reason)


DEFINITIONS: Final = {"fcp_port": TableDefinition(NEEDS, table)}
