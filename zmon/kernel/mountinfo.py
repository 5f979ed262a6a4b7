r"""/proc/self/mountinfo and /proc/swaps: the mounts that this process sees, and the swap areas.

One line per mount:

    ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [OPTIONAL ...] - FSTYPE SOURCE SUPER_OPTIONS

Blank, tab, newline, backslash and, since Linux 6.6, `#` are `\NNN` in octal in paths and
sources.  A later line may hide an earlier one of the same point.  An open file names its mount by
the id, in `mnt_id:` of /proc/self/fdinfo; its `st_dev` is no help, as on btrfs and overlayfs that is
a number which is in no line.  Kernel: fs/proc_namespace.c, fs/proc/fd.c;
Documentation/filesystems/proc.rst.

/proc/swaps has a heading, and then one line for each: name, `partition` or `file`, KiB, KiB used, priority.
Blank, tab, newline and backslash are `\NNN` in octal in names.  Kernel: mm/swapfile.c.
"""

from __future__ import annotations

import contextlib
import errno
import os
import posixpath
import re
from functools import partial

from zmon.base.absent import Absent, absent
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple
from zmon.base.sizes import KIB
from zmon.kernel.tree import why_hidden
from zmon.kinds import MOUNT, SWAP
from zmon.sample import empty_frame, frame_of
from zmon.values import overlay

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

    from zmon.base.absent import Value
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame


PATH: Final = "proc/self/mountinfo"
OWN: Final = "proc/self/ns/mnt"
"""The link that names the mount namespace of this process."""
KTHREADD: Final = "2"
"""The process that is the parent of all threads of the kernel."""

_OTHER: Final = r"/(proc/[0-9]{1,10})/(?:root|cwd|fd/[0-9]{1,10})(?=/|$)"

_ESCAPE: Final = re.compile(rb"\\([0-3][0-7]{2})")
_NUMBER: Final = re.compile(rb"\d{1,10}:\d{1,10}")
_NO_LAYERS: Final = absent("its layers are on no mount that is seen from here")
NO_OTHER: Final = absent("only btrfs has several devices")
_OWN_ONLY: Final = absent("only the mounts of zmon's own namespace were read")
_GONE: Final = frozenset({errno.ENOENT, errno.ESRCH, errno.EINVAL})
"""The errors of a process that has ended meanwhile."""


def through_process(path: str) -> re.Match[str] | None:
    """Return how a path begins that leads through another process, whose mounts may differ.

    Its first group is the directory of the process: `proc/3108`.
    """
    return re.match(_OTHER, path) if path.startswith("/proc/") else None


class Mounted(NamedTuple):
    """One line."""

    id: str
    parent: str
    number: str
    """`major:minor` of the file system."""
    root: str
    """What of the file system is mounted: `/`, else a bind mount or a subvolume."""
    point: str
    options: str
    """Those of the mount."""
    fstype: str
    source: str
    """What was named to mount: a device, a server, a word; empty where nothing was."""
    super_options: str
    """Those of the file system, with the kernel's escapes: see `option`."""
    line: int
    """Counted from 1."""
    seen_by: str = ""
    """The process that has it, `proc/4711`; empty for this one."""


def parse_mountinfo(content: bytes) -> list[Mounted]:
    """Read the whole file; bytes that are not UTF-8 come out as `os.fsdecode` has them.

    Raises:
        ValueError: a line has not this form, or there is none.
    """
    if not content.strip():
        raise ValueError(f"/{PATH} is empty")
    return [_mounted(line, number) for number, line in enumerate(content.split(b"\n"), 1) if line]


def _mounted(line: bytes, number: int) -> Mounted:
    before, dash, after = line.partition(b" - ")
    first, last = before.split(b" "), after.split(b" ")
    if not dash or len(first) < 6 or len(last) < 3 or not _is_numbered(first):
        raise ValueError(
            f"/{PATH}:{number}: not ID PARENT M:m ROOT POINT OPTIONS - TYPE SOURCE OPTIONS: {line[:80]!r}"
        )
    return Mounted(
        id=os.fsdecode(first[0]),
        parent=os.fsdecode(first[1]),
        number=os.fsdecode(first[2]),
        root=unescaped(first[3]),
        point=unescaped(first[4]),
        options=os.fsdecode(first[5]),
        fstype=os.fsdecode(last[0]),
        source=unescaped(last[1]),
        super_options=os.fsdecode(last[2]),
        line=number,
    )


def _is_numbered(parts: list[bytes]) -> bool:
    return parts[0].isdigit() and parts[1].isdigit() and _NUMBER.fullmatch(parts[2]) is not None


def unescaped(escaped: bytes) -> str:
    r"""Return a name with the bytes that the kernel has written as `\NNN`, as `os.fsdecode` has them."""
    return os.fsdecode(_ESCAPE.sub(lambda match: bytes([int(match[1], 8)]), escaped))


