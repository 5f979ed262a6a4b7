"""/sys/block and /sys/dev/block: the whole disks, and all block devices with what each is made of.

Of each device's directory: `dev`, `size` and `start` (always in sectors of 512 bytes), `partition`, `slaves`,
`dm/name` and `dm/uuid`, `md/level`, `md/layout`, `md/chunk_size` (bytes), `md/raid_disks`,
`md/reshape_position`, `md/dev-*/slot`, `md/dev-*/state`, `md/dev-*/offset` (sectors), `md/dev-*/size` (KiB),
`loop/backing_file`, and of disks behind FCP `device/wwpn` and `device/fcp_lun`.

Kernel: block/genhd.c, block/partitions/core.c, drivers/md/dm-sysfs.c, drivers/md/md.c, drivers/block/loop.c,
drivers/s390/scsi/zfcp_sysfs.c, drivers/nvme/host/multipath.c.
"""

from __future__ import annotations

import contextlib
import posixpath
import re
from functools import cached_property, partial

from zmon.base.absent import Absent, absent, text_of
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.kernel import block_ioctl
from zmon.kernel.disk_identity import FIELDS, NO_IDENTITY, read_identity
from zmon.kernel.tree import read_value, read_word, when_read, word_parser
from zmon.kinds import LAYER, MPATH, NOT_JOINED
from zmon.sample import Frame, empty_frame, frame_of
from zmon.values.nvme import parse_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zmon.base.absent import Value
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame


DIRECTORY: Final = "sys/block"

_NO_LABEL: Final = absent("only device-mapper gives names")
_NO_MODEL: Final = absent("the driver names no model")
_NO_DISKSEQ: Final = absent("needs Linux 5.15, which numbers the disks as they appear")
_GONE: Final = absent("the disk went away while it was read")


class Disks:
    """The whole disks of a machine, and their constant facts."""

    def __init__(
        self, names: list[str], labels: Mapping[str, list[Value]], silent: frozenset[str] = frozenset()
    ) -> None:
        """Hold the content of /sys/block."""
        self.names = names
        """As in /sys/block, sorted."""
        self.labels = labels
        """Fields of `BLOCK` that are read here, in the order of `names`."""
        self.silent = silent
        """Disks without statistics (queue/iostats is 0)."""

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """The row number of each disk."""
        return {name: row for row, name in enumerate(self.names)}


def busid_of(link: str) -> str | None:
    """Return the bus id of the ccw device that a disk hangs on, from its link in /sys/block.

    The component after the subchannel is the ccw device: for
    `../devices/css0/0.0.0004/0.0.7000/block/dasdd` that is `0.0.7000`.  A SCSI disk behind FCP
    yields the FCP device; a disk that is not on the channel subsystem yields None.
    """
    parts = link.split("/")
    if "css0" not in parts:
        return None
    below = parts[parts.index("css0") + 1 :]
    return below[1] if len(below) > 2 else None


def _read_number(tree: Tree, path: str, missing: Absent) -> Value:
    word = read_word(tree, path, missing)
    return int(word) if isinstance(word, str) and word.isdecimal() else missing


def _disk(tree: Tree, name: str) -> tuple[Value, ...]:
    link = tree.link(f"{DIRECTORY}/{name}")
    here = posixpath.normpath(posixpath.join(DIRECTORY, link))
    device = here.partition("/block/")[0] if "/block/" in here else posixpath.dirname(here)
    return (
        read_word(tree, f"{here}/dev", _GONE),
        busid_of(link) or NO_CCW,
        read_word(tree, f"{here}/dm/name", _NO_LABEL),
        read_word(tree, f"{device}/model", _NO_MODEL),
        _read_number(tree, f"{here}/diskseq", _NO_DISKSEQ),
        _read_number(tree, f"{here}/size", _GONE),
        _read_number(tree, f"{here}/queue/nr_requests", _GONE),
        _read_number(tree, f"{here}/queue/logical_block_size", _GONE),
        _read_number(tree, f"{here}/queue/iostats", _GONE),
    )


_LABELS: Final = (
    "number", "busid", "label", "model", "incarnation", "size", "nr_requests", "block_size",
)  # fmt: skip


