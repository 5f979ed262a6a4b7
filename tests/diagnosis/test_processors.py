"""Processors are full where tasks wait for them, and withheld where time is stolen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.situations import SCSI, load, only, situation, volume
from zmon.absent import Absent, absent
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY, POSSIBLE
from zmon.diagnosis.observed_machine import MultipathDisk, ObservedSystem, PathLeaf
from zmon.diagnosis.processors import costly_fcp, full_processors
from zmon.queueing.observation import ObservedProcessors
from zmon.topology.path_sets import ROUND_ROBIN

if TYPE_CHECKING:
    from zmon.absent import Number
    from zmon.queueing.observation import ObservedLoad

UNKNOWN = absent("not read")


def with_processors(busy: float, stolen: Number = UNKNOWN, *, waits: bool | None = None) -> ObservedLoad:
    """Return a load of four processors."""
    return load(volume())._replace(processors=ObservedProcessors(4, busy, stolen, waits=waits))


@pytest.mark.parametrize(
    ("busy", "waits", "confidence"),
    [
        (0.98, None, CERTAIN),
        (0.96, None, LIKELY),
        (0.92, True, CERTAIN),
        (0.92, False, ""),
        (0.96, False, ""),
        (0.8, True, ""),
    ],
)
def test_full_is_where_tasks_wait(busy: float, *, waits: bool | None, confidence: str) -> None:
    """How busy they are is enough only near 100 %; below, waiting tasks decide."""
    found = full_processors(situation(with_processors(busy, waits=waits)))
    assert isinstance(found, tuple)
    assert [one.confidence for one in found] == ([confidence] if confidence else [])


def test_where_nothing_shows_whether_tasks_wait_it_is_not_known() -> None:
    """Neither full nor not; the source that would tell is named."""
    found = full_processors(situation(load(volume(), busy=0.92)))
    assert isinstance(found, Absent)
    assert "/proc/pressure/cpu" in found.reason
    assert isinstance(full_processors(situation(load(volume(), busy=UNKNOWN))), Absent)


def test_stolen_time_is_another_claim() -> None:
    """The hypervisor is named, and what it limits; disks are excluded by what the hardware says."""
    system = ObservedSystem(running=8, hypervisor="z/VM", limits=("the LPAR is capped",))
    found = only(full_processors(situation(with_processors(0.5, 0.3), system=system)))
    assert found.claim == ("z/VM withholds 30 % of the processors' time from Linux. The LPAR is capped.")
    assert found.excluded == ("not the disks: the hardware serves a request in 1.2 ms",)
    assert [(one.column, one.value) for one in found.evidence][:2] == [
        ("cpu.steal", 30.0),
        ("cpu.busy", 50.0),
    ]
    assert found.lost > 4


def test_more_virtual_processors_than_the_lpar_has() -> None:
    """Then fewer are what to try first."""
    system = ObservedSystem(hypervisor="z/VM", below=2)
    found = only(full_processors(situation(with_processors(0.5, 0.5), system=system)))
    assert "The guest has 4 virtual processors, its LPAR only 2" in found.claim
    assert found.action.startswith("Give the guest at most 2 virtual processors")


def test_a_little_steal_is_none() -> None:
    """Below a tenth of the time nothing is said."""
    assert full_processors(situation(with_processors(0.5, 0.05, waits=False))) == ()


def test_more_tasks_that_wait_lose_more() -> None:
    """The rank follows from the tasks that were counted."""
    few, many = (
        only(full_processors(situation(load(volume(), busy=0.98), system=ObservedSystem(running=running))))
        for running in (5, 500)
    )
    assert few.lost < many.lost == 496


def test_no_more_tasks_are_lost_than_wait() -> None:
    """Nearly full processors are no endless queue; that some task waits for most of the time is one."""
    system = ObservedSystem(running=4, cpu_some=0.9)
    found = only(full_processors(situation(with_processors(0.99, waits=True), system=system)))
    assert found.lost == 0.9


def test_fcp_costs_processor_time_only_while_processors_are_full() -> None:
    """What a request costs in the kernel is a hint, no more."""
    disks = (volume("sda", 2000.0, lcu="SCSI"), volume("sdb", 3000.0, lcu="SCSI"))
    fcp = frozenset({"60", "61"})
    system = ObservedSystem(system=0.2)
    found = only(costly_fcp(situation(load(*disks, busy=0.98, fcp=fcp), system=system)))
    assert found.confidence == POSSIBLE
    assert "160 microseconds" in found.claim  # 4 processors x 0.2 / 5000
    assert costly_fcp(situation(load(*disks, busy=0.5, fcp=fcp), system=system)) == ()
    assert costly_fcp(situation(load(volume(), busy=0.98), system=system)) == ()
    assert isinstance(costly_fcp(situation(load(*disks, busy=0.98, fcp=fcp))), Absent)


@pytest.mark.parametrize(("rate", "advised"), [(60.0, False), (6000.0, True)])
def test_a_change_of_path_after_each_request_costs_only_at_high_rates(rate: float, *, advised: bool) -> None:
    """At sixty requests a second it takes hundredths of a processor, and is not what fills them."""
    leaves = tuple(PathLeaf(name, name, "", "", "", rate / 2, 0.001, 0.1) for name in ("sda", "sdb"))
    maps = (MultipathDisk("dm-0", "mpatha", (leaves,), ROUND_ROBIN, 1),)
    disk = volume("dm-0", rate=rate, lcu=SCSI.key)
    now = load(disk, busy=0.98, fcp=frozenset({"dm-0"}))
    found = only(full_processors(situation(now, maps=maps)))
    assert found.action.startswith("Set rr_min_io to 100" if advised else "Give this Linux more processors")
