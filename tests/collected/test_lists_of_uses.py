"""A line of a list of uses that names a disk is never silent where no use of it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from zmon.collected.account import text_frame
from zmon.collected.reading import ReadText
from zmon.kernel.capture_text import CollectedText
from zmon.kinds import TEXT
from zmon.sample import Instant, Sample
from zmon.topology.read_texts import lines_naming

if TYPE_CHECKING:
    from tests.collected.conftest import Ask

_LISTED: Final = """\
box1:~ # lsdasd
0.0.0202  active  dasdc  94:8   ECKD  4096  2347MB  601020
box1:~ # cat /proc/swaps
Filename    Type       Size  Used  Priority
/dev/dasdc1 partition  2403  0     -2
"""


@pytest.mark.parametrize(
    ("form", "is_unused", "lines"),
    [("/proc/mdstat", True, 1), ("/proc/mdstat", False, 0), ("lsscsi", True, 0)],
)
def test_a_disk_without_use_has_the_lines_that_name_it_as_used(
    form: str, is_unused: bool, lines: int
) -> None:
    """Also those that another list has overruled; a plain list of disks says nothing of a use."""
    text = CollectedText("a.txt", 1, "", "", "md0 : active raid1 sdc[1]\n", 0)
    frame = text_frame([ReadText(text, form, 1, ())], 1, devices={"sdc", "md0"})
    sample = Sample(Instant(1, 1, "boot"), {TEXT.name: frame})
    told = [*lines_naming({"sdc"}, sample, is_unused=is_unused)]
    assert len(told) == lines
    assert all("a.txt:1," in why for why in told)


def test_a_disk_with_a_use_has_no_such_lines(where: Ask) -> None:
    """What the list says is in the answer."""
    answer = where("dasdc", _LISTED)
    assert not [why for why in answer["not_looked_at"] if "a.txt:5," in why]
