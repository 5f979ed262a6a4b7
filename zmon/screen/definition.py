"""Screens are data: one TOML file each, below `screens/`.

A file holds the name of a screen, its place in the menu, its table, and for each column the layout, the name
in exports, the help text and the limits.  The menu, the help, CSV headings and the manual are made from these
files.  A directory of the user's own
(`$XDG_CONFIG_HOME/zmon/screens`) can add screens or replace them by id.

What a figure is called, means and looks like on every screen stands once, in `figures/SORT.toml`, a file for
each sort of things.  A screen that says `figures = ["device", "lcu"]` takes from there what a column of the
same name does not say, from the first file that has it; a column of another name, or of another sort, says
`figure = "lcu.resp"`, one that is none of these `figure = ""`.  The `[defaults]` of a screen are for columns
that are no figures.  Neighbours may be one record: `name = ["pend", "disc", "conn"]`; what it says holds for
all of them, `disc.width = 5` for one.

Of a list, `naming = ["addr", "label"]` are the columns that name what it lists; another screen that is about
one of these things says `about = ["DEVICE"]`, the command of the list.  With `drawn = false` nothing of a
screen can be drawn by time or compared: its rows are checks, conclusions, events, proposals.
"""

from __future__ import annotations

# plain classes: a lookup would wait longer for dataclasses than for the screen's file
import os
import re
from functools import cache, cached_property
from types import MappingProxyType

from zmon.base import own_files
from zmon.base.absent import Absent
from zmon.base.light_typing import TYPE_CHECKING, Any, Final
from zmon.base.limits import BOUNDS, with_numbers
from zmon.base.plain_text import did_you_mean
from zmon.base.record import NamedTuple
from zmon.base.shipped import shipped
from zmon.base.toml import TomlDocument, TomlError, TomlTable, parse_toml
from zmon.screen.number import FORMATS
from zmon.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zmon.base.absent import Value

    Figures = Mapping[str, TomlTable]
    """The figures of a file by their names."""


class ScreenError(ValueError):
    """A screen file that cannot be used: which file, which key, and what is wrong with it."""


class NoScreen(ScreenError):  # noqa: N818 - it says what it is
    """A word that begins no screen's name and is no number of the menu."""


class Limit(NamedTuple):
    """The thresholds of a column: worth a look, and bad."""

    look: float
    bad: float
    why: str

    def mark(self, value: Value) -> str:
        """Return `!` when bad, `*` when worth a look, else a blank."""
        if isinstance(value, (Absent, str)):
            return " "
        return "!" if value > self.bad else "*" if value > self.look else " "


class Picture(NamedTuple):
    """A bar or a curve of a column's values, which a list draws where no figure has to go for it."""

    kind: str
    """`bar`: the value, a percentage; `curve`: the values of the last intervals."""
    of: str
    """The column."""
    behind: str
    """The column behind which it stands."""
    head: str
    width: int


class Described:
    """What a file says of a thing; what it does not say is as the class has it."""

    def __init__(self, **said: Any) -> None:
        """Take the values of the fields by name."""
        vars(self).update(said)


class Column(Described):
    """One column: how it looks and what it means."""

    name: str
    """Its name in a table, in CSV and in JSON."""
    head: tuple[str, ...]
    """The heading, from top to bottom; aligned to the lowest line."""
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
    """Whether a number is aligned left, as text is; `format = "count"` aligns a label right."""
    names: str = ""
    """`lcu`: its texts name LCUs, and a condition takes any name of theirs; `device`: its texts are numbers
    of devices, a condition takes bus ids, too, and it has room for those of other subchannel sets; `number`:
    its numbers only name things or count rows."""
    key: bool = False
    """Whether it names its row together with the first column: of two times, it stays beside that."""
    shown: str = ""
    """The column of the table that is written in its place; exports have its own values."""
    signed: bool = False
    """Whether a positive number has its sign, too: it is a difference."""
    picture: Picture | None = None
    """What is drawn in the place of values, in a column that `layout` adds."""
    trail: int = 0
    """Positions behind the column for the marks of its values; `layout` sees to it."""
    joined: bool = False
    """Whether it is drawn only together with the column before it."""
    rollup: str = ""
    """Read for older screen files, and ignored: `zmon.trends` declares what recordings keep trends of."""


