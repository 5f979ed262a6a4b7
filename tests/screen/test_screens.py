"""What must be true of every screen file that comes with zmon."""

from __future__ import annotations

import os
import re
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

from zmon.base.shipped import shipped
from zmon.kinds import KINDS
from zmon.machine.view import View
from zmon.screen.definition import Screen, load_screens
from zmon.screen.sheet import headings, natural
from zmon.tables.diagnosed import DOORS
from zmon.tables.filled import definition, fill, with_figures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from zmon.base.absent import Value
    from zmon.interval import Interval
    from zmon.sample import Kind
    from zmon.tables.table import Table

SCREENS = sorted(load_screens(shipped("screens")), key=lambda screen: screen.id)
every = pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.command)

FCX107 = (
    " CHPID  Chan-Group     <%Busy>   <---- Channel %Busy Distribution 13:29:03-14:0",
    " (Hex)  Descr   Qual   Cur Ave   0-10 11-20 21-30 31-40 41-50 51-60 61-70 71-80",
)
FCX108 = (
    " <-- Device Descr. --> Mdisk Pa- <-Rate/s-> <------- Time (msec) -------> Req.",
    " Addr Type    Label/ID Links ths  I/O Avoid Pend Disc Conn Serv Resp CUWt Qued",
)
FCX177 = (
    " <--Device Descr.-> Stg  C D D    <--------- Rate/s ----------> <--------------",
    "                    Ctlr A F U    Total Total  Read  Read Write",
    " Addr Type   VOLSER ID   C W L ST Cache SCMBK N-Seq  Seq     FW Read Tot RdHt W",
)


@pytest.mark.usefixtures("utc")
@pytest.mark.parametrize(("command", "known"), [("CHANNEL", FCX107), ("DEVICE", FCX108), ("CACHEXT", FCX177)])
def test_the_left_79_columns_are_the_originals(command: str, known: tuple[str, ...]) -> None:
    """Headings that were seen on the original stand here character for character, but for a wider type."""
    screen = load_screens(shipped("screens")).find(command)
    begin, end = 48_543 * 10**9, 50_823 * 10**9
    drawn = headings(screen, natural(screen), {"begin": begin, "end": end})[1:]
    assert tuple(line[:79].rstrip() for line in drawn) == known


def argument(screen: Screen) -> str:
    """Return what a screen may be about on the machine of `full_interval`."""
    others = {
        "CHECK": "B17",
        "PLOT": "device.resp 0.0.7000",
        "CORREL": "device.resp 0.0.7000",
        "FILES": "",
        "CHANLOG": "70",
        "CTLULOG": "2482",
        "PAVLOG": "2482",
        "DASDSTAT": "0 TOTAL",
        "LPARLOG": "A",
        "PROCLOG": "0",
        "UPROC": "0",
        "UDETAIL": "0",
    }
    return others.get(screen.command, "7000") if screen.argument else ""


@every
def test_every_column_is_explained(screen: Screen) -> None:
    """F1 has something to say: what it is and where it comes from."""
    assert [c.name for c in screen.columns if not c.help.strip() or not c.source] == []


@every
def test_no_column_takes_the_name_of_what_exports_add(screen: Screen) -> None:
    """The key of a row, and begin and end of the interval."""
    assert {"key", "from", "to"} & set(screen.by_name) == set()


@every
def test_every_limit_gives_its_reason(screen: Screen) -> None:
    """A limit without a reason is an opinion."""
    assert [
        c.name for c in screen.columns if c.limit and not (c.limit.why and c.limit.look < c.limit.bad)
    ] == []


@every
def test_no_heading_is_wider_than_its_column(screen: Screen) -> None:
    """It would write over its neighbour; only a group's first word may reach over its group."""
    wide = [c.name for c in screen.columns if len(c.head[-1]) > c.width]
    assert wide == []


@every
def test_the_table_gives_every_column(screen: Screen, full_interval: Interval) -> None:
    """A column that no table fills would be dots for ever."""
    if screen.layout != "menu":
        view = View(full_interval, argument=argument(screen))
        table = with_figures(screen.table, view, fill(screen.table, view), screen.by_name)
        assert [c.name for c in screen.columns if c.name not in table.columns] == []


@every
def test_the_table_gives_every_fact_of_the_form(screen: Screen, full_interval: Interval) -> None:
    """A field of a form that no table fills would be blank for ever."""
    table = fill(screen.table, View(full_interval, argument=argument(screen)))
    names = {name for line in screen.form for name in re.findall(r"\{(\w+)", line)}
    assert {screen.form_names.get(name, name) for name in names} - set(table.facts) == set()


@every
def test_formats_and_short_names_are_used(screen: Screen) -> None:
    """Nothing stands in a screen file in vain."""
    groups = "".join(c.group for c in screen.columns)
    fields = set(re.findall(r"\{(\w+)", "\n".join(screen.form) + groups))
    assert set(screen.form_names) - fields == set()
    assert set(screen.form_formats) - {screen.form_names.get(n, n) for n in fields} == set()


@every
def test_a_form_is_not_wider_than_the_glass(screen: Screen) -> None:
    """What stands above rows does not scroll to the side."""
    assert [line for line in screen.form if len(line) > 79] == []


@every
def test_ids_commands_and_menu_codes_are_ones_own(screen: Screen) -> None:
    """Two screens never answer to the same word."""
    words = [w for s in SCREENS for w in (s.id, s.command, s.menu) if w and s is not screen]
    assert {screen.id, screen.command, screen.menu} & set(words) == set()


