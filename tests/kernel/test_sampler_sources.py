"""Sources are read in one thread, which is left with one that hangs, whatever goes wrong."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.interval import Interval
from zmon.kernel import sampler
from zmon.kernel.deadline import Worker
from zmon.kernel.sampler import Choice, LiveReading, ReadingRound, Sampler
from zmon.kernel.tree import LiveTree
from zmon.kinds import BLOCK, CPU, MEMORY, SOURCE
from zmon.registry import Source
from zmon.sample import Frame, Instant, Sample, empty_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from zmon.base.absent import Absent
    from zmon.sample import Kind

LONG = 60.0
"""Seconds that no test waits: what it waits for comes at once."""


PATIENCE = 0.3
"""Seconds after which a source counts as one that hangs."""


def disks(reads: int, when: int = 1) -> Frame:
    """Return a frame of one disk."""
    return Frame(BLOCK, ["dasda"], {"reads": [reads]}, [when])


class Hanging:
    """A reader that hangs at each call until it is let go."""

    def __init__(self) -> None:
        self.calls: queue.SimpleQueue[None] = queue.SimpleQueue()
        self.go = threading.Event()
        self.answer = disks(1)

    def read(self) -> Sequence[Frame]:
        """Say that it was called, and wait."""
        self.calls.put(None)
        assert self.go.wait(LONG)
        return [self.answer]


def sampler_of(*readings: LiveReading, deadline: float = LONG) -> Sampler:
    """Return a sampler of these sources."""
    made = Sampler(LiveTree(), Choice(kinds=()), deadline=deadline)
    made._sources = list(readings)
    return made


def source_reading(
    read: Callable[[], Sequence[Frame]], *, every: float = 0.0, off: str = "", kind: Kind = BLOCK
) -> LiveReading:
    """Return the reading of a source of block devices, or of another kind."""
    name = "disks" if kind is BLOCK else kind.name
    made = LiveReading(Source(name, "/proc/diskstats", (kind,), "", every), LiveTree(), Choice())
    made.off = off
    made.read_frames = read  # type: ignore[method-assign]
    return made


def frame_of(sample: Sample) -> Frame:
    """Return the frame of block devices."""
    return sample.frames["block"]


def let_go(slow: LiveReading, hanging: Hanging) -> None:
    """Let a reader answer, and wait until the thread in which it was left has ended."""
    hanging.go.set()
    assert slow.left_in is not None
    assert slow.left_in._thread is not None
    slow.left_in._thread.join(LONG)


def failing(error: Exception) -> Callable[[], Sequence[Frame]]:
    """Return a reader that raises an error."""

    def read() -> Sequence[Frame]:
        raise error

    return read


def missing(frame: Frame) -> str:
    """Return why a frame has no rows."""
    why: Absent | None = frame.missing
    assert why is not None
    return why.reason


def test_what_was_read_is_handed_out() -> None:
    """A good answer counts at once."""
    assert frame_of(sampler_of(source_reading(lambda: [disks(5)])).sample()).cell("dasda", "reads") == 5


def test_all_sources_are_read_in_one_thread_one_after_the_other() -> None:
    """To wake a thread for each costs more than to read most of them."""
    threads: list[int] = []

    def read() -> Sequence[Frame]:
        threads.append(threading.get_ident())
        return [disks(len(threads))]

    steady = sampler_of(*(source_reading(read) for _ in range(3)))
    steady.sample()
    steady.sample()
    assert len(threads) == 6
    assert len({*threads}) == 1
    assert threads[0] != threading.get_ident()


def test_loading_a_reader_takes_none_of_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its module is loaded before the deadline begins: a slow disk is no silent source."""
    loaded: list[threading.Thread] = []

    def find(_source: Source) -> Callable[[LiveTree], Frame]:
        loaded.append(threading.current_thread())
        return lambda _tree: disks(5)

    monkeypatch.setattr(sampler, "find_reader", find)
    reading = LiveReading(Source("disks", "/proc/diskstats", (BLOCK,), "any"), LiveTree(), Choice())
    assert frame_of(sampler_of(reading).sample()).cell("dasda", "reads") == 5
    assert loaded[0] is threading.current_thread()


