"""From an interval to paths and layers of disks: see `zmon.machine.observed_machine`."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from zmon.base.absent import Absent, absent, text_of
from zmon.base.clock import DAY, HOUR, MINUTE
from zmon.base.record import NamedTuple
from zmon.kinds import ADAPTER, BLOCK, CHANNEL, DEVICE, LAYER, MPATH, PATH, SETTING
from zmon.machine.blocks import Blocks
from zmon.machine.channel_paths import path_loads
from zmon.machine.disks_below import DisksBelow
from zmon.machine.path_repair import why_unused
from zmon.machine.topology import TOPOLOGY, machine_of, units_of
from zmon.sample import pick
from zmon.topology.lun import is_fcp
from zmon.topology.path_sets import PathSet, parse_path_sets
from zmon.topology.read_texts import remarks
from zmon.topology.stack import volume_name
from zmon.values.path_masks import Unused, paths_on_line
from zmon.values.path_state import GONE, reasons_in

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from zmon.base.absent import Number, Value
    from zmon.interval import Delta, Interval
    from zmon.machine.view import History, View
    from zmon.sample import Frame
    from zmon.topology.volumes import Lcu

T = TypeVar("T")
KINDS: Final = (BLOCK, CHANNEL, DEVICE, LAYER, PATH, SETTING, *TOPOLOGY)
"""What is read of a sample."""
BACKLOG: Final = 5 * MINUTE
"""For how long after a path came back what waited meanwhile may be behind it."""
MAX_HALVED: Final = 14
"""Times that are looked at to find when a path was lost: half a minute of a day."""
KNOWS_HPF: Final = "2107"
"""Type of the control units that know High Performance FICON."""
UNPAIRED: Final = absent("the tables of the device mapper are readable by root only")
UNCOUNTED: Final = absent("the disk is not counted")
RUNNING: Final = "running"
"""State of a SCSI disk that answers."""
LVM: Final = "LVM-"


class LostPath(NamedTuple):
    """A channel path that some devices of an LCU have, and cannot use."""

    chpid: str
    devices: int
    """How many of them."""
    why: Unused


class LcuPaths(NamedTuple):
    """The channel paths of the devices of an LCU that are on line."""

    lcu: str
    title: str
    devices: int
    installed: tuple[str, ...]
    lost: tuple[LostPath, ...] = ()
    physical: tuple[str, ...] = ()
    """The physical channels (PCHIDs) behind them, where all are known."""
    without_hpf: int = 0
    """Devices of a control unit that knows High Performance FICON, which do not use it."""
    since: int | None = None
    """When the first path was lost, as far as looked back."""


class PathLeaf(NamedTuple):
    """One path to a SCSI disk: a disk of its own to Linux."""

    number: str
    """major:minor."""
    name: str
    """`sda`."""
    adapter: str
    """Bus id of the FCP device; empty if not known."""
    chpid: str
    """The channel path of the adapter; empty if not known."""
    port: str
    """WWPN of the port of the storage server; empty if not known."""
    rate: Number
    """Requests per second."""
    response: Number
    use: Number
    """Utilisation of the channel path."""
    failed: str = ""
    """Why it is not used: `failed`, `offline`, `gone`; empty if it may be."""
    adapter_offline: bool = False
    """Whether its adapter is there and was set offline."""
    busy: Number = UNCOUNTED
    """The part of the time in which it has a request."""


class MultipathDisk(NamedTuple):
    """A disk that is reached over several paths."""

    key: str
    """`dm-0`."""
    title: str
    groups: tuple[tuple[PathLeaf, ...], ...]
    """In the order of use."""
    selector: str
    turn: int
    """Requests until the next path takes over (`rr_min_io`); 0 if not known."""
    gone: tuple[PathLeaf, ...] = ()
    """Paths that it had within the last day and has no more."""
    since: int | None = None
    """UTC in ns from which on it has fewer paths that work; None if always, as far as is recorded."""

    @property
    def broken(self) -> tuple[PathLeaf, ...]:
        """The paths that are lost: they failed, or are gone."""
        return (*(leaf for leaf in self.leaves if leaf.failed), *self.gone)

    @property
    def leaves(self) -> tuple[PathLeaf, ...]:
        """All paths."""
        return tuple(leaf for group in self.groups for leaf in group)

    @property
    def names(self) -> frozenset[str]:
        """What the disk may be called: as a map, by its alias, and as each of its paths."""
        return frozenset({self.key, self.title, *(leaf.name for leaf in (*self.leaves, *self.gone))})


class StripeSegment(NamedTuple):
    """A part of a logical volume."""

    volumes: tuple[str, ...]
    """Keys of the volumes that it is on."""
    bytes: int


class ExtendedVolume(NamedTuple):
    """A logical volume that was extended: its parts are on different volumes."""

    title: str
    """`vg/lv`."""
    segments: tuple[StripeSegment, ...]
    """In the order of its addresses: what was added later lies behind."""
    group: tuple[str, ...]
    """Keys of all volumes that logical volumes of the volume group lie on."""


# channel paths


def lcu_paths(view: View) -> tuple[LcuPaths, ...] | Absent:
    """Return the channel paths of each LCU that a view's interval ends with."""
    frame = view.interval.after.frame(DEVICE)
    if frame.missing is not None:
        return frame.missing
    units = units_of(view).lcus
    channels = view.interval.after.frame(CHANNEL)
    states = zip(channels.keys, *(channels.column(name) for name in _ChannelState._fields), strict=True)
    each_lcu = _paths(frame, _Units(units), tuple((key, _ChannelState(*state)) for key, *state in states))
    return tuple(
        lcu._replace(since=_lost_since(_loss(view, units[lcu.lcu], lcu.lost))) if lcu.lost else lcu
        for lcu in each_lcu
    )


