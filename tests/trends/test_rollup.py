"""Roll-ups say of minutes and quarters of an hour what the screens said of their intervals."""

from __future__ import annotations

import shutil
from contextlib import closing
from itertools import pairwise
from operator import lt
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from zmon.base.absent import Absent, absent
from zmon.base.clock import MINUTE, SECOND
from zmon.interval import Interval
from zmon.kinds import BLOCK, CMF, CPU, DEVICE
from zmon.sample import Frame, Instant, Sample
from zmon.store.open import RecordingFile
from zmon.store.reader import Recording
from zmon.trends.moving_devices import MovingDevices
from zmon.trends.rollup import minute_of, recording_with_trends
from zmon.trends.trend_tables import SECONDS, TREND_TABLES

if TYPE_CHECKING:
    from pathlib import Path
    from sqlite3 import Connection

    from zmon.base.absent import Value

BEGIN = 1_795_219_200 * SECOND
"""A midnight."""
BUSIDS = [f"0.0.700{n}" for n in range(6)]
LOST = absent("cannot be read")


class Machine:
    """Six DASD in two control units, and a CPU, all of which do as they are told."""

    def __init__(self) -> None:
        self.at = Instant(BEGIN, 10**15, "one")
        self.counts = [[1000 * (n + 1)] * 6 for n in range(len(BUSIDS))]
        self.there = list(range(len(BUSIDS)))
        self.lost: set[int] = set()
        self.cpu = [0, 0]
        self.frames: dict[str, Frame] = {}

    def work(self, device: int, starts: int, ms: int) -> None:
        """Let a device do some I/O, each of which takes so long."""
        counts = self.counts[device]
        for place, more in enumerate((starts, starts * ms * 400_000, starts * ms * 100_000, starts * 8,
                                      starts * ms, starts * ms)):  # fmt: skip
            counts[place] += more

    def reset(self, device: int) -> None:
        """Clear all counters of a device."""
        self.counts[device] = [0] * 6

    def sample(self, seconds: float = 1.0, *, nominal: float = 1.0) -> Sample:
        """Let time pass and read everything."""
        ns = round(seconds * SECOND)
        self.at = Instant(self.at.utc + ns, self.at.steady + ns, self.at.boot)
        self.cpu[0] += ns // 4
        self.cpu[1] += ns - ns // 4
        keys = [BUSIDS[n] for n in self.there]
        names = [f"dasd{'abcdef'[n]}" for n in self.there]

        def column(place: int) -> list[Value]:
            return [LOST if n in self.lost else self.counts[n][place] for n in self.there]

        now = [self.at.steady] * len(keys)
        none: list[Value] = [0] * len(keys)
        cmf = {"ssch": column(0), "samples": column(0), "connect": column(1), "pending": column(2),
               "disconnect": none, "cu_queue": none}  # fmt: skip
        block = {"reads": column(0), "writes": none, "sectors_read": column(3), "sectors_written": none,
                 "read_ms": column(4), "write_ms": none, "weighted_ms": column(5)}  # fmt: skip
        device: dict[str, list[Value]] = {
            "online": [1] * len(keys), "alias": none, "block": [*names],
            "uid": [f"IBM.750000000ABCD1.248{n // 3}.0{n}" for n in self.there],
        }  # fmt: skip
        cpu: dict[str, list[Value]] = {"user": [self.cpu[0]], "idle": [self.cpu[1]]}
        cpu |= {name: [0] for name in ("nice", "system", "iowait", "irq", "softirq", "steal")}
        for frame in (
            Frame(CMF, keys, cmf, now),
            Frame(BLOCK, names, block, now),
            Frame(DEVICE, keys, device, now),
            Frame(CPU, ["0"], cpu, [self.at.steady]),
        ):
            self.frames[frame.kind.name] = frame
        return Sample(self.at, dict(self.frames), "here", nominal)


def record(path: Path, samples: list[Sample], seals: set[int], opens: set[int]) -> None:
    """Record samples; behind some of them make segments, or close and open again."""
    writer = recording_with_trends(str(path), sealed=10**9, durable=False)
    for number, sample in enumerate(samples):
        writer.append(sample)
        if number in seals:
            writer.seal()
        if number in opens:
            writer.close()
            assert writer.problem() is None
            writer = recording_with_trends(str(path), sealed=10**9, durable=False)
    writer.close()
    assert writer.problem() is None


def rows(connection: Connection, table: str, *keys: str) -> dict[Any, dict[str, Any]]:
    """Return the rows of a table of trends by time and the name of their thing."""
    cursor = connection.execute(f"SELECT t.name AS name, r.* FROM {table} r JOIN thing t ON t.id = r.thing")  # noqa: S608 - ours
    names = [about[0] for about in cursor.description]
    told = [dict(zip(names, row, strict=True)) for row in cursor]
    return {tuple(row[key] for key in keys): row for row in told}


