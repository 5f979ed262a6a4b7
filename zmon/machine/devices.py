"""The I/O devices of an interval: DASD, their aliases and other disks.

Pend, Disc and Conn come from channel measurement (CMF) and are per operation that the channel
subsystem timed; Serv is their sum and the time in which the device alone was active, as IBM defines it (z/VM
7.3, monitor record MRIODDEV).  Resp is what Linux waits for a request, from the block layer, and Qued
follows from it by Little's law.  Where starts are not counted, Linux's requests stand for them.

A SCSI disk that multipath reaches over several paths is one row, with what the multipath device counts; its
paths have none.

A volume hangs when requests are in Linux and none completes.  Its Resp is at least the time for which that is
so, an estimate that is above all others.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from operator import attrgetter

from zmon.base.absent import Absent, absent, text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.interval import IDLE
from zmon.kinds import (
    BLOCK,
    CACHE,
    CACHE_NOT_READ,
    CMF,
    CONTRADICTED,
    DASD,
    DEVICE,
    LAYER,
    MACHINE,
    NO_CMF,
    NO_DASD,
    NO_DISK,
    NOWHERE,
    ORIGIN,
)
from zmon.machine.blocks import Blocks
from zmon.machine.channel_paths import lost_chpids, lost_on_line, paths_of_devices
from zmon.machine.disks_there import ccw_disks, maps_of_disks
from zmon.machine.figure import Figure, catalogue
from zmon.machine.join import Joined, first, mean, not_below_zero, plus, quotient, total
from zmon.machine.things import Things
from zmon.sample import pick
from zmon.topology.leaf_disks import counted_disks
from zmon.topology.origins import Origins
from zmon.topology.volumes import NO_NUMBER, doubt_of_label, lcus
from zmon.values.path_masks import NO_MASKS
from zmon.values.uid import HYPERPAV, Uid, alias_kind, find_uid, known_uid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Self

    from zmon.base.absent import Number, Value
    from zmon.interval import Interval
    from zmon.machine.view import View
    from zmon.sample import Frame
    from zmon.topology.volumes import Volume

MS: Final = 1e-6
"""ns to ms."""

HANGS: Final = absent("the volume hangs: requests wait in Linux, and none completed in the interval")
NOT_CCW: Final = absent("not a ccw device: it has no subchannel")
VIRTIO: Final = absent("virtio disks start their I/O without SSCH")

MAX_LOOKED_BACK: Final = 120
"""Intervals that are looked through for when a volume began to hang."""
NO_DISKS: Final = absent("there are no disks")
NO_UID: Final = absent("no uid")
VIRTIO_HOME: Final = "virtio"
NVME_HOME: Final = "NVMe"
SCSI_HOME: Final = "SCSI"
"""What disks that are on no LCU have in common; they are no LCU, and nothing can be spread over them.

