"""A recorder takes samples at their deadlines, follows orders, and keeps systemd informed."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.recorder.clocks import Clocks
from zmon.base.clock import DAY, MINUTE, SECOND
from zmon.recorder.forecast import Forecast
from zmon.recorder.recording_loop import Deadline, Orders, Plan, RecordingLoop, Service, following
from zmon.recorder.retention import RetentionRule
from zmon.recorder.roll import Roll
from zmon.sample import Instant, Sample
from zmon.store.file_format import MAGIC

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def test_a_sample_in_time_is_followed_by_the_next_deadline() -> None:
    """However long it took, deadlines stay where they are."""
    assert following(1000, 100, 0, 1007) == Deadline(1, 1100, 0)


def test_deadlines_before_now_are_left_out() -> None:
    """They are counted, and the next is none of them."""
    assert following(1000, 100, 0, 1350) == Deadline(4, 1400, 3)


def test_a_deadline_of_now_is_not_over() -> None:
    """It is taken at once."""
    assert following(1000, 100, 0, 1100) == Deadline(1, 1100, 0)


def test_a_sample_that_came_early_does_not_repeat_its_deadline() -> None:
    """A wait may end a little before its time."""
    assert following(1000, 100, 3, 1299) == Deadline(4, 1400, 0)


@given(st.integers(0, 10**18), st.integers(1, 10**14), st.lists(st.integers(0, 10**15), max_size=20))
def test_deadlines_never_drift_and_none_is_forgotten(begin: int, interval: int, takes: list[int]) -> None:
    """Each is whole intervals from the begin and later than the one before; those between are counted."""
    now, number, seen = begin, 0, 0
    for take in takes:
        now += take
        deadline = following(begin, interval, number, now)
        assert deadline.at == begin + deadline.number * interval >= now
        assert deadline.number == number + 1 + deadline.missed
        seen += 1 + deadline.missed
        number, now = deadline.number, deadline.at
    assert number == seen


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[socket.socket]:
    """Listen as systemd would."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        listener.setblocking(False)
        yield listener


def told(systemd: socket.socket) -> list[bytes]:
    """Return what was sent so far."""
    lines = []
    while True:
        try:
            lines.append(systemd.recv(4096))
        except BlockingIOError:
            return lines


def test_systemd_is_told(systemd: socket.socket) -> None:
    """That it is ready, how it goes in one line, that it lives, that it ends."""
    service = Service({"NOTIFY_SOCKET": systemd.getsockname(), "WATCHDOG_USEC": "60000000"})
    service.ready()
    service.status("two\nlines")
    service.alive()
    service.stopping()
    assert told(systemd) == [b"READY=1", b"STATUS=two lines", b"WATCHDOG=1", b"STOPPING=1"]


