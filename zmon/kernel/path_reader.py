"""Multipath devices and the paths that they join, in each sample: states, failures, bytes in flight.

Three sources, each with what the others lack:

* `/sys/block/SD/device/state` of each path: the state of the SCSI disk, for everybody.
* The device mapper's state of each device (see `path_status`), which needs root.
* multipathd (see `multipathd`), which answers everybody, and is asked at most once in ten seconds.

A path is `active` or `failed` as the device mapper says, else as multipathd does; `via` names the source.
"""

from __future__ import annotations

import posixpath

from zmon.base.absent import Absent, absent, text_of
from zmon.base.clock import MINUTE, SECOND
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.kernel.block_ioctl import read_dm_status, table_refused
from zmon.kernel.multipathd import NOT_IN_ANSWER, MultipathReport, ask, parse_maps
from zmon.kernel.path_status import parse_path_status
from zmon.kernel.sys_block import DIRECTORY, NO_CCW, NO_FCP, busid_of
from zmon.kernel.tree import names_in, read_value, refused, text
from zmon.kinds import MPATH, MULTIPATH, NO_MAP, PATH
from zmon.sample import THIS_MACHINE, Frame, empty_frame, frame_of

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.kernel.path_status import PathStatus
    from zmon.kernel.tree import Tree

CAPTURED: Final = "multipathd/maps.json"
"""Where a capture has the answer of multipathd."""
ASK_EVERY: Final = 10 * SECOND
"""ns between two questions to the daemon at the least."""
LOOK_EVERY: Final = MINUTE
"""ns after which the paths are looked for again without an event."""
NO_ANSWER: Final = absent("the answer of multipathd was not captured")
NOT_SAID: Final = absent("neither the device mapper nor multipathd says it")
NO_BYTES: Final = absent("the path selector counts no bytes")
DM: Final = "device mapper"
DAEMON: Final = "multipathd"
_LABELS: Final = ("name", "map", "adapter", "port")
"""What stays of a path."""


