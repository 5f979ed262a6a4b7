"""Charts, compared with what people see."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.interval import TOO_LONG
from zmon.screen.chart.line_chart import STYLES, Chart, ChartLine, ChartMark, Manner, plot
from zmon.screen.chart.points import Point, level
from zmon.screen.definition import Limit

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.usefixtures("utc")

SECOND = 1_000_000_000
MINUTE = 60 * SECOND
BEGIN = 1_795_271_400 * SECOND  # 2026-11-21 14:30:00 UTC
LIMIT = Limit(40, 60, "the volume is slow")


def minutes(*values: float | None) -> list[Point]:
    """Return a point for each minute; None is a gap."""
    return [
        level(BEGIN + at * MINUTE, BEGIN + (at + 1) * MINUTE, TOO_LONG if value is None else value)
        for at, value in enumerate(values)
    ]


def wave(count: int, middle: float, height: float, length: float) -> list[float]:
    """Return a curve that goes up and down."""
    return [middle + height * math.sin(at / length) for at in range(count)]


LOAD = [*wave(30, 30, 25, 5), *[None] * 6, *wave(24, 30, 25, 4)]
LOAD[20] = 75
OTHER = wave(60, 22, 12, 7)
ONE = [ChartLine("7200", minutes(*LOAD))]
TWO = [*ONE, ChartLine("7207", minutes(*OTHER))]


def shown(chart: Chart) -> str:
    """Return a chart as a text that begins with a line end, as the goldens here do."""
    return "\n" + "\n".join(chart.lines) + "\n"


def inked(chart: Chart, sign: str) -> set[tuple[int, int]]:
    """Return line and column of all characters that exceed a limit."""
    return {
        (mark.line, at) for mark in chart.marks if mark.sign == sign for at in range(mark.start, mark.end)
    }


# --- goldens --------------------------------------------------------------------------------------------

GOLDENS = {
    ("braille", 1): r"""
Response time (ms)                  2026-11-21 14:30:00 - 15:30:00
80 ┤                    ⢠⢤
   │                    ⢸⢸
60 ┤────────────────────⢸⢸────────────────────────────────────────
   │     ⡤⠖⠋⠉⠉⠓⠦⡄       ⢸⢸                   ⡤⠖⠋⠉⠓⢢⣀
   │   ⡖⠋⠁      ⠉⠧⡄     ⢸⢸                 ⣀⡏⠁     ⠘⢲
40 ┤·⡤⠏⠁··········⠉⢱⣀···⢸⢸················⡖⠃········⠈⢹⣀···········
   │⠒⠃              ⠘⢲  ⢸⢸               ⠒⠃           ⠸⢤
20 ┤                 ⠈⠹⢤⢸⢸       ⢠⠤                    ⠘⢲       ⢀⣀
   │                   ⠈⠉⢸⣀    ⢠⠼⠉                      ⠈⠹⢤   ⢀⣰⠚
 0 ┤                      ⠈⠙⠒⠚⠉⠉                          ⠈⠙⠒⠚⠉
   └┬─────────┬─────────┬──────────┬······───┬─────────┬─────────┬
  14:30     14:40     14:50      15:00     15:10     15:20   15:30
··· look > 40   ─── bad > 60   · missing
""",
    ("braille", 2): r"""
Response time (ms)                  2026-11-21 14:30:00 - 15:30:00
80 ┤                    ⡤⡄
   │                    ⡇⡇
60 ┤────────────────────⡇⡇───────────────────────────────────────
   │     ⡤⠖⠋⠉⠉⠓⠦⡄       ⡇⡇                  ⢠⠴⠚⠉⠙⢲⣀
   │   ⡖⠋⠁      ⠉⠧⡄     ⡇⡇                ⢀⣸⠉     ⠘⢲
40 ┤·⡤⠏⠁···⣀⣀⣀⣀⣀⣀⣀⣉⣇⡀···⡇⡇···············⢰⠚········⠈⢹⣀·⢀⣀⣀⣀⣀⣀⣀⣀⣀⣀B
   │⠒⠃⣀⡤⠖⠒⠋⠁        ⠛⡗⠒⠦⣇⡇              ⠐⠚        ⢀⣠⠴⠺⢾⠉
