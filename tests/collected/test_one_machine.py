"""Several texts of one machine tell more than each of them, never less."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from tests.collected.texts import text
from zmon.collected.collection import sample_of_pass
from zmon.kernel.capture_tree import ArchivedTree
from zmon.placement.word_lookup import MeaningKind, WordMeaning, find, find_by_name, meanings
from zmon.topology.claims import Grade
from zmon.topology.machine import Machine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.topology.volumes import Volume

NAMES = "abcdefg"
"""The DASDs: a has / and /boot, b swap, c and d a volume group, e a minidisk with /m, f swap, g nothing."""
SERIAL = "IBM.750000000ABCD1"
MINIDISK = ".00000000000012340000000000000000"
UIDS = {
    name: f"{SERIAL}.7{number}00.0{number}{MINIDISK * (name == 'e')}" for number, name in enumerate(NAMES)
}
PARTS = {"a": 2, "b": 1, "c": 1, "d": 1, "e": 1, "f": 0, "g": 0}


def _number(name: str, part: int = 0) -> int:
    return 4 * NAMES.index(name) + part


def _lsblk() -> str:
    points = {"a1": "/boot", "a2": "/", "b1": "[SWAP]", "e1": "/m", "f": "[SWAP]"}
    lines = ["NAME          MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT"]
    for name in NAMES:
        lines.append(f"dasd{name}         94:{_number(name):<3}  0    1G  0 disk {points.get(name, '')}")
        for part in range(1, PARTS[name] + 1):
            point = points.get(f"{name}{part}", "")
            lines.append(f"└─dasd{name}{part}      94:{_number(name, part):<3}  0    1G  0 part {point}")
            if name in "cd":
                lines.append("  └─vg-data   253:0    0    2G  0 lvm  /data")
    return "\n".join((*lines, ""))


def _json() -> str:
    points = {"a1": "/boot", "a2": "/", "b1": "[SWAP]", "e1": "/m", "f": "[SWAP]"}
    lv = '{"name": "vg-data", "maj:min": "253:0", "type": "lvm", "mountpoints": ["/data"]}'

    def device(name: str, number: int, sort: str, below: str) -> str:
        point = f'"{points[name]}"' if name in points else "null"
        return (
            f'{{"name": "dasd{name}", "maj:min": "94:{number}", "type": "{sort}", "mountpoints": [{point}],'
            f' "children": [{below}]}}'
        )

    disks = (
        device(name, _number(name), "disk", ", ".join(
            device(f"{name}{part}", _number(name, part), "part", lv * (name in "cd"))
            for part in range(1, PARTS[name] + 1)
        ))
        for name in NAMES
    )  # fmt: skip
    return f'{{"blockdevices": [{", ".join(disks)}]}}\n'


def _udevadm() -> str:
    records = []
    for name in NAMES:
        busid = f"0.0.020{NAMES.index(name)}"
        path = f"/devices/css0/0.0.000{NAMES.index(name)}/{busid}/block/dasd{name}"
        uid = UIDS[name].removesuffix(MINIDISK)
        records.append(
            f"P: {path}\nN: dasd{name}\nE: DEVTYPE=disk\nE: ID_UID={uid}\nE: ID_SERIAL=0X020{_number(name)}\n"
            f"E: MAJOR=94\nE: MINOR={_number(name)}\nE: SUBSYSTEM=block\n"
        )
        records.extend(
            f"P: {path}/dasd{name}{part}\nN: dasd{name}{part}\nE: DEVTYPE=partition\n"
            f"E: ID_PART_ENTRY_OFFSET={192 * part}\nE: ID_PART_ENTRY_SIZE=1001\n"
            f"E: MAJOR=94\nE: MINOR={_number(name, part)}\nE: SUBSYSTEM=block\n"
            for part in range(1, PARTS[name] + 1)
        )
    records.append(
        "P: /devices/virtual/block/dm-0\nN: dm-0\nE: DEVTYPE=disk\nE: DM_NAME=vg-data\nE: DM_UUID=LVM-abc\n"
        "E: MAJOR=253\nE: MINOR=0\nE: SUBSYSTEM=block\n"
    )
    return "\n".join(records)


def _partitions() -> str:
    lines = ["major minor  #blocks  name", ""]
    for name in NAMES:
        lines.append(f"  94 {_number(name):>8}    2404080 dasd{name}")
        lines.extend(
            f"  94 {_number(name, part):>8}        500 dasd{name}{part}" for part in range(1, PARTS[name] + 1)
        )
    return "\n".join((*lines, " 253        0       2000 dm-0", ""))


TEXTS = {
    "lsdasd": "".join(
        f"0.0.020{NAMES.index(name)}  active  dasd{name}  94:{_number(name)}  ECKD  4096  2347MB  601020\n"
        for name in NAMES
    ),
    "lsdasd -u": "".join(f"0.0.020{NAMES.index(name)}  dasd{name}  {UIDS[name]}\n" for name in NAMES),
    "lsblk": _lsblk(),
    "lsblk -J": _json(),
    "udevadm info -e": _udevadm(),
    "findmnt": "TARGET SOURCE FSTYPE OPTIONS\n/ /dev/dasda2 ext4 rw\n├─/boot /dev/dasda1 ext4 rw\n"
    "├─/data /dev/mapper/vg-data xfs rw\n└─/m /dev/dasde1 xfs rw\n",
    "proc/partitions": _partitions(),
    "pvs": "  PV          VG Fmt  Attr PSize PFree\n"
    "  /dev/dasdc1 vg lvm2 a--  1.00g 0\n  /dev/dasdd1 vg lvm2 a--  1.00g 0\n",
    "lvs": "  LV   VG Attr       LSize\n  data vg -wi-ao---- 2.00g\n",
    "swapon -s": "Filename Type Size Used Priority\n/dev/dasdb1 partition 500 0 -2\n"
    "/dev/dasdf partition 500 0 -3\n",
    "dmsetup table": "vg-data: 0 2000 linear 94:9 128\nvg-data: 2000 2000 linear 94:13 128\n",
}  # fmt: skip
PATHS = ("/boot/x", "/data/x", "/m/x", "/x")


USED: Final = {f"dasd{name}" for name in "abcdef"}


class Answer(NamedTuple):
    """What zmon says of a disk or of a path."""

    grade: Grade
    lcus: frozenset[str]
    """Of those that are not known none is here."""
    uses: frozenset[str] = frozenset()
    looks_free: bool = False
    """Whether it says that all was looked at, and no use is there."""


@cache
def answers(names: frozenset[str]) -> dict[str, Answer]:
    """Return what zmon says of each disk and path, given some of the texts."""
    texts = [
        text(content, *(("", name) if name.startswith("proc/") else (name, "")))._replace(
            origin=f"{name}.txt"
        )
        for name, content in TEXTS.items()
        if name in names
    ]
    machine = Machine(sample_of_pass(ArchivedTree("made up", "", {}, texts), "made up"))
    said = {}
    for name in NAMES:
        for meaning in meanings(f"dasd{name}", machine):
            result = find(meaning, machine)
            uses = {mount.point or "swap" for mount in result.mounts}
            built = {*result.devices} - {f"dasd{name}{part}" for part in (1, 2)}
            looks_free = not uses and not built and not result.unseen
            said[f"dasd{name}"] = Answer(*_lcus(result.volumes), frozenset(uses), looks_free)
    for path in PATHS:
        located = find_by_name(WordMeaning(path, MeaningKind.FILE, path), machine).locations[0]
        said[path] = Answer(located.grade, _lcus([share.volume for share in located.disks])[1])
    return said


def _lcus(volumes: Sequence[Volume]) -> tuple[Grade, frozenset[str]]:
    known = [volume for volume in volumes if isinstance(volume.lcu, str)]
    grade = min((volume.grade for volume in known), default=Grade.UNKNOWN)
    return grade, frozenset(str(volume.lcu) for volume in known)


def _sets() -> set[frozenset[str]]:
    """Return sets of few texts, and of all but few."""
    few = {frozenset(names) for count in range(3) for names in combinations(TEXTS, count)}
    return few | {frozenset(TEXTS) - names for names in few}


@pytest.mark.parametrize("more", TEXTS)
def test_no_answer_becomes_less_certain_by_one_text_more(more: str) -> None:
    """No grade falls, and no use and no LCU of a disk is lost, whichever text comes to whichever others."""
    worse = []
    for names in _sets():
        after = answers(names | {more})
        for thing, before in answers(names).items():
            now = after[thing]
            if now.grade < before.grade or not before.lcus <= now.lcus or not before.uses <= now.uses:
                worse.append((sorted(names), thing, before, now))
    assert worse == []


def test_no_disk_in_use_looks_free() -> None:
    """Whichever texts are there: a use is found, or what was not looked at is named."""
    free = {
        (names, disk)
        for names in _sets()
        for disk, answer in answers(names).items()
        if answer.looks_free and disk in USED
    }
    assert free == set()


def test_all_texts_together_tell_every_use() -> None:
    """Each is known from at least one of them."""
    said = answers(frozenset(TEXTS))
    assert {disk: {*answer.uses} for disk, answer in said.items() if disk.startswith("dasd")} == {
        "dasda": {"/", "/boot"}, "dasdb": {"swap"}, "dasdc": {"/data"}, "dasdd": {"/data"}, "dasde": {"/m"},
        "dasdf": {"swap"}, "dasdg": set(),
    }  # fmt: skip
    assert all(answer.grade > Grade.UNKNOWN for answer in said.values())
