"""The live screens: on the glass, or line by line on a terminal that cannot address its cursor."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from zmon.cli.status import USAGE, complain
from zmon.cli.tape import add_tape_arguments, open_tape

if TYPE_CHECKING:
    import argparse

LINE_TERMINALS: Final = {"", "dumb", "unknown"}
"""Values of TERM that name a terminal without cursor addressing: a 3215 or the HMC's console."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `zmon` alone."""
    parser.add_argument("command", nargs="*", help="the first screen, as on the command line: DEVICE 7000")
    add_tape_arguments(parser)
    parser.add_argument("--line", action="store_true", help="line mode, whatever the terminal can do")


def run(args: argparse.Namespace) -> int:
    """Open the screens and stay until the user leaves; returns the exit status."""
    for name, stream in (("input", sys.stdin), ("output", sys.stdout)):
        if stream is None:
            return complain(f"standard {name} is closed")
    from zmon.screen.definition import ScreenError, load_screens  # noqa: PLC0415 - --help needs none of it
    from zmon.tape.tape import Watch  # noqa: PLC0415

    line_mode = args.line or os.environ.get("TERM", "") in LINE_TERMINALS
    try:
        screens = load_screens()
        if args.command:
            screens.find(args.command[0])
    except ScreenError as error:
        complain(str(error))
        return USAGE
    try:
        watch = Watch(open_tape(args, follow=not line_mode))
    except ValueError as error:
        return complain(str(error))
    first = " ".join(args.command) or "MENU"
    if line_mode:
        from zmon.cli.line import lead  # noqa: PLC0415 - the other surface is not needed

        return lead(watch, screens, first, sys.stdin, sys.stdout)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return complain("the screens need a terminal; print one with zmon show, or use --line")
    from zmon.ui.app import run as open_glass  # noqa: PLC0415 - a lookup never loads textual

    return open_glass(watch, screens, args.interval, first)
