"""A machine on which everything is as advised, and changes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.frames import frame_of
from zmon.base.absent import absent
from zmon.check.practice import CheckInput
from zmon.check.practices import run_checks
from zmon.interval import Interval
from zmon.kinds import (
    BLOCK,
    CHANNEL,
    CONTAINER,
    CPU,
    DASD,
    DEVICE,
    GUEST,
    LAYER,
    MACHINE,
    MEMORY,
    MOUNT,
    PATH,
    SETTING,
    SWAP,
)
from zmon.sample import Instant, Sample
from zmon.topology.machine import NO_INPUTS, Machine

if TYPE_CHECKING:
    from zmon.check.practice import CheckResult
    from zmon.sample import Kind
    from zmon.topology.machine import UserInputs

Rows = dict["Kind", dict[str, dict[str, Any]]]
Situations = list[tuple[Any, ...]]
"""Of each its check, what that finds, and the changes of the good machine (and of its load)."""
SECOND: Final = 10**9
GB: Final = 1 << 30
GONE: Final = absent("gone")
MIB: Final = 2048
"""Sectors of a MiB."""


def _dasd(at: int, lcu: str, ua: str) -> tuple[str, dict[str, Any]]:
    busid = f"0.0.{lcu[:2]}{ua}"
    return busid, {
        "subchannel": f"0.0.{at:04x}", "chpids": "40 41", **dict.fromkeys(("pim", "pam", "pom", "vpm"), 0xC0),
        "driver": "dasd-eckd", "status": "online", "availability": "good", "discipline": "ECKD",
        "vendor": "IBM", "block": f"dasd{'abcd'[at]}", "devtype": "3390/0c", "cutype": "2107/e8",
        "uid": f"IBM.750000000F2001.{lcu}.{ua}", "online": 1, "alias": 0, "hpf": 1,
    }  # fmt: skip


def good() -> Rows:
    """Return a machine with four DASDs in three LCUs, a LUN over two FCP adapters, and a database's files."""
    devices = dict(_dasd(at, lcu, ua) for at, (lcu, ua) in
                   enumerate([("7600", "00"), ("7a00", "01"), ("7700", "00"), ("7700", "01")]))  # fmt: skip
    for lcu in ("7600", "7700", "7a00"):
        for number in range(12):
            devices[f"0.0.{lcu[:2]}{0xF0 + number:02x}"] = {
                **devices["0.0.7600"], "alias": 1, "block": GONE, "uid": f"IBM.750000000F2001.{lcu}.xx",
            }  # fmt: skip
    for chpid in ("50", "51"):
        devices[f"0.0.fc{chpid}"] = {
            "chpids": chpid, **dict.fromkeys(("pim", "pam", "pom", "vpm"), 0x80), "driver": "zfcp",
            "availability": "good", "online": 1, "devtype": "1732/03", "cutype": "1731/03", "uid": GONE,
        }  # fmt: skip
    layers: dict[str, dict[str, Any]] = {}
    for at, busid in enumerate(["0.0.7600", "0.0.7a01", "0.0.7700", "0.0.7701"]):
        disk = f"dasd{'abcd'[at]}"
        layers[f"94:{4 * at}"] = {
            "name": disk,
            "sort": "disk",
            "busid": busid,
            "size": 9000 * MIB,
            "below": "",
        }
        layers[f"94:{4 * at + 1}"] = {"name": f"{disk}1", "sort": "partition", "parent": f"94:{4 * at}",
                                      "start": 192, "size": 8000 * MIB, "below": ""}  # fmt: skip
    for at, chpid in enumerate(["50", "51"]):
        layers[f"8:{16 * at}"] = {
            "name": f"sd{'ab'[at]}", "sort": "disk", "busid": f"0.0.fc{chpid}", "size": 4000 * MIB,
            "below": "",
            "wwpn": f"0x500507630{chpid}3c1ae", "lun": "0x4076400000000000",
        }  # fmt: skip
    layers["253:0"] = {
        "name": "dm-0", "sort": "dm", "mapped": "data01", "size": 4000 * MIB, "below": "8:0 8:16",
        "uuid": "mpath-36005076300c1ae0000000000007600",
        "table": f"0 {4000 * MIB} multipath 1 queue_if_no_path 0 1 1 service-time 0 2 1 8:0 1 8:16 1",
    }  # fmt: skip
    layers["253:1"] = {
        "name": "dm-1", "sort": "dm", "mapped": "vg-data", "uuid": "LVM-abc", "size": 200 * MIB,
        "below": "94:1 94:9", "table": f"0 {200 * MIB} striped 2 2048 94:1 2048 94:9 2048",
    }  # fmt: skip
    files = {
        "/db/data1": {"role": "data", "number": "253:1", "ranges": f"0+{100 * GB >> 10:x}"},
        "/log/redo1": {"role": "log", "number": "94:5", "ranges": "100000+100000"},
    }
    return {
        MACHINE: {"machine": {
            "architecture": "s390x", "environment": "lpar", "kernel": "6.12.0-55.el10.s390x",
            "guest_name": GONE, "vm_cpus_configured": 2, "lpar_cpus_configured": 4,
        }},
        DEVICE: devices,
        DASD: {busid: {"storage": "2107-900", "lss": int(busid[4:6], 16) & 1, "cylinders": 30051,
                       "volser": f"AB{busid[4:].upper()}", "block_size": 4096, "blocks": 1,
                       "discipline": "ECKD"}
               for busid, row in devices.items() if row.get("alias") == 0},
        BLOCK: {disk: {"number": number, "block_size": 4096, "reads": 0, "writes": 0, "io_ms": 0}
                for number, row in layers.items() if row["sort"] == "disk" for disk in [row["name"]]},
        CHANNEL: {f"0.{chpid}": {"status": "online", "configure": 1, "type": 0x1B}
                  for chpid in ("40", "41", "50", "51")},
        LAYER: layers,
        MOUNT: {"30": {"number": "253:1", "root": "/", "point": "/db", "fstype": "xfs",
                       "source": "/dev/vg/data", "options": "rw", "line": "1"},
                "31": {"number": "94:5", "root": "/", "point": "/log", "fstype": "xfs",
                       "source": "/dev/dasdb1", "options": "rw", "line": "2"}},
        PATH: {f"8:{16 * at}": {"name": f"sd{'ab'[at]}", "map": "dm-0", "state": "active",
                                "device": "running", "adapter": f"0.0.fc{chpid}"}
               for at, chpid in enumerate(["50", "51"])},
        SWAP: {"/dev/dasdd1": {"sort": "partition", "size": GB, "used": 0}},
        CONTAINER: {path: {"database": "PROD", "tablespace": row["role"], "listed": "l:1", "real": path,
                           "mount": "30", "said": "", "size": 1, "declared": 1,
                           **dict.fromkeys(("unplaced", "unwritten", "shared", "encoded"), 0), **row}
                    for path, row in files.items()},
        MEMORY: {"memory": {"total": 16 * GB, "cached": 2 * GB, "swapped_in": 0, "swapped_out": 0}},
        CPU: {"0": dict.fromkeys(
            ("user", "nice", "system", "irq", "softirq", "steal", "iowait", "idle"), 0
        )},
        GUEST: {"LINDB01": {"page_wait": 0, "total": 0}},
        SETTING: {name: {"value": value} for name, value in {
            "vm.swappiness": "1", "hugepages/1024/total": 8192, "hugepages/1024/free": 200,
            "hugepages/1024/reserved": 150, "cmdline/hugepages": "8192", "cmdline/dasd": "autodetect",
            "transparent_hugepage": "madvise", "kexec_crash_loaded": "1", "kernel.panic_on_oops": "1",
            "on_panic": "stop", "cio_ignore": "0.0.0000-0.0.75ff 0.0.fd00", "fstab/dasd": 0,
            "capacity/adjustment": 100, "capacity/reason": 0, "programs": "multipathd zmon",
            "multipath.conf": "read", "multipath.conf/overrides/path_grouping_policy": "multibus",
            "qeth/0.0.f500/buffer_count": 128, "zfcp/datarouter": "Y",
            **{f"disk/{disk}/scheduler": "none"
               for disk in ("dasda", "dasdb", "dasdc", "dasdd", "sda", "sdb")},
            "disk/sda/state": "running", "disk/sdb/state": "running", "paths/253:0": "8:0=A 8:16=A",
            "fc/0.0.fc50/port_type": "NPIV VPORT", "fc/0.0.fc50/port_state": "Online",
            "rport/0:0-1/port_state": "Online",
        }.items()},
    }  # fmt: skip


