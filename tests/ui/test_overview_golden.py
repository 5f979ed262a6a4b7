"""OVERVIEW of machines in trouble and in health, in the sizes that people have, compared with text files.

`ZMON_GOLDEN=write pytest tests/ui/test_overview_golden.py` writes them anew; read each aloud first.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from zmon.screen.definition import load_screens, shipped
from zmon.session.machines import open_capture
from zmon.session.recording import open_recording
from zmon.session.session import Session
from zmon.session.when import parse_when
from zmon.ui.actions import GlassActions
from zmon.ui.glass import Glass
from zmon.ui.line import texts

pytestmark = pytest.mark.usefixtures("utc")

GOLDEN = Path(__file__).parent / "golden"
RECORDINGS = Path(__file__).parents[2] / "recordings"
SIZES = {"80x24": "blocks", "132x43": "blocks", "200x60": "blocks", "80x24-ascii": "ascii"}
MACHINES = {
    "shark-before": ("lab-shark-before.zmon", "2003-03-17 09:50"),
    "incident": ("lab-healthy-day.zmon", "2026-03-16 14:40"),
    "healthy": ("lab-healthy-day.zmon", "2026-03-16 10:00"),
    "hercules": ("hercules-one-hot-lcu.tar.gz", ""),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("machine", MACHINES)
def test_overview_looks_as_it_did(machine: str, size: str) -> None:
    """The verdict, the resources, the lists and what cannot be seen; nothing is judged meanwhile."""
    name, when = MACHINES[machine]
    path = str(RECORDINGS / name)
    timeline = open_capture(path) if name.endswith("gz") else open_recording(path)
    session = Session(timeline, load_screens(shipped("screens")))
    session.seek(parse_when(when, 0, None, timeline.span())) if when else session.end()
    session.mover = lambda _move: None
    session.sheet()
    glass = Glass(session, actions=GlassActions(), plain=size.endswith("ascii"), chart=SIZES[size])
    glass.resize(*map(int, size.partition("-")[0].split("x")))
    found = texts(glass.lines()) + "\n"
    file = GOLDEN / f"overview-{machine}-{size}.txt"
    if os.environ.get("ZMON_GOLDEN") == "write":
        file.write_text(found)
    assert found == file.read_text()
