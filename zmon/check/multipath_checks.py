"""Checks of multipath: policy, requests for each path, and the sections of multipath.conf."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent, text_of
from zmon.base.ranges import many
from zmon.base.record import NamedTuple
from zmon.check.practice import Check, bad, look, ok, percent, several, skip, unknown
from zmon.kinds import LAYER, NO_CONF
from zmon.topology.path_sets import ROUND_ROBIN, PathSet, parse_path_sets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.check.practice import CheckInput, Finding
    from zmon.topology.stack import BlockDevice

FORCED_ONE: Final = (4, 6)
"""From this kernel on, round-robin changes the path after each request (drivers/md/dm-ps-round-robin.c)."""
DEFAULT_TURN: Final = 1000
COSTLY_TURN: Final = 4
"""Requests after which the path changes up to which that costs much processor time."""
FULL: Final = 0.9
"""Utilisation of processors from which on that matters."""
POLICIES: Final = frozenset({"path_grouping_policy", "path_selector", "rr_min_io", "rr_min_io_rq"})


class MultipathMap(NamedTuple):
    """A multipath device and its path groups."""

    node: BlockDevice
    groups: tuple[PathSet, ...] | Absent
    is_dasd: bool


def maps_of(given: CheckInput) -> list[MultipathMap]:
    """Return the multipath devices."""
    frame = given.sample.frame(LAYER)
    stack = given.machine.stack
    found = []
    for node in given.nodes:
        if not node.multipath:
            continue
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
        found.append(MultipathMap(node, groups, any(name.startswith("dasd") for name in names)))
    return found


def _judge_policy(given: CheckInput, *, dasd: bool) -> Finding:
    maps = [one for one in maps_of(given) if one.is_dasd is dasd]
    if not maps:
        return skip("no such multipath device")
    known = [(one.node.title, one.groups) for one in maps if not isinstance(one.groups, Absent)]
    if not known:
        return unknown(next(one.groups for one in maps if isinstance(one.groups, Absent)))
    failover = [
        title for title, groups in known if len(groups) > 1 and all(len(g.paths) == 1 for g in groups)
    ]
    if failover:
        return bad(f"each path is a group of its own (failover), so one does all: {several(failover)}")
    selectors = ", ".join(dict.fromkeys(group.selector for _, groups in known for group in groups))
    return ok(f"{many(len(known), 'multipath device')}, paths used together by {selectors}")


def dasd_policy(given: CheckInput) -> Finding:
    """B5: the block devices of a disk with base PAV are joined, and all used."""
    excused = given.no_dasd() or given.missing(LAYER)
    if excused:
        return excused
    blocks: dict[str, list[str]] = {}
    for one in given.dasds:
        if one.uid is not None and one.block and not one.uid.token:
            blocks.setdefault(one.uid.volume, []).append(one.block)
    shared = {volume: names for volume, names in blocks.items() if len(names) > 1}
    if not shared:
        return skip("the DASD driver uses aliases itself: each disk is one block device")
    numbers = {str(node.name): node.number for node in given.nodes}
    joined = {number for one in maps_of(given) for number in one.node.below}
    bare = [names[0] for names in shared.values() if not any(numbers.get(name) in joined for name in names)]
    if bare:
        return bad(f"a disk and its aliases are block devices without multipath: {several(bare)}")
    return _judge_policy(given, dasd=True)


def fcp_policy(given: CheckInput) -> Finding:
    """B7: the paths of equal priority are used together."""
    return given.no_lun() or _judge_policy(given, dasd=False)


def requests_in_turn(given: CheckInput) -> Finding:
    """B6: on old kernels the path changes often enough, and not so often that processors are full of it."""
    if given.release is not None and given.release >= FORCED_ONE:
        return skip(f"from Linux 4.6 on the path changes with each request; this is {given.fact('kernel')}")
    missing = given.missing(LAYER)
    if missing:
        return missing
    known = [(one.node.title, one.groups) for one in maps_of(given) if not isinstance(one.groups, Absent)]
    turns = {
        title: max(group.turns)
        for title, groups in known
        for group in groups
        if group.selector == ROUND_ROBIN and any(group.turns)
    }
    if not turns:
        return skip("no multipath device with round-robin")
    long = {title: turn for title, turn in turns.items() if turn >= DEFAULT_TURN}
    if long:
        old = "" if given.release is not None else ", if Linux is older than 4.6"
        return look(f"{max(long.values()):,} requests before the path changes{old}: {several(long)}")
    most = max(turns.values())
    at_most = "" if len(set(turns.values())) == 1 else "at most "
    words = f"the path changes after {at_most}{many(most, 'request')}"
    if most <= COSTLY_TURN and given.cpu_busy >= FULL:
        busy = percent(float(given.cpu_busy))  # type: ignore[arg-type]  # it is known
        return look(f"{words}, which costs processor time, and the processors are {busy} busy")
    return ok(words)


def _statements(given: CheckInput) -> Iterator[tuple[str, str, str]]:
    """Yield section, key and value of the statements in multipath.conf."""
    for name, value in given.settings_of("multipath.conf/").items():
        section, _, key = name.rpartition("/")
        yield section, key, text_of(value)


def _no_conf(given: CheckInput) -> Finding | None:
    missing = given.missing(LAYER)
    if missing:
        return missing
    if not any(node.multipath for node in given.nodes) and not given.luns:
        return skip("no multipath device")
    why = given.setting("multipath.conf")
    if isinstance(why, Absent):
        return skip(why.reason) if why.code == NO_CONF.code else unknown(why)
    return None


def overriding_sections(given: CheckInput) -> Finding:
    """B9: a policy stands where the built-in entry of the storage server does not win over it."""
    excused = _no_conf(given)
    if excused:
        return excused
    places: dict[str, set[str]] = {}
    for section, key, _ in _statements(given):
        if key in POLICIES:
            places.setdefault(key, set()).add(section.partition(".")[0])
    alone = sorted(key for key, sections in places.items() if sections == {"defaults"})
    if alone:
        return look(f"only in defaults: {several(alone)}")
    return ok("no policy stands in defaults alone")


def aliases(given: CheckInput) -> Finding:
    """B10: multipath devices have names that people can read."""
    missing = given.missing(LAYER)
    if missing:
        return missing
    maps = [node for node in given.nodes if node.multipath]
    if not maps:
        return skip("no multipath device")
    named = [node.title for node in maps if node.wwid and node.title == node.wwid]
    if named:
        return look(f"named by WWID: {many(len(named), 'multipath device')}")
    return ok(f"{many(len(maps), 'multipath device')} with names: {several(node.title for node in maps)}")


CHECKS: Final = (
    Check("B5", "multipath of DASD with base PAV", "device-mapper tables, /sys/bus/ccw/devices/*/uid",
          "multibus, round-robin", "join each disk and its aliases by multipath with path_grouping_policy"
          " multibus", "S004:195-197, S004:253-256", dasd_policy),
    Check("B6", "requests for each path in turn", "device-mapper tables, uname",
          "100 for transactions, 1 for analytics, 15 on XIV", "set rr_min_io in devices{} of"
          " multipath.conf: 100 for transactions, 1 for analytics, 15 on XIV",
          "S000:137-139, S000:193-199, S004:383-386", requests_in_turn),
    Check("B7", "multipath of FCP disks", "device-mapper tables", "paths of one priority in one group",
          "set path_grouping_policy multibus (with ALUA group_by_prio): in the study it moved 21 % more"
          " than failover", "S000:386-404, S000:866-867, S003:485-490", fcp_policy),
    Check("B9", "policies in multipath.conf", "/etc/multipath.conf",
          "in devices{}, multipaths{} or overrides{}", "write the policy into devices{} or overrides{}:"
          " the built-in entry of a storage server wins over defaults{}", "S000:379, S000:386-404",
          overriding_sections),
    Check("B10", "names of multipath devices", "/sys/block/dm-*/dm/{name,uuid}", "an alias for each",
          "give each an alias in multipaths{}: people find a disk faster", "S000:386-404", aliases),
)  # fmt: skip
"""The checks of this module."""
