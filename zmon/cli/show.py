"""Prints a screen; the menu needs nothing but the files of screens."""

from __future__ import annotations

from zmon.base.light_typing import TYPE_CHECKING
from zmon.cli.output import OK, WHOLE, misused, write_text
from zmon.cli.source_options import source_instead
from zmon.cli.subcommands import command_instead, is_events
from zmon.screen import header
from zmon.screen.definition import NoScreen, ScreenError, load_screens

if TYPE_CHECKING:
    import argparse

    from zmon.screen.definition import Screens


def run(args: argparse.Namespace) -> int:
    """Print the screen; returns the exit status."""
    try:
        screens = load_screens(whole=False)
        screen = screens.find(args.screen)
    except NoScreen as error:
        return _no_screen(screens, args, str(error))
    except ScreenError as error:
        return _misused(args, str(error))
    if wrong := _contradiction(args, screen.table):
        return _misused(args, wrong)
    if screen.layout == "menu" and args.format == "csv":
        return misused(f"{screen.command} has no rows: take text or json")
    if screen.layout == "menu" and args.format == "text" and not args.source:
        from zmon.screen import menu_items  # noqa: PLC0415 - other screens start without it

        menu = (
            screen
            if [word.upper() for word in args.operand] == ["ALL"]
            else menu_items.folded(screen, screens)
        )
        write_text((header.header(menu, None, live=True), "", *menu_items.lines(menu, screens)))
        return OK
    args.at = args.until or args.at
    from zmon.cli.show_intervals import show_intervals  # noqa: PLC0415 - the menu has no intervals

    return show_intervals(screens, args)


def _no_screen(screens: Screens, args: argparse.Namespace, why: str) -> int:
    """Print EVENTS, which is a list and no screen, or what a word is instead; returns the exit status."""
    if is_events(args.screen):
        from zmon.cli.events import print_events  # noqa: PLC0415 - a screen starts without it

        return print_events(screens, args)
    source = source_instead((args.screen,), "zmon show SCREEN")
    return _misused(args, source or command_instead(args.screen, args.source) or why)


def _contradiction(args: argparse.Namespace, table: str) -> str:
    """Return what is wrong with options that argparse takes each for itself; empty if nothing is."""
    if args.status:
        from zmon.tables.filled import definition  # noqa: PLC0415 - most lookups start without it

        if not definition(table).has_status:
            return "--status is for EXCEPT, OVERVIEW, DIAGNOSE and CHECK"
    if args.format in WHOLE and (args.count > 1 or args.status):
        return f"{args.format} is one page: leave out {'--status' if args.status else '--count'}"
    return "--at and --until are the same: give one" if args.until and args.at else ""


def _misused(args: argparse.Namespace, message: str) -> int:
    """Print an error of the command line; returns the exit status."""
    if not args.status:
        return misused(message)
    from zmon.cli.service_status import no_answer  # noqa: PLC0415 - most lookups need none

    return no_answer(args, "ZMON", message)
