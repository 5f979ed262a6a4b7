"""What checks of channel paths and FCP look at: what is lost, what all paths share, what has failed."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent, absent, text_of
from zmon.base.ranges import ranges
from zmon.check.practice import reason_of
from zmon.kinds import ADAPTER, CHANNEL, DEVICE, NO_PATH, PATH
from zmon.machine.path_repair import BrokenPath, get_back_channel_paths, get_back_disk_paths, why_unused
from zmon.values.fcp_state import FAILED_STATES, fcp_states
from zmon.values.path_masks import paths_on_line
from zmon.values.path_state import is_down, state_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.check.practice import CheckInput
    from zmon.topology.stack import BlockDevice
    from zmon.values.path_masks import Unused

NPIV: Final = "NPIV VPORT"


def luns(given: CheckInput) -> Mapping[str, Sequence[Lun]]:
    """Return all LUNs.

    Paths that multipath has not joined are those with the same LUN through ports whose names end alike,
    which is so for the ports of one DS8000.
    """
    volumes = given.machine.volumes
    paths: dict[str, list[BlockDevice]] = {}
    for node in given.luns:
        spindle = volumes[node.number].spindle if node.number in volumes else ""
        key = spindle if spindle.startswith("WWID") else f"{str(node.wwpn)[-4:]} {node.lun}"
        paths.setdefault(key, []).append(node)
    return {"all": [Lun(given, nodes) for nodes in paths.values()]}


class LostChannels:
    """The channel paths of online devices, and those of them that are off or not usable."""

    def __init__(self, given: CheckInput) -> None:
        """Look at the path masks of devices, and at the states of channel paths."""
        frame = given.frame(DEVICE)
        self._channels = given.without_counts(CHANNEL)
        self._taken: dict[str, Unused] = {}
        used: dict[str, None] = {}
        self.lost: Counter[str] = Counter()
        """Of each channel path that is installed and not usable, for how many devices."""
        for paths in paths_on_line(frame, frame.keys):
            used |= dict.fromkeys(paths.named(paths.installed))
            self.lost.update(paths.lost_chpids)
            for chpid in paths.lost_chpids:
                for reason in paths.reasons.get(chpid, ()):
                    self._taken.setdefault(chpid, reason)
        self.used = list(used)
        self.off = [chpid for chpid in used if _is_off(*self._states(chpid))]

    def _states(self, chpid: str) -> tuple[Value, Value]:
        configure, status = (self._channels.cell(f"0.{chpid}", name) for name in ("configure", "status"))
        return configure, status

    @property
    def alike(self) -> Sequence[Mapping[str, Any]]:
        """The lost ones, those together that are lost for as many devices."""
        chpids: dict[int, list[str]] = {}
        for chpid, count in self.lost.items():
            chpids.setdefault(count, []).append(chpid)
        groups = ((ranges(names), count) for count, names in chpids.items())
        return [{"chpids": names, "count": count} for names, count in sorted(groups)]

    @property
    def advice(self) -> str:
        """How they come back."""
        chpids = sorted({*self.off, *self.lost})
        return get_back_channel_paths(
            [(chpid, self._taken.get(chpid) or why_unused(*self._states(chpid))) for chpid in chpids]
        )


def _is_off(configure: object, status: object) -> bool:
    return status == "offline" or configure in {0, 2}


class Lun:
    """The paths to a LUN."""

    def __init__(self, given: CheckInput, nodes: Sequence[BlockDevice]) -> None:
        """Look at the paths."""
        frame = given.frame(DEVICE)
        numbers, busids = {node.number for node in nodes}, {str(node.busid) for node in nodes}
        maps = (node.title for node in given.multipaths if numbers.intersection(node.below))
        self.title = next(maps, "") or min(str(node.name) for node in nodes)
        """Its multipath device, or its first path."""
        self.is_joined = any(nodes[0].number in node.below for node in given.multipaths)
        self.is_apart = not self.is_joined and given.has_list_of_maps
        """Whether it is known that none joins them."""
        self.paths = len(nodes)
        self.adapters = len(busids)
        self.ports = len({node.wwpn for node in nodes})
        self.chpids = sorted({text_of(frame.cell(busid, "chpids")) for busid in busids})
        self.channels = len(self.chpids)
        self.is_unread = "" in self.chpids


def npiv(given: CheckInput) -> Mapping[str, Any]:
    """Return the ports of FCP devices, and those that have no name of their own."""
    frame = given.frame(ADAPTER)
    types = {name: value for name, value in given.settings_of("fc/").items() if name.endswith("/port_type")}
    types = types or dict(zip(frame.keys, frame.column("port_type"), strict=True))
    ports = {name.partition("/")[0]: value for name, value in types.items() if isinstance(value, str)}
    return {
        "ports": list(ports) or reason_of(next(iter(types.values()), given.setting("fc"))),
        "without": [busid for busid, value in ports.items() if value != NPIV],
    }


class FailedPaths:
    """The states of adapters, remote ports, SCSI disks and paths."""

    def __init__(self, given: CheckInput) -> None:
        """Take the states of now before those that are settings, and a failure before both."""
        self._given = given
        names = {str(node.name) for node in given.luns}
        settings = {
            **given.settings_of("fc/"),
            **{f"remote port {name}": value for name, value in given.settings_of("rport/").items()},
            **{name: given.settings.get(f"disk/{name}/state", "") for name in names},
        }
        before = {
            name.partition("/port")[0]: str(value)
            for name, value in settings.items()
            if isinstance(value, str) and value and not name.endswith("/port_type")
        }
        now = _states_now(given)
        lost = {name: state for name, state in now.items() if state in FAILED_STATES}
        states = {**now, **before, **lost}
        self.states = list(states) or reason_of(given.setting("rport"))
        self.failed = [
            {"name": name, "state": state} for name, state in sorted(states.items()) if state in FAILED_STATES
        ]

    @property
    def advice(self) -> str:
        """How they come back."""
        return get_back_disk_paths(_broken(self._given))


def _states_now(given: CheckInput) -> dict[str, str]:
    """Return the states of adapters, ports and LUNs, and of SCSI disks that are paths as MPATH has them."""
    paths, devices = given.frame(PATH), given.frame(DEVICE)
    disks = zip(paths.column("name"), paths.column("device"), strict=True)
    adapters = {str(node.busid) for node in given.luns} | {*map(text_of, paths.column("adapter"))}
    return {
        **fcp_states(given.sample),
        **{str(name): state for name, state in disks if isinstance(state, str) and state},
        **{busid: "offline" for busid in adapters if devices.cell(busid, "online") == 0},
    }


def _broken(given: CheckInput) -> list[BrokenPath]:
    """Return the paths to SCSI disks that are lost, and the adapters without such paths that are offline."""
    adapters = given.frame(DEVICE)
    paths = given.frame(PATH)
    ports = {str(node.busid): text_of(node.wwpn) for node in given.luns}
    numbers = [*paths.keys, *(node.number for node in given.luns if node.number not in paths.index)]
    nodes = {node.number: node for node in given.nodes}
    broken = []
    for number in numbers:
        node = nodes.get(number)
        name = text_of(paths.cell(number, "name")) or (text_of(node.name) if node else "")
        busid = text_of(paths.cell(number, "adapter")) or (text_of(node.busid) if node else "")
        if why := _lost_because(given, number, name):
            offline = adapters.cell(busid, "online") == 0
            broken.append(BrokenPath(name, busid, why, ports.get(busid, ""), offline))
    adapters_said = {disk.adapter for disk in broken}
    busids = {*ports, *map(text_of, paths.column("adapter"))} - adapters_said
    return broken + [
        BrokenPath("", busid, "offline", ports.get(busid, ""), adapter_offline=True)
        for busid in sorted(busids)
        if adapters.cell(busid, "online") == 0
    ]


def _lost_because(given: CheckInput, number: str, name: str) -> str:
    """Return why a path is not used; empty if it is. What is read with each sample comes first."""
    paths = given.frame(PATH)
    state = state_of(paths.cell(number, "state"), paths.cell(number, "device"))
    if is_down(state) == 1:
        return text_of(state)
    said = text_of(given.settings.get(f"disk/{name}/state", ""))
    if said in FAILED_STATES:
        return said
    maps = () if paths.keys else given.settings_of("paths/").values()
    return "failed" if any(f"{number}=F" in text_of(states).split() for states in maps) else ""


class MultipathPaths:
    """The multipath devices, and how many of their paths are down."""

    def __init__(self, given: CheckInput) -> None:
        """Count paths that are down."""
        self._given = given
        states = _path_states(given)
        self.all = (
            states
            if isinstance(states, Absent)
            else [
                {"title": title, "count": len(downs), "down": sum(downs), "usable": len(downs) - sum(downs)}
                for title, downs in states.items()
            ]
        )

    @property
    def advice(self) -> str:
        """How the paths come back."""
        return get_back_disk_paths(_broken(self._given))


def _path_states(given: CheckInput) -> dict[str, list[int]] | Absent:
    """Return of each multipath device, by its title, which of its paths are down (1), as MPATH has them.

    Recordings of an older zmon have only what the device mapper says.
    """
    frame, stack = given.frame(PATH), given.machine.stack
    states_of: dict[str, list[int]] = {}
    columns = map(frame.column, ("map", "name", "state", "device"))
    for name, path, state, device in zip(*columns, strict=True):
        down = is_down(state_of(state, device))
        if not isinstance(down, Absent):
            node = stack.named(str(name))
            downs = states_of.setdefault(str(name) if node is None else node.title, [])
            downs += [int(down)] if path != NO_PATH else []
    maps = {} if states_of else given.settings_of("paths/")
    for number, text in maps.items():
        if isinstance(text, str):
            states = re.findall(r"\S+=([AF])", text)
            states_of[stack.title(number)] = [int(state == "F") for state in states]
    if states_of:
        return states_of
    why = next(iter(maps.values()), given.setting("paths"))
    return why if isinstance(why, Absent) else absent("no state of a path was read")


def fcp_options(given: CheckInput) -> Mapping[str, Any]:
    """Return whether the data router of zfcp is on, which saves copies in the adapter."""
    return {"is_on": given.setting("zfcp/datarouter") in {"Y", "1"}}


def service(given: CheckInput) -> Mapping[str, Any]:
    """Return whether multipathd runs."""
    return {"is_running": "multipathd" in text_of(given.setting("programs")).split()}


FACTS: Final = {
    "B8": luns,
    "H1": LostChannels,
    "H10": luns,
    "H10b": MultipathPaths,
    "H10c": service,
    "H11": luns,
    "H12": npiv,
    "H13": FailedPaths,
    "K2": fcp_options,
}
"""What is found for each of these checks."""
