"""A new reader or writer: much more than an hour before, and requests wait for it."""

from __future__ import annotations

import pytest

from tests.diagnosis.situations import load, only, situation, volume
from zmon.absent import Absent, absent
from zmon.clock import clock
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY
from zmon.diagnosis.new_load import new_load
from zmon.queueing.fit import FlowShare

CALM = load(volume(rate=100.0), volume("0.0.7001", 100.0))
NOON = 1_773_662_400_000_000_000
NOT_LOOKED = absent("not looked for")


def busy(size: float = 262_144.0, reads: float = 1.0) -> tuple[object, ...]:
    return tuple(volume(f"0.0.700{at}", 400.0, queued=0.02, size=size, reads=reads) for at in range(2))


@pytest.mark.parametrize(
    ("reads", "words"), [(1.0, "reader reads"), (0.0, "writer writes"), (0.5, "load reads and writes")]
)
def test_who_it_is_follows_from_what_is_new(reads: float, words: str) -> None:
    """The part of the new bytes that is read."""
    now = load(*busy(reads=reads))  # type: ignore[arg-type]
    found = only(new_load(situation(now, CALM, began=NOON, usual=NOT_LOOKED)))
    assert found.claim.startswith(
        f"Since {clock(NOON, '%H:%M')} a new {words} 210 MB/s in requests of 256 KB"
    )
    assert "2 volumes of LCU 7" in found.claim
    assert "do not move files" in found.action
    assert (found.since, found.confidence) == (NOON, CERTAIN)


def test_numbers_before_and_now() -> None:
    """Bytes, I/O, the size of a request and the part of reads."""
    now = load(*busy())  # type: ignore[arg-type]
    found = only(new_load(situation(now, CALM, began=NOT_LOOKED, usual=NOT_LOOKED)))
    assert found.confidence == LIKELY
    assert found.since is None
    pairs = {one.column: (one.before, one.value) for one in found.evidence if one.before is not None}
    assert pairs["control_unit.io"] == (200.0, 800.0)
    assert pairs["device.kb"] == (4.0, 256.0)
    assert pairs["device.reads"] == (100.0, 100.0)


def test_tablespaces_are_named_by_their_part() -> None:
    """Of the traffic of the LCU, by their bytes on its volumes."""
    shares = (
        FlowShare("DB.BIG", "/a", "0.0.7000", 0.75),
        FlowShare("DB.BIG", "/b", "0.0.7001", 0.75),
        FlowShare("DB.SMALL", "/c", "0.0.7001", 0.25),
        FlowShare("DB.AWAY", "/d", "0.0.9999", 1.0),
    )
    now = situation(load(*busy()), CALM, began=NOON, usual=NOT_LOOKED)  # type: ignore[arg-type]
    found = only(new_load(now._replace(shares=lambda: shares)))
    assert found.claim.endswith("(~DB.BIG 75 %, DB.SMALL 12 %).")
    assert [one.key for one in found.subjects if one.kind == "tablespace"] == ["DB.BIG", "DB.SMALL"]


def test_what_there_usually_is_at_this_hour_is_not_new() -> None:
    """The backup of each night is no diagnosis, though nothing ran an hour before."""
    now = load(*busy())  # type: ignore[arg-type]
    assert new_load(situation(now, CALM, began=NOON, usual=200.0)) == ()
    assert only(new_load(situation(now, CALM, began=NOON, usual=2.0))).id == "D23"


def test_a_load_that_was_there_or_that_nothing_waits_for() -> None:
    """No diagnosis; without the hour before it is not known where requests wait."""
    waits = load(*busy())  # type: ignore[arg-type]
    assert new_load(situation(waits, waits)) == ()
    assert new_load(situation(CALM, CALM)) == ()
    assert new_load(situation(CALM)) == ()
    assert isinstance(new_load(situation(waits)), Absent)
