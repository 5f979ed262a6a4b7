"""Checks of channel paths and FCP: what is lost, what all paths share, what has failed."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent, text_of
from zmon.base.ranges import many, ranges
from zmon.check.practice import Check, bad, look, ok, several, skip, unknown
from zmon.kinds import CHANNEL, DEVICE, LAYER, PATH
from zmon.machine.path_repair import BrokenPath, get_back_channel_paths, get_back_disk_paths, why_unused
from zmon.values.path_masks import paths_on_line
from zmon.values.path_state import is_down, state_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zmon.check.practice import CheckInput, Finding
    from zmon.topology.stack import BlockDevice
    from zmon.values.path_masks import Unused

LEAST_PATHS: Final = 2
"""Usable paths below which one failure is enough."""
NPIV: Final = "NPIV VPORT"
FAILED_STATES: Final = frozenset({"offline", "blocked", "transport-offline", "Blocked", "Offline", "Linkdown",
                                  "Not Present", "Error"})  # fmt: skip


def luns(given: CheckInput) -> dict[str, list[BlockDevice]]:
    """Return the paths to each LUN, by a name of it.

    Paths that multipath has not joined are those with the same LUN through ports whose names end alike,
    which is so for the ports of one DS8000.
    """
    volumes = given.machine.volumes
    found: dict[str, list[BlockDevice]] = {}
    for node in given.luns:
        spindle = volumes[node.number].spindle if node.number in volumes else ""
        key = spindle if spindle.startswith("WWID") else f"{str(node.wwpn)[-4:]} {node.lun}"
        found.setdefault(key, []).append(node)
    return found


def _title(given: CheckInput, paths: Iterable[BlockDevice]) -> str:
    """Return the name of a LUN: its multipath device, or its first path."""
    numbers = {node.number for node in paths}
    maps = (node.title for node in given.nodes if node.multipath and numbers.intersection(node.below))
    return next(maps, "") or min(str(node.name) for node in paths)


def channel_states(given: CheckInput) -> Finding:
    """H1: the channel paths of online devices are configured, online and usable."""
    frame = given.sample.frame(DEVICE)
    if frame.missing is not None:
        return skip(f"no ccw device: {frame.missing.reason}") if given.elsewhere else unknown(frame.missing)
    channels = given.sample.frame(CHANNEL)
    used: dict[str, None] = {}
    lost: Counter[str] = Counter()
    taken: dict[str, Unused] = {}
    for paths in paths_on_line(frame, frame.keys):
        used |= dict.fromkeys(paths.named(paths.installed))
        lost.update(paths.lost_chpids)
        for chpid in paths.lost_chpids:
            for reason in paths.reasons.get(chpid, ()):
                taken.setdefault(chpid, reason)

    def why(chpid: str) -> Unused:
        states = (channels.cell(f"0.{chpid}", name) for name in ("configure", "status"))
        return taken.get(chpid) or why_unused(*states)

    off = [chpid for chpid in used if _is_off(channels.cell(f"0.{chpid}", "status"),
                                              channels.cell(f"0.{chpid}", "configure"))]  # fmt: skip
    advice = get_back_channel_paths([(chpid, why(chpid)) for chpid in sorted({*off, *lost})])
    if off:
        return bad(f"off, and needed by online devices: CHPID {ranges(off)}", advice)
    if lost:
        alike: dict[int, list[str]] = {}
        for chpid, count in lost.items():
            alike.setdefault(count, []).append(chpid)
        parts = (f"{ranges(chpids)} for {many(count, 'device')}" for count, chpids in alike.items())
        return bad(f"installed and not usable: CHPID {several(sorted(parts))}", advice)
    return (
        ok(f"{many(len(used), 'channel path')} in use, none off") if used else unknown("paths were not read")
    )


def _is_off(status: object, configure: object) -> bool:
    return status == "offline" or configure in {0, 2}


def fcp_multipath(given: CheckInput) -> Finding:
    """B8: a LUN with several paths is used through multipath."""
    excused = given.no_lun()
    if excused:
        return excused
    bare = [
        f"{_title(given, paths)} ({len(paths)} paths)"
        for paths in luns(given).values()
        if len(paths) > 1
        and not any(node.multipath and paths[0].number in node.below for node in given.nodes)
    ]
    if bare:
        return bad(f"several paths and no multipath device: {several(bare)}")
    return ok(f"{many(len(luns(given)), 'LUN')}, none used over one of several paths")


SECOND_PORT: Final = (
    "Attach the LUN through a second port of the storage server, too: it has two FCP devices already."
)


def fcp_redundancy(given: CheckInput) -> Finding:
    """H10: the paths to a LUN go through two adapters and two ports."""
    excused = given.no_lun()
    if excused:
        return excused
    one_path, one_adapter, one_port = [], [], []
    for paths in luns(given).values():
        title = _title(given, paths)
        if len(paths) == 1:
            one_path.append(title)
        elif len({node.busid for node in paths}) == 1:
            one_adapter.append(title)
        elif len({node.wwpn for node in paths}) == 1:
            one_port.append(title)
    if one_path or one_adapter:
        what = f"one path: {several(one_path)}" if one_path else f"one adapter: {several(one_adapter)}"
        return bad(f"reached over {what}")
    if one_port:
        return look(f"reached through one port of the storage server: {several(one_port)}", SECOND_PORT)
    return ok(f"{many(len(luns(given)), 'LUN')} with two adapters and two ports or more")


def shared_chpids(given: CheckInput) -> Finding:
    """H11: the adapters of a LUN are different cards."""
    excused = given.no_lun()
    if excused:
        return excused
    frame = given.sample.frame(DEVICE)
    alone = []
    for paths in luns(given).values():
        busids = {str(node.busid) for node in paths}
        chpids = {text_of(frame.cell(busid, "chpids")) for busid in busids}
        if "" in chpids:
            return unknown("the channel paths of FCP devices were not read")
        if len(busids) > 1 and len(chpids) == 1:
            alone.append(f"{_title(given, paths)} (CHPID {next(iter(chpids))})")
    if alone:
        return bad(f"several FCP devices of one channel path: {several(alone)}")
    return ok("no LUN depends on one channel path with several FCP devices")


def npiv(given: CheckInput) -> Finding:
    """H12: each FCP device has a port name of its own."""
    excused = given.no_lun()
    if excused:
        return excused
    ports = {name: value for name, value in given.settings_of("fc/").items() if name.endswith("/port_type")}
    known = {name.partition("/")[0]: value for name, value in ports.items() if isinstance(value, str)}
    if not known:
        return unknown(next(iter(ports.values()), given.setting("fc")))
    without = [busid for busid, value in known.items() if value != NPIV]
    if without:
        return look(f"not used by {several(without)}")
    return ok(f"used by {many(len(known), 'FCP device')}")


def failed_paths(given: CheckInput) -> Finding:
    """H13: no adapter, remote port, SCSI disk or path has failed."""
    excused = given.no_lun()
    if excused:
        return excused
    names = {str(node.name) for node in given.luns}
    states = {
        **given.settings_of("fc/"),
        **{f"remote port {name}": value for name, value in given.settings_of("rport/").items()},
        **{name: given.settings.get(f"disk/{name}/state", "") for name in names},
    }
    known = {
        name.partition("/port")[0]: str(value)
        for name, value in states.items()
        if isinstance(value, str) and value and not name.endswith("/port_type")
    }
    now = _states_now(given)
    known = {**now, **known, **{name: state for name, state in now.items() if state in FAILED_STATES}}
    if not known:
        return unknown(given.setting("rport"))
    failed = [f"{name} is {state}" for name, state in sorted(known.items()) if state in FAILED_STATES]
    if failed:
        return bad(several(failed), get_back_disk_paths(_broken(given)))
    return ok(f"{many(len(known), 'adapter, port or disk', 'adapters, ports and disks')}, none has failed")


def _states_now(given: CheckInput) -> dict[str, str]:
    """Return the states of SCSI disks that are paths, as MPATH has them, and of adapters that are offline."""
    paths, devices = given.sample.frame(PATH), given.sample.frame(DEVICE)
    disks = zip(paths.column("name"), paths.column("device"), strict=True)
    adapters = {str(node.busid) for node in given.luns} | {*map(text_of, paths.column("adapter"))}
    return {
        **{str(name): state for name, state in disks if isinstance(state, str) and state},
        **{busid: "offline" for busid in adapters if devices.cell(busid, "online") == 0},
    }


def _broken(given: CheckInput) -> list[BrokenPath]:
    """Return the paths to SCSI disks that are lost, and the adapters without such paths that are offline."""
    adapters = given.sample.frame(DEVICE)
    paths = given.sample.frame(PATH)
    ports = {str(node.busid): text_of(node.wwpn) for node in given.luns}
    numbers = [*paths.keys, *(node.number for node in given.luns if node.number not in paths.index)]
    nodes = {node.number: node for node in given.nodes}
    found = []
    for number in numbers:
        node = nodes.get(number)
        name = text_of(paths.cell(number, "name")) or (text_of(node.name) if node else "")
        busid = text_of(paths.cell(number, "adapter")) or (text_of(node.busid) if node else "")
        if why := _lost_because(given, number, name):
            offline = adapters.cell(busid, "online") == 0
            found.append(BrokenPath(name, busid, why, ports.get(busid, ""), offline))
    known = {one.adapter for one in found}
    busids = {*ports, *map(text_of, paths.column("adapter"))} - known
    return found + [
        BrokenPath("", busid, "offline", ports.get(busid, ""), adapter_offline=True)
        for busid in sorted(busids)
        if adapters.cell(busid, "online") == 0
    ]


def _lost_because(given: CheckInput, number: str, name: str) -> str:
    """Return why a path is not used; empty if it is. What is read with each sample comes first."""
    paths = given.sample.frame(PATH)
    state = state_of(paths.cell(number, "state"), paths.cell(number, "device"))
    if is_down(state) == 1:
        return text_of(state)
    said = text_of(given.settings.get(f"disk/{name}/state", ""))
    if said in FAILED_STATES:
        return said
    maps = () if paths.keys else given.settings_of("paths/").values()
    return "failed" if any(f"{number}=F" in text_of(words).split() for words in maps) else ""


def multipath_states(given: CheckInput) -> Finding:
    """H10 of paths: no path of a multipath device has failed, and two are usable."""
    missing = given.missing(LAYER)
    if missing:
        return missing
    if not any(node.multipath for node in given.nodes):
        return skip("no multipath device")
    known = _path_states(given)
    if isinstance(known, Absent):
        return unknown(known)
    failed, single = [], []
    for title, states in known.items():
        down = sum(states)
        if len(states) - down < LEAST_PATHS:
            single.append(f"{title} has {len(states) - down} of {len(states)}")
        elif down:
            failed.append(f"{title} lacks {down} of {len(states)}")
    if single:
        return bad(f"less than two usable paths: {several(single)}", get_back_disk_paths(_broken(given)))
    if failed:
        return look(f"failed paths: {several(failed)}", get_back_disk_paths(_broken(given)))
    return ok(f"all paths of {many(len(known), 'multipath device')} are active")


def _path_states(given: CheckInput) -> dict[str, list[int]] | Absent:
    """Return of each multipath device, by its title, which of its paths are down (1), as MPATH has them.

    Recordings of an older zmon have only what the device mapper says.
    """
    frame, stack = given.sample.frame(PATH), given.machine.stack
    found: dict[str, list[int]] = {}
    for name, path, device in zip(*map(frame.column, ("map", "state", "device")), strict=True):
        down = is_down(state_of(path, device))
        if not isinstance(down, Absent):
            node = stack.named(str(name))
            found.setdefault(str(name) if node is None else node.title, []).append(int(down))
    maps = {} if found else given.settings_of("paths/")
    for number, words in maps.items():
        if isinstance(words, str):
            states = re.findall(r"\S+=([AF])", words)
            found[stack.title(number)] = [int(state == "F") for state in states]
    if found:
        return found
    why = next(iter(maps.values()), given.setting("paths"))
    return why if isinstance(why, Absent) else absent("no state of a path was read")


def fcp_options(given: CheckInput) -> Finding:
    """K2: zfcp's data router is on, which saves copies in the adapter."""
    excused = given.no_lun()
    if excused:
        return excused
    router = given.setting("zfcp/datarouter")
    if isinstance(router, Absent):
        return unknown(f"zfcp.datarouter: {router.reason}")
    return ok("zfcp.datarouter is on") if router in {"Y", "1"} else look("zfcp.datarouter is off")


