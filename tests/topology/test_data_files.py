from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.topology.layers import disk, layers, partition
from zmon.base.absent import Absent, absent
from zmon.base.listed_file import ListedFile
from zmon.kinds import CONTAINER, MOUNT
from zmon.sample import frame_of
from zmon.topology.data_files import DataFile, file_by_name, files_in, files_of, parse_ranges
from zmon.topology.mounts import mounts_in
from zmon.topology.stack import Stack

WHY = absent("run as root")


def one(**cells: object) -> DataFile:
    """Return the file of a row with these cells, all others absent."""
    row = dict.fromkeys((field.name for field in CONTAINER.fields), WHY) | cells
    return files_in(frame_of(CONTAINER, {"/db/c1": row}, 1))[0]  # type: ignore[dict-item]


def known(*paths: str) -> list[DataFile]:
    """Return files that were looked at."""
    cells = dict.fromkeys((field.name for field in CONTAINER.fields), WHY) | {"size": 5, "ranges": "0+5"}
    return files_in(frame_of(CONTAINER, {path: dict(cells) for path in paths}, 1))  # type: ignore[arg-type]


MOUNTS = mounts_in(
    frame_of(
        MOUNT,
        {
            str(number): dict.fromkeys((field.name for field in MOUNT.fields), WHY)
            | {"number": f"94:{number}", "point": point}
            for number, point in enumerate(["/", "/db", "/dev/pts"])
        },
        1,
    )
)
STACK = Stack(
    layers(
        {
            "94:4": disk("dasdb", 16),
            "94:5": {
                **partition("dasdb1", "94:4", 8, 8),
                "links": "disk/by-path/ccw-0.0.7201-part1",
            },
        }
    )
)
NOWHERE = mounts_in(frame_of(MOUNT, {}, 1))


def test_ranges_are_begin_and_end() -> None:
    """In the frame they are first byte and length, in hex."""
    assert one(ranges="1000+20 a0+1").ranges == ((0x1000, 0x1020), (0xA0, 0xA1))


def test_a_reason_stays() -> None:
    """What could not be read keeps why."""
    assert (one().ranges, one().size, one().number) == (WHY, WHY, WHY)


def test_names_that_are_absent_are_empty() -> None:
    """A file that no listing names has no tablespace."""
    assert one().tablespace == ""


def test_what_was_said_has_its_source() -> None:
    """Each line is a source and what it said; later colons are part of that."""
    assert one(said="FS_IOC_FIEMAP: 1 extents\noverlay: the file is /a: b").said == (
        ("FS_IOC_FIEMAP", "1 extents"),
        ("overlay", "the file is /a: b"),
    )


def test_ranges_that_make_no_sense() -> None:
    """They are absent with what was found."""
    assert isinstance(one(ranges="x").ranges, Absent)


@pytest.mark.parametrize("content", ["x", "1+", "+1", "1+g", "1-2"])
def test_other_forms_are_refused(content: str) -> None:
    """A range has one form."""
    with pytest.raises(ValueError, match="FIRST"):
        parse_ranges(content)


@given(st.text() | st.text("0123456789abcdef+ "))
def test_any_text(content: str) -> None:
    """Whatever stands there, only ValueError comes out."""
    with contextlib.suppress(ValueError):
        parse_ranges(content)


# --- listed files ---------------------------------------------------------------------------------------


def listed(*names: ListedFile) -> list[DataFile]:
    return files_of(names, known("/db/a", "/db/dir/1", "/db/dir/2", "/db/dir2/3"), MOUNTS, STACK)


def test_a_listed_file_that_was_looked_at() -> None:
    """It has what was found, and the names that the listing gives."""
    (file,) = listed(ListedFile("/db/a", "PROD", "TS1", "data", "x.ddl:3", 4096))
    assert (file.space, file.role, file.listed, file.declared, file.size) == (
        "PROD.TS1", "data", "x.ddl:3", 4096, 5,
    )  # fmt: skip


