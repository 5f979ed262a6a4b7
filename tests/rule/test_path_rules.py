"""The rules of paths to SCSI disks: a failed path is open until it works again."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.goldens import facts
from zmon.base.event import BAD, OPEN, OVER
from zmon.cli.main import main
from zmon.interval import Interval
from zmon.kinds import BLOCK, DEVICE, LAYER, MULTIPATH, PATH
from zmon.rule.grammar import load_rules
from zmon.rule.watch import Watch
from zmon.sample import Instant, Sample, empty_frame, frame_of
from zmon.tables.filled import alone

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.base.event import ExceptionEntry
    from zmon.machine.view import View
    from zmon.tables.table import Table

NS = 10**9
BEGIN = 1_800_000_000 * NS
RULES = tuple(rule for rule in load_rules() if rule.table == "multipath")


def sample(number: int, state: str, failures: int) -> Sample:
    """Return a machine with two paths to a disk, of which the second is in this state."""
    fields: dict[str, Value] = dict.fromkeys(PATH.by_name, 0)
    rows = {
        f"8:{16 * at}": fields
        | {"name": f"sd{'ab'[at]}", "map": "dm-0", "device": "running", "adapter": f"0.0.fc6{at}",
           "state": (state if at else "active"), "failures": (failures if at else 0)}
        for at in range(2)
    }  # fmt: skip
    maps: dict[str, Value] = {**dict.fromkeys(MULTIPATH.by_name, 0), "title": "data01"}
    when = number * 10 * NS
    frames = {
        "path": frame_of(PATH, rows, when),
        "multipath": frame_of(MULTIPATH, {"dm-0": maps}, when),
        **{kind.name: empty_frame(kind, "not read") for kind in (BLOCK, DEVICE, LAYER)},
    }
    return Sample(Instant(BEGIN + when, when, "one"), frames, nominal=10)


def joined(number: int, *letters: str) -> Sample:
    """Return a machine with a disk that these SCSI disks are paths of."""
    fields: dict[str, Value] = {**dict.fromkeys(BLOCK.by_name, 0), "map": "dm-0", "label": "data01"}
    rows: dict[str, dict[str, Value]] = {
        name: {**fields, "number": name} for name in ("dm-0", *(f"sd{one}" for one in letters))
    }
    when = number * 10 * NS
    frames = {
        "block": frame_of(BLOCK, rows, when),
        **{kind.name: empty_frame(kind, "not read") for kind in (DEVICE, LAYER)},
    }
    return Sample(Instant(BEGIN + when, when, "one"), frames, nominal=10)


def watched(*states: tuple[str, int]) -> list[ExceptionEntry]:
    """Return the exceptions of samples ten seconds apart."""
    watch = Watch(RULES)
    samples = [sample(number, *state) for number, state in enumerate(states)]
    watch.follow(Interval(None, samples[0]))
    for before, after in pairwise(samples):
        watch.follow(Interval(before, after))
    return watch.log()


def test_a_path_that_fails_in_a_gap_is_named_by_the_first_sample_behind_it() -> None:
    """Its state is known then; that it failed so often is a difference, which is not counted across a gap."""
    watch = Watch(RULES)
    watch.follow(Interval(sample(0, "active", 0), sample(1, "active", 0)))
    watch.follow(Interval(sample(1, "active", 0), sample(5, "failed", 1)))
    (one,) = watch.open()
    assert one.rule == "path-down"
    assert facts(one.words) == "data01 0.0.fc61 data01 1"
    assert (one.begin, one.end) == (BEGIN + 40 * NS, BEGIN + 50 * NS)
    watch.follow(Interval(sample(5, "failed", 1), sample(6, "failed", 1)))
    assert [each.begin for each in watch.open()] == [one.begin]


def test_a_failed_path_is_an_exception_until_it_is_reinstated() -> None:
    """In the first interval that ends with it failed; it names the path, its disk and its adapter."""
    (one,) = [
        e for e in watched(("active", 0), ("failed", 1), ("failed", 1)) if e.rule.startswith("path-down")
    ]
    assert (one.state, one.begin) == (OPEN, BEGIN)
    assert one.sentence.startswith("Path sdb to data01 over 0.0.fc61 is failed")
    found = watched(("active", 0), ("failed", 1), ("active", 1), ("active", 1), ("active", 1))
    (one,) = [e for e in found if e.rule.startswith("path-down")]
    assert (one.state, one.end) == (OVER, BEGIN + 10 * NS)


def test_a_path_that_is_lost_is_bad_wherever_it_is() -> None:
    """DIAGNOSE calls it critical, so EXCEPT does, too: in state `failed`, removed, or of a volume."""
    lost = {rule.name: (rule.look, rule.bad) for rule in load_rules() if rule.cause == "D13"}
    assert lost.pop("path-faults") == (1, None)  # it works again
    assert set(lost) == {"path-down", "path-gone", "path-lost"}
    assert all(look is None and bad is not None for look, bad in lost.values())


def test_a_path_that_is_removed_is_an_exception_until_it_is_back() -> None:
    """As QEMU's sdb, which was removed and added again: the loss is bad, the return none."""
    rules = [rule for rule in load_rules() if rule.name == "path-gone"]
    watch = Watch(rules)
    samples = [joined(number, *letters) for number, letters in enumerate(("ab", "ab", "a", "a", "ab", "ab"))]
    watch.follow(Interval(None, samples[0]))
    for before, after in pairwise(samples):
        watch.follow(Interval(before, after))
    (one,) = watch.log()
    assert facts(one.sentence) == "data01 1"
    assert (one.level, one.state) == (BAD, OVER)
    assert (one.begin, one.end) == (BEGIN + 10 * NS, BEGIN + 30 * NS)


