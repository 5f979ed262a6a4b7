"""The whole command line by argparse: help, mistakes, and what `plain_parser` leaves."""

from __future__ import annotations

import argparse
import re
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NoReturn

from zmon import __version__
from zmon.base.plain_text import did_you_mean, harmless
from zmon.cli.output import JSON_ERRORS, misused, terminal_width
from zmon.cli.service_status import STATUS, not_known
from zmon.cli.source_options import source_instead
from zmon.cli.subcommands import SUBCOMMANDS, live, misspelt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_DISTANCE: Final = re.compile(r"-\.?\d")
"""How a negative number or a time before another begins."""


def parse(
    name: str, arguments: Sequence[str], change: Callable[[argparse.ArgumentParser], None] | None = None
) -> argparse.Namespace:
    """Return the options of a subcommand, or without a `name` of the live screens; see `parser_of`.

    `change` changes what was declared, such as the defaults.
    """
    parser = parser_of(name, arguments)
    if change is not None:
        change(parser)
    return parser.parse_args(joined(arguments[bool(name) :]))


def parser_of(name: str, arguments: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Return the parser of a subcommand; `arguments` are for the message about a first one that is none."""
    form = partial(argparse.RawDescriptionHelpFormatter, width=max(terminal_width() - 2, 20))
    if not name:
        parser = _Parser("zmon", description=_description(), formatter_class=form)
        parser.add_argument("--version", action="version", version=f"zmon {__version__}")
        parser.words = arguments
        live(parser)
        add_json_errors(parser)
        return parser
    _, declare = SUBCOMMANDS[name]
    # docstrings are indented before Python 3.13
    lines = (declare.__doc__ or "").splitlines()
    about = "\n".join(line.removeprefix("    ") for line in lines)
    parser = _Parser(f"zmon {name}", description=about, formatter_class=form)
    parser.asks_status = STATUS in arguments
    declare(parser)
    add_json_errors(parser)
    return parser


def add_json_errors(parser: argparse.ArgumentParser) -> None:
    """Add `--json-errors`, which `main` takes out of the words before they are parsed."""
    text = "write each message on standard error as a JSON object, for programs"
    parser.add_argument(JSON_ERRORS, action="store_true", default=argparse.SUPPRESS, help=text)


def joined(arguments: Sequence[str]) -> list[str]:
    """Return the words with times like `-10m` joined to their option, `--at=-10m`, as argparse needs them."""
    joint: list[str] = []
    for word in arguments:
        option = joint[-1] if joint else ""
        if option.startswith("--") and len(option) > 2 and "=" not in option and _DISTANCE.match(word):
            joint[-1] = f"{option}={word}"
        else:
            joint.append(word)
    return joint


class _Parser(argparse.ArgumentParser):
    """A parser that takes no abbreviated options, and whose messages hold nothing that a terminal would obey.

    What an abbreviation means changes when options are added: `--json` once was `--json-errors`.
    """

    words: Sequence[str] = ()
    """What is parsed, where no subcommand was found."""
    asks_status = False
    """Whether the command line has `--status`."""

    def __init__(self, *names: Any, **more: Any) -> None:
        """Make a parser, as argparse does."""
        super().__init__(*names, **{**more, "allow_abbrev": False})

    def _alike(self, arguments: Sequence[str]) -> str:
        """Return which options the first option among words may have meant, as a question; empty if none."""
        word = next((word.partition("=")[0] for word in arguments if word.startswith("--")), "")
        options = {*self._option_string_actions}
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - argparse has no other way
                options.update(*(choice._option_string_actions for choice in action.choices.values()))  # noqa: SLF001
        options.discard(word)  # one of another subcommand
        names = sorted(name[2:] for name in options if name.startswith("--"))
        begun = sorted(name for name in options if word and name.startswith(word))
        alike = did_you_mean(word[2:], names, "--")
        is_enough = not begun or (len(begun) == 1 and begun[0] in alike)
        return alike if is_enough else f": did you mean {' or '.join(begun)}?"

    def error(self, message: str) -> NoReturn:
        """Print the error in one line, if possible with what would be right, and end with status 2."""
        if self.asks_status:
            self.exit(not_known("ZMON", f"{message}; {self.prog} --help"))
        first = next(iter(self.words), "-")
        word = next((word for word in self.words if word in SUBCOMMANDS), first)
        if not word.startswith("-") and (guess := misspelt(word)):
            self.exit(misused(guess))
        unknown = message.partition("unrecognized arguments: ")[2].split()
        is_slip = unknown and unknown[0].startswith("--")
        if (
            "--from" in self._option_string_actions
            and not is_slip
            and (guess := source_instead(unknown, self.prog))
        ):
            self.exit(misused(guess))
        self.exit(misused(f"{harmless(message)}{self._alike(unknown)}; {self.prog} --help"))


def _description() -> str:
    width = max(map(len, SUBCOMMANDS)) + 2
    listed = "\n".join(f"  zmon {name:<{width}}{what}" for name, (what, _) in SUBCOMMANDS.items())
    return (
        "The z/VM Performance Toolkit's screens for Linux on IBM Z.\n\n"
        f"Without a subcommand zmon shows its screens live.  Subcommands:\n{listed}\n"
    )
