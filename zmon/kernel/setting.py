"""Settings of Linux that practices say something of: files of /proc, /sys and /etc, and programs that run.

None of the files starts I/O, and none holds a name of something; of /etc/multipath.conf, /etc/fstab and
/proc/cmdline, which may hold secrets, only what is needed is taken, and a capture has no more of them.

Kernel: Documentation/admin-guide/sysctl/vm.rst, Documentation/block/, drivers/s390/scsi/zfcp_sysfs.c,
drivers/scsi/scsi_transport_fc.c, drivers/s390/net/qeth_core_sys.c, arch/s390/kernel/ipl.c.
"""

from __future__ import annotations

import contextlib
import errno
import re
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.kernel.block_ioctl import read_dm_status, table_refused
from zmon.kernel.multipath_conf import excerpt, parse_multipath_conf
from zmon.kernel.net_dev import CARDS
from zmon.kernel.path_status import parse_path_status
from zmon.kernel.tree import (
    HiddenError,
    names_in,
    read_value,
    refused,
    text,
    when_read,
    why_hidden,
    word_parser,
)
from zmon.kernel.zfcp import HOSTS, PORTS, fcp_hosts
from zmon.kinds import BUSID_FORM, MPATH, NO_CONF, NO_FILE, SETTING
from zmon.sample import empty_frame, frame_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.base.absent import Value
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

Rows = dict[str, "Value"]
"""Values by the names of settings."""

CMDLINE: Final = "proc/cmdline"
FSTAB: Final = "etc/fstab"
MULTIPATH: Final = "etc/multipath.conf"
INIT: Final = "proc/1/comm"
"""Readable where the processes of others are."""
MEMINFO: Final = "proc/meminfo"
HUGE_PAGES: Final = "sys/kernel/mm/hugepages"
SYSINFO: Final = "proc/sysinfo"
IGNORED: Final = "proc/cio_ignore"

FILES: Final = {
    "vm.swappiness": "proc/sys/vm/swappiness",
    "kernel.panic_on_oops": "proc/sys/kernel/panic_on_oops",
    "kernel.panic": "proc/sys/kernel/panic",
    "transparent_hugepage": "sys/kernel/mm/transparent_hugepage/enabled",
    "kexec_crash_loaded": "sys/kernel/kexec_crash_loaded",
    "on_panic": "sys/firmware/shutdown_actions/on_panic",
    "zfcp/datarouter": "sys/module/zfcp/parameters/datarouter",
    "zfcp/dif": "sys/module/zfcp/parameters/dif",
    "zfcp/queue_depth": "sys/module/zfcp/parameters/queue_depth",
    "zfcp/allow_lun_scan": "sys/module/zfcp/parameters/allow_lun_scan",
}
"""Settings that are the one word of a file, or the word in brackets among others."""

BOOT_WORDS: Final = frozenset({
    "hugepages", "hugepagesz", "default_hugepagesz", "transparent_hugepage", "elevator", "cgroup_disable",
    "crashkernel", "dasd", "dasd_mod.dasd", "topology", "nopav",
})  # fmt: skip
"""Words of the kernel's command line that are taken."""

PROGRAMS: Final = ("multipathd", "pmlogger", "sadc", "zmon")
"""Programs whose running is a setting: those that record, and the one that watches paths."""

CAPACITY: Final = "capacity"
"""Begins the names of what /proc/sysinfo says of the capacity, and is that of why it cannot be seen."""
OF_SYS: Final = ("disk", "paths", "fc", "rport", "qeth")
"""Begin the names of settings of what /sys lists, and are those of why they cannot be seen."""

MAX_PROCESSES: Final = 20_000
MAX_LENGTH: Final = 2000
"""Characters of the longest value that is taken."""

_WORD: Final = re.compile(r"[A-Za-z0-9_.,:=+()-]{1,60}")
_UNSAFE: Final = absent("it has a form that zmon does not know")
_HUGE: Final = re.compile(r"hugepages-([0-9]{1,9})kB")
_number = word_parser("[0-9]{1,18}", int)
_words = word_parser("[A-Za-z0-9 ,()-]{1,60}", str)


def parse_choice(content: str) -> str:
    """Return the one word of a file, or that in brackets: `always [madvise] never`, `[none] mq-deadline`.

    Raises:
        ValueError: there is not one.
    """
    chosen = re.findall(r"\[([^\[\]\s]{1,60})\]", content) or content.split()
    if len(chosen) != 1 or not _WORD.fullmatch(chosen[0]):
        raise ValueError(f"not one word, or one in brackets: {content[:40]!r}")
    return str(chosen[0])


