"""Paths are lost (D13), all go through one thing (D13b), High Performance FICON is off (D19)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.clock import clock
from zmon.base.ranges import names
from zmon.diagnosis.diagnosis import Subject
from zmon.diagnosis.phrases import of_paths
from zmon.diagnosis.scsi_paths import carriers_of
from zmon.diagnosis.seen import Cause, Seen, diagnosed
from zmon.machine.observation import path_groups
from zmon.machine.path_repair import BrokenPath, get_back_channel_paths, get_back_disk_paths
from zmon.values.path_masks import Unused
from zmon.words.template import With, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from zmon.diagnosis.diagnosis import Diagnoses
    from zmon.diagnosis.seen import Causes
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observed_paths import LcuPaths, MultipathDisk, PathLeaf

FEW: Final = 3
"""Failed paths up to which each is named."""
WAITED_FOR: Final = {"lcu", "paths"}
"""Places that requests wait for longer where a channel program takes longer."""
PARTS: Final = (("FCP device", "adapter", "layer.busid"), ("port", "port", "layer.wwpn"))
"""What all paths to a disk may go through, with the field of a path that names it, and the column."""


def lost_paths(situation: Situation) -> Diagnoses:
    """Return D13: channel paths that devices have and cannot use, and failed paths to SCSI disks."""
    paths, maps = situation.machine.paths(), situation.machine.maps()
    seen: list[Seen] = []
    if not isinstance(paths, Absent):
        seen += _channel_paths(situation, [lcu for lcu in paths if lcu.lost])
    if not isinstance(maps, Absent) and any(disk.broken for disk in maps):
        seen.append(_disk_paths(situation, maps))
    return tuple(diagnosed("D13", lost) for lost in seen) or _unless_unread(situation)


def _unless_unread(situation: Situation) -> tuple[()] | Absent:
    """Return that nothing holds; absent where paths were not read that disks of this machine have."""
    paths, maps = situation.machine.paths(), situation.machine.maps()
    if isinstance(paths, Absent) and (isinstance(maps, Absent) or not maps):
        return paths
    if not isinstance(maps, Absent):
        return ()
    has_scsi = bool(situation.load.fcp) or any("." not in volume.key for volume in situation.load.volumes)
    return maps if has_scsi else ()


def _channel_paths(situation: Situation, lcus: Sequence[LcuPaths]) -> Iterator[Seen]:
    """Yield what is said of LCUs that lost the same paths."""
    groups: dict[tuple[tuple[str, Unused], ...], list[LcuPaths]] = {}
    for lcu in lcus:
        groups.setdefault(tuple((lost.chpid, lost.why) for lost in lcu.lost), []).append(lcu)
    for lost, behind in groups.items():
        chpids = [chpid for chpid, _ in lost]
        why = next((why for _, why in lost if why is not Unused.UNKNOWN), Unused.UNKNOWN)
        since = min((lcu.since for lcu in behind if lcu.since is not None), default=None)
        whole = len(behind[0].installed)
        facts = {
            "chpids": chpids,
            "whole": whole,
            "left": whole - len(chpids),
            "began": "" if since is None else clock(since, "%H:%M"),
            "why": why,
            "is_off": why is not Unused.ON and why is not Unused.UNKNOWN,
            "is_unknown": why is Unused.UNKNOWN,
            "in_maintenance": why is Unused.MAINTENANCE,
            "on": [With(Subject("path", chpid, chpid), why=on) for chpid, on in lost if on is Unused.ON],
            "paths": [Subject("path", chpid, f"channel path {chpid}") for chpid in chpids],
            "shared": [
                of_paths(key)
                for key, group in path_groups(situation.load.lcus).items()
                if not set(chpids).isdisjoint(group)
            ],
            "devices": sum(max(path.devices for path in lcu.lost) for lcu in behind),
            "repair": get_back_channel_paths(lost),
        }
        waits = sum(
            place.waits
            for place in situation.waiting.of_kind("paths")
            if not set(chpids).isdisjoint(place.key.split())
        )
        yield Seen([_lcu(lcu) for lcu in behind], waits, facts, "channel paths", since=since)


def _lcu(lcu: LcuPaths) -> Subject:
    return Subject("lcu", lcu.lcu, lcu.title)


def _disk_paths(situation: Situation, maps: Sequence[MultipathDisk]) -> Seen:
    """Return what is said of all paths to SCSI disks that failed or are gone.

    What requests wait for behind them they wait for since: fewer paths do what all did.
    """
    hurt = [disk for disk in maps if disk.broken]
    broken = [leaf for disk in hurt for leaf in disk.broken]
    since = min((disk.since for disk in hurt if disk.since is not None), default=None)
    waited = situation.waiting.at_volumes(frozenset[str]().union(*(disk.names for disk in hurt)))
    works = [leaf for disk in hurt for leaf in disk.leaves if not leaf.failed]
    all_alike = len(works) > len(hurt) and len({leaf.adapter for leaf in works}) == 1
    facts = {
        "broken": broken,
        "which": _which(maps, broken),
        "reason": broken[0].failed,
        "left": sum(not leaf.failed for leaf in hurt[0].leaves),
        "whole": len(hurt[0].leaves) + len(hurt[0].gone),
        "last": _adapter_title(works[0]) if all_alike and works[0].adapter else "",
        "began": "" if since is None else clock(since, "%H:%M"),
        "adapters": [
            Subject("adapter", leaf.adapter, _adapter_title(leaf), is_fcp=bool(leaf.adapter and leaf.port))
            for leaf in broken
        ],
        "waited": [Subject("volume", place.key, place.title) for place in waited],
        "carriers": carriers_of(works),
        "repair": get_back_disk_paths([*map(_as_broken, broken)]),
    }
    lost = sum(place.waits for place in waited)
    return Seen([With(disk, kind="disk") for disk in hurt], lost, facts, "disk paths", since=since)


def _as_broken(leaf: PathLeaf) -> BrokenPath:
    return BrokenPath(leaf.name, leaf.adapter, leaf.failed, leaf.port, leaf.adapter_offline)


def _adapter_title(leaf: PathLeaf) -> str:
    return _as_broken(leaf).over


def _which(maps: Sequence[MultipathDisk], broken: Sequence[PathLeaf]) -> str:
    """Return which paths failed: a few by name, many by their FCP devices: `all 6 over ...`."""
    if len(broken) <= FEW or not all(leaf.adapter for leaf in broken):
        return listed([leaf.name for leaf in broken])
    whole = Counter(leaf.adapter for disk in maps for leaf in (*disk.leaves, *disk.gone))
    lost = Counter(leaf.adapter for leaf in broken)
    title = {leaf.adapter: _adapter_title(leaf) for leaf in broken}
    return names(
        [
            f"{'all ' if number == whole[adapter] else ''}{number} over {title[adapter]}"
            for adapter, number in lost.items()
        ]
    )


def _behind_one(situation: Situation) -> Sequence[With] | Absent:
    """Return the disks with several paths that all go through one adapter, then those through one port.

    Where a disk has one path alone nobody meant it to have two, so nothing is said.
    """
    maps = situation.machine.maps()
    disks = [] if isinstance(maps, Absent) else [disk for disk in maps if not disk.broken]  # else D13 tells
    behind = [
        With(
            disk,
            kind="disk",
            behind=Subject("adapter", keys[0], f"{part} {keys[0]}", is_fcp=field == "adapter"),
            part=part,
            column=column,
            paths=len(disk.leaves),
            waits=0.0,
        )
        for part, field, column in PARTS
        for disk in disks
        if len(keys := [getattr(leaf, field) for leaf in disk.leaves]) > 1 and keys[0] and len({*keys}) == 1
    ]
    return behind or _unless_unread(situation)


def _on_one_channel(situation: Situation) -> Sequence[With] | Absent:
    """Return the LCUs with several channel paths that are one physical channel."""
    paths = situation.machine.paths()
    lcus = [] if isinstance(paths, Absent) else paths
    alone = [
        With(_lcu(lcu), installed=lcu.installed, channel=lcu.physical[0], waits=0.0)
        for lcu in lcus
        if len(lcu.installed) > 1 and len(lcu.physical) == 1
    ]
    return alone or _unless_unread(situation)


def _without_hpf(situation: Situation) -> Sequence[With] | Absent:
    """Return the LCUs that requests wait for, or for paths to them, while High Performance FICON is off."""
    paths = situation.machine.paths()
    if isinstance(paths, Absent):
        return paths
    keys = {place.key for place in situation.waiting.places if place.kind in WAITED_FOR}
    chpids = {chpid for key in keys for chpid in key.split()}
    return [
        With(_lcu(lcu), without_hpf=lcu.without_hpf, waits=0.0)
        for lcu in paths
        if lcu.without_hpf and (lcu.lcu in keys or not chpids.isdisjoint(lcu.installed))
    ]


SORTS: Final[Mapping[str, Callable[[Situation], Sequence[With] | Absent]]] = {
    "disks behind one part": _behind_one,
    "LCUs on one channel": _on_one_channel,
    "LCUs without HPF": _without_hpf,
}
CAUSES: Final[Causes] = {"D13": lost_paths, **{id_: Cause(id_, SORTS) for id_ in ("D13b", "D19")}}
