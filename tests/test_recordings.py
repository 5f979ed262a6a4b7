"""The recordings of simulated machines that ship: they replay with the figures of the laboratory's report."""

from __future__ import annotations

import os
from contextlib import closing
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Final

import pytest

from tests.lab.plans import digest
from zmon.base.absent import Absent
from zmon.base.shipped import shipped
from zmon.cli.main import main
from zmon.interval import Interval
from zmon.kinds import BLOCK, CHANNEL
from zmon.lab.measure import measured, parse_measure
from zmon.lab.scenario import load_scenario
from zmon.lab.simulation import Simulation
from zmon.machine.channel_paths import busy_percents, own_load
from zmon.machine.view import View
from zmon.screen.definition import load_screens
from zmon.session.machines import simulated
from zmon.session.recording import open_recording
from zmon.tables.filled import fill

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.lab.measure import Measure
    from zmon.lab.model import Scenario

FOLDER: Final = Path(__file__).parents[1] / "recordings"
NAMES: Final = ("shark-before", "shark-after", "healthy-day")
BIGGEST: Final = 1_000_000
"""Bytes of each of them at the most."""
SECOND: Final = 1_000_000_000
NEAR: Final = 0.02
"""Part by which a figure of a phase may differ from that of its simulated intervals, as others are drawn."""
SHOWN: Final = ("MB/s", "IO/s", "response")
"""What counters of disks tell of a whole phase."""


def file_of(name: str) -> Path:
    """Return the recording of a scenario; without it there is nothing to test."""
    file = FOLDER / f"lab-{name}.zmon"
    if not file.exists():
        pytest.skip(f"{file.name} is not there: make recordings")
    return file


def window(plan: Scenario, phase: str) -> tuple[int, int]:
    """Return when a phase begins and ends."""
    begin = plan.begin * SECOND
    for one in plan.phases:
        end = begin + round(one.seconds * SECOND)
        if one.name == phase:
            return begin, end
        begin = end
    raise AssertionError(f"{plan.name} has no phase {phase}")


def played(name: str, measure: Measure) -> float | None:
    """Return a quantity as the counters in a recording tell it; None for what a kernel does not count."""
    plan = load_scenario(name)
    begin, end = window(plan, measure.phase)
    with closing(open_recording(str(file_of(name)))) as tape:
        if measure.quantity in SHOWN:
            first, last = tape.find(begin), tape.find(end)
            assert first is not None
            assert last is not None
            return of_disks(plan, measure, Interval(first.sample, last.sample, skipped=True))
        for group in plan.box.paths:
            if measure.quantity == "busy" and measure.of == group.name:
                return fmean(
                    of_paths(group.chpids, interval)
                    for interval in tape.intervals(tape.find(end))
                    if begin < interval.after.at.utc
                )
    return None


def of_disks(plan: Scenario, measure: Measure, interval: Interval) -> float:
    """Return what disks did, from their block statistics."""
    lcus = [place for place, lcu in enumerate(plan.box.lcus) if not measure.of or lcu.name == measure.of]
    delta = interval.of(BLOCK)
    grown = {
        field: sum(
            number
            for number, volume in zip(delta.numbers(field), plan.box.volumes, strict=True)
            if volume.lcu in lcus and not isinstance(number, Absent)
        )
        for field in ("reads", "writes", "sectors_read", "sectors_written", "read_ms", "write_ms")
    }
    requests = grown["reads"] + grown["writes"]
    if measure.quantity == "response":
        return (grown["read_ms"] + grown["write_ms"]) / requests
    seconds = interval.seconds
    assert not isinstance(seconds, Absent)
    if measure.quantity == "IO/s":
        return requests / seconds
    return (grown["sectors_read"] + grown["sectors_written"]) * 512 / seconds / 1e6


def of_paths(chpids: tuple[str, ...], interval: Interval) -> float:
    """Return percent busy of paths, as CHANNEL shows them: measured, or in a guest its own share."""
    delta = interval.of(CHANNEL)
    percent = dict(zip((key[2:] for key in delta.keys), busy_percents(delta), strict=True))
    known = [value for chpid in chpids if not isinstance(value := percent[chpid], Absent)]
    return fmean(known or map(own_load(interval).__getitem__, chpids))


def figures() -> Iterator[tuple[str, str]]:
    """Yield the scenarios that ship as recordings, and what is measured in them."""
    for name in NAMES:
        for figure in load_scenario(name).figures:
            yield name, figure.measure


