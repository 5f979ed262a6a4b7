"""Draw the pictures of README.md: the program itself, on sessions that come with it, as SVG.

make pictures
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from typing import Final, NamedTuple

from docs.whole import write_whole
from zmon.base.shipped import shipped
from zmon.cli.source_options import time_of
from zmon.screen.definition import load_screens
from zmon.session.machines import open_capture
from zmon.session.recording import open_recording
from zmon.session.session import Session
from zmon.ui.app import Zmon
from zmon.ui.web_page import portable

FOLDER: Final = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pictures")
SESSION: Final = "hercules-one-hot-lcu.tar.gz"
RECORDING: Final = "hercules-four-queries.zmon"
SIMULATED: Final = "lab-shark-before.zmon"
CASE_STUDY: Final = "casestudy/machine-uid.tar.gz"


class Picture(NamedTuple):
    """One picture: the first command, the keys pressed after it, the size of the glass."""

    name: str
    first: str
    keys: tuple[str, ...] = ()
    size: tuple[int, int] = (80, 24)
    recorded: str = ""
    """At which time of the recording; without one the end of a session is shown."""
    session: str = SESSION


PICTURES: Final = (
    Picture("overview", "OVERVIEW", size=(132, 43), session=SIMULATED),
    Picture("menu", "MENU"),
    Picture("ctlunit", "CTLUNIT", size=(132, 16)),
    Picture("device", "DEVICE", size=(132, 24)),
    Picture("details", "DEVICE 7000", size=(80, 28)),
    Picture("channel", "CHANNEL"),
    Picture("lpar", "LPAR"),
    Picture("help", "DEVICE", ("f1",), (80, 30)),
    Picture("replay", "CTLUNIT", size=(132, 20), recorded="15:14:04"),
    Picture("spread", "SPREAD", size=(132, 19), session=CASE_STUDY),
    Picture("plot", "PLOT CTLUNIT.io 7000 7100", size=(100, 22), recorded="end"),
)


def opened(picture: Picture) -> Session:
    """Look at the end of a captured machine, or at a time of the recording."""
    time, name = picture.recorded, RECORDING if picture.recorded else picture.session
    path = os.path.join(shipped("recordings"), name)
    timeline = open_recording(path) if name.endswith(".zmon") else open_capture(path)
    session = Session(timeline, load_screens(shipped("screens")))
    if time:
        session.seek(time_of(f"2026-11-21 {time}" if time[0].isdigit() else time, timeline))
    else:
        session.end()
    session.log.complete()  # else its thread may judge while it is drawn
    return session


async def draw(picture: Picture) -> str:
    """Return a picture as SVG."""
    app = Zmon(opened(picture), 1.0, picture.first)
    async with app.run_test(size=picture.size) as pilot:
        for key in ("", *picture.keys):
            await pilot.press(*filter(None, [key]))
            while not app.glass.settled:
                await pilot.pause(0.01)
        await pilot.pause()
        return portable(re.sub(r"terminal-\d+", "zmon", app.export_screenshot(title="zmon")))


def main() -> int:
    """Draw them all."""
    os.environ.update(TZ="UTC", COLORTERM="truecolor", TERM="xterm-256color")
    os.makedirs(FOLDER, exist_ok=True)
    for picture in PICTURES:
        file = os.path.join(FOLDER, f"{picture.name}.svg")
        write_whole(file, asyncio.run(draw(picture)))
        sys.stderr.write(f"{file}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
