from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.placement.guest import FILES, machine
from zmon.cli.result import MIN_WIDTH, lines_of
from zmon.cli.where import MAX_NAMED, MAX_REMARKS, ranges, text
from zmon.placement.word_lookup import LookupResult, find, meanings

GUEST = machine()


def found(word: str) -> list[LookupResult]:
    """Find all that a word means."""
    return [find(meaning, GUEST) for meaning in meanings(word, GUEST)]


def lines(word: str, width: int = 80, *, evidence: bool = False) -> list[str]:
    return written(found(word), width, evidence=evidence)


def written(answers: list[LookupResult], width: int = 80, *, evidence: bool = False) -> list[str]:
    return list(lines_of(text(answers, evidence=evidence, width=width), max(width, MIN_WIDTH)))


@pytest.mark.parametrize(
    ("chpids", "shown"),
    [
        ("", ""),
        ("40", "40"),
        ("40 41", "40 41"),
        ("40 41 42", "40-42"),
        ("48 49 4A 4B 50 52 53 54", "48-4B 50 52-54"),
        ("FE FF", "FE FF"),
    ],
)
def test_channel_paths_in_a_row(chpids: str, shown: str) -> None:
    """Three or more are a range."""
    assert ranges(chpids) == shown


def test_several_disks_each_with_its_bytes() -> None:
    """In columns, most first, and how much of the whole that is."""
    assert lines("/db")[2:5] == [
        "  Disk   vdev  rdev  Label   LCU                Bytes    %  CHPIDs",
        "  dasda  0201  7201  LX7201  LCU 72 (assumed)    256M  50%  40 41",
        "  dasdb  7201  0500  LX0500  LCU 5 (assumed)     256M  50%  40 41",
    ]


def test_channel_paths_are_left_out_where_they_do_not_fit() -> None:
    """Nothing else is."""
    narrow, wide = lines("/db", 60)[3], lines("/db", 80)[3]
    assert wide.split() == [*narrow.split(), "40", "41"]


def test_a_disk_behind_fcp() -> None:
    """It has no numbers of its own, but those of its ports and its unit, with a line for each path."""
    assert lines("mpatha")[2:4] == [
        "  sda   0x500507630503c1ae  0x4010402300000000  LSS 10",
        "  sdb   0x500507630508c1ae  0x4010402300000000  LSS 10",
    ]


def test_a_disk_of_no_channel() -> None:
    """Memory is on no LCU, and below it stands why."""
    _heading, disk, *_on_it, reason = lines("zram0")
    assert disk == "  zram0  no LCU"
    assert reason.startswith("  No LCU: ")


def test_a_loop_device() -> None:
    """It is no disk, and what is on it is told all the same."""
    said = lines("loop0")
    assert (said[0], said[5]) == ("loop0 (7:0): block device", "  Note: loop0 lies in the file /var/image")


def test_what_is_not_known_is_no_zero() -> None:
    """A btrfs whose chunks were not read lies on some of its disks."""
    assert ["some?" in line for line in lines("/pool")[3:5]] == [True, True]


def test_a_word_of_two_meanings() -> None:
    """Each stands by itself, and says what it is taken for."""
    shown = lines("7201")
    assert [line for line in shown if line.startswith("7201")] == [
        "7201: virtual device number, 1 disk",
        "7201: real device number, 1 disk",
    ]


def test_the_way_ends_where_it_parts() -> None:
    """The disks behind that stand below it."""
    assert lines("/db/a")[1].strip() == "/db (xfs) > vg/lv (linear)"


def test_a_volume_that_nobody_has_mounted() -> None:
    """It is named as what is made of the disk."""
    assert any(line.startswith("  Made of it: ") and "dasda2" in line for line in lines("dasda"))


def test_of_many_files_some_are_named() -> None:
    """The others are counted."""
    many = machine({f"/db/{number:03}": FILES["/db/a"] for number in range(100)})
    shown = written([find(meaning, many) for meaning in meanings("TS1", many)])
    assert sum(line.startswith("  /db/") for line in shown) == MAX_NAMED
    assert any(line.startswith(f"  and {100 - MAX_NAMED} more entries") for line in shown)


def test_of_many_remarks_some_are_made() -> None:
    """A directory of thousands of files has as many reasons."""
    (one,) = found("TS1")
    first = one.locations[0]
    noted = tuple(first._replace(notes=(f"note {number}",)) for number in range(50))
    shown = written([one._replace(locations=noted)])
    assert sum("Note: " in line for line in shown) == MAX_REMARKS + 1


def test_evidence_is_said_once() -> None:
    """Though many files have it in common."""
    shown = lines("TS1", 200, evidence=True)
    assert sum("/proc/self/mountinfo:2" in line for line in shown) == 1


WORDS = [
    "/db", "/db/a", "/db/sub", "/pool", "/", "TS1", "TS2", "PROD", "dasda", "vg/lv", "mpatha", "7201",
    "LCU 72", "zram0", "94:1",
]  # fmt: skip


@given(st.sampled_from(WORDS), st.integers(0, 200), st.booleans())
def test_no_line_is_too_long(word: str, width: int, evidence: bool) -> None:
    """However narrow the terminal is, down to a width below which nothing can be told."""
    assert all(len(line) <= max(width, 78, MIN_WIDTH) for line in lines(word, width, evidence=evidence))


LETTERS = st.text(st.characters(exclude_characters="\0"), max_size=300)


@given(LETTERS, LETTERS)
def test_names_do_no_harm(path: str, space: str) -> None:
    """Neither that of a file nor that of a tablespace can move the cursor."""
    number, mount, where, _space = FILES["/db/a"]
    hostile = machine({f"/db/{path}": (number, mount, where, space)})
    for word in (f"/db/{path}", "/db", "dasda"):
        for line in written([find(meaning, hostile) for meaning in meanings(word, hostile)], evidence=True):
            assert line.isprintable()
