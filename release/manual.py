"""Manual pages and completions, from the same declarations as `--help`."""

from __future__ import annotations

import argparse
import gzip
import re
import time
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

import shtab

from zmon import __version__
from zmon.base.shipped import shipped
from zmon.cli.full_parser import add_json_errors, parser_of
from zmon.cli.help import TOPICS
from zmon.cli.subcommands import SUBCOMMANDS, live
from zmon.cli.topics import ENVIRONMENT, EXIT_STATUS, SERVICE_STATUS
from zmon.cli.topics import FILES as FILES_READ
from zmon.lab.scenario import names as scenario_names
from zmon.screen.definition import load_screens
from zmon.ui.theme_names import OWN_NAMES, TEXTUAL_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

FILES: Final = frozenset(
    {"source", "other", "listing", "site", "cp_file", "record", "output", "file", "rules"}
)
"""Names of options and operands whose values are files or directories."""
PLACES: Final = {"bash": "bash-completion/completions/zmon", "zsh": "zsh/site-functions/_zmon",
                 "fish": "fish/vendor_completions.d/zmon.fish"}  # fmt: skip
"""Where each shell looks for a completion, below `share`."""
FITS: Final = 73
"""Characters of a line in 80 columns, beside the margin of man."""
HANGING: Final = 20
"""Characters before what words mean, in a list of them."""


def write_pages(share: Path, seconds: int) -> None:
    """Write a manual page for zmon and one for each subcommand below `share/man/man1`.

    Args:
        share: the directory.
        seconds: since 1970: the date on the pages.
    """
    place = share / "man/man1"
    place.mkdir(parents=True)
    day = time.strftime("%Y-%m-%d", time.gmtime(seconds))
    for name in ("", *SUBCOMMANDS):
        title = f"zmon-{name}" if name else "zmon"
        text = "\n".join(_page(title, name, day)) + "\n"
        # gzip.compress names the operating system in the header, or none: that depends on the Python
        with (
            (place / f"{title}.1.gz").open("wb") as file,
            gzip.GzipFile("", "wb", 9, file, mtime=0) as page,
        ):
            page.write(text.encode())


LAB: Final = {
    "bash": """
# to bash a colon ends a word: only what follows it is replaced
_zmon_or_lab() {{
  local before="${{COMP_LINE:0:COMP_POINT}}"
  local word="${{before##*[ =]}}"
  if [[ $word != lab:* ]]; then
    _shtab_zmon "$@"
    return
  fi
  COMPREPLY=($(compgen -W "{0}" -- "$word"))
  [[ $COMP_WORDBREAKS == *:* ]] && COMPREPLY=("${{COMPREPLY[@]#lab:}}")
}}
complete -o bashdefault -F _zmon_or_lab zmon
""",
    "fish": """
complete -c zmon -f -n 'string match -q "lab:*" -- (commandline -ct)' -a "{0}"
""",
}
"""What completes the scenarios of the laboratory, wherever a source is asked for."""
ZSH_SOURCE: Final = """
_zmon_source() {{
  if [[ $PREFIX == lab:* ]]; then compadd -- {0}; else _files; fi
}}
"""
"""The same for zsh, which completes each operand by a function."""
SOURCES: Final = frozenset({"source", "other"})
"""Names of options and operands that may be a scenario."""


def write_completions(share: Path) -> None:
    """Write what completes a command line of zmon in bash, zsh and fish."""
    parser = whole_parser()
    for shell, name in PLACES.items():
        target = share / name
        target.parent.mkdir(parents=True)
        scenarios = " ".join(f"lab:{scenario}" for scenario in scenario_names())
        first = ZSH_SOURCE.format(scenarios) if shell == "zsh" else ""
        text = shtab.complete(parser, shell=shell, preamble=first)
        target.write_text(text + LAB.get(shell, "").format(scenarios))


def whole_parser() -> argparse.ArgumentParser:
    """Return one parser with all subcommands, which zmon itself never needs: it loads only one."""
    parser = _OptionsParser("zmon")
    parser.add_argument("--version", action="store_true", help="print the version")
    live(parser)
    several = parser.add_subparsers(dest="subcommand", parser_class=argparse.ArgumentParser)
    for name, (about, declare) in SUBCOMMANDS.items():
        declare(several.add_parser(name, help=about, description=about))
    screens = sorted(screen.command for screen in load_screens(shipped("screens")))
    for one in (parser, *several.choices.values()):
        add_json_errors(one)
        for action in one._actions:  # noqa: SLF001 - shtab reads them so too
            if action.dest in FILES:
                function = {"zsh": "_zmon_source"} if action.dest in SOURCES else {}
                action.complete = {**shtab.FILE, **function}  # type: ignore[attr-defined]  # shtab's own attribute
            elif action.dest == "screen":
                action.choices = screens
            elif action.dest == "theme":
                action.choices = [*OWN_NAMES, *TEXTUAL_NAMES]
            elif action.dest == "topic":
                action.choices = [*TOPICS, *SUBCOMMANDS, *screens]
    return parser


