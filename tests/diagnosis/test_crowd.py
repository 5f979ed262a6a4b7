"""Trouble is found in a large machine in which nothing else waits, wherever in it the trouble is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from zmon.base.absent import absent
from zmon.diagnosis.catalogue import catalogue
from zmon.diagnosis.diagnosis import LIKELY
from zmon.diagnosis.situation import Situation
from zmon.diagnosis.verdict import verdict
from zmon.machine.observation import ObservedLcu, ObservedLoad, ObservedProcessors, ObservedVolume, Volumes
from zmon.machine.observed_machine import ObservedMachine
from zmon.machine.observed_system import HungDisk, ObservedSystem
from zmon.machine.observed_volumes import StackedDisk, VolumeDetail
from zmon.queueing.waiting import waiting

if TYPE_CHECKING:
    from collections.abc import Sequence

LCUS: Final = 24
EACH: Final = 12
"""Volumes of an LCU."""
PLACES: Final = (0, 11, LCUS - 1)
NOT_READ: Final = absent("not read")
CALM: Final = VolumeDetail(0.0, 0.0, 0.95, 0.0, 0.0, "simplex", 0.01, 64)


def volumes(at: int) -> list[ObservedVolume]:
    """Return the volumes of an LCU: of few requests each, some of none; reads and writes take 1 ms."""
    return [
        ObservedVolume(
            f"0.0.{at:02x}{one:02x}", f"{at:02x}{one:02x}", f"94:{one}", f"L{at}", 12.0 if one % 3 else 0.0,
            0.001, 0.0002, 0.0003, 0.0005, 4096.0, 0.6, 1, read_response=0.001, write_response=0.001,
        )
        for one in range(EACH)
    ]  # fmt: skip


def crowd(
    changed: Sequence[ObservedVolume] = (),
    details: dict[str, VolumeDetail] | None = None,
    stacked: Sequence[StackedDisk] = (),
    hung: Sequence[HungDisk] = (),
) -> Situation:
    """Return the situation of a machine with many LCUs, in which some volumes and details are others."""
    other = {one.key: one for one in changed}
    every = [other.get(one.key, one) for at in range(LCUS) for one in volumes(at)]
    lcus = tuple(ObservedLcu(f"L{at}", f"LCU {at}", "box", (f"{at:02x}",), misses=0.05) for at in range(LCUS))
    paths = {one.chpids[0]: 0.05 for one in lcus}
    load = ObservedLoad(60.0, Volumes.of(every), lcus, paths, True, ObservedProcessors(4, 0.1))
    known = dict.fromkeys((one.key for one in every), CALM) | (details or {})
    machine = ObservedMachine(system=ObservedSystem, hung=lambda: hung)
    return Situation(load, waiting(load), details=lambda: known, stacked=lambda: stacked, machine=machine)


def first(situation: Situation) -> tuple[str, str]:
    """Return the id of what the verdict says first and the key of what it is about."""
    found = verdict(situation).diagnoses
    return (found[0].id, found[0].subjects[0].key) if found else ("", "")


def test_a_calm_crowd_has_no_diagnosis() -> None:
    """What is found below is found because of the trouble alone."""
    found = verdict(crowd())
    assert found.diagnoses == ()
    assert found.sentence.startswith("Nothing is short")


@pytest.mark.parametrize("at", PLACES)
def test_one_lcu_whose_requests_pend_is_found(at: int) -> None:
    """D5, of which nothing waits in Linux or inside the LCU."""
    slow = [one._replace(pend=0.003, response=0.0038) for one in volumes(at)]
    assert first(crowd(slow)) == ("D5", f"L{at}")


@pytest.mark.parametrize("at", PLACES)
def test_one_full_write_cache_is_found(at: int) -> None:
    """D7, also where the writes of each volume are few."""
    ones = volumes(at)
    slow = [one._replace(write_response=0.02, response=0.0086, disc=0.0079) for one in ones]
    delayed = {one.key: CALM._replace(delayed=0.4) for one in ones}
    found = verdict(crowd(slow, delayed))
    assert [(one.id, one.subjects[0].key) for one in found.diagnoses if one.id == "D7"] == [("D7", f"L{at}")]


@pytest.mark.parametrize("at", PLACES)
@pytest.mark.parametrize(("name", "id_"), [("device_busy", "D5b"), ("cu_queue", "D5c")])
def test_one_volume_that_others_use_is_found(name: str, id_: str, at: int) -> None:
    """D5b and D5c, of one volume among all."""
    key = volumes(at)[4].key
    found = verdict(crowd(details={key: CALM._replace(**{name: 0.01})}))
    assert [(one.id, one.subjects[0].key, one.subjects[1].key) for one in found.diagnoses] == [
        (id_, f"L{at}", key)
    ]


@pytest.mark.parametrize("at", PLACES)
def test_who_reserves_a_volume_comes_before_the_aliases_that_it_then_lacks(at: int) -> None:
    """D5b is measured, and explains D4b of the same volume: aliases would wait for the device as well."""
    slow = volumes(at)[4]._replace(rate=120.0, pend=0.0065, response=0.025)
    found = verdict(crowd([slow], {slow.key: CALM._replace(device_busy=0.006)}))
    assert [(one.id, one.confidence) for one in found.diagnoses] == [("D5b", LIKELY)]
    assert {(one.id, by) for one, by in found.explained} == {("D4b", "D5b"), ("D5", "D5b")}


def test_a_queue_above_the_disks_explains_the_tasks_that_wait_for_it() -> None:
    """D11 explains D17: the tasks wait for something that was found."""
    assert "D17" in catalogue()["D11"].explains


@pytest.mark.parametrize("at", PLACES)
def test_one_lcu_in_which_requests_wait_is_found(at: int) -> None:
    """D1: they wait there, beyond cache misses, for longer than they are transferred."""
    slow = [one._replace(rate=40.0, disc=0.02, response=0.0207) for one in volumes(at) if one.rate]
    found = verdict(crowd(slow))
    assert any(one.id in {"D1", "D9"} and one.subjects[0].key == f"L{at}" for one in found.diagnoses)


@pytest.mark.parametrize("at", PLACES)
def test_one_volume_that_hangs_is_found(at: int) -> None:
    """D21: it completes nothing, so that it has no load."""
    key = volumes(at)[0].key
    assert first(crowd(hung=[HungDisk(key, key[4:], 60.0, 3)])) == ("D21", key)


def test_a_queue_above_the_disks_is_found() -> None:
    """D11: requests wait in a device that is made of disks on which nothing waits."""
    assert first(crowd(stacked=[StackedDisk("dm-3", 500.0, 0.006, 0.001, 500.0, 4096.0)]))[0] == "D11"


def test_all_tags_in_use_are_found() -> None:
    """D11b: of one volume, by the requests in it."""
    key = volumes(5)[1].key
    found = verdict(crowd(details={key: CALM._replace(in_linux=63.0)}))
    assert [(one.id, one.subjects[0].key) for one in found.diagnoses] == [("D11b", key)]
