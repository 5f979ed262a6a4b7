"""The running machine is a tape without an end and without a past."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.kernel.sampler import Choice
from zmon.kinds import BLOCK
from zmon.session.navigator import Navigator
from zmon.session.sources import LiveTimeline

if TYPE_CHECKING:
    from pathlib import Path

OFF = Choice(hypervisor=False)


def test_each_step_takes_a_sample(tmp_path: Path) -> None:
    """Time goes on between them."""
    tape = LiveTimeline(OFF, 2.0, root=str(tmp_path))
    first, second = tape.take(), tape.take()
    assert first.at.steady < second.at.steady


def test_a_live_sample_knows_how_far_apart_samples_should_be(tmp_path: Path) -> None:
    """So that a gap can be recognised."""
    assert LiveTimeline(OFF, 2.0, root=str(tmp_path)).take().nominal == 2.0


def test_nothing_is_kept(tmp_path: Path) -> None:
    """There is no sample before the present one."""
    watch = Navigator(LiveTimeline(OFF, 2.0, root=str(tmp_path)))
    watch.next()
    present = watch.next()
    assert (watch.previous(), watch.interval) == (None, present)


def test_this_machine_is_called_so() -> None:
    """Another root goes by its path."""
    assert LiveTimeline(OFF, 2.0).name == "this machine"
    assert LiveTimeline(OFF, 2.0, root="/other").name == "/other"


def test_the_files_below_the_root_are_read(tmp_path: Path) -> None:
    """A live tape can be pointed at a directory that looks like a machine."""
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/diskstats").write_text("")
    assert LiveTimeline(OFF, 2.0, root=str(tmp_path)).take().frame(BLOCK).keys == []
