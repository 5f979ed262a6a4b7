"""Settings: defaults of options, in the files `zmon.toml` of the machine and of the user.

A setting has the name of its option: `interval = 5`.  At the top of the file it holds for each subcommand
that has the option; in a table named after a subcommand, `[record]`, for that one alone.  What the user's
file says is stronger than what the machine's says, and an option on the command line is stronger than both.

Settings about this machine (listings, answers of CP) are not used for what `--from` names, which may be
another machine.
"""

from __future__ import annotations

import os

from zmon.base import own_files
from zmon.base.light_typing import TYPE_CHECKING, Any, Final
from zmon.base.record import NamedTuple
from zmon.cli.plain_parser import PlainParser, UnusualError
from zmon.cli.subcommands import SUBCOMMANDS, live

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from zmon.base.toml import TomlTable
    from zmon.ui.keys import OwnKeys

SYSTEM: Final = "/etc/zmon/zmon.toml"
"""The settings of a machine; a user's own are `zmon/zmon.toml` in the directory of settings."""
VARIABLE: Final = "ZMON_CONFIG"
"""The environment variable that names one file to read instead; empty for none."""

LISTED: Final = ("listing", "database", "base-dir", "terminator", "partitions")
MACHINE: Final = ("cp", *LISTED, "cp-file", "cp-user", "cp-member")
"""Settings about this machine alone."""
SOURCES: Final = ("cache", "exact", "no-hypervisor", "cp", *LISTED)
"""Settings about sources, which the recorder may have otherwise."""
SETTINGS: Final = {
    "": ("interval", "theme", "site", *SOURCES, "cp-file", "cp-user", "cp-member"),
    "record": ("directory", "interval", "keep", "size", "only", *SOURCES),
}
"""The settings by table: the names of options, and of words that stand on the command line without one."""
KEYS: Final = "keys"
"""The setting that names a map of keys; as a table it has `map` and a user's own keys by function."""
VARIABLES: Final = {"theme": "ZMON_THEME"}
"""Environment variables that are stronger than a setting."""
OWN_INTERVAL: Final = frozenset({"record", "capture"})
"""Subcommands whose interval is another one: that at the top is not for them."""
FILES: Final = frozenset({"site", "cp-file", "directory", "listing", "base-dir"})
"""Settings that name files, which do not depend on the directory zmon is started in."""


class SettingsError(ValueError):
    """A file of settings that cannot be used: which, where, and what would be right."""


class Option(NamedTuple):
    """What a subcommand declares of an option."""

    dest: str
    """The attribute that has its value."""
    more: Mapping[str, Any]
    """What `add_argument` was called with."""

    @property
    def is_flag(self) -> bool:
        """Whether it has no value."""
        return self.more.get("action") == "store_true"

    @property
    def is_list(self) -> bool:
        """Whether it may be repeated."""
        return self.more.get("action") == "append" or self.more.get("nargs") == "*"


class Setting(NamedTuple):
    """A setting in a file."""

    value: Any
    """As the option gives it."""
    words: Any
    """As it stands in the file."""
    place: str
    """The file and the line."""


def config_files(environ: Mapping[str, str]) -> list[str]:
    """Return the files of settings, the stronger ones last, whether they exist or not.

    Raises:
        SettingsError: one that was named does not exist.
    """
    if named := environ.get(VARIABLE):
        if not os.path.exists(named):
            raise SettingsError(f"{named}: does not exist, and {VARIABLE} names it")
        return [named]
    if VARIABLE in environ:
        return []
    return [SYSTEM, os.path.join(own_files.config(environ), "zmon.toml")]


def options_of(name: str) -> dict[str, Option]:
    """Return the options and words of a subcommand, or of the live screens, by name without dashes."""
    parser: Any = PlainParser()
    try:
        (SUBCOMMANDS[name][1] if name else live)(parser)
    except UnusualError:
        return {}
    return {word: Option(*declared) for word, declared in parser.declared().items()}


def load_settings(files: list[str]) -> dict[tuple[str, str], Setting]:
    """Read files of settings; returns them by table, `""` for the top, and name.

    Raises:
        SettingsError: a file cannot be read or used; names the file, the line and what is allowed.
    """
    settings: dict[tuple[str, str], Setting] = {}
    for path in files:
        if os.path.exists(path):
            settings |= _read(path)
    return settings


def defaults_of(name: str, environ: Mapping[str, str]) -> Defaults:
    """Return what the files of settings make of the options of a subcommand.

    Raises:
        SettingsError: see `load_settings`.
    """
    settings = load_settings(config_files(environ))
    stronger = {setting for setting, variable in VARIABLES.items() if environ.get(variable)}
    return Defaults(name, {at: setting for at, setting in settings.items() if at[1] not in stronger})


def _read(path: str) -> dict[tuple[str, str], Setting]:
    from zmon.base.toml import TomlDocument, read_utf8  # noqa: PLC0415 - most start without settings

    try:
        text = read_utf8(path, SettingsError)
        document = TomlDocument(text, path, SettingsError, _advice(text))
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from error
    top = document.top()
    settings = _keys_of(top)
    for table in SETTINGS:
        if table and table not in top:
            continue
        inside = top.table(table) if table else top
        options = options_of(table)
        for key in inside.data:
            if not table and key in {KEYS, *SETTINGS} and key:
                continue
            if key not in SETTINGS[table]:
                raise inside.wrong(key, _unknown(table, key))
            if inside.data[key] == "":
                continue  # as if it were not there
            settings[table, key] = Setting(
                _value(inside, key, options[key]), inside.data[key], inside.place(key)
            )
    return settings


