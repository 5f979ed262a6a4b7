"""Write docs/screens.md from the files of screens and figures, so that the manual says what the program does.

A screen that has no picture is drawn first; `python docs/screen_pictures.py` draws all of them anew.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from docs import screen_pictures
from docs.whole import write_whole
from zmon.base.shipped import shipped
from zmon.screen.definition import load_screens
from zmon.session.commands import COMMANDS
from zmon.ui.keys import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.screen.definition import Screen

WHEN = {"": "", "empty": " (command line empty)", "typed": " (command line not empty)"}
FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "screens.md")
FIRST = (
    "OVERVIEW", "CTLUNIT", "DEVICE", "CHANNEL", "DETAILS", "FILES", "SPREAD", "MOVES", "CACHEXT", "DASDSTAT",
    "LPAR", "CPU", "SYSSUMLG", "REDISP", "CTLULOG", "PAVLOG", "DEVLOG", "CHANLOG", "LPARLOG", "PROCLOG",
    "PAGELOG", "BENCHMRK", "PLOT", "CORREL",
)  # fmt: skip
"""The screens in the order of their use; those that are not named follow by their numbers."""


def manual() -> str:
    """Return the whole manual of the screens."""
    screens = sorted(load_screens(shipped("screens")), key=place)
    lines = [
        "# The screens",
        "",
        "Written by `python docs/screens.py` from `screens/*.toml` and `figures/*.toml`; do not edit.",
        "",
        "The capitals of a command are its shortest abbreviation: `DEV` is DEVICE.",
        "",
    ]
    lines += ["| command | screen | title | menu |", "| --- | --- | --- | --- |"]
    lines += [f"| [{s.spelled}](#{s.command.lower()}) | {s.id} | {s.title} | {s.menu} |" for s in screens]
    lines += ["", "## Commands", "", "| command | what it does |", "| --- | --- |"]
    for command in COMMANDS:
        usage = f"{command.spelled} {command.operand}".strip().replace("|", r"\|")  # else it ends the cell
        lines.append(f"| `{usage}` | {command.help} |")
    lines += [
        "",
        "## Keys",
        "",
        "Other keys go to the command line. [Settings](settings.md#keys) choose other",
    ]
    lines += ["maps (`vi`, `less`), and other keys for single functions.", ""]
    lines += ["| function | keys | what it does |", "| --- | --- | --- |"]
    lines += [
        f"| `{f.name}` | {f.keys.replace(',', ', ') or '(in other maps)'} | {f.help}{WHEN[f.when]} |"
        for f in FUNCTIONS
    ]
    for screen in screens:
        lines += ["", f"## {screen.command}", "", *describe(screen)]
    lines += ["", "## Screens of a fleet", "", "`zmon fleet` has these ([Many systems](fleet.md)).", ""]
    of_fleet = sorted(load_screens(shipped("screens/fleet")), key=lambda screen: screen.menu)
    lines += ["| command | screen | title | menu |", "| --- | --- | --- | --- |"]
    lines += [f"| {s.spelled} | {s.id} | {s.title} | {s.menu} |" for s in of_fleet]
    for screen in of_fleet:
        lines += [
            "",
            f"### {screen.command} of a fleet",
            "",
            *describe(screen, f"fleet-{screen.command}"),
        ]
    return "\n".join(lines) + "\n"


def place(screen: Screen) -> tuple[int, str]:
    """Return by what screens are sorted: their use, then their number."""
    return FIRST.index(screen.command) if screen.command in FIRST else len(FIRST), screen.id


def describe(screen: Screen, name: str = "") -> Iterator[str]:
    """Yield the lines about one screen, with its picture, whose `name` is another one in a fleet."""
    yield f"{screen.title} ({screen.id})." + (" The layout is zmon's own." if screen.own else "")
    yield ""
    yield screen.help.strip()
    yield ""
    with open(screen_pictures.file_of(name or screen.command), encoding="utf-8") as stream:
        yield f"```text\n{stream.read().rstrip()}\n```"
    if not screen.columns:
        return
    yield ""
    yield "| column | name | unit | meaning | source | limits for `*` / `!` |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for column in screen.columns:
        head = " ".join((*([column.group.strip()] if column.group else []), *column.head)).replace("|", "/")
        limit = f"{column.limit.look:g} / {column.limit.bad:g}" if column.limit else ""
        about = " ".join(column.help.split())
        yield f"| {head} | `{column.name}` | {column.unit} | {about} | {column.source} | {limit} |"


def draw_missing() -> None:
    """Draw the screens that have no picture."""
    names = [screen.command for screen in load_screens(shipped("screens"))]
    names += [f"fleet-{screen.command}" for screen in load_screens(shipped("screens/fleet"))]
    screen_pictures.draw({name for name in names if os.path.exists(screen_pictures.file_of(name))})


if __name__ == "__main__":
    draw_missing()
    write_whole(FILE, manual())
    sys.stderr.write(f"{FILE} written\n")
