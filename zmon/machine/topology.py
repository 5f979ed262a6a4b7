"""The topology of the sample that a table is filled from, joined with what users supply.

Computed once for all samples in which nothing of it has changed.
"""

from __future__ import annotations

from collections import deque
from functools import lru_cache

from zmon.base.absent import Absent, absent, text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple
from zmon.base.same import Same, SameNames
from zmon.kinds import (
    CLAIM,
    CONTAINER,
    DASD,
    DEVICE,
    LAYER,
    MACHINE,
    MOUNT,
    MPATH,
    ORIGIN,
    SOURCE,
    SWAP,
    UNLISTED,
)
from zmon.machine.view import no_inputs
from zmon.sample import Instant, Sample
from zmon.topology.volumes import lcus, short, titles
from zmon.values.uid import find_uid

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.machine.view import View
    from zmon.sample import Frame
    from zmon.topology.machine import Machine, UserInputs
    from zmon.topology.volumes import Lcu, Volume

TOPOLOGY: Final = (CONTAINER, MOUNT, SWAP, LAYER, DEVICE, DASD, CLAIM, MACHINE)
"""Where that is known from."""

NOTHING_ON: Final = absent("no file of a known tablespace lies on it")
NOTHING_LISTED: Final = absent("the listing names no file that could be looked at")


def machine_of(view: View) -> Machine:
    """Return what hangs on what at the end of the interval."""
    sample = view.interval.after
    return _machine(_inputs(view), *(shared(sample.frame(kind)) for kind in (*TOPOLOGY, ORIGIN)))


def is_told(view: View) -> bool:
    """Return whether users, CP or a listing say more of the machine than the kernel does."""
    if view.inputs is None:
        return False
    is_read = has_files(view) or bool(view.interval.after.frame(CLAIM).keys)
    return is_read or (view.inputs is not no_inputs and view.inputs().given)


def has_files(view: View) -> bool:
    """Tell whether files of tablespaces are known."""
    listed = view.inputs not in {None, no_inputs} and bool(_inputs(view).listed)
    return listed or bool(view.interval.after.frame(CONTAINER).keys)


def has_more_lcus(view: View) -> bool:
    """Tell whether more names LCUs than the unique ids of devices do: CP, people, or the kernel otherwise."""
    after, inputs = view.interval.after, view.inputs
    if inputs is not None and after.frame(CLAIM).keys:
        return True
    told = inputs not in {None, no_inputs} and _inputs(view).tells_lcus
    return told or is_more_known(after.frame(LAYER), after.frame(DASD), after.frame(DEVICE))


class Units(NamedTuple):
    """The LCUs, and what is on them."""

    lcus: Mapping[str, Lcu]
    of: Mapping[str, str]
    """The key of the LCU of each device."""


def units_of(view: View) -> Units:
    """Return the LCUs that unique ids name, and those that people or CP tell of devices without one."""
    after = view.interval.after
    if is_told(view) or is_more_known(after.frame(LAYER), after.frame(DASD), after.frame(DEVICE)):
        return _units(machine_of(view))
    of_uids = lcus(after.frame(DEVICE))
    return Units(of_uids, _members(Same(of_uids)))


@lru_cache(maxsize=2)  # these are read again once a minute, and two times may be compared
def is_more_known(layers: Frame, dasd: Frame, devices: Frame) -> bool:
    """Return whether the kernel gives the LCU of more disks than those with a unique id of their own."""
    if any(isinstance(wwpn, str) for wwpn in layers.column("wwpn")):
        return True
    wwids = [*filter(None, map(text_of, (*layers.column("wwid"), *layers.column("uuid"))))]
    if wwids:
        from zmon.topology.lun import as_multipath, parse_wwid  # noqa: PLC0415 - DASD have none

        if any(parse_wwid(as_multipath(wwid.removeprefix(MPATH))) for wwid in wwids):
            return True
    uids = zip(dasd.keys, dasd.column("uid"), strict=True)
    return any(
        isinstance(uid, str) and find_uid(devices.cell(busid, "uid")) is None
        for busid, uid in uids
        if busid in devices.index
    )


@lru_cache(maxsize=2)
def _members(units: Same[Mapping[str, Lcu]]) -> dict[str, str]:
    return {busid: key for key, unit in units.it.items() for busid in unit.members}


def row_of(keys: list[str]) -> Mapping[str, int]:
    """Return the row of each key; of the same keys, sample by sample, the same object."""
    return _row_of(SameNames(keys))


