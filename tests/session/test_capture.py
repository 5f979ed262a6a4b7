"""A capture is a tape whose passes are samples."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from zmon.interval import RESTARTED, STEPPED_BACK, Interval
from zmon.kernel.capture_tree import CaptureError
from zmon.kernel.sampler import Choice
from zmon.kinds import BLOCK
from zmon.session.cursor import Cursor
from zmon.session.sources import open_capture

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def hercules(lay_out: Callable[[str], str]) -> str:
    """The path of a capture of two passes."""
    return lay_out("hercules")


def test_each_pass_is_a_sample(hercules: str) -> None:
    """They come in the order of time, and then no more."""
    first, second = open_capture(hercules).samples()
    assert first.at.utc < second.at.utc


def test_back_and_forth_gives_the_same_samples(hercules: str) -> None:
    """A pass is read once."""
    cursor = Cursor(open_capture(hercules))
    first, second = cursor.next(), cursor.next()
    back, on = cursor.previous(), cursor.next()
    assert None not in {first, second, back, on}
    assert [each and each.after for each in (back, on)] == [each and each.after for each in (first, second)]


def test_before_the_first_pass_there_is_none(hercules: str) -> None:
    """However often one goes back, one stays there."""
    cursor = Cursor(open_capture(hercules))
    cursor.next()
    here = cursor.position
    assert (cursor.previous(), cursor.previous(), cursor.position) == (None, None, here)


def test_the_end_of_a_capture_is_not_passed(hercules: str) -> None:
    """Asking for more at the end does not move the cursor."""
    cursor = Cursor(open_capture(hercules))
    first, _second, end, still = cursor.next(), cursor.next(), cursor.next(), cursor.next()
    before = cursor.previous()
    assert (end, still) == (None, None)
    assert first is not None
    assert before is not None
    assert before.after is first.after


def test_a_timeline_may_begin_before_the_last_passes(hercules: str) -> None:
    """More than there are is all of them."""
    _first, end = open_capture(hercules).samples()
    (found,) = open_capture(hercules, last=1).samples()
    assert found.at == end.at
    assert len(list(open_capture(hercules, last=9).samples())) == 2


def test_only_what_is_wanted_is_sampled(hercules: str) -> None:
    """The rest of a pass is not read."""
    found = next(open_capture(hercules, Choice((BLOCK,))).samples())
    assert set(found.frames) == {"block", "cmf", "source"}


def test_a_capture_is_not_live_and_has_its_path_for_a_name(hercules: str) -> None:
    """So the header can say what is looked at."""
    tape = open_capture(hercules)
    assert (tape.live, tape.name) == (False, hercules)


def test_what_happened_between_two_passes_is_seen(hercules: str) -> None:
    """The captured machine was writing to its disks."""
    interval = Cursor(open_capture(hercules)).end()
    assert interval is not None
    assert sum(n for n in interval.of(BLOCK).numbers("writes") if isinstance(n, int)) > 0


def test_a_restart_between_passes_is_no_interval(hercules: str) -> None:
    """Where the boot id was captured, it tells."""
    interval = Cursor(open_capture(hercules)).end()
    assert interval is not None
    assert interval.void is None
    for number, label in enumerate(("3-load", "4-load")):
        folder = Path(hercules, label, "proc/sys/kernel/random")
        folder.mkdir(parents=True)
        (folder / "boot_id").write_text(f"boot {number}\n", encoding="utf-8")
    again = Cursor(open_capture(hercules)).end()
    assert again is not None
    assert again.void is RESTARTED


def test_passes_whose_times_step_back_are_not_compared(hercules: str) -> None:
    """The other way round there is no interval between them."""
    interval = Cursor(open_capture(hercules)).end()
    assert interval is not None
    assert interval.before is not None
    assert Interval(interval.after, interval.before).void is STEPPED_BACK


def test_what_is_no_capture_is_said(tmp_path: Path) -> None:
    """An empty directory has no pass."""
    with pytest.raises(CaptureError, match=r"\w"):
        open_capture(str(tmp_path))