class Screen(Described):
    """One screen as its file describes it."""

    id: str
    command: str
    title: str
    table: str
    columns: tuple[Column, ...] = ()
    shortest: int = 0
    """How many characters of the command are enough, even if others begin with them; 0: it does not say."""
    menu: str = ""
    guidance: str = ""
    help: str = ""
    own: bool = False
    """True when the layout is zmon's own, because none of the original was found."""
    layout: str = "list"
    """`list`: rows under headings; `page`: a form; `menu`: the selection; `chart`: the rows drawn by time;
    `dashboard`: sections laid out in the room there is."""
    form: tuple[str, ...] = ()
    """Lines above the rows (or the whole page), with `{name}` fields of the table's facts."""
    form_formats: Mapping[str, str] = MappingProxyType({})
    form_names: Mapping[str, str] = MappingProxyType({})
    """Short names of facts, for fields that are narrower than the fact's own name."""
    sort: str = ""
    drill: str = ""
    """The command that ENTER gives: with `{key}` for the row, or `{column}`; of a page with `{fact}`."""
    argument: str = ""
    """The operand of the command, in words: `device number`."""
    about: tuple[str, ...] = ()
    """The commands of the lists whose things the operand may name."""
    naming: tuple[str, ...] = ()
    """The columns that name what it lists; its own operand may do so, too."""
    drawn: bool = True
    """Whether its rows can be followed in time, so that they can be drawn and compared."""
    pictures: tuple[Picture, ...] = ()
    """What is drawn beside the figures where there is room, the most important first."""
    items: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    """Menu only: for each section its heading and its (code, text) items."""
    reasons: Mapping[str, str] = MappingProxyType({})
    """Menu only: by its code, why an item has no screen."""
    file: str = ""
    before: int = 0
    """Columns that are hidden on the left, behind the first."""
    behind: int = 0
    """Columns that are hidden on the right."""
    room: int = 0
    """The width that it was made to fit; 0: any."""

    @property
    def is_shipped(self) -> bool:
        """Whether it comes with zmon, and is none of the user's own."""
        return os.path.dirname(self.file) == shipped("screens")

    @property
    def is_of_fleet(self) -> bool:
        """Whether it shows many systems."""
        return os.path.basename(os.path.dirname(self.file)) == "fleet"

    def changed(self, **other: Any) -> Screen:
        """Return the same screen with other values in some of its fields."""
        parts = {name: value for name, value in vars(self).items() if name not in _CACHED}
        return Screen(**parts | other)

    @property
    def spelled(self) -> str:
        """The command with its minimum abbreviation in capitals: `DEVice`."""
        enough = self.shortest or len(self.command)
        return self.command[:enough] + self.command[enough:].lower()

    @cached_property
    def by_name(self) -> Mapping[str, Column]:
        """The columns by their names."""
        return {column.name: column for column in self.columns}

    @property
    def gridded(self) -> bool:
        """Whether it shows rows under headings."""
        return bool(self.columns) and self.layout not in {"chart", "dashboard"}

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


_CACHED: Final = {"by_name", "starts", "width"}
"""What a screen works out from its other fields."""

_TEXTS: Final = {"help", "form", "head"}
"""Keys whose texts may have several lines."""

_SCREEN_KEYS: Final[dict[str, type]] = {
    "id": str, "command": str, "title": str, "table": str, "menu": str, "guidance": str, "help": str,
    "own": bool, "layout": str, "form": str, "form_formats": dict, "form_names": dict, "sort": str,
    "drill": str, "argument": str, "about": list, "naming": list, "drawn": bool, "figures": list,
    "defaults": dict, "column": list, "picture": list, "section": list, "reasons": dict,
}  # fmt: skip

_FIGURE_KEYS: Final[dict[str, type]] = {
    "name": str, "head": str, "width": int, "format": str, "unit": str, "help": str, "source": str,
    "sort": str, "look": float, "bad": float, "why": str, "left": bool, "names": str, "shown": str,
    "key": bool,
}  # fmt: skip

