"""A new reader or writer: much more than an hour before, and requests wait for it."""

from __future__ import annotations

import pytest

from tests.diagnosis.situations import load, only, situation, volume
from tests.goldens import facts
from zmon.base.absent import Absent, absent
from zmon.base.clock import clock
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY
from zmon.diagnosis.verdict import CAUSES
from zmon.machine.observed_history import LoadPeriod
from zmon.machine.observed_machine import UnitPart
from zmon.queueing.fit import FlowShare

CALM = load(volume(rate=100.0), volume("0.0.7001", 100.0))._replace(seconds=3600.0)
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
    found = only(CAUSES["D23"](situation(now, CALM, period=LoadPeriod(NOON), usual=NOT_LOOKED)))
    assert f" {words} " in found.claim
    assert facts(found.claim) == f"{clock(NOON, '%H:%M')} 209 340 2 7"
    assert not found.whatif
    assert (found.since, found.confidence) == (NOON, CERTAIN)


@pytest.mark.parametrize(
    ("reads", "words"), [(1.0, "reader read"), (0.0, "writer wrote"), (0.5, "load read and wrote")]
)
def test_what_is_over_has_its_own_time_and_rate(reads: float, words: str) -> None:
    """The rate is that of the period, not of the longer time that is looked at, and in the past."""
    long, period = load(*busy(reads=reads)), load(*busy(524_288.0, reads))  # type: ignore[arg-type]
    machine = {"period": LoadPeriod(NOON, NOON + 900_000_000_000, period), "usual": NOT_LOOKED}
    found = only(CAUSES["D23"](situation(long, CALM, **machine)))
    begin, end = (clock(at, "%H:%M") for at in (NOON, NOON + 900_000_000_000))
    assert f" {words} " in found.claim
    assert facts(found.claim).startswith(f"{begin} {end} 419 681 ")
    assert (found.since, found.confidence) == (NOON, CERTAIN)


def test_numbers_before_and_now() -> None:
    """Bytes, I/O, the size of a request and the part of reads."""
    now = load(*busy())  # type: ignore[arg-type]
    found = only(CAUSES["D23"](situation(now, CALM, period=NOT_LOOKED, usual=NOT_LOOKED)))
    assert found.confidence == LIKELY
    assert found.since is None
    pairs = {one.column: (one.before, one.value) for one in found.evidence if one.before is not None}
    assert pairs["control_unit.ios"] == (200.0, 800.0)
    assert pairs["control_unit.reqkb"] == (4.0, 256.0)
    assert pairs["control_unit.read"] == (100.0, 100.0)


def test_the_size_of_a_request_is_that_of_the_new_ones() -> None:
    """Small requests that go on, on the same volumes and on others of the LCU, do not lessen it."""
    calm = load(volume(rate=100.0), volume("0.0.7001", 300.0))._replace(seconds=3600.0)
    mixed = (100 * 4096 + 400 * 262_144) / 500
    now = load(volume(rate=500.0, queued=0.02, size=mixed), volume("0.0.7001", 300.0))
    found = only(CAUSES["D23"](situation(now, calm, period=NOT_LOOKED, usual=NOT_LOOKED)))
    assert facts(found.claim) == "105 256 7000 7"
    assert {one.column: one.value for one in found.evidence}["control_unit.reqkb"] == pytest.approx(
        (400 * 4096 + 400 * 262_144) / 800 / 1024
    )


@pytest.mark.parametrize(("minutes", "confidence"), [(10, LIKELY), (30, CERTAIN)])
def test_a_time_before_that_is_no_hour_has_its_length(minutes: int, confidence: str) -> None:
    """Below half an hour the load may come and go: it is likely, and says what is missing."""
    now = load(*busy())  # type: ignore[arg-type]
    before = CALM._replace(seconds=60.0 * minutes)
    found = only(CAUSES["D23"](situation(now, before, period=LoadPeriod(NOON), usual=NOT_LOOKED)))
    assert facts(found.evidence[0].words) == f"210 7 0.8 {minutes}"
    assert found.confidence == confidence
    assert any("longer" in one for one in found.missing) == (confidence == LIKELY)


def test_tablespaces_are_named_by_their_part() -> None:
    """Of the traffic of the LCU, by their bytes on its volumes."""
    shares = (
        FlowShare("DB.BIG", "/a", "0.0.7000", 0.75),
        FlowShare("DB.BIG", "/b", "0.0.7001", 0.75),
        FlowShare("DB.SMALL", "/c", "0.0.7001", 0.25),
        FlowShare("DB.AWAY", "/d", "0.0.9999", 1.0),
    )
    now = situation(load(*busy()), CALM, period=LoadPeriod(NOON), usual=NOT_LOOKED)  # type: ignore[arg-type]
    found = only(CAUSES["D23"](now._replace(shares=lambda: shares)))
    assert found.claim.endswith("(about DB.BIG 75 %, DB.SMALL 12 %).")
    assert [one.key for one in found.subjects if one.kind == "tablespace"] == ["DB.BIG", "DB.SMALL"]


