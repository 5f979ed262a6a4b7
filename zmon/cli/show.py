"""Print a screen: zmon show DEVICE, zmon show DEVICE 7000, zmon show CTLUNIT --format json.

Live, it takes two samples `--interval` seconds apart and prints the interval between them, `--count` times.
From a recording or capture it prints the last interval, the one that ends `--at` a time, or the last
`--count` up to there; with `--since` the time from then to `--at` as one interval.  `--compare` compares it
with another time, `--with` with another recording.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from zmon.cli.csv_output import add_csv_safe_argument
from zmon.cli.people import add_people_arguments
from zmon.cli.status import OK, USAGE, complain
from zmon.cli.tape import add_tape_arguments, positive, source

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `zmon show`."""
    parser.add_argument(
        "screen", help="command, menu number or FCX number of a screen; zmon show MENU lists them"
    )
    parser.add_argument(
        "operand", nargs="*", default=[], help="the thing to show, such as a device; or conditions"
    )
    add_tape_arguments(parser)
    parser.add_argument("--at", metavar="TIME", help="end of the interval in a recording: 14:32, -10m")
    parser.add_argument(
        "--since", metavar="TIME", help="begin of the interval; -5m is 5 minutes before its end"
    )
    parser.add_argument(
        "--compare", metavar="TIME", help="compare it with the interval that ends then, row by row"
    )
    parser.add_argument(
        "--compare-since", metavar="TIME", help="begin of that interval (default: same length)"
    )
    parser.add_argument(
        "--with",
        dest="other",
        type=source,
        metavar="SOURCE",
        help="compare it with another recording or capture: its last interval, or --compare",
    )
    parser.add_argument("-n", "--count", type=positive, default=1, help="number of intervals (default 1)")
    parser.add_argument(
        "-s", "--sort", metavar="COL", help="column to sort on; --sort=-COL reverses the order"
    )
    parser.add_argument("-t", "--top", type=positive, metavar="N", help="only the first N rows")
    parser.add_argument(
        "-w",
        "--where",
        action="append",
        default=[],
        metavar="COND",
        help="only rows with this condition: resp>10",
    )
    parser.add_argument("-f", "--format", choices=("text", "csv", "json"), default="text")
    add_csv_safe_argument(parser)
    add_people_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Print the screen; returns the exit status."""
    from zmon.screen.definition import ScreenError, load_screens  # noqa: PLC0415 - --help needs no screen

    if sys.stdout is None:
        return complain("standard output is closed")
    try:
        screens = load_screens(whole=False)
        screen = screens.find(args.screen)
    except ScreenError as error:
        complain(str(error))
        return USAGE
    if screen.layout == "menu" and args.format == "csv":
        complain(f"{screen.command} has no rows: take text or json")
        return USAGE
    if screen.layout == "menu" and args.format == "text" and not args.source:
        from zmon.screen import frame, menu  # noqa: PLC0415 - and the menu needs nothing else

        print(frame.header(screen, None, live=True), "", *menu.lines(screen, screens), sep="\n", flush=True)
        return OK
    from zmon.cli.printing import print_screen  # noqa: PLC0415

    return print_screen(screens, args)
