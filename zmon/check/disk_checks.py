"""Checks of DASDs and their LCUs: aliases, sizes, formats, High Performance FICON, schedulers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent, text_of
from zmon.base.ranges import many
from zmon.base.sizes import SECTOR
from zmon.check.practice import Check, State, bad, look, ok, percent, several, skip, unknown
from zmon.kinds import BLOCK, BUSID_FORM, CHANNEL, DASD, DEVICE, LAYER, MOUNT
from zmon.machine.observation import FEW_ALIASES, MANY_ALIASES
from zmon.topology.identity import ON_A_TRACK
from zmon.values.uid import HYPERPAV

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.check.practice import CheckInput, Dasd, Finding

LEAST_PAV: Final = 7
"""Subchannels that a busy disk has with base PAV."""
BUSY: Final = 0.5
LARGE: Final = 10_017
"""Cylinders of a 3390-9."""
FIRST_TRACKS: Final = 192
"""Sectors of the two tracks with the label in the compatible disk layout: 2 x 12 blocks of 4 KiB."""
LINUX_LAYOUT: Final = 24
"""First sector of the one partition of a volume in Linux disk layout."""
DS8000: Final = ("2107", "5331", "5341")
ESS: Final = "2105"
"""The storage server before the DS8000, which has no HyperPAV."""
ESCON: Final = 0x05
"""Type of an ESCON channel path; HyperPAV needs FICON."""


def _by_lcu(dasds: Sequence[Dasd]) -> dict[str, list[Dasd]]:
    found: dict[str, list[Dasd]] = {}
    for one in dasds:
        if one.lcu and one.is_eckd and not one.is_emulated:
            found.setdefault(one.lcu, []).append(one)
    return found


def _is_pool(one: Dasd) -> bool:
    return one.is_alias and one.uid is not None and one.uid.ua == HYPERPAV


def _own_aliases(given: CheckInput) -> dict[str, int]:
    """Return how many PAV aliases each base has that has some, by its bus id."""
    bases = {one.uid.volume: one.busid for one in given.bases if one.uid is not None}
    found: dict[str, int] = {}
    for one in given.dasds:
        if one.is_alias and one.uid is not None and one.uid.volume in bases:
            busid = bases[one.uid.volume]
            found[busid] = found.get(busid, 0) + 1
    return found


def _no_hyperpav(given: CheckInput, bases: Sequence[Dasd]) -> bool:
    """Return whether disks cannot have HyperPAV: they are in an ESS, or behind ESCON channels alone."""
    channels = given.sample.frame(CHANNEL)
    if all(text_of(_storage_type(given, one)).startswith(ESS) for one in bases):
        return True
    chpids = {f"0.{chpid}" for one in bases for chpid in one.chpids.split()}
    return bool(chpids) and all(channels.cell(chpid, "type") == ESCON for chpid in chpids)


def hyperpav_aliases(given: CheckInput) -> Finding:
    """B1: each LCU has some, and not very many."""
    excused = given.no_dasd(real=True) or given.stray_aliases
    if excused:
        return excused
    own = _own_aliases(given)
    none: dict[str, int] = {}
    few: dict[str, int] = {}
    above: dict[str, int] = {}
    good: dict[str, int] = {}
    unable: list[str] = []
    for key, dasds in _by_lcu(given.dasds).items():
        bases = [one for one in dasds if not one.is_alias]
        aliases = sum(map(_is_pool, dasds))
        minidisks = all(one.uid is not None and one.uid.token for one in bases)
        if not bases or (not aliases and (minidisks or any(one.busid in own for one in bases))):
            continue
        name = given.lcu_name(key)
        if not aliases and _no_hyperpav(given, bases):
            unable.append(name)
            continue
        part = (
            none
            if not aliases
            else few
            if aliases < FEW_ALIASES
            else above
            if aliases > MANY_ALIASES
            else good
        )
        part[name] = aliases or len(bases)
    if none:
        disks = sum(none.values())
        words = f"no alias for the {many(disks, 'disk')} of {several(none)}"
        io = sum(given.busy.get(one.block, 0.0) for one in given.bases)
        return bad(words) if io > 0.01 or not given.busy else look(f"{words}, which have no I/O now")
    if few or above:
        parts = [f"{name} has {aliases}" for name, aliases in (few | above).items()]
        return look(f"{several(parts)} aliases")
    if good:
        return ok(f"{several(f'{name} has {aliases}' for name, aliases in good.items())} aliases")
    return skip(
        f"HyperPAV needs a DS8000 and FICON channels, which {several(unable)}"
        f" {'has' if len(unable) == 1 else 'have'} not"
        if unable
        else "the aliases are bound to disks (base PAV)"
        if own
        else "no LCU has whole volumes with a unique id: they are minidisks, or the id is not known"
    )


def base_pav(given: CheckInput) -> Finding:
    """B2: a busy disk has aliases enough of its own."""
    excused = given.no_dasd(real=True) or given.stray_aliases
    if excused:
        return excused
    own = _own_aliases(given)
    if not own:
        return skip("no alias is bound to a disk: HyperPAV, or no PAV")
    names = {one.busid: one for one in given.bases}
    short = {busid: count for busid, count in own.items() if count + 1 < LEAST_PAV}
    busy = [busid for busid in short if given.busy.get(names[busid].block, 0.0) > BUSY]
    if busy:
        parts = (f"{names[b].number} ({own[b]} and {percent(given.busy[names[b].block])} busy)" for b in busy)
        return look(f"few aliases of busy disks: {several(parts)}")
    if short and not given.busy:
        return look(f"less than {LEAST_PAV} subchannels: {several(names[b].number for b in short)}")
    fewest = min(own.values())
    return ok(f"{many(len(own), 'disk')} with {many(fewest, 'alias', 'aliases')} or more, none of them busy")


def minidisks(given: CheckInput) -> Finding:
    """B3: below a minidisk CP needs aliases, which the guest does not see."""
    excused = given.outside_zvm or given.no_dasd() or given.stray_aliases
    if excused:
        return excused
    mini = [one for one in given.bases if one.uid is not None and one.uid.token]
    lcus = {one.lcu for one in given.dasds if one.is_alias}
    without = [one.number for one in mini if one.lcu not in lcus]
    if without:
        return look(
            f"{many(len(without), 'minidisk')} without an alias that this guest sees: {several(without)}"
        )
    return ok(f"{many(len(mini), 'minidisk')}, with aliases") if mini else skip("no disk is a minidisk")


def large_volumes(given: CheckInput) -> Finding:
    """B4: a volume larger than a 3390-9 has aliases."""
    excused = given.no_dasd(real=True)
    if excused:
        return excused
    frame = given.sample.frame(DASD)
    columns = map(frame.column, ("cylinders", "discipline", "block_size", "blocks"))
    sizes = {busid: _cylinders(*cells) for busid, *cells in zip(frame.keys, *columns, strict=True)}
    known = [size for size in sizes.values() if not isinstance(size, Absent)]
    if not known:
        why = next((size for size in sizes.values() if isinstance(size, Absent)), frame.missing)
        return unknown(why if why is not None else "the sizes of disks were not read")
    large = [one for one in given.bases if isinstance(size := sizes.get(one.busid), int) and size > LARGE]
    if not large:
        return skip("no volume is larger than a 3390-9")
    if given.stray_aliases:
        return given.stray_aliases
    lcus, own = {one.lcu for one in given.dasds if _is_pool(one)}, _own_aliases(given)
    without = [one.number for one in large if one.lcu not in lcus and one.busid not in own]
    if without:
        return look(f"larger than {LARGE:,} cylinders and without aliases: {several(without)}")
    return ok(f"{many(len(large), 'large volume')}, all with aliases")


def _cylinders(cylinders: Value, discipline: Value, size: Value, blocks: Value) -> Value:
    """Return the size of a disk as the driver tells it, else by the blocks that lsdasd prints."""
    if isinstance(cylinders, int) or discipline != "ECKD" or size not in ON_A_TRACK:
        return cylinders
    return blocks // (15 * ON_A_TRACK[int(size)]) if isinstance(blocks, int) else cylinders


def idle_aliases(given: CheckInput) -> Finding:
    """H5: an alias can serve a base."""
    excused = given.no_dasd() or given.stray_aliases
    if excused:
        return excused
    aliases = [one for one in given.dasds if one.is_alias and one.uid is not None]
    if not aliases:
        return skip("there is no alias")
    lcus = {one.lcu for one in given.bases}
    volumes = {one.uid.volume for one in given.bases if one.uid is not None}
    idle = [
        one.number
        for one in aliases
        if one.uid is not None and (one.lcu not in lcus if _is_pool(one) else one.uid.volume not in volumes)
    ]
    if idle:
        return look(f"{many(len(idle), 'alias', 'aliases')} without an online base: {several(idle)}")
    return ok(f"{many(len(aliases), 'alias', 'aliases')}, all with a base in their LCU")


def nopav(given: CheckInput) -> Finding:
    """H6: PAV is not switched off by a boot parameter."""
    excused = given.no_dasd()
    if excused:
        return excused
    if "cmdline" in given.settings or not given.settings:
        return unknown(given.setting("cmdline"))
    words = (text_of(given.setting(f"cmdline/{name}")) for name in ("dasd", "dasd_mod.dasd"))
    if not any("nopav" in re.split("[, ]", word) for word in words):
        return ok("dasd=nopav is not set")
    if given.environment == "zvm":
        return look("dasd=nopav is set, and has no effect under z/VM")
    return bad("dasd=nopav is set: Linux uses no alias")


def _storage_type(given: CheckInput, one: Dasd) -> str | Absent:
    """Return the type of a disk's storage server by its configuration data, else that of its control unit.

    A control unit that calls itself 3990 may be in any.
    """
    storage = given.sample.frame(DASD).cell(one.busid, "storage")
    kind = text_of(given.sample.frame(DEVICE).cell(one.busid, "cutype"))
    if isinstance(storage, Absent):
        return kind if kind.startswith((ESS, *DS8000)) else storage
    return str(storage)


def high_performance_ficon(given: CheckInput) -> Finding:
    """B26: transport mode is on."""
    excused = given.no_dasd(real=True)
    if excused:
        return excused
    frame = given.sample.frame(DEVICE)
    off, on, unread = [], 0, []
    for one in given.bases:
        if one.is_emulated or not one.is_eckd:
            continue
        hpf, storage = frame.cell(one.busid, "hpf"), _storage_type(given, one)
        if isinstance(hpf, Absent):
            unread.append(f"hpf of {one.number}: {hpf.reason}")
        elif hpf:
            on += 1
        elif isinstance(storage, Absent):
            unread.append("it is not in use, and the type of the storage server is not known")
        elif storage.startswith(DS8000):
            off.append(one.number)
    if off:
        return look(f"not in use on {many(len(off), 'disk')} of a DS8000: {several(off)}")
    if unread:
        return unknown(unread[0])
    return ok(f"in use on {many(on, 'disk')}") if on else skip("no ECKD disk of a DS8000")


def availability(given: CheckInput) -> Finding:
    """H2: the channel subsystem calls each device good."""
    missing = _no_devices(given)
    if missing:
        return missing
    frame = given.sample.frame(DEVICE)
    rows = zip(frame.keys, frame.column("online"), frame.column("availability"), strict=True)
    states = {busid: state for busid, online, state in rows if online == 1 and isinstance(state, str)}
    poor = [f"{busid} is {state!r}" for busid, state in states.items() if state != "good"]
    if poor:
        return bad(several(poor))
    if states:
        return ok(f"{many(len(states), 'online device')}, all good")
    unread = (why for why in frame.column("availability") if isinstance(why, Absent))
    return unknown(next(unread, absent("availability was not read")))


def _no_devices(given: CheckInput) -> Finding | None:
    missing = given.sample.frame(DEVICE).missing
    if missing is not None:
        return skip(f"no ccw device: {missing.reason}") if given.elsewhere else unknown(missing)
    return None


def offline_devices(given: CheckInput) -> Finding:
    """H3: Linux does not sense hundreds of devices that it does not use."""
    missing = _no_devices(given)
    if missing:
        return missing
    states = given.sample.frame(DEVICE).column("online")
    off = sum(state == 0 for state in states)
    words = f"{off:,} of {many(len(states), 'device')} are offline"
    return look(words) if off > 5 and off * 2 > len(states) else ok(words)


def ignored_devices(given: CheckInput) -> Finding:
    """H4: no device in use is excluded at the next boot."""
    missing = _no_devices(given)
    if missing:
        return missing
    words = given.setting("cio_ignore")
    if not isinstance(words, str):
        return unknown(words)
    ranges = [
        (_place(low), _place(high or low)) for low, _, high in (w.partition("-") for w in words.split())
    ]
    if any(() in pair for pair in ranges):
        return unknown(f"/proc/cio_ignore has a line that is no range: {words[:40]!r}")
    frame = given.sample.frame(DEVICE)
    online = [busid for busid, state in zip(frame.keys, frame.column("online"), strict=True) if state == 1]
    hidden = [busid for busid in online if any(low <= _place(busid) <= high for low, high in ranges)]
    if hidden:
        return look(f"online and on the list of ignored devices: {several(hidden)}")
    return ok(f"none of {many(len(online), 'online device')} is ignored")


def _place(busid: str) -> tuple[int, ...]:
    """Return the numbers in a bus id, by which devices are in order; none if it is no bus id."""
    return tuple(int(part, 16) for part in busid.split(".")) if re.fullmatch(BUSID_FORM, busid) else ()


def block_size(given: CheckInput) -> Finding:
    """H7: ECKD disks have blocks of 4,096 bytes."""
    excused = given.no_dasd()
    if excused:
        return excused
    sizes = {one.number: _block_size(given, one) for one in given.bases if one.is_eckd and one.block}
    known = {number: size for number, size in sizes.items() if not isinstance(size, Absent)}
    if not known:
        return unknown(next(iter(sizes.values()), "no ECKD disk has a block device"))
    other = [f"{number} has {size} bytes" for number, size in known.items() if size != 4096]
    return look(several(other)) if other else ok(f"4,096 bytes on {many(len(known), 'ECKD disk')}")


def _block_size(given: CheckInput, one: Dasd) -> Value:
    size = given.sample.frame(BLOCK).cell(one.block, "block_size")
    return given.sample.frame(DASD).cell(one.busid, "block_size") if isinstance(size, Absent) else size


def partitions(given: CheckInput) -> Finding:
    """H8: data do not begin on the tracks of the label."""
    excused = given.no_dasd()
    if excused:
        return excused
    missing = given.missing(LAYER)
    if missing:
        return missing
    stack = given.machine.stack
    eckd = {one.block for one in given.bases if one.is_eckd}
    disks = {node.number: str(node.name) for node in given.nodes if node.sort == "disk" and node.name in eckd}
    starts: dict[str, list[str]] = {number: [] for number in disks}
    early: list[str] = []
    untold: list[Absent] = []
    for node in given.nodes:
        if node.sort == "partition" and node.parent in disks:
            starts[str(node.parent)].append(node.title)
            if isinstance(node.start, Absent):
                untold.append(node.start)
            elif node.start // SECTOR < FIRST_TRACKS:
                early += [node.title] * (node.start // SECTOR != LINUX_LAYOUT)
    if early:
        return bad(f"begins on the tracks of the label: {several(early)}")
    used = {below for node in given.nodes if node.sort != "partition" for below in stack.feet(node.number)}
    used |= {text_of(number) for number in given.sample.frame(MOUNT).column("number")}
    whole = [disks[number] for number, parts in starts.items() if not parts and number in used]
    if whole:
        return look(f"used as a whole, without a partition: {several(whole)}")
    if untold:
        return unknown(untold[0])
    parts = sum(map(len, starts.values()))
    return (
        ok(f"{many(parts, 'partition')} begin behind the label") if parts else skip("no DASD has a partition")
    )


def scheduler(given: CheckInput) -> Finding:
    """K1: the storage server sorts requests, Linux need not."""
    if not given.bases and not given.luns:
        none = (given.no_dasd(), given.no_lun())
        return next((one for one in none if one and one.state is State.UNKNOWN), skip("no DASD is online"))
    found = schedulers(given)
    if not found:
        return unknown(given.setting("disk/dasda/scheduler"))
    other = {name: word for name, word in found.items() if word != "none"}
    if other:
        kinds = ", ".join(dict.fromkeys(other.values()))
        return look(f"{kinds} on {many(len(other), 'disk')}: {several(other)}")
    return ok(f"none on {many(len(found), 'disk')}")


def schedulers(given: CheckInput) -> Mapping[str, str]:
    """Return the scheduler of each DASD and each SCSI disk behind FCP, as far as they were read."""
    names = {one.block for one in given.bases} | {str(node.name) for node in given.luns}
    words = {name: given.settings.get(f"disk/{name}/scheduler") for name in sorted(names)}
    return {name: word for name, word in words.items() if isinstance(word, str)}


CHECKS: Final = (
    Check("B1", "HyperPAV aliases of each LCU", "/sys/bus/ccw/devices/*/{alias,uid,online}", "10 to 20",
          "define 10 to 20 HyperPAV aliases for each LCU, and set them online: without them a volume does"
          " one request at a time; with very many, requests wait in the storage server instead",
          "S000:178-183, S000:811-812, S004:379-380", hyperpav_aliases),
    Check("B2", "PAV aliases of each busy disk", "/sys/bus/ccw/devices/*/{alias,uid}, /proc/diskstats",
          "6 beside the base", "give a busy disk at least 7 subchannels, or change to HyperPAV",
          "S004:169-172, S004:379-380", base_pav),
    Check("B3", "aliases below minidisks", "/sys/bus/ccw/devices/*/uid, /proc/sysinfo",
          "aliases in the guest", "define virtual aliases in the guest's directory entry and have real"
          " ones in CP; CP may use aliases that this guest does not see: ask with QUERY PAV",
          "S004:163-168", minidisks),
    Check("B4", "large volumes have aliases", "BIODASDINFO2, /sys/bus/ccw/devices/*/alias", "aliases",
          "use aliases for volumes larger than a 3390-9: more requests wait for one subchannel",
          "S000:116-123", large_volumes),
    Check("B26", "High Performance FICON", "/sys/bus/ccw/devices/*/hpf", "hpf is 1",
          "switch on zHPF on the storage server, and use channels of FICON Express8 or later",
          "S003:414-418, S003:422-424", high_performance_ficon),
    Check("H2", "online devices are available", "/sys/bus/ccw/devices/*/availability", "good",
          "look for the device in the messages of Linux and of the HMC",
          "lnxhc css_ccw_device_availability", availability),
    Check("H3", "devices that are not used", "/sys/bus/ccw/devices/*/online", "less than half are offline",
          "exclude devices that this Linux does not use with cio_ignore: they cost memory and boot time",
          "lnxhc css_ccw_device_usage", offline_devices),
    Check("H4", "ignored devices", "/proc/cio_ignore", "no online device",
          "remove devices in use from the list (cio_ignore -r): they are missing after the next boot",
          "lnxhc css_ccw_blacklist", ignored_devices),
    Check("H5", "aliases without a base", "/sys/bus/ccw/devices/*/{alias,uid}", "none",
          "set the base device online, or the alias offline", "lnxhc storage_dasd_pav_aliases",
          idle_aliases),
    Check("H6", "PAV by boot parameter", "/proc/cmdline", "no dasd=nopav",
          "remove nopav from the boot parameter dasd=", "lnxhc storage_dasd_nopav_zvm", nopav),
    Check("H7", "block size of ECKD disks", "/sys/block/dasd*/queue/logical_block_size", "4096",
          "format with dasdfmt -b 4096: smaller blocks waste room and time",
          "lnxhc storage_dasd_eckd_blksize, S000:511-515", block_size),
    Check("H8", "partitions of ECKD disks", "/sys/block/dasd*/dasd*/start", "behind track 2",
          "partition with fdasd: the first two tracks hold the label", "lnxhc storage_dasd_cdl_part",
          partitions),
    Check("K1", "I/O scheduler", "/sys/block/*/queue/scheduler", "none",
          "write none into queue/scheduler: the storage server orders the requests",
          "kernel block/elevator.c, drivers/s390/block/dasd_genhd.c", scheduler),
)  # fmt: skip
"""The checks of this module."""
