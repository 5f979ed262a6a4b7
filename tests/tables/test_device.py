from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import interval_of
from tests.goldens import facts
from zmon.base.absent import Absent, absent
from zmon.interval import FIRST, IDLE
from zmon.kinds import BLOCK, CMF, DASD, DEVICE, U32
from zmon.machine.blocks import MIN_HANG_BUSY, MIN_HANG_SECONDS, Blocks
from zmon.machine.devices import HANGS, Devices
from zmon.machine.observed import observed_load
from zmon.machine.view import View
from zmon.session.machines import open_lab
from zmon.session.navigator import Navigator
from zmon.tables import details, key_figures
from zmon.tables.by_time import ESTIMATED
from zmon.tables.control_unit import table as control_unit_table
from zmon.tables.device import table
from zmon.tables.table import SUMMARY
from zmon.values.path_masks import usable

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.base.absent import Value
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
def machine(make_interval: Callable[..., Interval]) -> Callable[..., Interval]:
    """Return a minute in which devices did this; other fields are the same at its begin."""

    def made(
        devices: dict[str, Any], cmf: dict[str, Any] | None = None, blocks: dict[str, Any] | None = None,
        dasd: dict[str, Any] | None = None,
    ) -> Interval:  # fmt: skip
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
        return make_interval(before, after)

    return made


@pytest.fixture
def fill(machine: Callable[..., Interval]) -> Callable[..., Table]:
    """Fill DEVICE from what was counted in a minute."""
    return lambda *counted, **more: table(View(machine(*counted, **more)))


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


def test_service_includes_device_active_only_time(machine: Callable[..., Interval]) -> None:
    """Serv = Pend + Disc + Conn + device-active-only (z/VM 7.3, MRIODDEV), so busy and queue follow."""
    one, other = MEASURED | {"active_only": 600 * 4 * MS}, MEASURED | {"active_only": 0}
    devices = {"0.0.7000": DISK, "0.0.7001": DISK | {"block": "dasdb"}}
    interval = machine(devices, {"0.0.7000": one, "0.0.7001": other}, {"dasda": LINUX, "dasdb": LINUX})
    found = table(View(interval))
    assert row(found, "serv", "busy", "qued") == pytest.approx([10, 10, 0])
    assert row(found, "serv", "busy", "qued", key="0.0.7001") == pytest.approx([6, 6, 0.04])
    assert any("up to 4.0 ms" in note for note in found.notes)
    load = observed_load(interval)
    assert [one.serv for one in load.volumes] == pytest.approx([0.010, 0.006])


def test_a_kernel_that_does_not_measure_it_gives_the_sum_of_the_three(fill: Callable[..., Table]) -> None:
    """The basic format of channel measurement lacks the time: Serv is known, and nothing is said."""
    cmf = {"0.0.7000": MEASURED | {"active_only": absent("basic format")}}
    found = fill({"0.0.7000": DISK}, cmf)
    assert row(found, "serv") == pytest.approx([6])
    assert not any("alone" in note for note in found.notes)


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
    assert row(found, "pend", "serv") == [IDLE, IDLE]


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
    [
        ("IBM.75.2482.00", 0, "base"), ("IBM.75.2482.00", 1, "PAV"), ("IBM.75.2482.xx", 1, "HPAV"),
        (absent("not collected"), 1, "alias"),
    ],
)  # fmt: skip
def test_roles(uid: Value, alias: int, role: str, fill: Callable[..., Table]) -> None:
    """Base, alias of one base, alias of all; without a uid nothing tells which alias."""
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


def test_an_alias_without_a_uid_may_be_of_any_lcu(fill: Callable[..., Table]) -> None:
    """Of no volume with a uid it is known then how many aliases it shares."""
    stray = DISK | {"uid": absent("not collected"), "alias": 1, "block": absent("none")}
    found = fill({"0.0.7000": DISK, "0.0.70fe": stray, "0.0.70ff": stray})
    unknown = found.columns["aliases"][0]
    assert isinstance(unknown, Absent)
    assert (facts(unknown.reason), "lsdasd -u" in unknown.reason) == ("2", True)


