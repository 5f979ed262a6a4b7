"""Totals of disks never fall, whatever comes, goes or is reset, and count what is known."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from tests.exposition.conftest import samples_of
from tests.frames import frame_of
from zmon.base.absent import absent
from zmon.exposition.disk_totals import COUNTERS, PLACE, DiskTotals
from zmon.interval import Interval
from zmon.kinds import BLOCK, CMF, DEVICE, TICK, U32
from zmon.sample import Frame, Instant, Sample

if TYPE_CHECKING:
    from zmon.base.absent import Value

SECOND = 1_000_000_000
LCU = '{box="75000000ABC12",lcu="7600"}'
MODULUS = U32 * TICK


class Guest:
    """A guest with some DASD of one LCU, whose counters a test sets."""

    def __init__(self) -> None:
        self.now = 1000
        self.rows: dict[str, dict[str, int]] = {}

    def device(self, number: int) -> dict[str, int]:
        """Return the counters of a device, which comes if it is not there."""
        fresh = {"ssch": 0, "samples": 0, "connect": 0, "elapsed": 0, "reads": 0, "ua": number}
        return self.rows.setdefault(f"0.0.{0x7600 + number:04x}", fresh)

    def sample(self) -> Sample:
        """Take the sample of the next second."""
        self.now += 1
        at = self.now * SECOND
        for row in self.rows.values():
            row["elapsed"] += SECOND
        devices: dict[str, dict[str, Value]] = {
            key: {"uid": f"IBM.75000000ABC12.7600.{row['ua']:02x}", "online": 1, "alias": 0,
                  "block": f"dasd{row['ua']}", "cutype": "3990/e9"}
            for key, row in self.rows.items()
        }  # fmt: skip
        measured: dict[str, dict[str, Value]] = {
            key: {name: row[name] for name in ("ssch", "samples", "connect", "elapsed")}
            for key, row in self.rows.items()
        }
        blocks: dict[str, dict[str, Value]] = {
            f"dasd{row['ua']}": {"reads": row["reads"], "map": absent("none")} for row in self.rows.values()
        }
        frames = (frame_of(DEVICE, devices, at), frame_of(CMF, measured, at), frame_of(BLOCK, blocks, at))
        return Sample(Instant(at, at, "boot"), {frame.kind.name: frame for frame in frames})


def value(totals: DiskTotals, name: str) -> float | None:
    """Return the total of the LCU."""
    found = totals.lcus.get(LCU)
    place = PLACE[name, ""]
    return found.values[place] if found is not None and found.known[place] else None


STEPS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(("work", "work", "work", "leave", "reset", "wrap", "rest"))),
    min_size=2,
    max_size=25,
)


@given(STEPS)
def test_totals_never_fall(steps: list[tuple[int, str]]) -> None:
    """Devices come, go, are switched off and on; what is counted is at most what was done."""
    guest, totals = Guest(), DiskTotals(devices=True)
    for number in range(4):
        guest.device(number)
    before = guest.sample()
    highest, done = 0.0, 0
    for number, what in steps:
        if what == "leave":
            guest.rows.pop(f"0.0.{0x7600 + number:04x}", None)
        elif what == "reset":
            guest.device(number).update(ssch=0, samples=0, connect=0, elapsed=0)
        elif what == "work":
            row = guest.device(number)
            for name in ("ssch", "samples", "reads"):
                row[name] += 10
            row["connect"] = (row["connect"] + 5_000_000) % MODULUS
            done += 10
        elif what == "wrap":
            guest.device(number)["connect"] = MODULUS - 1
        after = guest.sample()
        totals.follow(Interval(before, after))
        before = after
        now = value(totals, "ssch")
        assert now is None or highest <= now <= done
        highest = now or highest
    each = totals.devices or {}
    assert sum(one.values[PLACE["ssch", ""]] for one in each.values()) == highest
    assert totals.system.values[PLACE["ssch", ""]] == highest


def test_a_counter_that_wraps_goes_on() -> None:
    """What passed the end of the counter is known, because the age of the row grew."""
    guest, totals = Guest(), DiskTotals()
    guest.device(0)["connect"] = MODULUS - 1_000
    before = guest.sample()
    guest.device(0)["connect"] = 5_000
    totals.follow(Interval(before, guest.sample()))
    assert value(totals, "connect_seconds") == 6_000


def test_a_device_that_comes_back_is_counted_from_its_first_difference() -> None:
    """What its counters say when it comes was done before, or by somebody else."""
    guest, totals = Guest(), DiskTotals()
    guest.device(0)
    guest.device(1)["ssch"] = 1_000_000
    samples = [guest.sample()]
    away = guest.rows.pop("0.0.7601")
    guest.device(0)["ssch"] += 7
    samples.append(guest.sample())
    guest.rows["0.0.7601"] = away
    samples.append(guest.sample())
    guest.device(1)["ssch"] += 5
    samples.append(guest.sample())
    seen = []
    for before, after in itertools.pairwise(samples):
        totals.follow(Interval(before, after))
        seen.append(value(totals, "ssch"))
    assert seen == [7, 7, 12]


def test_another_volume_under_the_number_is_not_compared() -> None:
    """Its counters may be higher than those of the volume before it, and say nothing of a difference."""
    guest, totals = Guest(), DiskTotals()
    guest.device(0)
    before = guest.sample()
    guest.device(0).update(ssch=5_000, samples=5_000)
    after = guest.sample()
    cells: dict[str, list[Value]] = {**after.frames["cmf"].columns, "uid": ["IBM.75000000ABC12.7600.55"]}
    frames = dict(before.frames)
    frames["cmf"] = Frame(CMF, before.frames["cmf"].keys,
                          {**before.frames["cmf"].columns, "uid": ["IBM.75000000ABC12.7600.00"]},
                          before.frames["cmf"].times)  # fmt: skip
    other = after._replace(
        frames={**after.frames, "cmf": Frame(CMF, after.frames["cmf"].keys, cells, after.frames["cmf"].times)}
    )
    totals.follow(Interval(before._replace(frames=frames), other))
    assert value(totals, "ssch") is None


def test_what_rests_is_zero_and_what_is_not_measured_is_absent() -> None:
    """Devices that did nothing have a series with 0; a counter that nobody reads has none."""
    guest, totals = Guest(), DiskTotals()
    guest.device(0)
    totals.follow(Interval(guest.sample(), guest.sample()))
    assert value(totals, "ssch") == 0
    assert value(totals, "pending_seconds") is None


def test_a_restart_of_the_machine_adds_nothing() -> None:
    """Its counters begin anew, and the totals go on."""
    guest, totals = Guest(), DiskTotals()
    guest.device(0)
    before = guest.sample()
    guest.device(0)["ssch"] += 3
    middle = guest.sample()
    guest.device(0)["ssch"] += 100
    after = guest.sample()
    totals.follow(Interval(before, middle))
    totals.follow(Interval(middle, after._replace(at=after.at._replace(boot="another"))))
    assert value(totals, "ssch") == 3


def test_reading_only_what_moved_gives_the_same() -> None:
    """Of intervals in which nothing but counters changed only devices that did something are read."""
    few, every = DiskTotals(devices=True), DiskTotals(devices=True)
    samples = samples_of("shark-before", 12)
    for before, after in itertools.pairwise(samples):
        few.follow(Interval(before, after))
        every._whole = False
        every.follow(Interval(before, after))
    assert few.lcus.keys() == every.lcus.keys() != set()
    for key, totals in every.lcus.items():
        assert (few.lcus[key].values, few.lcus[key].known) == (totals.values, totals.known)
    assert {key: one.values for key, one in (few.devices or {}).items()} == {
        key: one.values for key, one in (every.devices or {}).items()
    }
    assert len(few.system.values) == len(COUNTERS)


def test_the_queue_is_what_is_left_of_the_time_of_requests() -> None:
    """Nothing waits where devices answer as fast as Linux is served; it never falls."""
    totals = DiskTotals()
    samples = samples_of("shark-before", 12)
    last: dict[str, float] = {}
    for before, after in itertools.pairwise(samples):
        totals.follow(Interval(before, after))
        assert all(totals.queued[key] >= was for key, was in last.items())
        last = dict(totals.queued)
    assert any(last.values())
