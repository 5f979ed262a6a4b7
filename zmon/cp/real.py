"""Answers about real devices: the first line of any of them.

A number in these answers is that of a real device.  What was never seen but is remembered by people (PAV,
EDEVICE, the devices of a channel path) is read where it fits and says so in `weak`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.cp.allocation import allocation
from zmon.cp.dasd import details
from zmon.cp.edevice import edevice
from zmon.cp.extent import extent
from zmon.cp.path import paths
from zmon.cp.subsystem import cache, pav

if TYPE_CHECKING:
    from zmon.cp.noise import Line
    from zmon.cp.row import Row


def real(line: Line) -> Row | None:
    """Read the first line of an answer about real devices, but for the rows of QUERY DASD."""
    text = line.text
    if text.startswith("DASD"):
        return allocation(line)
    if text.startswith("Device "):
        return paths(line) or pav(line)
    if text.startswith(("Path ", "CHPID ", "One path ")):
        return paths(line)
    return details(line) or cache(line) or edevice(line) or allocation(line) or extent(line)