def parse_cmdline(content: str) -> Rows:
    """Return the words of the kernel's command line that are wanted, `cmdline/NAME`; others are dropped."""
    rows: Rows = {}
    for word in content.split():
        name, _, value = word.partition("=")
        if name in BOOT_WORDS:
            key = f"cmdline/{name}"
            value = value or "yes"
            both = f"{rows[key]} {value}" if key in rows else value
            rows[key] = both if _WORD.fullmatch(value) and len(both) <= MAX_LENGTH else _UNSAFE
    return rows


def parse_fstab(content: str) -> int:
    """Return how many lines name a DASD by a name that depends on the order of detection: /dev/dasda1."""
    return len(re.findall(r"(?m)^[ \t]*/dev/dasd[a-z]{1,4}[0-9]{0,3}[ \t]", content))


def parse_ignored(content: str) -> str:
    """Return the ranges of devices that the kernel ignores, by blanks: `0.0.0000-0.0.6fff 0.0.7100`.

    Raises:
        ValueError: a line is none, or there are very many.
    """
    ranges = content.split()
    if any(not re.fullmatch(rf"{BUSID_FORM}(?:-{BUSID_FORM})?", word) for word in ranges):
        raise ValueError("a line is no range of devices")
    if len(ranges) > 5000:
        raise ValueError("more than 5000 ranges")
    return " ".join(ranges)


def parse_huge_pages(content: str) -> Rows:
    """Return total, free and reserved huge pages of the default size from /proc/meminfo."""
    numbers = {name: int(value) for name, value in re.findall(r"(?m)^(\w+):\s+([0-9]{1,15})\b", content)}
    size = numbers.get("Hugepagesize")
    names = {"total": "HugePages_Total", "free": "HugePages_Free", "reserved": "HugePages_Rsvd"}
    if not size or not numbers.keys() >= set(names.values()):
        return {}
    return {f"hugepages/{size}/{name}": numbers[field] for name, field in names.items()}


def parse_capacity(content: str) -> Rows:
    """Return the two lines of /proc/sysinfo that tell of less capacity than was bought, where it has them.

    The adjustment is a percentage, 100 for the full speed; the reason of a change is 0 for none.
    """
    lines = {"adjustment": "Capacity Adj. Ind.", "reason": "Capacity Ch. Reason"}
    rows: Rows = {}
    for name, begin in lines.items():
        match = re.search(rf"(?m)^{re.escape(begin)}:[ \t]+([0-9]{{1,5}})\b", content, re.ASCII)
        if match:
            rows[f"{CAPACITY}/{name}"] = int(match[1])
    return rows


def read_settings(tree: Tree) -> Frame:
    """Read the frame SETTING: a row for each setting that this machine may have."""
    missing = NO_FILE if tree.live else None
    settings: Rows = {name: read_value(tree, path, parse_choice, missing) for name, path in FILES.items()}
    settings |= _huge_pages(tree)
    settings |= _boot_words(tree)
    try:
        settings |= parse_capacity(text(tree, SYSINFO))
    except HiddenError as error:
        settings[CAPACITY] = refused(error)
    except OSError:
        pass  # not on IBM Z
    settings["cio_ignore"] = read_value(tree, IGNORED, parse_ignored, missing)
    settings["fstab/dasd"] = read_value(tree, FSTAB, parse_fstab, missing)
    settings["programs"] = _programs(tree)
    for part in (_multipath(tree), _disks(tree), _paths(tree), _adapters(tree)):
        settings |= part
    if why := why_hidden(tree, "sys/block"):
        settings |= dict.fromkeys(OF_SYS, absent(why))
    if all(isinstance(value, Absent) for value in settings.values()):
        return empty_frame(SETTING, "no setting was captured")
    rows = {name: {"value": value} for name, value in settings.items()}
    return frame_of(SETTING, rows, when_read(tree, FILES["vm.swappiness"], MEMINFO, "proc/stat"))


def private_excerpts(tree: Tree) -> dict[str, bytes]:
    """Return what a capture has of the files that may hold secrets, by path: only what is read of them."""
    excerpts: dict[str, bytes] = {}
    rows = _boot_words(tree)
    if "cmdline" not in rows:
        flat = [
            f"{key.partition('/')[2]}={word}"
            for key, value in rows.items()
            if isinstance(value, str)
            for word in value.split()
        ]
        excerpts[CMDLINE] = f"{' '.join(flat)}\n".encode()
    lines = read_value(tree, FSTAB, parse_fstab)
    if isinstance(lines, int):
        excerpts[FSTAB] = b"/dev/dasda - - -\n" * lines
    with contextlib.suppress(OSError, ValueError):
        excerpts[MULTIPATH] = excerpt(parse_multipath_conf(text(tree, MULTIPATH))).encode()
    with contextlib.suppress(OSError):
        excerpts[INIT] = tree.read(INIT)
    excerpts |= {f"proc/{number}/comm": f"{name}\n".encode() for number, name in _running(tree)}
    return excerpts


