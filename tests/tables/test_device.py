from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from zmon.absent import Absent, absent
from zmon.kinds import BLOCK, CMF, DASD, DEVICE
from zmon.tables.device import Devices, table, usable
from zmon.tables.table import SUMMARY
from zmon.tables.view import View

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.interval import Interval
    from zmon.tables.table import Table

MS = 1_000_000
COUNTS = ("ssch", "samples", "connect", "pending", "disconnect", "cu_queue", "elapsed")
DISK = {
    "online": 1,
    "uid": "IBM.750000000L0001.2482.00",
    "alias": 0,
    "devtype": "3390/0c",
    "cutype": "2107/e8",
    "block": "dasda",
    "pim": 0xF0,
    "pam": 0xF0,
    "pom": 0xF0,
    "vpm": 0xF0,
    "chpids": "62 63 72 73",
}
MEASURED = {
    "ssch": 600,
    "samples": 600,
    "connect": 600 * 3 * MS,
    "pending": 600 * MS,
    "disconnect": 600 * 2 * MS,
    "cu_queue": 60 * MS,
    "elapsed": 60_000 * MS,
}
LINUX = {
    "busid": "0.0.7000",
    "reads": 450,
    "writes": 150,
    "read_ms": 4_500,
    "write_ms": 1_500,
    "sectors_read": 3600,
    "sectors_written": 1200,
    "weighted_ms": 6_000,
    "in_flight": 2,
}


@pytest.fixture
def fill(make_interval: Callable[..., Interval]) -> Callable[..., Table]:
    """Fill DEVICE from what was counted in a minute; other fields are the same at its begin."""

    def filled(
        devices: dict[str, Any], cmf: dict[str, Any] | None = None, blocks: dict[str, Any] | None = None,
        dasd: dict[str, Any] | None = None,
    ) -> Table:  # fmt: skip
        after = {DEVICE: devices, CMF: cmf or {}, BLOCK: blocks or {}, DASD: dasd or {}}
        before = {
            kind: {
                key: {
                    n: 0 if kind.by_name[n].meaning.value in {"counter", "age"} else v for n, v in row.items()
                }
                for key, row in rows.items()
            }
            for kind, rows in after.items()
        }
        return table(View(make_interval(before, after)))

    return filled


def row(found: Table, *names: str, key: str = "0.0.7000") -> list[Any]:
    place = found.keys.index(key)
    return [found.column(name)[place] for name in names]


def test_times_are_per_operation(fill: Callable[..., Table]) -> None:
    """Pend + Disc + Conn = Serv, each divided by the operations that were timed."""
    found = fill({"0.0.7000": DISK}, {"0.0.7000": MEASURED})
    assert row(found, "io", "pend", "disc", "conn", "serv", "cuwt") == pytest.approx([10, 1, 2, 3, 6, 0.1])


def test_the_sum_of_the_documented_fcx110(fill: Callable[..., Table]) -> None:
    """4.8 + 38.5 + 7.3 = 50.6 ms; 4.6/s * 50.6 ms = 23 % busy; (54.1 - 50.6) ms * 4.6/s = .016 queued."""
    count = 276
    cmf = {"ssch": count, "samples": count, "pending": round(count * 4.8 * MS),
           "disconnect": round(count * 38.5 * MS), "connect": round(count * 7.3 * MS)}  # fmt: skip
    block = LINUX | {"reads": count, "writes": 0, "read_ms": round(count * 54.1), "write_ms": 0}
    found = fill({"0.0.7000": DISK}, {"0.0.7000": cmf}, {"dasda": block})
    assert row(found, "io", "serv", "resp") == pytest.approx([4.6, 50.6, 54.1], abs=0.01)
    assert row(found, "busy", "qued") == pytest.approx([23.3, 0.016], abs=0.05)


def test_response_is_what_linux_waits(fill: Callable[..., Table]) -> None:
    """Time of reads and writes by their number; the wait in Linux follows by Little's law."""
    found = fill({"0.0.7000": DISK}, {"0.0.7000": MEASURED}, {"dasda": LINUX})
    assert row(found, "resp", "await", "qued") == pytest.approx([10, 10, 10 * (10 - 6) / 1000])


def test_without_a_block_device_response_is_service(fill: Callable[..., Table]) -> None:
    """Nobody knows how long Linux waited, so nothing is said of its queue."""
    found = fill({"0.0.7000": DISK | {"block": absent("none")}}, {"0.0.7000": MEASURED})
    assert row(found, "resp") == row(found, "serv")
    assert isinstance(row(found, "qued")[0], Absent)


def test_a_queue_is_never_negative(fill: Callable[..., Table]) -> None:
    """Clocks of the kernel and of the channel subsystem differ by a rounding."""
    found = fill({"0.0.7000": DISK}, {"0.0.7000": MEASURED}, {"dasda": LINUX | {"read_ms": 0}})
    assert row(found, "qued") == [0.0]


def test_what_linux_counts(fill: Callable[..., Table]) -> None:
    """Requests, MB of a million bytes, KiB per request, share of reads, requests in Linux."""
    found = fill({"0.0.7000": DISK}, {}, {"dasda": LINUX})
    assert row(found, "ios", "mbs", "reqkb", "read", "queue", "inflight") == pytest.approx(
        [10, 4800 * 512 / 60e6, 4.0, 75, 0.1, 2]
    )


