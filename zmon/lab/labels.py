"""What stays the same while a scenario runs: the machine, devices, disks, file systems, files and claims."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final

from zmon.absent import absent
from zmon.kinds import (
    CHANNEL,
    CLAIM,
    CONTAINER,
    DASD,
    DEVICE,
    LAYER,
    LPAR,
    LPAR_CPU,
    MACHINE,
    MEMORY,
    MOUNT,
    PHYSICAL_CPU,
    SWAP,
)
from zmon.sample import Frame, empty_frame
from zmon.topology.claims import Claim, claims_frame

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from zmon.absent import Value
    from zmon.lab.plan import Plan
    from zmon.sample import Kind

TRACKS: Final = 15
TRACK: Final = 12 * 4096
MAJOR: Final = 94
MINORS: Final = 4
PARTITION: Final = "LAB"
"""Name of the logical partition."""

NO_SUCH: Final = absent("the laboratory has none")
NOT_MEASURED: Final = absent("channel load is measured in an LPAR only")
NOT_SIMULATED: Final = absent("the laboratory does not simulate it")


def disk_name(place: int) -> str:
    """Return what the kernel calls its DASD number `place`: dasda ... dasdz, dasdaa ..."""
    letters = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return f"dasd{letters}"


def size_of(cylinders: int) -> int:
    """Return the bytes that a 3390 with so many cylinders holds in blocks of 4 KiB."""
    return cylinders * TRACKS * TRACK


def numbers(plan: Plan) -> list[int]:
    """Return the device numbers: of the volumes, of their aliases, of those in pools."""
    found = [volume.devno for volume in plan.box.volumes]
    taken = set(found)
    for volume in plan.box.volumes:
        found += _free(volume.devno, volume.pav, taken)
    for place, lcu in enumerate(plan.box.lcus):
        first = next((volume.devno for volume in plan.box.volumes if volume.lcu == place), 0xF000)
        found += _free(first, lcu.aliases, taken)
    return found


def _free(near: int, wanted: int, taken: set[int]) -> list[int]:
    """Return numbers that nobody has, from the end of the LCU's hundred downwards."""
    ahead = (number & 0xFFFF for number in count((near & 0xFF00) | 0xFF, -1))
    found: list[int] = []
    while len(found) < wanted:
        number = next(ahead)
        if number not in taken:
            taken.add(number)
            found.append(number)
    return found


def _owners(plan: Plan) -> list[tuple[int, int | None]]:
    """Return for each device its control unit, and the volume that it belongs to; None in a pool."""
    volumes = plan.box.volumes
    owners: list[tuple[int, int | None]] = [(volume.lcu, place) for place, volume in enumerate(volumes)]
    for place, volume in enumerate(volumes):
        owners += [(volume.lcu, place)] * volume.pav
    for place, lcu in enumerate(plan.box.lcus):
        owners += [(place, None)] * lcu.aliases
    return owners


