"""Timelines of machines whose samples are made when they are needed: live, captured and simulated ones."""

from __future__ import annotations

import os
from functools import cached_property
from itertools import pairwise
from threading import Lock

from zmon.base.clock import SECOND
from zmon.base.event import What
from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.interval import Interval
from zmon.kernel.sampler import EVERYTHING, Sampler
from zmon.kernel.tree import LiveTree
from zmon.kinds import DEVICE, LUN, TEXT
from zmon.sample import THIS_MACHINE
from zmon.session.timeline import NoteError, Section, Timeline, spliced
from zmon.store.file_format import RecordingError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from zmon.base.event import Event
    from zmon.kernel.capture_tree import CapturedTree
    from zmon.kernel.sampler import Choice
    from zmon.kernel.udev import Hotplug
    from zmon.lab.model import Scenario
    from zmon.sample import Kind, Sample
    from zmon.session.live_buffer import LiveBuffer
    from zmon.session.timeline import Span

CAPTURE_REFUSAL: Final = "a capture is only read; notes go into what is recorded: zmon --record FILE"
SCENARIO_REFUSAL: Final = "a scenario of the laboratory takes no notes: they go into a recording of it"

PREFIX: Final = "lab:"
"""How the name of a simulated machine begins."""
MAX_SAMPLES: Final = 512
"""Samples of a scenario that are kept in memory, ..."""
MAX_ROWS: Final = 100_000
"""... and rows of devices in them, of which each takes a kilobyte."""
CHECKPOINT: Final = 8
"""Samples between two copies of the counters; going back counts from such a copy."""
OF_CONFIGURATION: Final = (What.CHANGE, What.CAME, What.WENT)
"""Events that are found between samples which nobody recorded.  That passes are far apart is none."""
HOUR: Final = 3600


class LiveTimeline(Timeline):
    """Samples of this machine: taken now, and those that a live buffer keeps."""

    live = True

    def __init__(
        self,
        choice: Choice,
        seconds: float,
        hotplug: Hotplug | None = None,
        root: str = "/",
        buffer: LiveBuffer | None = None,
    ) -> None:
        """Prepare to sample every `seconds`; the caller keeps the time."""
        super().__init__(THIS_MACHINE if root == "/" else root, self._kept)
        self._sampler = Sampler(LiveTree(root), choice, seconds, hotplug=hotplug)
        self._buffer = buffer
        self.keeps_notes = buffer is None or buffer.lasting
        self._reason = ""

    def _kept(self) -> Sequence[Section]:
        try:
            return self._buffer.sections() if self._buffer is not None else ()
        except RecordingError:
            return ()

    def want(self, kinds: Collection[Kind]) -> None:
        """Read what is about these kinds from the next sample on, and nothing else on demand."""
        self._sampler.want(kinds)

    def take(self) -> Sample:
        """Take a sample now and keep it; see `problem`."""
        sample = self._sampler.sample()
        reason = ""
        try:
            if self._buffer is not None:
                self._buffer.append(sample)
        except RecordingError as error:
            reason = str(error)
        self.problem = "" if reason == self._reason else reason
        self._reason = reason
        return sample

    def glance(self) -> Sample:
        """Take a sample now, and do not keep it."""
        return self._sampler.sample()

    def note(self, utc: int, text: str) -> None:
        """Record a note, where the samples are kept."""
        if self._buffer is None:
            raise NoteError("nothing is kept of these samples; zmon --record FILE keeps them, and notes")
        try:
            self._buffer.note(utc, text)
        except RecordingError as error:
            raise NoteError(str(error)) from error

    def close(self) -> None:
        """Take no more samples, and close the buffer."""
        if self._buffer is not None:
            self._buffer.close()


class CaptureSection(Section):
    """The passes of a capture, in time order; each is read once, when it is first needed."""

    def __init__(self, path: str, passes: Sequence[CapturedTree], choice: Choice) -> None:
        """Read no pass yet."""
        self.name = path
        self._passes = passes
        self._choice = choice
        self._samples: dict[int, Sample] = {}

    def __len__(self) -> int:
        return len(self._passes)

    def sample(self, number: int) -> Sample:
        """Return the sample of a pass."""
        if number not in self._samples:
            from zmon.collected.collection import sample_of_pass  # noqa: PLC0415 - a live machine needs no texts

            self._samples[number] = sample_of_pass(self._passes[number], self.name, self._choice)
        return self._samples[number]

    def number_at(self, utc: int) -> int:
        """Return the number of the last pass at a time or before."""
        last = range(len(self) - 1, -1, -1)
        return next((number for number in last if self.sample(number).at.utc <= utc), 0)

    def span(self) -> Span:
        """Return the times of the first and the last pass."""
        return self.sample(0).at.utc, self.sample(len(self) - 1).at.utc

    def events(self, begin: int, end: int) -> Sequence[Event]:
        """Return how the I/O configuration changed from pass to pass, between two times."""
        return [event for event in self._changes if begin <= event.begin <= end]

    @cached_property
    def _changes(self) -> Sequence[Event]:
        return _changes(pairwise(map(self.sample, range(len(self)))))


