"""OVERVIEW of machines in trouble and in health, in the sizes that people have, compared with text files.

`ZMON_GOLDEN=write pytest tests/ui/test_overview_golden.py` writes them anew; read each aloud first.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.goldens import compare
from zmon.base.shipped import shipped
from zmon.lab.scenario import load_scenario
from zmon.screen.definition import load_screens
from zmon.session.machines import open_capture, simulated
from zmon.session.recording import open_recording
from zmon.session.session import Session
from zmon.session.when import parse_when
from zmon.ui.actions import GlassActions
from zmon.ui.glass import Glass
from zmon.ui.line import texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.session.timeline import Timeline

pytestmark = pytest.mark.usefixtures("utc")

RECORDINGS = Path(__file__).parents[2] / "recordings"
SIZES = {"80x24": "blocks", "132x43": "blocks", "200x60": "blocks", "80x24-ascii": "ascii"}
MACHINES = {
    "shark-before": ("lab-shark-before.zmon", "2003-03-17 09:50"),
    "incident": ("lab-healthy-day.zmon", "2026-03-16 14:40"),
    "healthy": ("lab-healthy-day.zmon", "2026-03-16 10:00"),
    "hercules": ("hercules-one-hot-lcu.tar.gz", ""),
    "four-queries": ("hercules-four-queries.zmon", "2026-11-21 15:15:59"),
    "no-aliases": ("lab:hyperpav-0", ""),
    "one-path-of-four": ("lab:fcp-failover", ""),
    "fleet": ("lab:fleet-4096", ""),
    "virtio": ("qemu", ""),
}
SIMULATED = 12
"""Intervals of a scenario that are simulated, up to its end."""


@cache
def simulated_end(name: str) -> Timeline:
    """Return the end of a scenario: its last phase, as short as is seen."""
    plan = load_scenario(name)
    last = plan.phases[-1]._replace(seconds=SIMULATED * plan.step)
    return simulated([plan._replace(phases=(last,))])


def opened(name: str, lay_out: Callable[[str], str]) -> Timeline:
    """Return what a recording, a capture or a scenario holds."""
    if name.startswith("lab:"):
        return simulated_end(name.removeprefix("lab:"))
    path = str(RECORDINGS / name) if "." in name else lay_out(name)
    return open_recording(path) if name.endswith("zmon") else open_capture(path)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("machine", MACHINES)
def test_overview_looks_as_it_did(machine: str, size: str, lay_out: Callable[[str], str]) -> None:
    """The verdict, the resources, the lists and what cannot be seen; nothing is judged meanwhile."""
    name, when = MACHINES[machine]
    timeline = opened(name, lay_out)
    session = Session(timeline, load_screens(shipped("screens")))
    session.seek(parse_when(when, 0, None, timeline.span())) if when else session.end()
    session.mover = lambda _move: None
    session.sheet()
    glass = Glass(session, actions=GlassActions(), plain=size.endswith("ascii"), chart=SIZES[size])
    glass.resize(*map(int, size.partition("-")[0].split("x")))
    compare(f"ui/overview-{machine}-{size}", texts(glass.lines()).splitlines())