_COLUMN_KEYS: Final = _FIGURE_KEYS | {"figure": str, "group": str, "gap": int, "rollup": str}

_PICTURE_KEYS: Final[dict[str, type]] = {"kind": str, "of": str, "behind": str, "head": str, "width": int}

_SECTION_KEYS: Final[dict[str, type]] = {"title": str, "items": list}

_COMMAND: Final = re.compile(r"(?P<shortest>[A-Z][A-Z0-9]*)(?P<rest>[a-z0-9]*)", re.ASCII)
"""A command: what is in capitals is its minimum abbreviation, and small letters follow: `DEVice`."""

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)
"""What is kept in a data base has a name that needs no quotes there."""

COMMAND_ITEMS: Final = {"3J": "EVENTS", "N": "FLEET"}
"""Items of the menu that are commands, and open no screen."""

OF_ATOP: Final = {"MEM": "STORAGE", "DSK": "DEVICE", "PRC": "UPROC"}
"""What users of atop call screens whose commands begin otherwise."""

LAYOUTS: Final = ("list", "page", "menu", "chart", "dashboard")

PICTURES: Final = ("bar", "curve")

MAX_WIDTH: Final = 200
"""Characters of a column, and of a gap before one, at most."""


def parse_screen(text: str, file: str, *, is_shipped: bool = False) -> Screen:
    """Read one screen from the text of its file; one that comes with zmon may be kept in a parsed form.

    Raises:
        ScreenError: what is wrong, with the file, the line and the key.
    """
    top = TomlDocument(text, file, ScreenError, is_shipped=is_shipped).top()
    top.check(_SCREEN_KEYS, ("id", "command", "title", "table"), _TEXTS)
    for key, allowed in (("form_formats", FORMATS), ("form_names", None)):
        for name, value in top.data.get(key, {}).items():
            if not isinstance(value, str) or (allowed is not None and value not in allowed):
                raise top.wrong(key, f"{name} is {value!r:.60}, which is not known")
    for code, reason in top.data.get("reasons", {}).items():
        if not (isinstance(reason, str) and reason and reason.isprintable()):
            raise top.wrong("reasons", f"{code} is {reason!r:.60}, which is no sentence")
    data = dict(top.data)
    defaults = data.pop("defaults", {})
    figures = [_figures(sort, top, "figures") for sort in top.words("figures", [])]
    columns = tuple(
        _column(entry, defaults, figures)
        for record in top.list_of("column", [])
        for entry in _neighbours(record)
    )
    pictures = tuple(_picture(entry, columns) for entry in top.list_of("picture", []))
    items = tuple(_section(entry) for entry in top.list_of("section", []))
    form = tuple(data.pop("form", "").splitlines())
    command, shortest = _command(data.pop("command"), file)
    others = {"about", "naming", "figures", "column", "picture", "section"}
    fields = {key: value for key, value in data.items() if key not in others}
    about, naming = (tuple(top.words(key, [])) for key in ("about", "naming"))
    screen = Screen(
        **fields, command=command, shortest=shortest, columns=columns, pictures=pictures, form=form,
        items=items, file=file, about=about, naming=naming,
    )  # fmt: skip
    _check_whole(screen, top)
    return screen


def _command(written: str, file: str) -> tuple[str, int]:
    """Return a command in capitals, and how many characters of it are enough; 0 when that is not declared.

    Raises:
        ScreenError: it is no word.
    """
    match = _COMMAND.fullmatch(written)
    if match is None:
        raise ScreenError(f"{file}: command is a word such as DEVice, not {written!r}")
    return written.upper(), len(match["shortest"]) if match["rest"] else 0


