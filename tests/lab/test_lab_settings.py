"""The sentences of the studies come out on simulated machines that were built to break them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import pytest

from tests.goldens import facts
from zmon.check.practice import CheckInput, State
from zmon.check.practices import run_checks
from zmon.interval import Interval
from zmon.kinds import SETTING
from zmon.lab.counters import KernelCounters
from zmon.lab.lab_settings import read_setting
from zmon.lab.scenario import ScenarioError, load_scenario, parse_scenario
from zmon.lab.simulation import Simulation
from zmon.topology.machine import Machine

if TYPE_CHECKING:
    from zmon.lab.model import Scenario


@cache
def interval_of(plan: Scenario) -> Interval:
    """Return the first interval of the last phase of a scenario, in which its faults have come."""
    begin = [0, *plan.phase_ends()][-2]
    counters = KernelCounters(plan, begin)
    before = counters.sample()
    counters.add([Simulation(plan).interval(begin)])
    return Interval(before, counters.sample())


def found(name: str, check: str, **settings: object) -> tuple[State, str]:
    """Return what a check finds in a scenario whose settings are changed; a double underscore is a dot."""
    rows = tuple((key.replace("__", "."), value) for key, value in settings.items())
    plan = load_scenario(name)
    interval = interval_of(plan._replace(settings=(*plan.settings, *rows)))  # type: ignore[arg-type]
    (result,) = run_checks(CheckInput(Machine(interval.after), interval), [check])
    return result.state, result.words


BROKEN: Final = [
    ("hyperpav-0", "B1", State.BAD, "10 8000 8100"),
    ("hyperpav-20", "B1", State.OK, "8000 10 8100 10"),
    ("hyperpav-0", "B4", State.LOOK, "10,017"),
    ("pav-3", "B2", State.LOOK, "8000"),
    ("fcp-failover", "B7", State.BAD, ""),
    ("fcp-multibus-100", "B7", State.OK, "10"),
    ("fcp-multibus-1000", "B6", State.LOOK, "1,000"),
    ("fcp-multibus-100", "B6", State.OK, "100"),
    ("logs-mixed", "B11", State.BAD, ""),
    ("logs-apart", "B11", State.LOOK, ""),
    ("zvm-8-cpus", "B23", State.BAD, "8 4"),
    ("zvm-4-cpus", "B23", State.OK, "4 4"),
    ("guest-swapping", "B20", State.BAD, ""),
    ("guest-enough-memory", "B20", State.OK, ""),
    ("fcp-one-adapter", "H10b", State.LOOK, "FCP8000 2 4"),
    ("fcp-one-adapter", "H13", State.BAD, "0.0.fc61"),
    ("fcp-multibus-100", "H10b", State.OK, "10"),
    ("fcp-multibus-100", "H10", State.OK, ""),
    ("path-lost", "H1", State.BAD, "52 16"),
    ("small-stripes", "B14", State.LOOK, "64 8"),
    ("stripe-extended", "B15", State.LOOK, "8000"),
    ("shark-after", "B29", State.OK, ""),
]


@pytest.mark.parametrize(("name", "check", "state", "figures"), BROKEN)
def test_a_scenario_that_breaks_a_practice_is_found(
    name: str, check: str, state: State, figures: str
) -> None:
    """And one that follows it is not."""
    result = found(name, check)
    assert result[0] is state, result
    assert facts(result[1]).startswith(figures)


def test_settings_of_a_scenario_break_the_others() -> None:
    """Swappiness, and huge pages that are reserved and not used."""
    assert found("hyperpav-20", "B17")[0] is State.OK
    state, words = found("hyperpav-20", "B17", vm__swappiness="60")
    assert (state, facts(words)) == (State.LOOK, "60")
    unused = {f"hugepages/1024/{name}": count for name, count in (("total", 8192), ("free", 8192))}
    state, words = found("hyperpav-20", "B18", **unused)
    assert (state, words[:18]) == (State.BAD, "8.0 GiB of 8.0 GiB")


def test_the_settings_of_the_simulated_linux_are_as_advised() -> None:
    """With FCP disks and without them."""
    for name in ("hyperpav-20", "fcp-multibus-100"):
        interval = interval_of(load_scenario(name))
        results = run_checks(CheckInput(Machine(interval.after), interval))
        worse = {one.check.id for one in results if one.state in {State.BAD, State.LOOK}}
        assert worse - {"B25"} == {"H15"}  # it swaps nowhere; B25 is about the load
        assert interval.after.frame(SETTING).cell("vm.swappiness", "value") == "10"


MACHINE: Final = """
title = "t"
text = "t"
cpus = 2
[paths.P]
chpids = ["40"]
mb_s = 100
[lcus.L]
ssid = "7600"
paths = "P"
[volumes.7600]
lcu = "L"
[loads.l]
rate = 1
steps = [{ read = "L" }]
[[phases]]
name = "p"
seconds = 60
loads = ["l"]
[settings]
"""


def test_settings_stand_in_the_file_of_a_scenario() -> None:
    """By the keys of the kind SETTING."""
    plan = parse_scenario(f'{MACHINE}"vm.swappiness" = 60\nprograms = ""\n', "x.toml")
    assert plan.settings == (("vm.swappiness", 60), ("programs", ""))


@pytest.mark.parametrize(
    "line", ['"disk/what is this/scheduler" = "x"', '"vm.swappiness" = true', "programs = []"]
)
def test_what_is_no_setting_is_refused(line: str) -> None:
    """With the file and the key."""
    with pytest.raises(ScenarioError, match=r"x\.toml.*settings"):
        parse_scenario(MACHINE + line, "x.toml")
    with pytest.raises(ValueError, match="no setting"):
        read_setting("/etc/passwd", "x")