def frames(plan: Plan, busids: Sequence[str], names: Sequence[str]) -> Iterable[Frame]:
    """Yield the frames that are the same in every sample."""
    when = plan.begin * 1_000_000_000
    yield _machine(plan, when)
    yield _device_frame(plan, busids, names, when)
    disks = len(names)
    keys = list(busids[:disks])
    yield _frame(
        DASD,
        keys,
        {
            "name": list(names),
            "discipline": ["ECKD"] * disks,
            "state": ["active"] * disks,
            "readonly": [0] * disks,
            "block_size": [4096] * disks,
            "blocks": [size_of(volume.cylinders) // 4096 for volume in plan.box.volumes],
            "megabytes": [size_of(volume.cylinders) >> 20 for volume in plan.box.volumes],
            "volser": [f"0X{busid[-4:].upper()}" for busid in keys],
            "cylinders": [volume.cylinders for volume in plan.box.volumes],
        },
        when,
    )
    yield _frame(
        MEMORY,
        ["memory"],
        {"total": [4 << 30], "available": [2 << 30], "free": [1 << 30], "buffers": [64 << 20],
         "cached": [1 << 30], "swap_total": [0], "swap_free": [0], "swapped_in": [0], "swapped_out": [0]},
        when,
    )  # fmt: skip
    yield from _files(plan, names, when)
    yield _claims(plan, busids, when)
    if plan.environment == "lpar":
        yield _frame(LPAR, [PARTITION], {"number": ["1"], "cpus": [plan.box.cpus], "own": [1]}, when)
        yield empty_frame(PHYSICAL_CPU, NOT_SIMULATED.reason)
    else:
        missing = "needs an LPAR: a guest does not see the partitions of its machine"
        yield from (empty_frame(kind, missing) for kind in (LPAR, LPAR_CPU, PHYSICAL_CPU))
        yield _paths(plan, when)


def _paths(plan: Plan, when: int) -> Frame:
    """Return the channel paths as a guest sees them: what they are, and nothing of their load."""
    chpids = {chpid: group for group in plan.box.paths for chpid in group.chpids}
    columns: dict[str, list[Value]] = {field.name: [NOT_MEASURED] * len(chpids) for field in CHANNEL.fields}
    columns |= {
        "type": [group.code for group in chpids.values()],
        "status": ["online"] * len(chpids),
        "configure": [1] * len(chpids),
        "shared": [1] * len(chpids),
    }
    return Frame(CHANNEL, [f"0.{chpid}" for chpid in chpids], columns, [when] * len(chpids))


def _frame(kind: Kind, keys: list[str], columns: Mapping[str, Sequence[Value]], when: int) -> Frame:
    """Return a frame; what the laboratory does not have is absent."""
    none: list[Value] = [NOT_SIMULATED] * len(keys)
    given = {name: list(values) for name, values in columns.items()}
    return Frame(
        kind, keys, {field.name: given.get(field.name, none) for field in kind.fields}, [when] * len(keys)
    )


def _machine(plan: Plan, when: int) -> Frame:
    guest = plan.environment == "zvm"
    row: dict[str, Sequence[Value]] = {
        "manufacturer": ["LAB"],
        "type": ["0000"],
        "model": ["SIMULATED"],
        "sequence": ["00000000000LAB01"],
        "environment": [plan.environment],
        "hostname": [plan.host],
        "kernel": ["simulated"],
        "architecture": ["s390x"],
        "lpar_name": [PARTITION],
        "lpar_number": [1],
        "cpus_total": [plan.box.cpus],
        "cpus_configured": [plan.box.cpus],
        "lpar_cpus": [plan.box.cpus],
        "lpar_cpus_configured": [plan.box.cpus],
    }
    if guest:
        row |= {"guest_name": ["LINDB01"], "control_program": ["z/VM 7.3.0"]}
    else:
        row |= {"cm_enable": [1]}
    return _frame(MACHINE, ["machine"], row, when)


def _device_frame(plan: Plan, busids: Sequence[str], names: Sequence[str], when: int) -> Frame:
    box = plan.box
    seats: dict[int, int] = {}
    units = []
    for volume in box.volumes:
        seats[volume.lcu] = seats.get(volume.lcu, -1) + 1
        units.append(seats[volume.lcu])
    uids, aliases, chpids, masks = [], [], [], []
    for place, (lcu, owner) in enumerate(_owners(plan)):
        unit = "xx" if owner is None else f"{units[owner] & 0xFF:02x}"
        uids.append(f"IBM.{box.serial}.{box.lcus[lcu].ssid.lower()}.{unit}")
        aliases.append(int(place >= len(names)))
        paths = box.paths[box.lcus[lcu].paths].chpids[:8]
        chpids.append(" ".join(paths))
        masks.append(0xFF00 >> len(paths) & 0xFF)
    total = len(busids)
    no_block = absent("an alias has no block device")
    columns: dict[str, Sequence[Value]] = {
        "subchannel": [f"0.0.{place:04x}" for place in range(total)],
        "chpids": chpids,
        **dict.fromkeys(("pim", "pam", "pom", "vpm"), masks),
        "driver": ["dasd-eckd"] * total,
        "status": ["online"] * total,
        "availability": ["good"] * total,
        "discipline": ["ECKD"] * total,
        "vendor": ["IBM"] * total,
        "block": [*names, *[no_block] * (total - len(names))],
        "devtype": ["3390/0a"] * total,
        "cutype": ["3990/e9"] * total,
        "uid": uids,
        "alias": aliases,
        **{name: [1] * total for name in ("online", "cmb_enable")},
        **{name: [0] * total for name in ("readonly", "hpf", "ese", "use_diag")},
    }
    return _frame(DEVICE, list(busids), columns, when)


def _files(plan: Plan, names: Sequence[str], when: int) -> Iterable[Frame]:
    """Yield what is mounted, what it lies on, and the files of tablespaces, which have a volume each."""
    layers: dict[str, dict[str, Value]] = {}
    mounts: dict[str, dict[str, Value]] = {}
    for place, (name, volume) in enumerate(zip(names, plan.box.volumes, strict=True)):
        whole, part = f"{MAJOR}:{place * MINORS}", f"{MAJOR}:{place * MINORS + 1}"
        size = size_of(volume.cylinders) // 512
        layers[whole] = {
            "name": name,
            "sort": "disk",
            "busid": f"0.0.{volume.devno:04x}",
            "size": size,
            "below": "",
        }
        layers[part] = {
            "name": f"{name}1", "sort": "partition", "parent": whole, "start": 192, "size": size - 192,
            "below": "",
        }  # fmt: skip
    for file in plan.places:
        number = f"{MAJOR}:{file.volume * MINORS + 1}"
        if number not in mounts:
            mounts[number] = {
                "number": number, "root": "/", "point": file.path.rpartition("/")[0] or "/", "fstype": "ext4",
                "source": f"/dev/{names[file.volume]}1", "options": "rw", "line": str(len(mounts) + 1),
            }  # fmt: skip
    ids = {number: str(place) for place, number in enumerate(mounts, 30)}
    yield _rows(LAYER, layers, when)
    yield _rows(
        MOUNT, {ids[number]: row for number, row in mounts.items()}, when, "the laboratory mounts nothing"
    )
    yield Frame(SWAP, [], {}, [])  # it swaps nowhere
    begins: dict[int, int] = {}
    files: dict[str, dict[str, Value]] = {}
    for file in plan.places:
        begin = begins.get(file.volume, 1 << 20)
        begins[file.volume] = begin + file.bytes
        number = f"{MAJOR}:{file.volume * MINORS + 1}"
        files[file.path] = {
            "database": file.database, "tablespace": file.tablespace, "role": file.role,
            "listed": f"lab:{plan.name}", "real": file.path, "number": number, "mount": ids[number],
            "ranges": f"{begin:x}+{file.bytes:x}" if file.bytes else "",
            "said": f"lab:{plan.name}: one extent",
            "size": file.bytes, "declared": file.bytes,
            **dict.fromkeys(("unplaced", "unwritten", "shared", "encoded"), 0),
        }  # fmt: skip
    yield _rows(CONTAINER, files, when, "the scenario has no tablespaces")


def _rows(kind: Kind, rows: Mapping[str, Mapping[str, Value]], when: int, missing: str = "") -> Frame:
    if not rows:
        return empty_frame(kind, missing)
    names = {name for row in rows.values() for name in row}
    return _frame(
        kind,
        list(rows),
        {name: [row.get(name, NO_SUCH) for row in rows.values()] for name in names},
        when,
    )


def _claims(plan: Plan, busids: Sequence[str], when: int) -> Frame:
    if not plan.rdevs:
        return empty_frame(CLAIM, "the simulated machine has no z/VM below it")
    return claims_frame(
        [
            Claim(
                vdev=busid[-4:].upper(), rdev=rdev, volser=label, mode="R/W", via="QUERY VIRTUAL DASD",
                origin=f"lab:{plan.name}", line=line, length=volume.cylinders,
            )
            for line, (busid, rdev, label, volume) in enumerate(
                zip(
                    busids, plan.rdevs, plan.labels or [""] * len(plan.rdevs), plan.box.volumes, strict=False
                ), 1
            )
        ],
        when,
    )  # fmt: skip
