"""zmon.placement.traffic: whose traffic that of a disk is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.placement.study import FILES, sample
from zmon.base.absent import Absent, absent
from zmon.placement.traffic import (
    ALONE,
    BYTES,
    FITTED,
    IDLE,
    NO_COUNTERS,
    Attribution,
    activities,
    attribution,
    divided,
    together,
)
from zmon.topology.machine import Machine

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    File = tuple[str, str, int, int]


def shared(files: Sequence[File], now: Mapping[int, float], *before: Mapping[int, float]) -> Attribution:
    """Return whose traffic it is; that of disks is by the LCU of each."""
    rates = [{f"94:{4 * lcu}": each.get(lcu, 0.0) for lcu in range(8)} for each in (now, *before)]
    return attribution(Machine(sample(files)), rates[0], rates[1:])


def spaces(found: Attribution, files: Sequence[File]) -> dict[str, float]:
    """Return the traffic of each tablespace."""
    sums: dict[str, float] = {}
    for path, space, _mib, lcu in files:
        load = found.of(path, f"94:{4 * lcu}")
        assert not isinstance(load, Absent)
        sums[space] = sums.get(space, 0.0) + load
    return sums


OLD = [(f"/old.{lcu}", "OLD", 50, lcu) for lcu in range(4)]
NEW = [(f"/new.{lcu}", "NEW", 12, lcu) for lcu in (4, 5)]
RESTRIPED = [(f"/all.{lcu}", "RESTRIPED", 4, lcu) for lcu in range(6)]
STRIPES = [*OLD, *NEW, *RESTRIPED]
"""Four volumes that were full, two that were added, and data that lie on all six."""


def test_a_file_that_is_alone_has_all_the_traffic_of_its_disk() -> None:
    """Exactly."""
    found = shared([("/a", "A", 6, 1), ("/b", "B", 2, 2)], {1: 4e6, 2: 1e6})
    assert (found.of("/a", "94:4"), found.of("/b", "94:8")) == (4e6, 1e6)
    assert set(found.files.values()) == set(found.spaces.values()) == {ALONE}


def test_files_of_one_tablespace_share_by_bytes() -> None:
    """That it is this tablespace is sure; which of its files is not."""
    found = shared([("/a", "A", 6, 1), ("/b", "A", 2, 1)], {1: 4e6})
    assert (found.of("/a", "94:4"), found.of("/b", "94:4")) == (3e6, 1e6)
    assert found.spaces == {("PROD", "A"): ALONE}
    assert set(found.files.values()) == {BYTES}


def test_tablespaces_that_always_lie_together_share_by_bytes() -> None:
    """Nothing tells them apart."""
    files = [("/a", "A", 6, 1), ("/b", "B", 2, 1), ("/c", "A", 6, 2), ("/d", "B", 2, 2)]
    found = shared(files, {1: 4e6, 2: 4e6}, {1: 1e6, 2: 1e6})
    assert spaces(found, files) == pytest.approx({"A": 6e6, "B": 2e6})
    assert set(found.spaces.values()) == {BYTES}


def test_an_idle_disk_shows_that_a_tablespace_is_idle() -> None:
    """Of what was added, the tablespace that is there alone has all; not the large one, and not by bytes."""
    found = shared(STRIPES, {4: 3e6, 5: 3.1e6})
    assert spaces(found, STRIPES) == pytest.approx({"OLD": 0.0, "NEW": 6.1e6, "RESTRIPED": 0.0})
    assert found.spaces["PROD", "NEW"] == found.spaces["PROD", "RESTRIPED"] == FITTED
    assert found.spaces["PROD", "OLD"] == IDLE


def test_the_fewest_tablespaces_explain_the_traffic() -> None:
    """All disks do the same: one tablespace that lies evenly on all of them, not two that happen to agree."""
    rates = {lcu: 2.5e6 * (1 + lcu % 3 / 50) for lcu in range(6)}
    found = spaces(shared(STRIPES, rates), STRIPES)
    assert found["RESTRIPED"] > 0.95 * sum(rates.values())


def test_what_changed_between_intervals_tells_tablespaces_apart() -> None:
    """The two that happen to agree now did not before: then they are two."""
    now = dict.fromkeys(range(6), 2500000.0)
    before = [{**dict.fromkeys(range(4), 2.5e6), **dict.fromkeys((4, 5), 1e5 * each)} for each in range(9)]
    found = spaces(shared(STRIPES, now, *before), STRIPES)
    assert found["OLD"] > 0.9 * 1e7
    assert found["NEW"] > 0.9 * 5e6


def test_a_hot_file_of_a_tablespace_that_is_else_idle_does_not_blame_another() -> None:
    """Its tablespace does not explain the disk, and no other does: bytes share it, and it says so."""
    files = [("/hot", "A", 6, 0), *((f"/a{n}", "A", 6, n) for n in (1, 2, 3, 4)), ("/b", "B", 2, 0),
             *((f"/b{n}", "B", 2, n) for n in (5, 6, 7))]  # fmt: skip
    found = shared(files, {0: 8e6})
    assert spaces(found, files) == pytest.approx({"A": 6e6, "B": 2e6})
    assert found.files["/hot"] == found.files["/b"] == BYTES


def test_traffic_that_was_not_read_is_absent() -> None:
    """It is not zero."""
    found = attribution(Machine(sample()), {"94:24": absent("not read"), "94:4": 1.0})
    assert isinstance(found.of("/db/t1.0", "94:24"), Absent)
    assert found.of("/db/t4.0", "94:8") is NO_COUNTERS


def test_the_basis_in_words() -> None:
    """So many files each, and how many intervals."""
    assert shared(STRIPES, {4: 3e6, 5: 3e6}, {4: 1e6}).words == "4 fitted to 2 intervals"
    assert shared(FILES, {2: 1e6}).words == "4 by bytes"
    assert not shared(FILES, {}).words


def test_the_traffic_of_a_disk_is_divided_by_what_is_counted_of_each_logical_volume() -> None:
    """Each volume and each disk has what is counted of it; a volume that is suspended has none."""
    held = {("a", "lv1"): 3.0, ("b", "lv1"): 1.0, ("a", "lv2"): 1.0, ("b", "lv2"): 3.0, ("b", "lv3"): 9.0}
    found = divided(held, {"a": 30.0, "b": 50.0, "lv1": 20.0, "lv2": 60.0, "lv3": 0.0})
    for number, which, rate in (("a", 0, 30), ("b", 0, 50), ("lv1", 1, 20), ("lv2", 1, 60), ("lv3", 1, 0)):
        assert sum(one for place, one in found.items() if place[which] == number) == pytest.approx(
            rate, rel=0.01
        )


def test_what_is_in_no_counted_volume_has_the_rest_of_the_disk() -> None:
    """A partition beside a logical volume, for instance."""
    found = divided({("a", "lv"): 5.0, ("a", ""): 5.0}, {"a": 40.0, "lv": 10.0})
    assert found == {("a", "lv"): pytest.approx(10.0, rel=0.05), ("a", ""): pytest.approx(30.0, rel=0.05)}


def test_a_suspended_volume_has_nothing_even_where_nothing_else_is_known_on_its_disks() -> None:
    """The kernel counts that it has none."""
    assert divided({("a", "lv"): 5.0}, {"a": 40.0, "lv": 0.0}) == {("a", "lv"): 0.0}


# laws

RATES = st.dictionaries(st.integers(0, 7), st.just(0.0) | st.floats(1e-6, 1e9), max_size=8)
"""Bytes a second; a millionth is less than one byte in a week, and far from where floats lose digits."""
SOME = st.lists(
    st.tuples(st.sampled_from("ABCD"), st.integers(1, 9), st.integers(0, 7)), min_size=1, max_size=12
).map(lambda rows: [(f"/{n}", space, mib, lcu) for n, (space, mib, lcu) in enumerate(rows)])


@given(SOME, RATES, st.lists(RATES, max_size=3))
def test_the_files_on_a_disk_have_all_its_traffic(
    files: list[File], now: dict[int, float], before: list[dict[int, float]]
) -> None:
    """No more and no less, and none of it is negative."""
    found = shared(files, now, *before)
    for lcu in {lcu for *_, lcu in files}:
        loads = [found.of(path, f"94:{4 * lcu}") for path, _space, _mib, on in files if on == lcu]
        assert all(load >= 0 for load in loads)
        assert sum(loads) == pytest.approx(now.get(lcu, 0.0))


@given(SOME, RATES, st.randoms(use_true_random=False))
def test_the_order_of_files_does_not_matter(files: list[File], now: dict[int, float], random: object) -> None:
    """The same files in another order have the same traffic."""
    other = list(files)
    random.shuffle(other)  # type: ignore[attr-defined]  # a Random
    one, two = shared(files, now), shared(other, now)
    assert spaces(one, files) == pytest.approx(spaces(two, files), rel=1e-6, abs=1e-3)
    assert one.spaces == two.spaces


@given(SOME, RATES, st.lists(RATES, max_size=3), st.sampled_from([2.0**-20, 0.25, 8.0, 2.0**20]))
def test_twice_the_traffic_is_twice_that_of_each(
    files: list[File], now: dict[int, float], before: list[dict[int, float]], times: float
) -> None:
    """In all intervals: what is a part stays the same part."""
    first = shared(files, now, *before)
    more = [{lcu: rate * times for lcu, rate in each.items()} for each in (now, *before)]
    assert dict(shared(files, *more).parts) == pytest.approx(dict(first.parts))


@given(st.lists(st.floats(0, 100), min_size=3, max_size=3))
def test_tablespaces_that_can_be_told_apart_have_what_they_do(wanted: list[float]) -> None:
    """Three on four disks, no two of them alike: the activities come out that made the traffic."""
    columns = [{"a": 3.0, "b": 1.0}, {"b": 2.0, "c": 2.0}, {"c": 1.0, "d": 5.0}]
    rates: dict[str, float] = {}
    for column, activity in zip(columns, wanted, strict=True):
        for disk, count in column.items():
            rates[disk] = rates.get(disk, 0.0) + count * activity
    assert activities(columns, [rates]) == pytest.approx(wanted, abs=0.02 * (sum(wanted) + 1e-9))


def test_groups_hold_each_tablespace_once() -> None:
    """Those of the same proportions on the same disks are one."""
    found = together({
        ("", "A"): {"1": 6.0, "2": 6.0}, ("", "B"): {"1": 2.0, "2": 2.1}, ("", "C"): {"1": 9.0, "2": 1.0},
        ("", "D"): {"1": 6.0},
    })  # fmt: skip
    assert [names for names, _ in found] == [(("", "A"), ("", "B")), (("", "C"),), (("", "D"),)]
    assert found[0][1] == {"1": 8.0, "2": 8.1}
