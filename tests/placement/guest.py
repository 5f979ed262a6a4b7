"""A guest of z/VM with a few disks and something of everything on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.placement.study import NO, filled
from tests.topology.layers import disk, layers, mapped, partition
from zmon.base.absent import absent
from zmon.kinds import CONTAINER, DASD, DEVICE, MACHINE, MOUNT, SWAP
from zmon.sample import Instant, Sample
from zmon.topology.claims import Claim, claims_frame
from zmon.topology.machine import Machine, UserInputs
from zmon.topology.site_file import parse_site

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Value

SECTORS = 1 << 20
"""Of each disk: 512 MiB."""
HALF = SECTORS // 2 - 192
MIB = 1 << 20

LAYERS = {
    "94:0": disk("dasda", SECTORS, busid="0.0.0201"),
    "94:1": partition("dasda1", "94:0", 192, HALF)
    | {"links": "disk/by-uuid/1A2B-ab disk/by-label/root\\x20fs disk/by-partuuid/00ff-01"},
    "94:2": partition("dasda2", "94:0", 192 + HALF, HALF),
    "94:4": disk("dasdb", SECTORS, busid="0.0.7201", links="disk/by-path/ccw-0.0.7201"),
    "94:5": partition("dasdb1", "94:4", 192, HALF * 2),
    "253:0": mapped(
        "vg-lv", f"0 {HALF} linear 94:2 0\n{HALF} {HALF} linear 94:5 0", 2 * HALF, "94:2 94:5"
    ),
    "94:8": disk("dasdc", SECTORS, busid="0.0.7202"),
    "94:9": partition("dasdc1", "94:8", 192, HALF),
    "94:12": disk("dasdd", SECTORS, busid="0.0.7203"),
    "8:0": disk("sda", SECTORS, wwpn="0x500507630503c1ae", lun="0x4010402300000000")
    | {"links": "disk/by-id/wwn-1"},
    "8:16": disk("sdb", SECTORS, wwpn="0x500507630508c1ae", lun="0x4010402300000000"),
    "253:1": mapped(
        "mpatha",
        f"0 {SECTORS} multipath 0 0 1 1 service-time 0 2 2 8:0 1 1 8:16 1 1",
        SECTORS,
        "8:0 8:16",
        uuid="mpath-36005076305ffc1ae0000000000001023",
    )
    | {"links": "disk/by-id/wwn-1"},
    "252:0": disk("zram0", SECTORS),
    "259:1": disk("nvme0n1", SECTORS),
    "7:0": disk("loop0", SECTORS, sort="loop", file="/var/image"),
}  # fmt: skip

POINTS = {
    "1": ("94:1", "/", "ext4"),
    "2": ("253:0", "/db", "xfs"),
    "3": ("253:1", "/fcp", "ext4"),
    "4": ("0:40", "/pool", "btrfs"),
}

FILES = {
    "/db/a": ("253:0", "2", "0+100000", "TS1"),
    "/db/sub/b": ("253:0", "2", f"{HALF * 512:x}+100000", "TS1"),
    "/db/sub/c": ("253:0", "2", "200000+100000", ""),
    "/fcp/d": ("253:1", "3", "0+100000", "TS2"),
    "/var/e": ("94:1", "1", "0+100000", "TS3"),
}

CLAIMS = (
    Claim(vdev="0201", rdev="7201", volser="LX7201", via="QUERY VIRTUAL DASD", origin="cp.txt", line=1),
    Claim(vdev="7201", rdev="0500", volser="LX0500", via="QUERY VIRTUAL DASD", origin="cp.txt", line=2),
)

SITE = '[[lcu_by_number]]\nserial = "*"\nranges = { "7200-72FF" = "LCU 72", "0500-05FF" = "LCU 5" }\n'


def machine(files: Mapping[str, tuple[str, str, str, str]] = FILES) -> Machine:
    """Return the guest."""
    mounts: dict[str, Mapping[str, Value]] = {
        key: {"number": number, "root": "/", "point": point, "fstype": fstype, "source": f"/dev/{key}",
              "options": "rw", "line": int(key), "namespaces": "0"}
        for key, (number, point, fstype) in POINTS.items()
    }  # fmt: skip
    mounts["4"] = {**mounts["4"], "devices": "1=94:4 2=252:0", "chunks": absent("run as root: chunks")}
    containers: dict[str, Mapping[str, Value]] = {
        path: {
            "number": number, "mount": mount, "ranges": ranges, "real": path, "size": MIB, "declared": MIB,
            "said": "FS_IOC_FIEMAP: 1 extents", "unplaced": 0, "unwritten": 0, "shared": 0, "encoded": 0,
            "role": "data", "listed": "prod.ddl:1",
            "database": "PROD" if space else NO, "tablespace": space or NO,
        }
        for path, (number, mount, ranges, space) in files.items()
    }  # fmt: skip
    busids = [str(row["busid"]) for row in LAYERS.values() if "busid" in row]
    frames = [
        filled(MACHINE, {"machine": {"environment": "zvm", "guest_name": "LINDB01"}}, 0),
        layers(LAYERS),
        filled(DEVICE, {busid: {"chpids": "40 41"} for busid in busids}, 0),
        filled(DASD, {busid: {"discipline": "ECKD"} for busid in busids}, 0),
        filled(MOUNT, mounts, 0),
        filled(SWAP, {"/dev/dasdc1": {"sort": "partition"}, "/var/swap": {"sort": "file"}}, 0),
        filled(CONTAINER, containers, 0),
        claims_frame(CLAIMS, 0),
    ]
    sample = Sample(Instant(0, 0, "boot"), {frame.kind.name: frame for frame in frames}, "made by hand")
    return Machine(sample, UserInputs(parse_site(SITE, "site.toml")))