20 ┤⠒⠋⠁              ⠉⠧⡄⡇⡏⠓⠒⠦⣄⡀  ⡤⠄          ⢀⣠⠴⠚⠉⠉   ⠘⢲       ⢀⣀A
   │                   ⠉⠁⣇⡀   ⠉⡭⠟⠧⠤⠤⠤⠤⠤⠤⠤⠤⠴⠚⠉⠉         ⠈⠹⢤   ⢀⣰⠚
 0 ┤                      ⠉⠓⠒⠋⠉⠁                         ⠈⠙⠒⠚⠉
   └┬─────────┬─────────┬─────────┬─────────┬─────────┬─────────┬
  14:30     14:40     14:50     15:00     15:10     15:20    15:30
A 7200   B 7207   ··· look > 40   ─── bad > 60
""",
    ("blocks", 1): r"""
Response time (ms)                  2026-11-21 14:30:00 - 15:30:00
80 ┤                    ││
   │                    ││
60 ┤────────────────────││────────────────────────────────────────
   │     ▃▅▇▇▇▆▄▁       │▇                   ▂▅▇▇▆▄│
   │   ▄█████████▅▁     │█                 ▁▆███████▃
40 ┤·▃█████████████▄│···▃█················▃██████████▆│···········
   │▆████████████████▃  ██               ▆█████████████▂
20 ┤██████████████████▆▂██       │▃      ███████████████▄       │▂
   │██████████████████████│    ▁▃▇█      ████████████████▇▃   │▁▅█
 0 ┤███████████████████████▆▆▆▇████      ███████████████████▆▆▇███
   └┬─────────┬─────────┬──────────┬······───┬─────────┬─────────┬
  14:30     14:40     14:50      15:00     15:10     15:20   15:30
█ mean   │ highest   ··· look > 40   ─── bad > 60   · missing
""",
    ("blocks", 2): r"""
Response time (ms)                  2026-11-21 14:30:00 - 15:30:00
80 ┤                    aa
   │                    aa
60 ┤────────────────────aa────────────────────────────────────────
   │     AAAAAAAA       aA                   AAAAAAa
   │   AAa      aAA     aa                 AAa     AA
40 ┤·AAa···bBBBBBBBAa···Aa················Aa········aAa·bBBBBBBBBB
   │AaBBBBBB        AABBBB               Aa        BBBAAB
20 ┤BBb              aAAaaBBBBB  aA           BBBBBb   aA       aA
   │                   aaaa   bAAABBBBBBBBBBBBb         aAA   aAA
 0 ┤                      AAAAAa                          aAAAA
   └┬─────────┬─────────┬──────────┬─────────┬─────────┬─────────┬
  14:30     14:40     14:50      15:00     15:10     15:20   15:30
A 7200   B 7207   ··· look > 40   ─── bad > 60
""",
    ("ascii", 1): r"""
Response time (ms)                  2026-11-21 14:30:00 - 15:30:00
80 +                    ::
   |                    ::
60 +--------------------::----------------------------------------
   |     ########       :#                   ######:
   |   ############     :#                 ##########
40 +.###############:...##................############:...........
   |##################  ##               ###############
20 +######################       :#      ################       :#
   |######################:    ####      ##################   :###
 0 +###############################      #########################
   ++---------+---------+----------+......---+---------+---------+
  14:30     14:40     14:50      15:00     15:10     15:20   15:30
# mean   : highest   ... look > 40   --- bad > 60   . missing
""",
    ("ascii", 2): r"""
Response time (ms)                  2026-11-21 14:30:00 - 15:30:00
80 +                    aa
   |                    aa
60 +--------------------aa----------------------------------------
   |     AAAAAAAA       aA                   AAAAAAa
   |   AAa      aAA     aa                 AAa     AA
40 +.AAa...bBBBBBBBAa...Aa................Aa........aAa.bBBBBBBBBB
   |AaBBBBBB        AABBBB               Aa        BBBAAB
20 +BBb              aAAaaBBBBB  aA           BBBBBb   aA       aA
   |                   aaaa   bAAABBBBBBBBBBBBb         aAA   aAA
 0 +                      AAAAAa                          aAAAA
   ++---------+---------+----------+---------+---------+---------+
  14:30     14:40     14:50      15:00     15:10     15:20   15:30
A 7200   B 7207   ... look > 40   --- bad > 60
""",
}


@pytest.mark.parametrize(("style", "count"), GOLDENS)
def test_an_hour(style: str, count: int) -> None:
    """An hour of one and of two volumes with limits, a gap of six minutes and a peak of one."""
    manner = Manner("Response time", "ms", "rate", LIMIT, style)
    assert shown(plot(TWO[:count], 66, 14, manner)) == GOLDENS[style, count]


def test_a_day_of_bytes_without_limits() -> None:
    """Binary units beside the axis, hours below it; an aggregated hour shows its mean and its highest."""
    hours = [
        Point(BEGIN + at * 60 * MINUTE, BEGIN + (at + 1) * 60 * MINUTE, low, 2 * low, 5 * low)
        for at, low in enumerate(value * 2**20 for value in wave(24, 50, 45, 3))
    ]
    chart = plot([ChartLine("0.62", hours)], 66, 10, Manner("Written", "B/s", "bytes", None, "ascii"))
    assert (
        shown(chart)
        == r"""
