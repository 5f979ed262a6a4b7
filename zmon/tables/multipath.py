"""MPATH: the paths of multipath devices, with their states, failures and load.

A path is down if the device mapper or multipathd calls it failed, or its SCSI disk does not run; `faults` are
the failures that the device mapper counted in the interval, also those of paths that work again.  I/O is what
the kernel counts of the SCSI disk that is the path.  Behind FCP the driver also times its requests in the
fabric and in the channel, and the SCSI layer counts their errors and timeouts.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent, code_of, text_of
from zmon.base.clock import clock
from zmon.base.ranges import names, some
from zmon.base.same import SameNames
from zmon.base.sizes import KIB
from zmon.interval import IDLE
from zmon.kinds import BLOCK, DEVICE, LAYER, LUN, MPATH, MULTIPATH, NO_MAP, NOT_COLLECTED, PATH
from zmon.machine.blocks import Blocks
from zmon.machine.figure import Needs
from zmon.machine.join import Joined, quotient
from zmon.machine.topology import TOPOLOGY, units_of
from zmon.tables.fcp import MS, spent, timed
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Table, summed
from zmon.values.path_state import GONE, is_down, state_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.base.absent import Number, Value
    from zmon.machine.view import View
    from zmon.sample import Frame

NEEDS: Final = Needs((MULTIPATH, PATH, BLOCK, DEVICE, LAYER, LUN), topology=TOPOLOGY)

NOT_COUNTED: Final = absent("the disk has no counters")
NO_LSS: Final = absent("neither WWID nor LUN of the disk names its LSS")
NO_LUN: Final = absent("the disk is not behind an FCP adapter")
UNREAD: Final = absent("the multipath device was not read")
UNNUMBERED: Final = NOT_COLLECTED.about("dmsetup ls, or lsblk, for the number of the device")
NO_MORE: Final = absent("the path is gone: the multipath device has it no more")
NO_PATHS: Final = "Multipath joins no disks here"
SUMMED: Final = ("down", "faults", "io", "mbs", "flight", "errors", "timeouts")


def table(view: View) -> Table:
    """Fill MPATH: one row per path, those of one device one after the other."""
    paths, maps = view.interval.of(PATH), view.interval.of(MULTIPATH)
    blocks = Blocks(view.interval, paths["name"], NOT_COUNTED)
    of_map = Joined(maps, paths["map"], UNREAD)
    lcus, of = units_of(view)
    adapters = Joined(view.interval.of(DEVICE), paths["adapter"], absent("its adapter is no ccw device"))
    states = list(map(state_of, paths["state"], paths["device"]))
    down = list(map(is_down, states))
    left = _usable(paths["map"], down)
    columns: dict[str, list[Value]] = {
        "map": [
            title if isinstance(title, str) else name
            for title, name in zip(of_map["title"], paths["map"], strict=True)
        ],
        "device": [UNNUMBERED if ":" in str(name) else name for name in paths["map"]],
        "lcu": [lcus[of[str(name)]].short if str(name) in of else NO_LSS for name in paths["map"]],
        "group": list(paths["group"]),
        "gstate": list(paths["group_state"]),
        "path": list(paths["name"]),
        "state": states,
        "down": list(down),
        "left": [left[str(name)] for name in paths["map"]],
        "faults": list(paths["failures"]),
        "failures": paths.frame.column("failures"),
        "checker": list(paths["checker"]),
        "prio": list(paths["priority"]),
        "io": list(blocks.column("ios")),
        "mbs": list(blocks.column("mbs")),
        "resp": list(blocks.column("await")),
        "flight": [value / KIB for value in paths.numbers("in_flight")],
        "adapter": list(paths["adapter"]),
        "chpids": adapters["chpids"],
        "port": list(paths["port"]),
        "queueing": of_map["queueing"],
        "mfaults": of_map["faults"],
        "switches": of_map["switches"],
        "via": list(paths["via"]),
        **_of_luns(view, paths["name"]),
    }  # fmt: skip
    keys = list(paths.keys)
    gone = [] if view.figures_only or not keys else _gone(view, columns, keys)
    down += [1] * len(gone)
    lost = [
        f"{columns['path'][row]} of {columns['map'][row]}" for row, value in enumerate(down) if value == 1
    ]
    notes = (_said(lost, len(down)), *some(gone, "paths are gone")) if lost else ()
    if not paths.keys and _joins_none(view):
        return Table([], columns, notes=(NO_PATHS,))
    return Table(keys, columns, summed("paths", columns, SUMMED), notes=notes, missing=paths.missing)


def _gone(view: View, columns: dict[str, list[Value]], keys: list[str]) -> list[str]:
    """Add a row for each path that a multipath device has no more; return what is said of each."""
    from zmon.machine.observed_paths import gone_paths  # noqa: PLC0415 - that looks at the samples before

    said = []
    for disk, leaf in gone_paths(view):
        row = next((row for row, name in enumerate(columns["device"]) if name == disk.key), None)
        cells: dict[str, Value] = dict.fromkeys(columns, NO_MORE)
        if row is not None:
            of_map = ("lcu", "left", "queueing", "mfaults", "switches")
            cells |= {name: columns[name][row] for name in of_map}
        cells |= {
            "map": disk.title,
            "device": disk.key,
            "path": leaf.name,
            "state": GONE,
            "down": 1,
            "adapter": leaf.adapter or NO_MORE,
            "chpids": leaf.chpid or NO_MORE,
            "port": leaf.port or NO_MORE,
        }
        for name, column in columns.items():
            column.append(cells[name])
        keys.append(f"{leaf.number} gone" if leaf.number in keys else leaf.number)
        since = "" if disk.since is None else f" since {clock(disk.since, '%H:%M')}"
        said.append(f"{leaf.name} of {disk.title} is gone{since}")
    return said


def _said(lost: Sequence[str], many: int) -> str:
    """Say which of so many paths are not used."""
    verb = "is" if len(lost) == 1 else "are"
    return f"{len(lost):,} of {many:,} paths {verb} not used: {names(lost)}"


def _of_luns(view: View, paths: Sequence[Value]) -> Mapping[str, list[Value]]:
    """Return what is timed and counted of the LUN that each path is, by the names of the paths."""
    luns = view.interval.of(LUN)
    row_of = {name: row for row, name in enumerate(luns["name"])}
    counts = timed(luns)
    columns_of: dict[str, Sequence[Value]] = {
        "fabric": quotient(spent(luns, "fabric"), counts, MS, IDLE),
        "chan": quotient(spent(luns, "channel"), counts, MS, IDLE),
        "errors": luns["errors"],
        "timeouts": luns["timeouts"],
    }
    rows = [row_of.get(name) for name in paths]
    otherwise = luns.missing or NO_LUN
    return {
        column: [otherwise if row is None else values[row] for row in rows]
        for column, values in columns_of.items()
    }


def _joins_none(view: View) -> bool:
    """Return whether there is no multipath device, also where its paths were not looked at."""
    sample = view.interval.after
    missing = sample.frame(PATH).missing
    if code_of(missing) == NO_MAP.code:
        return True
    if code_of(missing) == NOT_COLLECTED.code:
        return False
    if _stacks_none(sample.frame(LAYER)):
        return True
    blocks = sample.frame(BLOCK)
    return blocks.missing is None and not _may_join(SameNames(blocks.keys))


@lru_cache(maxsize=2)  # disks are the same from sample to sample
def _may_join(disks: SameNames) -> bool:
    """Return whether there are disks that have paths, and devices made of others."""
    return {"dm", "sd"} <= {name[:2] for name in disks.names}


@lru_cache(maxsize=2)  # layers are read once a minute
def _stacks_none(layers: Frame) -> bool:
    """Return whether no block device that is made of others is a multipath device."""
    uuids = layers.column("uuid")
    return layers.missing is None and not any(text_of(uuid).startswith(MPATH) for uuid in uuids)


def _usable(maps: Sequence[Value], down: Sequence[Number]) -> Mapping[str, Number]:
    """Return for each multipath device how many of its paths are not down."""
    usable: dict[str, Number] = {}
    for name, is_lost in zip(maps, down, strict=True):
        usable[str(name)] = usable.get(str(name), 0) + (1 - is_lost)
    return usable


DEFINITIONS: Final = {
    "multipath": TableDefinition(NEEDS, table, screen="MPATH", resource="channel", rows=PATH)
}