def _check_whole(screen: Screen, top: TomlTable) -> None:
    """Raise a ScreenError for what single keys do not show."""
    names = [column.name for column in screen.columns]
    sortable = [column.name for column in screen.columns if column.sort]
    twice = sorted({name for name in names if names.count(name) > 1})
    unnamed = [name for name in screen.naming if name not in names]
    problems = (
        ("column", twice, f"{', '.join(twice)} is there twice"),
        (
            "sort",
            screen.sort not in ("", *sortable),
            f"names no column to sort on: {screen.sort!r}",
        ),
        ("naming", unnamed, f"is of columns of the screen; {', '.join(unnamed)} is none"),
        ("layout", screen.layout not in LAYOUTS, f"is one of {', '.join(LAYOUTS)}, not {screen.layout!r}"),
        ("section", screen.layout == "menu" and not screen.items, "is missing: a menu needs one"),
        ("table", screen.table not in TABLES, f"is one of {', '.join(TABLES)}, not {screen.table!r}"),
        (
            "drill",
            set("{}") & set(_filled(screen.drill, names, screen.layout)),
            f"has no field but {{key}} and columns: {screen.drill!r}",
        ),
    )
    for key, wrong, problem in problems:
        if wrong:
            raise top.wrong(key, problem)


def _filled(drill: str, names: Iterable[str], layout: str) -> str:
    """Return a command without the fields that it may have; a page's are facts, of which there is no list.

    A table whose rows lead to different screens has the command of each as `door`, which no column shows.
    """
    if layout == "page":
        return re.sub(r"\{\w+\}", "", drill)
    for name in ("key", "door", *names):
        drill = drill.replace(f"{{{name}}}", "")
    return drill


def _picture(entry: TomlTable, columns: Sequence[Column]) -> Picture:
    entry.check(_PICTURE_KEYS, tuple(_PICTURE_KEYS))
    picture = Picture(**entry.data)
    names = [column.name for column in columns]
    for key, allowed in (("kind", PICTURES), ("of", names), ("behind", names)):
        if entry.data[key] not in allowed:
            raise entry.wrong(key, f"is one of {', '.join(allowed)}, not {entry.data[key]!r:.60}")
    if not 1 <= picture.width <= MAX_WIDTH:
        raise entry.wrong("width", f"is 1 to {MAX_WIDTH}, not {picture.width}")
    return picture


def _section(entry: TomlTable) -> tuple[str, tuple[tuple[str, str], ...]]:
    entry.check(_SECTION_KEYS, ("title", "items"))
    for item in entry.data["items"]:
        pair = isinstance(item, list) and len(item) == 2
        if not (pair and all(isinstance(word, str) and word and word.isprintable() for word in item)):
            raise entry.wrong("items", f"{item!r:.60} is no [code, text]")
    return entry.data["title"], tuple((code, text) for code, text in entry.data["items"])


def _neighbours(record: TomlTable) -> Iterator[TomlTable]:
    """Yield the columns of a record: one, or one for each name of a list, with what is said of it alone.

    Raises:
        ScreenError: something is said of a column that is not there.
    """
    names = record.data.get("name")
    if not (names and isinstance(names, list)):
        yield record
        return
    shared = {key: value for key, value in record.data.items() if not isinstance(value, dict)}
    for key in record.data.keys() - shared.keys() - set(record.words("name")):
        raise record.wrong(key, f"is no column of this record, which are {', '.join(names)}")
    for name in names:
        own = record.data[name] if name not in shared and name in record else {}
        yield TomlTable(record.document, (*record.keys, name), {**shared, **own, "name": name})


def _figures(sort: str, entry: TomlTable, key: str) -> Figures:
    """Return the figures of a sort of things, which an entry of a screen names.

    Raises:
        ScreenError: there is no such sort; says which are called much like it.
    """
    folder = shipped("figures")
    file = os.path.join(folder, f"{sort}.toml")
    if not (_NAME.fullmatch(sort) and os.path.exists(file)):
        sorts = [os.path.basename(path).removesuffix(".toml") for path in _files(folder)]
        guess = did_you_mean(sort, sorts) or f"; there are {', '.join(sorts)}"
        raise entry.wrong(key, f"{sort!r:.60} is no sort of figures{guess}")
    return _figures_of(file)


