from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.interval import IDLE
from zmon.kinds import BLOCK
from zmon.machine.blocks import Blocks
from zmon.machine.observation import NOT_APART

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.interval import Interval

COUNTERS: Final = (
    "reads", "read_ms", "sectors_read", "reads_merged", "writes", "write_ms", "sectors_written",
)  # fmt: skip


def counted(make_interval: Callable[..., Interval], **disks: tuple[float, ...]) -> Interval:
    """Return an interval of two seconds in which disks counted so much, in the order of `COUNTERS`."""
    none = dict.fromkeys(COUNTERS, 0)
    after = {name: dict(zip(COUNTERS, counts, strict=True)) for name, counts in disks.items()}
    return make_interval({BLOCK: dict.fromkeys(after, none)}, {BLOCK: after}, 2)


def test_several_disks_wait_as_long_as_all_their_requests(make_interval: Callable[..., Interval]) -> None:
    """Not as the mean of their means: a disk with few requests has little of it; an idle one nothing."""
    disks = Blocks(
        counted(make_interval, sda=(10, 20, 80, 2, 30, 60, 240), sdb=(60, 300, 480, 0, 0, 0, 0), sdc=(0,) * 7)
    )
    assert disks.column("await") == [2.0, 5.0, IDLE]
    assert [disks.of(key) for key in ("ios", "submitted", "bytes", "await", "rwait", "wwait", "read")] == [
        50.0, 51.0, 204_800.0, 3.8, 320 / 70, 2.0, 70.0,
    ]  # fmt: skip


def test_of_a_name_that_is_not_counted_the_reason_is_known(make_interval: Callable[..., Interval]) -> None:
    """It leaves the sum of the others as it is."""
    gone = absent("gone")
    disks = Blocks(counted(make_interval, sda=(4, 8, 0, 0, 0, 0, 0)), ["sdz", "sda", absent("none")], gone)
    assert disks.column("ios") == [gone, 2.0, gone]
    assert disks.of("ios") == 2.0


def test_requests_that_are_not_told_apart_are_those_of_all(make_interval: Callable[..., Interval]) -> None:
    """Sar has one count and one time; of reads and writes alone no time is known."""
    disk = {"requests": 0, "request_ms": 0, "sectors_read": 0, "sectors_written": 0, "sectors_discarded": 0}
    after = {
        "requests": 8,
        "request_ms": 24,
        "sectors_read": 8,
        "sectors_written": 8,
        "sectors_discarded": 16,
    }
    disks = Blocks(make_interval({BLOCK: {"sda": disk}}, {BLOCK: {"sda": after}}, 2))
    assert [disks.of(key) for key in ("ios", "await", "reqkb")] == [4.0, 3.0, 2.0]
    assert disks.of("rwait") is NOT_APART
    assert isinstance(disks.of("read"), Absent)
