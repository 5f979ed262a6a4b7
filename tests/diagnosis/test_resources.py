"""The load of each LCU, as OVERVIEW lists it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.situations import load, volume
from zmon.base.absent import Absent, absent
from zmon.diagnosis.judged import situation_of
from zmon.diagnosis.recent import recent_loads
from zmon.diagnosis.resources import NO_ALIASES, NO_LCUS, NO_PATHS, RESOURCES, UNTIMED, RecentLoad, lcu_loads
from zmon.interval import Interval
from zmon.kernel.sampler import Choice
from zmon.kinds import DEVICE
from zmon.machine.devices import NO_DISKS, unseen_disks
from zmon.machine.view import View
from zmon.session.machines import LiveTimeline
from zmon.tables.key_figures import device_figures

if TYPE_CHECKING:
    from pathlib import Path


def test_the_bytes_of_an_lcu_are_those_that_are_known() -> None:
    """As on CTLUNIT: one volume of unknown size does not hide what the others carry."""
    unknown = volume("0.0.7001")._replace(size=absent("not counted"))
    (some,) = lcu_loads(load(volume(rate=100.0, size=4096.0), unknown), {})
    assert some.bytes == 409_600.0
    (none,) = lcu_loads(load(unknown), {})
    assert isinstance(none.bytes, Absent)


def test_aliases_whose_use_is_not_measured_are_there(tmp_path: Path) -> None:
    """Without channel measurement a pool is not none: how many of it are busy is not known."""
    now = load(volume())
    lcu = now.lcus[0]._replace(aliases=8, alias_use=absent("not measured"))
    timeline = LiveTimeline(Choice(hypervisor=False), 1.0, root=str(tmp_path))
    view = View(Interval(timeline.take(), timeline.take()))
    for aliases, number in ((lcu, 8), (now.lcus[0], 0)):
        recent = RecentLoad(0, 1, gap=False, load=now._replace(lcus=(aliases,)), uses=(), memory=0.5)
        (alias,) = [one for one in RESOURCES if one.key == "alias"]
        assert (alias.use(recent) is UNTIMED) is bool(number)
        assert (str(number) in alias.said(view, recent).whole) is bool(number)


@pytest.mark.parametrize("is_there", [False, True])
def test_disks_that_cannot_be_seen_are_not_said_to_be_none(tmp_path: Path, *, is_there: bool) -> None:
    """Without /sys or /proc nobody knows which disks, LCUs and paths there are."""
    if is_there:
        (tmp_path / "sys/block").mkdir(parents=True)
        (tmp_path / "proc").mkdir()
        (tmp_path / "proc/diskstats").write_text("")
        (tmp_path / "proc/self").symlink_to("7")
        (tmp_path / "sys/devices").mkdir()
    timeline = LiveTimeline(Choice(hypervisor=False), 1.0, root=str(tmp_path))
    interval = Interval(timeline.take(), timeline.take())
    view = View(interval)
    unseen = unseen_disks(interval)
    assert (unseen is None) is is_there
    (recent,) = recent_loads(view, 1)
    for key, none in (("device", NO_DISKS), ("lcu", NO_LCUS), ("channel", NO_PATHS), ("alias", NO_ALIASES)):
        assert recent.percents[key] == (none if is_there else unseen)
    assert device_figures(view)["addr"] == (NO_DISKS if is_there else unseen)
    assert situation_of(view).sees_disks is is_there


def test_devices_without_counters_are_no_proof_that_there_are_no_disks(tmp_path: Path) -> None:
    """Where /proc is hidden /sys shows the devices, and nobody knows which are disks and what they do."""
    device = tmp_path / "sys/devices/css0/0.0.0001/0.0.7000"
    device.mkdir(parents=True)
    (device / "online").write_text("1\n")
    (tmp_path / "sys/block").mkdir()
    timeline = LiveTimeline(Choice(hypervisor=False), 1.0, root=str(tmp_path))
    interval = Interval(timeline.take(), timeline.take())
    assert interval.of(DEVICE).keys == ["0.0.7000"]
    (recent,) = recent_loads(View(interval), 1)
    assert recent.percents["device"] == unseen_disks(interval) != NO_DISKS
    assert not situation_of(View(interval)).sees_disks