def test_an_abstract_socket_is_one_too() -> None:
    """Its name begins with a zero byte, which the environment cannot hold."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(f"\0zmon-test-{os.getpid()}")
        listener.setblocking(False)
        Service({"NOTIFY_SOCKET": f"@zmon-test-{os.getpid()}"}).ready()
        assert told(listener) == [b"READY=1"]


@pytest.mark.parametrize("address", ["", "/nowhere/at/all", "x" * 1000, "not\0valid"])
def test_where_nobody_listens_nothing_happens(address: str) -> None:
    """The recorder has other things to do."""
    Service({"NOTIFY_SOCKET": address}).ready()


def test_signs_of_life_come_twice_as_often_as_asked_for() -> None:
    """None where none are wanted, or where they are wanted of another process."""
    assert Service({"WATCHDOG_USEC": "60000000"}).every == 30 * 10**9
    assert Service({"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "1"}).every == 0
    assert Service({"WATCHDOG_USEC": "soon"}).every == 0
    assert Service({}).every == 0


class Told:
    """Stands for systemd."""

    def __init__(self, every: int = 0) -> None:
        self.every = every
        self.said: list[str] = []

    def ready(self) -> None:
        """Take note."""
        self.said.append("ready")

    def alive(self) -> None:
        """Take note."""
        self.said.append("alive")

    def status(self, words: str) -> None:
        """Take note."""
        self.said.append(words)

    def stopping(self) -> None:
        """Take note."""
        self.said.append("stopping")


class Book:
    """Stands for a writer that keeps the times of samples."""

    def __init__(self, times: list[int], notes: list[str]) -> None:
        self.times = times
        self.notes = notes

    def append(self, sample: Sample) -> None:
        """Keep its time."""
        self.times.append(sample.at.steady)

    def note(self, _utc: int, text: str) -> None:
        """Keep the words."""
        self.notes.append(text)

    def gone(self) -> str:
        """It is always in its place."""
        return ""

    def leave(self) -> Iterator[Sample]:
        """Never called."""
        raise NotImplementedError

    def problem(self) -> None:
        """Have none."""

    def close(self) -> None:
        """Keep that it was closed."""
        self.notes.append("closed")


class Machine:
    """A machine to record, whose sampling takes as long as wished."""

    def __init__(self, folder: str, plan: Plan, *, status: bool = False, every: int = 0) -> None:
        self.clock = Clocks()
        self.orders = Orders()
        self.told = Told(every)
        self.said: list[str] = []
        self.times: list[int] = []
        self.notes: list[str] = []
        self.takes: list[int] = []
        self.failing: Exception | None = None
        self.opened: list[str] = []
        self.roll = Roll(folder, self._open, self.said.append)
        self.session = RecordingLoop(
            plan._replace(directory=folder), self.take, self.roll, self.clock, self.orders, self.told,  # type: ignore[arg-type]  # stands for it
            self.said.append, status=status, forecast=None,
        )  # fmt: skip

    def _open(self, path: str) -> Book:
        self.opened.append(path)
        with open(path, "ab"):
            pass
        return Book(self.times, self.notes)

    def take(self) -> Sample:
        """Take a sample."""
        at = Instant(self.clock.utc(), self.clock.now, "boot")
        if self.takes:
            self.clock.now += self.takes.pop(0)
        if self.failing is not None:
            raise self.failing
        return Sample(at, {})


def test_samples_are_taken_at_absolute_deadlines(tmp_path: Path) -> None:
    """How long each took adds nothing up."""
    machine = Machine(str(tmp_path), Plan("", SECOND, samples=4))
    machine.takes = [300_000_000, 5, 999_999_999]
    machine.session.run()
    assert machine.times == [0, SECOND, 2 * SECOND, 3 * SECOND]


@given(st.integers(1, 100), st.lists(st.integers(0, 1000), max_size=30))
def test_deadlines_that_passed_are_left_out(
    tmp_path_factory: pytest.TempPathFactory, interval: int, takes: list[int]
) -> None:
    """Each sample begins at a whole number of intervals, whatever the ones before took."""
    folder = tmp_path_factory.mktemp("session")
    machine = Machine(str(folder), Plan("", interval * SECOND, samples=len(takes) + 1))
    machine.takes = [take * SECOND for take in takes]
    machine.session.run()
    assert len(machine.times) == len(takes) + 1
    for one, other, take in zip(machine.times, machine.times[1:], takes, strict=False):
        assert other % (interval * SECOND) == 0
        assert one < other
        assert (
            one + take * SECOND <= other < one + take * SECOND + interval * SECOND
            or other == one + interval * SECOND
        )


def test_what_was_left_out_is_said_once_a_minute(tmp_path: Path) -> None:
    """Not each time."""
    machine = Machine(str(tmp_path), Plan("", SECOND, length=3 * MINUTE))
    machine.takes = [2_500_000_000] * 4
    machine.session.run()
    (words,) = (words for words in machine.said if words.startswith("left out"))
    assert words.endswith(": 8")


def test_it_ends_after_the_length_that_was_asked_for(tmp_path: Path) -> None:
    """A minute at ten seconds is six samples."""
    machine = Machine(str(tmp_path), Plan("", 10 * SECOND, length=MINUTE))
    machine.session.run()
    assert len(machine.times) == 6
    assert machine.notes == ["closed"]


def test_an_order_to_end_is_followed_at_once(tmp_path: Path) -> None:
    """The file is closed."""
    machine = Machine(str(tmp_path), Plan("", SECOND))

    def order() -> None:
        machine.orders.end = True

    machine.clock.during = order
    machine.session.run()
    assert (machine.times, machine.notes) == ([0], ["closed"])
    assert machine.told.said[0] == "ready"
    assert machine.told.said[-1] == "stopping"


def test_an_order_during_a_sample_lets_it_be_finished(tmp_path: Path) -> None:
    """It is recorded, and nothing is waited for."""
    machine = Machine(str(tmp_path), Plan("", SECOND))
    machine.orders.end = True
    machine.session.run()
    assert (machine.times, machine.clock.waits) == ([0], [])


def test_an_order_for_another_file_is_followed(tmp_path: Path) -> None:
    """The next sample opens it; no deadline moves."""
    machine = Machine(str(tmp_path), Plan("", SECOND, samples=3))

    def order() -> None:
        machine.orders.another = not machine.opened[1:]

    machine.clock.during = order
    machine.session.run()
    assert machine.times == [0, SECOND, 2 * SECOND]
    assert [os.path.basename(path) for path in machine.opened] == ["2026-11-21.zmon", "2026-11-21-2.zmon"]


def test_signs_of_life_are_given_within_long_intervals(tmp_path: Path) -> None:
    """As often as systemd wants them."""
    machine = Machine(str(tmp_path), Plan("", 100 * SECOND, samples=2), every=30 * SECOND)
    machine.session.run()
    assert machine.clock.waits == [30 * SECOND, 30 * SECOND, 30 * SECOND, 10 * SECOND]
    assert machine.told.said.count("alive") == 5


def test_sleep_is_noticed(tmp_path: Path) -> None:
    """It is said, and stands in the recording."""
    machine = Machine(str(tmp_path), Plan("", SECOND, samples=3))

    def sleep() -> None:
        machine.clock.slept = 3600 * SECOND

    machine.clock.during = sleep
    machine.session.run()
    slept, closed = machine.notes
    assert ("3,600 s" in slept, closed) == (True, "closed")
    assert slept in machine.said


def test_a_sample_that_cannot_be_taken_is_said_once(tmp_path: Path) -> None:
    """And the next one is tried all the same."""
    machine = Machine(str(tmp_path), Plan("", SECOND, samples=4))
    machine.failing = OSError(5, "Input/output error")

    def mend() -> None:
        machine.failing = None if machine.clock.now >= 3 * SECOND else machine.failing

    machine.clock.during = mend
    machine.session.run()
    assert machine.times == [3 * SECOND]
    assert [words for words in machine.said if words.startswith("no sample")] == [
        "no sample: OSError: [Errno 5] Input/output error"
    ]


def test_an_estimate_is_given_after_two_samples(tmp_path: Path) -> None:
    """Once."""
    machine = Machine(str(tmp_path), Plan("", SECOND, samples=5))
    machine.session.run()
    assert len([words for words in machine.said if "estimate" in words]) == 1


@pytest.mark.parametrize(("status", "lines"), [(True, 2), (False, 0)])
def test_status_is_for_terminals(tmp_path: Path, status: bool, lines: int) -> None:
    """A line every minute; systemd is told in any case."""
    machine = Machine(str(tmp_path), Plan("", SECOND, length=3 * MINUTE), status=status)
    machine.session.run()
    assert len([words for words in machine.said if " samples, " in words]) == lines
    assert len([words for words in machine.told.said if " samples, " in words]) == 2


def test_what_it_measured_takes_the_place_of_the_estimate(tmp_path: Path) -> None:
    """As soon as there are enough samples."""
    machine = Machine(str(tmp_path), Plan("", SECOND, length=12 * MINUTE))
    machine.session.run()
    first, *_, last = (words for words in machine.told.said if " samples, " in words)
    assert "estimate" in first
    assert last.endswith("1.0 % of a processor (measured over 660 samples)")


def test_old_days_go_while_it_runs(tmp_path: Path) -> None:
    """Looked at once a minute."""
    machine = Machine(str(tmp_path), Plan("", SECOND, RetentionRule(keep=DAY), length=2 * MINUTE))
    old = tmp_path / "2026-11-01.zmon"

    def appear() -> None:
        if machine.clock.now == 30 * SECOND:
            old.write_bytes(b"SQLite format 3\0" + bytes(52) + MAGIC.to_bytes(4, "big"))

    machine.clock.during = appear
    machine.session.run()
    assert not old.exists()
    assert any(words.startswith(f"{old} unlinked, 72 bytes") for words in machine.said)


def test_a_clock_set_forward_costs_no_recordings(tmp_path: Path) -> None:
    """Days pass as the steady clock says."""
    machine = Machine(str(tmp_path), Plan("", SECOND, RetentionRule(keep=DAY), length=2 * MINUTE))
    yesterday = tmp_path / "2026-11-20.zmon"
    yesterday.write_bytes(b"SQLite format 3\0" + bytes(52) + MAGIC.to_bytes(4, "big"))

    def step() -> None:
        machine.clock.stepped = 1000 * DAY

    machine.clock.during = step
    machine.session.run()
    assert yesterday.exists()


def test_an_earlier_recording_says_what_it_costs(tmp_path: Path) -> None:
    """Before the first sample."""
    machine = Machine(str(tmp_path), Plan("", SECOND, samples=1))
    known = Forecast(1000.0, None, SECOND, "as measured in 2026-11-20.zmon")
    machine.session = RecordingLoop(
        Plan(str(tmp_path), SECOND, samples=1), machine.take, machine.roll, machine.clock, machine.orders,
        machine.told, machine.said.append, forecast=known,  # type: ignore[arg-type]  # stands for it
    )  # fmt: skip
    machine.session.run()
    assert machine.said == ["86 MB a day, 1.0 kB a sample (as measured in 2026-11-20.zmon)"]


def test_what_it_takes_to_open_the_file_is_no_part_of_the_first_interval(tmp_path: Path) -> None:
    """The second sample follows the first by an interval, and nothing is said to have been left out."""
    machine = Machine(str(tmp_path), Plan("", SECOND, samples=3))
    really = machine._open

    def slowly(path: str) -> Book:
        machine.clock.now += 15 * SECOND  # as screens are loaded for their roll-ups
        return really(path)

    machine.roll._open_book = slowly
    machine.session.run()
    assert [time - machine.times[0] for time in machine.times] == [0, SECOND, 2 * SECOND]
    assert not [words for words in machine.said if "left out" in words]


@pytest.mark.parametrize("part", ["taking", "writing", "taking and writing"])
def test_why_deadlines_passed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    """Each part is blamed for its own time alone."""
    machine = Machine(str(tmp_path), Plan("", SECOND, length=2 * MINUTE))
    costs = {"taking": (2, 0), "writing": (0, 2), "taking and writing": (0.6, 0.6)}[part]
    machine.takes = [round(costs[0] * SECOND)]
    append = Book.append

    def slowly(book: Book, sample: Sample) -> None:
        machine.clock.now += 0 if machine.times else round(costs[1] * SECOND)
        append(book, sample)

    monkeypatch.setattr(Book, "append", slowly)
    machine.session.run()
    told = [words for words in machine.said if "left out" in words]
    assert [words.partition(" a sample")[0] for words in told] == [f"left out, because {part}"]


def test_the_first_forecast_does_not_count_what_happens_for_the_first_time(tmp_path: Path) -> None:
    """It is that of the third sample."""
    machine = Machine(str(tmp_path), Plan("", SECOND, samples=3))
    machine.takes = [SECOND // 2, SECOND // 2, SECOND // 10]
    machine.session.run()
    (words,) = [words for words in machine.said if "a day" in words]
    assert "1.0 % of a processor" not in words
    assert "%" in words


def test_a_clock_beyond_all_calendars_does_not_end_the_recorder(tmp_path: Path) -> None:
    """It is said, and recording goes on when the clock is right again."""
    machine = Machine(str(tmp_path), Plan("", SECOND, samples=4))
    machine.clock.stepped = 300_000 * 365 * DAY

    def right() -> None:
        machine.clock.stepped = 0 if len(machine.clock.waits) > 1 else machine.clock.stepped

    machine.clock.during = right
    machine.session.run()
    assert len(machine.times) == 2
    assert any("no recording can" in words for words in machine.said)