def read_disks(tree: Tree) -> Disks:
    """Read the constant facts of the whole disks; again after disks came or went.

    Of each `/sys/block/<name>`: the link itself (which ccw device it hangs on), `dev`, `diskseq`
    (since Linux 5.15; never used twice, so it distinguishes a disk from the next one of the same name),
    `size` in sectors of 512 bytes, `queue/nr_requests`, `queue/logical_block_size`,
    `queue/iostats`, `dm/name`, and `model` of the device that a SCSI or NVMe driver made.

    Raises:
        OSError: /sys/block cannot be listed.
    """
    names: list[str] = []
    facts: list[tuple[Value, ...]] = []
    for name in tree.entries(DIRECTORY):
        try:
            facts.append(_disk(tree, name))
        except OSError:
            continue  # it went away between the listing and the reading
        names.append(name)
    *columns, statistics = ([row[i] for row in facts] for i in range(len(_LABELS) + 1))
    maps = read_maps(tree, names)
    return Disks(
        names,
        {**dict(zip(_LABELS, columns, strict=True)), "map": [maps.get(name, NOT_JOINED) for name in names]},
        frozenset(name for name, kept in zip(names, statistics, strict=True) if kept == 0),
    )


def read_maps(tree: Tree, names: Iterable[str]) -> dict[str, str]:
    """Return for each multipath device among the disks, and for each path of it, the name of the device.

    A device made of paths whose uuid begins with `mpath-` is one disk, so its paths are none of their own.
    The same holds for an NVMe namespace that the kernel itself joins the paths to.
    """
    listed = list(names)
    maps = nvme_heads(listed)
    for name in listed:
        if not name.startswith("dm-"):
            continue
        uuid = read_value(tree, f"{DIRECTORY}/{name}/dm/uuid")
        if isinstance(uuid, str) and uuid.startswith(MPATH):
            with contextlib.suppress(OSError):  # it went away
                maps |= dict.fromkeys((name, *tree.entries(f"{DIRECTORY}/{name}/slaves")), name)
    return maps


def nvme_heads(names: Iterable[str]) -> dict[str, str]:
    """Return the NVMe disk of each path to it among some disks, and of the disk itself: by their names."""
    listed = {name for name in names if name.startswith("nvme")}
    heads: dict[str, str] = {}
    for name in sorted(listed):
        path = parse_path(name)
        if path and path.disk in listed:
            heads[name] = heads[path.disk] = path.disk
    return heads


def maps_of(disks: Disks) -> dict[str, Value]:
    """Return what `read_maps` has found."""
    cells = zip(disks.names, disks.labels.get("map", ()), strict=False)
    return {name: cell for name, cell in cells if not isinstance(cell, Absent)}


NUMBERS: Final = "sys/dev/block"

_NO_PARTITION: Final = absent("a whole device, no partition")
_NO_DM: Final = absent("not of the device mapper")
_NO_MD: Final = absent("not an array of md")
_NO_LOOP: Final = absent("not a loop device")
_NO_FILE: Final = absent("the loop device has no file")
NO_FCP: Final = absent("not behind FCP")
NO_CCW: Final = absent("not behind a ccw device")
_NO_UUID: Final = absent("the device was made without a uuid")
NO_SLAVES: Final = absent("which devices it is made of was not captured")
NO_RECORD: Final = absent("udev has no record of it")
_PARTITION: Final = {
    "E:ID_PART_ENTRY_UUID": "disk/by-partuuid/",
    "E:ID_PART_ENTRY_NAME": "disk/by-partlabel/",
}
"""The directories in /dev/disk for the tags of a partition."""
_NO_MEMBERS: Final = absent("the slots and offsets of its members were not captured")
_WITHOUT_DATA: Final = frozenset({"faulty", "spare", "replacement"})
"""States of a member that has a slot without its data: it failed, or is being rebuilt."""
RESHAPED: Final = absent("the array is being reshaped")


def read_layers(tree: Tree, numbers: Iterable[str] | None = None) -> Frame:
    """Read the block devices of a machine, or only some (`94:5`) and those below them: one frame of `LAYER`.

    On a live machine the costs of the latter do not depend on the number of other devices.
    A device that does not exist has no row.  Raises nothing.
    """
    rows: dict[str, dict[str, Value]] = {}
    try:
        where = _Listed(tree) if numbers is None or not tree.live else _Numbered(tree)
    except OSError as error:
        return empty_frame(LAYER, f"/{DIRECTORY} cannot be listed: {error.strerror}")
    ahead = list(dict.fromkeys(where.numbers if numbers is None else numbers))
    for number in ahead:
        path = where.directory(number)
        if path is None or number in rows:
            continue
        row = rows[number] = _row(tree, number, path)
        ahead.extend(word for name in ("parent", "below") for word in _words(row[name]))
    if not rows:
        return empty_frame(LAYER, "no block device in /sys/block")
    return frame_of(LAYER, rows, when_read(tree, DIRECTORY))


def renew_layers(tree: Tree, recent: Frame | None = None) -> Frame:
    """Read all block devices; of those of a recent frame only which are suspended, as that ends in seconds.

    Where that is what it was, the recent frame is returned itself.  Raises nothing.
    """
    if recent is None or recent.missing is not None:
        return read_layers(tree)
    names, states = recent.column("name"), list(recent.column("suspended"))
    for at, sort in enumerate(recent.column("sort")):
        if sort == "dm":
            states[at] = read_value(tree, f"{DIRECTORY}/{names[at]}/dm/suspended", int)
    if states == recent.column("suspended"):
        return recent
    times = [when_read(tree, DIRECTORY)] * len(states)
    return recent.but(columns={**recent.columns, "suspended": states}, times=times)