def test_what_there_usually_is_at_this_hour_is_not_new() -> None:
    """The backup of each night is no diagnosis, though nothing ran an hour before."""
    now = load(*busy())  # type: ignore[arg-type]
    assert CAUSES["D23"](situation(now, CALM, period=LoadPeriod(NOON), usual=200.0)) == ()
    assert only(CAUSES["D23"](situation(now, CALM, period=LoadPeriod(NOON), usual=2.0))).id == "D23"


def test_a_load_that_was_there_or_that_nothing_waits_for() -> None:
    """No diagnosis; without the hour before it is not known where requests wait."""
    waits = load(*busy())  # type: ignore[arg-type]
    assert CAUSES["D23"](situation(waits, waits)) == ()
    assert CAUSES["D23"](situation(CALM, CALM)) == ()
    assert CAUSES["D23"](situation(CALM)) == ()
    assert isinstance(CAUSES["D23"](situation(waits)), Absent)


def units(*parts: tuple[str, float]) -> tuple[UnitPart, ...]:
    return tuple(UnitPart(*one) for one in parts)


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (None, "It is mostly user 1000, session 7 (98 %)"),
        (NOON + 1, "It was mostly user 1000, session 7 (98 %)"),
    ],
)
def test_the_unit_that_fills_the_lcu_is_named(end: int | None, words: str) -> None:
    """With its part of the bytes; what remains is which of its processes it is."""
    known = units(("user 1000, session 7", 0.98), ("postgresql", 0.02))
    machine = {"period": LoadPeriod(NOON, end), "usual": NOT_LOOKED, "units": known}
    found = only(CAUSES["D23"](situation(load(*busy()), CALM, **machine)))  # type: ignore[arg-type]
    assert found.action.startswith(f"{words}: ")
    assert "a new reader read" in found.claim
    assert " 206 MB/s" in found.claim  # 98 % of 210
    shares = [one for one in found.evidence if one.column == "user_disk.lcushare"]
    assert [(one.subject.title, f"{one.value}") for one in shares] == [
        ("user 1000, session 7", "98.0"),
        ("postgresql", "2.0"),
    ]
    assert facts(shares[0].words) == "98 7 1000 7"
    assert found.missing == ()
    assert "process" in found.confirm


@pytest.mark.parametrize("known", [(), units(("postgresql", 0.3), ("backup", 0.2))])
def test_a_unit_with_less_than_half_of_the_bytes_may_be_another_load(known: tuple[UnitPart, ...]) -> None:
    """Then, and where no unit is known, somebody has to look; the parts that are known are evidence."""
    machine = {"period": LoadPeriod(NOON), "usual": NOT_LOOKED, "units": known}
    found = only(CAUSES["D23"](situation(load(*busy()), CALM, **machine)))  # type: ignore[arg-type]
    assert "Find who reads" in found.action
    assert found.missing == ()
    assert len([one for one in found.evidence if one.subject.kind == "unit"]) == len(known)


def test_units_are_asked_only_for_a_load_that_is_new() -> None:
    """Reading them takes time, which no other diagnosis needs."""
    asked: list[str] = []

    def units_of(lcu: str, _period: object) -> tuple[UnitPart, ...]:
        asked.append(lcu)
        return ()

    now = load(*busy())  # type: ignore[arg-type]
    assert CAUSES["D23"](situation(now, now, units=units_of)) == ()
    assert CAUSES["D23"](situation(CALM, CALM, units=units_of)) == ()
    assert CAUSES["D23"](situation(now, CALM, period=NOT_LOOKED, usual=200.0, units=units_of)) == ()
    assert asked == []
    only(CAUSES["D23"](situation(now, CALM, period=NOT_LOOKED, usual=NOT_LOOKED, units=units_of)))
    assert asked == ["L"]


def test_the_volumes_are_summed_up() -> None:
    """Those that are read alike are one number."""
    found = only(CAUSES["D23"](situation(load(*busy()), CALM, period=NOT_LOOKED, usual=NOT_LOOKED)))  # type: ignore[arg-type]
    (each,) = (one for one in found.evidence if one.column == "device.mbs")
    assert each.words == "volumes 7000-7001: 105 MB/s each"


def test_it_is_about_the_volumes_that_its_sentence_counts() -> None:
    """A volume of the LCU that does what it did before is none of them."""
    now = load(*busy(), volume("0.0.7002", 100.0))  # type: ignore[arg-type]
    found = only(CAUSES["D23"](situation(now, CALM, period=NOT_LOOKED, usual=NOT_LOOKED)))
    assert "on 2 volumes of LCU 7" in found.claim
    assert [one.key for one in found.subjects if one.kind == "volume"] == ["0.0.7000", "0.0.7001"]
