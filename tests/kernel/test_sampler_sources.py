"""A source is read in a thread of its own, which is waited for once, whatever goes wrong."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.interval import Interval
from zmon.kernel import sampler
from zmon.kernel.sampler import Choice, SourceWorker
from zmon.kernel.tree import LiveTree
from zmon.kinds import BLOCK
from zmon.registry import SOURCES, Source
from zmon.sample import Frame, Instant, Sample, empty_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from zmon.base.absent import Absent

LONG = 60.0
"""Seconds that no test waits: what it waits for comes at once."""


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


class SignallingQueue(queue.SimpleQueue[Any]):
    """A queue that signals that something was put into it."""

    def __init__(self) -> None:
        super().__init__()
        self.filled = threading.Event()

    def put(self, item: object, block: bool = True, timeout: float | None = None) -> None:
        """Put, and signal."""
        super().put(item, block, timeout)
        self.filled.set()


def source_worker(read: Callable[[], Sequence[Frame]], *, every: float = 0.0, off: str = "") -> SourceWorker:
    """Make the worker of a source of block devices."""
    found = SourceWorker(Source("disks", "/proc/diskstats", (BLOCK,), "", every), LiveTree(), Choice())
    found.off = off
    found.read_frames = read  # type: ignore[method-assign]
    found.worker._answers = SignallingQueue()
    return found


def let_go(slow: SourceWorker, hanging: Hanging) -> None:
    """Let a reader answer, and wait until its answer is there."""
    hanging.go.set()
    answers = slow.worker._answers
    assert isinstance(answers, SignallingQueue)
    assert answers.filled.wait(LONG)


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
    assert source_worker(lambda: [disks(5)]).frames(LONG)["block"].cell("dasda", "reads") == 5


def test_loading_a_reader_takes_none_of_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its module is loaded before the deadline begins: a slow disk is no silent source."""
    loaded: list[threading.Thread] = []

    def find(_source: Source) -> Callable[[LiveTree], Frame]:
        loaded.append(threading.current_thread())
        return lambda _tree: disks(5)

    monkeypatch.setattr(sampler, "find_reader", find)
    worker = SourceWorker(Source("disks", "/proc/diskstats", (BLOCK,), "any"), LiveTree(), Choice())
    assert worker.frames(LONG)["block"].cell("dasda", "reads") == 5
    assert loaded[0] is threading.current_thread()


def test_a_reader_that_hangs_makes_its_frames_absent() -> None:
    """The reason names what does not answer."""
    hanging = Hanging()
    found = source_worker(hanging.read).frames(0)["block"]
    hanging.go.set()
    assert missing(found).startswith("/proc/diskstats ")


def test_a_reader_that_hangs_is_shown_to_hang() -> None:
    """The screen about zmon itself says so."""
    hanging = Hanging()
    slow = source_worker(hanging.read)
    slow.frames(0)
    assert (slow.cost.state, slow.cost.reason.split()[0]) == ("hangs", "/proc/diskstats")
    hanging.go.set()


def test_a_late_answer_counts_for_the_next_sample() -> None:
    """Nothing is read twice because it came late."""
    hanging = Hanging()
    slow = source_worker(hanging.read)
    slow.frames(0)
    let_go(slow, hanging)
    assert slow.frames(0)["block"] is hanging.answer
    assert (slow.cost.state, hanging.calls.qsize()) == ("ok", 1)


def test_a_reader_that_hangs_is_not_asked_again() -> None:
    """There is one thread and one call, however many samples go by."""
    hanging = Hanging()
    slow = source_worker(hanging.read)
    for _ in range(20):
        assert slow.frames(0)["block"].missing
    hanging.calls.get(timeout=LONG)
    hanging.go.set()
    assert hanging.calls.empty()


def test_a_reader_that_hangs_is_waited_for_once() -> None:
    """Later samples look whether it has answered, and go on."""
    hanging = Hanging()
    slow = source_worker(hanging.read)
    slow.frames(0)
    assert slow.frames(LONG * 1000)["block"].missing  # would not come back within the test
    hanging.go.set()


def test_after_a_late_answer_the_reader_is_asked_again() -> None:
    """The worker goes on as before, and is patient again."""
    hanging = Hanging()
    slow = source_worker(hanging.read)
    slow.frames(0)
    let_go(slow, hanging)
    slow.frames(0)
    hanging.answer = disks(2)
    assert slow.frames(LONG)["block"].cell("dasda", "reads") == 2


def test_other_sources_go_on_while_one_hangs() -> None:
    """Each source has a thread of its own."""
    hanging = Hanging()
    slow, good = source_worker(hanging.read), source_worker(lambda: [disks(7)])
    assert slow.frames(0)["block"].missing
    assert good.frames(LONG)["block"].cell("dasda", "reads") == 7
    hanging.go.set()


