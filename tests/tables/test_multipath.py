"""MPATH: the paths of multipath devices."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.goldens import facts
from zmon.base.absent import Absent, absent
from zmon.base.clock import HOUR, clock
from zmon.interval import Interval
from zmon.kinds import BLOCK, LAYER, LUN, MULTIPATH, PATH
from zmon.machine.view import History, View
from zmon.tables.multipath import NO_PATHS, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from zmon.base.absent import Value

NONE = absent("nobody says it")
COMMON: dict[str, Value] = {
    "map": "dm-0", "device": "running", "group": 1, "group_state": "active", "in_flight": 8192,
    "priority": 50,
    "adapter": "0.0.fc60", "port": "0x500507630a1b06dc", "checker": "ready", "selector": "service-time",
    "marginal": NONE, "via": "device mapper",
}  # fmt: skip
MAPS = {"dm-0": {"title": "data01", "queueing": "off", "faults": 0, "switches": 0}}
STILL = {"reads": 0, "writes": 0, "read_ms": 0, "write_ms": 0, "sectors_read": 0, "sectors_written": 0}
MOVED = STILL | {"reads": 600, "read_ms": 1200, "sectors_read": 60_000}


def path(name: str, state: Value, failures: Value = 0, **more: Value) -> dict[str, Value]:
    """Return one path."""
    return COMMON | {"name": name, "state": state, "failures": failures} | more


def seen(make_interval: Callable[..., Interval], *last: dict[str, Value]) -> View:
    """Return a view in which these are the paths at last; before, none had failed."""
    keys = [f"8:{16 * at}" for at in range(len(last))]
    first = [one | {"state": "active", "failures": 0} for one in last]
    names = [str(one["name"]) for one in last]
    return View(
        make_interval(
            {PATH: dict(zip(keys, first, strict=True)), MULTIPATH: MAPS, BLOCK: dict.fromkeys(names, STILL)},
            {PATH: dict(zip(keys, last, strict=True)), MULTIPATH: MAPS, BLOCK: dict.fromkeys(names, MOVED)},
        )
    )


def test_a_list_of_lost_paths_says_how_many_more_there_are(make_interval: Callable[..., Interval]) -> None:
    """Four are named; a list that just ends looks complete."""
    found = table(seen(make_interval, *(path(f"sd{letter}", "failed", 1) for letter in "abcdefg")))
    last = "sda of data01, sdb of data01, sdc of data01, sdd of data01 and 3 more"
    assert found.notes == (f"7 of 7 paths are not used: {last}",)


def test_a_failed_path_is_down(make_interval: Callable[..., Interval]) -> None:
    """And the others of its device are counted."""
    found = table(seen(make_interval, path("sda", "active"), path("sdb", "failed", 2)))
    assert found.column("map") == ["data01", "data01"]
    assert found.column("state") == ["active", "failed"]
    assert (found.column("down"), found.column("left")) == ([0, 1], [1, 1])
    assert found.column("faults") == [0, 2]
    assert found.notes == ("1 of 2 paths is not used: sdb of data01",)


def after_loss(make_interval: Callable[..., Interval], before: Sequence[str], now: Sequence[str]) -> View:
    """Return a view of a multipath device that has had other paths until an hour ago."""

    def rows(numbers: Sequence[str]) -> dict[object, object]:
        table_ = f"0 9 multipath 0 0 1 1 service-time 0 {len(numbers)} 1 {' 1 '.join(numbers)} 1"
        names = {number: f"sd{chr(97 + int(number[2:]) // 16)}" for number in before}
        layers: dict[str, dict[str, Value]] = {
            number: {"name": name, "sort": "disk", "busid": f"0.0.fc6{at}"}
            for at, (number, name) in enumerate(names.items())
        }
        layers["253:0"] = {
            "name": "dm-0", "sort": "dm", "uuid": "mpath-36", "mapped": "data01", "table": table_,
            "below": " ".join(numbers),
        }  # fmt: skip
        return {
            LAYER: layers, PATH: {number: path(names[number], "active") for number in numbers},
            MULTIPATH: MAPS, BLOCK: {names[number]: STILL for number in numbers},
        }  # fmt: skip

    early, late = make_interval(rows(before), rows(before)), make_interval(rows(now), rows(now))
    begin = early.after.at.utc

    def past(utc: int, **_more: object) -> Iterator[Interval]:
        yield early if utc < begin + HOUR else late

    last = late.after._replace(at=late.after.at._replace(utc=begin + 2 * HOUR))
    return View(Interval(late.before, last), history=History(past, first=lambda: begin))


def test_a_path_that_the_device_has_no_more_is_down(make_interval: Callable[..., Interval]) -> None:
    """It is told as DIAGNOSE tells it, with its adapter and since when; not where only figures count."""
    view = after_loss(make_interval, ["8:0", "8:16"], ["8:0"])
    found = table(view)
    assert (found.keys, found.column("path")) == (["8:0", "8:16"], ["sda", "sdb"])
    assert (found.column("state"), found.column("down")) == (["active", "gone"], [0, 1])
    assert (found.column("left"), found.column("adapter")[1]) == ([1, 1], "0.0.fc61")
    assert found.summary
    assert found.summary.cells["down"] == 1
    since = clock(view.interval.after.at.utc - HOUR, "%H:%M")
    first, second = found.notes
    assert re.fullmatch(r"1 of 2 .*: sdb of data01", first)
    assert re.fullmatch(rf"sdb of data01 .* {since}", second)
    view.figures_only = True
    assert table(view).keys == ["8:0"]


def test_each_path_that_is_gone_is_counted(make_interval: Callable[..., Interval]) -> None:
    """Four are named, the others counted; each has its row and is one of those that are not used."""
    every = [f"8:{16 * at}" for at in range(7)]
    found = table(after_loss(make_interval, every, every[:1]))
    assert found.column("down") == [0, 1, 1, 1, 1, 1, 1]
    assert found.notes[0].startswith("6 of 7 paths are not used: sdb of data01, ")
    assert len(found.notes) == 6
    assert facts(found.notes[-1]) == "2"


def test_a_path_that_works_again_has_its_faults(make_interval: Callable[..., Interval]) -> None:
    """It failed and was reinstated between two samples."""
    found = table(seen(make_interval, path("sda", "active", 1)))
    assert (found.column("down"), found.column("faults"), found.notes) == ([0], [1], ())


def test_each_path_has_the_load_of_its_disk(make_interval: Callable[..., Interval]) -> None:
    """600 reads of 2 ms in a minute, of 50 KiB each; 8 KiB are in flight."""
    found = table(seen(make_interval, path("sda", "active")))
    assert (found.column("io"), found.column("resp"), found.column("flight")) == ([10.0], [2.0], [8.0])
    assert found.column("mbs") == [pytest.approx(0.512)]


@pytest.mark.parametrize(
    "rows",
    [
        {BLOCK: {"dasda": STILL}},
        {BLOCK: {"dm-0": STILL, "dasda": STILL}},
        {BLOCK: {"dm-0": STILL, "sda": STILL}, LAYER: {"253:0": {"uuid": "LVM-abc"}}},
    ],
)
def test_a_machine_without_multipath_says_so(
    make_interval: Callable[..., Interval], rows: dict[object, object]
) -> None:
    """Nothing is missing there, so no rule is called not judged."""
    found = table(View(make_interval(rows, rows)))
    assert (found.keys, found.missing, found.notes) == ([], None, (NO_PATHS,))


def test_paths_that_were_not_recorded_are_missing(make_interval: Callable[..., Interval]) -> None:
    """A multipath device is there; its paths were not looked at."""
    rows = {BLOCK: {"dm-0": STILL, "sda": STILL}, LAYER: {"253:0": {"uuid": "mpath-36005"}}}
    assert table(View(make_interval(rows, rows))).missing is not None


LATENCIES = {
    f"{what}_{part}": 0 for what in ("read", "write", "cmd") for part in ("fabric", "channel", "count")
}


def test_a_path_has_the_latency_and_the_errors_of_its_lun(make_interval: Callable[..., Interval]) -> None:
    """100 requests of 2 ms in the fabric and 0.5 ms in the channel; the other path is not behind FCP."""
    rows = {
        PATH: {"8:0": path("sda", "active"), "8:16": path("sdb", "active")},
        MULTIPATH: MAPS,
        BLOCK: {"sda": MOVED, "sdb": MOVED},
    }
    lun: dict[str, Value] = {"name": "sda", "errors": 0, "timeouts": 0, **LATENCIES}
    timed = lun | {"read_fabric": 200_000, "read_channel": 50_000, "read_count": 100, "errors": 3}
    found = table(View(make_interval(rows | {LUN: {"0:0:0:0": lun}}, rows | {LUN: {"0:0:0:0": timed}})))
    assert [found.columns[name][0] for name in ("fabric", "chan", "errors")] == [2.0, 0.5, 3]
    assert all(isinstance(found.columns[name][1], Absent) for name in ("fabric", "chan", "errors"))
