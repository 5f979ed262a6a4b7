"""A scenario file while it is read: its entries, and where each is written, so that a mistake is found.

A scenario may be based on another.  What it says of a path group, a control unit, a volume, a tablespace or
a load then replaces what the other says key by key, and `false` takes one away; everything else it replaces
as a whole.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from zmon.toml import TomlError, parse_toml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MERGED: Final = ("paths", "lcus", "volumes", "tablespaces", "loads")
OWN: Final = ("base", "title", "text", "assumed", "figures")
"""What a scenario never takes from the one that it is based on."""

TYPES: Final = {bool: "true or false", dict: "a table", list: "a list", str: "a text in quotes"}

_HEADING: Final = re.compile(r"\s*(\[\[?)\s*(.+?)\s*\]\]?\s*(?:#.*)?")
_ENTRY: Final = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART: Final = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")
_QUOTES: Final = re.compile(r"\"\"\"|'''")

Keys = tuple[str | int, ...]


class ScenarioError(ValueError):
    """A scenario cannot be used: which file, line and key, what is wrong, and what to do."""


class Page:
    """One file: what it says, and on which line."""

    def __init__(self, text: str, origin: str) -> None:
        """Read it.

        Raises:
            ScenarioError: it is not TOML.
        """
        self.origin = origin
        try:
            self.data: dict[str, Any] = parse_toml(text)
        except TomlError as error:
            raise ScenarioError(f"{origin}: {error}; it is a TOML file, see docs/lab.md") from error
        self.lines = _lines(text)

    def place(self, keys: Keys) -> str:
        """Return where an entry, or else what holds it, is written: `file:line`."""
        for length in range(len(keys), 0, -1):
            line = self.lines.get(keys[:length])
            if line:
                return f"{self.origin}:{line}"
        return self.origin


def _lines(text: str) -> dict[Keys, int]:
    """Return the line of every heading and entry; what stands within braces has that of its entry."""
    found: dict[Keys, int] = {}
    at: Keys = ()
    counts: dict[Keys, int] = {}
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        was, inside = inside, inside ^ (len(_QUOTES.findall(line)) % 2 == 1)
        if was:
            continue
        if heading := _HEADING.fullmatch(line):
            at = _parts(heading[2])
            for length in range(1, len(at)):
                found.setdefault(at[:length], number)
            if heading[1] == "[[":
                counts[at] = counts.get(at, -1) + 1
                found.setdefault(at, number)
                at = (*at, counts[at])
            found.setdefault(at, number)
        elif entry := _ENTRY.match(line):
            found.setdefault((*at, *_parts(entry[1])), number)
    return found


def _parts(said: str) -> Keys:
    return tuple(part.strip("\"'") for part in _PART.findall(said))


class Book:
    """A file and those that it is based on, the first of them first."""

    def __init__(self, pages: list[Page]) -> None:
        """Lay them one on the other."""
        self.pages = pages
        self.data: dict[str, Any] = {}
        for page in pages:
            self.data = {key: said for key, said in self.data.items() if key not in OWN}
            for key, said in page.data.items():
                before = self.data.get(key)
                if key in MERGED and isinstance(before, dict) and isinstance(said, dict):
                    self.data[key] = _merged(before, said)
                else:
                    self.data[key] = said

    def wrong(self, keys: Keys, what: str) -> ScenarioError:
        """Return the error that says what is wrong with an entry, and where it is written last."""
        pages = self.pages[::-1]
        page = next((page for page in pages if keys in page.lines), pages[0])
        if keys not in page.lines:
            page = next((page for page in pages if keys[:2] in page.lines), page)
        name = ".".join(str(key + 1 if isinstance(key, int) else key) for key in keys)
        return ScenarioError(f"{page.place(keys)}: {name}{': ' if name else ''}{what}")

    def top(self) -> Entry:
        """Return the whole as one entry."""
        return Entry(self, (), self.data)


def _merged(before: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    whole = dict(before)
    for name, one in said.items():
        older = whole.get(name)
        if one is False:
            whole.pop(name, None)
        elif isinstance(one, dict) and isinstance(older, dict):
            whole[name] = {key: value for key, value in (older | one).items() if value is not False}
        else:
            whole[name] = one
    return whole


class Entry:
    """A table of a scenario, which gives its values checked."""

    def __init__(self, book: Book, keys: Keys, said: Mapping[str, Any]) -> None:
        self.book = book
        self.keys = keys
        self.said = said

    def __contains__(self, key: str) -> bool:
        return key in self.said

    def wrong(self, key: str, what: str) -> ScenarioError:
        """Return the error that says what is wrong with a value; with the table itself without a key."""
        return self.book.wrong((*self.keys, key) if key else self.keys, what)

    def only(self, *known: str) -> None:
        """Refuse what nobody knows, such as a word with a slip of the pen."""
        for key in self.said:
            if key not in known:
                raise self.wrong(key, f"is not known here; known are {', '.join(known)}")

    def _given(self, key: str, kind: type, default: Any) -> Any:
        if key not in self.said:
            if default is None:
                raise self.wrong(key, f"is missing; give {TYPES[kind]}")
            return default
        said = self.said[key]
        if type(said) is not kind:
            raise self.wrong(key, f"is {TYPES[kind]}, not {said!r:.60}")
        return said

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text, which may have several lines."""
        said: str = self._given(key, str, default)
        if not said.replace("\n", "").isprintable():
            raise self.wrong(key, f"has characters that cannot be printed: {said!r:.60}")
        return said.strip()

    def one_of(self, key: str, words: tuple[str, ...], default: str | None = None) -> str:
        """Return a word out of some."""
        said = self.text(key, default)
        if said not in words:
            raise self.wrong(key, f"is one of {', '.join(words)}, not {said!r:.60}")
        return said

    def flag(self, key: str) -> bool:
        """Return true or false, which it is when it is not given."""
        said: bool = self._given(key, bool, False)
        return said

    def number(self, key: str, default: float | None = None, least: float = 0.0, most: float = 1e9) -> float:
        """Return a number within bounds."""
        said = self.said.get(key, default)
        if said is None:
            raise self.wrong(key, "is missing; give a number")
        if type(said) not in {int, float} or not least <= said <= most:
            raise self.wrong(key, f"is a number from {least:g} to {most:g}, not {said!r:.60}")
        return float(said)

    def whole(self, key: str, default: int | None = None, least: int = 0, most: int = 1_000_000_000) -> int:
        """Return a whole number within bounds."""
        said = self.said.get(key, default)
        if said is None:
            raise self.wrong(key, "is missing; give a whole number")
        if type(said) is not int or not least <= said <= most:
            raise self.wrong(key, f"is a whole number from {least} to {most}, not {said!r:.60}")
        return said

    def words(self, key: str, default: list[str] | None = None) -> list[str]:
        """Return a list of texts."""
        said: list[Any] = self._given(key, list, default)
        for word in said:
            if not isinstance(word, str) or not word or not word.isprintable():
                raise self.wrong(key, f"is a list of texts in quotes; {word!r:.60} is none")
        return said

    def tables(self, key: str, default: Mapping[str, Any] | None = None) -> Iterator[tuple[str, Entry]]:
        """Yield the tables that stand under it, with their names."""
        for name, said in self._given(key, dict, default).items():
            if not isinstance(said, dict):
                raise self.book.wrong((*self.keys, key, name), f"is a table, not {said!r:.60}")
            yield name, Entry(self.book, (*self.keys, key, name), said)

    def list_of(self, key: str, default: list[Any] | None = None) -> Iterator[Entry]:
        """Yield the tables of a list."""
        for number, said in enumerate(self._given(key, list, default)):
            if not isinstance(said, dict):
                raise self.book.wrong((*self.keys, key, number), f"is a table, not {said!r:.60}")
            yield Entry(self.book, (*self.keys, key, number), said)
