"""`zmon help TOPIC`: commands, screens, keys, rules, exit codes, environment, files, or what has a name."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from zmon.base.plain_text import did_you_mean
from zmon.base.shipped import shipped
from zmon.cli.full_parser import parser_of
from zmon.cli.output import OK, folded, misused, terminal_width, write_text
from zmon.cli.settings import KEYS, SETTINGS, defaults_of, options_of, own_keys_of
from zmon.cli.subcommands import KEY_MAPS, SUBCOMMANDS
from zmon.cli.topics import ENVIRONMENT, EXIT_STATUS, FILES, SERVICE, SERVICE_STATUS
from zmon.rule.grammar import usable_rules
from zmon.screen.definition import ScreenError, load_screens
from zmon.screen.query import QueryError, find_column, heading
from zmon.session.commands import COMMANDS, find_command
from zmon.session.explain import (
    HelpPart,
    explain_column,
    explain_command,
    explain_diagnosis,
    explain_release,
    explain_rule,
    explain_screen,
    rows,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator

    from zmon.screen.definition import Screen, Screens

WIDEST: Final = 100
"""Longer lines are hard to read."""
BESIDE: Final = 24
"""Where the meanings of names begin; those of longer names are below them."""


def run(args: argparse.Namespace) -> int:
    """Print what a topic is about; returns the exit status."""
    topic = " ".join(args.topic)
    screens = load_screens()
    parts = list(_about(topic, screens))
    if not parts:
        names = (
            *TOPICS,
            *ALIASES,
            *SUBCOMMANDS,
            *_SETTINGS,
            *(screen.command for screen in _of_fleet(screens)),
            *screens.commands,
            *(command.word for command in COMMANDS),
        )
        rules = (rule.name for rule in usable_rules()[0])
        instead = did_you_mean(topic, (*names, *rules)) or "; zmon help lists the topics"
        return misused(f"{topic[:60]!r} is no topic{instead}")
    write_text(line.rstrip() for line in parts)
    return OK


def _about(asked: str, screens: Screens) -> Iterator[str]:
    """Yield what words name: a topic, else everything of that name; nothing if they name nothing."""
    if not asked:
        yield from _entries((f"zmon help {name}", about) for name, (about, _) in TOPICS.items())
        yield ""
        yield from _text("Or the name of a subcommand, a screen, a command, a column, a diagnosis or a rule:")
        yield from _text(
            "zmon help where, zmon help DEVICE, zmon help SORT, zmon help resp, zmon help D12, ..."
        )
        return
    topic = ALIASES.get(asked.lower().replace(" ", "-"), asked.lower().replace(" ", "-"))
    if topic in TOPICS and asked not in screens.commands:  # in capitals, FILES is the screen
        yield from TOPICS[topic][1]()
        return
    asked = topic if asked.lower() in ALIASES else asked
    first = True
    rules = usable_rules()[0]
    named = (explain_diagnosis(asked, rules), explain_rule(asked, rules, screens), _columns(asked, screens))
    screen = (_screen(asked, screens), _fleet_screen(asked, screens))
    parts = (_subcommand(asked), *screen, _command(asked), _setting(asked), *map(_part, named))
    for part in parts:
        for line in part:
            if not first and line is _HEAD:
                yield ""
            elif line is not _HEAD:
                yield line
            first = False


_SETTINGS: Final = (*SETTINGS[""], KEYS)
_HEAD: Final = "\n"
"""Stands before each part, where another one may be above it."""


def _subcommand(topic: str) -> Iterator[str]:
    if topic in SUBCOMMANDS:
        yield _HEAD
        yield from parser_of(topic).format_help().rstrip().split("\n")


def _screen(topic: str, screens: Screens) -> Iterator[str]:
    """Yield what a screen, or a column as in `DEVICE.resp`, is about."""
    name, dot, column = topic.partition(".")
    try:
        screen = screens.find(name)
        said = explain_column(find_column(column, screen.columns)) if dot else explain_screen(screen)
    except (ScreenError, QueryError):
        return
    if topic.islower() and topic in SUBCOMMANDS and topic.upper() != screen.command:
        return  # `show` is no short form of a screen
    yield _HEAD
    yield from _lines(said)


def _of_fleet(screens: Screens) -> list[Screen]:
    """Return the screens that a fleet alone has."""
    own = load_screens(shipped("screens/fleet"))
    return [screen for screen in own if not {screen.command, screen.id} & {*screens.commands}]


def _fleet_screen(topic: str, screens: Screens) -> Iterator[str]:
    """Yield what a screen is about that a fleet alone has."""
    for screen in _of_fleet(screens):
        if topic.upper() in {screen.command, screen.id}:
            yield _HEAD
            yield from _text("A screen of zmon fleet:")
            yield from _lines(explain_screen(screen))


def _setting(topic: str) -> Iterator[str]:
    """Yield what a setting is, which is an option, too."""
    name = topic.lower().removeprefix("--")
    if name in _SETTINGS and topic not in SUBCOMMANDS:
        yield _HEAD
        yield from _text(f"A setting, and the option --{name}: {options_of('')[name].more['help']}.")
        yield from _text("zmon config prints all settings; docs/settings.md has more.")


def _command(topic: str) -> Iterator[str]:
    command = find_command(topic)
    if command is not None and (topic.isupper() or topic not in SUBCOMMANDS or topic.upper() == command.word):
        yield _HEAD
        yield from _text("A command of the screens:")
        yield from _lines(explain_command(command))


def _part(said: list[HelpPart]) -> Iterator[str]:
    if said:
        yield _HEAD
        yield from _lines(said)


def _columns(topic: str, screens: Screens) -> list[HelpPart]:
    """Explain a column on the first screen of the menu that has it, and name the others."""
    parts = []
    for screen in sorted(screens, key=lambda screen: screen.menu or "~"):
        # a column is called by its name or its heading, in full: short forms are many
        for header in screen.columns:
            if topic.lower() in {header.name, heading(header).lower()}:
                parts.append((screen, header))
                break
    if not parts:
        return []
    (screen, column), *others = parts
    said = explain_column(column)
    said[0] = said[0]._replace(words=f"{screen.command}.{said[0].words}: a column")
    if others:
        names = ", ".join(f"{screen.command}.{of.name}" for screen, of in others)
        said.append(HelpPart(f"{names}: zmon help {others[0][0].command}.{others[0][1].name}", name="Also"))
    return said


# the topics


def _commands() -> Iterator[str]:
    yield "Subcommands: zmon NAME --help says more."
    yield ""
    yield from _entries((name, about) for name, (about, _) in SUBCOMMANDS.items())
    yield ""
    yield from _text("Commands of the screens; the part in capitals is enough.")
    yield ""
    yield from _entries(
        (f"{command.spelled} {command.operand}".strip(), command.help) for command in COMMANDS
    )


def _screens() -> Iterator[str]:
    yield from _text(
        "The part in capitals, or the number in parentheses, is enough. zmon show NAME prints one."
    )
    yield ""
    yield from _entries(
        (screen.spelled + f" ({screen.menu})" * bool(screen.menu), screen.title) for screen in load_screens()
    )
    yield ""
    yield from _text("Of zmon fleet:")
    yield ""
    yield from _entries((screen.spelled, screen.title) for screen in _of_fleet(load_screens()))


def _keys() -> Iterator[str]:
    """Yield the keys that hold with the settings and the file of keys of now."""
    from zmon.ui.actions import keys_of  # noqa: PLC0415 - of this topic alone
    from zmon.ui.keys import KeyMap, KeysError, load_keys  # noqa: PLC0415 - likewise

    name = str(defaults_of("", os.environ).value("keys") or KEY_MAPS[0])
    try:
        keymap = KeyMap(name, {**own_keys_of(os.environ), **load_keys()})
    except KeysError as error:
        yield from _text(f"{error}. Without own keys:")
        yield ""
        keymap = KeyMap(name)
    yield from _text(
        f'The map {name}. keys = "fcon", "vi" or "less" in zmon.toml chooses another one; zmon config prints'
        " what can be set."
    )
    yield ""
    yield from _entries(keys_of(keymap))


def _rules() -> Iterator[str]:
    yield from _text(
        "Rules say which values are exceptions. zmon rules prints them whole, zmon rules --from SOURCE what"
        " they find. ~/.config/zmon/rules.toml changes them and adds others."
    )
    yield ""
    yield from _entries((rule.name, rule.why) for rule in usable_rules()[0])


def _exit_codes() -> Iterator[str]:
    yield from _entries((str(status), about) for status, about in EXIT_STATUS)
    yield ""
    yield "With --status, as Nagios has it:"
    yield ""
    yield from _entries((str(status), about) for status, about in SERVICE_STATUS)
    yield ""
    yield from _text(
        "Data go to standard output, messages to standard error. With --json-errors, which each subcommand"
        " takes, every message is a JSON object in a line of its own."
    )


def _lines(said: Iterable[HelpPart]) -> Iterator[str]:
    return (row.text.removeprefix(" ") for row in rows(said, min(terminal_width(), WIDEST)))


def _text(sentence: str) -> Iterator[str]:
    return folded(sentence, min(terminal_width(), WIDEST))


def _entries(entries: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield names, and beside or below each what it means."""
    width = min(terminal_width(), WIDEST)
    for name, about in entries:
        below = len(name) + 4 > BESIDE
        if below:
            yield f"  {name}"
        yield from folded(about, width, (" " * BESIDE) if below else f"  {name}".ljust(BESIDE), " " * BESIDE)


