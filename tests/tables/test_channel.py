from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.goldens import facts
from zmon.base.absent import Absent, absent, code_of
from zmon.base.event import BAD
from zmon.interval import Interval
from zmon.kinds import CHANNEL, CMF, DEVICE, NOT_COLLECTED
from zmon.machine.channel_paths import (
    NOT_YET,
    ChannelPaths,
    estimated_reach,
    in_use,
    own_load,
    period_part,
    unusable_paths,
)
from zmon.machine.period import Period
from zmon.machine.view import View
from zmon.rule.grammar import load_rules
from zmon.rule.judge import Judge
from zmon.sample import Meaning, empty_frame
from zmon.tables.channel import RANGES, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.tables.table import Table

MINUTE = 468_750
"""Ticks of 128 microseconds."""

FICON = {"type": 0x1B, "cmg": 2, "timestamp": MINUTE, "max_work_units": 10_000, "max_bus_cycles": 100_000,
         "data_unit_size": 4096, "work_units_cpc": 444_000, "work_units": 60_000, "bus_cycles_cpc": 600_000,
         "read_cpc": 15_000, "written_cpc": 3_000}  # fmt: skip
ESCON = {"type": 5, "cmg": 1, "timestamp": MINUTE, "busy_cpc": MINUTE / 4, "busy": MINUTE / 8}
DISK = {"online": 1, "chpids": "62 63 72 73", "pim": 0xF0, "pam": 0xF0, "pom": 0xF0, "vpm": 0xF0}


def zeros(rows: dict[Any, Any]) -> dict[Any, Any]:
    counting = {Meaning.COUNTER, Meaning.CLOCK, Meaning.AGE}
    return {
        kind: {
            key: {n: 0 if kind.by_name[n].meaning in counting else v for n, v in row.items()}
            for key, row in things.items()
        }
        for kind, things in rows.items()
    }


@pytest.fixture
def fill(make_interval: Callable[..., Interval]) -> Callable[..., Table]:
    """Fill CHANNEL from what was counted in a minute."""

    def filled(
        channels: dict[str, Any], devices: dict[str, Any] | None = None, cmf: dict[str, Any] | None = None
    ) -> Table:
        after = {CHANNEL: channels, DEVICE: devices or {}, CMF: cmf or {}}
        return table(View(make_interval(zeros(after), after)))

    return filled


def row(found: Table, key: str, *names: str) -> list[Any]:
    return [found.column(name)[found.keys.index(key)] for name in names]


def test_work_units_are_percent_of_their_maximum(fill: Callable[..., Table]) -> None:
    """444,000 in a minute of at most 10,000 a second is 74 %; the own part and the bus likewise."""
    assert row(fill({"0.62": FICON}), "62", "cur", "own", "bus") == pytest.approx([74, 10, 10])


@pytest.mark.parametrize("group", [2, 4, 5])
def test_groups_with_work_units_have_one_formula(group: int, fill: Callable[..., Table]) -> None:
    """FICON, and the channels of later generations."""
    assert row(fill({"0.62": FICON | {"cmg": group}}), "62", "cur") == pytest.approx([74])


def test_escon_counts_time(fill: Callable[..., Table]) -> None:
    """Busy ticks by ticks."""
    assert row(fill({"0.10": ESCON}), "10", "cur", "own", "descr") == pytest.approx([25, 12.5, "ESCON"])


def test_data_rates_are_units_of_their_size(fill: Callable[..., Table]) -> None:
    """In millions of bytes per second, of the whole machine."""
    assert row(fill({"0.62": FICON}), "62", "read", "write") == pytest.approx([1.024, 0.2048])


def test_hipersockets_only_send(fill: Callable[..., Table]) -> None:
    """What the whole machine sent, in the machine's units; they are never busy."""
    internal = {"type": 0x24, "cmg": 3, "timestamp": MINUTE, "data_sent": 1, "data_sent_cpc": 6_000_000,
                "data_unit_size": 7, "data_unit_size_cpc": 10}  # fmt: skip
    write, cur = row(fill({"0.f0": internal}), "f0", "write", "cur")
    assert write == pytest.approx(1.0)
    assert isinstance(cur, Absent)


def test_the_time_stamp_may_wrap(make_interval: Callable[..., Interval]) -> None:
    """It does every 36 minutes; busy is the same across it."""
    before = {CHANNEL: {"0.62": FICON | {"timestamp": (1 << 24) - 100, "work_units_cpc": 0}}}
    after = {CHANNEL: {"0.62": FICON | {"timestamp": MINUTE - 100}}}
    assert table(View(make_interval(before, after))).columns["cur"] == pytest.approx([74])