def _words(cell: Value) -> list[str]:
    return [] if isinstance(cell, Absent) else str(cell).split()


class _Numbered:
    """Directories by /sys/dev/block of a live kernel."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.numbers: tuple[str, ...] = ()
        """Empty: the caller names them."""

    def directory(self, number: str) -> str | None:
        try:
            link = self._tree.link(f"{NUMBERS}/{number}")
        except (OSError, ValueError):  # a NUL byte is a ValueError
            return None
        return posixpath.normpath(posixpath.join(NUMBERS, link))


class _Listed:
    """Directories by listing /sys/block, as captures need it."""

    def __init__(self, tree: Tree) -> None:
        self._found: dict[str, str] = {}
        for disk in tree.entries(DIRECTORY):
            path = f"{DIRECTORY}/{disk}"
            try:
                path = posixpath.normpath(posixpath.join(DIRECTORY, tree.link(path)))
                names = tree.entries(path)
            except OSError:
                names = []  # it went away, or is no link: then its own path will do
            self._take(tree, path)
            for name in names:
                if name != disk and name.startswith(disk):  # so all drivers call their partitions
                    self._take(tree, f"{path}/{name}")

    def _take(self, tree: Tree, path: str) -> None:
        number = read_value(tree, f"{path}/dev")
        if isinstance(number, str):
            self._found[number] = path

    @property
    def numbers(self) -> tuple[str, ...]:
        return tuple(self._found)

    def directory(self, number: str) -> str | None:
        return self._found.get(number)


# --- one device -------------------------------------------------------------------------------


def _row(tree: Tree, number: str, path: str) -> dict[str, Value]:
    name = posixpath.basename(path)
    sort = _sort(tree, path, name)
    word = partial(_word, tree, path)
    record = read_value(tree, f"run/udev/data/b{number}", str, NO_RECORD)
    row: dict[str, Value] = {
        "name": name,
        "sort": sort,
        "parent": _NO_PARTITION,
        "start": _NO_PARTITION,
        "size": read_value(tree, f"{path}/size", _sectors),
        "below": "",
        "busid": busid_of(path) or NO_CCW,
        **dict.fromkeys(("mapped", "uuid", "table", "suspended"), _NO_DM),
        **dict.fromkeys(("level", "layout", "chunk", "members"), _NO_MD),
        "wwpn": NO_FCP,
        "lun": NO_FCP,
        "file": _NO_LOOP,
        "links": _links(tree, path, record),
        **dict.fromkeys(FIELDS, NO_IDENTITY),
    }
    match sort:
        case "partition":
            row["parent"] = read_value(tree, f"{posixpath.dirname(path)}/dev")
            row["start"] = read_value(tree, f"{path}/start", _sectors)
            return row
        case "dm":
            row |= {
                "mapped": word("dm/name"),
                "uuid": word("dm/uuid", _NO_UUID),
                "table": _table(tree, number),
                "suspended": read_value(tree, f"{path}/dm/suspended", int),
            }
        case "md":
            row |= _array(tree, path)
        case "loop":
            file = read_value(tree, f"{path}/loop/backing_file", lambda s: s.rstrip("\n"), _NO_FILE)
            row["file"] = file
            if isinstance(file, str):
                row["table"] = block_ioctl.read_loop_table(tree, number, path, file)
                if isinstance(row["table"], str):
                    row["below"] = " ".join(block_ioctl.devices_in(row["table"]))
                return row
        case "disk":
            row |= read_identity(tree, path, name, text_of(record))
            if name.startswith("sd"):
                row |= {"wwpn": word("device/wwpn", NO_FCP), "lun": word("device/fcp_lun", NO_FCP)}
    slaves = _slaves(tree, path)
    row["below"] = NO_SLAVES if slaves is None else " ".join(slaves.values())
    return row


def parse_links(content: str) -> str:
    """Find the names in /dev in a record of udev: its lines `S:disk/by-path/...`.

    UUID and name of a partition count, too, because some rules make no link of them.
    """
    lines = content.split("\n")
    names = [line[2:].strip() for line in lines if line.startswith("S:")]
    for line in lines:
        tag, _equals, value = line.partition("=")
        if tag in _PARTITION and len(value.split()) == 1:
            names.append(f"{_PARTITION[tag]}{value.strip()}")
    return " ".join(dict.fromkeys(names))


def _links(tree: Tree, path: str, record: Value) -> Value:
    links = parse_links(record) if isinstance(record, str) else record
    return links if tree.live or isinstance(links, str) else " ".join(links_by_path(tree, path)) or links


def links_by_path(tree: Tree, path: str) -> list[str]:
    """Return the names that udev makes of where a disk or partition is, given its directory in sysfs.

    `disk/by-path/ccw-0.0.7000-part1`; behind FCP with port and LUN, as systemd and as older rules spell them.
    Source: systemd, src/udev/udev-builtin-path_id.c; s390-tools, 59-zfcp-compat.rules.
    """
    busid = busid_of(path)
    partition = read_value(tree, f"{path}/partition")
    part, disk = (f"-part{partition}", posixpath.dirname(path)) if isinstance(partition, str) else ("", path)
    if busid is None:
        return []
    if not posixpath.basename(disk).startswith("sd"):
        return [f"disk/by-path/ccw-{busid}{part}"]
    port, lun = (read_value(tree, f"{disk}/device/{name}") for name in ("wwpn", "fcp_lun"))
    if not isinstance(lun, str) or not re.fullmatch("0x[0-9a-f]{16}", lun) or isinstance(port, Absent):
        return []
    is_short = lun.startswith("0x00") and not lun[6:].strip("0")
    shown = str(int(lun[:6], 16)) if is_short else lun
    ends = (f"fc-{port}-lun-{shown}", f"zfcp-{port}:{lun}")
    return [f"disk/by-path/ccw-{busid}-{end}{part}" for end in ends]


def _sort(tree: Tree, path: str, name: str) -> str:
    """Return the type of a device; by its name only if it is no partition."""
    if isinstance(read_value(tree, f"{path}/partition"), str):
        return "partition"
    if name.startswith("dm-"):
        return "dm"
    if name.startswith("md") and isinstance(read_value(tree, f"{path}/md/level"), str):
        return "md"
    return "loop" if name.startswith("loop") else "disk"


def _word(tree: Tree, path: str, name: str, missing: Absent | None = None) -> Value:
    value = read_value(tree, f"{path}/{name}", missing=missing)
    return value if value != "" else missing or absent(f"{name} is empty")


_sectors = word_parser("[0-9]{1,18}", int)


def _slaves(tree: Tree, path: str) -> dict[str, str] | None:
    """Return the numbers of the devices below, by name; None without the kernel's list."""
    try:
        names = tree.entries(f"{path}/slaves")
    except OSError:
        return None
    numbers = ((name, read_value(tree, f"{path}/slaves/{name}/dev")) for name in names)
    return {name: number for name, number in numbers if isinstance(number, str)}