class _ChannelState(NamedTuple):
    """What the channel subsystem tells of a channel path."""

    configure: Value
    status: Value
    chid: Value
    chid_external: Value
    """0 if `chid` is no physical channel, but an id within the machine."""

    @property
    def physical(self) -> str:
        """The physical channel; empty if it is not known, or there is none."""
        return "" if self.chid_external == 0 else text_of(self.chid)


NO_STATE: Final = _ChannelState("", "", "", "")


class _Units:
    """The LCUs as a key: those of one frame are the same if their keys are."""

    def __init__(self, lcus: Mapping[str, Lcu]) -> None:
        self.lcus = lcus
        self._keys = tuple(lcus)

    def __hash__(self) -> int:
        return hash(self._keys)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Units) and self._keys == other._keys


@lru_cache(maxsize=2)  # devices are read once a minute, and their paths seldom change
def _paths(
    frame: Frame, units: _Units, states: tuple[tuple[str, _ChannelState], ...]
) -> tuple[LcuPaths, ...]:
    each_lcu = (_paths_of(frame, unit, dict(states)) for unit in units.lcus.values())
    return tuple(lcu for lcu in each_lcu if lcu is not None)


def _paths_of(frame: Frame, unit: Lcu, states: Mapping[str, _ChannelState]) -> LcuPaths | None:
    lost = Counter[str]()
    why: dict[str, Unused] = {}
    installed = set[str]()
    devices = 0
    for paths in paths_on_line(frame, unit.members):
        devices += 1
        installed.update(paths.named(paths.installed))
        for chpid in paths.lost_chpids:
            lost[chpid] += 1
            why.setdefault(chpid, paths.reasons.get(chpid, [_state(states, chpid)])[0])
    if not devices:
        return None
    chids = [states.get(f"0.{chpid}", NO_STATE).physical for chpid in sorted(installed)]
    return LcuPaths(
        unit.key,
        unit.name,
        devices,
        tuple(sorted(installed)),
        tuple(LostPath(chpid, many, why[chpid]) for chpid, many in sorted(lost.items())),
        tuple(sorted(set(chids))) if all(chids) else (),
        _without_hpf(frame, unit),
    )


def _state(states: Mapping[str, _ChannelState], chpid: str) -> Unused:
    """Return why a channel path is not used, as the channel subsystem tells."""
    state = states.get(f"0.{chpid}", NO_STATE)
    return why_unused(state.configure, state.status)


def _without_hpf(frame: Frame, unit: Lcu) -> int:
    """Count the base devices on line that could use High Performance FICON and do not."""
    online, kind, hpf = (frame.column(name) for name in ("online", "cutype", "hpf"))
    rows = (row for busid in unit.bases if (row := frame.index.get(busid)) is not None)
    return sum(
        online[row] == 1 and text_of(kind[row]).partition("/")[0] == KNOWS_HPF and hpf[row] == 0
        for row in rows
    )


