"""zmon.machine.topology: what hangs on what, made once for samples in which nothing of it moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.placement.study import filled, sample, site
from zmon.interval import Interval
from zmon.kinds import BLOCK, CLAIM, DEVICE, UNLISTED
from zmon.machine import topology
from zmon.machine.topology import NOTHING_LISTED, is_told, machine_of, no_files, units_of, wrong
from zmon.machine.view import View, no_inputs
from zmon.sample import Sample, empty_frame
from zmon.topology.machine import NO_INPUTS, UserInputs

if TYPE_CHECKING:
    from zmon.base.absent import Absent

INPUTS = UserInputs(site())


def look(made: Sample, inputs: UserInputs = NO_INPUTS) -> View:
    return View(Interval(None, made), inputs=lambda: inputs)


def without_uids(made: Sample) -> Sample:
    devices = filled(DEVICE, {f"0.0.7{n}00": {"online": 1, "chpids": "41 40"} for n in range(8)}, 0)
    return made._replace(frames={**made.frames, "device": devices})


def test_a_machine_serves_all_samples_with_the_same_frames() -> None:
    """What was not read again is the same object."""
    made = sample()
    later = made._replace(frames={**made.frames, "block": filled(BLOCK, {}, 1)})
    assert machine_of(look(made)) is machine_of(look(later))


def test_frames_that_are_empty_for_the_same_reason_are_the_same() -> None:
    """A source that is switched off gives a new empty frame with each sample."""
    made = sample()
    one, other = (made._replace(frames={**made.frames, "claim": empty_frame(CLAIM, "off")}) for _ in range(2))
    assert machine_of(look(one)) is machine_of(look(other))


def test_what_was_read_again_and_is_the_same_serves_on() -> None:
    """Labels are read once a minute, and seldom change."""
    assert machine_of(look(sample())) is machine_of(look(sample()))


def test_what_has_moved_makes_another_machine() -> None:
    """In a recording what lies where is as it was then."""
    made = sample()
    assert machine_of(look(made)) is not machine_of(look(without_uids(made)))


def test_other_people_make_another_machine() -> None:
    """The same disks may have other names."""
    made = sample()
    assert machine_of(look(made)) is not machine_of(look(made, INPUTS))


def test_units_are_those_of_unique_ids() -> None:
    """Where nobody tells anything, they have no other names."""
    made = sample([])
    found = units_of(look(made))
    assert [unit.ssid for unit in found.lcus.values()] == [f"{0x2480 + n:04x}" for n in range(8)]
    assert not any(unit.called for unit in found.lcus.values())
    assert found.of["0.0.7300"] == "IBM.75000000092461.2483"


def test_the_site_gives_them_names() -> None:
    """By the number of a device, which in an LPAR is real."""
    found = units_of(look(sample(), INPUTS))
    assert found.lcus["IBM.75000000092461.2483"].called == "LCU 3"


def test_devices_without_a_unique_id_belong_where_the_site_says() -> None:
    """And what says so is kept."""
    found = units_of(look(without_uids(sample()), INPUTS))
    assert list(found.lcus) == [f"LCU {n}" for n in range(8)]
    unit = found.lcus["LCU 6"]
    assert (unit.short, unit.members, unit.chpids) == ("6", ("0.0.7600",), ("40", "41"))
    assert unit.why == "site.toml:4 (7nXX)"


def test_tables_of_many_intervals_ask_nobody() -> None:
    """Of those only figures are wanted, and no unit of theirs depends on what somebody tells later."""
    view = View(Interval(None, without_uids(sample())))
    assert not is_told(view)
    assert units_of(view).lcus == {}


@pytest.mark.parametrize(
    ("inputs", "reason"), [(NO_INPUTS, UNLISTED), (UserInputs(listed=[]), NOTHING_LISTED)]
)
def test_why_no_file_is_known(inputs: UserInputs, reason: Absent) -> None:
    """Nobody gave a listing, or it names nothing that can be looked at."""
    assert no_files(look(sample([]), inputs)) is reason


def test_what_could_not_be_used_is_said_to_whoever_asks() -> None:
    """Not where nobody is asked."""
    inputs = UserInputs(problems=("Not used: site.toml:1",))
    assert wrong(look(sample(), inputs)) == inputs.problems
    assert wrong(View(Interval(None, sample()))) == ()


def test_without_people_nobody_told_anything() -> None:
    """And the files of the sample are known all the same."""
    view = View(Interval(None, sample()))
    assert machine_of(view).inputs is no_inputs()
    assert topology.has_files(view)
