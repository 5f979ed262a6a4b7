"""Draw figures of a screen by time: zmon plot DEVICE.resp 7000 --from DIR --since 14:00 --until 15:00.

Several columns (DEVICE.resp,await) or rows (7000 7001) are several lines.  Without a column it draws the sort
column of the screen, without a row the first row at the end of the time.  Live it needs a running recorder,
or --for with the seconds to take samples.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from zmon.cli.csv_output import add_csv_safe_argument
from zmon.cli.status import FAILED, OK, USAGE, complain
from zmon.cli.tape import add_tape_arguments, positive, seconds
from zmon.screen import charset

if TYPE_CHECKING:
    import argparse

WIDTH, HEIGHT = 80, 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `zmon plot`."""
    parser.add_argument(
        "screen", metavar="SCREEN[.COLUMN]", help="screen and columns: DEVICE.resp, REDISP.busy,io"
    )
    parser.add_argument("row", nargs="*", help="rows: 7000 7001; or another SCREEN.COLUMN")
    add_tape_arguments(parser)
    parser.add_argument("--since", metavar="TIME", help="begin: 14:00, -10m, yesterday 9:00 (default: all)")
    parser.add_argument("--until", metavar="TIME", help="end: 15:00, -5m (default: the end)")
    parser.add_argument(
        "--for", dest="length", type=seconds, metavar="S", help="live: take samples for this many seconds"
    )
    parser.add_argument("--width", type=positive, metavar="N", help="characters of a line")
    parser.add_argument("--height", type=positive, metavar="N", help="lines")
    parser.add_argument(
        "--style",
        choices=charset.STYLES,
        help="characters to draw with (default: ZMON_PLOT, or as the terminal allows)",
    )
    parser.add_argument("-f", "--format", choices=("text", "csv", "json"), default="text")
    add_csv_safe_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Draw it; returns the exit status."""
    if sys.stdout is None:
        return complain("standard output is closed")
    from zmon.cli.drawing import Ask, print_series  # noqa: PLC0415 - --help needs none of it
    from zmon.screen.definition import ScreenError, load_screens  # noqa: PLC0415 - likewise
    from zmon.screen.variable import VariableError  # noqa: PLC0415 - likewise
    from zmon.session.when import WhenError  # noqa: PLC0415 - likewise
    from zmon.tables.view import NoSuchThing  # noqa: PLC0415 - likewise

    if args.source and args.length:
        complain("--for takes samples of this machine; what --from names is recorded already")
        return USAGE
    try:
        width, height = _size()
        ask = Ask(
            [args.screen, *args.row], (args.width or width, args.height or height), args.style or style()
        )
        print_series(ask, args, load_screens())
    except (ScreenError, VariableError, WhenError) as error:
        complain(str(error))
        return USAGE
    except (ValueError, NoSuchThing) as error:
        complain(str(error))
        return FAILED
    return OK


def _size() -> tuple[int, int]:
    """Return how much room there is on the terminal, if it is one."""
    if not sys.stdout.isatty():
        return WIDTH - 1, HEIGHT
    columns, lines = os.get_terminal_size(sys.stdout.fileno())
    return max(columns - 1, 1), max(min(lines - 3, columns // 3), 1)


def style() -> str:
    """Return the finest style that locale and terminal can show."""
    return charset.style(os.environ, getattr(sys.stdout, "encoding", None) or "")
