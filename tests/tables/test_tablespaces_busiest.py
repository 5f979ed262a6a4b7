"""zmon.tables.tablespaces: for whom a logical control unit works."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.placement.study import SECOND, sample
from zmon.base.absent import absent
from zmon.interval import Interval
from zmon.machine.topology import NOTHING_ON
from zmon.machine.view import View
from zmon.tables.tablespaces import busiest_tablespaces

if TYPE_CHECKING:
    from zmon.base.absent import Value

SIX, TWO = "IBM.75000000092461.2486", "IBM.75000000092461.2482"
LCU_OF = {"0.0.7600": SIX, "0.0.7200": TWO}


def named(sectors: dict[int, int], megabytes: float = 40.96, **more: object) -> dict[str, Value]:
    after = sample(when=10 * SECOND, sectors=sectors, **more)  # type: ignore[arg-type]  # as of `sample`
    view = View(Interval(sample(**more), after))  # type: ignore[arg-type]  # likewise
    return busiest_tablespaces(view, LCU_OF, {SIX: megabytes, TWO: 0.0})


def test_the_busiest_come_first_with_their_part_of_the_traffic() -> None:
    """The database is named once; T3 is idle, as its other disks show."""
    assert named({6: 800_000})[SIX] == "PROD.T1 55%~, T2 45%~ (shared by bytes)"


def test_where_nothing_is_read_bytes_tell() -> None:
    """And it says that they do."""
    assert named({6: 800_000})[TWO] == "by bytes: PROD.T4 100%"


def test_traffic_that_is_not_known_is_not_none() -> None:
    """Then bytes tell, too."""
    view = View(Interval(sample(), sample(when=SECOND)))
    assert (
        busiest_tablespaces(view, LCU_OF, {SIX: absent("not read")})[SIX]
        == "by bytes: PROD.T1 46%, T2 38%, T3 15%"
    )


def test_an_lcu_without_files_says_so() -> None:
    """It is no tablespace that makes it busy."""
    assert named({6: 800_000}, files=[("/a", "A", 1, 6)])[TWO] is NOTHING_ON


def test_what_is_hardly_there_is_left_out() -> None:
    """Of two files one has less than half a percent."""
    assert named({6: 800_000}, files=[("/a", "A", 80, 6), ("/b", "B", 0, 6)])[SIX] == "PROD.A 100%~"


@pytest.mark.parametrize("count", [5, 9])
def test_only_the_first_are_named(count: int) -> None:
    """Five of them fit into the column."""
    files = [(f"/{number}", f"S{number}", 9, 6) for number in range(count)]
    assert str(named({6: 800_000}, files=files)[SIX]).count("%~") == 5
