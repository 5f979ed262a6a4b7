"""Which answer a line about real devices begins."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.cp.noise import Line
from zmon.cp.real import real


@pytest.mark.parametrize(
    ("text", "sort"),
    [
        ("7601  CUTYPE = 2107-E8, DEVTYPE = 3390-0A, VOLSER = DB7601, CYLS = 10017", "Details"),
        ("Device 7601, Status ONLINE", "Paths"),
        ("Device 7601 is an alias Parallel Access Volume device whose base device is 7600", "Pav"),
        ("Path 40 is associated with physical channel 0140", "Path"),
        ("CHPID Virtualization is off", "Virtualization"),
        ("7601 CACHE available for subsystem", "Cache"),
        ("EDEV 8000 TYPE FBA ATTRIBUTES 2105", "Edevice"),
        ("DASD 7110 ATTACHED CPVOL 0012 LNX001", "Linked"),
        ("IPL NUCLEUS ACTIVE ON VOLUME M01RES", "Nucleus"),
        ("LINDB01  0200 LINDB01  0200 3390  AB7101 7101          1       3338", "Extent"),
        ("DASD 7110 CP SYSTEM LNX001   12", "NoneType"),
    ],
)
def test_a_line_begins_the_answer_of_its_shape(text: str, sort: str) -> None:
    """The rows of QUERY DASD are read elsewhere: they are many, and some are in lists."""
    assert type(real(Line(text, 1))).__name__ == sort


@given(st.text(" DASDevicPathEXN0123456789ABCDEF,/RWOXCPUNKTYVMI=", max_size=80))
def test_any_line_is_taken(text: str) -> None:
    """It begins a row in its own line, or nothing."""
    row = real(Line(text, 7))
    assert row is None or row.line == 7