@cache
def _figures_of(file: str) -> Figures:
    """Return the figures of a file, with its defaults; each is checked by who wants it.

    Raises:
        ScreenError: see `parse_screen`.
    """
    top = TomlDocument(_text(file), file, ScreenError, is_shipped=True).top()
    top.only("defaults", "figure")
    defaults = top.data.get("defaults", {})
    figures = {}
    for entry in top.list_of("figure"):
        name = entry.text("name")
        figures[name] = TomlTable(top.document, entry.keys, defaults | dict(entry.data))
    return figures


def _figure(entry: TomlTable, figures: Iterable[Figures]) -> Mapping[str, Any]:
    """Return what is said of the figure that a column says it is, or bears the name of; empty: of none.

    Raises:
        ScreenError: there is no such figure, or something is wrong with it.
    """
    if "figure" in entry:
        figure = _named_figure(entry)
    else:
        name = entry.data["name"]
        figure = next((sort[name] for sort in figures if name in sort), None)
    if figure is None:
        return {}
    figure = _with_limits(figure)
    figure.check(_FIGURE_KEYS, ("name",), _TEXTS)
    return figure.data


def _named_figure(entry: TomlTable) -> TomlTable | None:
    """Return the figure that a column says it is; None where it says that it is none."""
    named = entry.data["figure"]
    if not named:
        return None
    sort, _, name = named.partition(".")
    figures = _figures(sort, entry, "figure")
    if name not in figures:
        guess = did_you_mean(name, figures, f"{sort}.") or f"; it is SORT.NAME, such as {sort}.{min(figures)}"
        raise entry.wrong("figure", f"{named!r:.60} is no figure{guess}")
    return figures[name]


def _with_limits(entry: TomlTable) -> TomlTable:
    """Return a record with the numbers of the shared limits that it names.

    Raises:
        ScreenError: there is no limit of a name.
    """
    return (
        entry
        if BOUNDS.isdisjoint(entry.data)
        else TomlTable(entry.document, entry.keys, with_numbers(entry, entry.data))
    )


def _column(entry: TomlTable, defaults: dict[str, Any], figures: Sequence[Figures]) -> Column:
    entry = _with_limits(entry)
    entry.check(_COLUMN_KEYS, ("name",), _TEXTS)
    figure = _figure(entry, figures)
    said = {**(figure or defaults), **entry.data}
    if figures and not figure and not {"head", "figure"} & said.keys():
        guess = did_you_mean(said["name"], [name for sort in figures for name in sort])
        raise entry.wrong("name", f"{said['name']!r:.60} is no figure here{guess or ', and has no head'}")
    whole = TomlTable(entry.document, entry.keys, said)
    whole.check(_COLUMN_KEYS, ("name", "format", "width"), _TEXTS)
    data = {key: value for key, value in said.items() if key != "figure"}
    look, bad, why = data.pop("look", None), data.pop("bad", None), data.pop("why", "")
    if (look is None) != (bad is None):
        raise whole.wrong("look" if bad is None else "bad", "needs both look and bad, or neither")
    limit = None if look is None else Limit(float(look), float(bad), why)
    column = Column(**data | {"head": tuple(data.get("head", "").split("\n")), "limit": limit})
    rollup = column.rollup and not (_NAME.fullmatch(column.rollup) and _NAME.fullmatch(column.name))
    problems = (
        ("format", column.format not in FORMATS, f"is one of {', '.join(FORMATS)}"),
        ("sort", column.sort not in {"", "asc", "desc"}, "is asc, desc or empty"),
        ("names", column.names not in {"", "lcu", "number", "device"}, "is lcu, number, device or empty"),
        ("rollup", rollup, "is seconds, label or the name of a rate"),
        ("width", not 1 <= column.width <= MAX_WIDTH, f"is 1 to {MAX_WIDTH}"),
        ("gap", not 1 <= column.gap <= MAX_WIDTH, f"is 1 to {MAX_WIDTH}"),
    )
    for key, wrong, allowed in problems:
        if wrong:
            raise whole.wrong(key, f"{allowed}, not {getattr(column, key)!r:.60}")
    return column


INCOMPLETE: Final = "the installation is incomplete"