def option(options: str, name: str) -> list[str]:
    """Return the values of an option, in their order, without escapes; none when it is not set."""
    pairs = (word.partition("=") for word in options.split(","))
    return [unescaped(os.fsencode(value)) for word, _equals, value in pairs if word == name]


def read_mounts(tree: Tree, wanted: Container[str] | None = None, paths: Iterable[str] = ()) -> Frame:
    """Return the mounts as this process sees them; one frame of `MOUNT`.

    If `wanted` is given, only those whose id, or the number of whose file system, is in it.  With `paths`
    like /proc/PID/root/FILE also the mounts of these processes that this one does not have.
    Of a captured tree all mounts include those of other namespaces; see `read_hidden`.

    The chunks of btrfs are read from the live kernel only, by root, and only of wanted mounts.
    """
    try:
        mounted = parse_mountinfo(tree.read(PATH))
    except OSError as error:
        return empty_frame(MOUNT, why_hidden(tree, PATH) or f"/{PATH}: {error.strerror}")
    except ValueError as error:
        return empty_frame(MOUNT, str(error))
    mounted += _of_others(tree, {mount.id for mount in mounted}, paths)
    layered = _layered(mounted, wanted)
    if wanted is not None:
        below = {mount.id for layers in layered.values() for mount in layers.values()}
        wanted = {mount.id for mount in mounted if mount.id in below or _is_wanted(mount, wanted)}
    several = _several(tree, mounted, wanted)
    none: Mapping[str, Value] = {"devices": NO_OTHER, "chunks": NO_OTHER}
    rows: dict[str, Mapping[str, Value]] = {
        mount.id: {
            "number": mount.number,
            "root": mount.root,
            "point": mount.point,
            "fstype": mount.fstype,
            "source": mount.source,
            "options": mount.super_options,
            "line": mount.line if not mount.seen_by else f"/{mount.seen_by}/mountinfo:{mount.line}",
            **several.get(mount.number, none),
            **({"devices": _numbers(mount, layered[mount.id])} if mount.id in layered else {}),
            "namespaces": _OWN_ONLY,
        }
        for mount in mounted
        if _is_wanted(mount, wanted)
    }
    mounts = frame_of(MOUNT, rows, tree.when(PATH))
    return mounts if tree.live or wanted is not None or paths else read_hidden(tree, mounts)


def read_hidden(tree: Tree, own: Frame) -> Frame:
    """Return the mounts, and with them those of block devices that only processes of other namespaces have.

    The column `namespaces` says how many of them were read, or why some were not.
    """
    if own.missing is not None:
        return own
    others, refused = namespaces(tree)
    numbers = set(map(str, own.column("number")))
    paths = [f"/proc/{name}/root/" for name in others]
    mounts = read_mounts(tree, None, paths) if paths else own
    rows: dict[str, Mapping[str, Value]] = {}
    read: Value = str(len(others))
    for path, error in refused.items():
        read = absent(f"/{path}: {error.strerror or error}")
    for key, number, line in zip(mounts.keys, mounts.column("number"), mounts.column("line"), strict=True):
        is_own = not str(line).startswith("/")
        if is_own or key in own.keys or not (str(number).startswith("0:") or str(number) in numbers):
            rows[key] = {name: mounts.cell(key, name) for name in mounts.kind.by_name} | {"namespaces": read}
            numbers |= set() if is_own else {str(number)}
    return frame_of(MOUNT, rows, tree.when(PATH))


def namespaces(tree: Tree) -> tuple[dict[str, bytes], dict[str, OSError]]:
    """Return /proc/PID/mountinfo of one process of each other mount namespace, by PID, and what was refused.

    The mounts distinguish the namespaces where `ns/mnt` cannot be read, as without root.  Of refused paths
    only the first one is returned.  A capture holds one process of each; other collections hold all
    processes, and no `ns/mnt`.
    """
    try:
        processes = [name for name in tree.entries("proc") if name.isdecimal()]
        own = {tree.read(PATH)} | (set() if _has_all_processes(tree, processes) else {tree.link(OWN)})
    except OSError as error:
        return {}, {OWN: error}
    contents: dict[str, bytes] = {}
    refused: dict[str, OSError] = {}
    if tree.live and "1" not in processes:  # mounted with hidepid=
        refused["proc/1/mountinfo"] = PermissionError(errno.EACCES, "processes of other users are hidden")
    for name in processes:
        space = ""
        with contextlib.suppress(OSError):
            space = tree.link(f"proc/{name}/ns/mnt")
        if space in own:
            continue
        try:
            content = tree.read(f"proc/{name}/mountinfo")
        except OSError as error:
            if error.errno not in _GONE and not refused:
                refused[f"proc/{name}/mountinfo"] = error
            continue
        if content not in own:
            contents[name] = content
        own |= {space, content} if space else {content}
    return contents, refused


