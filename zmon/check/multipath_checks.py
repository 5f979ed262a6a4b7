"""What checks of multipath look at: policy, requests for each path, and the sections of multipath.conf."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent, absent, code_of, text_of
from zmon.base.record import NamedTuple
from zmon.kinds import LAYER, NO_CONF
from zmon.topology.path_sets import ROUND_ROBIN, PathSet, parse_path_sets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.check.practice import CheckInput
    from zmon.topology.stack import BlockDevice

FORCED_ONE: Final = (4, 6)
"""From this kernel on, round-robin changes the path after each request (drivers/md/dm-ps-round-robin.c)."""
POLICIES: Final = frozenset({"path_grouping_policy", "path_selector", "rr_min_io", "rr_min_io_rq"})


class MultipathMap(NamedTuple):
    """A multipath device and its path groups."""

    node: BlockDevice
    groups: tuple[PathSet, ...] | Absent
    is_dasd: bool


def maps_of(given: CheckInput) -> list[MultipathMap]:
    """Return the multipath devices."""
    frame, stack = given.frame(LAYER), given.machine.stack
    maps = []
    for node in given.multipaths:
        table = frame.cell(node.number, "table")
        groups: tuple[PathSet, ...] | Absent
        if isinstance(table, Absent):
            groups = table
        else:
            try:
                groups = parse_path_sets(str(table))
            except ValueError as error:
                groups = absent(f"table of {node.title}: {error}")
        names = [text_of(leg.name) for leg in map(stack.node, node.below) if leg is not None]
        maps.append(MultipathMap(node, groups, any(name.startswith("dasd") for name in names)))
    return maps


def _groups(maps: Sequence[MultipathMap]) -> list[tuple[MultipathMap, tuple[PathSet, ...]]]:
    """Return the devices whose path groups are known, with these."""
    return [(map_, map_.groups) for map_ in maps if not isinstance(map_.groups, Absent)]


def _policies(maps: Sequence[MultipathMap]) -> Mapping[str, Any]:
    """Return what is known of how some devices use their paths, and those that use one path alone."""
    path_groups = _groups(maps)
    return {
        "maps": maps,
        "known": path_groups or next((map_.groups for map_ in maps), None),
        "failover": [
            map_.node.title
            for map_, groups in path_groups
            if len(groups) > 1 and all(len(group.paths) == 1 for group in groups)
        ],
        "selectors": list(dict.fromkeys(group.selector for _, groups in path_groups for group in groups)),
    }


def dasd_policy(given: CheckInput) -> Mapping[str, Any]:
    """Return the disks with several block devices (base PAV), those that nothing joins, and the policies."""
    blocks: dict[str, list[str]] = {}
    for dasd in given.dasds:
        if dasd.uid is not None and dasd.block and not dasd.uid.token:
            blocks.setdefault(dasd.uid.volume, []).append(dasd.block)
    shared = [names for names in blocks.values() if len(names) > 1]
    maps = maps_of(given)
    numbers = {str(node.name): node.number for node in given.nodes}
    joined = {number for map_ in maps for number in map_.node.below}
    bare = [names[0] for names in shared if not any(numbers.get(name) in joined for name in names)]
    return {"shared": shared, "bare": bare, **_policies([map_ for map_ in maps if map_.is_dasd])}


def fcp_policy(given: CheckInput) -> Mapping[str, Any]:
    """Return how the multipath devices of FCP disks use their paths."""
    return _policies([map_ for map_ in maps_of(given) if not map_.is_dasd])


def requests_in_turn(given: CheckInput) -> Mapping[str, Any]:
    """Return after how many requests the path changes at most, of each device and of all."""
    turns = {
        map_.node.title: max(group.turns)
        for map_, groups in _groups(maps_of(given))
        for group in groups
        if group.selector == ROUND_ROBIN and any(group.turns)
    }
    return {
        "is_forced": given.release is not None and given.release >= FORCED_ONE,
        "turns": [{"title": title, "turn": turn} for title, turn in turns.items()],
        "most": max(turns.values(), default=0),
        "differ": len(set(turns.values())) > 1,
    }


def overriding_sections(given: CheckInput) -> Mapping[str, Any]:
    """Return the policies over which the built-in entry of a storage server wins."""
    places: dict[str, set[str]] = {}
    for name in given.settings_of("multipath.conf/"):
        section, _, key = name.rpartition("/")
        if key in POLICIES:
            places.setdefault(key, set()).add(section.partition(".")[0])
    return {
        "is_missing": code_of(given.setting("multipath.conf")) == NO_CONF.code,
        "overridden": sorted(key for key, sections in places.items() if sections == {"defaults"}),
    }


def names_of_maps(given: CheckInput) -> Mapping[str, Any]:
    """Return the names of multipath devices, and those that are but their WWID."""
    nodes = {node.title: node.wwid for node in given.multipaths}
    return {"names": list(nodes), "unnamed": [title for title, wwid in nodes.items() if title == wwid]}


FACTS: Final = {
    "B5": dasd_policy,
    "B6": requests_in_turn,
    "B7": fcp_policy,
    "B9": overriding_sections,
    "B10": names_of_maps,
}
"""What is found for each of these checks."""
