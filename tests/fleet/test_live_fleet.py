"""A fleet of a server moves on: the period ends now, and one that is not renewed says since when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fleet.test_fleet_timeline import HOUR, SCREENS, TwoSystems
from zmon.fleet.fleet_timeline import LiveFleetTimeline
from zmon.fleet.recorded_fleet import FleetError
from zmon.screen.header import header
from zmon.session.commands import run
from zmon.session.session import Session
from zmon.ui.threads import take_sample

if TYPE_CHECKING:
    from collections.abc import Iterator

    from zmon.base.event import ExceptionEntry
    from zmon.fleet.member import Member

MINUTE = HOUR // 60


class MovingSystems(TwoSystems):
    """The same two systems, on a server that may be gone."""

    seconds = 15.0

    def __init__(self) -> None:
        super().__init__()
        self.end = 4 * HOUR
        self.gone = False
        self.asked = 0

    def move_on(self, end: int) -> None:
        """Take the time, if the server is there."""
        if self.gone:
            raise FleetError("http://prom1:9090: Connection refused")
        self.end = end

    def span(self) -> tuple[int, int]:
        """The hours before."""
        return self.end - 3 * HOUR, self.end

    def members(self, begin: int, end: int) -> list[Member]:
        """Each guest reports until now."""
        return [one._replace(span=(0, end)) for one in super().members(begin, end)]

    def exceptions(self) -> Iterator[tuple[str, ExceptionEntry, bool]]:
        """Count how often it is asked."""
        self.asked += 1
        return super().exceptions()


class Followed:
    """A session that follows two systems, with a clock of its own."""

    def __init__(self) -> None:
        self.source, self.now = MovingSystems(), 4 * HOUR
        timeline = LiveFleetTimeline(self.source, 3 * HOUR, 4 * HOUR, lambda: self.now)
        self.session = Session(timeline, SCREENS, "FLEET")
        self.timeline = timeline
        self.sample()

    def sample(self, later: int = 0) -> None:
        """Do what the sampling thread does, and the glass when it has."""
        self.now += later
        self.session.add(take_sample(self.timeline))

    def shown(self) -> tuple[int, int]:
        """Return begin and end of what is shown."""
        interval = self.session.interval
        assert interval is not None
        assert interval.before is not None
        return interval.before.at.utc, interval.after.at.utc

    def heading(self) -> str:
        """Return the first line of the screen."""
        return header(
            self.session.page.screen, self.session.interval, live=True, stale=self.timeline.stale_since
        )


def test_the_period_ends_now() -> None:
    """It is as long as before, and its figures are read once for all screens."""
    followed = Followed()
    assert followed.shown() == (3 * HOUR, 4 * HOUR)
    assert followed.source.read == [(3 * HOUR, 4 * HOUR)]
    followed.sample(MINUTE)
    assert followed.shown() == (3 * HOUR + MINUTE, 4 * HOUR + MINUTE)
    assert "110 of 110 a second" in str(followed.session.sheet().table.columns["words"])
    run(followed.session, "LCUS")
    followed.session.sheet()
    assert followed.source.read[1:] == [(3 * HOUR + MINUTE, 4 * HOUR + MINUTE)]
    assert followed.heading().endswith("Perf. Monitor")


def test_what_is_not_renewed_says_since_when_and_goes_on_later() -> None:
    """The figures stay, with their time; the reason is kept as long as it holds."""
    followed = Followed()
    followed.sample(MINUTE)
    followed.source.gone = True
    followed.sample(MINUTE)
    assert followed.shown() == (3 * HOUR + MINUTE, 4 * HOUR + MINUTE)
    assert followed.timeline.stale_since == 4 * HOUR + MINUTE
    assert followed.timeline.stale_reason == "http://prom1:9090: Connection refused"
    assert " Stale since " in followed.heading()
    followed.source.gone = False
    followed.sample(MINUTE)
    assert followed.shown() == (3 * HOUR + 3 * MINUTE, 4 * HOUR + 3 * MINUTE)
    assert not followed.timeline.stale_since


def test_exceptions_are_read_with_each_period() -> None:
    """Not more often, however many screens show them."""
    followed = Followed()
    followed.sample(MINUTE)
    followed.sample(MINUTE)
    asked = followed.source.asked
    run(followed.session, "EXCEPT")
    followed.session.sheet()
    assert followed.source.asked == asked == 2


def test_one_can_go_back_while_it_moves_on() -> None:
    """To whole periods, which stay where they are; NOW returns to the one that ends now."""
    followed = Followed()
    followed.sample(10 * MINUTE)
    run(followed.session, "PREVSAMP")
    assert followed.shown() == (3 * HOUR, 4 * HOUR)
    followed.sample(2 * HOUR)
    assert followed.shown() == (3 * HOUR, 4 * HOUR)
    run(followed.session, "NEXTSAMP")
    assert followed.shown() == (4 * HOUR, 5 * HOUR)
    run(followed.session, "PREVSAMP")
    run(followed.session, "PREVSAMP")
    assert followed.shown() == (2 * HOUR, 3 * HOUR)
    followed.session.to_present()
    assert followed.shown() == (5 * HOUR + 10 * MINUTE, 6 * HOUR + 10 * MINUTE)
