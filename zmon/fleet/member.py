"""One system of a fleet: what its recording says of a time, mostly from roll-ups."""

from __future__ import annotations

import os
from contextlib import closing
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.absent import Absent, absent, text_of
from zmon.base.clock import END_OF_TIME, SECOND
from zmon.base.mistake import contained
from zmon.interval import Interval
from zmon.kinds import CHANNEL, MACHINE
from zmon.machine.channel_paths import busy_percents
from zmon.session.recording import Excerpt
from zmon.store.file_format import RecordingError
from zmon.trends.exception_rows import NOT_STORED, stored
from zmon.trends.rollup_damage import damaged_times, whole_things
from zmon.trends.trend_tables import SECONDS, THOUSAND, TREND_TABLES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from zmon.base.absent import Number, Value
    from zmon.base.event import ExceptionEntry
    from zmon.sample import Sample
    from zmon.store.reader import Recording

MINUTE: Final = 60
LOST_AND_FOUND: Final = "lost+found"
"""A directory that each file system has, and no system."""
LCU_FIGURES: Final = ("io", "mbs", "pend", "disc", "conn", "resp", "queue")
"""The figures of LCUs that are read of roll-ups."""
NOT_THEN: Final = absent("nothing was recorded in this time")
NO_ROLLUPS: Final = absent("the recording has no roll-ups in this time")


class Weighed(NamedTuple):
    """A sum of values times weights, and the sum of the weights; of several systems both add up."""

    total: float = 0.0
    weight: float = 0.0

    @property
    def mean(self) -> Number:
        """The weighed mean."""
        return self.total / self.weight if self.weight > 0 else NO_ROLLUPS

    def plus(self, other: Weighed) -> Weighed:
        """Return both together."""
        return Weighed(self.total + other.total, self.weight + other.weight)


def together(things: Iterable[Mapping[str, Weighed]]) -> dict[str, Weighed]:
    """Return the figures of several things together, each with its weight."""
    summed: dict[str, Weighed] = {}
    for figures in things:
        for name, weighed in figures.items():
            summed[name] = summed.get(name, Weighed()).plus(weighed)
    return summed


def lcu_parts(key: str) -> tuple[str, str, str]:
    """Return vendor, box and LCU of a key; what people call it is the LCU."""
    vendor, _, rest = key.partition(".")
    box, _, lcu = rest.rpartition(".")
    return (vendor, box, lcu) if box else ("", "", key)


class ChannelUse(NamedTuple):
    """How busy a channel path was in the last minute, by all partitions and by this one; parts of 1."""

    cpc: str
    chpid: str
    """css.chpid: `0.4e`."""
    type: Value
    all: Number
    own: Number


class Member(NamedTuple):
    """One system."""

    name: str
    path: str
    """Its recording: a file, or a directory of day files."""
    problem: str = ""
    """Why it cannot be read; then nothing else is known."""
    span: tuple[int, int] = (0, 0)
    """The times of its first and last sample, UTC in ns."""
    machine: Mapping[str, str] = {}
    """What MACHINE says: guest_name, lpar_name, sequence ..."""
    is_simulated: bool = False
    lcus: Mapping[str, Mapping[str, Weighed]] = {}
    """By VENDOR.SERIAL.SSID and figure."""
    cpu: Weighed = Weighed()
    channels: tuple[ChannelUse, ...] = ()
    exceptions: tuple[ExceptionEntry, ...] | Absent = NOT_STORED
    """Those of the time, the heaviest first; why they are not known if it stores none."""
    damage: str = ""
    """What of it was found damaged, the first; its figures lack that."""
    has_rollups: bool = True
    """Whether its recordings have the figures of minutes, which all figures here are from."""
    is_recorded: bool = True
    """Whether its figures are from a recording, and not from metrics."""


def found_in(directory: str) -> dict[str, str]:
    """Return the recordings of a directory by the names of systems.

    Each directory in it is a system, and so are each file NAME.zmon and each link that leads nowhere: what
    cannot be read says so when it is read, and does not vanish.

    Raises:
        OSError: it cannot be listed.
    """
    systems: dict[str, str] = {}
    for name in sorted(os.listdir(directory)):
        if name == LOST_AND_FOUND or name.startswith("."):
            continue
        path = os.path.join(directory, name)
        system = name.removesuffix(".zmon")
        if system != name or os.path.isdir(path) or not os.path.exists(path):
            systems[name if system in systems else system] = path
    return systems


