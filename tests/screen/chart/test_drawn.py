"""Figures of a table as a chart that says what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tables.disks import watch
from zmon.base.shipped import shipped
from zmon.screen.chart.drawn import overview, page
from zmon.screen.definition import Screens, load_screens, parse_screen
from zmon.tables.plot import table

SCREENS = load_screens(shipped("screens"))

pytestmark = pytest.mark.usefixtures("utc")


def drawn(
    argument: str, left_out: range = range(0), height: int = 11, screens: Screens = SCREENS
) -> list[str]:
    """Draw two disks, of which the second works twice as much."""
    work = [n % 10 * 10 for n in range(60)]
    view = watch({"sda": work, "sdb": [2 * n for n in work]}, left_out=left_out).view(argument)
    assert view is not None
    return page(table(view), screens, 70, height)


def test_one_figure_has_its_row_and_unit_in_the_title() -> None:
    """And its time, and where samples are missing."""
    assert drawn("device.io sda", range(20, 30)) == [
        "DEVICE io sda (1/s)                     2027-01-15 12:00:00 - 12:01:00",
        "100 +         ::                               #:         #:        :#",
        "    |        ###        ##                    ##:        ##:       ###",
        "    |      :####      :###                  ####:     :####:     :####",
        " 50 +     ######     #####                :#####:    :#####:    ######",
        "    |   :#######   #######              :########  :#######:  :#######",
        "    |  #########  ########             :######### ########## #########",
        "  0 +_####################           _################################",
        "    ++---------+---------.+..........+----------+----------+----------",
        " 12:00:00  12:00:10   12:00:20   12:00:30   12:00:40   12:00:50",
        "# mean   : highest   . missing",
    ]


def test_several_rows_have_letters() -> None:
    """As they are called for short."""
    lines = drawn("device.io sda sdb")
    assert lines[0].startswith("DEVICE io (1/s) ")
    assert lines[-1] == "A sda   B sdb"


def test_several_columns_have_letters_and_units() -> None:
    """Because one axis is for all."""
    assert drawn("device.io sda device.mbs sda")[-1] == "A io (1/s) sda   B mbs (MB/s) sda"


def test_limits_are_drawn() -> None:
    """Those of the column, by a screen of the user's own."""
    text = (Path(shipped("screens")) / "device.toml").read_text()
    text = text.replace("\nresp.help", "\nresp.look = 10\nresp.bad = 60\nresp.help")
    own = Screens([parse_screen(text, "/home/me/device.toml")])
    assert "bad > 60" in drawn("device.resp sda", screens=own)[-1]


def test_without_a_figure_it_lists_what_can_be_drawn() -> None:
    """Every screen with figures, and how to ask for them."""
    lines = overview(SCREENS)
    assert any(line.startswith(" DEVICE    links, paths, io, ") for line in lines)
    assert not any(line.startswith((" PLOT     ", " CORREL   ", " MENU     ")) for line in lines[4:])
    assert max(map(len, lines)) <= 79