def test_an_equal_time_stamp_is_no_new_data(make_interval: Callable[..., Interval]) -> None:
    """The channel subsystem updates every few seconds; nothing is divided by zero."""
    rows = {CHANNEL: {"0.62": FICON}}
    assert table(View(make_interval(rows, rows, 1))).columns["cur"] == [NOT_YET]


def test_an_interval_longer_than_the_stamp_lasts_is_void(make_interval: Callable[..., Interval]) -> None:
    """It may have wrapped twice."""
    rows = {CHANNEL: {"0.62": FICON}}
    (cur,) = table(View(make_interval(zeros(rows), rows, 3000))).columns["cur"]
    assert isinstance(cur, Absent)


def test_without_measurement_the_own_connect_time_is_an_estimate(fill: Callable[..., Table]) -> None:
    """A device connected for half of the time loads each of its four paths with 12.5 %."""
    paths = {f"0.{chpid}": {"type": 0x1B} for chpid in ("62", "63", "72", "73", "7f")}
    found = fill(paths, {"0.0.7000": DISK}, {"0.0.7000": {"connect": 30_000_000_000}})
    assert row(found, "62", "cur") == pytest.approx([12.5])
    assert found.estimated["cur"] == frozenset({0, 1, 2, 3})
    assert isinstance(row(found, "7f", "cur")[0], Absent)
    assert found.notes[0].startswith("~ estimate")


def test_the_estimate_leaves_out_paths_that_cannot_be_used(make_interval: Callable[..., Interval]) -> None:
    """One that is varied off carries nothing; the others share its part."""
    rows = {DEVICE: {"0.0.7000": DISK | {"vpm": 0xB0}}, CMF: {"0.0.7000": {"connect": 30_000_000_000}}}
    assert own_load(make_interval(zeros(rows), rows)) == pytest.approx(
        dict.fromkeys(("62", "72", "73"), 50 / 3)
    )


def test_the_estimate_adds_devices(make_interval: Callable[..., Interval]) -> None:
    """Each brings its own connect time."""
    rows = {DEVICE: {"0.0.7000": DISK, "0.0.7001": DISK | {"chpids": "62", "pim": 0x80}},
            CMF: {f"0.0.700{n}": {"connect": 6_000_000_000} for n in (0, 1)}}  # fmt: skip
    assert own_load(make_interval(zeros(rows), rows))["62"] == pytest.approx(12.5)


def test_what_pends_behind_a_path_is_of_its_devices_alone(make_interval: Callable[..., Interval]) -> None:
    """A request to one device pends for 2 ms, to the other for 1 ms; who starts more counts more."""
    rows = {CHANNEL: {f"0.{chpid}": {"type": 0x1B} for chpid in ("62", "63", "7f")},
            DEVICE: {"0.0.7000": DISK, "0.0.7001": DISK | {"chpids": "62", "pim": 0x80}},
            CMF: {"0.0.7000": {"ssch": 100, "samples": 100, "pending": 200_000_000},
                  "0.0.7001": {"ssch": 300, "samples": 300, "pending": 300_000_000}}}  # fmt: skip
    both, first, none = ChannelPaths(make_interval(zeros(rows), rows)).column("pend")
    assert (both, first) == pytest.approx((500 / 400, 2.0))
    assert isinstance(none, Absent)


@pytest.mark.parametrize(
    ("pending", "judged"), [(0.005, {"62": BAD}), (0.0005, {})], ids=["many wait", "few wait"]
)
def test_a_busy_path_is_bad_where_requests_wait_for_it(
    pending: float, judged: dict[str, int], make_interval: Callable[..., Interval]
) -> None:
    """At 300 requests a second more than one waits, or hardly one; of the other path nothing is known."""
    (rule,) = [rule for rule in load_rules() if rule.name == "path-waits"]
    starts = 60 * 300
    counted = {"ssch": starts, "samples": starts, "pending": round(pending * 1e9 * starts)}
    device = DISK | {"chpids": "62 63", "pim": 0xC0}
    rows = {
        CHANNEL: {"0.62": FICON | {"work_units_cpc": 500_000}},
        DEVICE: {"0.0.7000": device},
        CMF: {"0.0.7000": counted},
    }
    found = Judge(View(make_interval(zeros(rows), rows))).judge(rule, {}, {})
    assert not isinstance(found, Absent)
    assert {key: one.level for key, one in found.items() if one.level} == judged


