"""How busy resources are, from what an interval shows; what it does not show is no figure."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, Number, absent
from zmon.machine.observation import (
    MAX_MISS,
    MIN_LOST,
    SMALL,
    ObservedLcu,
    ObservedLoad,
    ObservedProcessors,
    ObservedVolume,
    busy_words,
    utilisation,
)
from zmon.queueing.fit import LEAST_WAITING, observed_model, shows_lcus
from zmon.queueing.headroom import resource_uses

if TYPE_CHECKING:
    from zmon.queueing.resource import Resource

MISSES = 0.05


def load(*discs: float, more: float = 0.0, misses: float | None = MISSES, seed: int = 0) -> ObservedLoad:
    """Return a minute of an LCU; its volumes have these times of Disc, and so much more each.

    They come in an order that the seed makes.
    """
    each = [
        ObservedVolume(f"0.0.7{at:03x}", f"7{at:03x}", f"94:{4 * at}", "L", 7.3 + at / 3,
                       0.0006, 0.0002, disc + more, 0.0001, 8192.0, 1.0, 1)
        for at, disc in enumerate(discs)
    ]  # fmt: skip
    random.Random(seed).shuffle(each)  # noqa: S311 - any order will do
    known = absent("not read") if misses is None else misses
    lcu = ObservedLcu("L", "LCU 7", "box", ("50", "51"), misses=known)
    paths = {"50": 0.1, "51": 0.1}
    return ObservedLoad(60.0, tuple(each), (lcu,), paths, True, ObservedProcessors(4, 0.1))


def lcu_uses(of: ObservedLoad) -> list[Number]:
    """Return how busy the LCU is, if that is known."""
    return [one.use for one in resource_uses(of) if one.kind == "lcu"]


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("misses", [MISSES, None])
def test_the_rounding_of_sums_is_no_use(misses: float | None, seed: int) -> None:
    """Where Disc is all of cache misses it says nothing of the LCU, in whatever order it is added up."""
    same = [MISSES * MAX_MISS] * 30
    assert lcu_uses(load(*same, misses=misses, seed=seed)) == []
    assert lcu_uses(load(*(one * at / 40 for at, one in enumerate(same)), misses=misses, seed=seed)) == []


def test_few_requests_that_wait_do_not_tell_how_busy_an_lcu_is() -> None:
    """On an idle machine a few times of Disc are no utilisation."""
    same = [MISSES * MAX_MISS] * 30
    rate = sum(7.3 + at / 3 for at in range(30))
    assert lcu_uses(load(*same, more=0.9 * LEAST_WAITING / rate)) == []
    assert lcu_uses(load(*same, more=1.1 * LEAST_WAITING / rate)) != []


@pytest.mark.parametrize(("waiting", "is_told"), [(0.9, False), (1.1, True)])
@pytest.mark.parametrize("size", [8192.0, 131_072.0])
def test_where_disc_may_be_service_alone_it_takes_a_wait_to_tell(
    size: float, waiting: float, *, is_told: bool
) -> None:
    """Without cache statistics large requests may be long in the LCU for other reasons, small ones miss."""
    rate = sum(7.3 + at / 3 for at in range(30))
    of = load(*[MAX_MISS * (size < SMALL)] * 30, more=waiting * MIN_LOST / rate, misses=None)
    of = of._replace(volumes=tuple(one._replace(size=size) for one in of.volumes))
    assert bool(lcu_uses(of)) is is_told


def test_what_waits_tell_is_an_estimate_and_what_a_capacity_tells_is_none() -> None:
    """Nobody outside of a storage server measures how busy it is: the words have the mark of an estimate."""
    of = load(*[MISSES * MAX_MISS] * 30, more=1e-3)
    (guessed,) = [one for one in resource_uses(of) if one.kind == "lcu"]
    assert (guessed.estimated, guessed.busy[0]) == (True, "~")
    of = of._replace(lcus=(of.lcus[0]._replace(capacity=1e7),))
    (known,) = [one for one in resource_uses(of) if one.kind == "lcu"]
    assert (known.estimated, "~" in known.busy) == (False, False)


@given(uses=st.lists(st.floats(0.0, 40.0), min_size=1, max_size=4))
def test_no_path_is_busy_for_more_than_all_of_the_time(uses: list[float]) -> None:
    """Where connect times overlap it is said how many requests are connected, which is no utilisation."""
    most = max(uses)
    assert ("%" in busy_words(most)) is (most <= 1)
    assert isinstance(utilisation(most), Absent) is (most > 1)
    of = load(0.0)._replace(paths={"5" + str(at): use for at, use in enumerate(uses)})
    for one in resource_uses(of):
        percents = [float(each) for each in re.findall(r"([0-9.]+) %", one.busy)]
        assert all(each <= 100 for each in percents)


def test_waits_tell_how_busy_an_lcu_is() -> None:
    """The more requests wait, the busier it is, in whatever order volumes are added up."""
    same = [MISSES * MAX_MISS] * 30
    little, much = (lcu_uses(load(*same, more=more)) for more in (5e-4, 5e-3))
    assert len(little) == len(much) == 1
    assert little[0] < much[0] < 1
    assert lcu_uses(load(*same, more=5e-4, seed=7)) == pytest.approx(little)


@given(
    discs=st.lists(st.sampled_from([0.0, 1e-5, 5e-4, 6e-4, 5e-3]), min_size=1, max_size=4),
    misses=st.sampled_from([None, 0.0, MISSES]),
    size=st.sampled_from([8192.0, 131_072.0]),
)
def test_a_model_is_left_out_only_where_it_has_no_busy_lcu(
    discs: list[float], misses: float | None, size: float
) -> None:
    """What tells whether anything shows how busy an LCU is agrees with the model."""
    of = load(*discs, misses=misses)
    of = of._replace(volumes=tuple(one._replace(size=size) for one in of.volumes))
    assert shows_lcus(of) is any(observed_model(of).service.values())


def path_use(of: ObservedLoad) -> Resource:
    """Return how busy the only group of paths is."""
    (one,) = [each for each in resource_uses(of) if each.kind == "paths"]
    return one


def test_ficon_paths_are_full_together() -> None:
    """A request takes any that is free: one that is busier than the others leaves as much room."""
    one = path_use(load(0.001)._replace(paths={"50": 0.26, "51": 0.0}))
    assert one.use == pytest.approx(0.13)
    assert one.busy == "13 % busy on average"
    even = path_use(load(0.001)._replace(paths={"50": 0.13, "51": 0.13}))
    assert even.busy == "13 % busy"


def test_a_path_that_stands_idle_beside_a_full_one_is_no_room() -> None:
    """It is not taken, whatever the reason."""
    assert path_use(load(0.001)._replace(paths={"50": 0.9, "51": 0.0})).use == 0.9


def test_an_fcp_adapter_is_full_alone() -> None:
    """Paths of SCSI disks take turns, so that the busiest limits."""
    of = load(0.001)._replace(paths={"50": 0.26, "51": 0.0}, fcp=frozenset({"50", "51"}))
    assert path_use(of).use == 0.26


def test_of_lcus_that_share_a_part_of_their_paths_the_busiest_path_counts() -> None:
    """A request of one of them cannot take all."""
    of = load(0.001)
    other = of.lcus[0]._replace(key="M", chpids=("51", "52"))
    of = of._replace(lcus=(*of.lcus, other), paths={"50": 0.26, "51": 0.0, "52": 0.0})
    assert path_use(of).use == 0.26


def test_what_zmon_itself_uses_is_no_load() -> None:
    """On a slow machine it takes much of a processor; without it there is room."""
    busy = load(0.001)._replace(processors=ObservedProcessors(2, 0.99, own=0.18))
    (one,) = [each for each in resource_uses(busy) if each.kind == "processors"]
    assert one.use == pytest.approx(0.81)
    assert one.busy == "81 % busy without zmon itself"


def test_what_runs_at_nice_is_no_load() -> None:
    """It gives way to whatever comes, so its processors are there for more load."""
    busy = load(0.001)._replace(processors=ObservedProcessors(2, 0.98, own=0.03, niced=0.9))
    (one,) = [each for each in resource_uses(busy) if each.kind == "processors"]
    assert one.use == pytest.approx(0.05)
    assert one.busy == "5 % busy without zmon itself and programs at nice"


def test_a_delay_of_writes_alone_is_no_use_of_an_lcu() -> None:
    """Requests wait in turn, reads and writes alike: what a write takes longer is a mirror's, not a queue.

    Where writes wait for one another in Linux nothing is known of it; there Disc counts as it is.
    """
    plain = load(0.0, 0.0, misses=0.0)
    quick = plain.volumes[0]._replace(read_response=0.0003, response=0.0003)
    slow = plain.volumes[1]._replace(
        disc=0.0018, reads=0.0, response=0.0021, write_response=0.0021, rate=80.0
    )
    queued = slow._replace(response=0.004, write_response=0.004)
    assert lcu_uses(plain._replace(volumes=(quick, slow))) == []
    assert lcu_uses(plain._replace(volumes=(quick, queued))) != []


def test_a_lost_path_is_not_an_idle_one_in_the_mean_of_its_group() -> None:
    """It carries nothing, and has room for nothing: the mean is of those that are left."""
    of = load(0.0)._replace(paths={"50": 0.4, "51": 0.0})
    used = [one.use for one in resource_uses(of) if one.kind == "paths"]
    left = [one.use for one in resource_uses(of._replace(lost=frozenset({"51"}))) if one.kind == "paths"]
    assert [*used, *left] == pytest.approx([0.2, 0.4])