@lru_cache(maxsize=4)
def _row_of(keys: SameNames) -> dict[str, int]:
    return {key: row for row, key in enumerate(keys.names)}


class LcuRows:
    """Where the devices of LCUs are among some devices."""

    def __init__(self, keys: list[str], units: Mapping[str, Lcu]) -> None:
        """Find each device once."""
        self.row_of = row_of(keys)
        """The row of each device."""
        self.members = [
            [row for bus in unit.members if (row := self.row_of.get(bus)) is not None]
            for unit in units.values()
        ]
        """The rows of the devices of each LCU."""
        self.lcu_of = _members(Same(units))
        """The key of the LCU of each device that has one."""


def rows_of_lcus(keys: list[str], units: Mapping[str, Lcu]) -> LcuRows:
    """Return where the devices of LCUs are; the same devices and LCUs are looked at once."""
    return _rows_of(SameNames(keys), Same(units))


@lru_cache(maxsize=4)
def _rows_of(keys: SameNames, units: Same[Mapping[str, Lcu]]) -> LcuRows:
    return LcuRows(keys.names, units.it)


@lru_cache(maxsize=2)
def _units(machine: Machine) -> Units:
    return Units(machine.lcus, _members(Same(machine.lcus)))


def lcus_named(view: View, word: str) -> list[str]:
    """Return the keys of the LCUs that a word names: by key or name, else by SSID or LSS."""
    wanted = " ".join(word.split()).casefold()
    units = units_of(view).lcus
    title = titles(units)
    by_name, by_number = [], []
    for key, unit in units.items():
        names = {unit.name, unit.short, unit.said, key, f"LCU {unit.short}", title[key], short(title[key])}
        if wanted in map(str.casefold, names):
            by_name.append(key)
        numbers = {unit.ssid, f"LCU {unit.ssid}", f"SSID {unit.ssid}", f"LSS {unit.lss}"}
        if wanted in map(str.casefold, numbers):
            by_number.append(key)
    return by_name or by_number


def volumes_of(view: View) -> Mapping[str, Volume]:
    """Return the disks by bus id, where users, CP or a listing say more of them than the kernel does."""
    return _by_busid(machine_of(view)) if is_told(view) else {}


@lru_cache(maxsize=2)
def _by_busid(machine: Machine) -> Mapping[str, Volume]:
    return {str(volume.busid): volume for volume in machine.volumes.values() if volume.has_busid}


def remarks(view: View) -> tuple[str, ...]:
    """Return what a person should know of all that people tell."""
    inputs, guest = _inputs(view), machine_of(view).host.guest
    return (*inputs.problems, *inputs.notes, *inputs.claims_of(guest).remarks, *_lacking(view))


def _lacking(view: View) -> tuple[str, ...]:
    """Return why files are lacking beside those that were read: a database server does not answer."""
    source = view.interval.after.frame(SOURCE)
    state, reason = (source.cell("containers", name) for name in ("state", "reason"))
    return (f"Files are lacking: {reason}",) if state == "ok" and isinstance(reason, str) and reason else ()


def wrong(view: View) -> tuple[str, ...]:
    """Return what of it could not be used, and why."""
    return () if view.inputs is None else view.inputs().problems


def no_files(view: View) -> Absent:
    """Return why no file of a tablespace is known."""
    return UNLISTED if _inputs(view).listed is None else NOTHING_LISTED


def _inputs(view: View) -> UserInputs:
    return (view.inputs or no_inputs)()


_recent: Final[dict[str, deque[Frame]]] = {}
"""Of each kind the last frames that were used; two, as one time may be compared with another."""


def shared(frame: Frame) -> Frame:
    """Return a frame, or one from before that says the same."""
    recent = _recent.setdefault(frame.kind.name, deque(maxlen=2))
    for before in tuple(recent):
        if before is frame or _same(before, frame):
            return before
    recent.append(frame)
    return frame


def _same(frame: Frame, other: Frame) -> bool:
    return frame.missing is other.missing and frame.keys == other.keys and frame.columns == other.columns


@lru_cache(maxsize=2)  # two times may be compared
def _machine(inputs: UserInputs, *frames: Frame) -> Machine:
    from zmon.topology.machine import Machine  # noqa: PLC0415 - most screens start without it

    sample = Sample(Instant(0, 0, ""), {frame.kind.name: frame for frame in frames})
    return Machine(sample, inputs)