@pytest.mark.parametrize("path", ["/db/dir", "/db/dir/"])
def test_a_listed_directory(path: str) -> None:
    """It stands for the files in it, and not for those of one whose name goes on."""
    assert [file.path for file in listed(ListedFile(path, "", "TS1"))] == ["/db/dir/1", "/db/dir/2"]


def test_what_is_listed_twice() -> None:
    """The first has it."""
    assert [
        file.tablespace for file in listed(ListedFile("/db/a", "", "T1"), ListedFile("/db/a", "", "T2"))
    ] == ["T1"]


def test_a_listed_file_that_nobody_looked_at() -> None:
    """It is placed by its name, on a device whose bytes are not known, with the size that is listed."""
    (file,) = listed(ListedFile("/db/new", "", "TS1", declared=4096))
    assert (file.number, file.size, file.said) == ("94:1", 4096, ((file.said[0][0], "/db holds it"),))
    assert isinstance(file.ranges, Absent)


@pytest.mark.parametrize("path", ["/db/./dir//1", "//db/dir/1", "/db/a/../dir/1"])
def test_a_path_may_be_written_in_several_ways(path: str) -> None:
    """It is the file that was looked at, once, under the name that the listing has."""
    (file,) = listed(ListedFile(path, "", "TS1"), ListedFile("/db/dir/1", "", "TS1"))
    assert (file.path, file.size) == (path, 5)


@pytest.mark.parametrize(
    "path", ["/dev/dasdb1", "/dev/../dev/dasdb1", "/dev/disk/by-path/ccw-0.0.7201-part1"]
)
def test_a_device_is_that_of_the_name(path: str) -> None:
    """All of it, and not the file system on which /dev is."""
    (file,) = listed(ListedFile(path, "", "RAW"))
    assert (file.path, file.number, file.ranges, file.size, file.unseen) == (
        path, "94:5", ((0, 4096),), 4096, False,
    )  # fmt: skip


@pytest.mark.parametrize(
    "one",
    [ListedFile("/dev/nosuch", declared=512), ListedFile("/db/raw", declared=512, is_device=True)],
)
def test_a_device_that_nobody_knows_has_no_place(one: ListedFile) -> None:
    """Not that of the file system which holds its name; its size is what the listing says."""
    (file,) = listed(one)
    assert isinstance(file.number, Absent)
    assert "--listing" in file.number.reason
    assert file.size == 512


def test_a_file_of_a_file_system_below_dev() -> None:
    """It is no device."""
    (file,) = listed(ListedFile("/dev/pts/x"))
    assert file.number == "94:2"


def test_a_name_without_mounts() -> None:
    """Nothing is known then, and why."""
    file = file_by_name("/db/new", NOWHERE)
    assert isinstance(file.real, Absent)
    assert file.real is file.number is file.mount


def test_a_space_without_a_database() -> None:
    """It is the tablespace alone."""
    assert (one(tablespace="TS1").space, one(database="P", tablespace="TS1").space) == ("TS1", "P.TS1")


@pytest.mark.parametrize(
    ("declared", "size"),
    [(4096, 4096), (8192, 8192), (1 << 20, 8192), (0, 8192), (absent("not said"), 8192)],
)
def test_of_a_device_that_a_tablespace_uses_in_part_that_part_counts(declared: int, size: int) -> None:
    """A listing with a size in pages says how much, whether the device was read or only its name is known."""
    (by_name,) = files_of([ListedFile("/dev/dasdb", declared=declared, is_device=True)], [], NOWHERE, STACK)
    read = one(real="/dev/dasdb", number="94:4", ranges="0+2000", size=8192, declared=declared)
    for file in (by_name, read):
        assert (file.size, file.ranges) == (size, ((0, size),))


def test_a_file_counts_as_it_is_whatever_a_listing_declares() -> None:
    """Only a device has room beside the data."""
    file = one(real="/db/c1", number="94:5", mount="1", ranges="0+2000", size=8192, declared=4096)
    assert (file.size, file.ranges) == (8192, ((0, 8192),))
