from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.placement.study import FILES, SECOND, sample, site, with_traffic
from zmon.cli.result import lines_of
from zmon.cli.spread import text
from zmon.interval import Interval
from zmon.placement.items import FileItem, Placement, Unit, placement_of
from zmon.placement.spread_report import SpreadQuery, SpreadReport, report_spread
from zmon.topology.claims import Grade
from zmon.topology.machine import Machine, UserInputs

if TYPE_CHECKING:
    from collections.abc import Sequence

INPUTS = UserInputs(site())


def lines(
    files: Sequence[tuple[str, str, int, int]] = FILES,
    width: int = 80,
    product: str = "db2",
    notes: Sequence[str] = (),
    **wanted: object,
) -> list[str]:
    """Return the answer for the case study as lines."""
    asked = SpreadQuery(**wanted)  # type: ignore[arg-type]  # as of `Wanted`
    found = report_spread(placement_of(Machine(sample(files), INPUTS)), asked)
    return written(found, width, product, notes)


def written(
    report: SpreadReport, width: int = 80, product: str = "db2", notes: Sequence[str] = ()
) -> list[str]:
    """Return an answer as lines."""
    return list(lines_of(text(report, lambda _path: product, notes, width), width))


def by_traffic(moves: int = 2) -> SpreadReport:
    interval = Interval(sample(), sample(when=10 * SECOND, sectors={6: 800_000, 2: 200_000}))
    found = with_traffic(interval, INPUTS)
    return report_spread(found, SpreadQuery(traffic=True, seconds=10.0, moves=moves))


def test_the_matrix_of_the_case_study() -> None:
    """Tablespaces by LCUs, what lies nowhere as a dash, sums and shares below."""
    found = lines(available=("*",))
    assert found[2:10] == [
        "                           LCU   LCU   LCU   LCU   LCU   LCU   LCU   LCU",
        "Tablespace                   0     1     2     3     4     5     6     7     all",
        "PROD.T1                      -     -     -     -     -     -   24M     -     24M",
        "PROD.T2                      -     -     -     -     -     -   20M     -     20M",
        "PROD.T3                      -    4M     -     -     -    4M    8M     -     16M",
        "PROD.T4                      -     -   12M     -     -     -     -     -     12M",
        "all                          -    4M   12M     -     -    4M   52M     -     72M",
        "share                      0 %   6 %  17 %   0 %   0 %   6 %  72 %   0 %",
    ]


def test_the_figures_of_the_case_study() -> None:
    """What exceeds a limit is marked by a character, for terminals without colour."""
    found = lines(available=("*",))
    assert found[13] == "PROD.T1               4   24M  8.0!  1.0 of 8  .12 2.65 LCU 6 100%  100% exact"
    assert found[17] == "all                  16   72M  5.8!  1.8 of 8  .22 1.86 LCU 6 72%    72% exact"


@pytest.mark.parametrize("width", [40, 80, 132, 250])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    """But statements, which have to be copied whole."""
    found = [line for line in lines(width=width, moves=8) if not line.startswith("  ")]
    assert max(map(len, found)) <= max(width, 80)


def test_units_that_do_not_fit_are_added_up() -> None:
    """Those with most load stay; what has nothing is named below."""
    units = tuple(Unit(str(number), f"LCU {number}") for number in range(40))
    items = tuple(FileItem(f"/{n}", "T", "D", bytes_on={str(n): n << 20}) for n in range(1, 31))
    placed = Placement(items, units, (), Grade.EXACT, (), {})
    found = written(report_spread(placed, SpreadQuery(available=("*",))))
    assert found[3].split() == ["Tablespace", *["24", "25", "26", "27", "28", "29", "30"], "others", "all"]
    assert found[4].split()[1:] == [*["24M", "25M", "26M", "27M", "28M", "29M", "30M"], "276M", "465M"]
    assert any(line.startswith("Nothing on LCU 0, LCU 31, LCU 32") for line in found)


def test_traffic_is_marked_as_an_estimate() -> None:
    """In the heading, and in each cell."""
    found = written(by_traffic(), product="")
    assert "~ an estimate" in found[0]
    found = written(by_traffic(moves=0), product="")
    assert "22.3~" in next(line for line in found if line.startswith("PROD.T1"))


