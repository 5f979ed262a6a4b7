"""The load of each LCU, as OVERVIEW lists it."""

from __future__ import annotations

from tests.diagnosis.situations import load, volume
from zmon.absent import Absent, absent
from zmon.tables.resources import lcu_loads


def test_the_bytes_of_an_lcu_are_those_that_are_known() -> None:
    """As on CTLUNIT: one volume of unknown size does not hide what the others carry."""
    unknown = volume("0.0.7001")._replace(size=absent("not counted"))
    (some,) = lcu_loads(load(volume(rate=100.0, size=4096.0), unknown), {})
    assert some.bytes == 409_600.0
    (none,) = lcu_loads(load(unknown), {})
    assert isinstance(none.bytes, Absent)