def service(given: CheckInput) -> Finding:
    """H10 of the service: multipathd runs, so that lost paths come back."""
    missing = given.missing(LAYER)
    if missing:
        return missing
    if not any(node.multipath for node in given.nodes):
        return skip("no multipath device")
    programs = given.setting("programs")
    if isinstance(programs, Absent):
        return unknown(programs)
    if "multipathd" in str(programs).split():
        return ok("multipathd runs")
    return bad("multipathd does not run")


CHECKS: Final = (
    Check("B8", "LUNs are used through multipath", "/sys/block/*/{holders,slaves,device/wwpn}",
          "a multipath device for each LUN", "start multipathd, and use /dev/mapper names: writing over"
          " two paths to one LUN can destroy data, and one path is no redundancy",
          "S000:386-404, lnxhc storage_mp_ineffective", fcp_multipath),
    Check("H1", "channel paths in use", "/sys/devices/css0/chp0.*/{status,configure}, ../pimpampom, ../vpm",
          "online and configured", "set the channel path online (chchp -v 1) or configure it on (chchp"
          " -c 1) if it was taken off, else have cable, switch and port checked: others carry its load",
          "lnxhc css_ccw_chpid_status", channel_states),
    Check("H10", "redundant FCP paths", "/sys/block/sd*/device/{hba_id,wwpn}", "two adapters and two ports",
          "attach the LUN through a second FCP device on another card, and through a second port of the"
          " storage server", "lnxhc storage_mp_zfcp_redundancy", fcp_redundancy),
    Check("H10b", "state of multipath paths", "DM_TABLE_STATUS, sd*/device/state", "all paths active",
          "look for the failed path in the messages of multipathd, and repair it",
          "lnxhc storage_mp_path_state", multipath_states),
    Check("H10c", "multipath service", "/proc/*/comm", "multipathd runs",
          "start multipathd: without it a failed path does not come back",
          "lnxhc storage_mp_service_active", service),
    Check("H11", "FCP devices on one card", "/sys/bus/ccw/devices/*/../chpids", "several CHPIDs",
          "use FCP devices of different channel paths", "lnxhc zfcp_hba_shared_chpids", shared_chpids),
    Check("H12", "NPIV", "/sys/class/fc_host/*/port_type", NPIV, "switch on NPIV for the FCP channel at"
          " the HMC, and in the switch, so that each Linux has its own zone and LUN masking",
          "lnxhc zfcp_hba_npiv_active", npiv),
    Check("H13", "failed FCP adapters, ports and disks", "/sys/class/fc_host/*/port_state,"
          " fc_remote_ports/*/port_state, sd*/device/state, ../online of their adapters", "Online, running",
          "set the adapter online again (chccwdev -e) if it was set offline, else repair the link or port,"
          " then recover with: echo 0 > /sys/bus/ccw/drivers/zfcp/BUSID/failed",
          "lnxhc fc_remote_port_state, scsi_dev_state", failed_paths),
    Check("K2", "data router of FCP adapters", "/sys/module/zfcp/parameters/datarouter", "Y",
          "remove zfcp.datarouter=0 from the boot parameters", "kernel drivers/s390/scsi/zfcp_qdio.c",
          fcp_options),
)  # fmt: skip
"""The checks of this module."""
