"""The volumes below what Linux swaps to are those of DEVICE, however they are stacked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from zmon.base.absent import absent
from zmon.kinds import BLOCK, DEVICE, LAYER, MOUNT, SWAP
from zmon.machine.observed import load_of
from zmon.machine.view import View

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.base.absent import Value
    from zmon.interval import Interval

NONE = absent("not there")
LAYERS: dict[str, dict[str, Value]] = {
    "253:1": {"name": "dm-1", "sort": "dm", "below": "94:1", "uuid": "LVM-a"},
    "94:1": {"name": "dasda1", "sort": "partition", "parent": "94:0"},
    "94:0": {"name": "dasda", "sort": "disk", "busid": "0.0.0300"},
    "253:0": {"name": "dm-0", "sort": "dm", "below": "8:0 8:16", "uuid": "mpath-1"},
    "253:2": {"name": "dm-2", "sort": "dm", "parent": "253:0", "below": "253:0", "uuid": "part1-mpath-1"},
    "8:0": {"name": "sda", "sort": "disk"},
    "8:16": {"name": "sdb", "sort": "disk"},
}
UNSET: dict[str, Value] = {"parent": NONE, "below": "", "busid": NONE}
ROWS: dict[object, dict[str, dict[str, Value]]] = {
    LAYER: {key: UNSET | row for key, row in LAYERS.items()},
    DEVICE: {"0.0.0300": {"online": 1, "block": "dasda"}},
    MOUNT: {"1": {"point": "/", "number": "94:1", "root": "/", "fstype": "ext4"}},
    BLOCK: {
        "dasda": {"number": "94:0", "busid": "0.0.0300", "map": NONE},
        "dm-0": {"number": "253:0", "map": "dm-0"},
        "sda": {"number": "8:0", "map": "dm-0"},
        "sdb": {"number": "8:16", "map": "dm-0"},
    },
}


@pytest.mark.parametrize(
    ("area", "sort", "volume"),
    [
        ("/dev/dasda1", "partition", "0.0.0300"),
        ("/dev/dm-1", "partition", "0.0.0300"),
        ("/dev/dm-0", "partition", "dm-0"),
        ("/dev/dm-2", "partition", "dm-0"),
        ("/swapfile", "file", "0.0.0300"),
    ],
)
def test_the_volume_below_a_swap_area(
    make_interval: Callable[..., Interval], area: str, sort: str, volume: str
) -> None:
    """Through partitions, logical volumes and files; a multipath device is one volume, not its paths."""
    rows = ROWS | {SWAP: {area: {"sort": sort, "size": 1, "used": 1}}}
    assert load_of(View(make_interval(rows, rows))).swap == {volume}


def test_without_swap_no_volume_is_swapped_to(make_interval: Callable[..., Interval]) -> None:
    """Nor with an area in memory."""
    assert not load_of(View(make_interval(ROWS, ROWS))).swap
    rows = ROWS | {SWAP: {"/dev/zram0": {"sort": "partition", "size": 1, "used": 1}}}
    assert not load_of(View(make_interval(rows, rows))).swap