def _has_all_processes(tree: Tree, processes: list[str]) -> bool:
    """Return whether a collection, as that of sos, has the mounts of all processes.

    None but who copies all has those of kthreadd.
    """
    if tree.live or KTHREADD not in processes:
        return False
    return all("mountinfo" in tree.entries(f"proc/{name}") for name in processes)


def _of_others(tree: Tree, seen: set[str], paths: Iterable[str]) -> list[Mounted]:
    """Return the unknown mounts of the processes in paths like /proc/PID/root."""
    mounts: dict[str, Mounted] = {}
    for process in dict.fromkeys(match[1] for match in map(through_process, paths) if match):
        try:
            mounted = parse_mountinfo(tree.read(f"{process}/mountinfo"))
        except (OSError, ValueError):
            continue
        for mount in mounted:
            if mount.id not in seen:
                mounts.setdefault(mount.id, mount._replace(seen_by=process))
    return list(mounts.values())


def layers(mount: Mounted) -> Iterator[str]:
    """Yield the directories of an overlay, the topmost first."""
    return overlay.layers(partial(option, mount.super_options))


def _layered(mounted: list[Mounted], wanted: Container[str] | None) -> dict[str, dict[str, Mounted]]:
    """Return for each overlay, by its id, the mounts that its layers are on by their names."""
    overlays: dict[str, dict[str, Mounted]] = {}
    points = {mount.point: mount for mount in mounted if not mount.seen_by}
    for mount in mounted:
        if mount.fstype == "overlay" and _is_wanted(mount, wanted):
            below = overlays[mount.id] = {}
            for point in overlay.mount_points(layers(mount), points):
                if points[point] is not mount:
                    below.setdefault(points[point].number, points[point])
    return overlays


def is_relative(mount: Mounted) -> bool:
    """Return whether an overlay names layers by relative paths."""
    return not all(map(posixpath.isabs, layers(mount)))


def _numbers(mount: Mounted, below: Mapping[str, Mounted]) -> Value:
    if is_relative(mount):  # those that can be found may not be all
        return overlay.RELATIVE
    return " ".join(f"layer{place}={number}" for place, number in enumerate(below)) or _NO_LAYERS


def _is_wanted(mount: Mounted, wanted: Container[str] | None) -> bool:
    return wanted is None or mount.id in wanted or mount.number in wanted


def _several(
    tree: Tree, mounted: list[Mounted], wanted: Container[str] | None
) -> dict[str, Mapping[str, Value]]:
    """Return what every btrfs says of its devices, by its number; a mount that is hidden cannot be asked."""
    devices: dict[str, Mapping[str, Value]] = {}
    for mount in mounted:
        if mount.fstype == "btrfs" and _is_wanted(mount, wanted):
            from zmon.kernel.btrfs import read_devices  # noqa: PLC0415 - most machines have none

            earlier = devices.get(mount.number)
            if earlier is None or isinstance(earlier["devices"], Absent):
                point = f"/{mount.seen_by}/root{mount.point}" if mount.seen_by else mount.point
                devices[mount.number] = read_devices(tree, mount.id, mount.number, point, mount.source)
    return devices


SWAPS: Final = "proc/swaps"

_SWAP_LINE: Final = rb"(\S+)\s+(\S+)\s+([0-9]{1,18})\s+([0-9]{1,18})\s+(-?[0-9]{1,9})\s*"


def parse_swaps(content: bytes) -> dict[str, dict[str, Value]]:
    """Return sort, size, used bytes and priority of each swap area by its name.

    Raises:
        ValueError: a line has not this form, or the heading is not there.
    """
    if re.match(rb"Filename\s+Type\s+Size\s+Used\s+Priority\s*(?:\n|$)", content) is None:
        raise ValueError(f"/{SWAPS} begins without its heading")
    rows: dict[str, dict[str, Value]] = {}
    for number, line in enumerate(content.split(b"\n")[1:], 2):
        if not line.strip():
            continue
        match = re.fullmatch(_SWAP_LINE, line)
        if match is None:
            raise ValueError(f"/{SWAPS}:{number}: not NAME TYPE SIZE USED PRIORITY: {line[:80]!r}")
        rows[unescaped(match[1])] = {
            "sort": match[2].decode("ascii", "replace"),
            "size": int(match[3]) * KIB,
            "used": int(match[4]) * KIB,
            "priority": int(match[5]),
        }
    return rows


def read_swaps(tree: Tree) -> Frame:
    """Return the swap areas in use: one frame of `SWAP`, without rows if there are none."""
    try:
        content = tree.read(SWAPS)
        when = tree.when(SWAPS)
    except FileNotFoundError:
        why = why_hidden(tree, SWAPS) or ("this kernel has no swap" if tree.live else "was not captured")
        return empty_frame(SWAP, f"/{SWAPS}: {why}")
    except OSError as error:
        return empty_frame(SWAP, f"/{SWAPS}: {error.strerror}")
    try:
        return frame_of(SWAP, parse_swaps(content), when)
    except ValueError as error:
        return empty_frame(SWAP, str(error))
