"""D24: requests wait for disks that are no DASDs, of which nobody can say that they lack aliases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.situations import load, situation, volume
from zmon.base.absent import absent
from zmon.diagnosis.diagnosis import LIKELY
from zmon.diagnosis.other_disks import KINDS
from zmon.diagnosis.verdict import CAUSES, verdict
from zmon.machine.observed_paths import MultipathDisk, PathLeaf

if TYPE_CHECKING:
    from zmon.machine.observation import ObservedVolume


def disk(key: str, response: float, sort: str, lcu: str = "", rate: float = 60.0) -> ObservedVolume:
    """Return a disk that channel measurement does not time."""
    nothing = absent("not a DASD")
    return volume(key, rate, lcu=lcu)._replace(
        response=response, pend=nothing, disc=nothing, conn=nothing, estimated=True, sort=sort
    )


@pytest.mark.parametrize("sort", KINDS)
def test_a_disk_that_is_no_dasd_answers_slowly(sort: str) -> None:
    """It is the verdict, with whom to ask, and no word of aliases or of channel measurement."""
    found = verdict(situation(load(disk("0.0.7001", 0.266, sort), paths={})))
    (first,) = found.diagnoses
    assert (first.id, first.confidence) == ("D24", LIKELY)
    assert first.claim == "Disk 7001 answers slowly: a request takes 266 ms, and 15.3 requests wait."
    words = " ".join((found.sentence, first.confirm, *first.missing)).lower()
    assert "alias" not in words
    assert "channel measurement" not in words


@pytest.mark.parametrize(("response", "rate"), [(0.005, 1000.0), (0.266, 0.4)])
def test_a_disk_for_which_next_to_nothing_waits_is_no_matter(response: float, rate: float) -> None:
    """It is as quick as a disk is, or hardly anybody uses it."""
    assert CAUSES["D24"](situation(load(disk("0.0.7001", response, "virtio", rate=rate)))) == ()


def test_disks_of_one_sort_are_one_diagnosis() -> None:
    """Each is named with its requests; the response is that of the one that most wait for."""
    disks = (disk("0.0.7000", 0.1, "virtio"), disk("0.0.7001", 0.3, "virtio"), disk("nvme0n1", 0.2, "NVMe"))
    first, second = CAUSES["D24"](situation(load(*disks, paths={})))  # type: ignore[misc]  # they are known
    assert first.claim.startswith("Disks 7001 and 7000 answer slowly: a request to 7001 takes 300 ms")
    assert first.claim.endswith("and 22.8 requests wait for both.")
    assert [one.words for one in first.evidence] == [
        "Resp 300 ms",
        "disk 7001: 60 requests a second, 18.0 at once",
        "disk 7000: 60 requests a second, 6.0 at once",
    ]
    assert [one.key for one in second.subjects] == ["nvme0n1"]


def test_an_lcu_that_the_site_names_is_what_is_full() -> None:
    """Two disks of the host wait alike: it is what they share."""
    disks = (disk("0.0.7000", 0.266, "virtio", "L"), disk("0.0.7001", 0.266, "virtio", "L"))
    (first,) = verdict(situation(load(*disks, paths={}))).diagnoses
    assert first.id == "D1"
    assert not [one for one in first.missing if "CMF" in one]


def test_a_path_explains_the_disk_behind_it() -> None:
    """One path does all: that is what the storage administrator is not asked about."""
    none = absent("not measured")
    used = PathLeaf("8:0", "sda", "0.0.7100", "00", "", 100.0, 0.3, none)
    spare = PathLeaf("8:16", "sdb", "0.0.7200", "00", "", 0.0, none, none)
    maps = (MultipathDisk("dm-0", "data", ((used,), (spare,)), "round-robin", 1),)
    found = verdict(situation(load(disk("data", 0.3, "SCSI", rate=100.0), paths={}), maps=maps))
    assert [one.id for one in found.diagnoses] == ["D14b"]
    assert [(one.id, by) for one, by in found.explained] == [("D24", "D14b")]