@every
def test_a_way_leads_deeper_only_to_a_screen(screen: Screen) -> None:
    """ENTER on a row opens a screen that there is, or goes to the worst interval of an exception.

    Rows of OVERVIEW have commands of their own; an LCU leads to who uses it, or to its devices; a network
    card to its channel path or PCI function.
    """
    ways = {
        "diagnosis": tuple(DOORS.values()),
        "control_unit": ("USERIO lcu=7600", "DEVICE cu=7600"),
        "network": ("CHANNEL chpid=4e", "PCI"),
        "pci": ("DEVICE nvme0n1", "NETWORK"),
        "user": ("UDETAIL db2inst1", "USERIO unit=not accounted for"),
        "user_disk": ("UDETAIL db2inst1", "DEVICE 7600"),
        "user_details": ("DEVICE 7600", "UPROC 4711", "FILES /db/data"),
    }
    for way in ways.get(screen.table, (screen.drill,)):
        known = way in {"", "WORST {key}", "{command}"}
        assert known or load_screens(shipped("screens")).find(way.split()[0]).id


def test_every_code_of_a_screen_stands_in_the_menu() -> None:
    """In its section: what zmon comes with does not stand among "Other screens", as a user's own does."""
    menu = load_screens(shipped("screens")).find("MENU")
    codes = {code for _, items in menu.items for code, _ in items}
    homeless = {screen.menu: screen.command for screen in SCREENS if screen.menu and screen.menu not in codes}
    assert homeless == {}, "add [code, text] of each to the items of a section of screens/menu.toml"


def test_a_file_is_named_after_its_command() -> None:
    """Whoever looks for a screen finds its file."""
    assert {os.path.basename(s.file) for s in SCREENS} == {f"{s.command.lower()}.toml" for s in SCREENS}


@pytest.fixture
def full_interval(make_interval: Callable[..., Interval]) -> Interval:
    """Return an interval with one row of every kind."""
    keys = {"block": "dasda", "machine": "machine", "channel": "0.70", "lpar": "A", "lpar_cpu": "A/0"}
    keys |= dict.fromkeys(("device", "cmf", "cache", "dasd"), "0.0.7000")
    rows: dict[Kind, dict[str, dict[str, Value]]] = {
        kind: {keys.get(kind.name, "0"): {}} for kind in KINDS.values()
    }
    rows[KINDS["device"]]["0.0.7000"] = {"online": 1, "uid": "IBM.7500000000.2482.00"}
    return make_interval(rows, rows)


@pytest.mark.parametrize(
    "screen",
    [s for s in SCREENS if any(figure.trend for figure in definition(s.table).figures.values())],
    ids=lambda s: s.command,
)
def test_trends_are_made_of_the_figures_on_the_screen(screen: Screen, full_interval: Interval) -> None:
    """What a table returns for trends is what it shows."""
    shown = fill(screen.table, View(full_interval))
    trend: Table = definition(screen.table).trend(full_interval)
    assert set(trend.keys) <= set(shown.keys)
    assert trend.keys
    rows = [shown.keys.index(key) for key in trend.keys]
    names = trend.columns.keys() & screen.by_name.keys()
    assert names
    for name in names:
        assert trend.columns[name] == [shown.columns[name][row] for row in rows]


FIGURES: Final = {
    f"{path.stem}.{figure['name']}": document.get("defaults", {}) | figure
    for path in Path(shipped("figures")).glob("*.toml")
    if (document := tomllib.loads(path.read_text()))
    for figure in document["figure"]
}
"""What is said of each figure."""


class Said(NamedTuple):
    """What a screen file says of a column: of it and its neighbours, of it alone; and which figure it is."""

    place: str
    shared: Mapping[str, Any]
    own: Mapping[str, Any]
    figure: str


def records() -> Iterator[list[Said]]:
    """Yield each record of all screen files: what it says of its columns."""
    folders = map(Path, map(shipped, ("screens", "screens/fleet")))
    for path in (path for folder in folders for path in sorted(folder.glob("*.toml"))):
        document = tomllib.loads(path.read_text())
        for record in document.get("column", []):
            shared = {key: value for key, value in record.items() if not isinstance(value, dict)}
            listed = shared.pop("name")
            names = [listed] if isinstance(listed, str) else listed
            columns = []
            for name in names:
                own = said if isinstance(said := record.get(name), dict) else {}
                by_name = (f"{sort}.{name}" for sort in document.get("figures", []))
                figure = next((figure for figure in by_name if figure in FIGURES), "")
                figure = own.get("figure", shared.get("figure", figure))
                columns.append(Said(f"{path.stem}.{name}", shared, own, figure))
            yield columns


def test_no_column_repeats_what_its_figure_says() -> None:
    """A screen says only what differs there; what neighbours share differs for one of them at least."""
    repeated: dict[str, Any] = {}
    for columns in records():
        figures = [FIGURES.get(column.figure, {}).items() for column in columns]
        for column, of in zip(columns, figures, strict=True):
            repeated[column.place] = {
                (key, value) for key, value in column.own.items() & of if key not in column.shared
            }
        repeated[f"{columns[0].place} ..."] = columns[0].shared.items() & set.intersection(*map(set, figures))
    assert {place: said for place, said in repeated.items() if said} == {}


def test_every_figure_is_on_a_screen() -> None:
    """A file of figures has none that no screen names."""
    assert FIGURES.keys() - {column.figure for columns in records() for column in columns} == set()


def test_what_two_screens_show_is_a_figure() -> None:
    """No column that is none has the name, the heading, the unit and the help of another one."""
    places = defaultdict(list)
    for column in (column for columns in records() for column in columns if not column.figure):
        said = [{**column.shared, **column.own}.get(key) for key in ("head", "unit", "help")]
        places[column.place.rpartition(".")[2], *said].append(column.place)
    assert [columns for columns in places.values() if len(columns) > 1] == []