class SystemRecording:
    """The recording of a system, opened when it is first asked and then kept open; any thread may ask."""

    def __init__(self, name: str, path: str) -> None:
        """Open nothing yet."""
        self.name, self.path = name, path
        self._excerpt: Excerpt | None = None
        self._lock = Lock()

    @property
    def files(self) -> int:
        """How many files are open at most."""
        excerpt = self._excerpt
        return 0 if excerpt is None else len(excerpt.sections)

    def close(self) -> None:
        """Close it; it is opened again when it is asked."""
        with self._lock:
            if self._excerpt is not None:
                self._excerpt.close()
                self._excerpt = None

    def _between(self, begin: int = 0, end: int = END_OF_TIME) -> Excerpt:
        """Return the samples between two times, UTC in ns; the lock must be held."""
        excerpt = self._excerpt = self._excerpt or Excerpt(self.path)
        excerpt.begin, excerpt.end = begin, end
        return excerpt

    def span(self) -> tuple[int, int]:
        """Return the times of the first and last sample.

        Raises:
            RecordingError: it cannot be read, or is empty.
        """
        with self._lock:
            span = self._between().span()
        if span is None:
            raise RecordingError(f"{self.path}: there is no sample in it")
        return span

    def member(self, begin: int, end: int) -> Member:
        """Return what it says of a time, UTC in ns; one that cannot be read says why."""
        return contained(
            f"the figures of {self.name}",
            lambda: self._member(begin, end),
            lambda why: Member(self.name, self.path, why.reason),
        )

    def _member(self, begin: int, end: int) -> Member:
        name, path = self.name, self.path
        try:
            with self._lock:
                excerpt = self._between(begin, end)
                span = excerpt.span()
                if span is None:
                    return Member(name, path, "there is no sample in it")
                return _member(Member(name, path, span=span), list(excerpt.parts()), begin, end)
        except (RecordingError, OSError, ValueError) as error:
            return Member(name, path, str(error))

    def exceptions(self) -> tuple[tuple[ExceptionEntry, ...], bool]:
        """Return all exceptions that it stores, and whether it has measured channel paths.

        There are none if it cannot be read, or if they were not recorded.
        """
        return contained(f"the exceptions of {self.name}", self._exceptions, lambda _why: ((), False))

    def _exceptions(self) -> tuple[tuple[ExceptionEntry, ...], bool]:
        try:
            with self._lock:
                inside = list(self._between().parts())
                trends = stored([recording for recording, _ in inside]) if inside else NOT_STORED
                if isinstance(trends, Absent):
                    return (), False
                recording, numbers = inside[-1]
                last = recording.sample(numbers[-1], [CHANNEL.name])
                return tuple(trends.entries), any(True for _ in _channels(recording, numbers, last, ""))
        except (RecordingError, OSError, ValueError):
            return (), False  # `member` says why


def read_member(name: str, path: str, begin: int, end: int) -> Member:
    """Return what a recording says of a time, UTC in ns; a recording that cannot be read says why."""
    with closing(SystemRecording(name, path)) as recording:
        return recording.member(begin, end)