class _OptionsParser(argparse.ArgumentParser):
    """A parser without words: its first word is the name of a subcommand."""

    def add_argument(self, *names: str, **more: Any) -> argparse.Action:
        """Add an option, and pass over a word."""
        if names[0].startswith("-"):
            return super().add_argument(*names, **more)
        return argparse.Action(names, names[0])


def _page(title: str, name: str, day: str) -> Iterator[str]:
    """Yield the lines of a page in the man macros."""
    parser = parser_of(name)
    about = SUBCOMMANDS[name][0] if name else "the z/VM Performance Toolkit's screens for Linux on IBM Z"
    yield f'.TH {title.upper()} 1 {day} "zmon {__version__}" "zmon"'
    yield from (".SH NAME", f"{title} \\- {_roff(about)}")
    yield from (".SH SYNOPSIS", ".nf", *map(_roff, _usage(parser)), ".fi")
    yield ".SH DESCRIPTION"
    yield from _paragraphs(parser.description or "")
    for group in parser._action_groups:  # noqa: SLF001 - argparse has no other way to list them
        actions = [action for action in group._group_actions if action.help != argparse.SUPPRESS]  # noqa: SLF001
        if actions:
            yield f".SH {(group.title or 'options').upper()}"
            for action in actions:
                yield from (".TP", _called(action), _roff(_help(action)))
    if parser.epilog:
        yield ".SH NOTES"
        yield from _paragraphs(parser.epilog)
    yield from _listed("EXIT STATUS", EXIT_STATUS)
    if any(action.dest == "status" for action in parser._actions):  # noqa: SLF001
        yield "With \\fB\\-\\-status\\fR, as Nagios has it:"
        yield from _entries(SERVICE_STATUS)
    if not name:
        yield from _listed("ENVIRONMENT", ENVIRONMENT)
        yield from _listed("FILES", FILES_READ)
    yield ".SH SEE ALSO"
    others = sorted(f"zmon-{other}" if other else "zmon" for other in ("", *SUBCOMMANDS) if other != name)
    yield ",\n".join(f"\\fB{_roff(other)}\\fR(1)" for other in others)


def _usage(parser: argparse.ArgumentParser) -> list[str]:
    lines = argparse.HelpFormatter(parser.prog, width=FITS)
    lines.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups, "")  # noqa: SLF001
    return lines.format_help().strip().splitlines()


def _called(action: argparse.Action) -> str:
    """Return how an option is written, in bold, with its value in italics."""
    value = (
        action.metavar
        if isinstance(action.metavar, str)
        else action.dest.upper()
        if action.nargs != 0
        else ""
    )
    if not action.option_strings:
        return f"\\fI{_roff(action.metavar if isinstance(action.metavar, str) else action.dest)}\\fR"
    if action.choices is not None:
        value = "|".join(map(str, action.choices))
    names = ", ".join(f"\\fB{_roff(name)}\\fR" for name in action.option_strings)
    return f"{names} \\fI{_roff(value)}\\fR" if value else names


def _help(action: argparse.Action) -> str:
    return (action.help or "").replace("%%", "%").replace("%(default)s", str(action.default))


def _paragraphs(text: str) -> Iterator[str]:
    """Yield paragraphs, which man fills; lines that are indented stay as they are, as far as they fit.

    Wider ones of a word and what it means become a list.
    """
    for paragraph in text.strip().split("\n\n"):
        yield ".PP"
        for is_indented, group in groupby(paragraph.splitlines(), lambda line: line.startswith(" ")):
            lines = [*group]
            yield from _as_written(lines) if is_indented else map(_roff, lines)


def _as_written(lines: Sequence[str]) -> Iterator[str]:
    margin = len(lines[0]) - len(lines[0].lstrip())
    pairs: list[tuple[str, str]] = []
    for line in lines:
        if pairs and line.startswith(" " * (margin + 1)):  # goes on with what the word above means
            pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]} {line.strip()}")
        else:
            word, _, what = line.strip().partition("  ")
            pairs.append((word, what.strip()))
    if max(map(len, lines)) > FITS and all(what for _, what in pairs):
        for word, what in pairs:
            yield from (f".TP {HANGING}", f"\\fB{_roff(word)}\\fR", _roff(what))
        yield ".PP"
    else:
        yield from (".nf", *map(_roff, lines), ".fi")


def _listed(title: str, entries: Iterable[tuple[object, str]]) -> Iterator[str]:
    yield f".SH {title}"
    yield from _entries(entries)


def _entries(entries: Iterable[tuple[object, str]]) -> Iterator[str]:
    for word, what in entries:
        yield from (".TP", f"\\fB{_roff(str(word))}\\fR", _roff(what))


def _roff(text: str) -> str:
    """Return text of which nothing is a request or an escape of roff."""
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", plain, flags=re.MULTILINE)
