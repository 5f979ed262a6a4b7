"""TOML files that people write, read with bounds and checked: screens, site files, keys, scenarios and tours.

An error names the file, the line, the key and what is allowed.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import cached_property

from zmon.base import own_files
from zmon.base.light_typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

MAX_CHARACTERS: Final = 256 << 10
"""Most characters of a file."""
MAX_DOTS: Final = 256
"""Most dots of a line.  `tomllib` takes the square of the parts of a dotted key in time and memory."""

END: Final = " (at end of document)"
"""How the parser of TOML calls the last line."""

TYPES: Final = {
    bool: "true or false",
    dict: "a table",
    float: "a number",
    int: "a whole number",
    list: "a list",
    str: "a text in quotes",
}
"""What a value of each type is called; a `float` may be written as a whole number."""

Keys = tuple[str | int, ...]
"""Where an entry is: the keys of the tables around it, and its own; a number counts the tables of a list."""


class TomlError(ValueError):
    """An error in a TOML document, with its line."""


def read_utf8(path: str, error: type[ValueError]) -> str:
    """Read the text of a file that a person wrote.

    Raises:
        OSError: it cannot be read.
        error: it is not UTF-8; names the file and the line.
    """
    with open(path, "rb") as file:
        content = file.read()
    try:
        return content.decode()
    except UnicodeDecodeError as wrong:
        line = content.count(b"\n", 0, wrong.start) + 1
        raise error(f"{path}:{line}: is not UTF-8; save it as UTF-8") from wrong


PROFILES: Final = ("disk", "flash")
"""The kinds of storage that have limits of their own, which a site or a file of rules chooses from."""
SITE: Final = "/etc/zmon/site.toml"
"""The site file of a machine; a user's own is `site.toml` among the own files."""


def site_files(environ: Mapping[str, str], system: str = SITE) -> list[str]:
    """Return the site files that exist, the machine's before the user's."""
    own = os.path.join(own_files.config(environ), "site.toml")
    return [path for path in (system, own) if os.path.exists(path)]


def parse_toml(text: str) -> dict[str, Any]:
    """Parse a TOML document.

    Raises:
        TomlError: it is no TOML, or larger than any file that is written by hand.
    """
    import tomllib  # noqa: PLC0415 - most lookups read none

    if len(text) > MAX_CHARACTERS:
        raise TomlError(f"more than {MAX_CHARACTERS >> 10} KiB")
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MAX_DOTS:
            raise TomlError(f"more than {MAX_DOTS} dots in a line (at line {number}, column 1)")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise TomlError("nested too deeply") from None
    except ValueError as error:  # a number of thousands of digits is a plain ValueError
        raise TomlError(str(error)) from error


def parse_kept(text: str, file: str) -> dict[str, Any]:
    """Parse a TOML document that comes with zmon, or load its parsed form, kept beside bytecode.

    Loading `tomllib` and parsing takes half of the time of starting an interpreter.  As with bytecode, the
    kept form is trusted, and written where that is allowed; it is valid for the same text only.

    Raises:
        TomlError: see `parse_toml`.
    """
    import marshal  # noqa: PLC0415 - most lookups load no screen
    from importlib.util import cache_from_source  # noqa: PLC0415 - likewise

    path = f"{cache_from_source(file).removesuffix('.pyc')}.toml"
    try:
        with open(path, "rb") as stream:
            kept_stat, data = marshal.load(stream)  # noqa: S302 - as trusted as bytecode
        if kept_stat == text and isinstance(data, dict):
            return data
    except (OSError, EOFError, TypeError, ValueError):
        pass
    data = parse_toml(text)
    if not sys.dont_write_bytecode:
        with suppress(OSError):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(f"{path}.{os.getpid()}", "xb", opener=_readable) as stream:
                stream.write(marshal.dumps((text, data)))
            os.replace(f"{path}.{os.getpid()}", path)
    return data


def _readable(path: str, flags: int) -> int:
    """Open a file that others may read and not write, as bytecode is."""
    return os.open(path, flags, 0o644)


