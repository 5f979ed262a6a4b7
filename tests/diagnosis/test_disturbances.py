"""A disk hangs when nothing completes for long; a measurement that is off is named with its switch."""

from __future__ import annotations

import pytest

from tests.diagnosis.situations import only, situation
from zmon.absent import absent
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY, POSSIBLE
from zmon.diagnosis.disturbances import hung_disks, measurements_off
from zmon.diagnosis.observed_machine import HungDisk, LackingMeasurement

UNKNOWN = absent("not read")


@pytest.mark.parametrize(("seconds", "confidence"), [(60.0, CERTAIN), (10.0, LIKELY), (2.0, "")])
def test_a_disk_that_hangs(seconds: float, confidence: str) -> None:
    """After the time in which the driver gives up it is certain; seconds may be one slow request."""
    found = hung_disks(situation(hung=(HungDisk("0.0.7000", "7000", seconds, 3),)))
    assert isinstance(found, tuple)
    assert [one.confidence for one in found] == ([confidence] if confidence else [])
    assert not found or (found[0].lost == 3.0 and "Volume 7000 hangs" in found[0].claim)


def test_several_disks_are_one_diagnosis() -> None:
    """With the longest time of them; a volume without a count holds one request at least."""
    disks = tuple(HungDisk(f"0.0.700{at}", f"700{at}", 40.0 + at, UNKNOWN) for at in range(3))
    found = only(hung_disks(situation(hung=disks)))
    assert found.claim == "Volumes 7000, 7001 and 7002 hang: no request has completed for 42 s."
    assert found.lost == 3.0


def test_disks_that_were_not_read() -> None:
    """The reason is kept."""
    assert hung_disks(situation(hung=UNKNOWN)) is UNKNOWN


def test_what_is_off_is_said_with_its_switch() -> None:
    """It is no time lost, so it comes last."""
    off = LackingMeasurement("channel measurement (CMF)", "cmb_enable is 0", "echo 1", 12, "device.pend")
    found = only(measurements_off(situation(lacking=(off,))))
    assert found.claim.startswith("Channel measurement (CMF) is off for 12 devices with I/O, so that waits")
    assert (found.action, found.confidence, found.lost) == ("echo 1", POSSIBLE, 0.0)
    assert measurements_off(situation()) == ()