Expected = dict[tuple[int, str], dict[str, list[tuple[float, float]]]]


def expected(samples: list[Sample], length: int = 60) -> dict[str, Expected]:
    """Return for each screen the values and weights of each figure, by time and thing, from whole tables."""
    found: dict[str, Expected] = {kind.screen: {} for kind in TREND_TABLES}
    for before, after in pairwise(samples):
        interval = Interval(before, after)
        seconds = interval.seconds
        if isinstance(seconds, Absent) or interval.gap or seconds <= 0:
            continue
        time = minute_of(interval) // length * length
        for kind in TREND_TABLES:
            table = kind.filled(interval)
            for row, key in enumerate(table.keys):
                told = found[kind.screen].setdefault((time, key), {f.name: [] for f in kind.figures})
                for figure in kind.figures:
                    value = table.columns[figure.name][row]
                    rate = 1.0 if figure.weight == SECONDS else table.columns[figure.weight][row]
                    if isinstance(value, (int, float)) and isinstance(rate, (int, float)):
                        told[figure.name].append((value, rate * seconds))
    return found


def check(row: dict[str, Any], name: str, pairs: list[tuple[float, float]], slack: float) -> None:
    """Fail unless a row says of a figure what its values say."""
    assert row[f"{name}_count"] == len(pairs)
    if not pairs:
        assert row[f"{name}_sum"] is None
        return
    weight, total = sum(w for _v, w in pairs), sum(v * w for v, w in pairs)
    values = [v for v, _w in pairs]
    for part, number in (("weight", weight), ("sum", total), ("min", min(values)), ("max", max(values))):
        assert row[f"{name}_{part}"] / 1000 == pytest.approx(number, abs=slack, rel=1e-9), (name, part)


def compare(path: Path, samples: list[Sample], slack: float = 0.02) -> None:
    """Fail unless the trends of a recording are those of its samples.

    Of quarters only if all devices were always there and known: what comes is taken to have rested before.
    """
    whole = all(
        now.frames["device"].keys == BUSIDS
        and LOST not in now.frames["cmf"].columns["ssch"]
        and not any(map(lt, now.frames["cmf"].columns["ssch"], before.frames["cmf"].columns["ssch"]))
        for before, now in pairwise(samples[:1] + samples)
    )
    recording = Recording(str(path))
    connection = recording._file.connection
    for table, length, time in (("minutes", 60, "minute"), ("quarters", 900, "quarter"))[: 1 + whole]:
        wanted = expected(samples, length)
        for kind in TREND_TABLES:
            found = rows(connection, getattr(kind, table), time, "name")
            for place, told in wanted[kind.screen].items():
                row = found.pop(place, None)
                for figure in kind.figures:
                    pairs = told[figure.name]
                    if row is not None and (
                        any(value for value, _weight in pairs) or row[f"{figure.name}_sum"]
                    ):
                        check(row, figure.name, pairs, slack)
                    elif figure.weight == SECONDS:
                        assert not any(value for value, _weight in pairs), (place, figure.name)
                        assert kind.sparse or not pairs or row is not None
            for row in found.values():  # of things that were there before, and are not any more
                assert not any(value for name, value in row.items() if name.endswith("_count"))
    recording.close()


@st.composite
def histories(draw: st.DrawFn) -> list[Sample]:
    """Samples of a machine to which all sorts of things happen."""
    machine, found = Machine(), []
    machine.at = machine.at._replace(utc=BEGIN + draw(st.integers(0, 899)) * SECOND)
    for _ in range(draw(st.integers(2, 30))):
        for _ in range(draw(st.integers(0, 3))):
            machine.work(draw(st.integers(0, 5)), draw(st.integers(1, 200)), draw(st.integers(0, 90)))
        happening = draw(st.integers(0, 30))
        if happening == 0:
            machine.reset(draw(st.integers(0, 5)))
        elif happening == 1:
            machine.there = sorted(draw(st.sets(st.integers(0, 5), min_size=1)))
        elif happening == 2:
            machine.lost = draw(st.sets(st.integers(0, 5), max_size=2))
        elif happening == 3:
            machine.at = machine.at._replace(boot=draw(st.sampled_from(["one", "two"])))
        elif happening == 4:
            machine.at = machine.at._replace(utc=machine.at.utc + draw(st.integers(-200, 200)) * SECOND)
        found.append(machine.sample(draw(st.sampled_from([1.0, 2.5, 13.0, 17.0, 29.0, 400.0])), nominal=10.0))
    return found


@settings(deadline=None, phases=[Phase.explicit, Phase.generate])
@given(histories(), st.sets(st.integers(0, 30), max_size=5), st.sets(st.integers(0, 30), max_size=2))
def test_trends_are_those_of_the_tables_of_all_intervals(
    tmp_path_factory: pytest.TempPathFactory, samples: list[Sample], seals: set[int], opens: set[int]
) -> None:
    """Gaps, resets, things that come and go, wherever segments end and however often it is opened."""
    path = tmp_path_factory.mktemp("trends") / "r.zmon"
    record(path, samples, seals, opens)
    compare(path, samples)


