"""Values on screens are marked by the rules, each interval by itself; what is idle is never marked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from zmon.base.shipped import shipped
from zmon.interval import Interval
from zmon.lab.model import Phase, Stream
from zmon.lab.scenario import load_scenario
from zmon.rule.grammar import load_rules
from zmon.rule.watch import Watch
from zmon.screen.definition import load_screens, parse_screen
from zmon.screen.query import ordered
from zmon.session.machines import simulated
from zmon.session.recording import open_recording
from zmon.session.session import Session
from zmon.session.when import parse_when
from zmon.tables.filled import needs

if TYPE_CHECKING:
    from collections.abc import Iterator

DAY = Path(__file__).resolve().parents[2] / "recordings" / "lab-healthy-day.zmon"
SCREENS = load_screens(shipped("screens"))
RULES = load_rules()

pytestmark = pytest.mark.usefixtures("utc")


@pytest.fixture
def day(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Session]:
    """Yield a session on the shipped day, without rules of the user's own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    session = Session(open_recording(str(DAY)), SCREENS, "CTLUNIT")
    yield session
    session.timeline.close()


def marked(session: Session, command: str, time: str) -> set[tuple[str, str, str]]:
    """Return column, row and mark of all marks on a screen at a time."""
    span = session.timeline.span()
    session.seek(parse_when(time, 0, None, span))
    session.open(command)
    sheet = session.sheet()
    keys = dict(enumerate(sheet.table.keys))
    return {
        (column, keys.get(row, "all").rpartition(".")[2], sign)
        for column, rows in sheet.table.marks.items()
        for row, sign in rows.items()
    }


def test_a_path_has_one_mark_as_rules_judge_it() -> None:
    """The mean of the period has no limit of its own: rules say when a busy path is worth a look."""
    columns = {one.name: one for one in SCREENS.find("CHANNEL").columns}
    assert columns["cur"].limit is not None
    assert columns["ave"].limit is None


def test_the_incident_is_marked(day: Session) -> None:
    """All aliases of LCU 8000 are busy, its service time is far above the other's, and its paths are full."""
    assert marked(day, "CTLUNIT", "2026-03-16 14:40") == {("aliasuse", "8000", "!"), ("serv", "8000", "*")}
    assert marked(day, "CHANNEL", "2026-03-16 14:40") == {("cur", "50", "*"), ("cur", "51", "*")}


@pytest.mark.parametrize("command", ["CTLUNIT", "CHANNEL", "DEVICE", "CPU", "LPAR"])
@pytest.mark.parametrize("hour", ["03:00", "05:30", "09:30", "14:25", "16:00"])
def test_the_rest_of_the_day_is_not(day: Session, command: str, hour: str) -> None:
    """Nights, batch, backup and office hours of a healthy machine."""
    assert marked(day, command, f"2026-03-16 {hour}") == set()


def test_beyond_limits_counts_rows_that_a_rule_calls_bad(day: Session) -> None:
    """On a healthy day none, but in the incident."""
    day.seek(parse_when("2026-03-16 14:40", 0, None, day.timeline.span()))
    day.open("SYSSUMLG")
    table = day.sheet().table
    bad = dict(zip(table.columns["time"], table.columns["beyond"], strict=True))
    assert [count for count in bad.values() if count] == [1] * 10


@pytest.mark.whole_days
@pytest.mark.parametrize("customers", [1, 60], ids=["idle", "uniform"])
def test_a_day_without_events_has_no_exception(customers: int) -> None:
    """Neither 24 hours of next to nothing, nor 24 hours of the same load."""
    plan = load_scenario("healthy-day")
    (sessions,) = next(phase for phase in plan.phases if phase.name == "morning").streams
    assert isinstance(sessions, Stream)
    phase = Phase("all day", 86_400, (sessions._replace(customers=customers),))
    samples = simulated([plan._replace(phases=(phase,))]).samples()
    watch, before = Watch(RULES), next(samples)
    for after in samples:
        watch.follow(Interval(before, after))
        before = after
    assert watch.log() == []


def test_means_of_few_io_are_sorted_behind_the_others(day: Session) -> None:
    """What has too little I/O for a mean does not come first because its few requests took long."""
    day.seek(parse_when("2026-03-16 12:00", 0, None, day.timeline.span()))
    day.open("DEVICE")
    table = day.sheet().table
    rates = [rate if isinstance(rate, float) else 0.0 for rate in table.columns["io"]]
    few = frozenset(at for at, rate in enumerate(rates) if rate * 60 < 30 or rate < min(1, sum(rates) / 100))
    assert table.faint["resp"] == few
    last = day.sheet().rows[0]
    table = table._replace(faint={"resp": few | {last}})
    numbers = [at for at, value in enumerate(table.columns["resp"]) if isinstance(value, float)]
    found = ordered(table, range(len(table.keys)), "resp", descending=True)
    assert found[len(set(numbers) - few) - 1] == last


OWN = """
id = "MINE"
command = "MINE"
title = "Mine"
table = "channel"
[[column]]
name = "chpid"
format = "text"
width = 4
[[column]]
name = "cur"
format = "percent"
width = 4
look = 1
bad = 2
"""


def test_limits_of_a_screen_of_ones_own_stay(day: Session) -> None:
    """What a user's screen file says of a column is not overruled by a rule."""
    day.screens = type(SCREENS)([*SCREENS, parse_screen(OWN, "/home/me/mine.toml")])
    assert marked(day, "MINE", "2026-03-16 12:00") == set()
    assert day.sheet().line(0).endswith("!")


def test_limits_of_by_time_screens_are_those_of_the_rules() -> None:
    """A column by time that says what a rule says has its limits, so that both mark the same."""
    rules: dict[tuple[str, str], tuple[float | None, float | None]] = {}
    for rule in RULES:  # of several on a column the first limit of each sort
        if not (rule.per or rule.siblings):
            look, bad = rules.get((rule.table, rule.column), (None, None))
            rules[rule.table, rule.column] = (
                rule.look if look is None else look,
                rule.bad if bad is None else bad,
            )
    same = {
        ("CHANLOG", "busy"): ("channel", "cur"),
        ("SYSSUMLG", "chbusy"): ("channel", "cur"),
        ("SYSSUMLG", "steal"): ("cpu", "steal"),
        ("SYSSUMLG", "busy"): ("cpu", "busy"),
        ("PROCLOG", "busy"): ("cpu", "busy"),
        ("LPARLOG", "susp"): ("lpar", "susp"),
    }
    for (command, name), place in same.items():
        limit = SCREENS.find(command).by_name[name].limit
        assert limit is not None
        assert (limit.look, limit.bad) == rules[place]
    for screen in SCREENS:
        if needs(screen.table).history:
            assert not {"resp", "fair", "lcuresp"} & {
                one.name for one in screen.columns if one.limit is not None
            }
