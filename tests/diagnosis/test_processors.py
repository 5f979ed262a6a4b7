"""Processors are full where tasks wait for them, and withheld where time is stolen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.diagnosis.situations import SCSI, load, only, situation, volume
from tests.goldens import facts
from zmon.base.absent import Absent, absent
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY, POSSIBLE
from zmon.diagnosis.examined import examined
from zmon.diagnosis.verdict import CAUSES
from zmon.machine.observation import ObservedProcessors
from zmon.machine.observed_paths import MultipathDisk, PathLeaf
from zmon.machine.observed_system import ObservedSystem
from zmon.topology.path_sets import ROUND_ROBIN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zmon.base.absent import Number
    from zmon.machine.observation import ObservedLoad

UNKNOWN = absent("not read")


def with_processors(busy: float, stolen: Number = UNKNOWN, *, waits: bool | None = None) -> ObservedLoad:
    """Return a load of four processors."""
    return load(volume())._replace(processors=ObservedProcessors(4, busy, stolen, waits=waits))


@pytest.mark.parametrize(
    ("busy", "waits", "confidence"),
    [
        (0.98, {}, LIKELY),
        (0.98, {"waits": False, "some": 0.3}, LIKELY),
        (0.98, {"waits": True, "some": 0.6}, CERTAIN),
        (1.0, {"waits": False, "some": 0.02}, ""),
        (0.96, {}, LIKELY),
        (0.92, {"waits": True, "some": 0.5}, CERTAIN),
        (0.92, {"waits": True}, CERTAIN),
        (0.92, {"waits": False}, ""),
        (0.96, {"waits": False, "some": 0.01}, ""),
        (0.8, {"waits": True, "some": 0.5}, ""),
    ],
)
def test_full_is_where_tasks_wait(busy: float, waits: Mapping[str, Any], confidence: str) -> None:
    """How busy they are is enough only near 100 % where nobody counted; else tasks that wait decide."""
    of = with_processors(busy)
    found = CAUSES["D15"](situation(of._replace(processors=of.processors._replace(**waits))))
    assert isinstance(found, tuple)
    assert [one.confidence for one in found] == ([confidence] if confidence else [])


def test_where_nothing_shows_whether_tasks_wait_it_is_not_known() -> None:
    """Neither full nor not; the source that would tell is named."""
    found = CAUSES["D15"](situation(load(volume(), busy=0.92)))
    assert isinstance(found, Absent)
    assert "/proc/pressure/cpu" in found.reason
    assert isinstance(CAUSES["D15"](situation(load(volume(), busy=UNKNOWN))), Absent)


def test_stolen_time_is_another_claim() -> None:
    """The hypervisor is named, and what it limits; disks are excluded by what the hardware says."""
    system = ObservedSystem(running=8, hypervisor="z/VM", limits=("the LPAR is capped",))
    found = only(CAUSES["D15"](situation(with_processors(0.5, 0.3), system=system)))
    assert found.claim.startswith("z/VM ")
    assert found.claim.endswith(". The LPAR is capped.")
    assert [facts(found.claim), *map(facts, found.excluded)] == ["30", "1.2"]
    assert [(one.column, one.value) for one in found.evidence][:2] == [
        ("cpu.steal", 30.0),
        ("cpu.busy", 50.0),
    ]
    assert found.lost > 4


def test_more_virtual_processors_than_the_lpar_has() -> None:
    """Then fewer are what to try first."""
    system = ObservedSystem(hypervisor="z/VM", below=2)
    found = only(CAUSES["D15"](situation(with_processors(0.5, 0.5), system=system)))
    assert facts(found.claim).endswith("4 2")
    assert "at most 2" in found.action


def test_a_little_steal_is_none() -> None:
    """Below a tenth of the time nothing is said."""
    assert CAUSES["D15"](situation(with_processors(0.5, 0.05, waits=False))) == ()


def test_more_tasks_that_wait_lose_more() -> None:
    """The rank follows from the tasks that were counted."""
    few, many = (
        only(CAUSES["D15"](situation(load(volume(), busy=0.98), system=ObservedSystem(running=running))))
        for running in (5, 500)
    )
    assert few.lost < many.lost == 496


def test_no_more_tasks_are_lost_than_wait() -> None:
    """Nearly full processors are no endless queue; that some task waits for most of the time is one."""
    of = with_processors(0.99, waits=True)
    of = of._replace(processors=of.processors._replace(some=0.9))
    found = only(CAUSES["D15"](situation(of, system=ObservedSystem(running=4))))
    assert found.lost == 0.9


@pytest.mark.parametrize(
    ("delayed", "running", "some", "lost"),
    [
        (2.3, 8, 0.6, 2.3),
        (20.85, 4, 0.22, 0.88),
        (0.1, 4, 0.6, 0.6),
        (UNKNOWN, 8, 0.11, 0.66),
        (UNKNOWN, 3, 0.6, 0.6),
        (2.3, UNKNOWN, UNKNOWN, 2.3),
        (UNKNOWN, 8, UNKNOWN, 6.0),
    ],
)
def test_as_many_tasks_are_lost_as_wait_on_average(
    delayed: Number, running: Number, some: Number, lost: float
) -> None:
    """Not those of one moment; and no number contradicts the part of the time in which some task waits."""
    now = load(volume(), busy=0.98)
    known = now.processors._replace(number=2, delayed=delayed, some=some)
    system = ObservedSystem(running=running)
    found = only(CAUSES["D15"](situation(now._replace(processors=known), system=system)))
    assert found.lost == pytest.approx(lost)
    told = [facts(one.words) for one in found.evidence]
    assert ("8 2" in told) == (delayed is UNKNOWN and running == 8)
    assert ("2.3" in told) == (delayed == lost)


@pytest.mark.parametrize(("niced", "seen"), [(0.05, True), (0.95, False), (0.5, False)])
def test_programs_at_nice_fill_no_processors(niced: float, *, seen: bool) -> None:
    """They give way to all others: no processor is to be bought for them, and it is said who is busy."""
    now = load(volume(), busy=0.98)
    now = now._replace(processors=now.processors._replace(niced=niced, some=0.9, waits=True))
    here = situation(now)
    found = CAUSES["D15"](here)
    assert isinstance(found, tuple)
    assert bool(found) == seen
    told = [one.words for one in examined(here, found) if one.id == "D15"]
    if seen:
        assert "5" in [facts(one.words) for one in only(found).evidence if "nice" in one.words]
        assert not told
    else:
        assert [facts(words) for words in told] == [f"4 98 {100 * niced:.0f}"]
        assert "nice" in told[0]


def test_processors_that_nothing_waits_for_are_examined() -> None:
    """As many programs as processors use them all the time, and nothing is short."""
    now = load(volume(), busy=1.0)
    now = now._replace(processors=now.processors._replace(some=0.02, waits=False))
    (told,) = examined(situation(now), ())
    assert facts(told.words) == "4 100 2"


def test_fcp_costs_processor_time_only_while_processors_are_full() -> None:
    """What a request costs in the kernel is a hint, no more."""
    disks = (volume("sda", 2000.0, lcu="SCSI"), volume("sdb", 3000.0, lcu="SCSI"))
    fcp = frozenset({"60", "61"})
    system = ObservedSystem(system=0.2)
    found = only(CAUSES["D15b"](situation(load(*disks, busy=0.98, fcp=fcp), system=system)))
    assert found.confidence == POSSIBLE
    assert "160 microseconds" in found.claim  # 4 processors x 0.2 / 5000
    assert CAUSES["D15b"](situation(load(*disks, busy=0.5, fcp=fcp), system=system)) == ()
    assert CAUSES["D15b"](situation(load(volume(), busy=0.98), system=system)) == ()
    assert isinstance(CAUSES["D15b"](situation(load(*disks, busy=0.98, fcp=fcp))), Absent)


@pytest.mark.parametrize(("rate", "advised"), [(60.0, False), (6000.0, True)])
def test_a_change_of_path_after_each_request_costs_only_at_high_rates(rate: float, *, advised: bool) -> None:
    """At sixty requests a second it takes hundredths of a processor, and is not what fills them."""
    leaves = tuple(PathLeaf(name, name, "", "", "", rate / 2, 0.001, 0.1) for name in ("sda", "sdb"))
    maps = (MultipathDisk("dm-0", "mpatha", (leaves,), ROUND_ROBIN, 1),)
    disk = volume("dm-0", rate=rate, lcu=SCSI.key)
    now = load(disk, busy=0.98, fcp=frozenset({"dm-0"}))
    found = only(CAUSES["D15"](situation(now, maps=maps)))
    assert ("rr_min_io" in found.action) is advised