@settings(deadline=None, max_examples=10)
@given(histories(), st.integers(0, 30))
def test_trends_of_samples_that_a_killed_recorder_did_not_seal_are_made_later(
    tmp_path_factory: pytest.TempPathFactory, samples: list[Sample], sealed: int
) -> None:
    """The next one to open the file makes them of what was recorded."""
    directory = tmp_path_factory.mktemp("killed")
    writer = recording_with_trends(str(directory / "killed.zmon"), sealed=10**9)
    for number, sample in enumerate(samples):
        writer.append(sample)
        if number == sealed:
            writer.seal()
    for ending in ("", "-wal"):
        shutil.copy(directory / f"killed.zmon{ending}", directory / f"r.zmon{ending}")
    writer.close()
    record(directory / "r.zmon", [], set(), set())
    compare(directory / "r.zmon", samples)


IDLE: dict[str, Any] = {}
LOST_0, RESET_0, RESET_1, WORKS_0 = {"lost": 0}, {"reset": 0}, {"reset": 1}, {"works": 0}


@pytest.mark.parametrize("is_opened_again", [False, True])
@pytest.mark.parametrize(
    ("happenings", "sealed", "known"),
    [
        pytest.param([IDLE, RESET_1, RESET_0, WORKS_0], 2, 2, id="known before"),
        pytest.param([LOST_0, IDLE, WORKS_0], 2, 1, id="not known before"),
        pytest.param([IDLE, IDLE, LOST_0 | {"seconds": 5.0}, LOST_0, IDLE, WORKS_0], 4, 2, id="across a gap"),
        pytest.param([LOST_0, LOST_0, LOST_0 | {"clock": 60}, IDLE, IDLE, WORKS_0 | {"clock": -60}], 5, 1,
                     id="the clock was set back"),
    ],
)  # fmt: skip
def test_what_has_no_row_in_a_minute_counts_as_0_only_where_it_was_known(
    tmp_path: Path, happenings: list[dict[str, Any]], sealed: int, known: int, *, is_opened_again: bool
) -> None:
    """A device does its first I/O in a minute of which a part is in the file, without a row for it."""
    machine, samples = Machine(), []
    for happening in happenings:
        machine.lost = {happening["lost"]} if "lost" in happening else set()
        if "reset" in happening:
            machine.reset(happening["reset"])
        if "works" in happening:
            machine.work(happening["works"], 10, 1)
        machine.at = machine.at._replace(utc=machine.at.utc + happening.get("clock", 0) * SECOND)
        samples.append(machine.sample(happening.get("seconds", 1.0)))
    path, end = tmp_path / "r.zmon", {sealed - 1}
    record(path, samples, set() if is_opened_again else end, end if is_opened_again else set())
    with closing(Recording(str(path))) as recording:
        told = rows(recording._file.connection, "device_minutes", "minute", "name")
    assert told[BEGIN // SECOND, BUSIDS[0]]["io_count"] == known
    compare(path, samples)


def test_a_clock_that_was_set_back_costs_one_reader_a_seal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many minutes occur again: each reader keeps what it reads, which is much of 4,096 devices."""
    machine, samples, readers = Machine(), [], list[str]()
    for number in range(60):
        if number == 30:
            machine.at = machine.at._replace(utc=machine.at.utc - 15 * MINUTE)
        machine.work(0, 10, 1)
        samples.append(machine.sample(30.0, nominal=30.0))
    opened = RecordingFile.__init__

    def counted(file: RecordingFile, path: str, shared: Any) -> None:
        readers.append(path)
        opened(file, path, shared)

    monkeypatch.setattr(RecordingFile, "__init__", counted)
    record(tmp_path / "r.zmon", samples, {29}, set())
    assert len(readers) == 1
    compare(tmp_path / "r.zmon", samples)


def test_a_disk_whose_requests_end_is_no_longer_looked_up() -> None:
    """The kernel may count a request as done before it takes it off the number in flight."""
    names = [field.name for field in BLOCK.fields]
    pick_disks = MovingDevices()
    found = []
    before: Sample | None = None
    for second, (reads, in_flight) in enumerate([(1, 1), (2, 1), (2, 0), (2, 0), (2, 0)], 1):
        columns: dict[str, list[Value]] = {name: [0] for name in names}
        columns |= {"reads": [reads], "in_flight": [in_flight]}
        time = second * 10**9
        frame = Frame(BLOCK, ["dasda"], columns, [time])
        sample = Sample(Instant(time, time, "boot"), {BLOCK.name: frame})
        if before is not None:
            found.append(pick_disks._moved(Interval(before, sample)))
        before = sample
    assert found == [{"dasda"}, {"dasda"}, set(), set()]
