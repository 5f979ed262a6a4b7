"""A fleet is a timeline of periods; its exceptions lead to the system that has them."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.goldens import facts
from zmon.base.event import BAD, LOOK, ExceptionEntry
from zmon.base.shipped import shipped
from zmon.fleet.fleet_screens import NONE
from zmon.fleet.fleet_tables import OWN_ONLY, RECORDED
from zmon.fleet.fleet_timeline import MAX_PERIODS, FleetTimeline, period_ends
from zmon.fleet.member import Member, Weighed
from zmon.screen.definition import load_screens
from zmon.screen.export import why_empty
from zmon.session.commands import run
from zmon.session.navigator import CommandError
from zmon.session.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HOUR = 3_600_000_000_000
SCREENS = load_screens(shipped("screens/fleet"))


class TwoSystems:
    """A source of two systems, one of which has no recording at hand; counts how often it is read."""

    name = "/fleet"
    sight = RECORDED

    def __init__(self) -> None:
        """Count nothing yet."""
        self.systems: Mapping[str, str] = {"lnx1": "/fleet/lnx1", "lnx2": ""}
        self.read: list[tuple[int, int]] = []

    def span(self) -> tuple[int, int]:
        """Three hours and a half."""
        return HOUR // 2, 4 * HOUR

    def members(self, begin: int, end: int) -> list[Member]:
        """One guest does ten times what the other does."""
        self.read.append((begin, end))
        return [
            Member(name, self.systems[name], span=self.span(), lcus={"IBM.A.7600": _figures(io)})
            for name, io in (("lnx1", 10.0), ("lnx2", 100.0))
        ]

    def close(self) -> None:
        """Hold nothing."""

    def exceptions(self) -> Iterator[tuple[str, ExceptionEntry, bool]]:
        """One of each system."""
        yield "lnx2", _entry(LOOK, 3 * HOUR, "lcu"), False
        yield "lnx1", _entry(BAD, 2 * HOUR, "channel"), False


def _figures(io: float) -> dict[str, Weighed]:
    return {"io": Weighed(io, 1.0), "mbs": Weighed(io / 100, 1.0), "resp": Weighed(2 * io, io)}


def _entry(level: int, begin: int, table: str) -> ExceptionEntry:
    end = begin + HOUR // 2
    return ExceptionEntry(
        "rule", "00", table, "k", "7600", begin, end, level, 20.0, begin, end, 10.0, 15.0, 3, "It is slow"
    )


def opened() -> tuple[Session, TwoSystems]:
    """Return a session that looks at the last hour."""
    source = TwoSystems()
    session = Session(FleetTimeline(source, 3 * HOUR, 4 * HOUR), SCREENS, "FLEET")
    session.seek(4 * HOUR)
    return session, source


@given(st.integers(0, 10**6), st.integers(1, 10**6), st.integers(1, 10**5), st.integers(1, 10**6))
def test_periods_cover_the_span_and_the_time_that_was_asked_for(
    first: int, length: int, step: int, end: int
) -> None:
    """All but the outermost are equally long, and one of them is that from begin to end."""
    begin = end - step
    ends = period_ends((first, first + length), begin, end)
    assert ends == sorted(set(ends))
    assert begin in ends
    assert ends[ends.index(begin) + 1] == end
    assert ends[-1] >= first + length
    assert ends[0] <= first or len(ends) >= MAX_PERIODS
    inner = {b - a for a, b in pairwise(ends[1:-1])}
    assert inner <= {step} or len(ends) >= MAX_PERIODS


def test_a_period_is_read_once() -> None:
    """However many screens show it; the period before is another one."""
    session, source = opened()
    session.sheet()
    run(session, "LCUS")
    session.sheet()
    assert source.read == [(3 * HOUR, 4 * HOUR)]
    run(session, "PREVSAMP")
    assert session.sheet().keys == ["A 7600"]
    assert source.read[1:] == [(2 * HOUR, 3 * HOUR)]


def test_the_glance_says_who_uses_the_busiest_lcu_where_none_is_filled() -> None:
    """And what is not seen; every figure of a list is that of the list's own screen."""
    session, _ = opened()
    lines = session.sheet()
    words = dict(zip(lines.table.columns["section"], lines.table.columns["words"], strict=True))
    assert "7600 110 110 2.0 lnx2 91 lnx1 9" in facts(str(words["verdict"]))
    assert any("not seen" in str(cell) for cell in lines.table.columns["words"])
    unit = lines.table.keys.index("unit A 7600")
    run(session, lines.deeper(lines.place["unit A 7600"]))
    assert sum(map(float, session.sheet().table.columns["io"])) == lines.table.columns["io"][unit]  # type: ignore[arg-type]  # numbers


def test_an_exception_leads_to_its_system() -> None:
    """At its worst interval, on OVERVIEW; what nobody measures is marked."""
    session, _ = opened()
    run(session, "EXCEPT")
    sheet = session.sheet()
    assert sheet.table.columns["where"] == ["lnx1 7600", "lnx2 7600"]
    assert sheet.table.columns["sentence"] == [f"It is slow {OWN_ONLY}", "It is slow"]
    run(session, f"WORST {sheet.keys[0]}")
    assert session.ended
    assert session.opens is not None
    assert session.opens[:3] == ("lnx1", "/fleet/lnx1", 2 * HOUR + HOUR // 2)
    assert session.opens.command == "OVERVIEW"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("OPEN lnx2", "no recording of lnx2 at hand"),
        ("OPEN lnx3", "lnx3.* none of them"),
        ("DEVICE", "its own screens"),
        ("MARK C", "MARK A"),
    ],
)
def test_what_a_fleet_cannot_do_has_a_reason(line: str, reason: str) -> None:
    """And the fleet stays."""
    session, _ = opened()
    with pytest.raises(CommandError, match=reason):
        run(session, line)
    assert not session.ended


def test_one_returns_from_a_system_at_once() -> None:
    """By F3, QUIT, or FLEET, without being asked; the menu has the way back."""
    for line in ("RETURN", "QUIT", "FLEET", "N"):
        session, _ = opened()
        session.system = "lnx1"
        session.timeline.fleet = None  # a system's timeline has none
        run(session, line)
        assert session.ended, line


def test_a_time_before_all_periods_leads_to_the_first_one() -> None:
    """With the reason; at the begin itself there are no figures."""
    session, _ = opened()
    run(session, "GO 1970-01-01 00:01")
    assert session.interval is not None
    assert session.interval.before is not None
    assert "before" in session.message
    for line in ("GO BEGIN", "PREVSAMP"):
        with suppress(CommandError):
            run(session, line)
        assert session.interval.before is not None
        assert session.interval.before.at.utc == HOUR // 2


def test_in_a_system_it_is_said_how_another_one_is_opened() -> None:
    """It is no system alone: F3 goes back to the fleet."""
    session, _ = opened()
    session.system = "lnx1"
    session.timeline.fleet = None
    session.timeline.systems = {}
    with pytest.raises(CommandError, match=r"^.*lnx1 of a fleet\. F3 .* OPEN lnx2"):
        run(session, "OPEN lnx2")


def test_no_channel_paths_have_a_reason_of_the_fleet() -> None:
    """Not that of this machine, which may be another one."""
    session, _ = opened()
    run(session, "CHPIDS")
    assert NONE["channels"] in why_empty(session.sheet())