def _table(tree: Tree, number: str) -> Value:
    try:
        return block_ioctl.read_dm_table(tree, number)
    except OSError as error:
        return block_ioctl.table_refused(error)
    except ValueError as error:
        return absent(str(error))


def _array(tree: Tree, path: str) -> dict[str, Value]:
    layout = read_value(tree, f"{path}/md/layout", _sectors)
    if isinstance(reshape := read_value(tree, f"{path}/md/reshape_position"), str) and reshape != "none":
        layout = RESHAPED
    return {
        "level": _word(tree, path, "md/level"),
        "layout": layout,
        "chunk": read_value(tree, f"{path}/md/chunk_size", _sectors),
        "members": _members(tree, path),
    }


def _members(tree: Tree, path: str) -> Value:
    """Return `0=94:21@2048+1600480 1=-`: slot, number, first sector and sectors of data; `-` if missing."""
    members: dict[int, str] = {}
    for name, number in (_slaves(tree, path) or {}).items():
        here = f"{path}/md/dev-{name}"
        slot = read_value(tree, f"{here}/slot", _sectors)
        offset = read_value(tree, f"{here}/offset", _sectors)
        size = read_value(tree, f"{here}/size", _sectors)
        if not isinstance(slot, int) or not isinstance(offset, int):
            continue  # a spare has no slot
        state = read_value(tree, f"{here}/state")
        if isinstance(state, str) and _WITHOUT_DATA.intersection(state.strip().split(",")):
            continue
        members[slot] = f"{slot}={number}@{offset}" + (f"+{size * 2}" if isinstance(size, int) else "")
    if not members:
        return _NO_MEMBERS
    disks = read_value(tree, f"{path}/md/raid_disks", _raid_disks)
    slots = range(disks) if isinstance(disks, int) else members
    return " ".join(members.get(slot, f"{slot}=-") for slot in sorted({*slots, *members}))


def _raid_disks(content: str) -> int:
    """Parse how many devices an array has; while it is being reshaped, the former number follows."""
    count = int(_sectors(content.partition(" ")[0]))  # type: ignore[arg-type]  # no word is unknown
    if count > 4096:
        raise ValueError(f"an array of {count} devices")
    return count
