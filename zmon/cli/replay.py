"""Look at a recording with the same screens and keys as live: zmon replay FILE, zmon replay DIRECTORY.

It is the same as zmon --from.  Without a name the recordings of this machine's recorder are opened.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from zmon.cli.live import run as look
from zmon.cli.people import add_people_arguments
from zmon.cli.tape import source

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `zmon replay`."""
    parser.add_argument(
        "source",
        metavar="SOURCE",
        nargs="?",
        type=source,
        help="a recording, a directory of them, or a capture",
    )
    parser.add_argument("command", nargs="*", help="the first screen, as on the command line: DEVICE 7000")
    parser.add_argument("--at", metavar="TIME", help="where to begin: 14:32, -10m (before the end), begin")
    parser.add_argument("--line", action="store_true", help="line mode instead of the full screen")
    add_people_arguments(parser)
    parser.set_defaults(record=None, interval=2.0, cache=False, exact=False, cp=False, no_hypervisor=False)


def run(args: argparse.Namespace) -> int:
    """Open the recording and stay until the user leaves; returns the exit status."""
    if args.source is None:
        from zmon.recorder.lock import own_directory, recorder_here  # noqa: PLC0415 - mostly there is a name

        recorder = recorder_here(os.environ)
        args.source = recorder.directory if recorder is not None else own_directory(os.environ)
    return look(args)
