"""On which disk and LCU a task, or a process, waits: what its system call tells, else an estimate.

An estimate is what the files that it has open lie on, or the one disk on which its unit does I/O.  Only for a
task that may wait for a disk there is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent, text_of
from zmon.base.record import NamedTuple
from zmon.kinds import LAYER, OPEN_FILE
from zmon.machine.unit_loads import NO_LCU, DiskPlaces, unit_loads
from zmon.topology.stack import Stack
from zmon.values.wait_place import ESTIMATES, ONLY_DISK, OPEN_FILES, may_wait_for_disk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from zmon.base.absent import Value
    from zmon.machine.view import View

MAX_CANDIDATES: Final = 4
"""Disks below open files; of a process with more of them nothing is said."""
NOT_TOLD: Final = absent("its system call, its open files and the disks of its unit do not tell")
NO_DISK: Final = absent("it does not wait for a disk")
CANDIDATES: Final = (
    "~ Device: the disks below the files that it has open (From: open files), or the only one of its user"
)


class WaitDevice(NamedTuple):
    """Where something waits."""

    device: Value
    """Names of disks."""
    lcu: Value
    evidence: Value
    """How it is known: one of those of `zmon.values.wait_place`."""

    @property
    def is_estimate(self) -> bool:
        """Whether it is only likely."""
        return self.evidence in ESTIMATES


class WaitDevices:
    """Finds disks for what waits in an interval."""

    def __init__(self, view: View) -> None:
        """Look at where disks are, at the I/O of units and at open files."""
        self._loads = unit_loads(view.interval)
        self._places = DiskPlaces(view, self._loads)
        self._stack = Stack(view.interval.after.frame(LAYER))
        files = view.interval.after.frame(OPEN_FILE)
        self._below: dict[str, list[str]] = {}
        for process, number in zip(files.column("process"), files.column("device"), strict=True):
            disks = self._below.setdefault(str(process), [])
            disks += [disk for disk in self.disks(str(number)) if disk not in disks]

    def disks(self, numbers: str) -> list[str]:
        """Return the numbers of the disks below devices, `94:1 253:3`."""
        disks = (leaf for number in numbers.split() for leaf in self._leaves(number))
        return list(dict.fromkeys(disks))

    def _leaves(self, number: str) -> Iterable[str]:
        """Return the disks below a device; of a loop device those on which its file lies, if that is known.

        The I/O of units is counted at these disks alone, so that a loop device is nothing to count at.
        """
        leaves = self._loads.leaves
        disks = leaves.leaves(number)
        if disks:
            return disks
        lower = [leaf for leaf in self._stack.leaves(number) if leaf != number]
        return [disk for leaf in lower for disk in leaves.leaves(leaf) or (leaf,)] or (number,)

    def device(self, disks: Iterable[str]) -> str:
        """Return what disks are called: as on DEVICE, else by the name of the block device."""
        called, named = self._places.device, self._loads.leaves.name
        return ", ".join(called.get(number) or named(number) or number for number in disks)

    def lcu(self, disks: Iterable[str]) -> Value:
        """Return the LCUs of disks."""
        names = (name for number in disks if not isinstance(name := self._places.lcu_name(number), Absent))
        return ", ".join(dict.fromkeys(names)) or NO_LCU

    def of(self, told: Value, evidence: Value, process: str, unit: str, place: Value) -> WaitDevice:
        """Return where a task waits: as told, or as its open files or its unit let expect.

        `place` is the function of the kernel in which it waits.
        """
        if isinstance(told, str) and told:
            disks = self.disks(told)
        elif not may_wait_for_disk(text_of(place)):
            return WaitDevice(NO_DISK, NO_DISK, NO_DISK)
        elif 0 < len(self._below.get(process, ())) <= MAX_CANDIDATES:
            disks, evidence = self._below[process], OPEN_FILES
        elif len(self._loads.of.get(unit, ())) == 1:
            disks, evidence = list(self._loads.of[unit]), ONLY_DISK
        else:
            return WaitDevice(NOT_TOLD, NOT_TOLD, NOT_TOLD)
        return WaitDevice(self.device(disks), self.lcu(disks), evidence)
