"""Prints a screen; the menu needs nothing but the files of screens."""

from __future__ import annotations

from zmon.cli.output import OK, misused, write_text
from zmon.cli.subcommands import command_instead
from zmon.light_typing import TYPE_CHECKING, Final
from zmon.screen import header
from zmon.screen.definition import NoScreen, ScreenError, load_screens

if TYPE_CHECKING:
    import argparse

UNKNOWN: Final = 3
"""Exit status where it is not known which exceptions there are; the other ones are their levels."""


def run(args: argparse.Namespace) -> int:
    """Print the screen; returns the exit status."""
    found = _show(args)
    return vars(args).get("level", UNKNOWN) if args.status else found


def _show(args: argparse.Namespace) -> int:
    """Print the screen."""
    try:
        screens = load_screens(whole=False)
        screen = screens.find(args.screen)
    except NoScreen as error:
        return misused(command_instead(args.screen, args.source) or str(error))
    except ScreenError as error:
        return misused(str(error))
    if args.status and screen.table != "exceptions":
        return misused("--status is for EXCEPT")
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
    from zmon.cli.show_intervals import show_intervals  # noqa: PLC0415 - the menu has no intervals

    return show_intervals(screens, args)
