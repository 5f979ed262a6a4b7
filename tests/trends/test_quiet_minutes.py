"""Roll-ups decide which minutes are judged; what is found is the same as from all samples."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.judged_days import recording_of
from zmon.interval import Interval
from zmon.lab.scenario import load_scenario
from zmon.rule.grammar import load_rules, parse_rules
from zmon.rule.watch import Watch
from zmon.session.exception_log import QuietTimes
from zmon.session.recording import open_recording
from zmon.trends.trend_tables import TREND_TABLES

if TYPE_CHECKING:
    from pathlib import Path

    from zmon.rule.grammar import Rule
    from zmon.session.timeline import Position, Timeline

SHIPPED = load_rules()
LOW = parse_rules(
    """
[[rule]]
name = "slow"
on = "device.resp"
when = ["io >= 5"]
look = 3
say = "{where}"

[[rule]]
name = "busy-path"
on = "channel.cur"
look = 10
say = "{where}"

[[rule]]
name = "any-unit"
on = "control_unit.io"
look = 0
say = "{where}"

[[rule]]
name = "quick"
on = "device.resp"
sense = "under"
when = ["io >= 5"]
look = 1
say = "{where}"
"""
)
"""Rules that hold now and then, and two that no roll-up can exclude."""


def record(name: str, path: Path, seconds: float, step: float) -> Timeline:
    """Record the first seconds of each phase of a scenario, of which a few intervals are simulated."""
    plan = load_scenario(name)
    phases = tuple(phase._replace(seconds=min(phase.seconds, seconds)) for phase in plan.phases)
    shutil.copy(recording_of(plan._replace(phases=phases, step=step, drawn=4)), path)
    return open_recording(str(path))


def positions(timeline: Timeline) -> list[Position]:
    """Return all samples of a timeline."""
    found: list[Position] = []
    position = timeline.next()
    while position is not None:
        found.append(position)
        position = timeline.next(position)
    return found


@pytest.mark.parametrize("rules", [SHIPPED, LOW], ids=["shipped", "low"])
@pytest.mark.parametrize(
    ("name", "seconds", "step"),
    [
        pytest.param("healthy-day", 300, 10, marks=pytest.mark.whole_days),
        pytest.param("shark-before", 300, 5, marks=pytest.mark.whole_days),
        ("who-loads", 120, 10),
        ("pav-3", 120, 10),
    ],
)
def test_the_same_exceptions_are_found(
    name: str, seconds: float, step: float, rules: tuple[Rule, ...], tmp_path: Path
) -> None:
    """Whether every sample is judged, or only where roll-ups leave it open; and they leave some time out."""
    timeline = record(name, tmp_path / "a.zmon", seconds, step)
    whole, few = Watch(rules), Watch(rules)
    quiet = QuietTimes(few.rules)
    spared = 0
    for before, after in pairwise(positions(timeline)):
        interval = Interval(before.sample, after.sample)
        silent = quiet.rules_at(before, after, interval)
        spared += len(silent)
        whole.follow(interval)
        few.follow(interval, silent)
        assert few.open() == whole.open()
    assert few.log() == whole.log()
    assert few.unknown == whole.unknown
    assert spared > 100 or name != "healthy-day"
    timeline.close()


def silent_minutes(path: Path) -> int:
    """Return in how many intervals of a recording a rule need not be judged."""
    timeline = open_recording(str(path))
    quiet = QuietTimes(SHIPPED)
    pairs = pairwise(positions(timeline))
    found = [quiet.rules_at(one, other, Interval(one.sample, other.sample)) for one, other in pairs]
    timeline.close()
    return sum(map(bool, found))


def test_a_minute_of_which_roll_ups_lack_intervals_is_judged(tmp_path: Path) -> None:
    """Nothing is known of the others."""
    path = tmp_path / "a.zmon"
    record("pav-3", path, 120, 10).close()
    assert silent_minutes(path) == 12
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE minute SET intervals = intervals - 1")
    assert silent_minutes(path) == 0


def test_intervals_between_samples_that_do_not_follow_one_another_are_judged(tmp_path: Path) -> None:
    """They are in no roll-up."""
    timeline = record("pav-3", tmp_path / "a.zmon", 120, 10)
    first, _, third, *_ = positions(timeline)
    assert not QuietTimes(SHIPPED).rules_at(first, third, Interval(first.sample, third.sample))
    timeline.close()


def test_an_older_recording_spares_what_its_roll_ups_tell(tmp_path: Path) -> None:
    """It lacks the roll-ups of figures that came later: only their rules are judged."""
    path = tmp_path / "a.zmon"
    record("pav-3", path, 120, 10).close()
    every = silent_minutes(path)
    later = next(table for table in TREND_TABLES if table.table == "control_unit")
    with closing(sqlite3.connect(path)) as connection, connection:
        for view in later.views:
            connection.execute(f"DROP VIEW {view}")
        for column in later.figures[-1].columns:
            connection.execute(f"ALTER TABLE {later.minutes} DROP COLUMN {column}")
    assert silent_minutes(path) == every


OTHERWISE = {
    "lpar-full": "a machine has few partitions",
    "alias-use": "its queue excludes what is calm",
    "lcu-share": "its queue excludes what is calm",
    "path-lost": "it is steady: compared with the interval before",
    "path-gone": "it is steady: compared with the interval before",
}
"""Why rules spare the samples of a recording although what they compare has no roll-up."""


@pytest.mark.parametrize("rule", [rule for rule in SHIPPED if not rule.of_all], ids=lambda rule: rule.name)
def test_what_a_rule_compares_has_a_roll_up_where_others_of_its_table_have(rule: Rule) -> None:
    """Else each sample of a long recording is read for one rule."""
    figures = next((table.figures for table in TREND_TABLES if table.table == rule.table), ())
    if figures:
        assert (rule.column in {figure.name for figure in figures}) != (rule.name in OTHERWISE)
