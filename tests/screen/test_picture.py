"""Bars and curves in lists: they stand where there is room, and never in the place of a figure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import absent
from zmon.base.shipped import shipped
from zmon.machine.figure import TimedValue
from zmon.screen.definition import ScreenError, load_screens, parse_screen
from zmon.screen.layout import right, within
from zmon.screen.number import LEFT
from zmon.screen.sheet import Sheet
from zmon.tables.table import Table

SCREENS = load_screens(shipped("screens"))
DRAWN = ["DEVICE", "CTLUNIT", "CHANNEL"]
KINDS = ("bar", "curve")
SCREEN = """
id = "TEST"
command = "TEST"
title = "Test"
table = "device"

[[column]]
name = "addr"
head = "Addr"
format = "text"
width = 4

[[column]]
name = "busy"
head = "%Busy"
format = "percent"
width = 5

[[picture]]
kind = "bar"
of = "busy"
behind = "busy"
head = "%Busy"
width = 10

[[picture]]
kind = "curve"
of = "busy"
behind = "busy"
head = "Recent"
width = 4
"""


@pytest.mark.parametrize("command", DRAWN)
@given(width=st.integers(20, 400))
def test_no_figure_goes_for_a_picture(command: str, width: int) -> None:
    """A text may be left out, but none is cut; without a wish there is no picture."""
    screen = SCREENS.find(command)
    plain, drawn = within(screen, width), within(screen, width, 1, KINDS)
    seen = {column.name: column.width for column in drawn.columns}
    assert drawn.width <= width or len(drawn.columns) < 3
    assert all(column.picture is None for column in plain.columns)
    for column in plain.columns:
        assert column.name in seen or column.format in LEFT
        whole = column.width == screen.by_name[column.name].width
        assert column.name not in seen or not whole or seen[column.name] == column.width


@pytest.mark.parametrize("command", DRAWN)
def test_a_wide_terminal_has_pictures(command: str) -> None:
    """All that are declared, where everything fits; none on 80 columns."""
    screen = SCREENS.find(command)
    kinds = [column.picture.kind for column in within(screen, 400, 1, KINDS).columns if column.picture]
    assert kinds == ["bar", "curve"]
    assert not any(column.picture for column in within(screen, 80, 1, KINDS).columns)


@pytest.mark.parametrize("command", DRAWN)
def test_each_column_is_reached_behind_pictures(command: str) -> None:
    """What they take the room of comes first on the next screenful."""
    screen = SCREENS.find(command)
    seen = within(screen, 200, 1, KINDS)
    own = [column for column in seen.columns if column.picture is None]
    first = right(screen, 200, 1, KINDS)
    assert first <= len(own) or not seen.behind


def test_a_bar_is_of_the_field_and_a_curve_ends_with_the_present() -> None:
    """Percentages go up to 100; what is not known is blank; print has figures alone."""
    figures = tuple(TimedValue(at, at + 1, value, value, value) for at, value in enumerate((0, 50, 100)))
    table = Table(
        ["0.0.7000", "0.0.7001"],
        {"addr": ["7000", "7001"], "busy": [100.0, absent("off")]},
        series={"busy 0.0.7000": figures, "busy 0.0.7001": ()},
    )
    sheet = Sheet(parse_screen(SCREEN, "test.toml"), table)
    assert [sheet.line(place) for place in (0, 1)] == [" 7000   100", " 7001  ...."]
    seen = sheet.within(80, 1, "ascii")
    assert [seen.line(place) for place in (0, 1)] == [" 7000   100 ##########  _=#", " 7001  ...."]
    assert seen.headings[-1] == " Addr %Busy %Busy      Recent"
    assert sheet.within(80, 1, "blocks").line(0).endswith("██████████  ▁▅█")
    assert sheet.within(80).line(0) == " 7000   100"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ('kind = "cake"', "kind: is one of bar, curve, not 'cake'"),
        ('of = "buzy"', "of: is one of addr, busy, not 'buzy'"),
        ('behind = "buzy"', "behind: is one of addr, busy"),
        ("width = 900", "width: is 1 to 200"),
    ],
)
def test_a_wrong_picture_is_said(wrong: str, words: str) -> None:
    """With the file and the key."""
    key = wrong.partition(" ")[0]
    lines = SCREEN.replace('kind = "bar"\nof = "busy"\nbehind = "busy"\nhead = "%Busy"\nwidth = 10', "@")
    picture = {"kind": '"bar"', "of": '"busy"', "behind": '"busy"', "head": '"%Busy"', "width": "10"}
    text = "\n".join(wrong if name == key else f"{name} = {value}" for name, value in picture.items())
    with pytest.raises(ScreenError, match=words):
        parse_screen(lines.replace("@", text), "test.toml")