IN_ONE_SECOND: Final[dict[Kind, dict[str, dict[str, int]]]] = {
    BLOCK: {
        **{disk: {"reads": 100, "writes": 50, "io_ms": 200} for disk in ("dasda", "dasdc", "sda", "sdb")},
        "dasdb": {"writes": 80, "io_ms": 90},
    },
    CPU: {"0": {"user": 3 * SECOND // 10, "idle": 7 * SECOND // 10}},
    GUEST: {"LINDB01": {"page_wait": 1, "total": 1000}},
}
"""What counters grow by."""


def copied(rows: Rows) -> Rows:
    """Return the same rows, to be changed."""
    return {kind: {key: dict(fields) for key, fields in keys.items()} for kind, keys in rows.items()}


def changed(rows: Rows, changes: dict[Kind, Any]) -> Rows:
    """Return rows with changes by kind, key and field; None takes away a kind or a row."""
    found = copied(rows)
    for kind, keys in changes.items():
        if keys is None:
            found.pop(kind, None)
            continue
        for key, fields in keys.items():
            if fields is None:
                del found[kind][key]
            elif isinstance(fields, dict):
                found[kind].setdefault(key, {}).update(fields)
            else:
                found[kind][key] = {"value": fields}  # a setting
    return found


def sample(rows: Rows, at: int) -> Sample:
    """Return a sample of rows."""
    frames = {kind.name: frame_of(kind, keys, at) for kind, keys in rows.items()}
    return Sample(Instant(at, at, "boot"), frames)


def given(
    changes: dict[Kind, Any] | None = None,
    load: dict[Kind, Any] | None = None,
    inputs: UserInputs = NO_INPUTS,
) -> CheckInput:
    """Return the good machine with changes, after a second of its load, which may be changed too."""
    before = changed(good(), changes or {})
    after = copied(before)
    for kind, keys in {**IN_ONE_SECOND, **(load or {})}.items():
        for key, fields in keys.items():
            for name, more in fields.items() if key in after.get(kind, {}) else ():
                after[kind][key][name] = after[kind][key].get(name, 0) + more
    interval = Interval(sample(before, SECOND), sample(after, 2 * SECOND))
    return CheckInput(Machine(interval.after, inputs), interval)


def result(name: str, *args: Any, **named: Any) -> CheckResult:
    """Return what one check finds on the good machine with changes."""
    (found,) = run_checks(given(*args, **named), [name])
    return found
