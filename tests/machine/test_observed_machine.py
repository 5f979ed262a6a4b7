"""What diagnoses see of simulated machines beside the load of disks; and what they say without a source."""

from __future__ import annotations

import re
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.diagnosis import simulated
from tests.goldens import facts
from zmon.base.clock import clock
from zmon.diagnosis.judged import verdict_of
from zmon.interval import Interval
from zmon.kinds import BLOCK, CPU, DEVICE, LAYER, MEMORY, PRESSURE, TASKS
from zmon.machine.devices import SCSI_HOME
from zmon.machine.observed import load_of
from zmon.machine.view import View
from zmon.sample import not_sampled
from zmon.session.navigator import Navigator
from zmon.session.recording import open_recording

if TYPE_CHECKING:
    from zmon.diagnosis.diagnosis import Verdict
    from zmon.sample import Kind, Sample

DAY = Path(__file__).parents[2] / "recordings/lab-healthy-day.zmon"
MINUTE = 60_000_000_000


last_interval = cache(simulated.last_interval)


def without(sample: Sample, kinds: tuple[Kind, ...]) -> Sample:
    """Return a sample in which some kinds were not read."""
    frames = dict(sample.frames)
    frames.update({kind.name: not_sampled(kind) for kind in kinds})
    return sample._replace(frames=frames)


def judged(name: str, *lacking: Kind) -> Verdict:
    """Return the verdict on the last interval of a scenario, without some kinds."""
    interval = last_interval(name)
    assert interval.before is not None
    if lacking:
        interval = Interval(without(interval.before, lacking), without(interval.after, lacking))
    return verdict_of(View(interval))


SCENARIOS = {
    "fcp-failover": ("D14b", "4 10", (LAYER,)),
    "fcp-multibus-full": ("D15", "4", (CPU,)),
    "fcp-path-slow": ("D14", "0.0.fc61", (LAYER,)),
    "fcp-one-adapter": ("D13", "32 16 32 0.0.fc61", (LAYER,)),
    "path-lost": ("D13", "1 4 8000 52", (DEVICE,)),
    "guest-swapping": ("D16", "", (MEMORY, PRESSURE)),
    "swap-begins": ("D16", "", (MEMORY, PRESSURE)),
    "zvm-overcommitted": ("D15", "", (CPU,)),
    "zvm-steal": ("D15", "", (CPU,)),
    "zvm-8-cpus": ("D15", "", (CPU,)),
    "volume-hangs": ("D21", "8007", (BLOCK, TASKS)),
    "dm-suspended": ("D21", "dm-0", (LAYER,)),
}
"""The diagnosis, the figures its claim begins with, and its sources."""


@pytest.mark.parametrize("name", SCENARIOS)
def test_what_is_wrong_comes_first_and_is_not_denied_without_its_source(name: str) -> None:
    """A source that is taken away turns it into not known."""
    wanted, figures, sources = SCENARIOS[name]
    found = judged(name)
    assert found.diagnoses[0].id == wanted
    assert facts(found.diagnoses[0].claim).startswith(figures)
    assert found.diagnoses[0].claim.startswith("z/VM ") is name.startswith("zvm-")
    blind = judged(name, *sources)
    assert wanted in {one.id for one in blind.unknown}
    assert wanted not in {one.id for one in blind.diagnoses}


def test_disks_behind_measured_adapters_are_one_lcu_also_where_their_luns_name_others() -> None:
    """Else what an adapter takes of a request is not known, and predictions leave processors out."""
    load = load_of(View(last_interval("fcp-failover")))
    busy = [one for one in load.volumes if one.rate]
    assert {one.lcu for one in busy} == {SCSI_HOME}
    assert not any(one.estimated for one in busy)


@pytest.mark.parametrize(
    "name", ["fleet-4096", "hyperpav-20", "fcp-eckd", "zvm-resident", "guest-enough-memory"]
)
def test_a_machine_that_is_well_has_none(name: str) -> None:
    """Among the certain and likely."""
    assert [one.claim for one in judged(name).diagnoses if one.confidence != "possible"] == []


def test_the_new_reader_of_the_healthy_day_is_found_with_its_begin() -> None:
    """From 14:30 to 14:45, and at no other time; what waits because of it is explained."""
    with closing(open_recording(str(DAY))) as timeline:
        navigator = Navigator(timeline)
        span = timeline.span()
        assert span is not None
        found = {}
        for minute in (5 * 60, 14 * 60 + 29, 14 * 60 + 35, 14 * 60 + 47, 20 * 60):
            navigator.seek(span[0] + minute * MINUTE)
            view = navigator.view()
            assert view is not None
            found[minute] = verdict_of(view)
        incident = found.pop(14 * 60 + 35)
        assert [one.diagnoses for one in found.values()] == [()] * 4
    (reader,) = incident.diagnoses
    begin = span[0] + (14 * 60 + 30) * MINUTE
    assert reader.since == begin
    assert re.match(rf"Since {clock(begin, '%H:%M')} .*\b141 MB/s.*\bSHOP\.CUSTOMER 50 %", reader.claim)
    assert {id_ for _, id_ in incident.explained} == {"D23"}
    assert "D4" in {one.id for one, _ in incident.explained}
