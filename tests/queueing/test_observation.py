"""What a load says of channel paths whose use is not known."""

from __future__ import annotations

import pytest

from tests.diagnosis.situations import load, volume
from zmon.absent import Absent, absent

GONE = absent("not measured")


@pytest.mark.parametrize(
    ("paths", "known"),
    [
        ({}, False),
        ({"50": GONE, "51": GONE}, False),
        ({"72": 0.0}, False),
        ({"72": 0.0, "50": GONE}, False),
        ({"72": 0.3, "50": GONE}, True),
        ({"50": 0.0, "51": GONE}, True),
        ({"50": 0.2, "51": 0.1}, True),
    ],
)
def test_idle_paths_say_nothing_of_those_with_io(paths: dict[str, float | Absent], known: bool) -> None:
    """The LCU with I/O has the paths 50 and 51; 72 leads to another one."""
    assert load(volume(), paths=paths).knows_paths is known


def test_without_io_idle_paths_are_enough() -> None:
    """Nothing runs, so zero is what is measured."""
    assert load(volume(rate=0.0), paths={"72": 0.0}).knows_paths
