"""Inside an LCU: it is full, has too many aliases, or reads miss the cache; what is not decided is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.situations import LCU, PATHS, load, situation, volume
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY, POSSIBLE
from zmon.diagnosis.verdict import calm, verdict
from zmon.kinds import CACHE_NOT_READ
from zmon.machine.observation import ObservedLcu, ObservedLoad, ObservedVolume
from zmon.queueing.fit import FlowShare
from zmon.queueing.undecided import undecided
from zmon.queueing.waiting import waiting

if TYPE_CHECKING:
    from zmon.base.absent import Number
    from zmon.diagnosis.diagnosis import Verdict

CALM = ObservedLcu("C", "LCU 8", "box", PATHS, misses=0.0)


def volumes(number: int, disc: float, *, rate: float = 250.0, size: float = 8192.0) -> list[ObservedVolume]:
    """Return volumes of LCU 7, of each request of which the LCU has so many seconds."""
    keys = [f"0.0.700{at}" for at in range(number)]
    return [volume(key, rate, size=size)._replace(disc=disc, response=0.0012 + disc) for key in keys]


def machine(lcu: ObservedLcu, *inside: ObservedVolume, beside: bool = True) -> ObservedLoad:
    """Return the load of an LCU, beside a calm one."""
    quiet = volume("0.0.8000", 100.0, lcu="C")._replace(disc=0.0002, response=0.0014)
    found = load(*inside, *((quiet,) if beside else ()))
    return found._replace(lcus=(lcu, CALM) if beside else (lcu,))


def judged(now: ObservedLoad) -> Verdict:
    """Return the verdict on a load."""
    return verdict(situation(now))


def first(now: ObservedLoad) -> tuple[str, str, str]:
    """Return the id, the confidence and the subject of what the verdict says first."""
    found = judged(now).diagnoses[0]
    return found.id, found.confidence, found.subjects[0].key


@pytest.mark.parametrize("size", [8192.0, 32_768.0, 65_536.0, 131_072.0])
@pytest.mark.parametrize("aliases", [0, 4, 7, 8, 16, 64])
def test_an_lcu_is_full_however_many_aliases_are_defined(aliases: int, size: float) -> None:
    """Where more requests wait inside than came over aliases, these are not the cause, few or many."""
    lcu = LCU._replace(aliases=aliases, alias_use=0.9 if aliases else 0.0)
    id_, confidence, subject = first(machine(lcu, *volumes(4, 0.004, size=size)))
    assert id_ in {"D1", "D3"}
    assert (confidence, subject) == (CERTAIN, "L")


@pytest.mark.parametrize(("use", "confidence"), [(3.5, CERTAIN), (4.5, LIKELY)])
def test_aliases_in_use_lower_the_confidence_and_do_not_change_the_verdict(
    use: float, confidence: str
) -> None:
    """As many requests came over aliases as wait inside: both fit, and a calm LCU speaks for a full one."""
    lcu = LCU._replace(aliases=16, alias_use=use)
    assert first(machine(lcu, *volumes(4, 0.004)))[1:] == (confidence, "L")
    told = judged(machine(lcu, *volumes(4, 0.004))).diagnoses[0]
    assert told.id in {"D1", "D3"}


def test_where_no_lcu_is_calm_too_many_aliases_may_be_the_cause() -> None:
    """What is tried first costs nothing: fewer aliases; that it may be full is said as well."""
    lcu = LCU._replace(aliases=16, alias_use=4.5)
    found = judged(machine(lcu, *volumes(4, 0.004), beside=False)).diagnoses
    assert [(one.id, one.confidence) for one in found] == [("D4c", POSSIBLE)]
    assert "full or" in found[0].claim


@pytest.mark.parametrize("aliases", [0, 4])
def test_aliases_are_not_certainly_too_few_where_the_lcu_may_be_full(aliases: int) -> None:
    """What would explain the queue, a full LCU, is not known without cache statistics."""
    waiting = [
        one._replace(rate=200.0, response=0.0052 + 0.02) for one in volumes(4, 0.004)
    ]  # fmt: skip
    measured = LCU._replace(aliases=aliases, alias_use=0.95 * aliases, misses=0.5)
    unknown = measured._replace(misses=CACHE_NOT_READ)
    family = {"D4", "D4b"}
    for lcu, confidence in ((measured, CERTAIN), (unknown, POSSIBLE)):
        (found,) = [one for one in judged(machine(lcu, *waiting)).diagnoses if one.id in family]
        assert found.confidence == confidence
        assert ("cache statistics (--cache)" in found.missing) is (confidence == POSSIBLE)


@pytest.mark.parametrize("listed", [False, True])
def test_data_are_placed_unevenly_whether_or_not_somebody_names_the_files(*, listed: bool) -> None:
    """Where one LCU holds all known files, the idle ones with other volumes are where data may go."""
    now = machine(LCU, *volumes(4, 0.004))
    now = now._replace(
        lcus=(*now.lcus, CALM._replace(key="D", title="LCU 9")),
        volumes=(*now.volumes, volume("0.0.9000", 0.5, lcu="D")),
    )
    shares = [FlowShare("DB.T", "/t", f"0.0.700{at}", 1.0) for at in range(4)]
    told = verdict(situation(now)._replace(shares=lambda: shares if listed else ()))
    assert told.diagnoses[0].id == "D3"
    assert ("MOVES" in told.diagnoses[0].action) is listed
    untimed = tuple(
        one._replace(estimated=True, response=0.06) if one.lcu == "L" else one for one in now.volumes
    )
    guess = verdict(situation(now._replace(volumes=untimed))._replace(shares=lambda: shares))
    assert [(one.id, one.confidence) for one in guess.diagnoses] == [("D1", POSSIBLE)]


def test_what_no_cache_miss_takes_is_a_wait_inside() -> None:
    """Of 25 ms inside a miss has ten at most; whether the LCU or its arrays are full is left open."""
    found = judged(machine(LCU._replace(misses=CACHE_NOT_READ), *volumes(4, 0.025))).diagnoses[0]
    assert (found.id, found.confidence) == ("D1", POSSIBLE)
    assert found.missing == ("cache statistics (--cache)",)
    assert "--cache" in found.confirm


@pytest.mark.parametrize("disc", [0.0009, 0.004, 0.0099])
def test_nothing_is_short_is_not_said_of_requests_that_may_wait_inside(disc: float) -> None:
    """They wait or miss the cache: how many, where, for how long, elsewhere, and what would decide."""
    load_ = machine(LCU._replace(misses=CACHE_NOT_READ), *volumes(4, disc, rate=500.0))
    found = judged(load_)
    (inside,) = undecided(load_, ())
    assert (inside.kind, inside.key) == ("inside", "L")
    assert inside.requests == pytest.approx(2000 * disc)
    assert inside.seconds == pytest.approx(disc)
    assert inside.others == pytest.approx(0.0002)
    assert found.is_calm
    assert not found.sentence.startswith("Nothing")
    assert "LCU 7" in found.sentence
    assert "--cache" in found.sentence
    assert "Next limit" not in found.sentence
    quiet = situation(machine(LCU, *volumes(4, 0.0)))
    assert verdict(quiet).sentence.startswith("Nothing is short")
    over_a_day = calm(quiet, verdict(quiet), (), found.may_wait)
    assert over_a_day.sentence.startswith(found.may_wait)


def test_what_is_as_quick_as_elsewhere_is_no_wait() -> None:
    """Flash answers in less than a millisecond, all LCUs alike: then nothing is short."""
    quick = LCU._replace(misses=CACHE_NOT_READ), CALM._replace(misses=CACHE_NOT_READ)
    alike = [*volumes(4, 0.0002, rate=4000.0), volume("0.0.8000", 900.0, lcu="C")]
    alike[-1] = alike[-1]._replace(disc=0.0002, response=0.0014)
    now = load(*alike)._replace(lcus=quick)
    assert undecided(now, ()) == ()
    assert judged(now).sentence.startswith("Nothing is short")


def test_requests_that_pend_for_long_are_not_nothing() -> None:
    """A single LCU has no sibling that would show what is usual: what waits on the way to it is named."""
    pending = [one._replace(pend=0.003, response=0.004) for one in volumes(4, 0.0)]
    found = judged(machine(LCU, *pending, beside=False))
    assert [place.kind for place in undecided(machine(LCU, *pending, beside=False), ())] == ["pending"]
    assert not found.sentence.startswith("Nothing")
    scsi = [one._replace(sort="SCSI") for one in pending]  # of which the times to a port are no wait
    assert undecided(machine(LCU, *scsi, beside=False), ()) == ()


@pytest.mark.parametrize(("aliases", "id_"), [(2, "D4"), (0, "D4b")])
def test_more_requests_than_are_served_at_once_wait_in_linux_timed_or_not(aliases: int, id_: str) -> None:
    """Without channel measurement: a base does one at a time and each alias one more, however quick."""
    crowd = [
        one._replace(rate=3000.0, estimated=True, pend=0.0, disc=0.0, conn=1 / 3000, response=0.004)
        for one in volumes(3, 0.0)
    ]
    found = judged(machine(LCU._replace(aliases=aliases), *crowd)).diagnoses
    assert [(one.id, one.confidence) for one in found] == [(id_, POSSIBLE)]
    assert found[0].lost == pytest.approx(3 * 12 - 3 - aliases)


def test_a_wait_that_is_not_timed_is_not_nothing() -> None:
    """With aliases enough for all, without channel measurement: they wait at the LCU, or take so long."""
    slow = [
        one._replace(estimated=True, pend=0.0, disc=0.0, conn=0.002, response=0.006)
        for one in volumes(4, 0.0)
    ]
    now = machine(LCU._replace(aliases=16), *slow)
    assert [(place.kind, place.key) for place in undecided(now, ())] == [("untimed", "L")]
    assert not judged(now).sentence.startswith("Nothing")


def beside_one_slow(disc: float, *, estimated: bool = False) -> list[ObservedVolume]:
    """Return volumes of which one alone is slow; Disc of all is that of their aliases together."""
    slow, *others = volumes(4, disc, rate=20.0)
    slow = slow._replace(rate=600.0)
    quick = [other._replace(response=0.0016) for other in others]
    one_by_one = [one._replace(estimated=True, pend=0.0, disc=0.0, conn=0.0008) for one in (slow, *quick)]
    return one_by_one if estimated else [slow, *quick]


@pytest.mark.parametrize("misses", [0.3, CACHE_NOT_READ])
def test_where_one_volume_alone_is_slow_its_disks_are_full_and_not_the_lcu(misses: Number) -> None:
    """The other volumes answer in less than Disc, so that Disc is of the slow one."""
    found = judged(machine(LCU._replace(aliases=16, alias_use=12.0, misses=misses), *beside_one_slow(0.025)))
    diagnosis = found.diagnoses[0]
    assert (diagnosis.id, diagnosis.confidence) == ("D9", LIKELY)
    assert [subject.key for subject in diagnosis.subjects] == ["0.0.7000", "L"]
    assert not {"D1", "D3"} & {other.id for other in found.diagnoses}


def test_without_times_a_slow_volume_is_no_lack_of_aliases_that_are_there() -> None:
    """Base and aliases have room for all its requests: they are long at the disks, as far as can be told."""
    now = machine(LCU._replace(aliases=16), *beside_one_slow(0.025, estimated=True))
    found = judged(now).diagnoses[0]
    assert (found.id, found.confidence, found.subjects[0].key) == ("D9", POSSIBLE, "0.0.7000")
    few = machine(LCU._replace(aliases=2), *beside_one_slow(0.025, estimated=True))
    assert judged(few).diagnoses[0].id == "D4"  # three at a time take 5 ms each: nothing is slow behind them


@pytest.mark.parametrize("estimated", [False, True])
def test_small_writes_that_take_long_wait_for_the_write_cache_or_its_disks(estimated: bool) -> None:
    """The cache answers a write at once as long as it has room; a full LCU would move more bytes."""
    writes = [one._replace(reads=0.1) for one in volumes(4, 0.02, rate=200.0)]
    untimed = [one._replace(estimated=True, pend=0.0, disc=0.0, conn=0.004) for one in writes]
    now = machine(LCU._replace(aliases=16, misses=CACHE_NOT_READ), *(untimed if estimated else writes))
    found = judged(now).diagnoses[0]
    assert (found.id, found.confidence) == ("D9", POSSIBLE)
    assert "write cache" in found.claim


def test_aliases_none_of_which_is_in_use_are_not_used() -> None:
    """Requests that came in bursts would use them in the bursts."""
    waiting = [one._replace(rate=700.0, response=0.0062) for one in volumes(1, 0.0)]
    unused = LCU._replace(aliases=8, alias_use=0.0)
    found = judged(machine(unused, *waiting)).diagnoses[0]
    assert (found.id, found.confidence, found.subjects[0].key) == ("D4d", LIKELY, "L")
    assert undecided(machine(unused, *waiting), ()) == ()
    some = LCU._replace(aliases=8, alias_use=2.0)
    assert [place.kind for place in undecided(machine(some, *waiting), ())] == ["bursts"]


def test_without_times_half_of_the_volumes_are_slow_below_a_full_array() -> None:
    """As many are quick: the LCU has time, and aliases for all requests, which are long at the disks."""
    slow = [one._replace(rate=150.0, response=0.06) for one in volumes(2, 0.0)]
    quick = [one._replace(key=f"{one.key}f", rate=50.0, response=0.002) for one in volumes(3, 0.0)]
    ones = [one._replace(estimated=True, pend=0.0, disc=0.0, conn=0.002) for one in (*slow, *quick)]
    now = machine(LCU._replace(aliases=16, misses=CACHE_NOT_READ), *ones)
    found = judged(now).diagnoses[0]
    assert (found.id, found.confidence) == ("D9", POSSIBLE)
    assert [subject.key for subject in found.subjects] == ["0.0.7000", "0.0.7001", "L"]


def test_many_volumes_with_few_requests_each_are_no_nothing() -> None:
    """The requests of an LCU together are enough for a mean, though those of no volume are."""
    few = [one._replace(rate=0.4) for one in volumes(6, 0.8, size=262_144.0)]
    (place,) = waiting(machine(LCU, *few)).places
    assert (place.kind, place.key) == ("lcu", "L")


def test_scsi_disks_that_wait_alike_are_no_full_lcu() -> None:
    """Their adapters, their ports or their pool may be what they share, and nothing tells which."""
    disks = [
        one._replace(sort="SCSI", estimated=True, pend=0.0, disc=0.0, conn=0.01, response=0.066)
        for one in volumes(3, 0.0)
    ]
    found = judged(machine(LCU, *disks)).diagnoses
    assert [(one.id, len(one.subjects)) for one in found] == [("D24", 3)]
