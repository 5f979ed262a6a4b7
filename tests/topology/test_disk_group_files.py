from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.topology.layers import disk, layers, mapped, partition
from zmon.base.absent import Absent, absent
from zmon.kinds import CONTAINER, LAYER
from zmon.sample import Instant, Sample, frame_of
from zmon.topology.claims import Evidence, Grade
from zmon.topology.data_files import NO_DEVICE, DiskGroupFile, DiskGroupPart
from zmon.topology.location import ONE_OF_SEVERAL
from zmon.topology.machine import Machine, UserInputs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Number, Value
    from zmon.topology.location import FileLocation

MIB = 1 << 20
NO = absent("not in this test")
LABEL = absent("it is a label")

LAYERS = layers({
    "94:0": disk("dasda", 2_000_000),
    "94:1": partition("dasda1", "94:0", 192, 1_000_000),
    "94:4": disk("dasdb", 2_000_000),
    "94:5": partition("dasdb1", "94:4", 192, 1_000_000),
    "253:0": mapped("vg-st", "0 999936 striped 2 128 94:0 0 94:4 0", 999_936, "94:0 94:4"),
    "253:1": mapped("mpatha", "0 1000000 multipath 0 0 1 1 round-robin 0 2 1 8:0 1 8:16 1", 1_000_000,
                    "8:0 8:16", uuid="mpath-36005"),
    "253:2": mapped("mpatha1", "0 900000 linear 253:1 2048", 900_000, "253:1"),
    "8:0": disk("sda", 1_000_000),
    "8:16": disk("sdb", 1_000_000),
})  # fmt: skip


def part(device: str, data: Number, copies: Number = 0) -> DiskGroupPart:
    """Return what of a file lies on a device that is to be found."""
    return DiskGroupPart(device, data, copies, LABEL)


def spread(*parts: DiskGroupPart, size: Number = 10 * MIB, **more: object) -> DiskGroupFile:
    """Return a file of a disk group."""
    known = {
        "path": "+DATA/s/ts.260.1", "database": "S", "tablespace": "TS", "role": "data", "listed": "x.csv:2",
        "declared": size, "over": "+DATA", "what": "ASM", "devices": tuple(each.device for each in parts),
        "parts": parts, "unplaced": 0, "grade": Grade.EXACT, "evidence": (Evidence("x.csv", "X$KFFXP"),),
    }  # fmt: skip
    return DiskGroupFile(**(known | more))  # type: ignore[arg-type]  # they are as declared


def machine(*scattered: DiskGroupFile, rows: Mapping[str, Mapping[str, Value]] | None = None) -> Machine:
    """Return a machine on which people list files of disk groups."""
    known = {
        path: dict.fromkeys((field.name for field in CONTAINER.fields), NO) | dict(row)
        for path, row in (rows or {}).items()
    }
    frames = {LAYER.name: LAYERS, CONTAINER.name: frame_of(CONTAINER, known, 1)}
    return Machine(Sample(Instant(0, 0, ""), frames), UserInputs(in_disk_groups=scattered))


def ask(*parts: DiskGroupPart, size: Number = 10 * MIB, **more: object) -> FileLocation:
    """Follow a file of a disk group down."""
    return machine(spread(*parts, size=size, **more)).locations["+DATA/s/ts.260.1"]


def placed(answer: FileLocation) -> dict[str, tuple[object, object]]:
    """Return the bytes and the copies on each disk."""
    return {share.volume.number: (share.bytes, share.copies) for share in answer.disks}


def test_lies_on_the_disks_of_its_devices() -> None:
    """As many bytes as on each device, copies apart; wherever on a partition, they are on its disk."""
    found = ask(part("/dev/dasda1", 8 * MIB, 2 * MIB), part("/dev/dasdb1", 2 * MIB, 8 * MIB))
    assert placed(found) == {"94:0": (8 * MIB, 2 * MIB), "94:4": (2 * MIB, 8 * MIB)}
    assert (found.grade, found.mapped, found.unplaced) == (Grade.EXACT, 10 * MIB, 0)


def test_the_way_begins_at_the_disk_group() -> None:
    """Below it are the devices, and what these are made of."""
    found = ask(part("/dev/dasda1", MIB))
    assert [(step.depth, step.title) for step in found.steps] == [(0, "+DATA"), (1, "dasda1"), (2, "dasda")]


def test_tells_the_evidence_of_both() -> None:
    """Of the disk group, and of the devices that it uses."""
    found = ask(part("/dev/dasda1", MIB))
    assert [each.source for each in found.evidence] == ["x.csv", "/sys/dev/block/94:1/start"]


def test_on_several_disks_a_device_has_shares() -> None:
    """Nobody tells which of its bytes are the file's."""
    found = ask(part("/dev/vg/st", 4 * MIB))
    assert (placed(found), found.grade) == ({"94:0": (2 * MIB, 0), "94:4": (2 * MIB, 0)}, Grade.SHARES)


def test_is_as_sure_as_the_worse_of_both() -> None:
    """What the disk group assumes, no device makes better; it is said."""
    said = Evidence("x.csv", "taken as even", Grade.ASSUMED)
    found = ask(part("/dev/vg/st", 4 * MIB), grade=Grade.ASSUMED, evidence=(said,))
    assert (found.grade, found.notes) == (Grade.ASSUMED, ("taken as even",))


@pytest.mark.parametrize("device", ["/dev/dasda1", "/dev/block/94:1", "/dev/oracleasm/disks/A"])
def test_the_kernel_tells_the_number_of_a_device(device: str) -> None:
    """What was looked at counts before what a name means."""
    rows: dict[str, dict[str, Value]] = {device: {"number": "94:4"}}
    found = machine(spread(part(device, MIB)), rows=rows).locations["+DATA/s/ts.260.1"]
    assert list(placed(found)) == ["94:4"]


