"""Paths are lost (D13), all go through one thing (D13b), High Performance FICON is off (D19)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent
from zmon.base.clock import clock
from zmon.base.ranges import many, names, ranges
from zmon.diagnosis.diagnosis import CERTAIN, POSSIBLE, Diagnosis, Subject
from zmon.diagnosis.phrases import evidence, listed, of_paths
from zmon.diagnosis.scsi_paths import carriers_of
from zmon.machine.observation import path_groups
from zmon.machine.path_repair import BrokenPath, get_back_channel_paths, get_back_disk_paths
from zmon.values.path_masks import Unused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.diagnosis.diagnosis import Diagnoses
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observed_paths import LcuPaths, MultipathDisk, PathLeaf

FEW: Final = 3
"""Failed paths up to which each is named."""
WAITED_FOR: Final = {"lcu", "paths"}
"""Places that requests wait for longer where a channel program takes longer."""


def lost_paths(situation: Situation) -> Diagnoses:
    """Return D13: channel paths that devices have and cannot use, and failed paths to SCSI disks."""
    paths, maps = situation.machine.paths(), situation.machine.maps()
    found: list[Diagnosis] = []
    if not isinstance(paths, Absent):
        found += _merged(situation, [one for one in paths if one.lost])
    if not isinstance(maps, Absent):
        found += _failed(situation, maps)
    return tuple(found) or _unless_unread(situation)


def _unless_unread(situation: Situation) -> Diagnoses:
    """Return that nothing holds; absent where paths were not read that disks of this machine have."""
    paths, maps = situation.machine.paths(), situation.machine.maps()
    if isinstance(paths, Absent) and (isinstance(maps, Absent) or not maps):
        return paths
    if not isinstance(maps, Absent):
        return ()
    has_scsi = bool(situation.load.fcp) or any("." not in one.key for one in situation.load.volumes)
    return maps if has_scsi else ()


def _merged(situation: Situation, lcus: list[LcuPaths]) -> Iterator[Diagnosis]:
    """Yield one diagnosis for the LCUs that lost the same paths."""
    groups: dict[tuple[tuple[str, Unused], ...], list[LcuPaths]] = {}
    for one in lcus:
        groups.setdefault(tuple((lost.chpid, lost.why) for lost in one.lost), []).append(one)
    for lost, ones in groups.items():
        yield _lost(situation, lost, ones)


def _lost(situation: Situation, lost: tuple[tuple[str, Unused], ...], ones: list[LcuPaths]) -> Diagnosis:
    chpids = [chpid for chpid, _ in lost]
    why = next((why for _, why in lost if why is not Unused.UNKNOWN), Unused.UNKNOWN)
    whole = len(ones[0].installed)
    left = whole - len(chpids)
    shared = [
        of_paths(key)
        for key, group in path_groups(situation.load.lcus).items()
        if not set(chpids).isdisjoint(group)
    ]
    lcus = [Subject("lcu", one.lcu, one.title) for one in ones]
    since = min((one.since for one in ones if one.since is not None), default=None)
    waits = sum(
        place.waits
        for place in situation.waiting.places
        if place.kind == "paths" and not set(chpids).isdisjoint(place.key.split())
    )
    number = sum(max(each.devices for each in one.lost) for one in ones)
    titles = names(sorted(one.title for one in ones))
    taken = "" if why is Unused.ON or why is Unused.UNKNOWN else f" ({why.words})"
    clause = f"{len(chpids)} of {whole} channel paths to {titles} {_are_lost(chpids, since)}"
    return Diagnosis(
        "D13",
        subjects=(*(Subject("path", chpid, f"channel path {chpid}") for chpid in chpids), *shared, *lcus),
        clause=clause,
        short=f"{clause}: {ranges(chpids)}{f' ({why.text})' if why is Unused.MAINTENANCE else ''}",
        rest=f": {ranges(chpids)}{taken}",
        evidence=(
            evidence("device.paths", lcus[0], left, f"{number} devices on line have {left} of {whole} paths"),
            *(
                evidence(
                    "channel.configured",
                    Subject("path", chpid, chpid),
                    1,
                    f"channel path {chpid} is {said.text}: nobody has taken it off",
                )
                for chpid, said in lost
                if said is Unused.ON
            ),
        ),
        confidence=CERTAIN,
        action=get_back_channel_paths(lost),
        lost=waits,
        since=since,
        missing=()
        if why is not Unused.UNKNOWN
        else ("why the path is not used (configure and status of the channel path)",),
    )


def _are_lost(things: list[str], since: int | None) -> str:
    if since is None:
        return f"{_are(things)} lost"
    return f"{'has' if len(things) == 1 else 'have'} been lost since {clock(since, '%H:%M')}"


def _are(things: list[str]) -> str:
    return "is" if len(things) == 1 else "are"


def _failed(situation: Situation, maps: Sequence[MultipathDisk]) -> Iterator[Diagnosis]:
    """Yield one diagnosis for all paths to SCSI disks that failed or are gone.

    What requests wait for behind them they wait for since: fewer paths do what all did.
    """
    hurt = [one for one in maps if one.broken]
    if not hurt:
        return
    broken = [leaf for one in hurt for leaf in one.broken]
    first = hurt[0]
    left, whole = sum(not leaf.failed for leaf in first.leaves), len(first.leaves) + len(first.gone)
    since = min((one.since for one in hurt if one.since is not None), default=None)
    lost = _are_lost([leaf.name for leaf in broken], since)
    clause = f"{many(len(broken), 'path')} to {listed([one.title for one in hurt])} {lost}"
    which = _which(maps, broken)
    waited = situation.waiting.at_volumes(frozenset[str]().union(*(one.names for one in hurt)))
    waits = sum(place.waits for place in waited)
    works = [leaf for one in hurt for leaf in one.leaves if not leaf.failed]
    yield Diagnosis(
        "D13",
        subjects=(
            *dict.fromkeys(
                Subject(
                    "adapter", leaf.adapter, _adapter_title(leaf), is_fcp=bool(leaf.adapter and leaf.port)
                )
                for leaf in broken
            ),
            *(Subject("disk", one.key, one.title) for one in hurt),
            *(Subject("volume", place.key, place.title) for place in waited),
            *(carrier.subject for carrier in carriers_of(works)),
        ),
        clause=clause,
        short=f"{clause}: {which}{_waiting(waits)}",
        rest=f": {which} ({broken[0].failed}){_waiting(waits)}",
        besides=_all_that_is_left(works, len(hurt)),
        evidence=(
            evidence(
                "multipath.left",
                Subject("disk", first.key, first.title),
                left,
                f"{first.title} has {left} of {whole} paths",
            ),
        ),
        confidence=CERTAIN,
        action=get_back_disk_paths([*map(_as_broken, broken)]),
        lost=waits,
        since=since,
    )


def _waiting(waits: float) -> str:
    return f", and {many(waits, 'request')} wait for what is left" if waits else ""


def _all_that_is_left(works: Sequence[PathLeaf], disks: int) -> str:
    """Return, as a sentence, that all paths to disks that are left go through one adapter; else nothing."""
    adapters = {leaf.adapter for leaf in works}
    if len(works) <= disks or len(adapters) > 1 or adapters == {""}:
        return ""
    return f" Those that are left all go through {_adapter_title(works[0])}: if it fails, the disks are gone."


def _as_broken(leaf: PathLeaf) -> BrokenPath:
    return BrokenPath(leaf.name, leaf.adapter, leaf.failed, leaf.port, leaf.adapter_offline)


def _adapter_title(leaf: PathLeaf) -> str:
    return _as_broken(leaf).over


def _which(maps: Sequence[MultipathDisk], broken: Sequence[PathLeaf]) -> str:
    """Return which paths failed: a few by name, many by their FCP devices: `all 6 over ...`."""
    if len(broken) <= FEW or not all(leaf.adapter for leaf in broken):
        return listed([leaf.name for leaf in broken])
    whole = Counter(leaf.adapter for one in maps for leaf in (*one.leaves, *one.gone))
    lost = Counter(leaf.adapter for leaf in broken)
    title = {leaf.adapter: _adapter_title(leaf) for leaf in broken}
    return names(
        [
            f"{'all ' if number == whole[adapter] else ''}{number} over {title[adapter]}"
            for adapter, number in lost.items()
        ]
    )


def single_points(situation: Situation) -> Diagnoses:
    """Return D13b: disks with several paths that all go through one adapter, port or physical channel.

    Where a disk has one path alone nobody meant it to have two, so nothing is said.
    """
    paths, maps = situation.machine.paths(), situation.machine.maps()
    found: list[Diagnosis] = []
    if not isinstance(maps, Absent):
        found += _single(maps)
    if not isinstance(paths, Absent):
        found += [_one_channel(one) for one in paths if len(one.installed) > 1 and len(one.physical) == 1]
    return tuple(found) or _unless_unread(situation)


def _single(maps: Sequence[MultipathDisk]) -> Iterator[Diagnosis]:
    for title, part in (("FCP device", _adapter), ("port", _port)):
        by_part: dict[str, list[MultipathDisk]] = {}
        for one in maps:
            if one.broken:
                continue  # D13 says what is left
            parts = {part(leaf) for leaf in one.leaves}
            if len(one.leaves) > 1 and len(parts) == 1 and "" not in parts:
                by_part.setdefault(parts.pop(), []).append(one)
        for key, ones in by_part.items():
            yield Diagnosis(
                "D13b",
                subjects=(
                    Subject("adapter", key, f"{title} {key}", is_fcp=part is _adapter),
                    *(Subject("disk", one.key, one.title) for one in ones),
                ),
                clause=f"All paths to {listed([one.title for one in ones])} go through one {title}, {key}",
                rest=": if it fails, the disks are gone",
                evidence=(
                    evidence(
                        "layer.busid" if part is _adapter else "layer.wwpn",
                        Subject("disk", ones[0].key, ones[0].title),
                        1,
                        f"{ones[0].title} has {len(ones[0].leaves)} paths over 1 {title}",
                    ),
                ),
                confidence=CERTAIN,
                action=f"Add paths over another {title}, on another adapter card and another switch.",
                lost=0.0,
            )


def _adapter(leaf: PathLeaf) -> str:
    return leaf.adapter


def _port(leaf: PathLeaf) -> str:
    return leaf.port


def _one_channel(one: LcuPaths) -> Diagnosis:
    lcu = Subject("lcu", one.lcu, one.title)
    return Diagnosis(
        "D13b",
        subjects=(lcu,),
        clause=f"All {len(one.installed)} channel paths to {one.title} are one physical channel,"
        f" {one.physical[0]}",
        evidence=(
            evidence("channel.pchid", lcu, 1, f"{ranges(one.installed)} have 1 PCHID, {one.physical[0]}"),
        ),
        confidence=CERTAIN,
        action="Give the LCU paths over another physical channel.",
        lost=0.0,
    )


def no_hpf(situation: Situation) -> Diagnoses:
    """Return D19: requests wait for LCUs or paths while High Performance FICON is off."""
    paths = situation.machine.paths()
    if isinstance(paths, Absent):
        return paths
    keys = {place.key for place in situation.waiting.places if place.kind in WAITED_FOR}
    chpids = {chpid for key in keys for chpid in key.split()}
    found = []
    for one in paths:
        if not one.without_hpf or (one.lcu not in keys and chpids.isdisjoint(one.installed)):
            continue
        lcu = Subject("lcu", one.lcu, one.title)
        found.append(
            Diagnosis(
                "D19",
                subjects=(lcu,),
                clause=f"High Performance FICON is off for {many(one.without_hpf, 'volume')} of {one.title}",
                evidence=(evidence("device.hpf", lcu, one.without_hpf, f"hpf is 0 for {one.without_hpf}"),),
                confidence=POSSIBLE,
                action="Have HPF switched on in the storage server and in the I/O configuration.",
                lost=0.0,
                confirm="The part of requests in transport mode (DASDSTAT) would show it after the change.",
            )
        )
    return tuple(found)


CAUSES: Final = {"D13": lost_paths, "D13b": single_points, "D19": no_hpf}