def _advice(text: str) -> str:
    """Return what to do where `keys` stands twice in a file, as a name and as a table; else nothing."""
    import re  # noqa: PLC0415 - most start without settings

    both = re.search(rf"(?m)^\s*{KEYS}\s*=", text) and re.search(rf"(?m)^\s*\[\s*{KEYS}\s*\]", text)
    return f'; in a file with [{KEYS}] write the map there: map = "vi"' if both else ""


def _keys_of(top: TomlTable) -> dict[tuple[str, str], Setting]:
    """Return the setting `keys`: the name of a map, or a table that has it beside a user's own keys."""
    settings = {}
    inside, name = top, KEYS
    if isinstance(top.data.get(KEYS), dict):
        from zmon.ui.keys import NAMED_MAP, read_own  # noqa: PLC0415 - few settings have keys

        inside, name = top.table(KEYS), NAMED_MAP
        own = read_own(inside.without_empty())
        settings = {
            (KEYS, of): Setting(file_key, inside.data[of], file_key.place) for of, file_key in own.items()
        }
    if inside.data.get(name):
        option = options_of("")[KEYS]
        settings["", KEYS] = Setting(_value(inside, name, option), inside.data[name], inside.place(name))
    return settings


def own_keys_of(environ: Mapping[str, str]) -> dict[str, OwnKeys]:
    """Return a user's own keys by function, as far as the files of settings have them.

    Raises:
        SettingsError: see `load_settings`.
    """
    settings = load_settings(config_files(environ))
    return {name: setting.value for (table, name), setting in settings.items() if table == KEYS}


def _unknown(table: str, key: str) -> str:
    """Return what is wrong with a name that is no setting."""
    from zmon.base.plain_text import did_you_mean  # noqa: PLC0415 - only a mistake needs it

    names = (*SETTINGS[table], *(() if table else (KEYS, *filter(None, SETTINGS))))
    where = next(
        (f"; it belongs into [{other}]" for other, names in SETTINGS.items() if other and key in names), ""
    )
    return f"is no setting{did_you_mean(key, names) or where or '; zmon config lists them'}"


def _value(table: TomlTable, key: str, option: Option) -> Any:
    """Return the value of a setting as its option gives it."""
    if option.is_flag:
        return table.flag(key)
    written = table.data[key]
    if option.is_list:
        texts = table.words(key) if isinstance(written, list) else [table.text(key)]
    elif isinstance(written, (int, float)) and not isinstance(written, bool):
        texts = [str(written)]
    else:
        texts = [table.text(key)]
    values = [_read_word(table, key, option, word) for word in texts]
    return values if option.is_list else values[0]


def _read_word(table: TomlTable, key: str, option: Option, word: str) -> Any:
    from argparse import ArgumentTypeError  # noqa: PLC0415 - most start without settings

    if key in FILES and not (key == "listing" and _is_server(word)):
        word = os.path.expanduser(word)
        if not os.path.isabs(word):
            # an address that is not understood may hold a password
            other = f"not {word!r:.60}" if key != "listing" else "or the address of a server"
            raise table.wrong(key, f"is a path from / or ~ on, {other}")
    try:
        value = option.more["type"](word) if "type" in option.more else word
    except ArgumentTypeError as error:
        raise table.wrong(key, str(error)) from error
    if value not in option.more.get("choices", (value,)):
        raise table.wrong(key, f"is one of {', '.join(option.more['choices'])}, not {word!r:.60}")
    return value


def _is_server(word: str) -> bool:
    from zmon.listing.servers import is_server  # noqa: PLC0415 - most start without settings

    return is_server(word)


class Defaults:
    """What settings make of the options of one subcommand."""

    def __init__(self, name: str, settings: Mapping[tuple[str, str], Setting]) -> None:
        """Take the settings of a subcommand, or of the live screens."""
        self._settings: dict[str, tuple[str, Any]] = {}
        """By attribute: the name of the setting and its value."""
        self._before: dict[str, Any] = {}
        """Defaults without settings, by attribute."""
        if not settings:
            return
        for word, option in options_of(name).items():
            own = settings.get((name, word))
            if own is None and not (word == "interval" and name in OWN_INTERVAL):
                own = settings.get(("", word))
            if own is not None:
                self._settings[option.dest] = (word, own.value)

    def value(self, dest: str) -> Any:
        """Return the value that settings give to an attribute; None if they give none."""
        return self._settings.get(dest, ("", None))[1]

    def declare(self, parser: argparse.ArgumentParser | PlainParser) -> None:
        """Make settings the defaults of a parser; a list, or what is about this machine, comes afterwards."""
        for dest, (word, value) in self._settings.items():
            self._before[dest] = parser.get_default(dest)
            parser.set_defaults(**{dest: None if isinstance(value, list) or word in MACHINE else value})

    def complete(self, args: argparse.Namespace) -> None:
        """Put settings where the command line has said nothing."""
        for dest, (word, value) in self._settings.items():
            given = getattr(args, dest)
            if given is not None and given != []:
                continue
            if not (word in MACHINE and getattr(args, "source", None)):
                setattr(args, dest, value)
            elif given is None:
                setattr(args, dest, self._before[dest])
