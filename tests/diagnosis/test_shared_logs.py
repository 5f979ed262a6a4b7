"""Logs lie on volumes with data, and requests wait there, with and without channel measurement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.situations import load, only, situation, volume
from tests.goldens import facts
from zmon.base.absent import Absent
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY
from zmon.diagnosis.phrases import NO_CMF, UNTIMED
from zmon.diagnosis.shared_logs import NO_LISTING
from zmon.diagnosis.verdict import CAUSES
from zmon.machine.observed_machine import UnitPart
from zmon.queueing.fit import FlowShare

if TYPE_CHECKING:
    from zmon.diagnosis.diagnosis import Diagnosis
    from zmon.diagnosis.situation import Situation
    from zmon.machine.observation import ObservedVolume

LOG = FlowShare("logs", "/db/log1", "0.0.7000", 0.2, steady=True)
DATA = FlowShare("DATA", "/db/data1", "0.0.7000", 0.8)
BUSY = volume(rate=80.0, queued=0.06, reads=0.8)


def untimed(one: ObservedVolume) -> ObservedVolume:
    """Return a volume without channel measurement."""
    return one._replace(
        pend=0.0, disc=0.0, conn=0.012, estimated=True, read_response=0.05, write_response=0.09
    )


def listed(*volumes: ObservedVolume, shares: tuple[FlowShare, ...] = (LOG, DATA)) -> Situation:
    return situation(load(*volumes))._replace(shares=lambda: shares)


def test_with_channel_measurement() -> None:
    """The wait in Linux is measured, and so is what a write would take alone."""
    found = only(CAUSES["D12"](listed(BUSY)))
    assert found.confidence == CERTAIN
    assert facts(found.claim) == "1 1 7 4.8 60.0 1.2"
    assert "instead of 61.2 ms" in found.gain_text
    assert NO_CMF not in found.missing


def test_without_channel_measurement() -> None:
    """The disk itself may be slow: it is likely, says what would confirm it, and promises nothing."""
    found = only(CAUSES["D12"](listed(untimed(BUSY))))
    assert found.confidence == LIKELY
    assert facts(found.claim) == "1 1 7 4.1 61.2 90.0"
    assert facts(found.evidence[-1].words) == "7000 90.0"
    assert not found.gain_text
    assert found.confirm
    assert NO_CMF in found.missing


def test_volumes_of_an_lcu_that_wait_together() -> None:
    """Where several volumes without channel measurement wait, what waits is shared out by their time."""
    others = [untimed(volume(f"0.0.700{at}", 80.0, queued=0.06, reads=0.8)) for at in range(1, 4)]
    logs = [LOG._replace(volume=one.key) for one in others[:1]]
    data = [DATA._replace(volume=one.key) for one in others]
    now = listed(untimed(BUSY), *others, shares=(LOG, DATA, *logs, *data))
    assert [one.kind for one in now.waiting.places] == ["lcu"]
    found = only(CAUSES["D12"](now))
    assert [one.key for one in found.subjects if one.kind == "volume"] == ["0.0.7000", "0.0.7001"]
    assert abs(found.lost - now.waiting.places[0].waits / 2) < 1e-9


def with_units(*units: UnitPart) -> Diagnosis:
    machine = situation(load(BUSY), units=units).machine
    return only(CAUSES["D12"](listed(BUSY)._replace(machine=machine)))


def test_the_logs_come_first_and_who_does_most_of_the_io_behind() -> None:
    """Who it is can be slowed down now, the logs are moved later; others are evidence."""
    found = with_units(UnitPart("rman-backup", 0.9), UnitPart("oracle-ORA", 0.1))
    log, most = found.claim.split(". ")
    now, _, later = found.action.partition(" Later: ")
    assert facts(log).startswith("1 1 7 ")
    assert "/db/log1" in found.evidence[0].words
    assert facts(most) == "7 90"
    assert "rman-backup" in most
    assert "rman-backup" in now
    assert "logs" in later
    parts = [one.words for one in found.evidence if one.subject.kind == "unit"]
    assert [(facts(words), words.rpartition(" ")[2]) for words in parts] == [
        ("90 7", "rman-backup"),
        ("10 7", "oracle-ORA"),
    ]
    assert ". " not in with_units(UnitPart("rman-backup", 0.4), UnitPart("etl", 0.3)).claim


@pytest.mark.parametrize(
    ("first", "second", "most", "slowed"),
    [
        (
            [UnitPart("rman-backup", 0.8), UnitPart("oracle-ORA", 0.2)],
            [UnitPart("rman-backup", 0.84)],
            ["7 80 8 84 rman-backup"],
            ["rman-backup"],
        ),
        (
            [UnitPart("etl", 0.8)],
            [UnitPart("rman-backup", 0.84)],
            ["7 80 etl", "8 84 rman-backup"],
            ["etl", "rman-backup"],
        ),
        (
            [UnitPart("oracle-ORA", 0.8)],
            [UnitPart("rman-backup", 0.84)],
            ["7 80 oracle-ORA", "8 84 rman-backup"],
            ["rman-backup"],
        ),
        (
            [],
            [UnitPart("etl", 0.84)],
            ["8 84 etl"],
            ["etl"],
        ),
    ],
)
def test_who_does_most_of_the_io_is_said_of_every_lcu_with_such_logs(
    first: list[UnitPart], second: list[UnitPart], most: list[str], slowed: list[str]
) -> None:
    """Not only of the one where most waits: a unit with its part of each, each part evidence."""
    other = volume("0.0.8000", rate=80.0, queued=0.04, reads=0.8, lcu="M")
    shares = (LOG, DATA, *(one._replace(volume=other.key) for one in (LOG, DATA)))
    now = load(BUSY, other)
    now = now._replace(lcus=(*now.lcus, now.lcus[0]._replace(key="M", title="LCU 8")))
    parts = {"L": first, "M": second}
    known = situation(now, units=lambda lcu, _: parts[lcu])._replace(shares=lambda: shares)
    found = only(CAUSES["D12"](known))
    log, *each = found.claim.split(". ")
    assert " 2 7 8 " in f"{facts(log)} "
    who = ("etl", "oracle-ORA", "rman-backup")
    assert [f"{facts(words)} {' '.join(name for name in who if name in words)}" for words in each] == most
    assert [name for name in who if name in found.action.partition(" Later: ")[0]] == slowed
    evidence = [one for one in found.evidence if one.subject.kind == "unit"]
    assert [(one.subject.title, facts(one.words)) for one in evidence] == [
        (one.title, f"{100 * one.part:.0f} {title}")
        for title, units in ((7, first), (8, second))
        for one in units
    ]


def test_logs_are_in_order_and_their_lcus_are_named() -> None:
    """Whatever waits most; the LCU is not the cause where a request does not wait inside."""
    other = LOG._replace(volume="0.0.7001", file="/db/log0")
    more = volume("0.0.7001", rate=80.0, queued=0.03, reads=0.8)
    found = only(
        CAUSES["D12"](listed(BUSY, more, shares=(LOG, DATA, other, DATA._replace(volume="0.0.7001"))))
    )
    assert found.claim.startswith("2 logs lie on 2 volumes of LCU 7 with data")
    assert "data (DATA) and the logs /db/log0 and /db/log1" in found.evidence[0].words
    assert found.excluded == ("LCU 7: Disc 0.0 ms of Serv 1.2 ms",)


def test_nobody_is_told_to_slow_down_the_database() -> None:
    """Its logs wait behind its own data: only another place for them helps."""
    found = with_units(UnitPart("oracle-ORA", 0.9))
    assert "oracle-ORA (90 %)" in found.claim
    assert "oracle-ORA" not in found.action
    assert "slow down" not in found.action


def test_what_is_not_known() -> None:
    """Without a listing it is not known what the logs are; without channel measurement not where it waits."""
    for one in (BUSY, untimed(BUSY)):
        without = CAUSES["D12"](listed(one, shares=()))
        assert isinstance(without, Absent)
        assert without.reason == NO_LISTING
    calm = CAUSES["D12"](listed(untimed(volume())))
    assert isinstance(calm, Absent)
    assert calm is UNTIMED


def test_what_it_is_not() -> None:
    """Nothing waits, only reads, or the logs lie elsewhere."""
    assert CAUSES["D12"](listed(volume())) == ()
    assert CAUSES["D12"](listed(BUSY._replace(reads=1.0))) == ()
    assert (
        CAUSES["D12"](listed(BUSY, volume("0.0.7001"), shares=(DATA, LOG._replace(volume="0.0.7001")))) == ()
    )
