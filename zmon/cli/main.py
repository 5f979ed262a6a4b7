"""The command line of zmon: finds the subcommand, parses its options and runs it.

Data go to standard output, messages to standard error.  Exit status: 0 done, 1 it could not be done, 2 the
command line is wrong.
"""

from __future__ import annotations

import argparse
import gc
import io
import os
import re
import sys
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final, NoReturn

from zmon import __version__
from zmon.cli.output import INTERRUPTED, READER_LEFT, USAGE, complain
from zmon.cli.subcommands import SUBCOMMANDS, live, misspelt
from zmon.plain_text import harmless

if TYPE_CHECKING:
    from collections.abc import Sequence

_DISTANCE: Final = re.compile(r"-\.?\d")
"""How a negative number or a time before another begins."""

MODULES: Final = {"": "live", "replay": "live", "import": "import_"}
"""The modules that are not named after their subcommand."""

GARBAGE_THRESHOLD: Final = 50_000
"""Objects that are made before Python looks for garbage among them."""

TRACE: Final = "ZMON_TRACE"
"""The environment variable that, when it is 1, lets an unexpected exception end zmon with its traceback."""


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
    words = list(sys.argv[1:] if arguments is None else arguments)
    # a label in another script must not end a listing on a terminal that cannot show it
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        return _run(words)
    except BrokenPipeError:  # the reader left early (`| head`)
        _discard_output()
        return READER_LEFT
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


def _run(words: Sequence[str]) -> int:
    name = words[0] if words and words[0] in SUBCOMMANDS else ""
    form = partial(argparse.RawDescriptionHelpFormatter, width=_help_width())
    if name:
        _, declare = SUBCOMMANDS[name]
        # docstrings are indented before Python 3.13
        lines = (declare.__doc__ or "").splitlines()
        about = "\n".join(line.removeprefix("    ") for line in lines)
        parser = _Parser(f"zmon {name}", description=about, formatter_class=form)
        words = words[1:]
    else:
        declare = live
        parser = _Parser("zmon", description=_description(), formatter_class=form)
        parser.add_argument("--version", action="version", version=f"zmon {__version__}")
        parser.words = words
    declare(parser)
    args = parser.parse_args(joined(words))
    module = import_module(f"zmon.cli.{MODULES.get(name, name)}")
    status: int = module.run(args)
    return status


def joined(words: Sequence[str]) -> list[str]:
    """Return the words with times like `-10m` joined to their option, `--at=-10m`, as argparse needs them."""
    found: list[str] = []
    for word in words:
        option = found[-1] if found else ""
        if option.startswith("--") and len(option) > 2 and "=" not in option and _DISTANCE.match(word):
            found[-1] = f"{option}={word}"
        else:
            found.append(word)
    return found


def _discard_output() -> None:
    """Send what is still buffered nowhere, else the interpreter fails to write it again and ends with 120."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


argparse._ = str  # type: ignore[attr-defined]  # its words stay English as ours; gettext would load `locale`


class _Parser(argparse.ArgumentParser):
    """A parser whose messages hold nothing that a terminal would obey."""

    words: Sequence[str] = ()
    """What is parsed, where no subcommand was found."""

    def error(self, message: str) -> NoReturn:
        """Print what is wrong and end with status 2; in one line where the first word is misspelt."""
        word = next(iter(self.words), "-")
        if not word.startswith("-") and (guess := misspelt(word)):
            complain(guess)
            self.exit(USAGE)
        super().error(harmless(message))


def _help_width() -> int:
    """Return the width of help texts; argparse would load a module of compression to find it."""
    try:
        columns = int(os.environ.get("COLUMNS", "")) or 80
    except ValueError:
        columns = os.get_terminal_size(1).columns if os.isatty(1) else 80
    return max(columns - 2, 20)


def _description() -> str:
    listed = "\n".join(f"  zmon {name:<10}{what}" for name, (what, _) in SUBCOMMANDS.items())
    return (
        "The z/VM Performance Toolkit's screens for Linux on IBM Z.\n\n"
        f"Without a subcommand zmon shows its screens live.  Subcommands:\n{listed}\n"
    )


if __name__ == "__main__":
    sys.exit(main())