def own_screens() -> str:
    """Return the directory of the user's own screens, whether it exists or not."""
    return os.path.join(own_files.config(os.environ), "screens")


class ScreenHead(Described):
    """A screen file of which only the head was read, so that it can be found."""

    id: str
    command: str
    shortest: int
    menu: str
    text: str
    file: str


def parse_head(text: str, file: str) -> ScreenHead:
    """Read the head of a screen file: the keys before its first table.

    Raises:
        ScreenError: what is wrong, with the file and the key.
    """
    head = text.partition("\n[")[0]
    try:
        data = parse_toml(head)
    except TomlError:  # a bracket in a text; or it is broken, which reading all of it says better
        data = TomlDocument(text, file, ScreenError).data
    for key in ("id", "command"):
        if not isinstance(data.get(key), str):
            raise ScreenError(f"{file}: {key} is missing or not a text")
    command, shortest = _command(data["command"], file)
    menu = str(data.get("menu", ""))
    return ScreenHead(id=data["id"], command=command, shortest=shortest, menu=menu, text=text, file=file)


class Screens:
    """All screens there are, found by command, by menu code or by FCX number."""

    def __init__(self, screens: Iterable[Screen | ScreenHead], folder: str = "") -> None:
        """Hold these screens; of two with the same id the later wins.

        In a `folder` where files are named after their commands, a screen is read by its command alone, and
        `screens` only when something else is asked for.
        """
        self._unread = screens
        self._folder = folder
        self._by_command: dict[str, Screen] = {}
        """Screens that were read by their commands."""

    @cached_property
    def _by_id(self) -> dict[str, Screen | ScreenHead]:
        screens = {screen.id: screen for screen in self._by_command.values()}
        return {screen.id: screens.get(screen.id, screen) for screen in self._unread}

    def _read(self, command: str) -> Screen | None:
        """Return the screen whose file is named after a command; None where it cannot be found so."""
        if (
            command not in self._by_command
            and command.isalnum()
            and self._folder
            and "_by_id" not in vars(self)
        ):
            file = os.path.join(self._folder, f"{command.lower()}.toml")
            if os.path.exists(file):
                screen = parse_screen(_text(file), file, is_shipped=True)
                if screen.command == command:
                    self._by_command[command] = screen
        return self._by_command.get(command)

    def __iter__(self) -> Iterator[Screen]:
        return map(self._whole, list(self._by_id))

    def _whole(self, ident: str) -> Screen:
        """Return a screen, and read the rest of its file if need be."""
        kept = self._by_id[ident]
        if isinstance(kept, ScreenHead):
            is_shipped = os.path.dirname(kept.file) == shipped("screens")
            screen = parse_screen(kept.text, kept.file, is_shipped=is_shipped)
            kept = self._by_id[ident] = screen if is_shipped else _like_shipped(screen)
        return kept

    def check_own(self) -> None:
        """Read the user's own screens whole, so that a mistake in one is told at once.

        Raises:
            ScreenError: see `parse_screen`.
        """
        if not self._folder:  # else there are none
            for screen in list(self._by_id.values()):
                if os.path.dirname(screen.file) == own_screens():
                    self._whole(screen.id)

    @property
    def menu_commands(self) -> dict[str, str]:
        """The command of each menu code that has a screen, or is a command."""
        return COMMAND_ITEMS | {
            screen.menu.upper(): screen.command for screen in self._by_id.values() if screen.menu
        }

    def limits(self) -> dict[str, tuple[float, float]]:
        """Return the limits of all columns that have one: look and bad, by `table.column`."""
        return {
            f"{screen.table}.{column.name}": (column.limit.look, column.limit.bad)
            for screen in self
            for column in screen.columns
            if column.limit is not None
        }

    @property
    def commands(self) -> list[str]:
        """The commands of all screens."""
        return [screen.command for screen in self._by_id.values()]

    def find(self, word: str) -> Screen:
        """Return the screen that a command word, a menu code or an FCX number names.

        A command may be shortened to its minimum abbreviation, others as long as one screen alone is meant.

        Raises:
            ScreenError: several screens are meant, or a part of the original's menu that zmon does not have.
            NoScreen: no screen is meant; says which are called much like it.
        """
        wanted = word.upper()
        if (read := self._read(wanted)) is not None:
            return read
        screens = self._by_id.values()
        for screen in screens:
            if wanted in {screen.command, screen.id} or (screen.menu and wanted == screen.menu.upper()):
                return self._whole(screen.id)
        begun = [s for s in screens if wanted and s.command.startswith(wanted)]
        enough = [s for s in begun if s.shortest and len(wanted) >= s.shortest]
        for meant in (enough, begun):
            if len(meant) == 1:
                return self._whole(meant[0].id)
        if begun:
            raise ScreenError(f"{word!r} may mean {' or '.join(sorted(s.command for s in begun))}")
        if wanted in OF_ATOP:
            return self.find(OF_ATOP[wanted])
        missing = self._missing(wanted)
        if missing:
            raise ScreenError(f"{missing} ({wanted}) is not in zmon{self._why(wanted)}")
        guess = did_you_mean(word, self.commands)
        raise NoScreen(f"{word!r} is no screen{guess or '; MENU lists them'}")

    def _missing(self, code: str) -> str:
        """Return the text of the item of a menu that has this code."""
        menus = [screen for screen in self if screen.layout == "menu"]
        items = {item.upper(): text for menu in menus for _, section in menu.items for item, text in section}
        if code in COMMAND_ITEMS:
            return ""
        return items.get(code, "").rstrip("*")

    def _why(self, code: str) -> str:
        """Return why an item has no screen, to follow a sentence."""
        reasons = (screen.reasons.get(code, "") for screen in self if screen.layout == "menu")
        return next((f". {reason}" for reason in reasons if reason), "")


