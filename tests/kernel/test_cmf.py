from __future__ import annotations

import contextlib
import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, absent
from zmon.kernel import cmf
from zmon.kernel.activity import DiskReader
from zmon.kernel.cmf import OFFLINE, MeasuredDevice, parse_cmbdata, parse_cmf, read_exact, settled
from zmon.kernel.dasd_ioctl import NO_ANSWER
from zmon.kinds import CMF, CMF_BASIC, CMF_OFF, NO_CMF_TIMES, TICK

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.kernel.cmf import Row
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame, Kind

UID = "HRC.ZZ000000000001.7000.00"

# 0.0.7000 in the load captures: hercules 3.13 with Linux 6.12 (basic), and QEMU 7.2 (extended)
HERCULES = [b"0\n", b"237\n", b"-1\n", *[b"0\n"] * 5, b"0\n"]
QEMU = [b"0\n", b"2\n", b"-1\n", *[b"0\n"] * 7, b"0\n"]
REAL = [b"1000\n", b"1002\n", b"5000000\n", b"256\n", *[b"0\n"] * 6, b"1000\n"]


def shown(count: int, ticks: list[int], ssch: int | None = None) -> list[bytes]:
    """Print totals as the kernel does: as averages."""
    averages = [tick * TICK // count for tick in ticks]
    numbers = [count, count if ssch is None else ssch, 1000, *averages, count]
    return [b"%d\n" % number for number in numbers]


def named(row: Row) -> dict[str, object]:
    """Give the values of a row their names."""
    return dict(zip(cmf.FIELDS, row, strict=True))


def test_totals_are_rebuilt() -> None:
    """An average of 256 ns over 1000 operations is two ticks."""
    assert named(parse_cmf(REAL, UID))["connect"] == 2 * TICK


def test_age_is_time_per_operation_times_operations() -> None:
    """5 ms per operation and 1000 operations are five seconds."""
    assert named(parse_cmf(REAL, UID))["elapsed"] == 5_000_000_000


@given(st.integers(1, TICK), st.lists(st.integers(0, 2**32 - 1), min_size=7, max_size=7))
def test_totals_are_exact_up_to_128000_operations(count: int, ticks: list[int]) -> None:
    """Rounding an average down loses nothing that rounding up does not bring back."""
    row = parse_cmf(shown(count, ticks), UID)
    assert [*row[2:9], named(row)["error"]] == [*(tick * TICK for tick in ticks), 0]


@given(st.integers(TICK + 1, 2**32 - 1), st.lists(st.integers(0, 2**32 - 1), min_size=7, max_size=7))
def test_beyond_that_the_error_is_known(count: int, ticks: list[int]) -> None:
    """A total is never above the true one, and below it by no more than `error`."""
    row = named(parse_cmf(shown(count, ticks), UID))
    connect, error = row["connect"], row["error"]
    assert isinstance(connect, int)
    assert isinstance(error, int)
    assert connect <= ticks[0] * TICK <= connect + error


def test_an_operation_that_ended_while_reading_is_in_the_error() -> None:
    """What one more operation may have added to an average counts as doubt."""
    torn = [*REAL[:-1], b"1001\n"]
    assert named(parse_cmf(torn, UID))["error"] == TICK


def test_a_basic_count_that_wrapped_while_reading() -> None:
    """Counts of the basic format go from 65535 to 0."""
    torn = [b"65535\n", b"9\n", b"1\n", *[b"128000\n"] * 5, b"0\n"]
    assert named(parse_cmf(torn, UID))["error"] == TICK


@pytest.mark.parametrize("contents", [HERCULES, QEMU])
def test_a_hypervisor_that_takes_no_times(contents: list[bytes]) -> None:
    """Starts without samples mean that times are unknown, not zero."""
    assert named(parse_cmf(contents, UID))["connect"] is NO_CMF_TIMES


def test_such_a_hypervisor_still_counts() -> None:
    """Starts are what it does count."""
    assert named(parse_cmf(HERCULES, UID))["ssch"] == 237


def test_before_the_first_start_all_is_zero() -> None:
    """Nothing started, nothing measured: that zero is true."""
    assert named(parse_cmf([b"0", b"0", b"-1", *[b"0"] * 8], UID))["connect"] == 0


def test_before_the_first_start_the_age_is_unknown() -> None:
    """An interval of -1 is no age."""
    assert isinstance(named(parse_cmf([b"0", b"0", b"-1", *[b"0"] * 8], UID))["elapsed"], Absent)


def test_the_basic_format_knows_less() -> None:
    """Busy time and initial command response are absent there."""
    assert isinstance(named(parse_cmf([b"1", b"1", b"9", *[b"0"] * 5, b"1"], UID))["busy"], Absent)


def test_too_few_files() -> None:
    """A missing file is an error that shows what was there."""
    with pytest.raises(ValueError, match="found"):
        parse_cmf(REAL[:5], UID)


def test_no_number() -> None:
    """A word is an error that shows it."""
    with pytest.raises(ValueError, match="many"):
        parse_cmf([b"many", *REAL[1:]], UID)


@given(
    st.lists(st.one_of(st.binary(max_size=8), st.integers().map(lambda number: b"%d" % number)), max_size=13)
)
def test_any_contents(contents: list[bytes]) -> None:
    """Nonsense raises ValueError and nothing else."""
    with contextlib.suppress(ValueError):
        parse_cmf(contents, UID)


ANSWER = struct.pack(">11Q", 72, 5_000_000_000, 1002, 1000, *(TICK * n for n in range(1, 8)))


def test_the_ioctl_gives_totals() -> None:
    """Nothing is rounded there."""
    assert parse_cmbdata(ANSWER, UID, CMF) == (
        1002, 1000, *(TICK * n for n in range(1, 8)), 5_000_000_000, 0, "ioctl", UID,
    )  # fmt: skip


def test_the_ioctl_in_the_basic_format() -> None:
    """The last two totals mean nothing there."""
    assert isinstance(named(parse_cmbdata(ANSWER, UID, CMF_BASIC))["busy"], Absent)


def test_the_ioctl_under_a_hypervisor_that_takes_no_times() -> None:
    """It is recognised the same way."""
    answer = struct.pack(">11Q", 72, 5, 4, *[0] * 8)
    assert named(parse_cmbdata(answer, UID, CMF))["connect"] is NO_CMF_TIMES


def test_a_cut_answer() -> None:
    """Another length than 88 is rejected."""
    with pytest.raises(ValueError, match="88 bytes expected, found 87"):
        parse_cmbdata(ANSWER[:-1], UID, CMF)


@given(st.one_of(st.binary(), st.binary(min_size=88, max_size=88)))
def test_any_answer(data: bytes) -> None:
    """Any 88 bytes are understood; others raise ValueError."""
    try:
        parse_cmbdata(data, UID, CMF)
    except ValueError:
        assert len(data) != 88


def test_rounding_makes_no_total_fall() -> None:
    """A total that falls by less than the error stays where it was."""
    before = parse_cmf(shown(10_000_000, [100_000] * 7), UID)
    after = (
        *before[:2],
        *(value - TICK if isinstance(value, int) else value for value in before[2:9]),
        *before[9:],
    )
    assert settled(after, before) == before


def test_rounding_makes_no_age_fall() -> None:
    """The age is up to one ns per operation short."""
    before = parse_cmf(REAL, UID)
    after = (*before[: cmf.ELAPSED], 4_999_999_500, *before[cmf.ELAPSED + 1 :])
    assert settled(after, before)[cmf.ELAPSED] == 5_000_000_000


def test_a_reset_is_not_smoothed_away() -> None:
    """An age that falls far has fallen."""
    after = parse_cmf(shown(1, [3] * 7), UID)
    assert settled(after, parse_cmf(REAL, UID)) == after


def test_a_reset_that_looks_like_rounding() -> None:
    """Where the age fell far, even a small fall of a total is real."""
    before = parse_cmf(shown(10_000_000, [3] * 7), UID)
    after = parse_cmf(shown(1, [2] * 7), UID)
    assert settled(after, before) == after


def test_what_was_kept_is_doubtful() -> None:
    """A total that was held up stays within its error until it is reached again."""
    before = (*parse_cmf(REAL, UID)[: cmf.ELAPSED + 1], 5 * TICK, "sysfs", UID)
    after = (
        *before[:2],
        *(value - TICK if isinstance(value, int) else value for value in before[2:9]),
        *before[9:],
    )
    lower = (*after[: cmf.ELAPSED + 1], 0, "sysfs", UID)
    assert named(settled(lower, before))["error"] == TICK


def contents_of(contents: list[bytes], kind: Kind, where: str) -> dict[str, bytes]:
    """Lay contents out as files."""
    return {
        f"{where}/{name}": data for name, data in zip((cmf.COUNT, *cmf.files(kind)), contents, strict=False)
    }


CSS = "sys/devices/css0"
BASE = f"{CSS}/0.0.0004/0.0.7000"
FILES = {
    f"{BASE}/cmb_enable": b"1\n",
    f"{BASE}/uid": UID.encode() + b"\n",
    **contents_of(HERCULES, CMF_BASIC, f"{BASE}/cmf"),
    f"{CSS}/0.0.000c/0.0.7102/cmb_enable": b"0\n",
    f"{CSS}/0.0.000c/0.0.7102/online": b"1\n",
    f"{CSS}/0.0.000f/0.0.7203/cmb_enable": b"0\n",
    f"{CSS}/0.0.000f/0.0.7203/online": b"0\n",
    f"{CSS}/0.0.0010/0.0.7204/online": b"0\n",
}
LINKS = {
    f"sys/bus/ccw/devices/0.0.{number}": f"../../../devices/css0/0.0.{subchannel}/0.0.{number}"
    for number, subchannel in (("7000", "0004"), ("7102", "000c"), ("7203", "000f"), ("7204", "0010"))
}


@pytest.fixture
def tree(make_tree: Callable[..., Tree]) -> Tree:
    """A measured device, two that are not, and one that cannot be."""
    return make_tree(FILES, LINKS, times={f"{BASE}/cmf/ssch_rsch_count": 5})


def measurement(tree: Tree) -> Frame:
    """Return the measurement of all devices."""
    return DiskReader(tree).read()[1]


def test_every_device_that_can_be_measured_has_a_row(tree: Tree) -> None:
    """A device without cmb_enable has none."""
    assert measurement(tree).keys == ["0.0.7000", "0.0.7102", "0.0.7203"]


def test_the_format_is_told_from_the_files(tree: Tree) -> None:
    """Without busy time it is the basic one."""
    assert measurement(tree).kind is CMF_BASIC


def test_the_extended_format(make_tree: Callable[..., Tree]) -> None:
    """With busy time it is the extended one."""
    files = FILES | contents_of(QEMU, CMF, f"{BASE}/cmf")
    assert measurement(make_tree(files, LINKS)).kind is CMF


@pytest.mark.parametrize(
    ("busid", "field", "value"),
    [
        ("0.0.7000", "ssch", 237),
        ("0.0.7000", "via", "sysfs"),
        ("0.0.7000", "uid", UID),
        ("0.0.7102", "ssch", CMF_OFF),
        ("0.0.7203", "ssch", OFFLINE),
    ],
)
def test_a_row(tree: Tree, busid: str, field: str, value: object) -> None:
    """A value is there, or the reason why it is not."""
    assert measurement(tree).cell(busid, field) == value


def test_the_time_is_that_of_the_device(tree: Tree) -> None:
    """Each device has the time at which its own files were read."""
    assert measurement(tree).times[0] == 5


def test_another_machine(make_tree: Callable[..., Tree]) -> None:
    """Without ccw devices the frame says so."""
    assert measurement(make_tree()).missing is cmf.NONE_MEASURED


def test_a_device_that_fails(make_tree: Callable[..., Tree]) -> None:
    """The error of one device stays with that device."""
    tree = make_tree(FILES, LINKS, {f"{BASE}/cmf/ssch_rsch_count": OSError(5, "Input/output error")})
    assert ": Input/output error" in str(measurement(tree).cell("0.0.7000", "ssch"))


def test_a_torn_reading_is_repeated() -> None:
    """When the count moved meanwhile everything is read again."""
    counts = iter([b"1", b"2", b"2", b"2"])
    contents = cmf.collect(lambda name: next(counts) if name == cmf.COUNT else b"7", CMF_BASIC)
    assert (contents[0], contents[-1]) == (b"2", b"2")


def test_a_busy_device_does_not_keep_us() -> None:
    """After some tries the last reading is taken as it is."""
    counts = iter(range(100))
    contents = cmf.collect(lambda name: b"%d" % next(counts) if name == cmf.COUNT else b"7", CMF_BASIC)
    assert contents[-1] == b"%d" % (2 * cmf.TRIES - 1)


@pytest.mark.parametrize(
    ("uid", "lcu"), [(UID, "HRC.ZZ000000000001.7000"), ("a.b", None), (absent("none"), None)]
)
def test_the_control_unit_of_a_device(uid: str | Absent, lcu: str | None) -> None:
    """Vendor, serial and subsystem id name it."""
    assert MeasuredDevice("0.0.7000", BASE, uid, None).lcu == lcu


def test_exact_totals_of_a_base_device(make_tree: Callable[..., Tree]) -> None:
    """The disk's node is asked."""
    tree = make_tree({"ioctl/dasdd/BIODASDREADALLCMB.bin": ANSWER})
    assert named(read_exact(tree, MeasuredDevice("0.0.7000", BASE, UID, None), "dasdd", CMF))["ssch"] == 1002


def test_exact_totals_refused(make_tree: Callable[..., Tree]) -> None:
    """A refusal becomes the reason of the whole row."""
    row = named(read_exact(make_tree(), MeasuredDevice("0.0.7000", BASE, UID, None), "dasdd", CMF))
    assert row["ssch"] is absent(NO_ANSWER.format("BIODASDREADALLCMB"))
