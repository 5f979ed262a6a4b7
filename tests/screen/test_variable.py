"""What people write for columns and rows."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.goldens import compare, refusals
from tests.tables.disks import watch
from zmon.base.shipped import shipped
from zmon.machine.figure import Variable
from zmon.machine.view import NoSuchThing
from zmon.screen.definition import load_screens, parse_screen
from zmon.screen.variable import VariableError, described, listed, names, parse, resolve, with_headings
from zmon.tables.table import Table

if TYPE_CHECKING:
    from zmon.base.absent import Value

SCREENS = load_screens(shipped("screens"))


def read(words: str) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return what is meant: command, column and rows."""
    return [(one.screen.command, one.column, one.rows) for one in parse(words.split(), SCREENS)]


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("DEVICE", [("DEVICE", "resp", ())]),
        ("13", [("DEVICE", "resp", ())]),
        ("device.io 7000", [("DEVICE", "io", ("7000",))]),
        ("DEVICE.io 0.0.7000 0.0.7001", [("DEVICE", "io", ("0.0.7000", "0.0.7001"))]),
        ("DEVICE.io,resp 7000", [("DEVICE", "io", ("7000",)), ("DEVICE", "resp", ("7000",))]),
        ("DEVICE.io 7000 CPU.busy", [("DEVICE", "io", ("7000",)), ("CPU", "busy", ())]),
        ("control_unit.io 2482", [("CTLUNIT", "io", ("2482",))]),
        ("REDISP.busy", [("REDISP", "busy", ())]),
        ("DETAILS.resp 7000", [("DETAILS", "resp", ("7000",))]),
    ],
)
def test_columns_come_with_the_rows_behind_them(
    words: str, meant: list[tuple[str, str, tuple[str, ...]]]
) -> None:
    """By the screen's command, number or table."""
    assert read(words) == meant


def test_what_is_no_column_says_what_there_is() -> None:
    """A person can go on from there: tests/golden/said/variables.txt."""
    texts = (
        "",
        "NONSENSE.io",
        "DEVICE.nonsense",
        "DEVICE.label",
        "DETAILS.nonsense",
        "DETAILS.resq",
        "MENU",
        "PLOT.mean",
        "MOVES",
        "LPAR.number",
    )
    compare("said/variables", refusals(VariableError, read, texts))


@given(st.lists(st.text(max_size=12), max_size=4))
def test_whatever_is_typed_is_read_or_refused(words: list[str]) -> None:
    """With a sentence, and never another exception."""
    with contextlib.suppress(VariableError):
        parse(words, SCREENS)


def resolved(words: str) -> list[Variable]:
    """Return the variables that are meant on a machine with two disks, of which sdb answers in time."""
    interval = watch({"sda": [3], "sdb": [4]}).interval
    assert interval is not None
    return resolve(parse(words.split(), SCREENS), interval)


def test_rows_go_by_key_or_label() -> None:
    """And are called by their keys from then on."""
    assert resolved("DEVICE.io SDA") == [Variable("device", "io", "sda")]


def test_without_a_row_it_is_the_one_with_most_requests() -> None:
    """Both answer in the same time, so that the other is on top of the list."""
    assert resolved("DEVICE.io") == [Variable("device", "io", "sdb")]


def test_of_a_screen_by_time_the_row_is_what_it_is_about() -> None:
    """Without one it is about all."""
    assert resolved("DEVLOG.io sdb DEVLOG.io") == [
        Variable("device_log", "io", "sdb"),
        Variable("device_log", "io", ""),
    ]


def test_a_row_that_is_not_there_is_refused() -> None:
    """An empty chart would say that it did nothing."""
    with pytest.raises(NoSuchThing, match="'7777' is in no row"):
        resolved("DEVICE.io 7777")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("REDISP.resp sdb", "REDISP has no rows; DEVICE.resp sdb is one device"),
        ("SYSSUMLG.resp sdb", "SYSSUMLG has no rows; DEVICE.resp sdb is one device"),
        ("REDISP.resp nonsense", "REDISP has no rows; write REDISP.resp alone"),
        ("REDISP.busy sdb", "REDISP has no rows; DEVICE.busy sdb is one device"),
        ("PAGELOG.pagein sdb", "PAGELOG has no rows; write PAGELOG.pagein alone"),
        ("DEVLOG.io nonsense", "'nonsense' is"),
    ],
)
def test_a_screen_without_rows_takes_no_row(words: str, why: str) -> None:
    """The figures of all devices are not drawn under the name of one."""
    with pytest.raises(NoSuchThing, match=why):
        resolved(words)


def test_a_page_needs_a_row() -> None:
    """It is about one thing."""
    with pytest.raises(VariableError, match="DETAILS needs a device number"):
        resolved("DETAILS.resp")


def test_all_that_can_be_drawn_is_found_again() -> None:
    """With its unit and its limits."""
    lost = [
        (screen.command, name)
        for screen in listed(SCREENS)
        for name in names(screen)
        if described(Variable(screen.table, name), SCREENS) is None
    ]
    assert lost == []


def test_correl_calls_columns_by_their_headings() -> None:
    """As a person can write them behind PLOT; one without a screen keeps its name."""
    keys = ["system.memused", "system.lcuresp", "device.qued 0.0.7000", "device.inner 0.0.7000"]
    columns: dict[str, list[Value]] = {"column": ["memused", "lcuresp", "qued", "inner"]}
    filled = with_headings(Table(keys, columns), SCREENS)
    assert filled.columns["heading"] == ["Used", "Busiest LCU Resp", "Req. Qued", "inner"]
    assert filled.columns["column"] == columns["column"]


@pytest.mark.parametrize(("drawn", "columns"), [("true", ["io"]), ("false", [])])
def test_of_a_screen_that_is_not_drawn_there_is_no_figure(drawn: str, columns: list[str]) -> None:
    """Its file says so, whatever its columns hold."""
    head = f'id = "MINE"\ncommand = "MINE"\ntitle = "Mine"\ntable = "device"\ndrawn = {drawn}\n'
    column = '[[column]]\nname = "io"\nwidth = 4\nformat = "rate"\n'
    assert names(parse_screen(head + column, "mine.toml")) == columns
