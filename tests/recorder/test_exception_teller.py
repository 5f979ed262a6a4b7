"""Commands are told once that an exception begins, and once that it ends, whatever interrupts recording."""

from __future__ import annotations

import os
from queue import SimpleQueue
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import absent
from zmon.base.clock import SECOND
from zmon.base.event import BAD, GONE, INTERRUPTED, LOOK, OPEN, OVER, ExceptionEntry
from zmon.recorder.command_runner import CommandOutcome, CommandRun, CommandRunner
from zmon.recorder.exception_teller import LATE, ExceptionTeller, Grace, ToldCommand, open_before
from zmon.rule.grammar import load_rules
from zmon.rule.site_command import SiteCommand
from zmon.sample import Instant, Sample
from zmon.store.day import day_file
from zmon.trends import exception_rows
from zmon.trends.exception_rows import StoredExceptions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

BEGIN = 1_795_262_400 * SECOND
"""2026-11-21 12:00:00 UTC."""
GRACE = Grace(load_rules(), SECOND)
RULE = "lcu-service"
COMMAND = SiteCommand(("notify",), "rules.toml:1")


def entry_of(
    key: str, rule: str = RULE, level: int = BAD, begin: int = BEGIN, state: str = OPEN
) -> ExceptionEntry:
    """Return an exception of a row that began at noon and is as long as a minute."""
    end = begin + 60 * SECOND
    return ExceptionEntry(
        rule, "digest", "control_unit", key, key, begin, end, level, 30.0, begin, end, 20.0, 30.0, 60,
        f"LCU {key} is slow", state=state, group=key,
    )  # fmt: skip


class Runs:
    """Stands for a runner: keeps what it is to run, and has room for so many."""

    def __init__(self, room: int = 1000) -> None:
        self.room = room
        self.runs: list[CommandRun] = []
        self.outcomes: SimpleQueue[CommandOutcome] = SimpleQueue()

    def add(self, run: CommandRun) -> bool:
        """Keep it, if there is room."""
        if len(self.runs) < self.room:
            self.runs.append(run)
            return True
        return False

    def stop(self) -> int:
        """Leave two out."""
        return 2


class Told:
    """A recorder with commands: what is open, what was run, written and said."""

    def __init__(
        self, *commands: SiteCommand, earlier: Sequence[ExceptionEntry] = (), room: int = 1000
    ) -> None:
        self.open: tuple[ExceptionEntry, ...] = ()
        self.runner = Runs(room)
        self.notes: list[tuple[int, str]] = []
        self.said: list[str] = []
        self.now = 0
        told = [ToldCommand(command, GRACE, earlier) for command in commands or (COMMAND,)]
        self.teller = ExceptionTeller(
            told, lambda: self.open, lambda utc, text: self.notes.append((utc, text)), self.said.append,
            self.runner,  # type: ignore[arg-type]  # stands for it
        )  # fmt: skip

    def sample(self, *entries: ExceptionEntry, seconds: int = 1) -> list[str]:
        """Take the next samples, with what is open; return state and place of each run."""
        self.open, before = entries, len(self.runner.runs)
        for _ in range(seconds):
            self.now += SECOND
            self.teller.follow(Sample(Instant(BEGIN + self.now, self.now, ""), {}))
        return [f"{run.fields['state']} {run.fields['where']}" for run in self.runner.runs[before:]]


LONG = GRACE.of(RULE) // SECOND + 2
"""Seconds after which an exception is over."""


def test_an_exception_is_told_when_it_begins_and_when_it_ends() -> None:
    """Once each, however long it is open and whatever changes of it."""
    told = Told()
    assert told.sample() == []
    assert told.sample(entry_of("7600")) == ["begin 7600"]
    assert told.sample(entry_of("7600")._replace(worst=99.0), seconds=5) == []
    assert told.sample(seconds=LONG) == ["end 7600"]
    assert told.sample(seconds=LONG) == []
    assert told.sample(entry_of("7600")) == ["begin 7600"]


def test_what_interrupts_recording_does_not_end_an_exception() -> None:
    """Midnight, a gap: it is found again after the time for which it has to hold, with another begin."""
    told = Told()
    told.sample(entry_of("7600"))
    assert told.sample(seconds=LONG - 2) == []
    assert told.sample(entry_of("7600", begin=BEGIN + 200 * SECOND), seconds=9) == []
    assert told.sample(seconds=LONG) == ["end 7600"]
    assert told.runner.runs[-1].fields["begin"] == told.runner.runs[0].fields["begin"]


