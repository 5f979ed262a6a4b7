from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, absent
from zmon.kernel.dasd_ioctl import (
    NO_ANSWER,
    NO_NODE,
    NONE_ASKED,
    NONE_ONLINE,
    NOT_ECKD,
    parse_dasd_devices,
    parse_info2,
    parse_volser,
    read_dasd,
    read_identity,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.kernel.tree import Tree

FIXTURES = Path(__file__).parents[1] / "fixtures" / "devices"
DEVICES = (FIXTURES / "dasd-devices-hercules-6.12.txt").read_text(encoding="utf-8")
UDEV = (FIXTURES / "udev-b94-12-hercules-6.12.txt").read_text(encoding="utf-8")
OFFLINE = "0.0.7203(none)  at (???:??????) is ????????      : new"


def answer(name: str) -> bytes:
    """Read a fixture of hex text."""
    lines = (FIXTURES / f"{name}.hex").read_text(encoding="utf-8").splitlines()
    return bytes.fromhex("".join(lines[1:]))


INFO2 = answer("dasdd-BIODASDINFO2-hercules-6.12")


def test_a_captured_volume() -> None:
    """Everything on the line of 0.0.7000 is understood."""
    volume = next(volume for volume in parse_dasd_devices(DEVICES) if volume["busid"] == "0.0.7000")
    assert (volume["discipline"], volume["number"], volume["name"], volume["blocks"]) == (
        "ECKD",
        "94:12",
        "dasdd",
        200340,
    )


def test_the_trailing_blank_of_a_discipline_goes() -> None:
    """FBA is printed four wide."""
    assert parse_dasd_devices(DEVICES)[0]["discipline"] == "FBA"


def test_all_captured_volumes() -> None:
    """Every line is one volume."""
    assert len(parse_dasd_devices(DEVICES)) == 14


def test_a_device_without_a_block_device() -> None:
    """Question marks are no number and no name."""
    assert parse_dasd_devices(OFFLINE)[0]["name"] is NO_NODE


def test_a_device_without_a_discipline() -> None:
    """`none` is an absence."""
    assert isinstance(parse_dasd_devices(OFFLINE)[0]["discipline"], Absent)


def test_a_volume_for_reading_only() -> None:
    """(ro) before the colon makes it read-only."""
    line = "0.0.0191(ECKD) at ( 94:     4) is dasdb   (ro): active at blocksize: 4096, 180 blocks, 0 MB"
    assert parse_dasd_devices(line)[0]["readonly"]


@pytest.mark.parametrize(
    ("printed", "state"),
    [
        ("active n/f\t ", "active n/f"),
        ("unformatted", "unformatted"),
        ("no stat", "no stat"),
        ("basic (probeonly)", "basic"),
        ("", ""),
        ("active at blocksize: 4096, 1 blocks, 0 MB", "active"),
    ],
)
def test_states(printed: str, state: str) -> None:
    """The state stands after the colon, without what belongs to other fields."""
    line = f"0.0.7000(ECKD) at ( 94:    12) is dasdd       : {printed}"
    assert parse_dasd_devices(line)[0]["state"] == state


def test_an_unformatted_volume_has_no_size() -> None:
    """Blocks of a volume that is not formatted are absent."""
    line = "0.0.7000(ECKD) at ( 94:    12) is dasdd       : active n/f\t "
    assert isinstance(parse_dasd_devices(line)[0]["blocks"], Absent)


def test_another_line_is_shown() -> None:
    """What is not understood is in the message."""
    with pytest.raises(ValueError, match="'hello'"):
        parse_dasd_devices("hello")


def test_the_logical_subsystem() -> None:
    """LSS 70 (hex) is in the device's own descriptor."""
    assert parse_info2(INFO2)["lss"] == 0x70


def test_the_storage_server() -> None:
    """Type and model stand before it in EBCDIC; an emulator names the disk itself."""
    assert parse_info2(INFO2)["storage"] == "3390-002"


def test_a_storage_server_of_zeros_is_none() -> None:
    """What is no name is absent."""
    start = 120 + 4
    assert isinstance(parse_info2(INFO2[:start] + bytes(9) + INFO2[start + 9 :])["storage"], Absent)


@pytest.mark.parametrize(
    ("name", "cylinders"),
    [
        ("dasdd-BIODASDINFO2-hercules-6.12", 1113),
        ("dasdd-BIODASDINFO2-hyperion-6.12", 1113),
        ("dasdm-BIODASDINFO2-hercules-6.1", 200),
    ],
)
def test_cylinders(name: str, cylinders: int) -> None:
    """The count of an ECKD volume is the one it was made with; FBA has none."""
    assert parse_info2(answer(name))["cylinders"] == cylinders
    assert parse_info2(answer("dasda-BIODASDINFO2-hercules-6.12"))["cylinders"] is NOT_ECKD


def test_a_large_volume() -> None:
    """Where the halfword says 0xFFFE the word holds."""
    large = bytearray(INFO2)
    large[68:70] = b"\xff\xfe"
    large[116:120] = (262_668).to_bytes(4, "big")
    assert parse_info2(bytes(large))["cylinders"] == 262_668


def test_the_queue_of_the_base_device() -> None:
    """The word at 28 is what is queued now."""
    busy = INFO2[:28] + (3).to_bytes(4, "big") + INFO2[32:]
    assert parse_info2(busy)["channel_queue"] == 3


def test_without_configuration_data_no_subsystem() -> None:
    """A size of 0 says that nothing was read."""
    assert isinstance(parse_info2(INFO2[:52] + bytes(4) + INFO2[56:])["lss"], Absent)


def test_a_cut_answer() -> None:
    """Another length than 416 is rejected with what was found."""
    with pytest.raises(ValueError, match=r"\b416\b.*\b415\b"):
        parse_info2(INFO2[:-1])


def test_volser() -> None:
    """The volume serial is what dasdinfo told udev."""
    assert parse_volser(UDEV) == "0X7000"


def test_no_volser() -> None:
    """An entry without it has none."""
    assert parse_volser("E:ID_BUS=ccw\n") is None


def test_a_frame_of_volumes(make_tree: Callable[..., Tree]) -> None:
    """All three sources meet in one row."""
    tree = make_tree(
        {
            "proc/dasd/devices": DEVICES.encode(),
            "run/udev/data/b94:12": UDEV.encode(),
            "ioctl/dasdd/BIODASDINFO2.bin": INFO2,
        }
    )
    frame = read_dasd(tree)
    assert [frame.cell("0.0.7000", name) for name in ("volser", "lss", "cylinders")] == ["0X7000", 112, 1113]


def test_a_few_volumes_alone(make_tree: Callable[..., Tree]) -> None:
    """What identifies them is the same as in the frame of all, without the list of all."""
    files = {
        "run/udev/data/b94:12": UDEV.encode(),
        "ioctl/dasdd/BIODASDINFO2.bin": INFO2,
        "proc/dasd/devices": DEVICES.encode(),
    }
    tree = make_tree(files)
    alone, everything = read_identity(tree, {"0.0.7000": ("dasdd", "94:12")}), read_dasd(tree)
    names = ("name", "volser", "lss", "cylinders")
    assert [alone.cell("0.0.7000", name) for name in names] == [
        everything.cell("0.0.7000", name) for name in names
    ]


def test_no_volumes_alone(make_tree: Callable[..., Tree]) -> None:
    """Nothing was asked, and the frame says so."""
    assert read_identity(make_tree(), {}).missing is NONE_ASKED


def test_a_disk_that_is_no_dasd_is_not_asked(make_tree: Callable[..., Tree]) -> None:
    """Others have an ID_SERIAL too, which is no volume serial, and know nothing of BIODASDINFO2."""
    tree = make_tree({"run/udev/data/b8:0": b"E:ID_SERIAL=35005076300c71234\n"})
    assert read_identity(tree, {"0.0.7100": ("sda", "8:0")}).keys == []


def test_a_question_that_was_not_captured(make_tree: Callable[..., Tree]) -> None:
    """What was not answered is absent, the rest is there."""
    frame = read_dasd(make_tree({"proc/dasd/devices": DEVICES.encode()}))
    assert frame.cell("0.0.7001", "lss") is absent(NO_ANSWER.format("BIODASDINFO2"))


def test_no_driver(make_tree: Callable[..., Tree]) -> None:
    """Without the file the frame says so."""
    assert "/proc/dasd/devices" in str(read_dasd(make_tree()).missing)


def test_no_volume(make_tree: Callable[..., Tree]) -> None:
    """An empty file is a driver without work."""
    assert read_dasd(make_tree({"proc/dasd/devices": b""})).missing is NONE_ONLINE


@given(st.text())
def test_any_text(content: str) -> None:
    """Nonsense raises ValueError and nothing else."""
    with contextlib.suppress(ValueError):
        parse_dasd_devices(content)


@given(st.integers(0, len(DEVICES) - 1), st.characters())
def test_one_wrong_character(place: int, character: str) -> None:
    """A damaged file raises ValueError and nothing else."""
    with contextlib.suppress(ValueError):
        parse_dasd_devices(DEVICES[:place] + character + DEVICES[place + 1 :])


@given(st.text())
def test_any_entry_of_udev(content: str) -> None:
    """Any text has a volume serial or none."""
    assert parse_volser(content) != ""


@given(st.one_of(st.binary(), st.binary(min_size=416, max_size=416)))
def test_any_answer(data: bytes) -> None:
    """Any 416 bytes are understood as far as they go; others raise ValueError."""
    try:
        parse_info2(data)
    except ValueError:
        assert len(data) != 416


@pytest.mark.parametrize(
    ("name", "uid"),
    [
        ("dasdd-BIODASDINFO2-hercules-6.12", "HRC.ZZ000000000001.7000.00"),
        ("dasdd-BIODASDINFO2-hyperion-6.12", "HRC.ZZ178730809269.7000.00"),
        ("dasdm-BIODASDINFO2-hercules-6.1", "HRC.ZZ000000000001.7200.01"),
    ],
)
def test_the_configuration_data_tell_the_unique_id(name: str, uid: str) -> None:
    """It is the one that the kernel shows of the same device."""
    assert parse_info2(answer(name))["uid"] == uid


def test_without_a_general_qualifier_there_is_no_unique_id() -> None:
    """The subsystem id stands there alone."""
    assert isinstance(parse_info2(INFO2[:344] + bytes(32) + INFO2[376:])["uid"], Absent)