def _changes(pairs: Iterable[tuple[Sample, Sample]]) -> list[Event]:
    """Return how the I/O configuration changed within pairs of samples, as a recording would say it."""
    from zmon.store.changes import events_between  # noqa: PLC0415 - most lookups ask for no events

    return [
        event
        for before, after in pairs
        for event in events_between(before, after)
        if event.what in OF_CONFIGURATION
    ]


def open_capture(path: str, choice: Choice = EVERYTHING, last: int | None = None, host: str = "") -> Timeline:
    """Return the timeline of a capture, an archive or a directory; with `last`, of its last passes only.

    Of texts of several hosts `host` is meant, else one that has most.

    Raises:
        CaptureError: it cannot be used; says what is wrong and what to do.
    """
    from zmon.collected import text_reader  # noqa: PLC0415 - a live machine needs no archive
    from zmon.kernel import capture_tree  # noqa: PLC0415 - likewise
    from zmon.kernel.tree import lacking  # noqa: PLC0415 - likewise

    capture = text_reader.open_capture(path, host)
    passes = capture.passes
    section = CaptureSection(path, passes if last is None else passes[-last:], choice)
    texts = bool(passes[-1].texts or passes[-1].shown) and not capture_tree.is_own(passes[-1])
    if texts and len(passes) == 1 and not _says_something(passes[0], section.sample(0)):
        from zmon.topology.read_texts import strange_texts  # noqa: PLC0415 - likewise

        if strange := "; ".join(strange_texts(section.sample(0))):
            raise capture_tree.CaptureError(f"{path}: none of its lines says anything: {strange}.")
        raise capture_tree.CaptureError(
            f"{path} holds no capture, recording or collected text: its texts look like the output of"
            " commands, but nothing in them is of a machine."
        )
    timeline = Timeline(path, lambda: [section], CAPTURE_REFUSAL)
    unseen = capture_tree.is_own(passes[-1]) and lacking(passes[-1])
    timeline.remarks = (*capture.notes, *([f"{path}: {unseen}"] if unseen else []))
    if texts:
        from zmon.topology.read_texts import strange_texts  # noqa: PLC0415 - likewise

        timeline.texts = passes[-1]
        timeline.strange = tuple(strange_texts(section.sample(len(section) - 1)))
    return timeline


def _says_something(only: CapturedTree, sample: Sample) -> bool:
    """Return whether a pass with texts has a file, an answer or a row about a machine."""
    if {"sys", "proc", "cp"}.intersection(only.entries("/")):
        return True
    return any(sample.frame(TEXT).column("read"))


