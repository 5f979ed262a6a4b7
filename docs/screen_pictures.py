"""Print a picture of each screen into docs/pictures/screens, from what fills it: docs/screens.md shows them.

python docs/screen_pictures.py; afterwards python docs/screens.py
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from contextlib import closing
from typing import TYPE_CHECKING, Final

from docs.whole import write_whole
from zmon.base.shipped import shipped
from zmon.cli.full_parser import parse
from zmon.cli.main import main as zmon
from zmon.cli.source_options import open_source
from zmon.fleet.fleet_timeline import FleetTimeline
from zmon.fleet.recorded_fleet import RecordedFleet
from zmon.screen.definition import load_screens
from zmon.screen.export import text
from zmon.session.commands import run
from zmon.session.session import Session

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from zmon.screen.definition import Screens

FOLDER: Final = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pictures", "screens")
SHARK: Final = "recordings/lab-shark-before.zmon"
QUERIES: Final = "recordings/hercules-four-queries.zmon"
ROWS: Final = 6
WIDTH: Final = 80
ORDINARY: Final = ("{}", SHARK, "2003-03-17 09:30")
"""The commands, the source and the time of a screen that is not named below; without a time it is the end."""
PLACES: Final = {
    "CORREL": ("CORREL CTLUNIT.io 7600", SHARK, "2003-03-17 09:30"),
    "DETAILS": ("DETAILS 3373", SHARK, "2003-03-17 09:30"),
    "FCP": ("{}", "lab:fcp-path-slow", ""),
    "FCPPORT": ("{}", "lab:fcp-path-slow", ""),
    "IOCHANGE": ("GO BEGIN; MARK A; GO END; MARK B; AVERAGE; {}", "lab:path-lost", ""),
    "LPAR": ("{}", QUERIES, "2026-11-21 15:14:04"),
    "LPARLOG": ("{}", QUERIES, "2026-11-21 15:14:04"),
    "MPATH": ("{}", "lab:fcp-path-slow", ""),
    "PAVLOG": ("{}", "recordings/lab-healthy-day.zmon", "2026-03-16 14:40"),
    "STACKED": ("{}", "lab:dm-queue", ""),
    "STORAGE": ("{}", "lab:swap-begins", ""),
    "ZMON": ("{}", QUERIES, "2026-11-21 15:14:04"),
}
"""What fills a screen that the ordinary machine does not."""
UNFILLED: Final = frozenset({"BLOCKED", "NETWORK", "PCI", "UPROC", "USTAT"})
"""Screens that nothing fills that comes with zmon: their pictures say so."""


def picture(session: Session, screens: Screens) -> list[str]:
    """Return the present screen as lines of 80 columns, with its first rows."""
    sheet, interval = session.sheet(), session.interval
    if interval is None:
        raise ValueError(f"{session.page.screen.command}: there is no interval")
    if sheet.screen.layout == "list":
        sheet = sheet.within(WIDTH - 1)
    lines = text(sheet, screens, interval, live=False, most=ROWS, width=WIDTH)
    return [line.rstrip() for line in lines]


def file_of(name: str) -> str:
    """Return the file of the picture that has this name."""
    return os.path.join(FOLDER, f"{name.lower()}.txt")


def pictures(known: Container[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each screen of one system whose picture is not `known`, and its picture."""
    screens = load_screens(shipped("screens"))
    sessions: dict[tuple[str, str], Session] = {}
    for screen in screens:
        if screen.command in known:
            continue
        command, source, at = PLACES.get(screen.command, ORDINARY)
        session = sessions.get((source, at))
        if session is None:
            session = sessions[source, at] = Session(open_source(parse("", ["--from", source])), screens)
            run(session, f"GO {at}" if at else "GO END")
            session.log.complete()
        for line in command.format(screen.command).split("; "):
            run(session, line)
        yield screen.command, picture(session, screens)


def of_fleet(known: Container[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the same of the screens of a fleet; there is no fleet to simulate where all are known."""
    screens = load_screens(shipped("screens/fleet"))
    if all(f"fleet-{screen.command}" in known for screen in screens):
        return
    with tempfile.TemporaryDirectory() as folder:
        directory = os.path.join(folder, "fleet")
        zmon(["lab", "fleet", directory, "--guests", "4", "--for", "12m"])
        with closing(RecordedFleet(directory)) as source:
            session = Session(FleetTimeline(source, *source.span()), screens, "FLEET")
            session.seek(source.span()[1])
            for screen in screens:
                run(session, screen.command)
                if f"fleet-{screen.command}" not in known:
                    yield f"fleet-{screen.command}", picture(session, screens)


def draw(known: Container[str] = ()) -> None:
    """Print all pictures but those that are known."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    os.makedirs(FOLDER, exist_ok=True)
    for drawn in (pictures(known), of_fleet(known)):
        for name, lines in drawn:
            write_whole(file_of(name), "\n".join(lines) + "\n")
            sys.stderr.write(f"{name}\n")


if __name__ == "__main__":
    draw()
