"""The live screens: on the glass, or line by line on a terminal that cannot address its cursor."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from zmon.cli.people import add_people_arguments
from zmon.cli.progress import LINE_TERMINALS, opening, progress
from zmon.cli.status import USAGE, complain
from zmon.cli.tape import add_tape_arguments, open_tape, seek

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.screen.definition import Screens
    from zmon.session.tape import Watch
    from zmon.topology.machine import UserInputs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `zmon` alone."""
    parser.add_argument("command", nargs="*", help="the first screen, as on the command line: DEVICE 7000")
    add_tape_arguments(parser)
    parser.add_argument(
        "--record",
        metavar="FILE",
        help="record the samples into FILE; else only the last ones are kept, in memory",
    )
    parser.add_argument("--at", metavar="TIME", help="where to begin in a recording: 14:32, -10m, begin")
    parser.add_argument("--line", action="store_true", help="line mode instead of the full screen")
    add_people_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Open the screens and stay until the user leaves; returns the exit status."""
    for name, stream in (("input", sys.stdin), ("output", sys.stdout)):
        if stream is None:
            return complain(f"standard {name} is closed")
    from zmon.screen.definition import NoScreen, ScreenError, load_screens  # noqa: PLC0415 - --help needs none of it
    from zmon.session.when import WhenError  # noqa: PLC0415

    line_mode = args.line or os.environ.get("TERM", "") in LINE_TERMINALS
    try:
        _agree(args)
        screens = load_screens()
        if args.command:
            screens.find(args.command[0])
        if not line_mode and not (sys.stdin.isatty() and sys.stdout.isatty()):
            return complain("the screens need a terminal; print one with zmon show, or use --line")
        return _look(screens, args, line_mode=line_mode)
    except NoScreen:
        from zmon.cli.main import slip  # noqa: PLC0415 - the subcommands are known there

        complain(slip(args.command[0], screens.commands))
        return USAGE
    except (ScreenError, WhenError, argparse.ArgumentTypeError) as error:
        complain(str(error))
        return USAGE
    except ValueError as error:
        return complain(str(error))


def _agree(args: argparse.Namespace) -> None:
    """See that the options fit one another.

    Raises:
        ArgumentTypeError: they do not.
    """
    if args.record and args.source:
        raise argparse.ArgumentTypeError(
            "--record records this machine; what --from names is recorded already: zmon cut copies it"
        )
    if "-" in (*args.cp_file, *args.listing):
        raise argparse.ArgumentTypeError("- is standard input, where commands come from: name a file")
    if args.at and not args.source:
        raise argparse.ArgumentTypeError("--at is a time in a recording: name one with --from")


def _look(screens: Screens, args: argparse.Namespace, *, line_mode: bool) -> int:
    """Open the surface that the terminal can show."""
    first = " ".join(args.command) or "MENU"
    with progress(opening(args.source)):
        watch, told = _opened(args, line_mode=line_mode)
        if line_mode:
            from zmon.cli.line import lead  # noqa: PLC0415 - the other surface is not needed
        else:
            from zmon.ui.app import run as open_glass  # noqa: PLC0415 - a lookup never loads textual
    try:
        if line_mode:
            return lead(watch, screens, first, sys.stdin, sys.stdout, told, seconds=args.interval)
        return open_glass(watch, screens, args.interval, first, told)
    finally:
        watch.tape.close()


def _opened(args: argparse.Namespace, *, line_mode: bool) -> tuple[Watch, Callable[[], UserInputs]]:
    """Return who looks at the source, at its end or where `--at` says, and what people tell."""
    from zmon.cli.listing import asked  # noqa: PLC0415 - --help needs none of it
    from zmon.cli.people import listing_of, people  # noqa: PLC0415 - likewise
    from zmon.session.tape import Watch  # noqa: PLC0415 - likewise

    listing = listing_of(args)
    told = people(args, listing)
    containers = () if listing is None else list(asked(listing))
    watch = Watch(open_tape(args, follow=not line_mode, keep=True, containers=containers))
    try:
        if args.at:
            watch.said = seek(watch, args.at)
        elif not watch.tape.live:
            watch.to_end()
    except BaseException:
        watch.tape.close()
        raise
    return watch, told