Written (B/s)            2026-11-21 14:30:00 - 2026-11-22 14:30:00
600M +
     |       :::::::::::::                                   :::::
400M +  :::::::::::::::::::::                           ::::::::::
     |::::::::::::::::::::::::::::                   :::::::::::::
200M +::#######################:::::            ::::::############
   0 +############################################################
     +-+------+-------+------+-------+------+-------+------+------
     15:00  18:00   21:00  11-22   03:00  06:00   09:00  12:00
# mean   : highest
"""
    )


def test_no_values() -> None:
    """The axes are there, and the reason why there is nothing in them."""
    chart = plot([ChartLine("7200", minutes(None, None))], 40, 8, Manner("Response time", "ms"))
    assert (
        shown(chart)
        == r"""
Response time (ms)   14:30:00 - 14:32:00
1.0 ┤
    │
 .5 ┤             no values
    │
 .0 ┤
    └┬················┬················┬
   14:30            14:31          14:32
"""
    )


@pytest.mark.parametrize(
    ("height", "parts"),
    [
        (1, "f"), (2, "ff"), (3, "fff"), (4, "ffff"), (5, "fffxt"), (6, "Tfffxt"), (7, "Tffffxt"),
        (8, "TffffxtL"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_left_out(height: int, parts: str) -> None:
    """The field last; then come the axis of time, the title and the legend."""
    lines = plot(ONE, 40, height, Manner("Title", "", "rate", LIMIT)).lines
    told = [
        "T" if line.startswith("Title")
        else "L" if "look" in line
        else "x" if "└" in line
        else "t" if "14:" in line
        else "f"
        for line in lines
    ]  # fmt: skip
    assert "".join(told) == parts


# --- rules ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", sorted(STYLES))
@pytest.mark.parametrize("series", [ONE, [ONE[0], ONE[0]]])
def test_a_gap_stays_empty(style: str, series: Sequence[ChartLine]) -> None:
    """From its begin to its end there is nothing, and the axis of time is dotted."""
    chart = plot(series, 120, 13, Manner(style=style))
    first = chart.lines[0].index("┤" if style != "ascii" else "+") + 1
    columns = len(chart.lines[-3 if style != "braille" or len(series) > 1 else -2]) - first
    inside = range(first + math.ceil(columns * 30.1 / 60) + 1, first + int(columns * 35.9 / 60) - 1)
    assert len(inside) > 6
    assert not any(mark.start <= at < mark.end for mark in chart.marks for at in inside)


def test_a_gap_of_less_than_a_column_is_seen_on_the_axis() -> None:
    """Ten seconds of a day have no column of their own."""
    points = [level(0, 40_000 * SECOND, 5), level(40_010 * SECOND, 86_400 * SECOND, 5)]
    axis = plot([ChartLine("", points)], 60, 6, Manner(style="ascii")).lines[-2]
    assert axis.count(".") == 1


@pytest.mark.parametrize("style", sorted(STYLES))
def test_a_peak_of_a_second_in_a_day_is_seen(style: str) -> None:
    """It reaches the top of the chart and is marked as bad."""
    points = [level(at * SECOND, (at + 1) * SECOND, 100 if at == 40_000 else 2) for at in range(86_400)]
    chart = plot([ChartLine("", points)], 60, 10, Manner(style=style, limit=LIMIT))
    assert (0, 4 + (60 - 5) * 40_000 // 86_400 + 1) in inked(chart, "!")


@pytest.mark.parametrize("style", sorted(STYLES))
def test_a_zero_is_drawn(style: str) -> None:
    """It was measured, so it is not left empty."""
    assert plot([ChartLine("", minutes(0, 0, 0))], 30, 6, Manner(style=style)).marks


def test_what_exceeds_a_limit_is_marked() -> None:
    """Only the part beyond the limit: above 40 worth a look, above 60 bad."""
    chart = plot([ChartLine("", minutes(20, 50, 80, 20))], 4, 4, Manner(style="blocks", limit=LIMIT))
    assert chart.lines == ("  ▂", "──█─", "·██·", "▇██▇")
    assert inked(chart, "!") == {(0, 2), (1, 2)}
    assert inked(chart, "*") == {(2, 1), (2, 2)}


def test_a_value_at_the_limit_does_not_exceed_it() -> None:
    """As in a table."""
    chart = plot([ChartLine("", minutes(40, 60))], 10, 6, Manner(style="ascii", limit=LIMIT))
    assert inked(chart, "!") == set()


def test_a_limit_far_above_leaves_the_values_their_room() -> None:
    """It stands in the legend."""
    lines = plot([ChartLine("", minutes(1, 2, 1))], 40, 10, Manner(limit=LIMIT)).lines
    assert not any("─ " in line or "··" in line for line in lines[:-3])
    assert lines[-1] == "··· look > 40   ─── bad > 60"


def test_the_limits_differ_without_colour() -> None:
    """In every style."""
    assert all(style.look != style.bad for style in STYLES.values())


def test_series_are_told_apart_without_colour() -> None:
    """Lines of dots have their letter behind their end, at the height of it, or beside if that is taken."""
    chart = plot([*ONE, *ONE], 66, 12)
    ends = [line[-1] for line in chart.lines if len(line) == 66 and line[-1].isalpha()]
    assert sorted(ends) == ["A", "B"]


def test_every_series_has_its_marks() -> None:
    """The glass gives each its colour."""
    assert {mark.series for mark in plot(TWO, 66, 12).marks} == {0, 1}


def test_many_names_that_do_not_fit_are_counted() -> None:
    """The limits are told in any case."""
    series = [ChartLine(f"volume {number}", minutes(number)) for number in range(12)]
    legend = plot(series, 66, 12, Manner(limit=Limit(1, 2, ""))).lines[-1]
    assert legend == "A volume 0   B volume 1   +10   ··· look > 1   ─── bad > 2"


def test_names_obey_no_terminal() -> None:
    """Labels of volumes are whatever somebody wrote there."""
    chart = plot([ChartLine("\x1b[2J", minutes(1)), ChartLine("b", minutes(2))], 66, 12, Manner("\x07\n"))
    assert all(line.isprintable() for line in chart.lines)


def test_the_same_comes_out_twice() -> None:
    """Nothing depends on anything but what goes in."""
    assert plot(TWO, 66, 14) == plot(TWO, 66, 14)


def test_only_the_wanted_time_is_drawn() -> None:
    """And the scale is that of what is seen."""
    chart = plot(ONE, 40, 8, Manner("T", style="ascii"), (BEGIN, BEGIN + 2 * MINUTE))
    assert chart.lines[0].endswith("14:30:00 - 14:32:00")
    assert chart.lines[1].split()[0] == "40"


@pytest.mark.parametrize("style", sorted(STYLES))
def test_a_single_cell(style: str) -> None:
    """There is a chart of one character."""
    chart = plot([ChartLine("", minutes(1, 2))], 1, 1, Manner(style=style))
    assert chart.marks == (ChartMark(0, 0, 1, 0, " "),)


NUMBERS = (
    st.floats() | st.integers() | st.sampled_from([None, TOO_LONG, 0, 1, 50, 1e300, -1e300, 5e-324, 10**400])
)
TIMES = st.sampled_from([0, 1, SECOND, BEGIN, BEGIN + MINUTE, 1 << 63, -5, 10**30]) | st.integers(0, 1 << 63)
POINTS = st.lists(st.builds(Point, TIMES, TIMES, NUMBERS, NUMBERS, NUMBERS), max_size=6)
SIZES = st.integers(-1, 90)


@given(
    st.lists(st.builds(ChartLine, st.text(max_size=20), POINTS), max_size=4),
    SIZES,
    st.integers(-1, 24),
    st.builds(
        Manner,
        st.text(max_size=30),
        st.text(max_size=5),
        st.sampled_from(["rate", "bytes"]),
        st.none() | st.just(LIMIT),
        st.sampled_from(sorted(STYLES)),
        st.booleans(),
    ),
    st.none() | st.tuples(TIMES, TIMES),
)
def test_anything_can_be_drawn(
    series: list[ChartLine], width: int, height: int, manner: Manner, span: tuple[int, int] | None
) -> None:
    """The chart keeps to its size, its marks to its lines, and it is harmless to print."""
    chart = plot(series, width, height, manner, span)
    assert len(chart.lines) == max(height, 1)
    assert all(len(line) <= max(width, 1) and line.isprintable() for line in chart.lines)
    assert all(0 <= m.start < m.end <= len(chart.lines[m.line]) for m in chart.marks)
    assert manner.style != "ascii" or all(line.isascii() for line in chart.lines)