def test_a_path_with_a_device_that_nobody_measured_has_no_estimate(
    make_interval: Callable[..., Interval],
) -> None:
    """What the other devices on it did is not its load, least of all when they did nothing."""
    rows = {DEVICE: {"0.0.7000": DISK | {"chpids": "62", "pim": 0x80}, "0.0.7001": DISK},
            CMF: {"0.0.7000": {"ssch": 40}, "0.0.7001": {"ssch": 0, "connect": 0}}}  # fmt: skip
    assert own_load(make_interval(zeros(rows), rows)) == dict.fromkeys(("63", "72", "73"), 0.0)


@pytest.mark.parametrize(
    ("device", "cmf"), [({"online": 0}, {}), ({}, {"ssch": 0})], ids=["offline", "nothing started"]
)
def test_a_device_that_did_nothing_needs_no_measurement(
    device: dict[str, Any], cmf: dict[str, Any], make_interval: Callable[..., Interval]
) -> None:
    """Its paths are as loaded as the others make them."""
    rows = {DEVICE: {"0.0.7000": DISK | device, "0.0.7001": DISK},
            CMF: {"0.0.7000": cmf, "0.0.7001": {"connect": 30_000_000_000}}}  # fmt: skip
    assert own_load(make_interval(zeros(rows), rows))["62"] == pytest.approx(12.5)


def test_a_measured_machine_is_not_estimated(fill: Callable[..., Table]) -> None:
    """One path that is measured shows that all are; nothing is mixed."""
    found = fill({"0.62": FICON, "0.63": {"type": 0x1B}}, {"0.0.7000": DISK}, {"0.0.7000": {"connect": 9}})
    assert dict(found.estimated) == {}


def test_paths_that_only_subchannels_name(fill: Callable[..., Table]) -> None:
    """They are shown, with what is known: how many devices have them."""
    found = fill({"0.62": FICON}, {"0.0.7000": DISK, "0.0.7001": DISK})
    assert found.keys == ["62", "63", "72", "73"]
    assert found.columns["devices"] == [2, 2, 2, 2]
    assert isinstance(row(found, "63", "descr")[0], Absent)


def test_without_devices_nobody_counts_them(make_interval: Callable[..., Interval]) -> None:
    """Not read is not zero."""
    interval = make_interval({}, {CHANNEL: {"0.62": FICON}})
    assert isinstance(table(View(interval)).columns["devices"][0], Absent)


@pytest.mark.parametrize(
    ("installed", "mask", "left"),
    [(0xF0, 0xF0, "abcd"), (0xF0, 0x50, "bd"), (0x50, 0x40, "a"), (absent("x"), 0x00, "abcd")],
)
def test_chpids_stand_in_the_order_of_their_bits(installed: Any, mask: int, left: str) -> None:
    """The first installed bit belongs to the first that is named."""
    assert "".join(in_use("a b c d", installed, mask)) == left


def add(period: Period, interval: Interval, *, estimate: bool = True) -> None:
    """Count an interval, unless it is a gap."""
    if part := period_part(interval, estimate=estimate):
        period.add(part)


def test_the_period_averages_and_distributes(make_interval: Callable[..., Interval]) -> None:
    """A row of the distribution sums to 100; the average is over time, not over intervals."""
    period = Period()
    for units, seconds in ((444_000, 60), (60_000, 60), (0, 120)):
        after = {CHANNEL: {"0.62": FICON | {"work_units_cpc": units, "timestamp": round(seconds / 128e-6)}}}
        interval = make_interval(zeros(after), after, seconds)
        add(period, interval)
    found = table(View(interval, lambda: period))
    assert found.columns["ave"] == pytest.approx([(74 * 60 + 10 * 60) / 240])
    shares = [found.columns[f"r{low}"][0] for low in range(0, 100, 10)]
    assert shares == pytest.approx([200 / 3, 0, 0, 0, 0, 0, 0, 100 / 3, 0, 0])
    assert set(found.facts) == {"begin", "end"}


