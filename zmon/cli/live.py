"""The live screens: on the full screen, or line by line on a terminal that cannot address its cursor."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from zmon.cli.inputs import containers_of, listing_of, user_inputs
from zmon.cli.output import LINE_TERMINALS, complain, misused, opening, progress
from zmon.cli.sources import open_source, seek
from zmon.cli.subcommands import misspelt
from zmon.screen.definition import NoScreen, ScreenError, load_screens
from zmon.session.tape import Watch
from zmon.session.when import WhenError

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.screen.definition import Screens
    from zmon.session.guide import Guide
    from zmon.topology.machine import UserInputs


def run(args: argparse.Namespace) -> int:
    """Open the screens and stay until the user leaves; returns the exit status."""
    try:
        if (status := closed_stream()) is not None:
            return status
        _check(args)
        screens = load_screens()
        if args.command:
            screens.find(args.command[0])
        if not is_line_mode(args) and not is_terminal():
            return complain("the screens need a terminal; print one with zmon show, or use --line")
        with progress(opening(args.source)):
            watch, inputs = _opened(args)
            load_surface(args)
        return show_screens(args, watch, screens, " ".join(args.command) or "MENU", inputs)
    except NoScreen:
        more = "; zmon --help lists the subcommands, zmon show MENU the screens"
        return misused(misspelt(args.command[0], screens.commands, unsure=more))
    except (ScreenError, WhenError, argparse.ArgumentTypeError) as error:
        return misused(str(error))
    except ValueError as error:
        return complain(str(error))


def closed_stream() -> int | None:
    """Complain if standard input or output is closed; returns the exit status then."""
    for name, stream in (("input", sys.stdin), ("output", sys.stdout)):
        if stream is None:
            return complain(f"standard {name} is closed")
    return None


def is_line_mode(args: argparse.Namespace) -> bool:
    """Tell whether the screens are to be shown line by line."""
    return args.line or os.environ.get("TERM", "") in LINE_TERMINALS


def is_terminal() -> bool:
    """Tell whether a person sits before the screens."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def load_surface(args: argparse.Namespace) -> None:
    """Load the modules of the surface, which takes a while."""
    if is_line_mode(args):
        import zmon.cli.line  # noqa: PLC0415 - the other surface is not needed
    else:
        import zmon.ui.app  # noqa: F401, PLC0415 - line mode needs no textual


def show_screens(  # noqa: PLR0913, PLR0917 - as both surfaces need it
    args: argparse.Namespace,
    watch: Watch,
    screens: Screens,
    first: str,
    inputs: Callable[[], UserInputs],
    guide: Guide | None = None,
) -> int:
    """Show the screens until the user leaves, and close the source; returns the exit status."""
    seconds = getattr(args, "interval", 2.0)
    try:
        if is_line_mode(args):
            from zmon.cli.line import run_line_mode  # noqa: PLC0415 - the other surface is not needed

            return run_line_mode(watch, screens, first, sys.stdin, sys.stdout, inputs, guide, seconds=seconds)
        from zmon.ui.app import run as run_full_screen  # noqa: PLC0415 - line mode needs no textual

        return run_full_screen(watch, screens, seconds, first, inputs, guide)
    finally:
        watch.tape.close()


def _check(args: argparse.Namespace) -> None:
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


def _opened(args: argparse.Namespace) -> tuple[Watch, Callable[[], UserInputs]]:
    """Return the session at the end of the source or where `--at` says, and what users supplied."""
    listing = listing_of(args)
    inputs = user_inputs(args, listing)
    containers = list(containers_of(listing))
    watch = Watch(open_source(args, follow=not is_line_mode(args), keep=True, containers=containers))
    try:
        if args.at:
            watch.said = seek(watch, args.at)
        elif not watch.tape.live:
            watch.to_end()
    except BaseException:
        watch.tape.close()
        raise
    return watch, inputs
