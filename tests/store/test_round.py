"""What goes into a recording comes out of it, exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.store.machine import series
from zmon.base.absent import absent
from zmon.kinds import BLOCK, CACHE, CLAIM, CMF, CMF_BASIC, DASD, EXACT, PROCESS
from zmon.registry import SOURCES
from zmon.sample import Frame, Instant, Sample, empty_frame
from zmon.store.open import MEMORY
from zmon.store.reader import Recording
from zmon.store.writer import Writer

if TYPE_CHECKING:
    from pathlib import Path

    from zmon.base.absent import Value
    from zmon.sample import Kind

VALUES: st.SearchStrategy[Value] = st.one_of(
    st.integers(0, 300),
    st.integers(-(1 << 70), 1 << 70),
    st.sampled_from([absent("not measured"), absent("gone"), "text", "", "\udc80", 0.5, -1e300]),
)
STEADY = st.one_of(st.integers(0, 1 << 34), st.integers(-(1 << 66), 1 << 66))


class History:
    """Makes sequences of samples as machines and accidents make them."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.frames: dict[str, Frame] = {}
        self.at = Instant(draw(st.integers(0, 1 << 60)), draw(st.integers(0, 1 << 60)), "one")

    def frame(self, kind: Kind, last: Frame | None) -> Frame:
        """Return a new reading: much as the last one, or quite another."""
        draw = self.draw
        if draw(st.integers(0, 9)) == 0:
            return empty_frame(kind, draw(st.sampled_from(["hangs", "off"])))
        if last is not None and last.missing is None and draw(st.integers(0, 5)):
            return self.moved(last)
        rows = draw(st.integers(0, 6))
        keys = [f"0.0.{at:04x}" for at in draw(st.permutations(range(8)))[:rows]]
        names = draw(st.lists(st.sampled_from([f.name for f in kind.fields]), max_size=4, unique=True))
        columns = {name: draw(st.lists(VALUES, min_size=rows, max_size=rows)) for name in names}
        return Frame(kind, keys, columns, draw(st.lists(STEADY, min_size=rows, max_size=rows)))

    def moved(self, last: Frame) -> Frame:
        """Return a reading with a few other values."""
        draw = self.draw
        columns: dict[str, list[Value]] = {name: list(values) for name, values in last.columns.items()}
        times = list(last.times)
        for _ in range(draw(st.integers(0, 4))):
            if columns and last.keys:
                name = draw(st.sampled_from(sorted(columns)))
                columns[name][draw(st.integers(0, len(last.keys) - 1))] = draw(VALUES)
            if times:
                times[draw(st.integers(0, len(times) - 1))] += draw(st.integers(-5, 10**9))
        return Frame(last.kind, list(last.keys), columns, times)

    def sample(self) -> Sample:
        """Take the next sample."""
        draw = self.draw
        for kind in (BLOCK, CMF, DASD):
            what = draw(st.integers(0, 9))
            last = self.frames.get(kind.name)
            if what == 0:
                self.frames.pop(kind.name, None)
            elif what < 4 and last is not None:
                continue
            else:
                chosen = CMF_BASIC if kind is CMF and draw(st.integers(0, 9)) == 0 else kind
                if last is not None and last.kind is not chosen:
                    last = None
                found = self.frame(chosen, last)
                if draw(st.booleans()) and last is not None:
                    prior = last if draw(st.integers(0, 4)) else self.frame(chosen, None)
                    found = found.but(prior=prior.but(prior=None))
                self.frames[kind.name] = found
        forth = draw(st.one_of(st.just(1_000_000_000), st.integers(-(1 << 40), 1 << 40)))
        boot = self.at.boot if draw(st.integers(0, 9)) else draw(st.sampled_from(["one", "two"]))
        self.at = Instant(self.at.utc + forth, self.at.steady + abs(forth), boot)
        return Sample(self.at, dict(self.frames), draw(st.sampled_from(["here", "there"])), 1.0)


@st.composite
def histories(draw: st.DrawFn) -> list[Sample]:
    """Sequences of samples."""
    history = History(draw)
    return [history.sample() for _ in range(draw(st.integers(1, 25)))]


def plain(frame: Frame | None) -> Any:
    """Return all parts of a frame, to be compared."""
    if frame is None:
        return None
    columns = dict(frame.columns)
    return (
        frame.kind.name, frame.kind.fields, list(frame.keys), columns, frame.times, frame.missing,
        plain(frame.prior),
    )  # fmt: skip


def same(one: Sample, other: Sample) -> None:
    """Fail unless two samples are the same."""
    assert (one.at, one.source, one.nominal, one.simulated) == (
        other.at, other.source, other.nominal, other.simulated,
    )  # fmt: skip
    assert set(one.frames) == set(other.frames)
    for name, frame in one.frames.items():
        assert plain(frame) == plain(other.frames[name])


@settings(deadline=None, phases=[Phase.explicit, Phase.generate])
@given(histories(), st.integers(1, 12), st.sets(st.integers(0, 25), max_size=3))
def test_record_and_read_gives_the_samples_that_went_in(
    samples: list[Sample], sealed: int, looks: set[int]
) -> None:
    """Whatever comes and goes, and wherever segments end, the samples read are those written."""
    writer = Writer(MEMORY, sealed=10**9)
    recording = Recording(MEMORY, shared=(writer.connection, writer._guard))
    for number, sample in enumerate(samples):
        writer.append(sample)
        if number % sealed == sealed - 1:
            writer.seal()
        if number in looks:
            recording.refresh()
            same(sample, recording.sample(number))
    recording.refresh()
    assert len(recording) == len(samples)
    fresh = Recording(MEMORY, shared=(writer.connection, writer._guard))
    for reader in (recording, fresh):
        before = None
        for number, sample in enumerate(samples):
            found = reader.sample(number)
            same(sample, found)
            for name, frame in sample.frames.items():
                if before is not None and before[0].frames.get(name) is frame:
                    assert before[1].frames[name] is found.frames[name]
            before = sample, found
    writer.seal()
    for number in reversed(range(len(samples))):
        same(samples[number], fresh.sample(number))
    writer.connection.close()


def test_samples_that_are_never_sealed_in_time_can_be_read_all_the_same(tmp_path: Path) -> None:
    """A segment has an end, however late it is made."""
    path = str(tmp_path / "fast.zmon")
    writer = Writer(path, sealed=10**9)
    for second in range(600):
        frame = Frame(BLOCK, ["sda"], {"reads": [second * 3]}, [second * 10**9])
        at = Instant(second * 10**9, second * 10**9, "boot")
        writer.append(Sample(at, {"block": frame}, "here", 1.0))
    writer.close()
    recording = Recording(path)
    assert series(recording, "block", "reads", "sda") == list(range(0, 1800, 3))
    recording.close()


@pytest.mark.parametrize("kind", [PROCESS, CACHE, EXACT, CLAIM])
def test_what_could_be_read_live_is_said_not_to_be_recorded(kind: Kind, tmp_path: Path) -> None:
    """A recording names the option that records it; who reads what is being written is told as before."""
    off = next(source.off for source in SOURCES if kind in source.kinds)
    path = str(tmp_path / "past.zmon")
    writer = Writer(path)
    live = Recording(path, shared=(writer.connection, writer._guard))
    writer.append(Sample(Instant(1, 1, "boot"), {kind.name: empty_frame(kind, off)}, "here", 1.0))
    live.refresh()
    assert live.sample(0).frame(kind).missing == absent(off)
    writer.close()
    recording = Recording(path)
    missing = recording.sample(0).frame(kind).missing
    assert missing is not None
    assert "zmon record --" in missing.reason
    recording.close()