def test_grace_is_what_a_rule_needs_to_hold_again() -> None:
    """Its time, its window or its intervals, and those that are judged together."""
    rules = {rule.name: rule for rule in load_rules()}
    rule = rules[RULE]
    shared = rule._replace(name="shared", lasting=0.0, window=0.0, share=(3, 10))
    grace = Grace([rule._replace(window=60.0), shared], 2 * SECOND)
    assert grace.of(RULE) == round(rule.lasting + 60 + 2 * LATE) * SECOND
    assert grace.of("shared") == 2 * (10 + LATE) * SECOND
    assert grace.of("another") == 2 * LATE * SECOND


def test_a_command_is_told_of_its_rules_and_levels_alone() -> None:
    """An exception that becomes bad begins then, for a command of what is bad."""
    told = Told(COMMAND._replace(level=BAD), COMMAND._replace(rules=("path-*",)))
    assert told.sample(entry_of("7600", level=LOOK)) == []
    assert told.sample(entry_of("7600"), entry_of("40", "path-busy", LOOK)) == ["begin 7600", "begin 40"]


def test_a_command_may_want_only_the_begin_or_only_the_end() -> None:
    """It runs for that alone."""
    told = Told(COMMAND._replace(when=("end",)), COMMAND._replace(when=("begin",)))
    assert told.sample(entry_of("7600")) == ["begin 7600"]
    assert told.sample(seconds=LONG) == ["end 7600"]


def test_many_that_begin_or_end_at_a_time_are_one_run() -> None:
    """As they are one line of EXCEPT: more than three of a rule and group."""
    told = Told()
    entries = [entry_of(f"0.0.70{number:02x}")._replace(group="7600") for number in range(9)]
    assert len(told.sample(*entries)) == 1
    assert told.runner.runs[0].fields["text"].endswith("; 8 others likewise")
    assert told.sample(*entries[:3], seconds=LONG) == ["end 0.0.7003"]


def test_one_that_comes_again_too_soon_is_not_told() -> None:
    """Neither its begin nor its end, if a command wants them apart; that of another row is."""
    told = Told(COMMAND._replace(apart=600.0))
    told.sample(entry_of("7600"))
    assert told.sample(seconds=LONG) == ["end 7600"]
    assert told.sample(entry_of("7600"), entry_of("7700")) == ["begin 7700"]
    assert told.sample(entry_of("7700"), seconds=600) == []
    assert told.sample(entry_of("7600"), entry_of("7700")) == ["begin 7600"]


def test_one_that_the_recording_knows_as_open_is_not_told_again() -> None:
    """When it ended while nothing was recorded, its end is."""
    told = Told(earlier=[entry_of("7600"), entry_of("7700")])
    assert told.sample() == []
    assert told.sample(entry_of("7600"), entry_of("7800")) == ["begin 7800"]
    assert told.sample(entry_of("7600"), entry_of("7800"), seconds=LONG) == ["end 7700"]


PLACES = ("7600", "7700", "7800")


