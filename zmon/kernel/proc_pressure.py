"""/proc/pressure/{cpu,io,memory}: how much time is lost waiting for a resource (PSI).

`some` is the time in which at least one task waited, `full` that in which all that wanted to run waited; both
count microseconds since boot and never wrap.  The averages over 10, 60 and 300 seconds are percent.  For the
CPU of the whole system `full` is not defined.  Source: the kernel's Documentation/accounting/psi.rst.
"""

from __future__ import annotations

import errno
import re
from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent
from zmon.kernel.tree import refused, text
from zmon.kinds import NO_FULL, PRESSURE
from zmon.sample import empty_frame, frame_of

if TYPE_CHECKING:
    from zmon.base.absent import Value
    from zmon.kernel.tree import Tree
    from zmon.sample import Frame

FOLDER: Final = "proc/pressure"
RESOURCES: Final = ("cpu", "io", "memory")
LINE: Final = re.compile(
    r"(some|full) avg10=(\d{1,3}\.\d\d) avg60=(\d{1,3}\.\d\d) avg300=(\d{1,3}\.\d\d) total=(\d{1,20})"
)
OFF: Final = absent("the kernel does not measure pressure: it needs CONFIG_PSI and the boot option psi=1")
UNCAPTURED: Final = absent("/proc/pressure was not captured, or the kernel did not measure pressure")


def parse_pressure(content: str) -> dict[str, Value]:
    """Parse one file: times in ns, averages in percent; kernels before 5.13 have no `full` for the CPU.

    Raises:
        ValueError: a line has another form, or there is no line `some`.
    """
    row: dict[str, Value] = {}
    for line in content.splitlines():
        match = LINE.fullmatch(line)
        if match is None:
            raise ValueError(f"/proc/pressure: expected 'some avg10= ... total=', found {line[:80]!r}")
        name = match[1]
        row[name] = int(match[5]) * 1000
        row |= {f"{name}{seconds}": float(match[at]) for at, seconds in ((2, 10), (3, 60), (4, 300))}
    if "some" not in row:
        raise ValueError(f"/proc/pressure: expected a line 'some', found {content[:40]!r}")
    return row


def read_pressure(tree: Tree) -> Frame:
    """Read the frame PRESSURE: a row for each resource.

    Raises:
        ValueError: see `parse_pressure`.
    """
    rows: dict[str, dict[str, Value]] = {}
    for name in RESOURCES:
        try:
            rows[name] = parse_pressure(text(tree, f"{FOLDER}/{name}"))
        except OSError as error:
            if error.errno not in {errno.ENOENT, errno.EOPNOTSUPP}:
                return empty_frame(PRESSURE, refused(error).reason)
            return empty_frame(PRESSURE, (OFF if tree.live else UNCAPTURED).reason)
    rows["cpu"] |= dict.fromkeys(("full", "full10", "full60", "full300"), NO_FULL)
    return frame_of(PRESSURE, rows, tree.when(f"{FOLDER}/cpu"))