def test_the_queue_of_all_is_the_sum_that_ctlunit_has(machine: Callable[..., Interval]) -> None:
    """Req. Qued means the same on both screens: requests that wait, added up over volumes and LCUs."""
    alias = DISK | {"uid": "IBM.750000000L0001.2482.xx", "alias": 1, "block": absent("none")}
    other = DISK | {"uid": "IBM.750000000L0001.2484.00", "block": "dasdb"}
    more = DISK | {"uid": "IBM.750000000L0001.2484.01", "block": "dasdc"}
    devices = {"0.0.7000": DISK, "0.0.70ff": alias, "0.0.7600": other, "0.0.7601": more}
    measured = dict.fromkeys(devices, MEASURED)
    interval = machine(devices, measured, dict.fromkeys(("dasda", "dasdb", "dasdc"), LINUX))
    load, units = table(View(interval)), control_unit_table(View(interval))
    assert load.summary is not None
    assert units.summary is not None
    assert units.columns["qued"][1] == pytest.approx(sum(load.columns["qued"][2:]))  # type: ignore[arg-type]  # numbers
    assert load.summary.cells["qued"] == pytest.approx(units.summary.cells["qued"]) != 0


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
    assert row(fill({"0.0.7000": DISK}, dasd=dasd), "label", "type", "paths") == ["LX7000", "3390-9", 4]


def test_the_first_sample_gives_no_rates(make_interval: Callable[..., Interval]) -> None:
    """And says why."""
    interval = make_interval(None, {DEVICE: {"0.0.7000": DISK}, CMF: {"0.0.7000": MEASURED}})
    assert Devices(interval).rate[0] is FIRST


STILL = {**dict.fromkeys(LINUX, 0), "busid": "0.0.7000", "io_ms": 60_000}
"""A volume whose clock in Linux ran for the whole minute, while nothing completed."""


def test_a_volume_that_hangs_stands_on_top(fill: Callable[..., Table]) -> None:
    """Its response is at least the time for which nothing completed, and a sentence names it."""
    found = fill({"0.0.7000": DISK}, {"0.0.7000": dict.fromkeys(COUNTS, 0)}, {"dasda": STILL})
    assert row(found, "io", "resp", "lbusy") == [0, 60_000, 100]
    assert row(found, "await", "serv", "reqkb", "read") == [HANGS] * 4
    assert found.is_estimate("resp", 0)
    assert found.notes[0] == "7000: busy for 1 min, nothing completed"


def test_a_volume_hangs_since_it_began_to_not_since_the_interval() -> None:
    """CTLUNIT, DEVICE and DEVICE nnnn say as DIAGNOSE does for how long nothing has completed."""
    timeline = open_lab("lab:volume-hangs")
    walk = Navigator(timeline)
    walk.end()
    view = walk.view()
    assert view is not None
    said = "8007: busy for 20 min, nothing completed"
    assert said in table(view).notes
    assert said in control_unit_table(view).notes
    assert details.table(View(view.interval, argument="8007", history=view.history)).facts["measured"] == said
    timeline.close()


def test_an_idle_volume_does_not_hang(fill: Callable[..., Table]) -> None:
    """It has no response time, no mark and no sentence."""
    found = fill({"0.0.7000": DISK}, {}, {"dasda": STILL | {"io_ms": 0}})
    assert isinstance(row(found, "resp")[0], Absent)
    assert row(found, "lbusy") == [0]
    assert not found.is_estimate("resp", 0)
    assert not any("nothing completed" in note for note in found.notes)