def test_a_reader_that_hangs_makes_its_frames_absent() -> None:
    """The reason names what does not answer; the screen about zmon itself shows that it hangs."""
    hanging = Hanging()
    slow = source_reading(hanging.read)
    sample = sampler_of(slow, deadline=0).sample()
    assert missing(frame_of(sample)).startswith("/proc/diskstats ")
    costs = sample.frame(SOURCE)
    state, reason = (str(costs.cell("disks", column)) for column in ("state", "reason"))
    assert (state, reason.split()[0]) == ("hangs", "/proc/diskstats")
    let_go(slow, hanging)


def test_a_late_answer_counts_for_the_next_sample() -> None:
    """Nothing is read twice because it came late."""
    hanging = Hanging()
    slow = source_reading(hanging.read)
    patient = sampler_of(slow, deadline=0)
    patient.sample()
    let_go(slow, hanging)
    patient._deadline = LONG
    assert frame_of(patient.sample()) is hanging.answer
    assert (slow.cost.state, hanging.calls.qsize()) == ("ok", 1)


def test_a_reader_that_hangs_is_neither_asked_again_nor_waited_for() -> None:
    """There is one thread and one call, however many samples go by."""
    hanging = Hanging()
    slow = source_reading(hanging.read)
    patient = sampler_of(slow, deadline=0)
    patient.sample()
    patient._deadline = LONG * 1000  # would not come back within the test
    for _ in range(20):
        assert frame_of(patient.sample()).missing
    hanging.calls.get(timeout=LONG)
    assert hanging.calls.empty()
    let_go(slow, hanging)


def test_after_a_late_answer_the_reader_is_asked_again() -> None:
    """It is read as before, and with patience again."""
    hanging = Hanging()
    slow = source_reading(hanging.read)
    patient = sampler_of(slow, deadline=0)
    patient.sample()
    let_go(slow, hanging)
    patient._deadline = LONG
    patient.sample()
    hanging.answer = disks(2)
    assert frame_of(patient.sample()).cell("dasda", "reads") == 2


@pytest.mark.parametrize("place", range(3))
def test_other_sources_are_read_while_one_hangs(place: int) -> None:
    """Those before it and those behind it, in this sample and in the next."""
    hanging = Hanging()
    slow = source_reading(hanging.read)
    counts = iter(range(1, 100))
    others = [
        source_reading(lambda kind=kind: [Frame(kind, ["x"], {}, [next(counts)])], kind=kind)  # type: ignore[misc]
        for kind in (CPU, MEMORY)
    ]
    others.insert(place, slow)
    steady = sampler_of(*others, deadline=PATIENCE)
    for _ in range(2):
        sample = steady.sample()
        assert frame_of(sample).missing
        assert [sample.frames[kind.name].keys for kind in (CPU, MEMORY)] == [["x"], ["x"]]
    let_go(slow, hanging)


def test_two_that_hang_keep_a_thread_each() -> None:
    """Both are said, and what is behind them is read."""
    hanging = Hanging(), Hanging()
    slow = source_reading(hanging[0].read), source_reading(hanging[1].read, kind=CPU)
    prompt = source_reading(lambda: [Frame(MEMORY, ["x"], {}, [1])], kind=MEMORY)
    steady = sampler_of(*slow, prompt, deadline=PATIENCE)
    sample = steady.sample()
    assert sample.frames["cpu"].missing
    assert frame_of(sample).missing
    assert sample.frames["memory"].keys == ["x"]
    for reading, reader in zip(slow, hanging, strict=True):
        let_go(reading, reader)


def test_each_of_several_slow_sources_has_the_whole_deadline_for_itself() -> None:
    """A thread is left with what it is at for so long, however long it was at others before."""
    hanging = Hanging()
    slow = source_reading(hanging.read)
    looks = ReadingRound(iter([source_reading(lambda: [disks(1)]), slow]), lambda _reading: None)
    thread = threading.Thread(target=looks.run)
    thread.start()
    hanging.calls.get(timeout=LONG)
    assert looks.leave(LONG) is None
    assert looks.leave(0) is slow
    hanging.go.set()
    thread.join(LONG)