def load_screens(*folders: str, whole: bool = True) -> Screens:
    """Load all screens from the given directories, by default the shipped ones and the user's.

    Unless they are wanted whole, each file is read only when its screen is asked for.

    Raises:
        ScreenError: a file cannot be read or used.
    """
    own = list(_files(own_screens())) if not folders else []
    if not whole and not folders and not own:  # else one of the user's may replace what a file is named after
        return Screens(_heads(shipped("screens")), shipped("screens"))
    read = _own if whole else parse_head
    files = [file for folder in folders or (shipped("screens"),) for file in _files(folder)] + own
    if not files:
        raise ScreenError(f"no screens found in {', '.join(folders) or shipped('screens')}: {INCOMPLETE}")
    return Screens([read(_text(file), file) for file in files])


def _own(text: str, file: str) -> Screen:
    screen = parse_screen(text, file)
    return screen if os.path.dirname(file) == shipped("screens") else _like_shipped(screen)


def _like_shipped(screen: Screen) -> Screen:
    """Return a user's own screen with what it is about, names and draws as the shipped one of its table.

    So it is unless it says something else.
    """
    if screen.about or screen.naming or "drawn" in vars(screen):
        return screen
    line = f'\ntable = "{screen.table}"\n'
    head = next((head for head in _heads(shipped("screens")) if line in head.text), None)
    if head is None:
        return screen
    like = parse_screen(head.text, head.file, is_shipped=True)
    naming = tuple(name for name in like.naming if name in screen.by_name)
    return screen.changed(about=like.about, naming=naming, drawn=like.drawn)


def _heads(folder: str) -> Iterator[ScreenHead]:
    """Yield the heads of the screens of a directory."""
    file = ""
    for file in _files(folder):
        yield parse_head(_text(file), file)
    if not file:
        raise ScreenError(f"no screens found in {folder}: {INCOMPLETE}")


def _files(folder: str) -> Iterator[str]:
    """Yield the screen files of a directory, which need not exist."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".toml"))
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise ScreenError(f"{folder}: cannot be read: {error.strerror}") from error
    for name in names:
        yield os.path.join(folder, name)


def _text(file: str) -> str:
    try:
        with open(file, encoding="utf-8") as stream:
            return stream.read()
    except OSError as error:
        raise ScreenError(f"{file}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ScreenError(f"{file}: is not UTF-8 at byte {error.start}") from error