@given(st.lists(st.tuples(st.sets(st.sampled_from(PLACES)), st.integers(1, LONG)), max_size=30))
def test_each_begin_has_one_end(steps: list[tuple[set[str], int]]) -> None:
    """In turn, whatever comes and goes, and when all are gone each has ended."""
    told = Told()
    for places, seconds in steps:
        told.sample(*map(entry_of, sorted(places)), seconds=seconds)
    told.sample(seconds=2 * LONG)
    for place in PLACES:
        states = [run.fields["state"] for run in told.runner.runs if run.fields["where"] == place]
        assert states == ["begin", "end"] * (len(states) // 2)


def test_a_failure_is_an_event_each_time_and_said_once() -> None:
    """Until the command works again, or fails otherwise; the event has the time of the sample."""
    told = Told()
    told.sample(entry_of("7600"))
    (run,) = told.runner.runs
    for failure, output in (("ended with status 3", "no route"), ("ended with status 3", "none"), ("", ""),
                            ("ended with status 3", ""), ("was killed after 10 s", "")):  # fmt: skip
        told.runner.outcomes.put(CommandOutcome(run, failure, output))
        told.sample(entry_of("7600"))
    event = "The command notify for the begin of lcu-service 7600 ended with status 3"
    assert told.notes[0] == (BEGIN + 2 * SECOND, f"{event}: no route")
    assert [text for _, text in told.notes[1:]] == [
        f"{event}: none", event, event.replace("ended with status 3", "was killed after 10 s"),
    ]  # fmt: skip
    assert told.said == [
        "rules.toml:1: the command notify ended with status 3: no route",
        "rules.toml:1: the command notify ended with status 3",
        "rules.toml:1: the command notify was killed after 10 s",
    ]


def test_what_finds_no_room_is_counted_and_told() -> None:
    """In the recording and to the operator; at the end likewise what still waits."""
    told = Told(room=1)
    told.sample(*map(entry_of, PLACES))
    told.teller.stop()
    texts = [
        "2 runs of commands left out: too many wait already",
        "2 runs of commands left out: the recorder ends",
    ]
    assert told.said == [text for _, text in told.notes] == texts


def test_a_command_that_hangs_delays_no_sample(tmp_path: Path) -> None:
    """While it hangs samples are followed; when it has ended, that is told with the last of them."""
    os.mkfifo(tmp_path / "pipe")
    command = SiteCommand(
        ("sh", "-c", 'cat "$1"; exit 3', "sh", str(tmp_path / "pipe")), "rules.toml:1", seconds=20
    )
    told, runner = Told(), CommandRunner()
    following = [ToldCommand(command, GRACE, ())]
    teller = ExceptionTeller(
        following, lambda: (entry_of("7600"),), lambda _utc, _text: None, told.said.append, runner
    )
    for second in range(100):
        teller.follow(Sample(Instant(BEGIN, second * SECOND, ""), {}))
    assert told.said == []
    os.close(os.open(tmp_path / "pipe", os.O_WRONLY))
    teller.stop()
    assert told.said == ["rules.toml:1: the command sh ended with status 3"]


@pytest.mark.usefixtures("mistaken")
def test_a_mistake_stops_no_recording() -> None:
    """What cannot be looked at is told to nobody; the samples go on."""
    told = Told()
    told.teller.follow(Sample(Instant(0, 0, ""), {}))
    told.teller._open_exceptions = lambda: [None]  # type: ignore[list-item]  # what no program should give
    assert told.sample() == []


def test_the_recording_knows_what_was_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At its end, and no earlier; the file of the day before too, unless the last says that it is over."""
    day = 24 * 3600 * SECOND
    until = BEGIN + 60 * SECOND
    last = [
        entry_of("7600"),
        entry_of("7700", state=INTERRUPTED),
        entry_of("7800", state=GONE),
        entry_of("40", "path-busy", begin=until - 3600 * SECOND),
        entry_of("7a00", state=OVER),
    ]
    before = [entry_of("7a00", begin=BEGIN - 60 * SECOND), entry_of("7b00", begin=BEGIN - 60 * SECOND)]
    logs: dict[str, object] = {
        day_file(str(tmp_path), BEGIN - 2 * day).path: StoredExceptions([entry_of("7c00")], until, {}),
        day_file(str(tmp_path), BEGIN - day).path: StoredExceptions(before, BEGIN, {}),
        day_file(str(tmp_path), BEGIN).path: StoredExceptions(last, until, {}),
    }

    class Recorded:
        def __init__(self, path: str) -> None:
            self.path = path

        def close(self) -> None:
            """Nothing is open."""

    for path in logs:
        open(path, "wb").close()
    monkeypatch.setattr("zmon.store.reader.Recording", Recorded)
    monkeypatch.setattr(exception_rows, "stored", lambda recordings: logs[recordings[0].path])
    assert [entry.key for entry in open_before(str(tmp_path), GRACE)] == ["7b00", "7600", "7700"]
    logs[day_file(str(tmp_path), BEGIN).path] = absent("it was not judged")
    assert [entry.key for entry in open_before(str(tmp_path), GRACE)] == ["7a00", "7b00"]


def test_a_directory_without_recordings_knows_nothing(tmp_path: Path) -> None:
    """Nor does a file that is none."""
    assert open_before(str(tmp_path), GRACE) == []
    open(day_file(str(tmp_path), BEGIN).path, "wb").close()
    assert open_before(str(tmp_path), GRACE) == []
