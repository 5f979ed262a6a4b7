"""zmon: the command and its subcommands.

Data go to standard output, words to standard error.  Exit status: 0 done, 1 it could not be done, 2 it was
asked for wrongly.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, Final, NoReturn

from zmon import __version__
from zmon.cli.status import FAILED, INTERRUPTED, USAGE, complain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

SUBCOMMANDS: Final = {
    "demo": "look at a simulated machine, with a guided tour",
    "show": "print a screen as text, CSV or JSON",
    "where": "show which disks and LCUs a file is on, or what is on a disk or LCU",
    "spread": "show how evenly tablespaces are spread over LCUs, and what to move",
    "plot": "draw figures of a screen by time, as text, CSV or JSON",
    "capture": "copy what zmon reads into an archive, to look at elsewhere",
    "replay": "show a recording with the screens of the live machine",
    "record": "record this machine day and night, one file per day",
    "import": "make a recording from a report of sar, a capture or a simulated machine",
    "info": "describe a recording, and check it for damage",
    "cut": "copy part of a recording, with or without names",
    "export": "write the counters of a recording as CSV or JSON lines",
    "cp": "read answers of CP (z/VM), or send it a query",
    "lab": "list and check the scenarios of the simulated machine",
}
"""The subcommands: each is a module here with `add_arguments(parser)` and `run(args) -> int`.

The module of one that is a word of Python's own has an underscore behind its name.
"""


_DISTANCE: Final = re.compile(r"-\.?\d")
"""How a negative number or a time before another begins."""

TRACE: Final = "ZMON_TRACE"
"""The environment variable that, when it is 1, lets an unexpected exception end zmon with its traceback."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    name = words[0] if words and words[0] in SUBCOMMANDS else ""
    if name:
        module = import_module(f"zmon.cli.{name}{'_' if iskeyword(name) else ''}")
        parser = _Parser(f"zmon {name}", description=module.__doc__, formatter_class=_Form)
        module.add_arguments(parser)
        words = words[1:]
    else:
        module = import_module("zmon.cli.live")
        parser = _Parser("zmon", description=_description(), formatter_class=_Form)
        parser.add_argument("--version", action="version", version=f"zmon {__version__}")
        module.add_arguments(parser)
        parser.words = words
    return _run(lambda: module.run(parser.parse_args(joined(words))))


def joined(words: Sequence[str]) -> list[str]:
    """Return the words with times like `-10m` joined to their option, `--at=-10m`, as argparse wants them."""
    found: list[str] = []
    for word in words:
        option = found[-1] if found else ""
        if option.startswith("--") and len(option) > 2 and "=" not in option and _DISTANCE.match(word):
            found[-1] = f"{option}={word}"
        else:
            found.append(word)
    return found


def _run(command: Callable[[], int]) -> int:
    """Run a command; what goes wrong ends it with one sentence, or none."""
    # a label in another script must not end a listing on a terminal that cannot show it
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        return command()
    except BrokenPipeError:  # the reader left early (`| head`)
        _discard_output()
        return FAILED
    except OSError as error:
        if error.filename is None:
            _discard_output()
        return complain(f"{error.filename or 'the output'}: {error.strerror}")
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if os.environ.get(TRACE) == "1":
            raise
        what = ": ".join(filter(None, (type(error).__name__, str(error))))
        return complain(f"{what}: a mistake in zmon itself; {TRACE}=1 in the environment shows where")


def _discard_output() -> None:
    """Send what is still buffered nowhere, else the interpreter fails to write it again and ends with 120."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Parser(argparse.ArgumentParser):
    """Writes nothing that a terminal would obey when it says what was asked for wrongly."""

    words: Sequence[str] = ()
    """What is parsed."""

    def error(self, message: str) -> NoReturn:
        """Write what is wrong and end with status 2; in one line where the first word is a slip."""
        from zmon.screen.guess import did_you_mean  # noqa: PLC0415 - only what is wrong needs it
        from zmon.screen.number import harmless  # noqa: PLC0415 - likewise

        word = next(iter(self.words), "-")
        if not word.startswith("-") and did_you_mean(word, SUBCOMMANDS):
            complain(slip(word))
            self.exit(USAGE)
        super().error(harmless(message))


def slip(word: str, screens: Iterable[str] = ()) -> str:
    """Return that a word is no subcommand and no screen, and which one is called much like it."""
    from zmon.screen.guess import did_you_mean  # noqa: PLC0415 - only what is wrong needs it

    instead = did_you_mean(word, (*SUBCOMMANDS, *screens))
    more = "; zmon --help lists the subcommands, zmon show MENU the screens"
    return f"{word!r} is no subcommand and no screen{instead or more}"


class _Form(argparse.RawDescriptionHelpFormatter):
    """Help texts keep their lines.

    The width is asked for here, because argparse would load a module of compression for it.
    """

    def __init__(self, prog: str) -> None:
        try:
            columns = int(os.environ.get("COLUMNS", "")) or 80
        except ValueError:
            columns = os.get_terminal_size(1).columns if os.isatty(1) else 80
        super().__init__(prog, width=max(columns - 2, 20))


def _description() -> str:
    listed = "\n".join(f"  zmon {name:<10}{what}" for name, what in SUBCOMMANDS.items())
    return (
        "The z/VM Performance Toolkit's screens for Linux on IBM Z.\n\n"
        f"Without a subcommand zmon shows its screens live.  Subcommands:\n{listed}\n"
    )


if __name__ == "__main__":
    sys.exit(main())
