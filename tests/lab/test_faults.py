"""Scenarios in which something fails: healthy first, and from the second phase on what the title says."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.lab.plans import FAULTS, samples
from zmon.base.absent import Absent
from zmon.diagnosis.judged import verdict_of
from zmon.interval import Interval
from zmon.kinds import BLOCK, CACHE, CHANNEL, CMF, CPU, DEVICE, LAYER, MEMORY, PATH, PRESSURE, TASKS
from zmon.lab.scenario import load_scenario
from zmon.machine.view import View
from zmon.topology.machine import UserInputs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zmon.lab.model import Scenario
    from zmon.sample import Kind

LENGTH = 4
"""Intervals of each phase in these tests."""


def short(name: str) -> Scenario:
    """Return a scenario with two phases of four intervals of two seconds."""
    plan = load_scenario(name)
    phases = tuple(phase._replace(seconds=LENGTH * 2.0) for phase in plan.phases)
    return plan._replace(step=2.0, phases=phases, warm=2.0, drawn=LENGTH)


@cache
def intervals(name: str) -> tuple[Interval, Interval]:
    """Return the last healthy interval, and the one in which the fault begins."""
    found = samples(short(name))
    return Interval(*found[LENGTH - 1 : LENGTH + 1]), Interval(*found[LENGTH : LENGTH + 2])


def total(interval: Interval, kind: Kind, field: str, keys: Iterable[str] = ()) -> float:
    """Return the growth of a counter of some rows, or of all."""
    rows = interval.of(kind)
    wanted = set(keys) or {*rows.keys}
    values = [value for key, value in zip(rows.keys, rows.numbers(field), strict=True) if key in wanted]
    return sum(value for value in values if not isinstance(value, Absent))


def per_sample(interval: Interval, field: str, lcu: str) -> float:
    """Return ms of a part of the service time of the I/O of an LCU."""
    rows = interval.of(DEVICE)
    keys = [key for key, uid in zip(rows.keys, rows["uid"], strict=True) if f".{lcu}." in str(uid)]
    return total(interval, CMF, field, keys) / total(interval, CMF, "samples", keys) / 1e6


def wait(interval: Interval, what: str, prefix: str = "dasd") -> float:
    """Return ms that the block layer waits for reads or writes of some disks."""
    keys = [key for key in interval.of(BLOCK).keys if key.startswith(prefix)]
    return total(interval, BLOCK, f"{what}_ms", keys) / total(interval, BLOCK, f"{what}s", keys)


@pytest.mark.parametrize("name", FAULTS)
def test_the_fault_begins_at_twenty_past_nine(name: str) -> None:
    """Twenty minutes into the scenario, as each title says."""
    plan = load_scenario(name)
    assert len(plan.phases) == 2
    assert (plan.begin % 86400, plan.phases[0].seconds) == (9 * 3600, 1200)
    assert "09:20" in plan.title


def test_a_lost_path_falls_from_the_masks() -> None:
    """Of the volumes of LCU 0 alone; the sample at the end of the healthy phase still has it."""
    well, ill = intervals("path-lost")
    for interval, masks in ((well, (0xF0, 0xF0)), (ill, (0xD0, 0xF0))):
        for name in ("pom", "vpm"):
            found = [interval.of(DEVICE).cell(key, name) for key in ("0.0.8000", "0.0.8100")]
            assert found == [*masks]
        assert interval.of(DEVICE).cell("0.0.8000", "pim") == 0xF0
    assert total(well, CHANNEL, "work_units", ["0.52"]) > 0
    assert total(ill, CHANNEL, "work_units", ["0.52"]) == 0
    assert per_sample(ill, "pending", "8000") == pytest.approx(per_sample(well, "pending", "8000"), rel=0.05)


def test_a_slow_path_lets_one_lcu_pend() -> None:
    """Half of the requests five times 0.65 ms; the other LCU has other paths."""
    well, ill = intervals("path-slow")
    assert [per_sample(one, "pending", "8000") for one in (well, ill)] == pytest.approx([0.65, 1.95], rel=0.1)
    assert [per_sample(one, "pending", "8100") for one in (well, ill)] == pytest.approx([0.65] * 2, rel=0.05)


def test_disks_over_a_slow_adapter_wait_longer() -> None:
    """Those over the other one do not."""
    well, ill = intervals("fcp-path-slow")
    layers = ill.of(LAYER)
    for adapter, factor in (("0.0.fc60", 1.0), ("0.0.fc61", 3.6)):
        of_it = zip(layers["name"], layers["busid"], strict=True)
        names = [str(name) for name, busid in of_it if busid == adapter]
        times = [
            total(one, BLOCK, "read_ms", names) / total(one, BLOCK, "reads", names) for one in (well, ill)
        ]
        assert times[1] / times[0] == pytest.approx(factor, rel=0.2)


def test_the_paths_over_an_adapter_that_is_offline_fail() -> None:
    """Each multipath device has four paths over two adapters, then two of them work, over one."""
    for interval, adapters in zip(intervals("fcp-one-adapter"), (2, 1), strict=True):
        paths = interval.of(PATH)
        works: dict[object, set[object]] = {}
        for name, adapter, state in zip(paths["map"], paths["adapter"], paths["state"], strict=True):
            works.setdefault(name, set()).update({adapter} if state == "active" else ())
        assert {len(found) for found in works.values()} == {adapters}
        assert len(works) == 16
        disks = [key for key in interval.of(BLOCK).keys if key.startswith("sd")]
        assert len(disks) == len(paths.keys) == 64


def test_a_mirror_adds_the_same_to_every_write() -> None:
    """Writes take 1.8 ms longer, reads as long."""
    well, ill = intervals("remote-mirror")
    assert wait(ill, "write") - wait(well, "write") == pytest.approx(1.8, abs=0.1)
    assert wait(ill, "read") == pytest.approx(wait(well, "read"), rel=0.15)


def test_a_full_write_cache_delays_writes() -> None:
    """The cache statistics count them; reads take as long as before."""
    well, ill = intervals("write-cache-full")
    assert total(well, CACHE, "dfw_delayed") == 0
    assert total(ill, CACHE, "dfw_delayed") > 0.5 * total(ill, CACHE, "writes")
    assert wait(ill, "write") > 5 * wait(well, "write")
    assert wait(ill, "read") == pytest.approx(wait(well, "read"), rel=0.2)


def test_a_guest_begins_to_swap() -> None:
    """Its swap space fills, and tasks wait for memory."""
    well, ill = intervals("swap-begins")
    for name in ("swapped_in", "swapped_out"):
        assert total(well, MEMORY, name) == 0 < total(ill, MEMORY, name)
    assert total(well, PRESSURE, "some", ["memory"]) == 0 < total(ill, PRESSURE, "some", ["memory"])
    frees = [one.of(MEMORY).cell("memory", "swap_free") for one in (well, ill)]
    assert frees[0] > frees[1]  # type: ignore[operator]  # both are there


def test_requests_of_a_hung_volume_stay_in_flight() -> None:
    """Six of them, none ends; the other volumes are as fast as before."""
    well, ill = intervals("volume-hangs")
    assert total(well, BLOCK, "reads", ["dasdh"]) > 0
    assert total(ill, BLOCK, "reads", ["dasdh"]) == total(ill, CMF, "samples", ["0.0.8007"]) == 0
    assert ill.of(BLOCK).cell("dasdh", "in_flight") == 6
    assert ill.of(TASKS).cell("tasks", "blocked") >= 6  # type: ignore[operator]  # it is there
    assert total(ill, BLOCK, "io_ms", ["dasdh"]) == pytest.approx(2000, abs=2)
    assert total(ill, PRESSURE, "some", ["io"]) == pytest.approx(2e9, rel=0.001)
    assert wait(ill, "write") == pytest.approx(wait(well, "write"), rel=0.05)


def test_requests_of_a_suspended_device_are_counted_nowhere() -> None:
    """The device mapper puts them aside before it counts them: tasks are blocked, and that is all."""
    well, ill = intervals("dm-suspended")
    assert [one.of(LAYER).cell("253:0", "suspended") for one in (well, ill)] == [0, 1]
    assert total(well, BLOCK, "reads", ["dm-0"]) > 0
    assert total(ill, BLOCK, "reads", ["dm-0"]) == total(ill, BLOCK, "io_ms", ["dm-0"]) == 0
    assert ill.of(BLOCK).cell("dm-0", "in_flight") == 0
    assert total(ill, BLOCK, "reads", ["dm-1"]) > 0
    assert ill.of(TASKS).cell("tasks", "blocked") >= 20  # type: ignore[operator]  # it is there


def test_processors_are_stolen_and_service_times_stay() -> None:
    """More than a third of the time of two processors; disks answer as before, Linux hears of it later."""
    well, ill = intervals("zvm-steal")
    assert total(well, CPU, "steal") < 0.01 * 4e9
    assert total(ill, CPU, "steal") > 4e9 / 3
    parts = ("pending", "disconnect", "connect")
    times = [sum(per_sample(one, part, "8000") for part in parts) for one in (well, ill)]
    assert times[1] == pytest.approx(times[0], rel=0.3)
    assert wait(ill, "read") > 3 * wait(well, "read")


def test_small_stripes_are_many_requests_for_the_same_data() -> None:
    """Of 64 KiB one request of 64 KiB becomes eight of 8; the logical volume counts one."""
    well, ill = intervals("small-stripes")
    for interval, name, parts in ((well, "dm-0", 1), (ill, "dm-1", 8)):
        disks = [key for key in interval.of(BLOCK).keys if key.startswith("dasd")]
        requests, sectors = (total(interval, BLOCK, field, disks) for field in ("reads", "sectors_read"))
        assert sectors / requests == 128 / parts
        assert total(interval, BLOCK, "reads", [name]) == pytest.approx(requests / parts, abs=12)
        assert total(interval, BLOCK, "sectors_read", [name]) == pytest.approx(sectors, rel=0.01)
    table = str(ill.of(LAYER).cell("253:1", "table")).split()
    assert table[2:6] == ["striped", "8", "16", "94:1"]
    assert table[6] == str(2048 + 10**10 // (1 << 20) * 2048), "behind the first logical volume"


def test_requests_wait_in_the_device_mapper() -> None:
    """Its await is several times that of the disks, which stays."""
    well, ill = intervals("dm-queue")
    assert wait(well, "read", "dm-") == pytest.approx(wait(well, "read"), rel=0.01)
    assert wait(ill, "read", "dm-") > 5 * wait(ill, "read")
    assert wait(ill, "read") <= 1.1 * wait(well, "read")
    at_once = total(ill, BLOCK, "weighted_ms", ["dm-0"]) / 2000
    assert at_once > 4 * total(well, BLOCK, "weighted_ms", ["dm-0"]) / 2000 > 1


def test_the_others_wait_for_a_service_that_uses_none_of_their_disks() -> None:
    """They share only the LCU; it says who fills it, in the claim and in the evidence."""
    well, ill = intervals("who-loads")
    own = ["dasda", "dasdb"]  # those of the ledger
    before, now = (total(one, BLOCK, "read_ms", own) / total(one, BLOCK, "reads", own) for one in (well, ill))
    assert now > 5 * before
    verdict = verdict_of(View(ill, inputs=UserInputs))
    (full,) = (one for one in verdict.diagnoses if one.id == "D1")
    assert "reports (97 %)" in full.claim
    assert any(one.subject.title == "reports" and float(str(one.value)) > 90 for one in full.evidence)
