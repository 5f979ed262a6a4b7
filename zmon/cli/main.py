"""The command line of zmon: finds the subcommand, parses its options and runs it.

Data go to standard output, messages to standard error.  Exit status: 0 done, 1 it could not be done, 2 the
command line is wrong.
"""

from __future__ import annotations

import gc
import io
import os
import sys
from importlib import import_module

from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.mistake import TRACE, mistakes
from zmon.cli.output import (
    FAILED,
    INTERRUPTED,
    JSON_ERRORS,
    OK,
    READER_LEFT,
    MessageForm,
    complain,
    misused,
    warn,
)
from zmon.cli.plain_parser import parse_plain
from zmon.cli.settings import VARIABLE, Defaults, SettingsError, defaults_of
from zmon.cli.subcommands import SUBCOMMANDS, live

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

MODULES: Final = {"": "live", "replay": "live", "import": "import_", "serve-metrics": "serve_metrics"}
"""The modules that are not named after their subcommand."""

GARBAGE_THRESHOLD: Final = 50_000
"""Objects that are made before Python looks for garbage among them."""

HELP: Final = frozenset({"-h", "--help", "--version"})

PRINTING: Final = {
    "check",
    "config",
    "cp",
    "export",
    "help",
    "info",
    "lab",
    "plot",
    "show",
    "size",
    "spread",
    "where",
}
"""The subcommands that print a result."""


def run_process() -> int:
    """Run the command line as a program of its own; returns the exit status.

    Loading makes many objects and no garbage, so garbage is looked for less often than Python would, and at
    the end not at all: that takes a quarter of the time of a lookup.
    """
    gc.set_threshold(GARBAGE_THRESHOLD)
    try:
        return main()
    finally:
        gc.freeze()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    MessageForm.is_json = JSON_ERRORS in given
    given = [word for word in given if word != JSON_ERRORS]
    # a label in another script must not end a listing on a terminal that cannot show it
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        return _run(given)
    except BrokenPipeError:  # the reader left early (`| head`)
        _discard_output()
        return READER_LEFT
    except OSError as error:
        if error.filename is None:
            _discard_output()
        return _failed(given, f"{error.filename or 'the output'}: {error.strerror}")
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        from zmon.kernel.capture_text import NoSuchHost  # noqa: PLC0415 - an error alone needs it

        if isinstance(error, NoSuchHost):
            return _failed(given, str(error), misused)
        if os.environ.get(TRACE) == "1":
            raise
        what = ": ".join(filter(None, (type(error).__name__, str(error))))
        return _failed(given, f"{what}: a mistake in zmon itself; {TRACE}=1 in the environment shows where")


def _run(arguments: Sequence[str]) -> int:
    name = arguments[0] if arguments and arguments[0] in SUBCOMMANDS else ""
    declare = SUBCOMMANDS[name][1] if name else live
    try:
        defaults = defaults_of(name, os.environ)
    except SettingsError as error:
        if HELP.isdisjoint(arguments):
            message = f"{error}; correct it, or go on without settings: {VARIABLE}= in the environment"
            return _failed(arguments, message, misused)
        defaults = Defaults(name, {})
    args = parse_plain(declare, arguments[bool(name) :], defaults.declare)
    if args is None:
        from zmon.cli.full_parser import parse  # noqa: PLC0415 - loads argparse

        args = parse(name, arguments, defaults.declare)
    defaults.complete(args)
    args.called = name
    if sys.stdout is None and name in PRINTING:
        return complain("standard output is closed")
    module = import_module(f"zmon.cli.{MODULES.get(name, name)}")
    return _told(args, module.run(args))


def _told(args: argparse.Namespace, status: int) -> int:
    """Say what was found damaged in the sources that `open_source` opened, and which parts of zmon failed.

    Returns the exit status; that of a service check is its state.
    """
    lacking = [damage for timeline in getattr(args, "opened", ()) if (damage := timeline.damage())]
    lacking += mistakes().values()
    for why in lacking:
        warn(why)
    return status or (FAILED if lacking and not getattr(args, "status", False) else OK)


def _failed(arguments: Sequence[str], message: str, say: Callable[[str], int] = complain) -> int:
    """Print why nothing could be done; returns the exit status."""
    from zmon.cli.service_status import STATUS, not_known  # noqa: PLC0415 - a failure alone needs it

    return not_known("ZMON", message) if STATUS in arguments else say(message)


def _discard_output() -> None:
    """Drop the buffered output, else the interpreter tries to write it again, fails and ends with 120."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