def test_a_volume_that_hangs_is_counted_on_its_lcu_and_on_its_page(machine: Callable[..., Interval]) -> None:
    """CTLUNIT counts it as bad, DEVICE nnnn says so where it explains the times."""
    idle = DISK | {"uid": "IBM.750000000L0001.2482.01", "block": "dasdb"}
    view = View(
        machine({"0.0.7000": DISK, "0.0.7001": idle}, {}, {"dasda": STILL, "dasdb": STILL | {"io_ms": 0}}),
        argument="7000",
    )
    units = control_unit_table(view)
    assert units.columns["hung"] == [1]
    unread = machine({"0.0.7000": DISK}, {"0.0.7000": MEASURED})
    assert isinstance(control_unit_table(View(unread)).columns["hung"][0], Absent)
    assert "7000: busy for 1 min, nothing completed" in units.notes
    assert details.table(view).facts["measured"] == "7000: busy for 1 min, nothing completed"
    log = key_figures.device_figures(View(view.interval), "0.0.7000")
    assert (log["resp"], "resp" in str(log[ESTIMATED]).split()) == (60_000, True)


def test_of_many_volumes_that_hang_some_are_named(fill: Callable[..., Table]) -> None:
    """The others are counted."""
    disks = {f"0.0.70{n:02x}": DISK | {"block": f"dasd{n}"} for n in range(9)}
    found = fill(disks, {}, {f"dasd{n}": STILL | {"io_ms": 55_000 + n * 100} for n in range(9)})
    assert found.notes[0].startswith("7008: ")
    assert facts(found.notes[3]) == "6"


COMPLETED = ("reads", "writes", "discards", "flushes")


@given(
    done=st.fixed_dictionaries({name: st.sampled_from((0, 0, 0, 1, 500)) for name in COMPLETED}),
    start=st.fixed_dictionaries({name: st.integers(0, U32 - 1) for name in (*COMPLETED, "io_ms")}),
    flying=st.tuples(st.integers(0, 2), st.integers(0, 2)),
    busy=st.integers(0, 61_000),
    seconds=st.sampled_from((0.5, 2.0, 60.0, 90_000.0)),
    reset=st.booleans(),
    uncounted=st.booleans(),
)
def test_only_what_completes_nothing_hangs(  # noqa: PLR0913, PLR0917 - each is one side of an interval
    done: dict[str, int], start: dict[str, int], flying: tuple[int, int], busy: int, seconds: float,
    reset: bool, uncounted: bool,
) -> None:  # fmt: skip
    """Busy for nine tenths by a clock that may wrap, or the same requests in flight; never after a reset."""
    before: dict[str, Any] = {"busid": "0.0.7000", **start, "in_flight": flying[0]}
    after: dict[str, Any] = {
        **before,
        **{name: start[name] + done[name] for name in done},
        "in_flight": flying[1],
    }
    after["io_ms"] = (start["io_ms"] + busy) % U32
    if uncounted:
        before["discards"] = after["discards"] = absent("needs Linux 4.18")
    if reset:
        after["reads"] = -1
    found = Blocks(interval_of({BLOCK: {"dasda": before}}, {BLOCK: {"dasda": after}}, seconds)).hung
    completed = sum(done[name] for name in COMPLETED if not (uncounted and name == "discards"))
    if completed or reset or seconds < MIN_HANG_SECONDS:
        assert not found
    elif busy >= MIN_HANG_BUSY * 1000 * seconds:
        assert found == {0: pytest.approx(min(busy / 1000, seconds))}
    else:
        assert found == ({0: seconds} if all(flying) else {})


@pytest.mark.parametrize("scenario", ["shark-before", "hyperpav-20"])
def test_the_rows_of_an_lcu_together_have_the_figures_of_the_lcu(scenario: str) -> None:
    """What DEVICE adds up of one LCU is what CTLUNIT shows of it, with its aliases."""
    walk = Navigator(open_lab(f"lab:{scenario}"))
    walk.end()
    view = walk.view()
    assert view is not None
    load, units = table(view), control_unit_table(view)
    assert load.summary is not None
    assert load.summary.some is not None
    for row, key in enumerate(units.keys):
        cells = load.summary.some([at for at, lcu in enumerate(load.columns["cu"]) if lcu == key])
        for name in ("io", "mbs", "pend", "disc", "conn", "serv", "resp", "qued"):
            assert cells[name] == pytest.approx(units.columns[name][row])