def test_a_source_that_computes_is_not_left_because_many_took_long_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A slow processor reads thousands of files for longer than one source may hang: each has its time."""
    hanging = Hanging()
    wait = Worker.outcome_of_work
    told: list[float] = []

    def outcome(worker: Worker, _seconds: float, begun: Callable[[], float]) -> object:
        told.append(begun())
        hanging.calls.get(timeout=LONG)  # it is at work by now
        told.append(begun())
        hanging.go.set()
        return wait(worker, LONG, begun)

    monkeypatch.setattr(Worker, "outcome_of_work", outcome)
    others = [source_reading(lambda: [Frame(CPU, ["x"], {}, [1])], kind=CPU), source_reading(hanging.read)]
    assert frame_of(sampler_of(*others).sample()) is hanging.answer
    assert told == sorted(told)
    assert told[1] > 0


def test_a_source_that_is_off_is_never_read() -> None:
    """Its frames say how to have it read."""
    hanging = Hanging()
    idle = source_reading(hanging.read, off="ask for it with --cache")
    assert missing(frame_of(sampler_of(idle).sample())) == "ask for it with --cache"
    assert (idle.cost.state, hanging.calls.empty()) == ("off", True)


def test_after_an_error_the_source_is_read_again() -> None:
    """An error is for one sample."""
    readers: Iterator[Callable[[], Sequence[Frame]]] = iter([failing(ValueError("no")), lambda: [disks(4)]])

    def read() -> Sequence[Frame]:
        reader = next(readers)
        return reader()

    shaky = source_reading(read)
    steady = sampler_of(shaky)
    assert frame_of(steady.sample()).missing
    assert frame_of(steady.sample()).cell("dasda", "reads") == 4
    assert (shaky.cost.calls, shaky.cost.errors, shaky.cost.state) == (2, 1, "ok")


# sources that are read every N seconds


def test_a_seldom_source_is_not_read_before_it_is_due() -> None:
    """Until then its last frame is handed out, the same object."""
    readings = iter([disks(1), disks(2)])
    seldom = source_reading(lambda: [next(readings)], every=LONG * 1000)
    steady = sampler_of(seldom)
    assert frame_of(steady.sample()) is frame_of(steady.sample())
    assert seldom.cost.calls == 1


def test_a_seldom_source_that_is_asked_for_is_read_at_once() -> None:
    """As when an event said that its labels changed."""
    readings = iter([disks(1), disks(2)])
    seldom = source_reading(lambda: [next(readings)], every=LONG * 1000)
    steady = sampler_of(seldom)
    steady.sample()
    seldom.read_again()
    assert frame_of(steady.sample()).cell("dasda", "reads") == 2


def read_seldom(*readings: Frame) -> LiveReading:
    """Return a seldom source that was read so many times."""
    following = iter(readings)
    seldom = source_reading(lambda: [next(following)], every=LONG * 1000)
    for _ in readings:
        seldom.read_again()
        seldom.look()
    return seldom


@given(st.lists(st.integers(0, 100), min_size=2, max_size=6))
def test_a_seldom_source_remembers_its_prior_reading_and_no_further(reads: list[int]) -> None:
    """However long it runs, it keeps two readings."""
    seldom = read_seldom(*(disks(n, when) for when, n in enumerate(reads)))
    last = seldom.frames()["block"]
    assert last.prior is not None
    assert last.prior.columns == {"reads": [reads[-2]]}
    assert last.prior.prior is None


def test_a_source_that_is_always_read_remembers_nothing() -> None:
    """Its prior reading is in the sample before."""
    readings = iter([disks(1), disks(2)])
    always = source_reading(lambda: [next(readings)])
    always.look()
    always.look()
    assert always.frames()["block"].prior is None


@pytest.mark.parametrize("failures", [1, 2, 3])
def test_a_failed_reading_does_not_count_as_the_prior_one(failures: int) -> None:
    """When a seldom source can be read again, it is compared with its last good reading."""
    bad = [empty_frame(BLOCK, "Input/output error")] * failures
    seldom = read_seldom(disks(10, 0), *bad, disks(40, 10**9))
    last = seldom.frames()["block"]
    at = Instant(0, 0, "boot"), Instant(1, 1, "boot")
    interval = Interval(Sample(at[0], {"block": last}), Sample(at[1], {"block": last}))
    assert interval.of(BLOCK)["reads"] == [30]