class PathReader:
    """Reads the paths again and again at low cost."""

    def __init__(self, tree: Tree, _choice: object = None) -> None:
        """Look at nothing yet."""
        self._tree = tree
        self._report = MultipathReport()
        self._why: Absent | None = None
        """Why multipathd gave no answer, if it did not."""
        self._asked: int | None = None
        self._looked: int | None = None
        self._maps: dict[str, str] = {}
        """The numbers of multipath devices, by name."""
        self._unread: Absent | None = None
        """Why it is not known whether a device of the device mapper is a multipath device."""
        self._titles: dict[str, dict[str, Value]] = {}
        self._paths: dict[str, dict[str, Value]] = {}
        """What stays of each path, by the number of its disk."""
        self._words: dict[bytes, str] = {}
        """The states of disks that were read, as text."""

    def refresh(self) -> None:
        """Look for paths again: devices came, went, or changed."""
        self._looked = None

    def read(self) -> tuple[Frame, Frame]:
        """Return a frame of `MULTIPATH` and one of `PATH`."""
        now = self._tree.when(DIRECTORY)
        if self._looked is None or now - self._looked >= LOOK_EVERY:
            self._look()
            self._looked = now
        if not self._maps:
            why = NO_MAP if self._unread is None else self._unread
            return empty_frame(MULTIPATH, why), empty_frame(PATH, why)
        if self._asked is None or now - self._asked >= ASK_EVERY:
            self._asked = now
            self._ask()
        of_maps = dict(self._report.maps)
        columns = self._columns()
        self._add_status(columns)
        nothing = self._why or NOT_IN_ANSWER
        maps = {
            device: dict.fromkeys((field.name for field in MULTIPATH.fields), nothing)
            | of_maps.get(device, {})
            | self._titles[device]
            | {"via": DAEMON if device in of_maps else nothing}
            for device in self._maps
        }
        keys = list(self._paths)
        paths = Frame(PATH, keys, columns, [now] * len(keys)) if keys else empty_frame(PATH, NO_MAP)
        return frame_of(MULTIPATH, maps, now), paths

    def _columns(self) -> dict[str, list[Value]]:
        """Return what stays of the paths, the states of their disks, and what multipathd said."""
        many = len(self._paths)
        columns: dict[str, list[Value]] = {field.name: [NOT_SAID] * many for field in PATH.fields}
        columns["via"] = [self._why or NOT_SAID] * many
        columns |= {name: [labels[name] for labels in self._paths.values()] for name in _LABELS}
        columns["device"] = [self._state(labels["file"]) for labels in self._paths.values()]
        reported = {number: values for number, _, values in self._report.paths}
        for place, number in enumerate(self._paths) if reported else ():
            for name, value in reported.get(number, {}).items():
                if name in columns and name != "device" and name not in _LABELS:
                    columns[name][place] = value
            if number in reported:
                columns["via"][place] = DAEMON
        return columns

    def _state(self, file: Value) -> Value:
        """Return the state of the disk that a path is."""
        try:
            content = self._tree.read(str(file))
        except OSError as error:
            return refused(error)
        return self._words.setdefault(content, content.decode("utf-8", "replace").strip())

    def _look(self) -> None:
        """Find the multipath devices and their paths."""
        self._maps, self._paths, self._titles, self._unread = {}, {}, {}, None
        for device in names_in(self._tree, DIRECTORY, "dm-.*"):
            here = f"{DIRECTORY}/{device}"
            told = read_value(self._tree, f"{here}/dm/uuid")
            if isinstance(told, Absent):
                self._unread = absent(": ".join((f"/{here}/dm/uuid", told.reason)))
            uuid = text_of(told)
            number = read_value(self._tree, f"{here}/dev")
            if not uuid.startswith(MPATH) or not isinstance(number, str):
                continue
            self._maps[device] = number
            title = read_value(self._tree, f"{here}/dm/name")
            self._titles[device] = {"title": title, "wwid": uuid.removeprefix(MPATH)}
            paths = names_in(self._tree, f"{here}/slaves", ".+")
            self._paths |= dict(self._path(name, device) for name in paths)

    def _path(self, name: str, device: str) -> tuple[str, dict[str, Value]]:
        """Return the number of a path, and what stays of it."""
        here = f"{DIRECTORY}/{name}"
        try:
            link = posixpath.normpath(posixpath.join(DIRECTORY, self._tree.link(here)))
        except OSError:
            link = here
        number = text_of(read_value(self._tree, f"{here}/dev")) or f"{device}/{name}"
        row: dict[str, Value] = {
            "name": name,
            "map": device,
            "file": f"{_device_of(link) if self._tree.live else f'{here}/device'}/state",
            "adapter": busid_of(link) or NO_CCW,
            "port": read_value(self._tree, f"{here}/device/wwpn", missing=NO_FCP),
        }
        return number, row

    def _ask(self) -> None:
        """Ask multipathd; what it said before counts no more if it gives no answer."""
        self._report, self._why = MultipathReport(), None
        try:
            answer = (
                ask() if self._tree.live and self._tree.name == THIS_MACHINE else text(self._tree, CAPTURED)
            )
            self._report = parse_maps(answer)
        except FileNotFoundError as error:
            said = error.strerror if self._tree.live else ""
            self._why = absent(said) if said else NO_ANSWER
        except OSError as error:
            self._why = absent(f"multipathd: {error.strerror or error}")
        except ValueError as error:
            self._why = absent(str(error))

    def _add_status(self, columns: dict[str, list[Value]]) -> None:
        """Fill in what the device mapper says of the paths; of none if it refuses to answer at all."""
        places = {number: place for place, number in enumerate(self._paths)}
        why: Absent | None = None
        for number in self._maps.values():
            try:
                paths = parse_path_status(read_dm_status(self._tree, number))
            except OSError as error:
                why = table_refused(error)
                is_control = error.filename is not None  # it cannot be opened
                if self._tree.live and (is_control or isinstance(error, PermissionError)):
                    break  # the other devices need the same driver and the same rights
                continue
            except ValueError:
                continue
            for path in paths:
                if path.number in places:
                    _add_path(columns, places[path.number], path)
        if why is not None:
            for name in ("failures", "in_flight"):
                columns[name] = [why if value is NOT_SAID else value for value in columns[name]]


def _device_of(path: str) -> str:
    """Return the directory of the device that a disk belongs to: without links it is found more quickly."""
    above, mark, _ = path.rpartition("/block/")
    return above if mark and not path.startswith(DIRECTORY) else f"{path}/device"


def _add_path(columns: dict[str, list[Value]], place: int, path: PathStatus) -> None:
    """Fill in what the device mapper says of a path."""
    columns["group"][place] = path.group
    columns["group_state"][place] = path.group_state
    columns["state"][place] = "active" if path.active else "failed"
    columns["failures"][place] = path.failures
    columns["in_flight"][place] = NO_BYTES if path.in_flight is None else path.in_flight
    columns["via"][place] = DM