def test_a_source_that_is_off_is_never_read() -> None:
    """Its frames say how to have it read."""
    hanging = Hanging()
    idle = source_worker(hanging.read, off="ask for it with --cache")
    assert missing(idle.frames(LONG)["block"]) == "ask for it with --cache"
    assert (idle.cost.state, hanging.calls.empty()) == ("off", True)


def test_after_an_error_the_source_is_read_again() -> None:
    """An error is for one sample."""
    readers: Iterator[Callable[[], Sequence[Frame]]] = iter([failing(ValueError("no")), lambda: [disks(4)]])

    def read() -> Sequence[Frame]:
        reader = next(readers)
        return reader()

    shaky = source_worker(read)
    assert shaky.frames(LONG)["block"].missing
    assert shaky.frames(LONG)["block"].cell("dasda", "reads") == 4
    assert (shaky.cost.calls, shaky.cost.errors, shaky.cost.state) == (2, 1, "ok")


# sources that are read every N seconds


def test_a_seldom_source_is_not_read_before_it_is_due() -> None:
    """Until then its last frame is handed out, the same object."""
    readings = iter([disks(1), disks(2)])
    seldom = source_worker(lambda: [next(readings)], every=LONG * 1000)
    assert seldom.frames(LONG)["block"] is seldom.frames(LONG)["block"]
    assert seldom.cost.calls == 1


def test_a_seldom_source_that_is_asked_for_is_read_at_once() -> None:
    """As when an event said that its labels changed."""
    readings = iter([disks(1), disks(2)])
    seldom = source_worker(lambda: [next(readings)], every=LONG * 1000)
    seldom.frames(LONG)
    seldom.read_again()
    assert seldom.frames(LONG)["block"].cell("dasda", "reads") == 2


def read_seldom(*readings: Frame) -> SourceWorker:
    """Return the worker of a seldom source that was read so many times."""
    following = iter(readings)
    seldom = source_worker(lambda: [next(following)], every=LONG * 1000)
    for _ in readings:
        seldom.read_again()
        seldom.frames(LONG)
    return seldom


@given(st.lists(st.integers(0, 100), min_size=2, max_size=6))
def test_a_seldom_source_remembers_its_prior_reading_and_no_further(reads: list[int]) -> None:
    """However long it runs, it keeps two readings."""
    seldom = read_seldom(*(disks(n, when) for when, n in enumerate(reads)))
    last = seldom.frames(LONG)["block"]
    assert last.prior is not None
    assert last.prior.columns == {"reads": [reads[-2]]}
    assert last.prior.prior is None


def test_a_source_that_is_always_read_remembers_nothing() -> None:
    """Its prior reading is in the sample before."""
    readings = iter([disks(1), disks(2)])
    always = source_worker(lambda: [next(readings)])
    always.frames(LONG)
    assert always.frames(LONG)["block"].prior is None


@pytest.mark.parametrize("failures", [1, 2, 3])
def test_a_failed_reading_does_not_count_as_the_prior_one(failures: int) -> None:
    """When a seldom source can be read again, it is compared with its last good reading."""
    bad = [empty_frame(BLOCK, "Input/output error")] * failures
    seldom = read_seldom(disks(10, 0), *bad, disks(40, 10**9))
    last = seldom.frames(LONG)["block"]
    at = Instant(0, 0, "boot"), Instant(1, 1, "boot")
    interval = Interval(Sample(at[0], {"block": last}), Sample(at[1], {"block": last}))
    assert interval.of(BLOCK)["reads"] == [30]


@pytest.mark.parametrize("prompt", [True, False])
def test_a_prompt_source_is_read_without_a_thread(prompt: bool) -> None:
    """Others each have one, for they may hang."""
    threads: list[int] = []

    def read() -> Sequence[Frame]:
        threads.append(threading.get_ident())
        return [disks(len(threads))]

    one = source_worker(read)
    one.source = one.source._replace(prompt=prompt)
    assert [one.frames(LONG)[BLOCK.name].column("reads")[0] for _ in range(2)] == [1, 2]
    assert (threads == [threading.get_ident()] * 2) is prompt


def test_prompt_sources_read_only_what_the_kernel_has_in_memory() -> None:
    """No attribute of a device, no ioctl, no file system of others."""
    prompt = [source for source in SOURCES if source.prompt]
    assert prompt
    for source in prompt:
        files = (*source.counters, *source.identity, *source.seldom)
        assert all(file.startswith("proc/") and not file.startswith("proc/dasd") for file in files)
