"""Channel paths that devices cannot use, paths to SCSI disks and logical volumes, from an interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from zmon.base.absent import Absent, absent
from zmon.base.clock import HOUR, MINUTE
from zmon.interval import Interval
from zmon.kinds import BLOCK, CHANNEL, DEVICE, LAYER, PATH, SETTING
from zmon.machine.observed_paths import came_back, extended_volumes, lcu_paths, multipath_maps
from zmon.machine.view import History, View
from zmon.values.path_masks import Unused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zmon.base.absent import Value

NONE = absent("not there")
DASD: dict[str, Value] = {
    "online": 1, "chpids": "40 41", "pim": 0xC0, "pam": 0xC0, "pom": 0xC0, "vpm": 0xC0, "hpf": 1,
    "uid": "IBM.750000000F2001.7600.00", "cutype": "2107/e8", "path_masks": "c0 00 00 00 00 00",
    "alias": 0, "block": "dasda", "driver": "dasd-eckd",
}  # fmt: skip


def seen(make_interval: Callable[..., Interval], rows: dict[object, object]) -> View:
    return View(make_interval(rows, rows))


@pytest.mark.parametrize(
    ("change", "channel", "why"),
    [
        ({"pam": 0x80}, {"status": "online", "configure": 0}, Unused.CONFIGURED_OFF),
        ({"vpm": 0x80}, {"status": "offline", "configure": 1}, Unused.VARIED_OFF),
        ({"path_masks": "80 00 00 00 00 40"}, {"status": "online", "configure": 1}, Unused.ERRORS),
        ({"path_masks": "80 00 00 40 00 00"}, {"status": "online", "configure": 1}, Unused.MAINTENANCE),
        ({"pom": 0x80}, {"status": "online", "configure": 1}, Unused.ON),
        ({"pom": 0x80}, {}, Unused.UNKNOWN),
    ],
)
def test_a_path_is_lost_if_any_mask_lacks_it(
    make_interval: Callable[..., Interval], change: dict[str, Value], channel: dict[str, Value], why: Unused
) -> None:
    """Why follows from the masks of the driver, else from the state of the channel path."""
    found = lcu_paths(seen(make_interval, {DEVICE: {"0.0.7000": DASD | change}, CHANNEL: {"0.41": channel}}))
    assert not isinstance(found, Absent)
    (lost,) = found[0].lost
    assert (lost.chpid, lost.devices) == ("41", 1)
    assert lost.why is why


def test_devices_that_are_off_line_lose_nothing(make_interval: Callable[..., Interval]) -> None:
    """Nor do whole ones; physical channels and HPF are told of all."""
    devices = {"0.0.7000": DASD, "0.0.7001": DASD | {"online": 0, "pam": 0}}
    channels = {f"0.4{at}": {"status": "online", "configure": 1, "chid": "01f0"} for at in range(2)}
    found = lcu_paths(seen(make_interval, {DEVICE: devices, CHANNEL: channels}))
    assert not isinstance(found, Absent)
    (one,) = found
    assert (one.lost, one.installed, one.physical, one.devices) == ((), ("40", "41"), ("01f0",), 1)
    assert one.without_hpf == 0
    old = lcu_paths(seen(make_interval, {DEVICE: {"0.0.7000": DASD | {"hpf": 0}}}))
    assert not isinstance(old, Absent)
    assert old[0].without_hpf == 1


def test_an_id_that_the_kernel_calls_internal_is_no_physical_channel(
    make_interval: Callable[..., Interval],
) -> None:
    """Two paths with one such id are not over one channel."""
    internal = {"status": "online", "configure": 1, "chid": "01f0", "chid_external": 0}
    channels = {f"0.4{at}": internal for at in range(2)}
    (lcu,) = lcu_paths(seen(make_interval, {DEVICE: {"0.0.7000": DASD}, CHANNEL: channels}))  # type: ignore[misc]
    assert lcu.physical == ()


def disk(name: str, busid: str, **more: Value) -> dict[str, Value]:
    row: dict[str, Value] = {
        "name": name,
        "sort": "disk",
        "busid": busid,
        "wwpn": "0x1",
        "below": "",
        "uuid": NONE,
    }
    return row | {"table": NONE, "mapped": NONE, "parent": NONE} | more


def test_paths_of_a_multipath_device(make_interval: Callable[..., Interval]) -> None:
    """Its groups, what each path carries, and which failed."""
    table = "0 8 multipath 0 0 2 1 round-robin 0 1 1 8:0 100 round-robin 0 1 1 8:16 100"
    layers = {
        "8:0": disk("sda", "0.0.fc60"),
        "8:16": disk("sdb", "0.0.fc61"),
        "253:0": disk("dm-0", "", sort="dm", uuid="mpath-36", mapped="data", table=table, below="8:0 8:16"),
    }
    ccw = {f"0.0.fc6{at}": {"online": 1, "chpids": f"6{at}", "driver": "zfcp"} for at in range(2)}
    settings = {"paths/253:0": {"value": "8:0=A 8:16=F"}, "disk/sda/state": {"value": "running"}}
    still = {name: {"reads": 0, "writes": 0, "read_ms": 0, "write_ms": 0} for name in ("sda", "sdb")}
    moved = still | {"sda": {"reads": 600, "writes": 0, "read_ms": 1200, "write_ms": 0}}
    rows = {LAYER: layers, DEVICE: ccw, SETTING: settings}
    found = multipath_maps(View(make_interval(rows | {BLOCK: still}, rows | {BLOCK: moved})))
    assert not isinstance(found, Absent)
    (one,) = found
    assert (one.title, one.selector, one.turn) == ("data", "round-robin", 100)
    assert [[leaf.name for leaf in group] for group in one.groups] == [["sda"], ["sdb"]]
    assert [(leaf.adapter, leaf.chpid, leaf.failed) for leaf in one.leaves] == [
        ("0.0.fc60", "60", ""),
        ("0.0.fc61", "61", "failed"),
    ]
    assert (one.leaves[0].rate, one.leaves[0].response) == (10.0, 0.002)


def two_paths(*numbers: str, offline: str = "") -> dict[object, object]:
    """Return a disk over paths of these numbers, of which one may be offline."""
    names = {"8:0": ("sda", "0.0.fc60"), "8:16": ("sdb", "0.0.fc61")}
    table = f"0 8 multipath 0 0 1 1 round-robin 0 {len(numbers)} 1 " + " ".join(f"{one} 1" for one in numbers)
    layers = {one: disk(*names[one]) for one in numbers}
    layers["253:0"] = disk(
        "dm-0", "", sort="dm", uuid="mpath-36", mapped="data", table=table, below=" ".join(numbers)
    )
    paths = {
        one: {"name": names[one][0], "map": "dm-0", "state": "active",
              "device": "offline" if one == offline else "running"}
        for one in numbers
    }  # fmt: skip
    ccw = {busid: {"online": int(one in numbers), "chpids": "60"} for one, (_name, busid) in names.items()}
    return {LAYER: layers, PATH: paths, DEVICE: ccw}


def test_the_state_of_a_path_is_that_of_the_sample(make_interval: Callable[..., Interval]) -> None:
    """Settings are read once a minute: a path that has failed since is known all the same."""
    rows = two_paths("8:0", "8:16", offline="8:16") | {SETTING: {"disk/sdb/state": {"value": "running"}}}
    (one,) = multipath_maps(seen(make_interval, rows))  # type: ignore[misc]  # it is known
    assert [leaf.failed for leaf in one.leaves] == ["", "offline"]
    assert [leaf.name for leaf in one.broken] == ["sdb"]


def test_a_path_that_is_gone_is_lost(make_interval: Callable[..., Interval]) -> None:
    """The disk had two paths before; it is said since when, and that the adapter was set offline."""
    both, alone = two_paths("8:0", "8:16"), two_paths("8:0")
    early, late = make_interval(both, both), make_interval(alone, alone)
    begin = early.after.at.utc

    def past(utc: int, **_more: object) -> Iterator[Interval]:
        yield early if utc < begin + HOUR else late

    now = late.after._replace(at=late.after.at._replace(utc=begin + 2 * HOUR))
    view = View(Interval(late.before, now), history=History(past, first=lambda: begin))
    (one,) = multipath_maps(view)  # type: ignore[misc]  # it is known
    assert [(leaf.name, leaf.failed, leaf.adapter_offline) for leaf in one.gone] == [("sdb", "gone", True)]
    assert one.since is not None
    assert abs(one.since - begin - HOUR) < 60 * 10**9


@pytest.mark.parametrize(("minutes", "is_told"), [(0, True), (1, True), (4, True), (10, False)])
def test_a_path_that_came_back_is_told_for_some_minutes(
    make_interval: Callable[..., Interval], minutes: int, *, is_told: bool
) -> None:
    """What waited while it was gone is behind it for a while; its name may be another one."""
    both, alone = two_paths("8:0", "8:16"), two_paths("8:0")
    early, late = make_interval(alone, alone), make_interval(both, both)
    begin = early.after.at.utc
    before = late.after._replace(at=late.after.at._replace(utc=begin + minutes * MINUTE))
    now = late.after._replace(at=before.at._replace(utc=before.at.utc + MINUTE))

    def past(utc: int, **_more: object) -> Iterator[Interval]:
        yield early if utc <= begin else late

    view = View(Interval(before, now), history=History(past, first=lambda: begin))
    (disk,) = multipath_maps(view)  # type: ignore[misc]  # it is known
    assert came_back(view, disk) is is_told
    assert not came_back(View(Interval(None, now), history=History(past, first=lambda: begin)), disk)


def test_a_path_with_another_name_is_no_loss(make_interval: Callable[..., Interval]) -> None:
    """A controller that comes back has its disk under the next free name."""
    both = two_paths("8:0", "8:16")
    other = two_paths("8:0", "8:16")
    other[PATH]["8:16"]["name"] = other[LAYER]["8:16"]["name"] = "sdc"  # type: ignore[index]  # rows
    early, late = make_interval(both, both), make_interval(other, other)
    begin = early.after.at.utc
    now = late.after._replace(at=late.after.at._replace(utc=begin + 2 * HOUR))
    view = View(Interval(late.before, now), history=History(lambda _utc: iter([early]), first=lambda: begin))
    (one,) = multipath_maps(view)  # type: ignore[misc]  # it is known
    assert (one.broken, one.since) == ((), None)


def test_without_root_the_groups_are_not_known(make_interval: Callable[..., Interval]) -> None:
    """All paths are in one then, and the selector is empty."""
    layers = {
        "8:0": disk("sda", "0.0.fc60"),
        "253:0": disk("dm-0", "", sort="dm", uuid="mpath-36", below="8:0"),
    }
    found = multipath_maps(seen(make_interval, {LAYER: layers}))
    assert not isinstance(found, Absent)
    assert [(one.selector, len(one.leaves)) for one in found] == [("", 1)]


def test_a_logical_volume_that_was_extended(make_interval: Callable[..., Interval]) -> None:
    """Its parts with the disks below them, and all disks of its group."""
    layers = {f"94:{4 * at}": disk(f"dasd{'abcd'[at]}", f"0.0.700{at}") for at in range(4)}
    layers["253:0"] = disk(
        "dm-0", "", sort="dm", uuid="LVM-x", mapped="vg-data", below="94:0 94:4 94:8",
        table="0 800 striped 2 128 94:0 384 94:4 384\n800 400 linear 94:8 384",
    )  # fmt: skip
    layers["253:1"] = disk(
        "dm-1", "", sort="dm", uuid="LVM-y", mapped="vg-other", table="0 8 linear 94:12 0", below="94:12"
    )
    blocks = {f"dasd{'abcd'[at]}": {"number": f"94:{4 * at}", "busid": f"0.0.700{at}"} for at in range(4)}
    ccw = {f"0.0.700{at}": DASD | {"block": f"dasd{'abcd'[at]}"} for at in range(4)}
    found = extended_volumes(seen(make_interval, {LAYER: layers, BLOCK: blocks, DEVICE: ccw}))
    assert not isinstance(found, Absent)
    (one,) = found
    assert one.title == "vg/data"
    assert [part.volumes for part in one.segments] == [("0.0.7000", "0.0.7001"), ("0.0.7002",)]
    assert one.group == tuple(f"0.0.700{at}" for at in range(4))


def test_what_was_not_read_is_absent(make_interval: Callable[..., Interval]) -> None:
    """With its reason."""
    nothing = seen(make_interval, {})
    assert all(isinstance(read(nothing), Absent) for read in (lcu_paths, multipath_maps, extended_volumes))