def test_requests_stand_in_for_starts_and_are_marked(fill: Callable[..., Table]) -> None:
    """Also in the line for all."""
    found = fill({"0.0.7000": DISK}, {}, {"dasda": LINUX})
    assert row(found, "io") == [10]
    assert (found.is_estimate("io", 0), found.is_estimate("io", SUMMARY)) == (True, True)
    assert any(note.startswith("~") for note in found.notes)


def test_starts_that_are_counted_are_no_estimate(fill: Callable[..., Table]) -> None:
    """Nothing is marked, nothing is said."""
    found = fill({"0.0.7000": DISK}, {"0.0.7000": MEASURED}, {"dasda": LINUX})
    assert (found.is_estimate("io", 0), found.notes) == (False, ())


def test_virtio_disks_start_without_ssch(fill: Callable[..., Table]) -> None:
    """Their subchannel counts only how they were set up."""
    found = fill({"0.0.7000": DISK | {"driver": "virtio_ccw"}}, {"0.0.7000": MEASURED}, {"dasda": LINUX})
    assert found.is_estimate("io", 0)


def test_an_idle_device_has_no_times(fill: Callable[..., Table]) -> None:
    """No operation, no time per operation; the rate is a true zero."""
    found = fill({"0.0.7000": DISK}, {"0.0.7000": dict.fromkeys(COUNTS, 0)})
    assert row(found, "io") == [0]
    assert {v.reason for v in row(found, "pend", "serv")} == {"no I/O in the interval"}


def test_devices_that_are_not_on_line_are_left_out(fill: Callable[..., Table]) -> None:
    """DEVICE lists what can be used."""
    assert fill({"0.0.7000": DISK, "0.0.7001": DISK | {"online": 0}}).keys == ["0.0.7000"]


def test_other_disks_are_listed_too(fill: Callable[..., Table]) -> None:
    """A machine may have SCSI or NVMe disks; what lies on other disks is not counted twice."""
    found = fill({}, {}, {"sda": LINUX | {"model": "2107900"}, "dm-0": LINUX, "md0": LINUX, "loop0": LINUX})
    assert found.keys == ["sda"]
    assert row(found, "type", "ios", key="sda") == ["2107900", 10]


@pytest.mark.parametrize(
    ("uid", "alias", "role"),
    [("IBM.75.2482.00", 0, "base"), ("IBM.75.2482.00", 1, "PAV"), ("IBM.75.2482.xx", 1, "HPAV")],
)
def test_roles(uid: str, alias: int, role: str, fill: Callable[..., Table]) -> None:
    """Base, alias of one base, alias of all."""
    assert row(fill({"0.0.7000": DISK | {"uid": uid, "alias": alias}}), "role") == [role]


def test_aliases_are_counted_by_lcu(fill: Callable[..., Table]) -> None:
    """Volumes share them, and what waits for a volume is then a guess."""
    alias = DISK | {"uid": "IBM.750000000L0001.2482.xx", "alias": 1, "block": absent("none")}
    other = DISK | {"uid": "IBM.750000000L0001.2484.00", "block": "dasdb"}
    found = fill(
        {"0.0.7000": DISK, "0.0.70ff": alias, "0.0.7600": other}, {"0.0.7000": MEASURED}, {"dasda": LINUX}
    )
    assert found.columns["aliases"] == [1, 1, 0]
    assert [found.is_estimate("qued", place) for place in range(3)] == [True, True, False]


def test_the_average_weighs_times_by_starts_and_responses_by_requests(fill: Callable[..., Table]) -> None:
    """A volume whose I/O runs on its alias is not answered faster because its base rests."""
    alias = DISK | {"uid": "IBM.750000000L0001.2482.xx", "alias": 1, "block": absent("none")}
    rest = {name: value // 10 for name, value in MEASURED.items()}
    found = fill(
        {"0.0.7000": DISK, "0.0.7001": DISK | {"block": "dasdb"}, "0.0.70ff": alias},
        {"0.0.7000": rest, "0.0.7001": rest | {"connect": 0}, "0.0.70ff": MEASURED},
        {"dasda": LINUX, "dasdb": LINUX | {"reads": 60, "writes": 0, "read_ms": 60, "write_ms": 0}},
    )
    assert found.summary is not None
    cells = found.summary.cells
    assert cells["io"] == pytest.approx(12)
    assert cells["conn"] == pytest.approx((1 * 3 + 1 * 0 + 10 * 3) / 12)
    assert cells["resp"] == pytest.approx((600 * 10 + 60 * 1) / 660)


@pytest.mark.parametrize(
    ("masks", "left"), [((0xF0, 0xE0, 0xFF, 0x70), 0x60), ((0xF0, absent("x")), 0xF0), ((), 0xFF)]
)
def test_usable_paths(masks: tuple[Any, ...], left: int) -> None:
    """A path must be in every mask; a mask that was not read takes none away."""
    assert usable(*masks) == left


def test_the_label_is_the_volume_serial(fill: Callable[..., Table]) -> None:
    """Of a disk without one, its label."""
    dasd = {"0.0.7000": {"volser": "LX7000"}}
    assert row(fill({"0.0.7000": DISK}, dasd=dasd), "label", "type", "paths") == ["LX7000", "3390-C", 4]


def test_the_first_sample_gives_no_rates(make_interval: Callable[..., Interval]) -> None:
    """And says why."""
    interval = make_interval(None, {DEVICE: {"0.0.7000": DISK}, CMF: {"0.0.7000": MEASURED}})
    assert "first sample" in Devices(interval).rate[0].reason  # type: ignore[union-attr]