class TomlDocument:
    """One file: its data, and the line of each entry."""

    def __init__(
        self,
        text: str,
        origin: str,
        error: type[ValueError] = TomlError,
        advice: str = "",
        *,
        is_shipped: bool = False,
    ) -> None:
        """Parse the text of the file `origin`; errors are of the class `error`.

        A document that `is_shipped` comes with zmon; see `parse_kept`.

        Raises:
            ValueError: it is no TOML; the message ends with the `advice`.
        """
        self.origin = origin
        self.error = error
        self._text = text
        try:
            self.data = parse_kept(text, origin) if is_shipped else parse_toml(text)
        except TomlError as problem:
            raise error(f"{_placed(origin, text, str(problem))}{advice}") from problem

    @cached_property
    def lines(self) -> dict[Keys, int]:
        """The line of every heading and entry; an entry within braces has the line of the outermost one."""
        return _lines(self._text)

    def place(self, keys: Keys) -> str:
        """Return the location of an entry, or else of the table around it: `file:line`."""
        for length in range(len(keys), 0, -1):
            line = self.lines.get(keys[:length])
            if line:
                return f"{self.origin}:{line}"
        return self.origin

    def wrong(self, keys: Keys, what: str) -> ValueError:
        """Return the error that names an entry, its place and what is wrong with it."""
        name = ".".join(str(key + 1 if isinstance(key, int) else key) for key in keys)
        return self.error(f"{self.place(keys)}: {name}{': ' if name else ''}{what}")

    def top(self) -> TomlTable:
        """Return the whole document as a table."""
        return TomlTable(self, (), self.data)


def _placed(origin: str, text: str, problem: str) -> str:
    """Write what is wrong with a document behind its file and line, as all mistakes in it are."""
    import re  # noqa: PLC0415 - only an error needs it

    if problem.endswith(END):
        return f"{origin}:{len(text.splitlines())}: {problem.removesuffix(END)}"
    match = re.fullmatch(r"(?s)(.*) \(at line (\d+), column (\d+)\)", problem)
    return f"{origin}:{match[2]}: {match[1]} (column {match[3]})" if match else f"{origin}: {problem}"


