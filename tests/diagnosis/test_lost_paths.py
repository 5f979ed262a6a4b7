"""A path that is installed and cannot be used is lost; one thing behind all paths is a single point."""

from __future__ import annotations

import pytest

from tests.diagnosis.situations import load, only, situation, volume
from tests.goldens import facts
from zmon.base.absent import Absent, absent
from zmon.base.clock import clock
from zmon.diagnosis.diagnosis import CERTAIN, POSSIBLE
from zmon.diagnosis.verdict import CAUSES, verdict
from zmon.machine.observed_paths import LcuPaths, LostPath, MultipathDisk, PathLeaf
from zmon.values.path_masks import Unused

WHOLE = LcuPaths("L", "LCU 7", 4, ("50", "51"), physical=("0100", "0140"))
UNKNOWN = absent("not read")


def leaf(name: str, adapter: str = "0.0.fc60", port: str = "0x1", failed: str = "") -> PathLeaf:
    return PathLeaf("8:0", name, adapter, adapter[-2:], port, 10.0, 0.001, 0.1, failed)


def multipath(*leaves: PathLeaf) -> MultipathDisk:
    return MultipathDisk("dm-0", "data", (leaves,), "service-time", 0)


@pytest.mark.parametrize(
    ("why", "words", "action"),
    [
        (Unused.VARIED_OFF, "varied off", "chchp -v 1 51"),
        (Unused.CONFIGURED_OFF, "configured off", "chchp -c 1 51"),
        (Unused.MAINTENANCE, "maintenance", "Wait"),
        (Unused.UNKNOWN, ": 51.", "cable"),
    ],
)
def test_a_lost_channel_path(why: Unused, words: str, action: str) -> None:
    """It is certain; what to do follows from why it is not used."""
    paths = (WHOLE._replace(lost=(LostPath("51", 4, why),), since=9),)
    found = only(CAUSES["D13"](situation(paths=paths, maps=())))
    assert found.claim.startswith(
        f"1 of 2 channel paths to LCU 7 has been lost since {clock(9, '%H:%M')}: 51"
    )
    assert words in found.claim
    assert action in found.action
    assert (found.confidence, found.since) == (CERTAIN, 9)
    assert ("path", "50 51") in {(one.kind, one.key) for one in found.subjects}


def test_a_channel_path_that_nobody_has_taken_off() -> None:
    """That it is on line and configured is evidence, and nothing is missing: its link is to be checked."""
    paths = (WHOLE._replace(lost=(LostPath("51", 4, Unused.ON),)),)
    found = only(CAUSES["D13"](situation(paths=paths, maps=())))
    assert found.claim.endswith(": 51.")
    assert "configured" in found.evidence[1].words
    assert facts(found.evidence[1].words) == facts(found.action) == "51"
    assert "cable" in found.action
    assert not found.missing


def test_a_path_that_many_lcus_have_lost_is_one_diagnosis() -> None:
    """And the requests that wait for the other paths are its time lost."""
    lost = (LostPath("51", 4, Unused.UNKNOWN),)
    paths = tuple(LcuPaths(key, key, 4, ("50", "51"), lost) for key in ("L", "M", "N"))
    now = load(*(volume(f"0.0.700{at}", 400.0) for at in range(8)), paths={"50": 0.97, "51": 0.0})
    now = now._replace(volumes=tuple(one._replace(pend=0.005) for one in now.volumes))
    found = only(CAUSES["D13"](situation(now, paths=paths, maps=())))
    assert "to L, M and N is lost" in found.claim
    assert found.lost > 1


def test_a_failed_path_to_a_scsi_disk() -> None:
    """How many are left is the evidence, and the adapter what they have in common."""
    maps = (multipath(leaf("sda", failed="offline"), leaf("sdb", "0.0.fc61")),)
    found = only(CAUSES["D13"](situation(paths=(), maps=maps)))
    assert found.claim == "1 path to data is lost: sda (offline)."
    assert found.evidence[0].words == "data has 1 of 2 paths"
    assert "0.0.fc60" in found.action


def test_requests_that_wait_for_what_is_left_wait_because_of_the_lost_path() -> None:
    """A disk of which a path is lost answers slowly, over the other path too: the lost path comes first."""
    lost, left = (
        leaf("sdb", "", failed="offline")._replace(rate=0.0),
        leaf("sda", "")._replace(rate=60.0, response=0.26),
    )
    slow = volume("data", 60.0, lcu="")._replace(
        sort="SCSI", estimated=True, pend=0.0, disc=0.0, conn=1 / 60, response=0.26
    )
    now = situation(load(slow, paths={}), paths=(), maps=(multipath(left, lost),))
    found = verdict(now)
    assert [one.id for one in found.diagnoses] == ["D13"]
    assert [(one.id, by) for one, by in found.explained] == [("D24", "D13")]
    assert found.diagnoses[0].lost == pytest.approx(now.waiting.lost)
    assert found.waiting == pytest.approx(now.waiting.lost)


