"""Write docs/screens.md from the files of screens and their pictures, so that it shows what the program does.

What `zmon help` prints of a screen, its columns, commands and keys is not repeated there.
A screen that has no picture is drawn first; `python docs/screen_pictures.py` draws all of them anew.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from docs import screen_pictures
from docs.whole import write_whole
from zmon.base.shipped import shipped
from zmon.screen.definition import load_screens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from zmon.screen.definition import Screen

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "screens.md")
FIRST = (
    "OVERVIEW", "CTLUNIT", "DEVICE", "CHANNEL", "DETAILS", "FILES", "SPREAD", "MOVES", "CACHEXT", "DASDSTAT",
    "LPAR", "CPU", "SYSSUMLG", "REDISP", "CTLULOG", "PAVLOG", "DEVLOG", "CHANLOG", "LPARLOG", "PROCLOG",
    "PAGELOG", "BENCHMRK", "PLOT", "CORREL",
)  # fmt: skip
"""The screens in the order of their use; those that are not named follow by their numbers."""
HEAD = """# The screens

A picture of each. The program explains them:

| on a screen | in a shell | prints |
| --- | --- | --- |
| F1 | `zmon help DEVICE` | the screen and all its columns |
| F1 on a column, HELP DEVICE.resp | `zmon help DEVICE.resp` | the column: unit, meaning, source, limits |
| F4 | `zmon help screens` | all screens with their numbers |
| ? | `zmon help commands`, `zmon help keys` | commands and keys; [settings](settings.md#keys) change keys |

The columns of a fleet's screens are explained on the screens alone. `zmon help FILES` is about the screen,
`zmon help files` about the files that zmon reads.

Written by `python docs/screens.py` from `screens/*.toml`; do not edit.
"""


def manual() -> str:
    """Return the whole manual of the screens."""
    screens = sorted(load_screens(shipped("screens")), key=place)
    of_fleet = sorted(load_screens(shipped("screens/fleet")), key=lambda screen: screen.menu)
    lines = [HEAD, listed(screens), "", f"In `zmon fleet`: {listed(of_fleet, ' of a fleet')}", ""]
    for screen in screens:
        lines += [f"## {screen.command}", "", *describe(screen), ""]
    for screen in of_fleet:
        lines += [f"## {screen.command} of a fleet", "", *describe(screen, f"fleet-{screen.command}"), ""]
    return "\n".join(lines)


def listed(screens: Iterable[Screen], more: str = "") -> str:
    """Return links to the screens, each with the shortest form of its command in capitals."""
    anchor = more.replace(" ", "-")
    return ",\n".join(f"[{screen.spelled}](#{screen.command.lower()}{anchor})" for screen in screens) + "."


def place(screen: Screen) -> tuple[int, str]:
    """Return by what screens are sorted: their use, then their number."""
    return FIRST.index(screen.command) if screen.command in FIRST else len(FIRST), screen.id


def describe(screen: Screen, name: str = "") -> Iterator[str]:
    """Yield what a screen shows in a sentence, with its picture, whose `name` is another one in a fleet."""
    menu = f", {screen.menu} in the menu" if screen.menu else ""
    first = re.split(r"(?<=\.)\s", " ".join(screen.help.split()))[0]
    yield f"**{screen.title}** ({screen.id}{menu}). {first}"
    yield ""
    with open(screen_pictures.file_of(name or screen.command), encoding="utf-8") as stream:
        yield f"```text\n{stream.read().rstrip()}\n```"


def draw_missing() -> None:
    """Draw the screens that have no picture."""
    names = [screen.command for screen in load_screens(shipped("screens"))]
    names += [f"fleet-{screen.command}" for screen in load_screens(shipped("screens/fleet"))]
    screen_pictures.draw({name for name in names if os.path.exists(screen_pictures.file_of(name))})


if __name__ == "__main__":
    draw_missing()
    write_whole(FILE, manual())
    sys.stderr.write(f"{FILE} written\n")
