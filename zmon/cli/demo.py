"""Show zmon on a simulated machine, with a guided tour: zmon demo.

A data warehouse with four slow queries, before and after its tablespaces were spread over more logical
control units (LCUs).  Nothing in it is real, and every screen says so.  Ctrl+T performs the next step, Ctrl+X
closes the tour; zmon demo --no-tour shows only the screens.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from zmon.cli.progress import LINE_TERMINALS, progress
from zmon.cli.status import complain

if TYPE_CHECKING:
    import argparse

    from zmon.lab.tour import Tour
    from zmon.session.guide import Guide, Window
    from zmon.session.tape import Tape, Watch
    from zmon.topology.machine import UserInputs

SECOND: Final = 1_000_000_000
TOUR: Final = "shark"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `zmon demo`."""
    parser.add_argument("--no-tour", action="store_true", help="no tour at the start; TOUR opens it")
    parser.add_argument("--line", action="store_true", help="line mode instead of the full screen")


def run(args: argparse.Namespace) -> int:
    """Open the demo and stay until the user leaves; returns the exit status."""
    for name, stream in (("input", sys.stdin), ("output", sys.stdout)):
        if stream is None:
            return complain(f"standard {name} is closed")
    line_mode = args.line or os.environ.get("TERM", "") in LINE_TERMINALS
    if not line_mode and not (sys.stdin.isatty() and sys.stdout.isatty()):
        return complain("the demo needs a terminal; zmon demo --line does not")
    try:
        with progress("simulating a machine for the tour"):
            if line_mode:
                from zmon.cli.line import lead  # noqa: PLC0415 - the other surface is not needed
            else:
                from zmon.ui.app import run as open_glass  # noqa: PLC0415 - a lookup never loads textual
            from zmon.screen.definition import load_screens  # noqa: PLC0415 - --help needs none of it

            screens = load_screens()
            watch, guide, people = opened(TOUR)
    except ValueError as error:
        return complain(str(error))
    guide.shown = not args.no_tour
    try:
        if line_mode:
            return lead(watch, screens, "MENU", sys.stdin, sys.stdout, lambda: people, guide)
        return open_glass(watch, screens, 2.0, "MENU", lambda: people, guide)
    finally:
        watch.tape.close()


def opened(name: str) -> tuple[Watch, Guide, UserInputs]:
    """Return who looks at the first scene of a tour, who leads through it, and who names the LCUs.

    Raises:
        ValueError: a file of it cannot be used.
        OSError: it cannot be read.
    """
    from zmon.lab.tour import load_tour  # noqa: PLC0415 - likewise
    from zmon.session.guide import Guide  # noqa: PLC0415 - --help needs none of it
    from zmon.session.tape import Watch  # noqa: PLC0415 - likewise

    tour = load_tour(name)
    windows, tape = scenes(tour)
    watch = Watch(tape)
    watch.seek(windows[tour.steps[0].scene].end)
    return watch, Guide(tour, windows), named(tour)


def scenes(tour: Tour) -> tuple[dict[str, Window], Tape]:
    """Return what is looked at of each scene, and all of them on one tape.

    Raises:
        ScenarioError: a scenario cannot be used.
    """
    from zmon.lab.scenario import load_scenario  # noqa: PLC0415 - likewise
    from zmon.session.guide import Window  # noqa: PLC0415 - --help needs none of it
    from zmon.session.lab import LabTape, laid  # noqa: PLC0415 - likewise
    from zmon.session.splice import SplicedTape  # noqa: PLC0415 - likewise

    tapes = [LabTape(plan) for plan in laid([load_scenario(scene.name) for scene in tour.scenes])]
    windows = {}
    for scene, tape in zip(tour.scenes, tapes, strict=True):
        begin = tape.plan.begin * SECOND
        windows[scene.name] = Window(
            tape.name, begin + round(scene.begin * SECOND), begin + round(scene.end * SECOND)
        )
    return windows, SplicedTape(tapes)


def named(tour: Tour) -> UserInputs:
    """Return who tells what the LCUs of a tour are called; what the user has told is of another site."""
    from zmon.topology.machine import UserInputs  # noqa: PLC0415 - --help needs none of it
    from zmon.topology.site import NO_SITE  # noqa: PLC0415 - --help needs none of it
    from zmon.topology.site_file import parse_site  # noqa: PLC0415 - --help needs none of it

    if not tour.site:
        return UserInputs(NO_SITE)
    with open(tour.site, encoding="utf-8") as file:
        return UserInputs(parse_site(file.read(), tour.site))