TOPICS: Final[dict[str, tuple[str, Callable[[], Iterator[str]]]]] = {
    "commands": ("the subcommands, and the commands of the screens", _commands),
    "screens": ("the screens, by name and number", _screens),
    "keys": ("the keys that hold on the screens", _keys),
    "rules": ("the rules for exceptions", _rules),
    "new": ("what this release brings", lambda: _lines(explain_release())),
    "service": ("how the recorder runs as a service", lambda: _entries(SERVICE)),
    "exit-codes": ("what an exit status means, and errors for programs", _exit_codes),
    "environment": ("the environment variables that zmon reads", lambda: _entries(ENVIRONMENT)),
    "files": ("the files that zmon reads and writes", lambda: _entries(FILES)),
}
"""What each topic is about, and its text."""

ALIASES: Final = {
    "exit": "exit-codes", "exit-code": "exit-codes", "exit-status": "exit-codes", "status": "exit-codes",
    "errors": "exit-codes", "env": "environment", "variables": "environment", "key": "keys",
    "command": "commands", "subcommands": "commands", "screen": "screens", "file": "files",
    "install": "service", "recorder": "service", "systemd": "service", "daemon": "service",
    "metrics": "serve-metrics", "prometheus": "serve-metrics", "html": "show", "mail": "show",
}  # fmt: skip
"""Other words for topics and subcommands."""
