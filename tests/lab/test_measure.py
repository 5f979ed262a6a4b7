from __future__ import annotations

import pytest

from tests.lab.boxes import aim, box, paths
from zmon.lab.measure import QUANTITIES, WITHIN, Measure, MeasureError, measured, parse_measure
from zmon.lab.model import Compute, Count, DiskIo, Phase, Scenario, SimulatedLcu, Stream
from zmon.lab.simulation import Simulation

STEPS = (Compute(1000.0), DiskIo(aim(), "read"), Count("transaction"))


@pytest.fixture(scope="module")
def course() -> Simulation:
    """Return one who computes for 1 ms and reads 4 KiB at 4 MB/s, so about 490 times a second."""
    machine = box(SimulatedLcu("LCU 6", "7600", 0, latency=0.0, speed=8.0), paths(2, 4.0), pav=0)
    phases = (Phase("work", 20.0, (Stream("x", 1, STEPS),)), Phase("rest", 20.0, ()))
    return Simulation(
        Scenario("mine", "title", "text", seed=1, step=5.0, begin=0, box=machine, phases=phases, warm=1.0)
    )


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("IO/s in work", 494),
        ("MB/s in work", 2.02),
        ("MB/s in work of nothing", None),
        ("per second of transaction in work", 494),
        ("response in work", 1.024),
        ("busy of LCU 6 in work", 25.3),
        ("busy of paths in work", 25.3),
        ("busy of cpu in work", 49.4),
        ("busy of 7000 in work", 50.6),
        ("in flight in work", 0.506),
        ("time of read in work", 1.024),
        ("cpu of transaction in work", 1.0),
        ("service in work", 1.024),
        ("total peak in work", 2.048),
        ("total median in work", 1.5),
        ("before in work", 0.0),
        ("total within 1.024-2.048 in work", 100.0),
        ("service within 0-1.024 of 7000 in work", 0.0),
        ("array IO/s of LCU 6 in work", 0),
    ],
)
def test_quantities(course: Simulation, said: str, expected: float | None) -> None:
    """What is measured is what can be reckoned from the box."""
    if expected is None:
        with pytest.raises(MeasureError):
            measured(course, parse_measure(said)[0])
    else:
        assert measured(course, parse_measure(said)[0]) == pytest.approx(expected, rel=0.04)


def test_without_a_phase_all_are_measured(course: Simulation) -> None:
    """Half of the time there is nothing to do."""
    assert measured(course, Measure("IO/s", "", "", "")) == pytest.approx(247, rel=0.04)


def test_a_phase_in_which_nothing_is_done_has_no_average(course: Simulation) -> None:
    """Nothing is not 0 ms."""
    with pytest.raises(MeasureError, match="no average"):
        measured(course, Measure("response", "", "rest", ""))


def test_a_ratio_is_two_quantities() -> None:
    """Each of its own phase and scenario."""
    assert parse_measure("MB/s of LCU 6 in all day / IO/s at pav-3") == (
        Measure("MB/s", "LCU 6", "all day", ""),
        Measure("IO/s", "", "", "pav-3"),
    )


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_every_quantity_can_be_said(quantity: str) -> None:
    """Of something, in a phase, at another scenario."""
    if quantity in WITHIN:
        (found,) = parse_measure(f"{quantity} 0-0.512 of x in y at z")
        assert found == Measure(quantity, "x", "y", "z", 0.0, 0.512)
    else:
        assert parse_measure(f"{quantity} of x in y at z") == (Measure(quantity, "x", "y", "z"),)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("total within", "they need one"),
        ("MB/s 0-0.512", "goes with total within"),
        ("total within 0.512-0.5", "0.512-0.5"),
        ("total within 0-0.5", "0-0.5"),
        ("total within 0-1.0.2", "0-1.0.2"),
    ],
)
def test_a_range_is_one_of_buckets(said: str, expected: str) -> None:
    """A histogram of the DASD driver knows nothing between the ends of its buckets."""
    with pytest.raises(ValueError, match=expected):
        parse_measure(said)


@pytest.mark.parametrize("said", ["", "frogs", "MB/s / MB/s / MB/s", "MB/s in", "MB/s at a b"])
def test_what_is_not_understood_is_refused(said: str) -> None:
    """The message lists the quantities."""
    with pytest.raises(ValueError, match="quantities are MB/s"):
        parse_measure(said)
