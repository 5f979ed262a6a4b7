"""The disks at the bottom of the stack of block devices, as DEVICE has them: see `LeafDisks`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.kinds import LAYER, SWAP
from zmon.machine.devices import devices_of
from zmon.machine.topology import machine_of
from zmon.topology.leaf_disks import leaf_disks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zmon.interval import Interval
    from zmon.machine.view import View


class DisksBelow:
    """The disks below block devices, by their keys in DEVICE."""

    def __init__(self, interval: Interval) -> None:
        """Look at the stack and the devices of an interval."""
        devices = devices_of(interval)
        numbers = map(str, devices.blocks.counted["number"])
        self._keys = dict(zip(numbers, devices.keys, strict=True))
        self._leaves = leaf_disks(interval.after.frame(LAYER))

    def keys(self, numbers: Iterable[str]) -> list[str]:
        """Return the disks below some devices, each once; those that DEVICE does not have are left out."""
        leaves = dict.fromkeys(leaf for number in numbers for leaf in self._leaves.leaves(number))
        return [self._keys[leaf] for leaf in leaves if leaf in self._keys]


def swap_volumes(view: View) -> frozenset[str]:
    """Return the volumes that Linux swaps to, by their keys in DEVICE."""
    if not view.interval.after.frame(SWAP).keys:
        return frozenset()
    return frozenset(DisksBelow(view.interval).keys(machine_of(view).swaps.values()))
