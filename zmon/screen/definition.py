"""Screens are data: one TOML file each, below `screens/`.

A file says what a screen is called, where it stands in the menu, which table fills it and how each
column looks, is named in exports, is explained and when it deserves attention.  The menu, the
help, CSV headings and the manual all come from there.  A directory of the user's own
(`$XDG_CONFIG_HOME/zmon/screens`) can add screens or replace them by id.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from zmon.absent import Absent
from zmon.screen.number import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from zmon.absent import Value


class ScreenError(ValueError):
    """A screen file that cannot be used: which file, which key, and what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Limit:
    """From which value on a number deserves a look, and from which it is bad."""

    look: float
    bad: float
    why: str

    def mark(self, value: Value) -> str:
        """Return `!` when bad, `*` when worth a look, else a blank."""
        if isinstance(value, (Absent, str)):
            return " "
        return "!" if value > self.bad else "*" if value > self.look else " "


@dataclass(frozen=True, slots=True)
class Column:
    """One column: how it looks and what it means."""

    name: str
    """Its name in a table, in CSV and in JSON."""
    head: tuple[str, ...]
    """The heading, from top to bottom; it stands on the lowest lines."""
    width: int
    format: str
    unit: str = ""
    help: str = ""
    source: str = ""
    group: str = ""
    """The text that spans this column and its neighbours of the same group."""
    gap: int = 1
    """Blanks before the column."""
    sort: str = "desc"
    """`desc` or `asc`: which end comes first; empty when it cannot be sorted on."""
    limit: Limit | None = None
    left: bool = False
    """Text stands left; a label can be set right with `format = "count"`."""


@dataclass(frozen=True)
class Screen:
    """One screen as its file describes it."""

    id: str
    command: str
    title: str
    table: str
    columns: tuple[Column, ...]
    menu: str = ""
    guidance: str = ""
    help: str = ""
    own: bool = False
    """True when the layout is zmon's own, because none of the original was found."""
    layout: str = "list"
    """`list`: rows under headings; `page`: a form; `menu`: the selection."""
    form: tuple[str, ...] = ()
    """Lines above the rows (or the whole page), with `{name}` fields of the table's facts."""
    form_formats: Mapping[str, str] = field(default_factory=dict)
    form_names: Mapping[str, str] = field(default_factory=dict)
    """Short names of facts, for fields that are narrower than the fact's own name."""
    sort: str = ""
    drill: str = ""
    """The command that ENTER on a row gives, with `{key}` for the row."""
    argument: str = ""
    """What may stand behind the command, in words: `device number`."""
    items: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    """Menu only: for each section its heading and its (code, text) items."""
    file: str = ""

    @cached_property
    def by_name(self) -> Mapping[str, Column]:
        """The columns by their names."""
        return {column.name: column for column in self.columns}

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The position of each column, counted from 0; position 0 of a line is never used."""
        at = 0
        starts = []
        for column in self.columns:
            at += column.gap
            starts.append(at)
            at += column.width
        return tuple(starts)

    @cached_property
    def width(self) -> int:
        """The width of a whole line."""
        rows = self.starts[-1] + self.columns[-1].width if self.columns else 0
        return max([rows, *(len(line) for line in self.form)], default=0)


_COLUMN_KEYS: Final = {f for f in Column.__dataclass_fields__ if f != "limit"} | {"look", "bad", "why"}
_SCREEN_KEYS: Final = set(Screen.__dataclass_fields__) - {"columns", "file", "items"} | {
    "column", "defaults", "section",
}  # fmt: skip


def parse_screen(text: str, file: str) -> Screen:
    """Read one screen from the text of its file.

    Raises:
        ScreenError: what is wrong, with the file and the key.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ScreenError(f"{file}: {error}") from error
    unknown = set(data) - _SCREEN_KEYS
    if unknown:
        known = ", ".join(sorted(_SCREEN_KEYS))
        raise ScreenError(f"{file}: unknown key {min(unknown)!r}; known are {known}")
    for key in ("id", "command", "title", "table"):
        if not isinstance(data.get(key), str):
            raise ScreenError(f"{file}: {key} is missing or not a text")
    defaults = data.pop("defaults", {})
    columns = tuple(_column({**defaults, **entry}, file) for entry in data.pop("column", []))
    sections = tuple(
        (part["title"], tuple((code, label) for code, label in part["items"]))
        for part in data.pop("section", [])
    )
    form = tuple(data.pop("form", "").splitlines())
    sort = data.get("sort", "")
    if sort and sort not in {c.name for c in columns}:
        raise ScreenError(f"{file}: sort names no column: {sort!r}")
    return Screen(**data, columns=columns, form=form, items=sections, file=file)