def _member(member: Member, inside: Sequence[tuple[Recording, range]], begin: int, end: int) -> Member:
    recordings = [recording for recording, _ in inside]
    if not recordings:
        return member._replace(exceptions=NOT_THEN)
    recording, numbers = inside[-1]
    last = recording.sample(numbers[-1], [MACHINE.name, CHANNEL.name])
    frame = last.frame(MACHINE)
    machine = {
        field: text_of(value)
        for field in ("guest_name", "lpar_name", "vm_name", "sequence", "hostname", "environment")
        for value in frame.column(field)[:1]
    }
    trends = stored(recordings)
    entries: tuple[ExceptionEntry, ...] | Absent
    if isinstance(trends, Absent):
        entries = trends
    else:
        during = (entry for entry in trends.entries if entry.begin <= end and entry.end >= begin)
        entries = tuple(sorted(during, key=lambda entry: entry.heaviness))
    cpus = _summed(recordings, "CPU", ("busy",), begin, end)
    cpu = Weighed()
    for figures in cpus.values():
        cpu = cpu.plus(figures.get("busy", Weighed()))
    system = member._replace(
        machine=machine,
        is_simulated=last.simulated,
        lcus=_summed(recordings, "CTLUNIT", LCU_FIGURES, begin, end),
        cpu=cpu,
        channels=tuple(_channels(recording, numbers, last, machine.get("sequence", ""))),
        exceptions=entries,
    )
    return system._replace(
        damage=next((hole.text for recording in recordings for hole in recording.holes), ""),
        has_rollups=any(recording.has_rollups for recording in recordings),
    )


def _summed(
    recordings: Sequence[Recording], screen: str, wanted: Collection[str], begin: int, end: int
) -> dict[str, dict[str, Weighed]]:
    """Return the sums of wanted figures over the minutes of a time, by thing; one that rested has zeros.

    Raises:
        RecordingError: a recording cannot be read.
    """
    table = next(trend_table for trend_table in TREND_TABLES if trend_table.screen == screen)
    chosen = [figure for figure in table.figures if figure.name in wanted]
    sums_of: dict[str, dict[str, Weighed]] = {}
    for recording in recordings:
        columns = {
            str(name) for (name,) in recording.ask("SELECT name FROM pragma_table_info(?)", table.minutes)
        }
        if not columns.issuperset(name for figure in chosen for name in figure.columns):
            continue
        # a minute has the intervals that begin in it, so that at the end of the time is not of it
        first, last = begin // SECOND // MINUTE * MINUTE, -(-end // SECOND) - 1
        damaged = ", ".join(map(str, damaged_times(recording, table, between=(first, last))))
        whole = f"m.minute BETWEEN ? AND ? AND m.minute NOT IN ({damaged})"
        covered = recording.ask(f"SELECT sum(seconds) FROM minute m WHERE {whole}", first, last)  # noqa: S608 - numbers
        names = {number: name for name, number in whole_things(recording, screen).items()}
        seconds = (covered[0][0] or 0) / THOUSAND
        sums = ", ".join(f"sum(r.{f.columns[2]}), sum(r.{f.columns[1]})" for f in chosen)
        rows = recording.ask(
            f"SELECT r.thing, sum(m.seconds), {sums} FROM minute m"  # noqa: S608 - names of screens
            f" CROSS JOIN {table.minutes} r ON r.minute = m.minute WHERE {whole} GROUP BY r.thing",
            first,
            last,
        )
        for number, seen, *parts in rows:
            if number not in names:
                continue
            figures = sums_of.setdefault(names[number], {})
            rested = seconds - (seen or 0) / THOUSAND if table.sparse else 0.0
            for at, figure in enumerate(chosen):
                total, weight = parts[2 * at : 2 * at + 2]
                if not isinstance(total, int) or not isinstance(weight, int):
                    continue
                more = rested if figure.weight == SECONDS else 0.0
                weighed = Weighed(total / THOUSAND, weight / THOUSAND + more)
                figures[figure.name] = figures.get(figure.name, Weighed()).plus(weighed)
    return sums_of


def _channels(recording: Recording, numbers: range, last: Sample, cpc: str) -> Iterator[ChannelUse]:
    """Yield the channel paths in the last minute of the time."""
    at = recording.place(last.at.utc - MINUTE * SECOND)
    at = min(max(at, numbers[0]), numbers[-1] - 1)
    if at < 0 or not last.frame(CHANNEL).keys:
        return
    before = recording.sample(at, [CHANNEL.name])
    delta = Interval(before, last, skipped=True).of(CHANNEL)
    both = zip(delta.keys, delta["type"], busy_percents(delta), busy_percents(delta, own=True), strict=True)
    for key, code, percent, own in both:
        if not isinstance(percent, Absent):
            yield ChannelUse(cpc, key, code, percent / 100, own / 100)
