"""A disk hangs when nothing completes for long; a measurement that is off is named with its switch."""

from __future__ import annotations

import pytest

from tests.diagnosis.situations import only, situation
from tests.goldens import facts
from zmon.base.absent import Absent, absent
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY, POSSIBLE
from zmon.diagnosis.verdict import CAUSES
from zmon.machine.observed_system import HungDisk, LackingMeasurement
from zmon.queueing.fit import FlowShare

UNKNOWN = absent("not read")


@pytest.mark.parametrize(("seconds", "confidence"), [(60.0, CERTAIN), (10.0, LIKELY), (2.0, "")])
def test_a_disk_that_hangs(seconds: float, confidence: str) -> None:
    """After the time in which the driver gives up it is certain; seconds may be one slow request.

    How many requests are in it is evidence, where they are counted.
    """
    found = CAUSES["D21"](situation(hung=(HungDisk("0.0.7000", "7000", seconds, 3),)))
    assert isinstance(found, tuple)
    assert [one.confidence for one in found] == ([confidence] if confidence else [])
    assert not found or (found[0].lost == 3.0 and "Volume 7000 hangs" in found[0].claim)
    assert not found or facts(found[0].evidence[0].words).endswith(" 3")


@pytest.mark.parametrize(
    ("key", "commands"),
    [
        ("0.0.7000", ("DEVICE 7000", "lsdasd 0.0.7000", "tunedasd -Q")),
        ("sda", ("DEVICE sda", "multipath -ll", "lszfcp -D")),
    ],
)
def test_where_to_look_is_named(key: str, commands: tuple[str, ...]) -> None:
    """The screen of the disk, and the commands for its sort; only a DASD is asked for a reserve."""
    found = only(CAUSES["D21"](situation(hung=(HungDisk(key, key.rpartition(".")[2], 60.0, 3),))))
    assert all(command in found.action for command in commands)
    assert ("tunedasd" in found.action) is key.startswith("0.0.")


def test_the_tablespaces_on_a_volume_that_hangs_are_named() -> None:
    """Who uses them waits; of many the first are, and how many more lie there."""
    disk = HungDisk("0.0.7000", "7000", 60.0, 3)

    def claim(*owners: str) -> str:
        shares = (
            *(FlowShare(owner, "", disk.key, 0.1) for owner in owners),
            FlowShare("Z", "", "0.0.7001", 1),
        )
        return only(CAUSES["D21"](situation(hung=(disk,))._replace(shares=lambda: shares))).claim

    assert claim("A").endswith("for 60 s. A lies on it.")
    assert claim(*"FEDCBA").endswith(" A, B, C, D and 2 more lie on it.")
    assert claim().endswith("for 60 s.")


def test_several_disks_are_one_diagnosis() -> None:
    """With the longest time of them; a volume without a count holds one request at least."""
    disks = tuple(HungDisk(f"0.0.700{at}", f"700{at}", 40.0 + at, UNKNOWN) for at in range(3))
    found = only(CAUSES["D21"](situation(hung=disks)))
    assert facts(found.claim) == "7000 7001 7002 42"
    assert found.lost == 3.0
    assert facts(found.evidence[0].words) == "40"


@pytest.mark.parametrize(
    ("seconds", "blocked", "confidence"),
    [(60.0, 20, CERTAIN), (60.0, UNKNOWN, LIKELY), (2.0, 1, LIKELY), (0.8, 20, "")],
)
def test_a_suspended_device_holds_back_its_tasks(
    seconds: float, blocked: int | Absent, confidence: str
) -> None:
    """A snapshot suspends a device for a moment; for longer it is said who waits, and what resumes it."""
    held = HungDisk("dm-0", "vg-lv", seconds, blocked, suspended=True)
    found = CAUSES["D21"](situation(hung=(held,)))
    assert isinstance(found, tuple)
    assert [one.confidence for one in found] == ([confidence] if confidence else [])
    for one in found:
        assert one.claim.startswith("vg-lv (dm-0) is suspended")
        assert ("task" in one.claim) is not isinstance(blocked, Absent)
        assert "dmsetup resume vg-lv" in one.action
        assert one.lost == (1.0 if isinstance(blocked, Absent) else blocked)
        assert (one.confidence == CERTAIN) is not bool(one.confirm)


def test_what_hangs_and_what_is_suspended_are_two() -> None:
    """Their remedies differ."""
    disks = (HungDisk("0.0.7000", "7000", 40.0, 1), HungDisk("dm-0", "vg-lv", 40.0, 3, suspended=True))
    found = CAUSES["D21"](situation(hung=disks))
    assert isinstance(found, tuple)
    assert [one.subjects[0].kind for one in found] == ["volume", "disk"]


def test_disks_that_were_not_read() -> None:
    """The reason is kept."""
    assert CAUSES["D21"](situation(hung=UNKNOWN)) is UNKNOWN


def test_what_is_off_is_said_with_its_switch() -> None:
    """It is no time lost, so it comes last."""
    off = LackingMeasurement("channel measurement (CMF)", "cmb_enable is 0", "Echo 1", 12, "device.pend")
    found = only(CAUSES["D22"](situation(lacking=(off,))))
    assert found.claim.startswith("Channel measurement (CMF) ")
    assert facts(found.claim) == "12"
    assert (found.action, found.confidence, found.lost) == ("Echo 1", POSSIBLE, 0.0)
    assert CAUSES["D22"](situation()) == ()