def test_the_curve_of_moves() -> None:
    """Each step says what is reached with it; an exchange stands on two lines."""
    found = lines(moves=6, available=("1", "2", "5", "6"))
    first = next(number for number, line in enumerate(found) if line.startswith("  1 "))
    assert [line[50:62].split() for line in found[first : first + 6]] == [
        ["6M", "2.56"], ["12M", "2.22"], ["18M", "1.89"], ["24M", "1.56"], ["28M", "1.33"], ["32M", "1.11"],
    ]  # fmt: skip


def test_means_are_printed_and_nothing_is_done() -> None:
    """Of one file of each tablespace that is moved."""
    found = lines(moves=6, product="oracle", how=True)
    assert sum("ALTER DATABASE MOVE DATAFILE" in line for line in found) == 2


def test_reasons_stand_once() -> None:
    """With the first file that one holds for, and how many more there are."""
    made = sample()
    bare = made._replace(frames={name: frame for name, frame in made.frames.items() if name != "device"})
    found = written(report_spread(placement_of(Machine(bare)), SpreadQuery()), 200, "")
    assert sum("and 9 more" in line for line in found) == 1
    assert any("--by disk" in line for line in found)


def test_notes_of_the_listing() -> None:
    """Such as that it is of another machine."""
    assert "  - of elsewhere" in lines(notes=("of elsewhere",))


def test_the_assumptions_stand_last() -> None:
    """They belong to the answer."""
    found = lines()
    assert "This rests on:" in found[-9:]


NAMES = st.text(
    st.one_of(st.characters(), st.sampled_from("\n\r\t\x1b\x07\x9b\u202e\u2028\udc80")),
    max_size=300,
)


@settings(deadline=None)
@given(NAMES, NAMES, st.integers(20, 200))
def test_no_name_reaches_the_terminal_as_an_order(path: str, space: str, width: int) -> None:
    """Whatever characters a file or a tablespace has in its name, every line is printable."""
    found = lines(
        [(f"/{path}", space, 3, 6), ("/b", "T", 2, 6), ("/c", "T", 2, 6)],
        width=width,
        moves=4,
        available=("*",),
    )
    assert [line for line in found if not line.isprintable()] == []


def test_a_name_of_four_kilobytes() -> None:
    """Is shortened in the middle."""
    found = lines([(f"/{'x' * 4000}/end", "T" * 4000, 2, 6), ("/b", "T", 3, 6)], moves=4, available=("*",))
    assert max(map(len, found)) < 9000  # a statement names both whole
    assert any("..x/end" in line or "xx/end" in line for line in found)


def test_the_reason_stands_first_where_nothing_is_placed() -> None:
    """No tables of dashes above it."""
    answer = report_spread(placement_of(Machine(sample(), INPUTS)), SpreadQuery(traffic=True))
    found = written(answer)
    assert found[0].startswith("No spread of 16 files of 4 tablespaces: ")
    assert not any("Max/" in line for line in found)


def test_a_swap_is_one_numbered_line() -> None:
    """The other file stands below it."""
    pairs = [("/a0", "A", 9, 1), ("/a1", "A", 9, 1), ("/b0", "B", 9, 2), ("/b1", "B", 9, 2)]
    found = lines(pairs, moves=4, available=("1", "2"))
    at = next(number for number, line in enumerate(found) if line.startswith("    changes places with /"))
    assert found[at - 1].startswith("  1 /")
    assert not any(line.startswith("  2 /") for line in found)


@pytest.mark.parametrize("width", [80, 132, 200])
def test_a_long_name_is_cut_only_where_there_is_no_room(width: int) -> None:
    """What is full first may be a side of the box; it must be known at a glance."""
    full = replace_full(by_traffic(), "channels side 0")
    found = written(full, width)
    assert sum("channels side 0  " in line for line in found) == (0 if width == 80 else 2)
    assert max(len(line) for line in found if line.startswith("  1 ")) <= width


def replace_full(report: SpreadReport, name: str) -> SpreadReport:
    """Return a report whose every move leaves the same full first."""
    assert report.plan is not None
    steps = tuple(step._replace(full=name) for step in report.plan.steps)
    return report._replace(plan=report.plan._replace(steps=steps))


def test_columns_stay_where_names_are_of_another_script() -> None:
    """Chinese letters take two cells each: what is behind them is where it is in other lines."""

    def renamed(name: str) -> list[str]:
        return lines([(path, name if space == "T1" else space, mib, lcu) for path, space, mib, lcu in FILES])

    named, plain = renamed("表領域"), renamed("TABLES")
    assert sum("表領域" in line for line in named) == 2
    assert [line.replace("表領域", "TABLES") for line in named] == plain
