"""Reading a source gives a frame of each of its kinds, whatever goes wrong, and counts what it cost."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zmon.base.absent import Absent, Number, absent
from zmon.kernel import sampler
from zmon.kernel.sampler import NOT_ACCOUNTED, Choice, SourceReading, bytes_read
from zmon.kernel.tree import LiveTree
from zmon.kinds import BLOCK, CMF
from zmon.registry import Source
from zmon.sample import Frame, empty_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def disks() -> Sequence[Frame]:
    """Return a frame of two disks."""
    return [Frame(BLOCK, ["dasda", "dasdb"], {"reads": [1, 2]}, [1, 1])]


def reading(read: Callable[[], Sequence[Frame]]) -> SourceReading:
    """Return the reading of a source of block devices and channel measurements by a function."""
    found = SourceReading(Source("disks", "/proc/diskstats", (BLOCK, CMF), ""), LiveTree(), Choice())
    found.read_frames = read  # type: ignore[method-assign]
    return found


def failing(error: Exception) -> Callable[[], Sequence[Frame]]:
    """Return a reader that raises an error."""

    def read() -> Sequence[Frame]:
        raise error

    return read


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (PermissionError(13, "Permission denied", "/sys/x"), "Permission denied: /sys/x"),
        (OSError(5, "Input/output error"), "Input/output error: /proc/diskstats"),
        (OSError("no number"), "no number: /proc/diskstats"),
        (
            ValueError("/proc/diskstats line 3: a number expected"),
            "/proc/diskstats line 3: a number expected",
        ),
        (ValueError(), "the source disks: ValueError"),
        (KeyError("x"), "the source disks: KeyError: 'x'"),
        (RecursionError(), "the source disks: RecursionError"),
    ],
)
@pytest.mark.usefixtures("mistaken")
def test_any_error_becomes_a_reason(error: Exception, reason: str) -> None:
    """What a person can act on is said; what is a mistake of zmon is called so."""
    broken = reading(failing(error))
    assert {frame.missing for frame in broken.read()} == {absent(broken.cost.reason)}
    assert reason in broken.cost.reason
    assert (broken.cost.state, broken.cost.errors) == ("error", 1)


@pytest.mark.usefixtures("mistaken")
@given(
    error=st.sampled_from(
        [OSError, ValueError, KeyError, TypeError, ZeroDivisionError, MemoryError, EOFError]
    ),
    words=st.lists(st.text() | st.integers(), max_size=3),
)
def test_no_error_of_a_reader_comes_out(error: type[Exception], words: list[str | int]) -> None:
    """Whatever it raises, every kind has a frame with a reason."""
    frames = reading(failing(error(*words))).read()
    assert [frame.kind for frame in frames] == [BLOCK, CMF]
    assert all(frame.missing for frame in frames)


def test_the_cost_counts_calls_and_rows() -> None:
    """Time only adds up; rows are those of the last reading."""
    cheap = reading(disks)
    cheap.read()
    once = cheap.cost.spent
    cheap.read()
    assert (cheap.cost.calls, cheap.cost.rows) == (2, 2)
    assert cheap.cost.spent >= once >= 0


def test_the_cost_counts_the_bytes_of_all_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the thread read before and between them is not the source's."""
    counter = iter([100, 130, 500, 507])
    monkeypatch.setattr(sampler, "bytes_read", lambda: next(counter))
    counted = reading(disks)
    counted.read()
    counted.read()
    assert counted.cost.bytes == 37


def test_bytes_that_are_not_accounted_are_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are not 0."""
    monkeypatch.setattr(sampler, "bytes_read", lambda: NOT_ACCOUNTED)
    counted = reading(disks)
    counted.read()
    assert counted.cost.bytes is NOT_ACCOUNTED


def test_a_source_without_rows_says_why_without_an_error() -> None:
    """What this machine does not have is no fault."""
    without = reading(lambda: [empty_frame(BLOCK, "no disks here")])
    without.read()
    assert (without.cost.state, without.cost.reason, without.cost.errors) == ("absent", "no disks here", 0)


def test_a_good_reading_clears_the_reason_of_an_error() -> None:
    """The errors stay counted."""
    shaky = reading(failing(ValueError("no")))
    shaky.read()
    shaky.read_frames = disks  # type: ignore[method-assign]
    shaky.read()
    assert (shaky.cost.state, shaky.cost.reason, shaky.cost.errors) == ("ok", "", 1)


def test_bytes_read_grow_by_what_is_read() -> None:
    """Also when it comes out of memory, as kernel files do."""
    before: Number = bytes_read()
    if isinstance(before, Absent):
        pytest.skip(before.reason)
    with open("/proc/self/stat", "rb", buffering=0) as stream:
        read = len(stream.read())
    assert bytes_read() - before >= read


@pytest.mark.parametrize("content", [b"", b"rchar:", b"rchar: many\n", None])
def test_bytes_read_are_absent_where_the_kernel_does_not_account(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory, content: bytes | None
) -> None:
    """The file is missing, or says something else."""
    file = tmp_path_factory.mktemp("thread") / "io"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setattr(sampler, "_OWN", threading.local())
    monkeypatch.setattr(sampler, "ACCOUNT", str(file))
    assert bytes_read() is NOT_ACCOUNTED
