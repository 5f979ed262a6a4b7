"""Commands of a site that run when an exception begins and when it ends: `[[command]]` of its file of rules.

A command is a list of words, and no shell reads it.  `{text}` in a word stands for what zmon says; whatever
that holds, it stays within its word.  Only a file that nobody else can write declares commands: `distrust`.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zmon.base.event import LEVELS, LOOK
from zmon.base.plain_text import did_you_mean
from zmon.rule.rules_file import RuleError, all_of, document_of, own_rules, seconds_of
from zmon.screen.export import moment

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from zmon.base.event import ExceptionEntry
    from zmon.base.toml import TomlTable

BEGIN: Final = "begin"
END: Final = "end"
STATES: Final = (BEGIN, END)
"""When a command runs."""
KEYS: Final = ("run", "rules", "level", "when", "seconds", "apart")
"""What a command may say."""
FIELDS: Final = ("state", "rule", "level", "where", "text", "begin", "end", "cause")
"""What a word may name, besides `JSON`; the environment has all of them as ZMON_STATE and so on."""
JSON: Final = "json"
"""All fields as one object, for a web service."""
FIELD: Final = re.compile(r"\{([a-z]+)\}", re.ASCII)
DEADLINE: Final = 10
"""Seconds that a command may take."""
MAX_SECONDS: Final = 20
"""The most that a file may allow: systemd kills a recorder that takes 30 s to end."""
OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


class SiteCommand(NamedTuple):
    """One command, checked."""

    run: tuple[str, ...]
    """The program and its arguments, with fields."""
    place: str
    """Where it is declared: `file:line`."""
    rules: tuple[str, ...] = ("*",)
    """Names of rules, or patterns with `*`."""
    level: int = LOOK
    """The lowest level for which it runs."""
    when: tuple[str, ...] = STATES
    seconds: int = DEADLINE
    """After these it is killed."""
    apart: float = 0.0
    """The least seconds between two begins of one exception that it runs for."""

    def is_for(self, rule: str) -> bool:
        """Return whether it runs for a rule."""
        return any(fnmatchcase(rule, pattern) for pattern in self.rules)

    def concerns(self, entry: ExceptionEntry) -> bool:
        """Return whether it runs for an exception."""
        return entry.level >= self.level and self.is_for(entry.rule)

    def filled(self, fields: Mapping[str, str]) -> list[str]:
        """Return its words with the values of fields; each stays one word."""
        return [FIELD.sub(lambda match: fields[match[1]], word) for word in self.run]

    def __str__(self) -> str:
        """Write it as a shell would need it."""
        return shlex.join(self.run)


def fields_of(entry: ExceptionEntry, state: str) -> dict[str, str]:
    """Return the fields of an exception that begins or ends; times are UTC."""
    fields = {
        "state": state,
        "rule": entry.rule,
        "level": LEVELS[entry.level],
        "where": entry.where,
        "text": entry.words,
        "begin": moment(entry.begin),
        "end": moment(entry.end) if state == END else "",
        "cause": entry.cause,
    }
    return {**fields, JSON: json.dumps(fields)}


def environment_of(fields: Mapping[str, str]) -> dict[str, str]:
    """Return fields as variables of the environment."""
    return {f"ZMON_{name.upper()}": value for name, value in fields.items()}


# files


def commands_of(top: TomlTable, rules: Collection[str] | None = None) -> list[SiteCommand]:
    """Return the commands of a file; with `rules`, the names that there are, their patterns are checked.

    Raises:
        RuleError: one is none; it has all mistakes.
    """
    return all_of(partial(_command, table, rules) for table in top.list_of("command", []))


def commands_in(paths: Iterable[str]) -> list[SiteCommand]:
    """Return the commands that files of rules declare, which were checked with these.

    Raises:
        RuleError: a file cannot be read, or its commands are none.
    """
    return [command for path in paths for command in commands_of(document_of(path))]


def trusted_commands(paths: Iterable[str]) -> list[SiteCommand]:
    """Return the commands that files declare, none of which others can write.

    Raises:
        RuleError: others can, or see `commands_in`.
    """
    commands = []
    for path in paths:
        declared = commands_of(document_of(path))
        if declared and (why := distrust(path)):
            raise RuleError(f"{path}: its commands are not run: {why}")
        commands += declared
    return commands


def own_commands() -> list[SiteCommand]:
    """Return the commands of the user's own file of rules.

    Raises:
        RuleError: see `trusted_commands`.
    """
    return trusted_commands(own_rules())


def distrust(path: str) -> str:
    """Return why others could change what a file says; empty if nobody but the user and root can.

    In a directory with the sticky bit, such as /tmp, nobody takes away the files of others.
    """
    given = os.path.abspath(path)
    ends = (given, os.path.realpath(given), os.path.realpath(os.path.dirname(given)))
    places = dict.fromkeys(place for end in ends for place in _upwards(end))
    try:
        return next(filter(None, map(_strangers, places)), "")
    except OSError as error:
        return f"{error.filename}: {error.strerror}"


def _upwards(place: str) -> Iterator[str]:
    """Yield a path and all directories above it."""
    yield place
    while (above := os.path.dirname(place)) != place:
        yield (place := above)


def _strangers(place: str) -> str:
    """Return who besides the user and root can change a file, or what is in a directory.

    Raises:
        OSError: it cannot be looked at.
    """
    state = os.stat(place)
    if state.st_uid not in {0, os.geteuid()}:
        return f"{place} belongs to another user"
    is_sticky = stat.S_ISDIR(state.st_mode) and state.st_mode & stat.S_ISVTX
    if state.st_mode & OTHERS_WRITE and not is_sticky:
        return f"others may write {place}; chmod go-w ends that"
    return ""


def _command(table: TomlTable, rules: Collection[str] | None) -> SiteCommand:
    """Return a checked command.

    Raises:
        RuleError: it is none; has each key that is wrong.
    """
    table.only(*KEYS)
    levels = LEVELS[LOOK:]
    readers: dict[str, Any] = {
        "run": partial(_run, table),
        "rules": partial(_patterns, table, rules),
        "level": lambda: LEVELS.index(table.one_of("level", levels, levels[0])),
        "when": partial(_when, table),
        "seconds": partial(table.whole, "seconds", DEADLINE, 1, MAX_SECONDS),
        "apart": partial(seconds_of, table, "apart"),
    }
    return SiteCommand(place=table.place("run"), **dict(zip(readers, all_of(readers.values()), strict=True)))


def _run(table: TomlTable) -> tuple[str, ...]:
    run = tuple(table.words("run"))
    if not run:
        raise table.wrong("run", 'is a program and its arguments, such as ["logger", "{text}"]')
    if FIELD.search(run[0]) or ("/" in run[0] and not run[0].startswith("/")):
        raise table.wrong("run", f"begins with a name or a whole path of a program, not {run[0]!r:.60}")
    for word in run:
        for name in FIELD.findall(word):
            if name not in {*FIELDS, JSON}:
                others = did_you_mean(name, FIELDS) or f"; fields are {', '.join((*FIELDS, JSON))}"
                raise table.wrong("run", f"there is no field {name!r:.60}{others}")
        if set(FIELD.sub("", word)) & {"{", "}"}:
            raise table.wrong("run", f"has braces only around the names of fields, not {word!r:.60}")
    return run


def _patterns(table: TomlTable, rules: Collection[str] | None) -> tuple[str, ...]:
    patterns = tuple(table.words("rules", ["*"]))
    for pattern in patterns:
        if rules is not None and not any(fnmatchcase(name, pattern) for name in rules):
            raise table.wrong("rules", f"{pattern!r:.60} is no rule{did_you_mean(pattern, rules)}")
    return patterns


def _when(table: TomlTable) -> tuple[str, ...]:
    when = tuple(table.words("when", [*STATES]))
    if not when or not {*when} <= {*STATES}:
        raise table.wrong("when", 'is ["begin"], ["end"] or both')
    return when
