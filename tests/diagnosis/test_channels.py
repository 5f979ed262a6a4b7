"""D2: requests wait for channel paths, where there are any."""

from __future__ import annotations

from tests.diagnosis.situations import load, situation, volume
from zmon.absent import Absent
from zmon.diagnosis.channels import full_paths


def test_a_machine_without_dasds_has_no_channel_paths_to_wait_for() -> None:
    """Its load need not be known: it is no reason to be uncertain. That of a machine with DASDs is."""
    for one in ("virtio", "SCSI", "NVMe"):
        assert full_paths(situation(load(volume()._replace(sort=one), paths={}))) == ()
    assert isinstance(full_paths(situation(load(volume(), paths={}))), Absent)
