"""The case study: an LPAR with one volume on each of eight LCUs, and tablespaces crowded on two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.base.absent import absent
from zmon.kinds import BLOCK, CONTAINER, DASD, DEVICE, LAYER, MACHINE, MOUNT
from zmon.placement.items import Placement, UnitKind, placement_of
from zmon.placement.traffic import attribution, volumes_traffic
from zmon.sample import Instant, Sample, frame_of
from zmon.topology.machine import NO_INPUTS, Machine, UserInputs
from zmon.topology.site_file import parse_site

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.interval import Interval
    from zmon.sample import Frame, Kind
    from zmon.topology.site import Site

NO = absent("not in this test")
MIB = 1 << 20
SECOND = 1_000_000_000
TRACK = 192

SITE_FILE = """
[[lcu_by_number]]
serial = "*"
pattern = "7nXX"

[capacity]
lcu = 40

[[channels]]
name = "even"
lcus = ["LCU 0", "LCU 2", "LCU 4", "LCU 6"]
mb_s = 72

[[channels]]
name = "odd"
lcus = ["LCU 1", "LCU 3", "LCU 5", "LCU 7"]
mb_s = 72
"""


def site() -> Site:
    """Return what the site knows."""
    return parse_site(SITE_FILE, "site.toml")


FILES = [
    (f"/db/{space.lower()}.{number}", space, mib, int(lcu))
    for space, mib, lcus in (("T1", 6, "6666"), ("T2", 5, "6666"), ("T3", 4, "6615"), ("T4", 3, "2222"))
    for number, lcu in enumerate(lcus)
]
"""Path, tablespace, MiB and LCU of each file."""


def filled(kind: Kind, rows: Mapping[str, Mapping[str, Value]], when: int) -> Frame:
    """Return a frame; what a row does not say is absent."""
    names = [field.name for field in kind.fields]
    return frame_of(
        kind, {key: {name: row.get(name, NO) for name in names} for key, row in rows.items()}, when
    )


def sample(
    files: Sequence[tuple[str, str, int, int]] = FILES,
    sectors: Mapping[int, int] | None = None,
    when: int = 0,
    roles: Mapping[str, str] | None = None,
    others: Sequence[int] = (),
) -> Sample:
    """Return a sample; a volume without a file is unused.

    `sectors` are those read from the volume of each LCU since the machine was started; `others` the LCUs on
    which other file systems lie.
    """
    layers: dict[str, Mapping[str, Value]] = {}
    devices: dict[str, Mapping[str, Value]] = {}
    mounts: dict[str, Mapping[str, Value]] = {}
    blocks: dict[str, Mapping[str, Value]] = {}
    for lcu in range(8):
        disk, busid = f"dasd{chr(97 + lcu)}", f"0.0.7{lcu}00"
        number, part = f"94:{4 * lcu}", f"94:{4 * lcu + 1}"
        size = 100 * MIB // 512
        layers[number] = {"name": disk, "sort": "disk", "busid": busid, "start": 0, "size": size}
        layers[part] = {
            "name": f"{disk}1", "sort": "partition", "parent": number, "start": TRACK, "size": size - TRACK
        }  # fmt: skip
        devices[busid] = {"uid": f"IBM.75000000092461.{0x2480 + lcu:04x}.00", "block": disk, "online": 1}
        mounts[str(30 + lcu)] = {
            "number": part, "root": "/", "point": f"/v{lcu}", "fstype": "ext4", "source": f"/dev/{disk}1",
            "options": "rw",
        }  # fmt: skip
        blocks[disk] = {"number": number, "busid": busid, "sectors_read": (sectors or {}).get(lcu, 0),
                        "sectors_written": 0}  # fmt: skip
    containers: dict[str, Mapping[str, Value]] = {}
    at = dict.fromkeys(range(8), 0)
    for empty in {*range(8)} - {lcu for *_, lcu in files} - {*others}:
        del mounts[str(30 + empty)]
    for path, space, mib, lcu in files:
        containers[path] = {
            "database": "PROD", "tablespace": space, "role": (roles or {}).get(path, "data"),
            "listed": "prod.ddl:1", "real": path, "number": f"94:{4 * lcu + 1}", "mount": str(30 + lcu),
            "ranges": f"{at[lcu] * MIB:x}+{mib * MIB:x}", "said": "FS_IOC_FIEMAP: 1 extents",
            "size": mib * MIB,
            "unplaced": 0, "unwritten": 0, "shared": 0, "encoded": 0,
        }  # fmt: skip
        at[lcu] += mib
    kinds: dict[Kind, Mapping[str, Mapping[str, Value]]]
    kinds = {MACHINE: {"machine": {"environment": "lpar"}}, LAYER: layers, DEVICE: devices, MOUNT: mounts,
             CONTAINER: containers, BLOCK: blocks, DASD: {busid: {} for busid in devices}}  # fmt: skip
    frames = {kind.name: filled(kind, rows, when) for kind, rows in kinds.items()}
    return Sample(Instant(when, when, "boot"), frames, "made by hand")


def with_traffic(
    interval: Interval, inputs: UserInputs = NO_INPUTS, by: UnitKind = UnitKind.LCU
) -> Placement:
    """Return the placement at the end of an interval, with the traffic in it."""
    machine = Machine(interval.after, inputs)
    return placement_of(machine, by=by, traffic=attribution(machine, volumes_traffic(machine, interval)))