def test_many_failed_paths_are_said_by_what_they_go_over() -> None:
    """Nobody reads 12 names; an FCP device over which no path is left is the cause."""
    maps = tuple(
        MultipathDisk(
            f"dm-{at}",
            f"FCP800{at}",
            (
                (
                    leaf(f"sda{at}", failed="offline"),
                    leaf(f"sdb{at}", "0.0.fc61", failed="offline" if at else ""),
                    leaf(f"sdc{at}", "0.0.fc62"),
                ),
            ),
            "service-time",
            0,
        )
        for at in range(6)
    )
    found = only(CAUSES["D13"](situation(paths=(), maps=maps)))
    assert facts(found.claim) == "11 6 6 0.0.fc60 5 0.0.fc61"
    assert "(offline)" in found.claim
    assert facts(found.action) == "0.0.fc60 0.0.fc61"
    assert "/sys/block/NAME/device/state" in found.action


@pytest.mark.parametrize(
    ("paths", "adapters", "state"),
    [
        ((leaf("sda", failed="failed"),), "0.0.fc60", ""),
        ((leaf("sda", failed="failed"), leaf("sdb", "0.0.fc61", failed="failed")), "0.0.fc60 0.0.fc61", ""),
        ((leaf("sda", adapter="", failed="failed"),), "", ""),
        ((leaf("sda", failed="offline"),), "0.0.fc60", "/sys/block/sda/device/state"),
    ],
)
def test_where_to_look_for_what_is_lost(paths: tuple[PathLeaf, ...], adapters: str, state: str) -> None:
    """At its adapters, where they are known; what was set offline is set running again."""
    found = only(CAUSES["D13"](situation(paths=(), maps=(multipath(*paths, leaf("sdc", "0.0.fc62")),))))
    assert facts(found.action) == adapters
    assert "See multipath -ll and lszfcp -D" in found.action
    assert state in found.action
    assert ("/sys/block" in found.action) is bool(state)


def test_paths_that_are_all_there() -> None:
    """Nothing is said; and where nothing was read nothing is denied."""
    maps = (multipath(leaf("sda"), leaf("sdb", "0.0.fc61", "0x2")),)
    whole = situation(paths=(WHOLE,), maps=maps)
    assert [cause(whole) for cause in (CAUSES["D13"], CAUSES["D13b"], CAUSES["D19"])] == [(), (), ()]
    nothing = situation(paths=UNKNOWN, maps=UNKNOWN)
    assert [cause(nothing) for cause in (CAUSES["D13"], CAUSES["D13b"], CAUSES["D19"])] == [UNKNOWN] * 3


@pytest.mark.parametrize(
    ("leaves", "words"),
    [
        ((leaf("sda"), leaf("sdb", port="0x2")), "FCP device, 0.0.fc60"),
        ((leaf("sda"), leaf("sdb", "0.0.fc61")), "port, 0x1"),
    ],
)
def test_one_adapter_or_port_behind_all_paths(leaves: tuple[PathLeaf, ...], words: str) -> None:
    """Several paths were meant to be several."""
    found = only(CAUSES["D13b"](situation(paths=(), maps=(multipath(*leaves),))))
    assert f"go through one {words}" in found.claim


def test_a_disk_with_one_path_is_left_alone() -> None:
    """Nobody meant it to have two; nor is an unknown adapter the same as another unknown one."""
    alone = multipath(leaf("sda"))
    unknown = multipath(leaf("sda", "", ""), leaf("sdb", "", ""))
    assert CAUSES["D13b"](situation(paths=(), maps=(alone, unknown))) == ()


def test_channel_paths_of_one_physical_channel() -> None:
    """Two CHPIDs with one PCHID fail together."""
    found = only(CAUSES["D13b"](situation(paths=(WHOLE._replace(physical=("0100",)),), maps=())))
    assert "one physical channel, 0100" in found.claim


def test_high_performance_ficon_matters_only_where_requests_wait() -> None:
    """And even then it is only possible that it would help."""
    paths = (WHOLE._replace(without_hpf=4),)
    calm = load(volume())
    assert CAUSES["D19"](situation(calm, paths=paths)) == ()
    full = load(volume(rate=400.0), paths=dict.fromkeys(("50", "51"), 0.97))
    assert only(CAUSES["D19"](situation(full, paths=paths))).confidence == POSSIBLE


def test_lost_paths_of_one_kind_are_reported_though_others_are_not_known() -> None:
    """What is known is said."""
    maps = (multipath(leaf("sda", failed="failed"), leaf("sdb")),)
    assert only(CAUSES["D13"](situation(paths=UNKNOWN, maps=maps))).id == "D13"
    assert not isinstance(CAUSES["D13b"](situation(paths=UNKNOWN, maps=maps)), Absent)