@pytest.mark.parametrize(
    ("device", "number"),
    [
        ("/dev/dasda1", "94:0"),
        ("/dev/block/94:5", "94:4"),
        ("/dev/mapper/mpatha", "8:0"),
        ("/dev/mapper/mpatha1", "8:0"),
    ],
)
def test_else_its_name_tells_it(device: str, number: str) -> None:
    """In a capture nobody can be asked; the disk of a multipath device is the first path to it."""
    assert list(placed(ask(part(device, MIB)))) == [number]


def test_a_name_may_help_where_the_kernel_finds_nothing() -> None:
    """The node is missing, as in a container, but the device is not."""
    rows: dict[str, dict[str, Value]] = {"/dev/dasda1": {"number": absent("it does not exist")}}
    found = machine(spread(part("/dev/dasda1", MIB)), rows=rows).locations["+DATA/s/ts.260.1"]
    assert list(placed(found)) == ["94:0"]


def test_a_missing_device_takes_its_bytes_along() -> None:
    """The others stay; it is said what is missing."""
    found = ask(part("/dev/dasda1", 8 * MIB), part("/dev/gone", 2 * MIB))
    assert (placed(found), found.unplaced, found.grade) == (
        {"94:0": (8 * MIB, 0)},
        2 * MIB,
        Grade.UNKNOWN,
    )
    assert found.lacking[0] == f"/dev/gone: {NO_DEVICE.reason}"


def test_a_missing_device_that_was_looked_for_has_its_own_reason() -> None:
    """The kernel said it."""
    rows: dict[str, dict[str, Value]] = {"/dev/gone": {"number": absent("it does not exist")}}
    found = machine(spread(part("/dev/gone", MIB)), rows=rows).locations["+DATA/s/ts.260.1"]
    assert found.real == absent("/dev/gone: it does not exist")


def test_a_label_that_nobody_resolves_says_so() -> None:
    """No device is guessed."""
    found = ask(part("AFD:94:0", MIB))
    assert (found.disks, found.lacking) == ((), ("AFD:94:0: it is a label",))


def test_disks_that_are_not_listed_hold_bytes_too() -> None:
    """They have no place."""
    untold = Evidence("x.csv", "2 units are elsewhere", Grade.UNKNOWN)
    found = ask(part("/dev/dasda1", 8 * MIB), unplaced=2 * MIB, evidence=(untold,))
    assert (found.unplaced, found.grade, found.lacking[0]) == (
        2 * MIB,
        Grade.UNKNOWN,
        "2 units are elsewhere",
    )


def test_of_unknown_size_it_is_somewhere_on_the_disks() -> None:
    """Absent is not zero."""
    unknown = absent("get DBA_DATA_FILES")
    found = ask(part("/dev/dasda1", unknown, unknown), part("/dev/dasdb1", unknown, unknown), size=unknown)
    assert placed(found) == dict.fromkeys(("94:0", "94:4"), (ONE_OF_SEVERAL, ONE_OF_SEVERAL))
    assert (found.grade, found.lacking[0]) == (Grade.SET, "get DBA_DATA_FILES")


def test_copies_that_nobody_counts_are_absent() -> None:
    """In a group of flexible redundancy each file has its own."""
    unknown = absent("get TYPE")
    found = ask(part("/dev/dasda1", MIB, unknown))
    assert (placed(found), found.lacking[0]) == ({"94:0": (MIB, unknown)}, "get TYPE")


def test_its_size_is_what_its_parts_come_to_if_nobody_says_it() -> None:
    """The extent map has all of it."""
    known = machine(spread(part("/dev/dasda1", 3), part("/dev/dasdb1", 4), size=NO, unplaced=5))
    assert known.files[0].size == 12


def test_without_parts_it_lies_nowhere() -> None:
    """The reason stands where its place would be."""
    untold = Evidence("x.csv", "no disks of +DATA", Grade.UNKNOWN)
    found = ask(grade=Grade.UNKNOWN, evidence=(untold,))
    assert (found.real, found.disks, found.size) == (absent("no disks of +DATA"), (), 10 * MIB)


def test_its_devices_are_no_files_beside_it() -> None:
    """Their bytes would count twice, on those that hold nothing of it too."""
    rows: dict[str, dict[str, Value]] = {
        "/dev/dasda1": {"number": "94:1", "tablespace": "+DATA"},
        "/dev/dasdb1": {"number": "94:5"},
        "/dev/vg/st": {"number": "253:0", "tablespace": "+FRA"},
    }
    one = spread(part("/dev/dasda1", MIB), devices=("/dev/dasda1", "/dev/dasdb1"))
    assert [file.path for file in machine(one, rows=rows).files] == ["/dev/vg/st", "+DATA/s/ts.260.1"]


def test_a_device_that_is_listed_for_a_tablespace_stays() -> None:
    """Nothing that a person lists is missing from an answer, though it contradicts."""
    rows: dict[str, dict[str, Value]] = {"/dev/dasda1": {"number": "94:1", "tablespace": "RAW"}}
    assert len(machine(spread(part("/dev/dasda1", MIB)), rows=rows).files) == 2


def test_without_any_the_devices_are_what_is_listed() -> None:
    """A disk group alone can be looked at."""
    rows: dict[str, dict[str, Value]] = {"/dev/dasda1": {"number": "94:1", "tablespace": "+DATA"}}
    (file,) = machine(rows=rows).files
    assert not isinstance(file.number, Absent)