def test_a_path_is_called_after_its_disk() -> None:
    """As on MPATH: sdb, not the device number 8:16 that is its key."""
    (one, *_) = watched(("active", 0), ("failed", 1))
    assert (one.key, one.where) == ("8:16", "sdb")


def test_a_path_that_fails_between_two_samples_is_not_missed() -> None:
    """It works in both, and the device mapper has counted its failures."""
    (one,) = watched(("active", 0), ("active", 2), ("active", 2))
    assert one.rule.startswith("path-faults")
    assert facts(one.sentence) == "data01 0.0.fc61 2"


def test_paths_that_work_are_no_exception() -> None:
    """However often they had failed before."""
    assert watched(("active", 7), ("active", 7)) == []


@pytest.mark.usefixtures("short_scenarios")
@pytest.mark.parametrize(
    ("scenario", "rule", "named"),
    [
        ("fcp-path-slow", "path-slow", "0.0.fc"),
        ("path-slow", "lcu-pend", "LCU 8"),
        pytest.param("raid-limit", "lcu-disks", "LCU ", marks=pytest.mark.whole_days),
        ("path-lost", "path-lost", "channel paths 50-53"),
    ],
)
def test_a_fault_of_the_laboratory_is_an_exception(
    scenario: str, rule: str, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A slow path, a slow link, full arrays and a lost path are exceptions, and nothing else is."""
    assert main(["rules", "--from", f"lab:{scenario}", "-f", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["exceptions"]
    assert {one["rule"] for one in found} == {rule}
    assert all(named in one["sentence"] for one in found)
    assert not any("is not measured" in one["sentence"] for one in found)


def test_a_table_that_lists_nothing_is_filled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without paths is not asked about them with each sample; one that comes is judged."""
    filled: list[int] = []

    def fill(name: str, view: View) -> Table:
        filled.append(view.interval.after.at.steady)
        return alone(name, view)

    monkeypatch.setattr("zmon.rule.judge.alone", fill)
    paths = [sample(number, "active", 0) for number in range(4)]
    without = [
        taken._replace(frames={**taken.frames, "path": frame_of(PATH, {}, taken.at.steady)})
        for taken in paths
    ]
    watch = Watch(RULES)
    for before, after in pairwise(without):
        watch.follow(Interval(before, after))
    assert set(filled) == {10 * NS}
    watch.follow(Interval(without[-1], sample(4, "failed", 0)))
    assert 40 * NS in filled