class _Asked(Generic[T]):
    """A question about the time before a view's interval as a key: within an hour it has the same answer.

    It has the history, and not the view, with which what was read of its samples would stay.
    """

    def __init__(self, history: History, until: int, what: T, *key: Hashable) -> None:
        """Ask, at the end `until` (UTC in ns) of an interval, about what `key` tells from others."""
        self.history, self.until, self.what = history, until, what
        self._key = (id(history), until // HOUR, *key)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and self._key == other._key


def _asked(view: View, what: T, *key: Hashable) -> _Asked[T]:
    return _Asked(view.history, view.interval.after.at.utc, what, *key)


def _loss(view: View, unit: Lcu, lost: Sequence[LostPath]) -> _Asked[Lcu]:
    return _asked(view, unit, unit.key, *(path.chpid for path in lost))


def _time(asked: _Asked[Any], utc: int) -> _Asked[int]:
    """Return the same question about a time."""
    return _Asked(asked.history, asked.until, utc, utc)


@lru_cache(maxsize=64)
def _lost_since(asked: _Asked[Lcu]) -> int | None:
    """Return when devices of an LCU first lacked a path, by halving the time before; None if always."""
    unit = asked.what

    def lost_at(utc: int) -> bool:
        interval = next(asked.history.past(utc), None)
        frame = None if interval is None else interval.after.frame(DEVICE)
        return frame is None or any(paths.lost_chpids for paths in paths_on_line(frame, unit.members))

    return _first_lost(asked, lost_at)


def _first_lost(asked: _Asked[Any], lost_at: Callable[[int], bool]) -> int | None:
    """Return when something was first lost within a day, by halving the time; None if it always was."""
    late = asked.until
    early = max(asked.history.first(), late - DAY)
    if early >= late or lost_at(early):
        return None
    for _ in range(MAX_HALVED):
        middle = (early + late) // 2
        early, late = (early, middle) if lost_at(middle) else (middle, late)
    return late


# paths to SCSI disks


def multipath_maps(view: View) -> tuple[MultipathDisk, ...] | Absent:
    """Return the multipath devices, each with its paths and what they carry."""
    interval = view.interval
    layers = interval.after.frame(LAYER)
    if layers.missing is not None:
        return layers.missing
    leaf: Callable[[str], PathLeaf] | None = None
    before: Mapping[str, Sequence[PathLeaf]] = {}
    disks = []
    for name, title, sets in _maps_in(layers):
        if leaf is None:  # most machines have no such device
            leaf, before = _leaves(interval), _leaves_before(view)
        first = sets[0] if sets else PathSet("", (), ())
        groups = tuple(tuple(map(leaf, path_set.paths)) for path_set in sets)
        disk = MultipathDisk(name, title, groups, first.selector, max(first.turns, default=0))
        disk = disk._replace(gone=_gone(disk, before.get(title, ()), interval.of(DEVICE)))
        disks.append(disk._replace(since=_fewer_since(_fewer(view, disk))) if disk.broken else disk)
    return tuple(disks)


def gone_paths(view: View) -> Iterator[tuple[MultipathDisk, PathLeaf]]:
    """Yield the paths that multipath devices had within a day and have no more, as DIAGNOSE knows them."""
    maps = multipath_maps(view)
    for disk in () if isinstance(maps, Absent) else maps:
        for leaf in disk.broken:
            if leaf.failed == GONE and leaf.name:  # one without a name was never seen
                yield disk, leaf


def _maps_in(layers: Frame) -> Iterator[tuple[str, str, Sequence[PathSet]]]:
    """Yield the name, the title and the path groups of each multipath device."""
    rows = _multipath_rows(layers)
    columns = (pick(layers.column(name), rows) for name in ("name", "mapped", "table", "below"))
    for name, mapped, table, below in zip(*columns, strict=True):
        yield text_of(name), text_of(mapped) or text_of(name), _path_sets(table, below)


def _path_sets(table: Value, below: Value) -> tuple[PathSet, ...]:
    """Return the path groups of a multipath device; without its table all its paths as one."""
    sets = _sets(table)
    return (PathSet("", tuple(text_of(below).split()), ()),) if isinstance(sets, Absent) else sets


def _day_before(view: View) -> _Asked[int] | None:
    """Return the time a day ago, or when samples began, as a question; None before the second sample."""
    late = view.interval.after.at.utc
    early = max(view.history.first(), (late - DAY) // HOUR * HOUR)  # the same all the hour
    return _asked(view, early, early) if early < late else None


def _leaves_before(view: View) -> Mapping[str, Sequence[PathLeaf]]:
    """Return by the title of each multipath device the paths that it had a day ago, or when samples began."""
    early = _day_before(view)
    return {} if early is None else _leaves_at(early)


@lru_cache(maxsize=32)  # times that are asked about for all multipath devices
def _leaves_at(asked: _Asked[int]) -> Mapping[str, Sequence[PathLeaf]]:
    """Return by the title of each multipath device the paths that it had at a time."""
    interval = next(asked.history.past(asked.what), None)
    layers = None if interval is None else interval.after.frame(LAYER)
    if interval is None or layers is None or layers.missing is not None:
        return {}
    leaf = _leaves(interval)
    return {
        title: [leaf(number) for path_set in sets for number in path_set.paths]
        for _, title, sets in _maps_in(layers)
    }


def _gone(disk: MultipathDisk, before: Sequence[PathLeaf], ccw: Delta) -> tuple[PathLeaf, ...]:
    """Return the paths that a multipath device had and has no more, unless it has others instead."""
    many = len(before) - len(disk.leaves)
    if many <= 0:
        return ()
    names = {leaf.name for leaf in disk.leaves}
    missing = [leaf for leaf in before if leaf.name not in names][:many]
    return tuple(
        leaf._replace(failed=GONE, adapter_offline=ccw.cell(leaf.adapter, "online") == 0) for leaf in missing
    )


def _fewer(view: View, disk: MultipathDisk) -> _Asked[MultipathDisk]:
    return _asked(view, disk, disk.title, frozenset(leaf.name for leaf in disk.broken))


@lru_cache(maxsize=64)
def _fewer_since(asked: _Asked[MultipathDisk]) -> int | None:
    """Return when paths of a multipath device were first lost, by halving the time before; None if always."""
    disk = asked.what
    broken = {leaf.name for leaf in disk.broken}

    def lost_at(utc: int) -> bool:
        leaves = _leaves_at(_time(asked, utc)).get(disk.title)
        return leaves is None or not broken <= {leaf.name for leaf in leaves if not leaf.failed}

    return _first_lost(asked, lost_at)


def came_back(view: View, disk: MultipathDisk) -> bool:
    """Return whether more paths of a multipath device work than in one of the last minutes."""
    if view.interval.before is None:
        return False
    works, begin = sum(not leaf.failed for leaf in disk.leaves), view.interval.before.at.utc
    earliest = max(begin - BACKLOG, view.history.first())
    times = (*range(begin, earliest, -MINUTE), earliest)
    each_minute = (_leaves_at(_asked(view, utc, utc)).get(disk.title) for utc in times)
    return any(
        leaves is not None and sum(not leaf.failed for leaf in leaves) < works for leaves in each_minute
    )


@lru_cache(maxsize=2)  # layers are read once a minute
def _multipath_rows(layers: Frame) -> list[int]:
    return [row for row, uuid in enumerate(layers.column("uuid")) if text_of(uuid).startswith(MPATH)]


def _sets(table: object) -> tuple[PathSet, ...] | Absent:
    if not isinstance(table, str):
        return UNPAIRED
    try:
        return parse_path_sets(table)
    except ValueError as error:
        return absent(str(error))


def _leaves(interval: Interval) -> Callable[[str], PathLeaf]:
    """Return a function that gives a path by the number of its disk."""
    layers, ccw, blocks = interval.after.frame(LAYER), interval.of(DEVICE), Blocks(interval)
    rates, waits, busy = (
        dict(zip(blocks.keys, blocks.numbers(key), strict=True)) for key in ("ios", "await", "lbusy")
    )
    use, _ = path_loads(interval)
    settings = interval.after.frame(SETTING)
    states = dict(zip(settings.keys, map(text_of, settings.column("value")), strict=True))
    failed = {
        number
        for key, listed in states.items()
        if key.startswith("paths/")
        for number, _, state in (word.partition("=") for word in listed.split())
        if state == "F"
    }
    paths = interval.after.frame(PATH)
    said = reasons_in(paths)
    is_whole = bool(paths.keys) and not any(remarks(interval.after, frozenset({PATH.name})))
    is_listed = paths.index.__contains__ if is_whole else lambda _number: True

    def leaf(number: str) -> PathLeaf:
        name, busid, port = (text_of(layers.cell(number, field)) for field in ("name", "busid", "wwpn"))
        chpid, _, _ = text_of(ccw.cell(busid, "chpids")).partition(" ")
        rate, wait, used = (figures.get(name, UNCOUNTED) for figures in (rates, waits, busy))
        load: Number = use.get(chpid, absent("the load of its channel path is not measured"))
        offline = ccw.cell(busid, "online") == 0
        state = states.get(f"disk/{name}/state", RUNNING)
        lost = state if state not in {RUNNING, ""} else "failed" if number in failed else ""
        # what is read with each sample comes before what is read seldom
        lost = said.get(number, lost) if is_listed(number) else GONE
        return PathLeaf(
            number, name, busid, chpid, port, rate, wait / 1e3, load / 100.0, lost, offline, used / 100.0
        )

    return leaf


# adapters


def lost_adapters(view: View) -> Iterator[tuple[str, int | None]]:
    """Yield the FCP adapters that are used here and not online, and since when that is so; None if always.

    Used are those with SCSI disks, and those that were online a day ago or when samples began.
    """
    after = view.interval.after
    devices, blocks, online = after.frame(DEVICE), after.frame(BLOCK), after.frame(ADAPTER).index
    if devices.missing is not None:
        return
    early = _day_before(view)
    before = frozenset() if early is None else _adapters_at(early)
    used = before | {text_of(busid) for busid in blocks.column("busid")}
    for busid in sorted(used - online.keys()):
        if _is_offline(devices, busid) or (busid in before and busid not in devices.index):
            yield busid, _lost_adapter_since(_asked(view, busid, busid))


def _is_offline(devices: Frame, busid: str) -> bool:
    """Return whether a device is an FCP adapter that is offline."""
    driver, cutype = (devices.cell(busid, name) for name in ("driver", "cutype"))
    return devices.cell(busid, "online") == 0 and is_fcp(driver, cutype)


@lru_cache(maxsize=32)  # times that are asked about for all adapters
def _adapters_at(asked: _Asked[int]) -> frozenset[str]:
    """Return the FCP adapters that were online at a time."""
    interval = next(asked.history.past(asked.what), None)
    return frozenset() if interval is None else frozenset(interval.after.frame(ADAPTER).keys)


@lru_cache(maxsize=64)
def _lost_adapter_since(asked: _Asked[str]) -> int | None:
    """Return when an FCP adapter was first missed, by halving the time before; None if always."""
    return _first_lost(asked, lambda utc: asked.what not in _adapters_at(_time(asked, utc)))


# logical volumes


def extended_volumes(view: View) -> tuple[ExtendedVolume, ...] | Absent:
    """Return the logical volumes whose parts are on different sets of volumes."""
    layers = view.interval.after.frame(LAYER)
    if layers.missing is not None:
        return layers.missing
    uuids = layers.column("uuid")
    numbers = [key for key, uuid in zip(layers.keys, uuids, strict=True) if text_of(uuid).startswith(LVM)]
    if not numbers:
        return ()
    stack = machine_of(view).stack
    disks = DisksBelow(view.interval)
    segments: dict[str, list[StripeSegment]] = {}
    groups: dict[str, set[str]] = {}
    for number in numbers:
        parts = stack.segments(number)
        node = stack.node(number)
        name = volume_name(str(node.mapped)) if node is not None else None
        if isinstance(parts, Absent) or name is None:
            continue
        own = [StripeSegment(tuple(sorted(disks.keys(leg.device for leg in part.legs))), part.length)
               for part in parts]  # fmt: skip
        segments[name] = own
        groups.setdefault(name.partition("/")[0], set()).update(*(part.volumes for part in own))
    return tuple(
        ExtendedVolume(name, tuple(own), tuple(sorted(groups[name.partition("/")[0]])))
        for name, own in segments.items()
        if any(set(segment.volumes) != set(other.volumes) for segment, other in pairwise(own))
    )