It is also the key of the one LCU that all SCSI disks behind measured FCP adapters count as.
"""


class Devices(Things):
    """The devices of one interval, column by column, in the order of `keys`."""

    as_shown = True
    sparse = True

    def __init__(self, interval: Interval) -> None:
        """Line up the kinds that speak of a device: ccw device, measurement, block device, DASD."""
        devices, blocks = interval.of(DEVICE), interval.of(BLOCK)
        keys, names = ccw_disks(interval)
        taken = set(names)
        maps = maps_of_disks(interval)
        counted, self.paths = counted_disks(maps, taken)
        """Of each multipath device, by its name, the SCSI disks that are paths of it, as they are ordered."""
        alone = [name for name in counted if maps[name] != name or name in self.paths]
        self._weighed: dict[tuple[str, int], tuple[Sequence[int], list[Number]]] = {}
        """The weights of rows, by the column that they are of and the list of the rows."""
        self.keys: list[str] = keys + alone
        self.names: list[Value] = [*names, *alone]
        self.ccw_missing = devices.missing
        self.ccw_frame = devices.frame
        self._blocks, self._ccw, self._interval = blocks, devices, interval

    @classmethod
    def at(cls, interval: Interval) -> Self:
        """Return the devices of an interval, which several may ask for one after the other."""
        return devices_of(interval)  # type: ignore[return-value]  # there is no other sort of it

    # the kinds, each along the keys

    @cached_property
    def ccw(self) -> Joined:
        """What the subchannel of each tells."""
        is_read = all(no_number(key) is NOT_CCW or key in self._ccw.index for key in self.keys)
        return Joined(self._ccw, self.keys, NOT_CCW if is_read else NOWHERE)

    @cached_property
    def cmf(self) -> Joined:
        """What channel measurement tells of each."""
        return Joined(self._interval.of(CMF), self.keys, NO_CMF if self._ccw.keys else NOT_CCW)

    @cached_property
    def blocks(self) -> Blocks:
        """The block device of each."""
        return Blocks(self._interval, self.names)

    @cached_property
    def dasd(self) -> Joined:
        """What the DASD driver tells of each."""
        return Joined(self._interval.of(DASD), self.keys, NO_DASD)

    @cached_property
    def uids(self) -> list[Value]:
        """The unique id of each."""
        return list(map(known_uid, self.ccw["uid"], self.dasd["uid"]))

    @cached_property
    def cache(self) -> Joined:
        """The cache statistics of each."""
        return Joined(self._interval.of(CACHE), self.keys, CACHE_NOT_READ)

    @property
    def summed(self) -> list[int]:
        """The rows of all disks and of their aliases."""
        return disks(self) + [row for row, alias in enumerate(self.ccw["alias"]) if alias == 1]

    @cached_property
    def lcu_of(self) -> dict[str, str]:
        """The key of the LCU of each device that has a unique id."""
        return {bus: lcu.key for lcu in lcus(self._ccw.frame).values() for bus in lcu.members}

    @cached_property
    def sorts(self) -> list[str]:
        """What sort of disk each is; of a DASD it is empty."""
        return [
            _home(name, driver, key in self.paths) if isinstance(name, str) else ""
            for key, name, driver in zip(self.keys, self.names, self.ccw["driver"], strict=True)
        ]

    # what the channel subsystem timed

    @cached_property
    def ssch(self) -> list[Number]:
        """The starts of I/O per second."""
        return [
            VIRTIO if driver == "virtio_ccw" else starts
            for starts, driver in zip(self.cmf.rate("ssch"), self.ccw["driver"], strict=True)
        ]

    @cached_property
    def pend(self) -> Sequence[Number]:
        """Milliseconds per I/O until the device accepts the first command."""
        return self._timed("pending")

    @cached_property
    def disc(self) -> Sequence[Number]:
        """Milliseconds per I/O in which the device works without the channel."""
        return self._timed("disconnect")

    @cached_property
    def conn(self) -> Sequence[Number]:
        """Milliseconds per I/O of data transfer."""
        return self._timed("connect")

    @cached_property
    def active(self) -> list[Number]:
        """Milliseconds per I/O in which the device alone was active; empty where there are none, as usual."""
        only = self.cmf.numbers("active_only")
        if not any(value.__class__ is not Absent and value for value in only):
            return []
        return quotient(first(only, [0] * len(only)), self.cmf.numbers("samples"), MS, IDLE)

    @cached_property
    def serv(self) -> list[Number]:
        """Milliseconds of an I/O from its start to its end."""
        times = plus(self.pend, self.disc, self.conn)
        return plus(times, self.active) if self.active else times

    @cached_property
    def busy(self) -> list[Number]:
        """The part of the interval in which an I/O was at the device, in percent."""
        used = plus(*(self.cmf.rate(name) for name in ("pending", "disconnect", "connect")))
        if self.active:
            used = plus(used, first(self.cmf.rate("active_only"), [0] * len(used)))
        return self._unless_virtio([ns / 1e7 for ns in used])

    def _timed(self, name: str) -> Sequence[Number]:
        """Return milliseconds per I/O of what the channel subsystem timed."""
        times = quotient(self.cmf.numbers(name), self.cmf.numbers("samples"), MS, IDLE)
        return self._idle(self._unless_virtio(times))

    def _unless_virtio(self, values: list[Number]) -> list[Number]:
        """Return values without those of virtio disks, of which what is measured says nothing."""
        if VIRTIO not in set(self.ssch):
            return values
        return [
            VIRTIO if starts is VIRTIO else value for starts, value in zip(self.ssch, values, strict=True)
        ]

    # what Linux counts

    @cached_property
    def requests(self) -> Sequence[Number]:
        """The requests per second that the block layer completed."""
        return self.blocks.numbers("ios")

    @cached_property
    def wait(self) -> Sequence[Number]:
        """Milliseconds that Linux waits for a request."""
        return self.numbers("await")

    @cached_property
    def rate(self) -> list[Number]:
        """The I/O per second of every device: starts where they are counted, else Linux's requests."""
        return first(self.ssch, self.requests)

    @cached_property
    def response(self) -> list[Number]:
        """Milliseconds that Linux waits for a request, else Serv; at least the time for which one hangs."""
        times = first(self.wait, self.serv)
        for row, seconds in self.blocks.hung.items():
            times[row] = seconds * 1e3
        return times

    def _idle(self, values: Sequence[Number]) -> Sequence[Number]:
        """Give another reason where a volume had no requests because it hangs."""
        hung = self.blocks.hung
        if not hung:
            return values
        return [HANGS if value is IDLE and row in hung else value for row, value in enumerate(values)]

    def counted(self, key: str) -> Sequence[Number]:
        """Return a figure of the block layer."""
        return self._idle(self.blocks.numbers(key))

    # what each is called

    def title(self, row: int) -> str:
        """Return what people call a device: its number, its name, or the alias of a multipath device.

        Of a virtio disk neither the host nor the guest uses the number.
        """
        key, name = self.keys[row], self.names[row]
        if self.sorts[row] == VIRTIO_HOME and isinstance(name, str):
            return name
        label = self.block_labels[row] if key in self.paths else None
        return label if isinstance(label, str) else address(key) if "." in key else key

    @cached_property
    def _disks(self) -> tuple[Frame, Mapping[str, int]]:
        """What describes disks, counters or only what they are made of, and its rows by their names."""
        if self._blocks.missing is None:
            return self._blocks.frame, self._blocks.index
        layers = self._interval.after.frame(LAYER)
        names = enumerate(layers.column("name"))
        return layers, {name: row for row, name in names if isinstance(name, str)}

    @cached_property
    def block_labels(self) -> list[Value]:
        """What the device mapper calls each disk, such as the alias of a multipath device."""
        if self._blocks.missing is None:
            return self.blocks.counted["label"]
        (layers, rows), no_label = self._disks, self.blocks.counted["label"]
        mapped = layers.column("mapped")
        return [
            mapped[rows[str(name)]] if str(name) in rows else label
            for name, label in zip(self.names, no_label, strict=True)
        ]

    def of_paths(self, field: str) -> list[Value]:
        """Return a field of the block layer; of a multipath device that of the first path that has it."""
        values, (frame, rows) = self.blocks.counted[field], self._disks
        of_disks = frame.column(field)
        for row, paths in self._joined():
            told = (of_disks[rows[path]] for path in paths if path in rows)
            values[row] = next((value for value in told if not isinstance(value, Absent)), values[row])
        return values

    @cached_property
    def chpids(self) -> list[Value]:
        """The channel paths that lead to each device; of SCSI disks those of the adapters."""
        chpids_of = self.ccw["chpids"]
        frame, rows = self._disks
        busids = frame.column("busid")
        for row, name in enumerate(self.keys):
            if "." in name:
                continue
            paths_to = self.paths.get(name, (name,))
            adapters = dict.fromkeys(str(busids[rows[path]]) for path in paths_to if path in rows)
            told = [self._ccw.cell(busid, "chpids") for busid in adapters if busid in self._ccw.index]
            chpids = dict.fromkeys(
                chpid for paths in told if isinstance(paths, str) for chpid in paths.split()
            )
            chpids_of[row] = " ".join(sorted(chpids)) or chpids_of[row]
        return chpids_of

    def _joined(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the row of each multipath device, with its paths."""
        if self.paths:
            yield from ((row, self.paths[key]) for row, key in enumerate(self.keys) if key in self.paths)

    @cached_property
    def cuwt(self) -> list[Number]:
        """The time per I/O that was spent waiting for the control unit."""
        return quotient(self.cmf.numbers("cu_queue"), self.cmf.numbers("samples"), MS, IDLE)

    @cached_property
    def guessed(self) -> frozenset[int]:
        """The rows where requests are shown instead of starts."""
        return frozenset(
            row
            for row, (starts, rate) in enumerate(zip(self.ssch, self.rate, strict=True))
            if starts.__class__ is Absent and rate.__class__ is not Absent
        )

    @property
    def timed(self) -> list[Number]:
        """The I/O per second that the channel subsystem timed."""
        return [
            serv if serv.__class__ is Absent else rate
            for serv, rate in zip(self.serv, self.rate, strict=True)
        ]

    @property
    def answers(self) -> list[Number]:
        """The I/O per second that Resp is of: Linux's requests, else what the devices served."""
        return [
            timed if wait.__class__ is Absent else requests
            for wait, requests, timed in zip(self.wait, self.requests, self.timed, strict=True)
        ]

    @cached_property
    def volsers(self) -> list[Value]:
        """The labels that Linux reads on the disks, without those that are a minidisk's own."""
        return list(map(label_reader(self._interval), self.keys, self.ccw["uid"], self.dasd["volser"]))

    @property
    def labels(self) -> list[Value]:
        """The labels of the volumes, as Linux reads them."""
        return labels(self)

    @cached_property
    def queued(self) -> list[Number]:
        """How many requests wait in Linux.

        The queue is before the volume, so the volume's requests make it, on whichever alias they run.
        """
        return not_below_zero(
            [n * (r - s) / 1e3 for n, r, s in zip(self.requests, self.response, self.serv, strict=True)]
        )

    def queued_at(self, rows: Sequence[int]) -> Number:
        """Return how many requests wait in Linux for some devices together.

        With aliases among them only their sum is known (Little's law), not which volume an alias served.
        """
        alias = self.ccw["alias"]
        if all(alias[row] != 1 for row in rows):
            return total([self.queued[row] for row in rows])
        requests = total([self.requests[row] for row in rows])
        longer = self.average_response(rows) - self.average(rows, self.serv)
        return not_below_zero([requests * longer / 1e3])[0]

    def average(self, rows: Sequence[int], values: Sequence[Number]) -> Number:
        """Average what is measured per start of I/O, each device with its rate as its weight."""
        return mean(pick(values, rows), self._weights(rows, "rate"), IDLE.reason)

    def average_wait(self, rows: Sequence[int], values: Sequence[Number]) -> Number:
        """Average what is counted per request of Linux, each disk with its requests as its weight.

        A disk's requests are those that ran on aliases too.
        """
        return mean(pick(values, rows), self._weights(rows, "requests"), IDLE.reason)

    def _weights(self, rows: Sequence[int], name: str) -> list[Number]:
        """Return what some rows weigh; of an LCU it is asked for with each of its columns."""
        weights = self._weighed.get((name, id(rows)))
        if weights is None or weights[0] is not rows:
            weights = self._weighed[name, id(rows)] = rows, pick(getattr(self, name), rows)
        return weights[1]

    def average_response(self, rows: Sequence[int]) -> Number:
        """Average the response time: as Linux waits for it, else as the devices serve it."""
        waited = self.average_wait(rows, self.wait)
        return self.average(rows, self.serv) if isinstance(waited, Absent) else waited

    def measured(self, rows: Sequence[int]) -> Number:
        """Return the I/O per second that `average` is an average of."""
        return total([self.rate[row] for row in rows if not isinstance(self.serv[row], Absent)])

    def answered(self, rows: Sequence[int]) -> Number:
        """Return the I/O per second that `average_response` is an average of."""
        waited = [self.requests[row] for row in rows if not isinstance(self.wait[row], Absent)]
        return total(waited) if waited else self.measured(rows)

    def estimated(self, rows: Iterable[int]) -> bool:
        """Return whether Linux's requests are shown instead of starts, which are not counted."""
        return any(self.rate[row] for row in self.guessed.intersection(rows))


def _load(
    name: str,
    attribute: str,
    together: Callable[[Devices, Sequence[int], list[Number]], Number],
    weight: str = "",
    trend: int = 0,
) -> Figure:
    """Declare a load that several devices have together, too."""
    values: Callable[[Devices], list[Number]] = attrgetter(attribute)
    return Figure(name, values, lambda devices, rows: together(devices, rows, values(devices)), weight, trend)


def _of_blocks(key: str, weight: str = "", trend: int = 0) -> Figure:
    """Declare what the block layer counts; a mean over several disks is one over their requests."""

    def together(devices: Devices, rows: Sequence[int]) -> Number:
        return devices.average_wait(rows, devices.numbers(key)) if weight else devices.blocks.of(key, rows)

    return Figure(key, lambda devices: devices.counted(key), together, weight, trend)


def _sum(_devices: Devices, rows: Sequence[int], values: list[Number]) -> Number:
    return total([values[row] for row in rows])


def _queued(devices: Devices, rows: Sequence[int]) -> Number:
    """Return how many requests wait, LCU by LCU, for aliases serve the volumes of their own."""
    units: dict[str, list[int]] = {}
    for row in rows:
        units.setdefault(devices.lcu_of.get(devices.keys[row], ""), []).append(row)
    return total([devices.queued_at(unit) for unit in units.values()])


def path_count(devices: Devices) -> list[Number]:
    """Return the number of usable paths: installed, available, operational, verified and used by the driver.

    Of a SCSI disk it is the number of all.
    """
    joined, masks = devices.paths, paths_of_devices(devices.ccw_frame)
    return [
        (masks[key].installed & ~masks[key].lost).bit_count()
        if key in masks
        else (len(joined[key]) if key in joined else pim)
        for key, pim in zip(devices.keys, devices.ccw.numbers("pim"), strict=True)
    ]


def _lost(devices: Devices) -> list[Number]:
    """Return the number of channel paths that are installed and cannot be used; of others it is not known."""
    masks = paths_of_devices(devices.ccw_frame)
    return [masks[key].lost.bit_count() if key in masks else NO_MASKS for key in devices.keys]


def _lost_chpids(devices: Devices) -> list[Value]:
    """Return these channel paths."""
    lost = lost_chpids(devices.ccw_frame)
    return [lost.get(key, NO_MASKS) for key in devices.keys]


def most_lost(devices: Devices, rows: Iterable[int]) -> int:
    """Return how many of its paths that of some devices on line has lost which has lost most."""
    hurt = lost_on_line(devices.ccw_frame)
    return max((hurt.get(devices.keys[row], 0) for row in rows), default=0) if hurt else 0


def own_aliases(devices: Devices, lcu_of: Mapping[str, str]) -> dict[str, list[int]]:
    """Return the rows of the aliases that serve one volume alone, by its key."""
    if 1 not in devices.ccw["alias"]:
        return {}
    columns = zip(devices.keys, devices.ccw["uid"], devices.ccw["alias"], strict=True)
    devices_with_uid = [(key, row, text, alias == 1) for row, (key, text, alias) in enumerate(columns)]
    aliases = [
        (key, row, uid)
        for key, row, text, is_alias in devices_with_uid
        if is_alias and (uid := _own_uid(text))
    ]
    if not aliases:
        return {}
    bases = {
        (lcu_of.get(key, ""), uid.ua): key
        for key, _row, text, is_alias in devices_with_uid
        if not is_alias and (uid := _own_uid(text))
    }
    of_base: dict[str, list[int]] = {}
    for key, row, uid in aliases:
        base = bases.get((lcu_of.get(key, ""), uid.ua))
        if base is not None:
            of_base.setdefault(base, []).append(row)
    return of_base


def _own_uid(text: Value) -> Uid | None:
    """Return the unique id of a device with a unit address of its own."""
    uid = find_uid(text)
    return None if uid is None or uid.ua == HYPERPAV else uid


def _of_volumes(devices: Devices, make: Callable[[Sequence[int]], Number]) -> list[Number]:
    """Return a figure of each device with the aliases that serve it alone; of one without any, of itself."""
    own = own_aliases(devices, devices.lcu_of)
    return [make((row, *own.get(key, ()))) for row, key in enumerate(devices.keys)]


def _volumes_queued(devices: Devices) -> list[Number]:
    """Return how many requests wait in Linux for each volume: Qued, with the time that aliases take."""

    def queued(rows: Sequence[int]) -> Number:
        volume = rows[0]
        if len(rows) == 1:
            return devices.queued[volume]
        longer = devices.response[volume] - devices.average(rows, devices.serv)
        return not_below_zero([devices.requests[volume] * longer / 1e3])[0]

    return _of_volumes(devices, queued)


def _volumes_busy(devices: Devices) -> list[Number]:
    """Return how busy base and aliases of each volume are on average, in percent."""
    return _of_volumes(devices, lambda rows: total(pick(devices.busy, rows)) / len(rows))


SHOWN: Final = catalogue(
    _load("io", "rate", _sum, trend=1),
    _load("pend", "pend", Devices.average, "measured", 2),
    _load("disc", "disc", Devices.average, "measured", 3),
    _load("conn", "conn", Devices.average, "measured", 4),
    _load("serv", "serv", Devices.average, "measured", 5),
    Figure(
        "resp", attrgetter("response"), lambda devices, rows: devices.average_response(rows), "answered", 6
    ),
    _load("cuwt", "cuwt", Devices.average, "measured"),
    Figure("qued", attrgetter("queued"), _queued),
    Figure("busy", attrgetter("busy"), trend=7),
    _of_blocks("ios"),
    _of_blocks("await", "ios"),
    _of_blocks("queue", trend=8),
    Figure("lbusy", lambda devices: devices.blocks.column("lbusy")),
    _of_blocks("mbs", trend=9),
    _of_blocks("reqkb", "ios"),
    _of_blocks("read", "ios"),
)
Devices.figures = SHOWN | catalogue(
    Figure("measured", attrgetter("timed"), lambda devices, rows: devices.measured(rows)),
    Figure("answered", attrgetter("answers"), lambda devices, rows: devices.answered(rows)),
    _of_blocks("writes"),
    _of_blocks("rwait"),
    _of_blocks("wwait"),
    Figure("volqued", _volumes_queued),
    Figure("volbusy", _volumes_busy),
    Figure("paths", path_count, steady=True),
    Figure("lost", _lost, steady=True),
    Figure("lostchpids", _lost_chpids),
)
"""The loads of DEVICE, which DEVLOG, CTLUNIT, CTLULOG and trends take from here, and its paths.

No screen shows `measured` and `answered`, which times are averages over, `lost` and `lostchpids`, which rules
watch and name, `writes` and `wwait`, which both rest on, and `volqued` and `volbusy`, which diagnoses rest
on: a volume with the aliases that serve it alone, where `qued` and `busy` are those of the device."""


def unseen_disks(interval: Interval) -> Absent | None:
    """Return why it is not known which disks there are; None if requests of one are counted."""
    why = interval.of(BLOCK).missing
    if why is None or why.code == NO_DISK.code:
        return None
    devices = devices_of(interval)
    pairs = zip(devices.names, devices.requests, strict=True)
    is_counted = any(not isinstance(name, Absent) and not isinstance(many, Absent) for name, many in pairs)
    return None if is_counted else why


@lru_cache(maxsize=1)
def devices_of(interval: Interval) -> Devices:
    """Return the devices of an interval, which several tables may ask for one after the other."""
    return Devices(interval)


@lru_cache(maxsize=20_000)  # each figure of each device is shown with it
def address(key: str) -> str:
    """Return the device number of a bus id, four hex digits in upper case; other names as they are.

    Numbers are unique within a subchannel set only: of another set than 0 it is the whole bus id, `0.1.7000`.
    """
    group, dot, number = key.rpartition(".")
    if not dot or "/" in key:
        return key
    return number.upper() if group.endswith(".0") else f"{group}.{number.upper()}"


def no_number(key: str) -> Absent | None:
    """Return why a device has no number; None if its key is its bus id."""
    return None if "." in key else NO_NUMBER if key.startswith("dasd") else NOT_CCW


def homes(devices: Devices, lcu_of: Mapping[str, str]) -> list[str]:
    """Return for each disk that is on no LCU what sort of disk it is, and for others an empty word.

    A DASD has none: it is on an LCU that is not known.
    """
    return ["" if key in lcu_of else sort for key, sort in zip(devices.keys, devices.sorts, strict=True)]


def _home(name: str, driver: Value, joined: bool) -> str:
    if name.startswith("nvme"):
        return NVME_HOME
    if driver == "virtio_ccw" or name.startswith("vd"):
        return VIRTIO_HOME
    return SCSI_HOME if joined or name.startswith("sd") else ""


def roles(devices: Devices) -> list[Value]:
    """Return for each device whether it is a base, an alias or neither."""
    names: list[Value] = []
    for alias, uid in zip(devices.ccw["alias"], devices.uids, strict=True):
        if alias == 1:
            names.append(alias_kind(uid))
        elif isinstance(uid, str) and uid:
            names.append("base")
        else:
            names.append(uid if isinstance(uid, Absent) else NO_UID)
    return names


def hung_for(view: View) -> dict[str, float]:
    """Return the seconds for which nothing completed on each volume that hangs, with the intervals before."""
    seconds = _hung_in(view.interval)
    for key, more in in_each_before(view, set(seconds), _hung_in) if seconds else ():
        seconds[key] += more
    return seconds


def _hung_in(interval: Interval) -> dict[str, float]:
    devices = devices_of(interval)
    return {devices.keys[row]: seconds for row, seconds in devices.blocks.hung.items()}


def in_each_before(
    view: View, keys: set[str], of: Callable[[Interval], Mapping[str, float]]
) -> Iterator[tuple[str, float]]:
    """Yield what `of` has of each key in the intervals before, one by one, while it has something."""
    begin = view.interval.after.at.utc if view.interval.before is None else view.interval.before.at.utc
    for number, interval in enumerate(view.history.past(begin)):
        if number == MAX_LOOKED_BACK or not keys or interval.before is None or interval.after.at.utc > begin:
            return
        seconds = of(interval)
        keys = keys & set(seconds)
        yield from ((key, seconds[key]) for key in keys)


def labels(devices: Devices, volumes: Mapping[str, Volume] | None = None) -> list[Value]:
    """Return the labels of the volumes, as FILES and `zmon where` show them.

    Where CP or a directory gives none, it is what Linux reads on the disk; without one it is the disk's Linux
    name behind `>`, as `>vda`.
    """
    told = {key: volume.volser for key, volume in (volumes or {}).items()}
    columns = (devices.keys, devices.volsers, devices.block_labels, devices.names)
    return [
        label_of(told.get(key, volser), label, f">{name}" if isinstance(name, str) else volser)
        for key, volser, label, name in zip(*columns, strict=True)
    ]


def label_reader(interval: Interval) -> Callable[[str, Value, Value], Value]:
    """Return what returns the label of a volume: what Linux reads on a disk, unless a minidisk may own it.

    It is asked for the bus id, the unique id and what Linux reads.
    """
    sample = interval.after
    environment = text_of(sample.frame(MACHINE).cell("machine", "environment"))
    origins = Origins(sample.frames.get(ORIGIN.name))

    def label(busid: str, uid: Value, volser: Value) -> Value:
        if not isinstance(volser, str):
            return volser
        return doubt_of_label(uid, environment, origins, origins.of("device", busid, "uid", "")) or volser

    return label


def label_of(*told: Value | None) -> Value:
    """Return the first label that is known, or contradicted; where none is, the last, such as a reason."""
    for label in told:
        if isinstance(label, str) or (isinstance(label, Absent) and label.code == CONTRADICTED.code):
            return label
    return told[-1] or absent("it has no label")


def strays(count: int) -> Absent:
    """Return why it is not known how many aliases an LCU has."""
    many = "1 alias has" if count == 1 else f"{count:,} aliases have"
    return absent(f"{many} no uid that names the LCU: lsdasd -u has it")


def disks(devices: Devices) -> list[int]:
    """Return the rows of all disks."""
    return [row for row, name in enumerate(devices.names) if isinstance(name, str)]
