from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from zmon.base.absent import Absent, absent
from zmon.interval import Interval
from zmon.kinds import CACHE, CMF, DEVICE
from zmon.machine.view import View
from zmon.sample import Frame
from zmon.tables.cache import FORMERLY, OFF, table

if TYPE_CHECKING:
    from collections.abc import Callable


COUNTS = {
    "reads": 600,
    "read_hits": 450,
    "seq_reads": 300,
    "seq_read_hits": 300,
    "cfw_reads": 60,
    "cfw_read_hits": 30,
    "writes": 120,
    "write_hits": 108,
    "seq_writes": 60,
    "seq_write_hits": 60,
    "cfw_writes": 60,
    "cfw_write_hits": 12,
    "dfw_normal": 108,
    "dfw_sequential": 60,
    "staged": 60,
    "seq_staged": 120,
    "destaged": 180,
    "dfw_delayed": 6,
    "inhibited": 12,
    "bypassed": 18,
}


@pytest.fixture
def cells(make_interval: Callable[..., Interval]) -> Callable[..., dict[str, Any]]:
    """Fill CACHEXT from what one controller counted in a minute; return its row."""

    def filled(**counts: Any) -> dict[str, Any]:
        after = {CACHE: {"0.0.7000": COUNTS | counts}, CMF: {"0.0.7000": {"ssch": 540}},
                 DEVICE: {"0.0.7000": {"devtype": "3390/0c", "cutype": "2107/e8"}}}  # fmt: skip
        before = {CACHE: {"0.0.7000": dict.fromkeys(COUNTS, 0)}, CMF: {"0.0.7000": {"ssch": 0}}}
        found = table(View(make_interval(before, after)))
        return {name: values[0] for name, values in found.columns.items()}

    return filled


def test_rates(cells: Callable[..., dict[str, Any]]) -> None:
    """Reads and writes of all three sorts are counted; Total SCMBK is this system's part."""
    found = cells()
    names = ("total", "scmbk", "nseq", "seq", "fw", "staged", "seqstaged", "destaged", "delayed")
    assert [found[n] for n in names] == pytest.approx([20, 9, 11, 5, 2.8, 1, 2, 3, 0.1])


def test_percentages(cells: Callable[..., dict[str, Any]]) -> None:
    """Hits of reads by reads, of writes by writes, of both by both."""
    found = cells()
    assert [found[n] for n in ("read", "hit", "readhit", "writehit")] == pytest.approx(
        [100 * 960 / 1200, 100 * 960 / 1200, 100 * 780 / 960, 100 * 180 / 240]
    )


def test_writes_only(cells: Callable[..., dict[str, Any]]) -> None:
    """Read 0, total hits known, read hits not defined: as the original shows it."""
    found = cells(**{name: 0 for name in COUNTS if "read" in name})
    assert found["read"] == 0
    assert found["hit"] == pytest.approx(75)
    assert isinstance(found["readhit"], Absent)


def test_without_activity_there_are_no_percentages(cells: Callable[..., dict[str, Any]]) -> None:
    """Dots, never zero; the rates are true zeros."""
    found = cells(**dict.fromkeys(COUNTS, 0))
    assert [type(found[n]) for n in ("read", "hit", "readhit", "writehit")] == [Absent] * 4
    assert found["total"] == 0


@pytest.mark.parametrize(
    ("field", "state", "column", "shown"),
    [
        ("caching", "active", "caching", "A"),
        ("fast_write", "pending off", "dfw", "P"),
        ("caching", "off", "caching", "-"),
        ("duplex", "simplex", "dual", "-"),
        ("duplex", "secondary, suspended", "dual", "S"),
        ("device_status", "c0a1", "status", "a1"),
    ],
)
def test_states_fit_their_columns(
    field: str, state: str, column: str, shown: str, cells: Callable[..., dict[str, Any]]
) -> None:
    """A letter for each, as the help of the column says; of the status its second byte."""
    assert cells(**{field: state})[column] == shown


@pytest.mark.parametrize(
    ("held", "shown"),
    [
        (FORMERLY, OFF.reason),
        ("the controller is silent", "the controller is silent"),
    ],
)
def test_statistics_that_were_off_are_said_alike_for_older_recordings(
    held: str, shown: str, make_interval: Callable[..., Interval]
) -> None:
    """They hold a reason in other words; any other reason is shown as it is."""
    after = make_interval({}, {}).after
    off = after._replace(frames={**after.frames, CACHE.name: Frame(CACHE, [], {}, [], absent(held))})
    assert table(View(Interval(None, off))).missing is absent(shown)