class ScenarioSection(Section):
    """The samples of a simulated machine; the same in every run and on every machine."""

    previews = True

    def __init__(self, plan: Scenario) -> None:
        """Simulate nothing yet."""
        from zmon.lab.counters import KernelCounters  # noqa: PLC0415 - nothing else simulates
        from zmon.lab.simulation import Simulation  # noqa: PLC0415 - likewise

        self.plan = plan
        self.name = f"{PREFIX}{plan.name}"
        self._simulation = Simulation(plan)
        self._counters = KernelCounters(plan)
        self._checkpoints = [self._counters.copy()]
        self._samples: dict[int, Sample] = {}
        self._most = 0
        """How many of them are kept; 0 before the first one."""
        self._lock = Lock()
        """The glass and its reading thread read the same simulation."""

    def __len__(self) -> int:
        return len(self._simulation) + 1

    def sample(self, number: int) -> Sample:
        """Return a sample; one beside the last that was simulated costs one interval, whichever side."""
        with self._lock:
            if number not in self._samples:
                if number < self._counters.number:  # who goes back asks for those before next
                    for before in range(self._checkpoint(number) * CHECKPOINT, number):
                        self._keep(before)
                self._keep(number)
            return self._samples[number]

    def _keep(self, number: int) -> None:
        """Make a sample, and forget those that were made first if there are too many."""
        self._simulate(number)
        self._samples.pop(number, None)
        sample = self._samples[number] = self._counters.sample()
        if not self._most:
            rows = len(sample.frame(DEVICE).keys) + len(sample.frame(LUN).keys)
            self._most = min(max(MAX_ROWS // max(rows, 1), 2 * CHECKPOINT), MAX_SAMPLES)
        while len(self._samples) > self._most:
            del self._samples[next(iter(self._samples))]

    def _checkpoint(self, number: int) -> int:
        """Return the last copy of the counters at a sample or before."""
        return min(number // CHECKPOINT, len(self._checkpoints) - 1)

    def first_look(self, utc: int) -> Interval | None:
        """Return a short interval that ends within the second before a time.

        It is how the machine is before the phase is counted.
        """
        from zmon.lab.counters import KernelCounters  # noqa: PLC0415 - nothing else simulates

        number = self.number_at(utc)
        look = self._simulation.first_look(number - 1) if number else None
        if look is None:
            return None
        phase = self.plan.phases[self._simulation.phase(number - 1)]
        begin = self._time(number) - round(look.seconds * SECOND)
        counters = KernelCounters(
            self.plan._replace(begin=begin // SECOND, step=look.seconds, phases=(phase,))
        )
        before = counters.sample()
        counters.add([look.counts])
        return Interval(before, counters.sample())

    def preview(self, utc: int) -> Interval | None:
        """Return the interval that ends at a time; only its phase is simulated, as far as it needs."""
        from zmon.lab.counters import KernelCounters  # noqa: PLC0415 - nothing else simulates

        number = self.number_at(utc)
        if not number:
            return None
        counters = KernelCounters(self.plan, number - 1)
        before = counters.sample()
        counters.add([self._simulation.interval(number - 1)])
        return Interval(before, counters.sample())

    def _simulate(self, number: int) -> None:
        """Make the counters those of a sample."""
        checkpoint = self._checkpoint(number)
        if not checkpoint * CHECKPOINT <= self._counters.number <= number:
            self._counters = self._checkpoints[checkpoint].copy()
        while (begin := self._counters.number) < number:
            end = min(number, (begin // CHECKPOINT + 1) * CHECKPOINT)
            self._counters.add(map(self._simulation.interval, range(begin, end)))
            if end == len(self._checkpoints) * CHECKPOINT:
                self._checkpoints.append(self._counters.copy())

    def _time(self, number: int) -> int:
        return self.plan.begin * SECOND + round(number * self.plan.step * SECOND)

    def number_at(self, utc: int) -> int:
        """Return the number of the last sample at a time or before."""
        number = int((utc - self.plan.begin * SECOND) / (self.plan.step * SECOND))
        number += self._time(number + 1) <= utc  # times are rounded to ns
        return min(number, len(self) - 1) if utc >= self._time(0) else 0

    def span(self) -> Span:
        """Return the times of the first and the last sample."""
        return self._time(0), self._time(len(self) - 1)

    def events(self, begin: int, end: int) -> Sequence[Event]:
        """Return how the I/O configuration changed from phase to phase, between two times."""
        return [event for event in self._changes if begin <= event.begin <= end]

    @cached_property
    def _changes(self) -> Sequence[Event]:
        """The changes; only a phase has another machine than the one before, so nothing is simulated."""
        from zmon.lab.counters import KernelCounters  # noqa: PLC0415 - nothing else simulates

        boxes = [self.plan.in_phase(number).box for number in range(len(self.plan.phases))]
        last = [
            end
            for end, (box, following) in zip(self.plan.phase_ends(), pairwise(boxes), strict=False)
            if box != following
        ]
        return _changes(
            (KernelCounters(self.plan, end).sample(), KernelCounters(self.plan, end + 1).sample())
            for end in last
        )


def open_lab(source: str) -> Timeline:
    """Return the timeline of `lab:NAME`, or of several scenarios one after the other: `lab:NAME+NAME`.

    A name may be the path of a scenario file of the user's own, `lab:./mine.toml`.

    Raises:
        ScenarioError: there is no such scenario, or it cannot be used.
        OSError: a file cannot be read.
    """
    from zmon.lab.scenario import load_scenario  # noqa: PLC0415 - nothing else simulates

    name = source.removeprefix(PREFIX)
    names = [name] if os.path.exists(name) else name.split("+")
    return simulated(laid_out([load_scenario(name) for name in names]))


def simulated(plans: Sequence[Scenario]) -> Timeline:
    """Return the timeline of scenarios one after the other, each of which begins behind the one before."""
    return spliced([ScenarioSection(plan) for plan in plans], SCENARIO_REFUSAL)


def laid_out(plans: Sequence[Scenario]) -> list[Scenario]:
    """Lay scenarios one after the other: one that would begin too early begins with the next full hour."""
    from zmon.lab.simulation import Simulation  # noqa: PLC0415 - nothing else simulates

    scenarios: list[Scenario] = []
    earliest = 0
    for plan in plans:
        begin = max(plan.begin, earliest)
        scenarios.append(plan._replace(begin=begin))
        last = begin + len(Simulation(plan)) * plan.step
        earliest = (int(last) // HOUR + 1) * HOUR
    return scenarios