def _lines(text: str) -> dict[Keys, int]:
    import re  # noqa: PLC0415 - only an error needs the lines

    word = r"""[\w-]+|"[^"]*"|'[^']*'"""
    heading = re.compile(r"\s*(\[\[?)\s*(.+?)\s*\]\]?\s*(?:#.*)?")
    entry = re.compile(rf"\s*((?:{word})(?:\s*\.\s*(?:{word}))*)\s*=")
    quotes = re.compile(r"\"\"\"|'''")

    def parts(name: str) -> Keys:
        return tuple(part.strip("\"'") for part in re.findall(word, name))

    lines: dict[Keys, int] = {}
    table: Keys = ()
    counts: dict[Keys, int] = {}
    in_text = False
    for number, line in enumerate(text.splitlines(), 1):
        before, in_text = in_text, in_text ^ (len(quotes.findall(line)) % 2 == 1)
        if before:
            continue
        if match := heading.fullmatch(line):
            table = parts(match[2])
            for length in range(1, len(table)):
                lines.setdefault(table[:length], number)
            if match[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                lines.setdefault(table, number)
                table = (*table, counts[table])
            lines.setdefault(table, number)
        elif match := entry.match(line):
            keys = (*table, *parts(match[1]))
            for length in range(len(table) + 1, len(keys) + 1):
                lines.setdefault(keys[:length], number)
    return lines


class TomlTable:
    """A table of a document, which gives its values checked; each method raises the document's error."""

    def __init__(self, document: TomlDocument, keys: Keys, data: Mapping[str, Any]) -> None:
        self.document = document
        self.keys = keys
        self.data = data

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def place(self, key: str) -> str:
        """Return the location of an entry: `file:line`."""
        return self.document.place((*self.keys, key))

    def without_empty(self) -> TomlTable:
        """Return the table without the entries that are empty texts."""
        return TomlTable(
            self.document, self.keys, {key: value for key, value in self.data.items() if value != ""}
        )

    def wrong(self, key: str, what: str) -> ValueError:
        """Return the error that says what is wrong with an entry; without a key, with the table."""
        return self.document.wrong((*self.keys, key) if key else self.keys, what)

    def only(self, *keys: str) -> None:
        """Refuse an unknown key, such as a misspelt one."""
        for key in self.data:
            if key not in keys:
                raise self.wrong(key, f"is not known here; known are {', '.join(keys)}")

    def check(
        self, types: Mapping[str, type], needed: Collection[str] = (), several_lines: Collection[str] = ()
    ) -> None:
        """Refuse unknown keys, values of other types, texts with control characters, and what is missing."""
        if self.data.keys() - types.keys():
            self.only(*sorted(types))
        for key, value in self.data.items():
            if type(value) is not types[key] and not (types[key] is float and type(value) is int):
                raise self.wrong(key, f"is {TYPES[types[key]]}, not {value!r:.60}")
            if isinstance(value, str) and not value.isprintable():
                lines = value.split("\n") if key in several_lines else [value]
                if not all(line.isprintable() for line in lines):
                    raise self.wrong(key, f"holds a control character: {value!r:.60}")
        for key in needed:
            if not self.data.get(key):
                raise self.wrong(key, "is missing or empty")

    def _get(self, key: str, kind: type, default: Any, what: str = "") -> Any:
        what = what or TYPES[kind]
        if key not in self.data:
            if default is None:
                raise self.wrong(key, f"is missing; give {what}")
            return default
        value = self.data[key]
        if type(value) is not kind:
            raise self.wrong(key, f"is {what}, not {value!r:.60}")
        return value

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text, which may have several lines."""
        value: str = self._get(key, str, default)
        if not value.replace("\n", "").isprintable():
            raise self.wrong(key, f"has characters that cannot be printed: {value!r:.60}")
        return value.strip()

    def one_of(self, key: str, choices: tuple[str, ...], default: str | None = None) -> str:
        """Return one of some words."""
        value = self.text(key, default)
        if value not in choices:
            raise self.wrong(key, f"is one of {', '.join(choices)}, not {value!r:.60}")
        return value

    def flag(self, key: str) -> bool:
        """Return true or false, the latter also if it is not given."""
        value: bool = self._get(key, bool, False)
        return value

    def number(self, key: str, default: float | None = None, least: float = 0.0, most: float = 1e9) -> float:
        """Return a number within bounds."""
        value = self.data.get(key, default)
        if value is None:
            raise self.wrong(key, "is missing; give a number")
        if type(value) not in {int, float} or not least <= value <= most:
            raise self.wrong(key, f"is a number from {least:g} to {most:g}, not {value!r:.60}")
        return float(value)

    def whole(self, key: str, default: int | None = None, least: int = 0, most: int = 1_000_000_000) -> int:
        """Return a whole number within bounds."""
        value = self.data.get(key, default)
        if value is None:
            raise self.wrong(key, "is missing; give a whole number")
        if type(value) is not int or not least <= value <= most:
            raise self.wrong(key, f"is a whole number from {least} to {most}, not {value!r:.60}")
        return value

    def words(self, key: str, default: list[str] | None = None) -> list[str]:
        """Return a list of texts."""
        value: list[Any] = self._get(key, list, default, "a list of texts in quotes")
        for word in value:
            if not isinstance(word, str) or not word or not word.isprintable():
                raise self.wrong(key, f"is a list of texts in quotes; {word!r:.60} is none")
        return value

    def tables(self, key: str, default: Mapping[str, Any] | None = None) -> Iterator[tuple[str, TomlTable]]:
        """Yield the tables below a key, with their names."""
        for name, data in self._get(key, dict, default).items():
            yield name, self._below(key, name, data)

    def list_of(self, key: str, default: list[Any] | None = None) -> Iterator[TomlTable]:
        """Yield the tables of a list."""
        what = f"a list of tables, each of which begins with [[{key}]]"
        for number, data in enumerate(self._get(key, list, default, what)):
            yield self._below(key, number, data)

    def table(self, key: str) -> TomlTable:
        """Return the one table below a key."""
        return TomlTable(self.document, (*self.keys, key), self._get(key, dict, None))

    def _below(self, key: str, name: str | int, data: Any) -> TomlTable:
        keys = (*self.keys, key, name)
        if not isinstance(data, dict):
            raise self.document.wrong(keys, f"is a table, not {data!r:.60}")
        return TomlTable(self.document, keys, data)