def test_without_measurement_the_estimates_are_distributed(make_interval: Callable[..., Interval]) -> None:
    """Average and distribution are those of the estimate of each interval, and marked; not those of a gap."""
    period, paths = Period(), {f"0.{chpid}": {"type": 0x1B} for chpid in ("62", "63", "7f")}
    for seconds, connect in ((60, 30), (120, 0), (60, 60)):
        after = {CHANNEL: paths, DEVICE: {"0.0.7000": DISK | {"chpids": "62 63", "pim": 0xC0}},
                 CMF: {"0.0.7000": {"connect": connect * 1_000_000_000}}}  # fmt: skip
        interval = make_interval(zeros(after), after, seconds)
        add(period, interval)
        gap = Interval(interval.before, interval.after._replace(nominal=2.0))
        add(period, gap)
        add(period, interval, estimate=False)
    found = table(View(interval, lambda: period))
    assert found.columns["ave"][:2] == pytest.approx([100 * (15 + 0 + 30) / 240] * 2)
    shares = [found.columns[f"r{low}"][0] for low in range(0, 100, 10)]
    assert shares == pytest.approx([100 / 3, 0, 100 / 3, 0, 100 / 3, 0, 0, 0, 0, 0])
    assert all(found.estimated[name] == frozenset({0, 1}) for name in ("cur", "ave", *RANGES))
    assert isinstance(found.columns["ave"][2], Absent)


def test_of_many_devices_fewer_intervals_are_estimated(make_interval: Callable[..., Interval]) -> None:
    """A jump in a long recording does not take longer for it."""
    few, many = (make_interval(None, {DEVICE: dict.fromkeys(map(str, range(n)), DISK)}) for n in (10, 6000))
    assert estimated_reach(few) > 600 > estimated_reach(many) > 0


def test_a_gap_counts_for_nothing(make_interval: Callable[..., Interval]) -> None:
    """Neither in the average nor in the distribution; the first sample neither."""
    period, after = Period(), {CHANNEL: {"0.62": FICON}}
    interval = make_interval(zeros(after), after, 60)
    add(period, Interval(interval.before, interval.after._replace(nominal=2.0)))
    add(period, Interval(None, interval.after))
    assert (period.channels, period.begin) == ({}, None)


def test_a_path_that_devices_have_lost_is_marked_and_named(fill: Callable[..., Table]) -> None:
    """Those off line do not count, as they use no path at all; without masks it is not known."""
    hurt, off = DISK | {"vpm": 0xB0}, DISK | {"online": 0, "vpm": 0x00}
    found = fill({"0.63": FICON}, {"0.0.7000": hurt, "0.0.7001": hurt, "0.0.7002": DISK, "0.0.7003": off})
    assert [row(found, chpid, "lost") for chpid in ("62", "63", "72")] == [[0], [2], [0]]
    unread = {"online": 1, "chpids": "62", "pim": absent("not read")}
    assert isinstance(row(fill({"0.62": FICON}, {"0.0.7000": unread}), "62", "lost")[0], Absent)
    assert [facts(note) for note in found.notes if note.startswith("Lost: ")] == ["63 2"]


def test_a_path_that_no_device_can_use_is_lost_to_all(make_interval: Callable[..., Interval]) -> None:
    """One that some devices use still carries I/O."""
    hurt = DISK | {"vpm": 0x30}
    devices = {"0.0.7000": hurt, "0.0.7001": DISK | {"vpm": 0x70}}
    assert unusable_paths(make_interval({}, {DEVICE: devices}).after.frame(DEVICE)) == {"62"}


def test_an_internal_id_of_a_channel_path_stands_in_brackets(fill: Callable[..., Table]) -> None:
    """As lschp writes it: it is not the number of a physical channel."""
    ids = {"0.40": {"chid": "0580", "chid_external": 0}, "0.41": {"chid": "0390", "chid_external": 1},
           "0.42": {"chid": "0391"}}  # fmt: skip
    assert fill(ids).column("pchid") == ["(0580)", "0390", "0391"]


@pytest.mark.parametrize("why", [NOT_COLLECTED.about("lschp"), absent("no such directory")])
def test_paths_that_were_not_read_are_not_said_to_be_missing(
    make_interval: Callable[..., Interval], why: Absent
) -> None:
    """Where texts lack lschp, the kernel may well describe them."""
    sample = make_interval({}, {DEVICE: {"0.0.7000": DISK}}).after
    frames = {**sample.frames, CHANNEL.name: empty_frame(CHANNEL, why)}
    filled = table(View(Interval(None, sample._replace(frames=frames))))
    assert filled.keys == ["62", "63", "72", "73"]
    is_collected = why.code != NOT_COLLECTED.code
    assert {code_of(value) for value in filled.column("descr")} == {"" if is_collected else why.code}
