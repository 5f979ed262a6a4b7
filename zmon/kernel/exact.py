"""Exact totals of channel measurement, for those who ask for them: BIODASDREADALLCMB on base devices.

What sysfs shows is rebuilt from averages and grows inexact beyond 128,000 operations.  The ioctl gives the
totals themselves, but it waits for the operation under way - for ever, if the device hangs - and it opens the
disk's node for that long.  So it is off by default, and a source of its own, which can be left behind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.absent import Absent
from zmon.kernel.block import read_disks
from zmon.kernel.cmf import FIELDS, SSCH, find_devices, format_of, read_exact
from zmon.kernel.cmf import frame as measurement
from zmon.kernel.diskstats import PATH
from zmon.kinds import EXACT

if TYPE_CHECKING:
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame


def read_totals(tree: Tree) -> Frame:
    """Ask every base device that is being measured; one frame of `EXACT`.

    Raises:
        OSError: disks or devices cannot be listed.
    """
    disks = read_disks(tree)
    disk_of = dict(zip(disks.labels.get("busid", []), disks.names, strict=False))
    devices = [d for d in find_devices(tree) if d.off is None and d.busid in disk_of]
    kind = format_of(tree, devices)
    rows, times = [], []
    for device in devices:
        rows.append(read_exact(tree, device, disk_of[device.busid], kind))
        times.append(tree.when(PATH))
    return measurement(kind, devices, rows, times).but(kind=EXACT)


def overlaid(rebuilt: Frame, exact: Frame) -> Frame:
    """Return the rebuilt measurement with the exact rows in the place of their devices'."""
    if rebuilt.missing is not None or exact.missing is not None:
        return rebuilt
    given = [row for row, ssch in enumerate(exact.column(FIELDS[SSCH])) if not isinstance(ssch, Absent)]
    places = [(rebuilt.index[exact.keys[row]], row) for row in given if exact.keys[row] in rebuilt.index]
    columns = {name: list(rebuilt.column(name)) for name in FIELDS}
    times = list(rebuilt.times)
    for place, row in places:
        times[place] = exact.times[row]
        for name, values in columns.items():
            values[place] = exact.columns[name][row]
    return rebuilt.but(columns=columns, times=times)