def _column(entry: dict[str, Any], file: str) -> Column:
    name = entry.get("name", "?")
    unknown = set(entry) - _COLUMN_KEYS
    if unknown:
        raise ScreenError(f"{file}: column {name!r} has the unknown key {min(unknown)!r}")
    look, bad, why = entry.pop("look", None), entry.pop("bad", None), entry.pop("why", "")
    if (look is None) != (bad is None):
        raise ScreenError(f"{file}: column {name!r} needs both look and bad, or neither")
    limit = None if look is None else Limit(float(look), float(bad), why)
    head = entry.pop("head", "")
    lines = tuple(head.split("\n")) if isinstance(head, str) else tuple(head)
    try:
        column = Column(**entry, head=lines, limit=limit)
    except TypeError as error:
        raise ScreenError(f"{file}: column {name!r}: {error}") from error
    if column.format not in FORMATS:
        known = ", ".join(FORMATS)
        raise ScreenError(
            f"{file}: column {name!r} has the unknown format {column.format!r}; known are {known}"
        )
    if column.sort not in {"", "asc", "desc"}:
        raise ScreenError(f"{file}: column {name!r}: sort is asc, desc or empty, not {column.sort!r}")
    return column


def shipped(folder: str) -> str:
    """Return the directory of the data that come with zmon: `screens` or `recordings`.

    In a checkout it lies beside the package, in an installation inside it.
    """
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    inside = os.path.join(package, folder)
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(package), folder)


def own_screens() -> str:
    """Return the directory of the user's own screens, whether it exists or not."""
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(config, "zmon", "screens")


class Screens:
    """All screens there are, found by command, by menu code or by FCX number."""

    def __init__(self, screens: Iterable[Screen]) -> None:
        """Hold these screens; of two with the same id the later wins."""
        self._by_id = {screen.id: screen for screen in screens}

    def __iter__(self) -> Iterator[Screen]:
        return iter(self._by_id.values())

    def find(self, word: str) -> Screen:
        """Return the screen that a command word, a menu code or an FCX number names.

        A command may be shortened as long as it stays unambiguous.

        Raises:
            ScreenError: no screen or several are meant; says which exist.
        """
        wanted = word.upper()
        for screen in self:
            if wanted in {screen.command, screen.id} or (screen.menu and wanted == screen.menu.upper()):
                return screen
        begun = [s for s in self if wanted and s.command.startswith(wanted)]
        if len(begun) == 1:
            return begun[0]
        known = ", ".join(sorted(s.command for s in (begun or self)))
        problem = "means several screens" if begun else "is no screen"
        raise ScreenError(f"{word!r} {problem}; there are {known}")


def load_screens(*folders: str) -> Screens:
    """Load all screens from the given directories, by default the shipped ones and the user's.

    Raises:
        ScreenError: a file cannot be read or used.
    """
    screens = []
    for folder in folders or (shipped("screens"), own_screens()):
        try:
            names = sorted(n for n in os.listdir(folder) if n.endswith(".toml"))
        except FileNotFoundError:
            continue
        for name in names:
            file = os.path.join(folder, name)
            try:
                with open(file, encoding="utf-8") as stream:
                    text = stream.read()
            except (OSError, UnicodeDecodeError) as error:
                raise ScreenError(f"{file}: cannot be read: {error}") from error
            screens.append(parse_screen(text, file))
    if not screens:
        looked = ", ".join(folders) or shipped("screens")
        raise ScreenError(f"no screens found in {looked}: the installation is incomplete")
    return Screens(screens)