def _huge_pages(tree: Tree) -> Rows:
    rows: Rows = {}
    files = {"total": "nr_hugepages", "free": "free_hugepages", "reserved": "resv_hugepages"}
    for folder in names_in(tree, HUGE_PAGES, _HUGE.pattern):
        size = folder.removeprefix("hugepages-").removesuffix("kB")
        for name, file in files.items():
            rows[f"hugepages/{size}/{name}"] = read_value(tree, f"{HUGE_PAGES}/{folder}/{file}", _number)
    if rows:
        return rows
    try:
        return parse_huge_pages(text(tree, MEMINFO))
    except OSError:
        return {}


def _boot_words(tree: Tree) -> Rows:
    """Return the words of the command line; a row `cmdline` with the reason where it cannot be read."""
    try:
        return parse_cmdline(text(tree, CMDLINE))
    except OSError as error:
        return {"cmdline": refused(error)}


def _running(tree: Tree) -> Iterator[tuple[str, str]]:
    """Yield number and name of the processes of `PROGRAMS`; of zmon only the recorder."""
    for number in names_in(tree, "proc", "[0-9]{1,10}")[:MAX_PROCESSES]:
        try:
            name = text(tree, f"proc/{number}/comm").strip()
            if tree.live and name.startswith(("zmon", "python")):
                command = text(tree, f"proc/{number}/cmdline").split("\0")
                name = "zmon" if "record" in command and any(w.endswith("zmon") for w in command) else ""
        except OSError:
            continue
        if name in PROGRAMS:
            yield number, name


def _programs(tree: Tree) -> Value:
    """Return which of `PROGRAMS` run; absent where processes of others cannot be seen."""
    running = sorted({name for _, name in _running(tree)})
    hidden = "processes of other users are hidden" if tree.live else "processes were not captured"
    return " ".join(running) or read_value(tree, INIT, lambda _name: "", absent(hidden))


def _multipath(tree: Tree) -> Rows:
    """Return the statements of multipath.conf, and a row `multipath.conf` that says whether it was read."""
    try:
        statements = parse_multipath_conf(text(tree, MULTIPATH))
    except OSError as error:
        there = error.errno == errno.ENOENT and tree.live
        return {"multipath.conf": NO_CONF if there else refused(error)}
    except ValueError as error:
        return {"multipath.conf": absent(str(error))}
    rows: Rows = {"multipath.conf": "read"}
    return rows | {f"multipath.conf/{line.section}/{line.key}": line.value for line in statements}


def _disks(tree: Tree) -> Rows:
    """Return the I/O scheduler of each DASD and SCSI disk, and the state of each SCSI disk."""
    rows: Rows = {}
    for name in names_in(tree, "sys/block", "(?:dasd|sd)[a-z]{1,4}"):
        path = f"sys/block/{name}"
        rows[f"disk/{name}/scheduler"] = read_value(tree, f"{path}/queue/scheduler", parse_choice)
        if name.startswith("sd"):
            rows[f"disk/{name}/state"] = read_value(tree, f"{path}/device/state", parse_choice)
    return rows


def _paths(tree: Tree) -> Rows:
    """Return the states of the paths of each multipath device: `8:0=A 8:16=F`, active or failed."""
    rows: Rows = {}
    for name in names_in(tree, "sys/block", "dm-[0-9]{1,5}"):
        uuid = read_value(tree, f"sys/block/{name}/dm/uuid")
        number = read_value(tree, f"sys/block/{name}/dev")
        if isinstance(number, Absent) or not str(uuid).startswith(MPATH):
            continue
        value: Value
        try:
            paths = parse_path_status(read_dm_status(tree, str(number)))
            value = " ".join(f"{path.number}={'A' if path.active else 'F'}" for path in paths)
        except OSError as error:
            value = table_refused(error)
        except ValueError as error:
            value = absent(str(error))
        rows[f"paths/{number}"] = value
    return rows


def _adapters(tree: Tree) -> Rows:
    """Return type and state of FCP ports, the states of remote ports, and the buffers of OSA devices."""
    rows: Rows = {}
    for busid, host in fcp_hosts(tree):
        for file in ("port_type", "port_state"):
            rows[f"fc/{busid}/{file}"] = read_value(tree, f"{HOSTS}/{host}/{file}", _words)
    for name in names_in(tree, PORTS, "rport-[0-9:-]{1,20}"):
        value = read_value(tree, f"{PORTS}/{name}/port_state", _words)
        rows[f"rport/{name.removeprefix('rport-')}/port_state"] = value
    for name in names_in(tree, CARDS, BUSID_FORM):
        count = read_value(tree, f"{CARDS}/{name}/buffer_count", _number)
        rows[f"qeth/{name}/buffer_count"] = count
    return rows