def test_what_can_be_seen_in_recordings_is_most_of_the_table() -> None:
    """Only what no kernel counts cannot: how busy a control unit is within."""
    unseen = [
        said
        for name, said in figures()
        for measure in parse_measure(said)
        if measure.quantity not in SHOWN and (measure.quantity != "busy" or measure.of.startswith("LCU"))
    ]

    assert unseen == ["busy of LCU 6 in two", "busy of LCU 6 in four", "busy of LCU 0 in incident"]


@cache
def course(name: str) -> Simulation:
    """Return a scenario, simulated once for all tests."""
    return Simulation(load_scenario(name))


@pytest.mark.parametrize(("name", "said"), list(figures()))
def test_a_recording_replays_with_the_figures_of_the_table(name: str, said: str) -> None:
    """Within the bounds of the study, and close to what the report says of the model."""
    figure = next(figure for figure in load_scenario(name).figures if figure.measure == said)
    measures = parse_measure(said)
    found = [played(measure.scenario or name, measure) for measure in measures]
    if None in found:
        pytest.skip("no kernel counts it")
    model = [measured(course(measure.scenario or name), measure) for measure in measures]
    values = [value for value in found if value is not None]
    ratio = values[0] / values[1] if len(values) == 2 else values[0]

    assert values == pytest.approx(model, rel=NEAR)
    assert figure.low <= ratio <= figure.high


@pytest.mark.parametrize(
    ("name", "carried", "response"),
    [("shark-before", (39.5, 40.5), (50, 70)), ("shark-after", (34, 40), (10, 20))],
)
def test_the_control_unit_that_was_full(
    name: str, carried: tuple[float, float], response: tuple[float, float]
) -> None:
    """LCU 6 under four queries as CTLUNIT shows it: all of its 40 MB/s and some 60 ms; and after."""
    with closing(open_recording(str(file_of(name)))) as tape:
        span = tape.span()
        assert span is not None
        table = fill("control_unit", View(next(tape.intervals(tape.find(span[1])))))
    row = table.keys.index("IBM.750000000F2001.7600")
    megabytes, waited = table.column("mbs")[row], table.column("resp")[row]

    assert isinstance(megabytes, float)
    assert isinstance(waited, float)
    assert carried[0] <= megabytes <= carried[1]
    assert response[0] <= waited <= response[1]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_small(name: str) -> None:
    """Who clones the repository carries it along."""
    assert file_of(name).stat().st_size <= BIGGEST


@pytest.mark.parametrize("name", NAMES)
def test_all_of_it_can_be_read(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """There is no hole in it, its checksums are right, and it says what it is."""
    assert main(["info", "--check", str(file_of(name))]) == 0
    assert "simulated" in capsys.readouterr().out.lower()


PARTS: Final = (0.0, 0.001, 0.3, 0.5, 0.61, 1.0)
"""Where a recording is compared with its simulation, from begin to end."""


@pytest.mark.parametrize("name", NAMES)
def test_it_is_what_the_laboratory_gives_today(name: str) -> None:
    """Else `make recordings` was forgotten after a change of the model or of a scenario.

    Of the longest, which takes long to simulate, only the beginning is compared, and all before a release.
    """
    whole = name != "healthy-day" or os.environ.get("HYPOTHESIS_PROFILE") == "thorough"
    plan = load_scenario(name)
    laboratory = simulated([plan])
    span = laboratory.span()
    assert span is not None
    begin, end = span
    with closing(open_recording(str(file_of(name)))) as tape:
        assert tape.span() == (begin, end)
        for part in PARTS if whole else PARTS[:2]:
            utc = begin + round((end - begin) * part)
            recorded, made = tape.find(utc), laboratory.find(utc)
            assert recorded is not None
            assert made is not None
            assert recorded.sample.simulated
            assert digest([recorded.sample]) == digest([made.sample])


@pytest.mark.parametrize("name", NAMES)
def test_its_screens_are_filled(name: str) -> None:
    """All of those that are about everything."""
    with closing(open_recording(str(file_of(name)))) as tape:
        span = tape.span()
        assert span is not None
        interval = next(tape.intervals(tape.find(span[1])))
        for screen in load_screens(shipped("screens")):
            if screen.table != "details":
                fill(screen.table, View(interval))
