"""`zmon config`: the settings as a file of settings, with what each means and where it comes from."""

from __future__ import annotations

import json
import os
import re

from zmon.base.light_typing import TYPE_CHECKING, Any, Final
from zmon.cli.output import OK, misused
from zmon.cli.settings import (
    KEYS,
    MACHINE,
    SETTINGS,
    SOURCES,
    SettingsError,
    config_files,
    load_settings,
    options_of,
)
from zmon.cli.subcommands import KEY_MAPS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from zmon.cli.settings import Option, Setting

HEAD = """\
# Settings of zmon.  Each is the default of an option of the same name.
# Files, the stronger ones last; options on the command line are stronger than all:
"""
WIDTH: Final = 100
LEFT_OUT: Final = re.compile(
    r" \(default( \d+| %\(default\)g)?\)|; may be repeated"
    r"|; - is standard input, and the option may stand several times"
)
"""What the help of an option says that is not so of a setting."""
OF_MACHINE: Final = ("", "# About this machine: not used for what --from names")
KEYS_HEAD: Final = (
    "# Keys of the screens: a map, and other keys for single functions.  The map alone may stand at the top,",
    f'# without a table: {KEYS}="vi".  "none" takes its keys from a function.',
)
AS_ABOVE: Final = ("", "# As above, for the recorder alone")


def run(args: argparse.Namespace) -> int:
    """Print the settings; returns the exit status."""
    files = config_files(os.environ)
    settings = load_settings(files)
    try:
        _see_keys(settings)
    except SettingsError as error:
        return misused(str(error))
    if args.format == "json":
        print(json.dumps(_data(files, settings), indent=2))
    else:
        print("\n".join(_lines(files, settings)))
    return OK


def _lines(files: list[str], settings: dict[tuple[str, str], Setting]) -> Iterator[str]:
    yield from HEAD.splitlines()
    for path in files:
        yield f"#   {path}{'' if os.path.exists(path) else ' (does not exist)'}"
    if not files:
        yield "#   none, because ZMON_CONFIG is empty"
    for table, names in SETTINGS.items():
        options = options_of(table)
        if table:
            yield from ("", "", f"# zmon {table} alone", f"[{table}]")
        explained = [name for name in names if not table or name not in SOURCES]
        for name in explained:
            if name == MACHINE[0]:
                yield from OF_MACHINE
            yield from ("", *_comment(options[name]), _line(name, options[name], settings.get((table, name))))
        repeated = [name for name in names if name not in explained]
        if repeated:
            yield from AS_ABOVE
        for name in repeated:
            yield _line(name, options[name], settings.get((table, name)))
    yield from ("", "", *KEYS_HEAD, "", f"[{KEYS}]")
    for name, default, help_, setting in _keys(settings):
        written_ = f"{name} = {written(setting.words if setting else default)}"
        yield f"{written_}  # {setting.place}" if setting else f"# {written_}  # {help_}"


def _see_keys(settings: dict[tuple[str, str], Setting]) -> None:
    """See that no key has two functions, as the screens do.

    Raises:
        SettingsError: one has.
    """
    from zmon.ui.keys import KeyMap, KeysError  # noqa: PLC0415 - of this command alone

    chosen = settings.get(("", KEYS))
    try:
        KeyMap(
            chosen.value if chosen else KEY_MAPS[0],
            {name: setting.value for (table, name), setting in settings.items() if table == KEYS},
        )
    except KeysError as error:
        raise SettingsError(str(error)) from error


def _keys(settings: dict[tuple[str, str], Setting]) -> Iterator[tuple[str, str, str, Setting | None]]:
    """Yield the map and each function: its name, its keys in the map, what it does, and its setting."""
    from zmon.ui.keys import FUNCTIONS, NAMED_MAP, NONE, KeyMap  # noqa: PLC0415 - of this command alone

    chosen = settings.get(("", KEYS))
    keymap = KeyMap(chosen.value if chosen else KEY_MAPS[0])
    yield NAMED_MAP, KEY_MAPS[0], f"one of {', '.join(KEY_MAPS)}", chosen
    for function in FUNCTIONS:
        keys = keymap.keys[function.name] or NONE
        yield function.name, keys, function.help, settings.get((KEYS, function.name))


def _line(name: str, option: Option, setting: Setting | None) -> str:
    """Return a setting with the place that it comes from, or its default as a comment."""
    if setting is None:
        return f"# {name} = {written(_default(option))}"
    return f"{name} = {written(setting.words)}  # {setting.place}"


def _comment(option: Option) -> Iterator[str]:
    """Yield what a setting means."""
    import textwrap  # noqa: PLC0415 - of this command alone

    text = LEFT_OUT.sub("", str(option.more["help"]))
    if "choices" in option.more:
        text += f": {', '.join(option.more['choices'])}"
    if option.is_list:
        text += "; one or a list"
    for line in textwrap.wrap(text[:1].upper() + text[1:], WIDTH - 2):
        yield f"# {line}"


def _default(option: Option) -> Any:
    """Return the default of an option as a file would give it."""
    if option.is_flag:
        return False
    if option.is_list:
        return []
    return option.more.get("default") or ""


def written(value: Any) -> str:
    """Write a value in TOML, which for these types is JSON with DEL escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _data(files: list[str], used: dict[tuple[str, str], Setting]) -> dict[str, Any]:
    settings = []
    for table, names in SETTINGS.items():
        options = options_of(table)
        for name in names:
            setting = used.get((table, name))
            settings.append({
                "table": table,
                "name": name,
                "value": _default(options[name]) if setting is None else setting.words,
                "default": _default(options[name]),
                "from": None if setting is None else setting.place,
            })  # fmt: skip
    settings += [
        {
            "table": KEYS,
            "name": name,
            "value": setting.words if setting else default,
            "default": default,
            "from": setting.place if setting else None,
        }
        for name, default, _, setting in _keys(used)
    ]
    return {"files": [{"path": path, "exists": os.path.exists(path)} for path in files], "settings": settings}
