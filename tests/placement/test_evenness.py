from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, absent
from zmon.placement.items import NO_TRAFFIC, FileItem, Unit
from zmon.placement.measures import NO_UNITS, Mixed, by_space, fullest, mixed, sides, spread, sums

EIGHT = [Unit(str(number), side="even" if number % 2 == 0 else "odd") for number in range(8)]


def on(*loads: float) -> dict[str, float]:
    return {str(number): load for number, load in enumerate(loads)}


STUDY = on(0, 0.1, 0.95, 0, 0, 0.1, 2.85, 0)


@pytest.mark.parametrize(
    ("loads", "uneven", "variation", "jain", "effective", "share"),
    [
        (STUDY, 5.7, 1.877, 0.221, 1.77, 0.713),
        (on(5, 5, 5, 5), 2.0, 1.0, 0.5, 4.0, 0.25),
        (on(*[3] * 8), 1.0, 0.0, 1.0, 8.0, 0.125),
    ],
)  # fmt: skip
def test_the_figures_of_known_loads(  # noqa: PLR0913, PLR0917 - one per figure
    loads: dict[str, float], uneven: float, variation: float, jain: float, effective: float, share: float
) -> None:
    """The case study, even on four of eight, even on all."""
    found = spread(loads, EIGHT)
    assert [found.uneven, found.variation, found.jain, found.effective, found.share] == pytest.approx(
        [uneven, variation, jain, effective, share], abs=0.005
    )


def test_the_worst_unit_is_named() -> None:
    """In the case study it is LCU 6."""
    assert spread(STUDY, EIGHT).worst == "6"


def test_no_load_is_no_number() -> None:
    """And says so, instead of dividing by zero."""
    found = spread({}, EIGHT)
    assert found[3:] == (absent("no load"),) * 5
    assert not found.worst


def test_without_units_there_is_no_spread() -> None:
    """The reason is another one."""
    assert spread({}, []).jain == NO_UNITS


def test_units_of_different_capacity() -> None:
    """A load counts for what its unit can bear: twice the load on twice the unit is even."""
    units = [Unit("0", capacity=40.0), Unit("1", capacity=80.0)]
    found = spread(on(10, 20), units)
    assert [found.uneven, found.jain, found.effective] == pytest.approx([1, 1, 2])


def test_capacities_that_are_known_in_part_count_for_nothing() -> None:
    """Else a unit would weigh by whether somebody wrote down what it can."""
    units = [Unit("0", capacity=40.0), Unit("1")]
    assert spread(on(10, 20), units).share == pytest.approx(2 / 3)


def test_a_load_outside_is_refused() -> None:
    """It would count for nothing silently."""
    with pytest.raises(ValueError, match=r"9.*units"):
        spread({"9": 1}, EIGHT)


def test_a_negative_load_is_refused() -> None:
    """There is none."""
    with pytest.raises(ValueError, match="negative"):
        spread({"1": -1}, EIGHT)


@given(st.lists(st.floats(0, 1e300), min_size=1, max_size=20))
def test_figures_stay_within_what_they_can_be(loads: list[float]) -> None:
    """For any loads, tiny and huge ones too; n_eff is n times Jain."""
    units = [Unit(str(number)) for number in range(len(loads))]
    found = spread(on(*loads), units)
    if isinstance(found.jain, Absent) or isinstance(found.effective, Absent):
        assert not any(loads)
        return
    count = len(loads)
    assert found.effective == pytest.approx(count * found.jain)
    assert 1 / count <= found.jain * (1 + 1e-9)
    assert found.jain <= 1 + 1e-9
    assert not isinstance(found.uneven, Absent)
    assert not isinstance(found.share, Absent)
    assert found.uneven == pytest.approx(found.share * count)


def test_the_sides_of_the_case_study() -> None:
    """Even ones bear nearly everything."""
    assert sides(STUDY, EIGHT) == pytest.approx({"even": 0.95, "odd": 0.05})


def test_sides_without_a_load() -> None:
    """There are none."""
    assert sides({}, EIGHT) == {}


def test_sums_add_what_items_have_in_common() -> None:
    """Per unit."""
    items = [FileItem("a", "T", bytes_on={"1": 3, "2": 1}), FileItem("b", "T", bytes_on={"1": 4})]
    assert sums(items) == {"1": 7, "2": 1}


def test_traffic_that_nobody_measured() -> None:
    """Has its reason, and is not zero."""
    assert sums([FileItem("a", "T")], traffic=True) == NO_TRAFFIC


def test_traffic_that_is_known_of_some() -> None:
    """Is that of these."""
    assert sums([FileItem("a", "T"), FileItem("b", "T", load_on={"1": 2.5})], traffic=True) == {"1": 2.5}


def test_tablespaces_of_the_same_name() -> None:
    """Are two, if they are of two databases."""
    items = [FileItem("a", "T", "X"), FileItem("b", "T", "Y"), FileItem("c", "T", "X")]
    assert {space: len(found) for space, found in by_space(items).items()} == {("X", "T"): 2, ("Y", "T"): 1}


def test_the_volume_that_has_most() -> None:
    """With its part of all bytes."""
    items = [FileItem("a", "T", volumes={"v1": 6, "v2": 1}), FileItem("b", "T", volumes={"v2": 1})]
    assert fullest(items) == ("v1", 0.75)


def test_no_volume_without_bytes() -> None:
    """Nothing is the largest."""
    assert fullest([]) == absent("no load")


def test_logs_beside_data_of_the_same_database() -> None:
    """Are named with what they share the volume with."""
    items = [
        FileItem("/log/1", "redo", "P", "log", volumes={"v1": 10}),
        FileItem("/d/1", "DATA", "P", volumes={"v1": 5, "v2": 5}),
        FileItem("/d/2", "DATA", "Q", volumes={"v1": 5}),
    ]
    assert mixed(items) == [Mixed("v1", "P", ("/log/1",), ("DATA",))]


def test_a_log_of_unknown_size_is_beside_data_too() -> None:
    """If the volume is the only one that it may be on."""
    data = FileItem("/d/1", "DATA", "P", volumes={"v1": 5})
    log = FileItem("/log/1", "redo", "P", "log", unsized={"v1": "u"})
    assert mixed([data, log]) == [Mixed("v1", "P", ("/log/1",), ("DATA",), unsized=True)]
    assert mixed([data, log._replace(unsized={"v1": "u", "v2": "u"})]) == []


def test_logs_beside_data_of_another_database() -> None:
    """Are no matter of this one."""
    items = [FileItem("l", "redo", "P", "log", volumes={"v": 1}), FileItem("d", "D", "Q", volumes={"v": 1})]
    assert mixed(items) == []
