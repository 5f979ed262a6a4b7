"""CTLUNIT (FCX176): the load of each logical control unit (LCU).

This is where uneven placement shows: one line per LCU with its share of all I/O, and how many times its fair
share that is.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.ranges import names, ranges
from zmon.kinds import (
    BLOCK,
    CACHE,
    CHANNEL,
    CMF,
    CPU,
    DASD,
    DEVICE,
    LAYER,
    NOT_COLLECTED,
    UNIT,
    UNIT_IO,
    UNLISTED,
)
from zmon.machine.channel_paths import lost_paths
from zmon.machine.devices import (
    NVME_HOME,
    SCSI_HOME,
    VIRTIO_HOME,
    strays,
)
from zmon.machine.figure import Needs
from zmon.machine.lcus import ControlUnits, OtherDisks, other_disks
from zmon.machine.observation import NO_LCU, idle_lcus, state_of_idle
from zmon.machine.topology import TOPOLOGY, has_files, units_of, wrong
from zmon.tables.device import REQUESTS, hanging
from zmon.tables.filled import TableDefinition
from zmon.tables.table import SUMMARY, Summary, Table
from zmon.topology.volumes import titles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.machine.topology import Units
    from zmon.machine.view import View
    from zmon.sample import Frame
    from zmon.topology.volumes import Lcu

NEEDS: Final = Needs((BLOCK, CACHE, CHANNEL, CMF, CPU, DASD, DEVICE, LAYER, UNIT, UNIT_IO), topology=TOPOLOGY)
HOMES: Final = {
    VIRTIO_HOME: "disks of the host, which alone knows on which volumes they lie",
    NVME_HOME: "NVMe disks, which have no LCU",
    SCSI_HOME: "SCSI disks whose WWID and LUN name no LSS",
}
"""What is said of disks that are on no LCU, by their sort."""
TOGETHER: Final = (
    "units", "active", "aliases", "aliasuse", "io", "mbs", "qued", "queue", "hung",
    "pend", "disc", "conn", "serv", "resp", "cuwt",
)  # fmt: skip
"""What the line of all LCUs has."""
BULK: Final = 0.8
"""The part of all I/O that is called its bulk."""
UNFAIR: Final = 1.1
"""How many times its fair share an LCU has that is to be relieved; a little more may be chance."""

MIN_IO: Final = 10.0
"""I/O per second of all LCUs below which requests do not wait for each other, however uneven the load."""


def table(view: View) -> Table:
    """Fill CTLUNIT: one row per LCU, keyed `VENDOR.SERIAL.SSID`."""
    units = units_of(view)
    lcus = ControlUnits(view.interval, units.lcus)
    others = OtherDisks(view.interval, {} if view.figures_only else other_disks(lcus))
    keys = [*lcus.keys, *others.keys]
    columns = lcus.columns()
    spaces = _spaces(view, units, dict(zip(lcus.keys, columns["mbs"], strict=True)))
    columns["spaces"] = [spaces.get(key) or UNLISTED for key in keys]
    sentences = findings(titles(lcus.units), columns)
    for name, values in others.columns().items():
        columns[name] += values
    guessed = lcus.guessed | {len(lcus.keys) + place for place in others.guessed}
    if lcus.guessed:
        guessed |= {SUMMARY}
    sums = lcus.as_one(keys=TOGETHER)
    if lcus.strays:
        sums["aliases"] = strays(lcus.strays)

    def some(rows: Sequence[int]) -> dict[str, Value]:
        return lcus.as_one([row for row in rows if row < len(lcus.keys)], TOGETHER)

    doors = {} if view.figures_only else _doors(view)
    columns["door"] = [doors.get(key, f"DEVICE cu={key}") for key in keys]
    return Table(
        keys,
        columns,
        Summary(">> All LCUs <<", sums, some, "LCUs") if lcus.keys else None,
        estimated={**dict.fromkeys(("io", "share", "fair"), guessed), "ssid": lcus.told},
        notes=(
            *hanging(view, [row for row in lcus.rows if row in lcus.devices.blocks.hung]),
            *([REQUESTS] if guessed else []),
            *sentences,
            *_lost(view, lcus.units.values()),
            *told_by(lcus.units.values()),
            *(f"{home}: {HOMES[home]}" for home in others.keys),
            *wrong(view),
        ),
        missing=None if keys else _why_none(view.interval.of(DEVICE).frame),
    )


def _lost(view: View, units: Iterable[Lcu]) -> Iterator[str]:
    """Yield which of its channel paths an LCU has lost: Paths is their number without these."""
    frame = view.interval.after.frame(DEVICE)
    for unit in units:
        if lost := lost_paths(frame, unit.members):
            yield f"{unit.name}: lost {ranges(sorted(lost))} of channel paths {ranges(unit.chpids)}"


def _why_none(devices: Frame) -> Absent:
    """Return why no LCU is known; of a collection of texts, which of them would name the LCUs."""
    uids = [uid for uid in devices.column("uid") if isinstance(uid, Absent)]
    if uids and all(uid.code == NOT_COLLECTED.code for uid in uids):
        return absent(
            f"{uids[0].reason}, whose unique ids name the LCUs; --cp-file and --site name LCUs, too"
        )
    return devices.missing or NO_LCU


def _doors(view: View) -> Mapping[str, str]:
    """Return the command that lists who uses an LCU, by its key, as far as the kernel counts it."""
    if view.interval.after.frame(UNIT_IO).missing is not None:
        return {}
    from zmon.machine.unit_loads import DiskPlaces, unit_loads  # noqa: PLC0415 - else it starts faster
    from zmon.tables.user import lcu_doors  # noqa: PLC0415 - else it starts faster

    loads = unit_loads(view.interval)
    return lcu_doors(loads, DiskPlaces(view, loads)) if loads.of else {}


def _spaces(view: View, units: Units, megabytes: dict[str, Value]) -> Mapping[str, Value]:
    """Return the busiest tablespaces of each LCU, if files of any are known."""
    if view.figures_only or view.inputs is None or not has_files(view):
        return {}
    from zmon.tables.tablespaces import busiest_tablespaces  # noqa: PLC0415 - without files it starts faster

    return busiest_tablespaces(view, units.of, megabytes)  # type: ignore[arg-type]  # a column of numbers


def told_by(units: Iterable[Lcu]) -> list[str]:
    """Say what names the LCU of devices that have no unique id, if there are any."""
    sources = list(dict.fromkeys(unit.why for unit in units if unit.why))
    return [f"~ LCU: of devices without a uid, by {'; '.join(sources)}"] if sources else []


def findings(names: Mapping[str, str], columns: Mapping[str, Sequence[Value]]) -> list[str]:
    """Say in a sentence each what the table shows: which LCUs carry the load, and for whom.

    `names` has what each LCU is called, `LCU 7600`, by its key, in the order of the rows.

    The first is said only where at most half of the LCUs carry the bulk of it; none without a load.  Whether
    that is too much for them, and what to do then, the verdict says.
    """
    loads = _loads(names, columns)
    everything = sum(rate for rate, _, _ in loads)
    if everything < MIN_IO:
        return []
    return [
        *_carried(loads, everything, _idle(names, columns), len(names)),
        *_for_whom(loads, columns.get("spaces", ())),
    ]


def _loads(names: Mapping[str, str], columns: Mapping[str, Sequence[Value]]) -> list[tuple[float, str, int]]:
    """Return the I/O per second of each LCU with its name and row, most first."""
    loads = [
        (float(rate), name, row)
        for row, (name, rate) in enumerate(zip(names.values(), columns.get("io", ()), strict=True))
        if not isinstance(rate, (Absent, str))
    ]
    return sorted(loads, key=lambda load: -load[0])


def _idle(keys: Iterable[str], columns: Mapping[str, Sequence[Value]]) -> tuple[int, str]:
    """Return how many LCUs are idle, or hardly used, and which of both; without bytes, I/O counts."""
    by_load = (
        dict(zip(keys, columns.get(name, ()), strict=False))  # behind them come disks on no LCU
        for name in ("mbs", "io")
    )
    numbers = (
        {key: value for key, value in loads.items() if not isinstance(value, (Absent, str))}
        for loads in by_load
    )
    carried = next(filter(None, numbers), {})
    idle = idle_lcus(carried)
    return len(idle), state_of_idle(carried, idle)


def _carried(
    loads: Sequence[tuple[float, str, int]], everything: float, idle: tuple[int, str], units: int
) -> list[str]:
    """Name the LCUs with more than their fair share, if at most half of all carry the bulk."""
    bulk = next(
        many for many in range(1, len(loads) + 1) if sum(r for r, _, _ in loads[:many]) >= BULK * everything
    )
    if 2 * bulk > units:
        return []
    unfair = [load for load in loads[:bulk] if load[0] > UNFAIR * everything / units]
    hot, carried = [name for _, name, _ in unfair], fsum(rate for rate, _, _ in unfair)
    said = f"{names(hot, len(hot))} {'carries' if len(hot) == 1 else 'carry'}"
    said += f" {100 * carried / everything:.0f} % of the I/O"
    many, state = idle
    if many:
        said += f", {many} of {units} LCUs {'is' if many == 1 else 'are'} {state}"
    return [said]


def _for_whom(loads: Sequence[tuple[float, str, int]], spaces: Sequence[Value]) -> list[str]:
    """Name the tablespaces that the busiest LCU serves: their column is far to the right."""
    _, name, row = loads[0]
    named = spaces[row] if spaces else UNLISTED
    return [] if isinstance(named, Absent) else [f"{name}: {named}"]


DEFINITIONS: Final = {
    "control_unit": TableDefinition(
        NEEDS, table, things=ControlUnits, screen="CTLUNIT", resource="lcu", concluded=True,
        correlated=("io", "pend", "disc", "conn", "serv", "resp", "qued", "queue", "mbs", "share"),
    )
}  # fmt: skip
