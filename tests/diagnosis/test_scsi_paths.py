"""Paths to SCSI disks: one does all, one is slow, they are used in turn, or all are full."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.situations import load, only, situation, volume
from tests.goldens import facts
from zmon.base.absent import Absent, absent
from zmon.diagnosis.diagnosis import CERTAIN, LIKELY, POSSIBLE
from zmon.diagnosis.verdict import CAUSES
from zmon.machine.observed_paths import MultipathDisk, PathLeaf
from zmon.queueing.waiting import waiting

if TYPE_CHECKING:
    from zmon.base.absent import Number
    from zmon.diagnosis.situation import Situation

FCP = frozenset({"60", "61"})
UNKNOWN = absent("dm tables need root")


def leaf(chpid: str, rate: float, response: Number = 0.001, use: float = 0.1) -> PathLeaf:
    return PathLeaf(f"8:{chpid}", f"sd{chpid}", f"0.0.fc{chpid}", chpid, "", rate, response, use)


def behind(*groups: tuple[PathLeaf, ...], selector: str = "round-robin", turn: int = 1000) -> Situation:
    """Return a situation with one disk over these path groups."""
    leaves = [one for group in groups for one in group]
    uses = {one.chpid: one.use for one in leaves}
    disks = (volume(one.name, float(str(one.rate)), lcu="SCSI") for one in leaves)
    maps = (MultipathDisk("dm-0", "data", groups, selector, turn),)
    return situation(load(*disks, paths=uses, fcp=FCP), maps=maps)


@pytest.mark.parametrize("use", [0.55, 0.75, 1.0])
def test_one_path_does_all(use: float) -> None:
    """Others only stand by, and it is busy enough to deserve a look."""
    found = only(CAUSES["D14b"](behind((leaf("60", 5000.0, use=use),), (leaf("61", 0.0),))))
    assert found.confidence == CERTAIN
    assert facts(found.claim).startswith("2 0.0.fc60")
    assert found.lost >= 0.6


def test_how_to_use_all_paths_is_said_whole() -> None:
    """What to write where, which policy applies, how it becomes active, and where that is seen."""
    found = only(CAUSES["D14b"](behind((leaf("60", 5000.0, use=0.9),), (leaf("61", 0.0),))))
    for words in ("path_grouping_policy multibus", "multipath -ll", "multipathd reconfigure", "MPATH"):
        assert words in found.action


@pytest.mark.parametrize(
    "calm",
    [
        behind((leaf("60", 5000.0, use=0.2),), (leaf("61", 0.0),)),  # nothing waits
        behind((leaf("60", 0.1, use=0.9),), (leaf("61", 0.0),)),  # too little to tell
        behind((leaf("60", 2500.0, use=0.9), leaf("61", 2500.0, use=0.9))),  # one group
        behind((leaf("60", 5000.0, use=0.9),)),  # one path
    ],
)
def test_nothing_is_said_of_other_disks(calm: Situation) -> None:
    """Failover is a choice as long as the path suffices."""
    assert CAUSES["D14b"](calm) == ()


def test_without_the_table_it_is_likely() -> None:
    """That one path has all I/O is seen all the same."""
    maps = behind((leaf("60", 5000.0, use=0.9), leaf("61", 0.0)), selector="")
    found = only(CAUSES["D14b"](maps))
    assert found.confidence == LIKELY
    assert found.missing


def virtual(response: float, disk: str = "sda") -> Situation:
    """Return a disk over two virtual adapters, whose load is not measured, under one of its names."""
    none = absent("not measured")
    used = leaf("00", 100.0, response)._replace(name="sda", adapter="0.0.7100", use=none)
    spare = leaf("00", 0.0)._replace(name="sdb", adapter="0.0.7200", use=none)
    disks = volume(disk, 100.0, lcu="")._replace(response=response, estimated=True)
    maps = (MultipathDisk("dm-0", "data", ((used,), (spare,)), "round-robin", 1),)
    return situation(load(disks, paths={}), maps=maps)


@pytest.mark.parametrize("disk", ["sda", "dm-0", "data"])
def test_one_path_of_virtual_adapters(disk: str) -> None:
    """Requests wait for the disk; whether the path is why is only possible, and it is no FCP path."""
    found = only(CAUSES["D14b"](virtual(0.3, disk)))
    assert found.confidence == POSSIBLE
    assert "FCP" not in found.claim
    assert " data: sda " in found.claim
    assert facts(found.claim) == "2 100"
    assert found.confirm
    assert 20 < found.lost < 30
    assert not [one for one in found.evidence if isinstance(one.value, Absent)]
    assert CAUSES["D14b"](virtual(0.005)) == ()


def test_paths_that_are_used_one_after_the_other() -> None:
    """A round robin that changes seldom: rr_min_io is named."""
    found = only(CAUSES["D14"](behind((leaf("60", 5000.0, use=0.9), leaf("61", 100.0)), turn=5000)))
    assert any("5000" in one.words for one in found.evidence)
    service_time = behind((leaf("60", 5000.0, use=0.9), leaf("61", 100.0)), selector="service-time")
    assert CAUSES["D14"](service_time) == ()  # it may have its reasons


def test_a_slow_path_is_compared_with_its_siblings() -> None:
    """Five times as long and beyond 3 ms: neither alone."""
    found = only(CAUSES["D14"](behind((leaf("60", 100.0, 0.02), leaf("61", 100.0, 0.002)))))
    assert found.subjects[0].key == "0.0.fc60"
    assert found.claim.startswith("The path over FCP device 0.0.fc60 is slow: 20.0 ms a request")
    assert found.lost == pytest.approx(1.8)
    assert CAUSES["D14"](behind((leaf("60", 100.0, 0.002), leaf("61", 100.0, 0.0002)))) == ()
    assert CAUSES["D14"](behind((leaf("60", 100.0, 0.02), leaf("61", 100.0, 0.01)))) == ()


def test_that_all_disks_are_slower_over_an_adapter_is_evidence_of_its_own() -> None:
    """Twice as long is enough then, for a disk takes its own time over any path."""

    def disks(number: int) -> Situation:
        leaves = [
            (leaf("60", 100.0, 0.004)._replace(name=f"sd{at}"), leaf("61", 100.0, 0.0015))
            for at in range(number)
        ]
        maps = tuple(
            MultipathDisk(f"dm-{at}", "data", (pair,), "service-time", 1) for at, pair in enumerate(leaves)
        )
        now = load(*(volume(one.name, 100.0, lcu="SCSI") for pair in leaves for one in pair), fcp=FCP)
        return situation(now, maps=maps)

    assert only(CAUSES["D14"](disks(6))).subjects[0].key == "0.0.fc60"
    assert CAUSES["D14"](disks(3)) == ()


@pytest.mark.parametrize(
    ("rate", "came_back", "confidence"),
    [(40.0, False, CERTAIN), (100.0, False, LIKELY), (40.0, True, POSSIBLE), (100.0, True, POSSIBLE)],
)
def test_a_longer_queue_alone_does_not_make_it_certain_that_a_path_is_slow(
    rate: float, confidence: str, *, came_back: bool
) -> None:
    """By turns each path has as many requests; behind one that came back is what waited meanwhile."""
    paths = behind((leaf("60", rate, 0.2), leaf("61", 100.0, 0.03)))
    machine = paths.machine._replace(came_back=lambda _disk: came_back)
    found = only(CAUSES["D14"](paths._replace(machine=machine)))
    assert (found.id, found.confidence) == ("D14", confidence)
    assert ("chccwdev" in found.action) is not came_back
    assert bool(found.confirm) is (confidence != CERTAIN)


def test_the_order_of_paths_changes_nothing() -> None:
    """Names of paths are no evidence."""
    leaves = leaf("60", 100.0, 0.02), leaf("61", 100.0, 0.002)
    one, other = (only(CAUSES["D14"](behind(order))) for order in (leaves, leaves[::-1]))
    assert (one.claim, one.lost) == (other.claim, other.lost)


def test_all_paths_are_full() -> None:
    """Only if each is; then more are needed."""
    full = behind((leaf("60", 4000.0, use=0.97), leaf("61", 4000.0, use=0.96)))
    assert facts(only(CAUSES["D14c"](full)).claim) == "2 96 97"
    assert CAUSES["D14c"](behind((leaf("60", 4000.0, use=0.97), leaf("61", 100.0, use=0.1)))) == ()
    assert CAUSES["D14c"](behind((leaf("60", 400.0), leaf("61", 400.0)))) == ()


def test_each_path_has_its_own_use_where_that_of_another_is_unknown() -> None:
    """What was not read is lacking; it is no number of a sibling, and it is not counted as full."""
    half = behind((leaf("60", 4000.0, use=0.96), leaf("61", 4000.0, use=0.97)))
    unread = half.load._replace(
        fcp=FCP | {"5f"},
        paths={**half.load.paths, "5f": absent("not read")},
        lcus=tuple(one._replace(chpids=("5f", *one.chpids)) for one in half.load.lcus),
    )
    found = only(CAUSES["D14c"](half._replace(load=unread, waiting=waiting(unread))))
    assert facts(found.claim) == "2 96 97"
    assert "known" in found.claim
    assert [one.words for one in found.evidence] == ["60 96 %", "61 97 %"]
    assert found.missing[0] == "how busy 5f is"
    assert found.confidence == LIKELY


def test_all_groups_of_paths_that_are_full_count() -> None:
    """What waits for a group is lost only if that group is full; paths of another one are left out."""
    one = behind((leaf("60", 4000.0, use=0.97), leaf("61", 4000.0, use=0.96)))
    (scsi,) = one.load.lcus
    (first,) = waiting(one.load).places
    both = one.load._replace(
        fcp=FCP | {"70", "71", "80", "81"},
        paths={**one.load.paths, "70": 0.98, "71": 0.75, "80": 0.97, "81": 0.1},
        lcus=(
            scsi,
            scsi._replace(key="S2", chpids=("70", "71")),
            scsi._replace(key="S3", chpids=("80", "81")),
        ),
    )
    more = tuple(first._replace(key=key) for key in ("70 71", "80 81"))
    places = waiting(one.load)._replace(places=(first, *more))
    found = only(CAUSES["D14c"](one._replace(load=both, waiting=places)))
    assert [each.words for each in found.evidence] == ["60 97 %", "61 96 %", "70 98 %", "71 75 %"]
    assert found.lost == pytest.approx(2 * first.waits)
    assert {each.key for each in found.subjects if each.kind == "path"} == {"60 61", "70 71"}


def test_paths_that_were_not_read_are_not_known_only_where_there_is_fcp() -> None:
    """A machine without FCP has no such diagnosis."""
    now = load(volume("sda", 4000.0, lcu="SCSI"), paths={"60": 0.97, "61": 0.97}, fcp=FCP)
    unread = situation(now, maps=UNKNOWN)
    assert all(isinstance(cause(unread), Absent) for cause in (CAUSES["D14b"], CAUSES["D14"], CAUSES["D14c"]))
    assert CAUSES["D14b"](situation(maps=UNKNOWN)) == ()


def test_of_two_full_paths_the_one_with_the_longer_queue_is_not_slow() -> None:
    """Both have requests all the time and do as many: what was behind one before is no slow link."""
    long, short = leaf("60", 60.0, 0.247), leaf("61", 60.0, 0.0198)
    assert only(CAUSES["D14"](behind((long, short)))).id == "D14"
    full = (long._replace(busy=1.0), short._replace(busy=1.0))
    assert CAUSES["D14"](behind(full)) == ()
    idle = (long._replace(busy=1.0), short._replace(busy=0.7))  # as much as chance gives
    assert only(CAUSES["D14"](behind(idle))).id == "D14"


def test_a_slow_path_explains_no_slow_disk_while_one_has_just_come_back() -> None:
    """What waits behind it may be an old queue: the disk is what is slow."""
    asked = behind((leaf("60", 60.0, 0.247), leaf("61", 60.0, 0.0198)))
    came_back = asked._replace(machine=asked.machine._replace(came_back=lambda _disk: True))
    assert {subject.kind for subject in only(CAUSES["D14"](came_back)).subjects} == {"adapter"}
