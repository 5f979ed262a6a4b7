"""A frame is a promise: what is not looked at is not decoded, and what is damaged is absent alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

from zmon.kinds import BLOCK
from zmon.sample import DAMAGED_BY
from zmon.store.file_format import Damaged
from zmon.store.readings import (
    TIMES,
    Layout,
    LazyColumns,
    OpenSegment,
    ReadingChange,
    frame_of,
    frame_with_prior,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from zmon.base.absent import Value

LAYOUT = Layout(1, BLOCK, ["dasda", "dasdb"], ("reads", "writes"), None)
READS: list[Value] = [10, 20]


class Worn(Mapping[str, "Sequence[Value]"]):
    """Columns of which the writes are damaged; it notes what is looked at."""

    def __init__(self) -> None:
        """Nothing was looked at."""
        self.seen: list[str] = []

    def __getitem__(self, name: str) -> Sequence[Value]:
        self.seen.append(name)
        if name == "writes":
            raise Damaged("a scratch")
        return READS if name == "reads" else [0, 5]

    def __iter__(self) -> Iterator[str]:
        return iter((*LAYOUT.names, TIMES))

    def __len__(self) -> int:
        return 3


@pytest.fixture
def worn() -> Worn:
    """Return columns of which some are damaged."""
    return Worn()


@pytest.fixture
def run(worn: Worn) -> OpenSegment:
    """Return two readings of which the second follows the first; one row moves."""
    found = OpenSegment(LAYOUT, worn)
    found.add(ReadingChange(0, 1000, [], {}, {}, follows=False))
    found.add(ReadingChange(1, 2000, [1], {"reads": [7]}, {}, follows=True))
    return found


def is_lost(value: Value) -> bool:
    """Tell whether a value is absent for being damaged, and says by what."""
    return value is DAMAGED_BY.about("a scratch")


def test_a_frame_needs_no_column_but_its_times(run: OpenSegment, worn: Worn) -> None:
    """Those that nobody looks at cost nothing."""
    assert frame_of(run, 1).times == [2000, 2005]
    assert worn.seen == [TIMES]


def test_a_column_that_is_damaged_is_absent_in_every_row(run: OpenSegment) -> None:
    """The others are as they were."""
    columns = LazyColumns(run, 1)
    assert columns["reads"] == [10, 27]
    assert [is_lost(value) for value in columns["writes"]] == [True, True]


def test_a_column_that_was_not_read_is_not_there(run: OpenSegment) -> None:
    """Whether all rows are asked for or one."""
    for columns in (LazyColumns(run, 1), frame_of(run, 1, keys=frozenset(("dasdb",))).columns):
        assert "sectors_read" not in columns
        with pytest.raises(KeyError):
            columns["sectors_read"]


def test_a_single_row_is_that_of_the_frame(run: OpenSegment) -> None:
    """Its time, its values, and what of them is damaged."""
    frame = frame_of(run, 1, keys=frozenset(("dasdb",)))
    assert (frame.keys, frame.times, frame.columns["reads"]) == (["dasdb"], [2005], [27])
    assert is_lost(frame.columns["writes"][0])


def test_a_single_row_of_what_was_not_there_is_none(run: OpenSegment) -> None:
    """That is known, and nothing absent."""
    frame = frame_of(run, 1, keys=frozenset(("dasdc",)))
    assert (frame.keys, frame.times) == ([], [])


def test_a_single_row_grows_with_its_run(run: OpenSegment) -> None:
    """What was remembered of it is not all there is."""
    assert frame_of(run, 1, keys=frozenset(("dasdb",))).columns["reads"] == [27]
    run.add(ReadingChange(2, 3000, [1], {"reads": [3]}, {}, follows=True))
    assert frame_of(run, 2, keys=frozenset(("dasdb",))).columns["reads"] == [30]


def test_a_reading_that_follows_another_has_it_as_its_prior(run: OpenSegment) -> None:
    """And only such a one."""
    prior = frame_with_prior(run, 1, frame_of).prior
    assert prior is not None
    assert (prior.times, prior.prior) == ([1000, 1005], None)
    assert frame_with_prior(run, 0, frame_of).prior is None


def test_a_run_that_follows_a_lone_reading_has_that_as_its_prior(run: OpenSegment) -> None:
    """Such as one that was taken for the next alone."""
    later = OpenSegment(LAYOUT, run.before, ahead=run)
    later.add(ReadingChange(4, 5000, [], {}, {}, follows=True))
    prior = frame_with_prior(later, 0, frame_of).prior
    assert prior is not None
    assert prior.times == [1000, 1005]
