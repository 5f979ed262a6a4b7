"""What a load says of its volumes, column by column or one by one, and of channel paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.diagnosis.situations import load
from tests.diagnosis.situations import volume as busy_volume
from zmon.base.absent import Absent, absent
from zmon.machine.observation import (
    ObservedLcu,
    ObservedLoad,
    ObservedProcessors,
    ObservedVolume,
    Volumes,
    bytes_of,
    carried_by,
    mean_by_rate,
    mean_of,
    reads_beyond_writes,
    waits_for_disks,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

GONE: Final = absent("not measured")
NOT_TIMED: Final = absent("not timed")


def volume(key: str, rate: float, lcu: str = "A", **other: Any) -> ObservedVolume:
    """Return a volume that answers in 5 ms, of which it is served for 3."""
    fields = {"response": 5e-3, "pend": 1e-3, "disc": 0.0, "conn": 2e-3, "size": 4096.0, "reads": 1.0}
    return ObservedVolume(key, key, key, lcu, rate, **{**fields, "servers": 1, **other})


ONES: Final = (
    volume("a", 10.0), volume("b", 0.0), volume("c", 20.0, "B", response=2e-3),
    volume("d", 30.0, conn=NOT_TIMED), volume("e", 40.0, response=NOT_TIMED),
)  # fmt: skip


@pytest.mark.parametrize("name", [*ObservedVolume._fields, "serv", "queued"])
def test_a_column_has_what_each_volume_has(name: str) -> None:
    """Also what follows from others, where something is absent, and of some of them."""
    volumes = Volumes.of(ONES)
    for found in (
        volumes,
        volumes.used(),
        volumes.part([3, 1]),
        volumes.some([4]),
        *volumes.by_lcu().values(),
    ):
        assert list(found.column(name)) == [getattr(one, name) for one in found]
    assert tuple(volumes) == ONES
    assert volumes == ONES


def test_volumes_are_those_of_their_rows() -> None:
    """Used ones have requests; each LCU has its own, in their order."""
    volumes = Volumes.of(ONES)
    assert [one.key for one in volumes.used()] == ["a", "c", "d", "e"]
    assert {lcu: list(ones.column("key")) for lcu, ones in volumes.by_lcu().items()} == {
        "A": ["a", "b", "d", "e"], "B": ["c"],
    }  # fmt: skip
    assert volumes.used().rate == 100.0


def test_only_what_is_asked_for_is_made() -> None:
    """Each column once, and of the used volumes none of the idle ones but the rate."""
    asked: list[tuple[str, tuple[int, ...]]] = []

    def column(name: str, rows: Sequence[int]) -> list[Any]:
        asked.append((name, tuple(rows)))
        return [getattr(ONES[row], name) for row in rows]

    volumes = Volumes(range(len(ONES)), column)
    assert asked == []
    used = volumes.used()
    for _ in range(2):
        mean_of(used, "response")
        mean_of(used.part([0, 1]), "response")
    assert asked == [("rate", (0, 1, 2, 3, 4)), ("response", (0, 2, 3, 4)), ("rate", (0, 2, 3, 4))]


def test_other_columns_take_the_place_of_some() -> None:
    """What follows from these, too."""
    found = Volumes.of(ONES[:2]).but(conn=[5e-3, 6e-3])
    assert list(found.column("serv")) == [1e-3 + 0.0 + 5e-3, 1e-3 + 0.0 + 6e-3]
    assert [one.conn for one in found] == [5e-3, 6e-3]
    assert [one.pend for one in found] == [1e-3, 1e-3]


def test_a_mean_is_of_what_is_known_and_has_a_weight() -> None:
    """Without any of these there is none."""
    assert mean_by_rate([1.0, NOT_TIMED, 4.0, 9.0], [1.0, 5.0, 2.0, 0.0]) == 3.0
    assert mean_by_rate([1.0, 4.0], [1.0, 2.0]) == 3.0
    assert mean_by_rate([1.0, NOT_TIMED], [0.0, 5.0]) is None
    assert mean_by_rate([], []) is None
    assert mean_of([volume("a", 5.0, response=NOT_TIMED)], "response") is NOT_TIMED


@pytest.mark.parametrize(
    ("paths", "known"),
    [
        ({}, False),
        ({"50": GONE, "51": GONE}, False),
        ({"72": 0.0}, False),
        ({"72": 0.0, "50": GONE}, False),
        ({"72": 0.3, "50": GONE}, True),
        ({"50": 0.0, "51": GONE}, True),
        ({"50": 0.2, "51": 0.1}, True),
    ],
)
def test_idle_paths_say_nothing_of_those_with_io(paths: dict[str, float | Absent], known: bool) -> None:
    """The LCU with I/O has the paths 50 and 51; 72 leads to another one."""
    assert load(busy_volume(), paths=paths).knows_paths is known


def test_without_io_idle_paths_are_enough() -> None:
    """Nothing runs, so zero is what is measured."""
    assert load(busy_volume(rate=0.0), paths={"72": 0.0}).knows_paths


@pytest.mark.parametrize("at", range(-5, 5))
def test_one_volume_is_made_alone(at: int) -> None:
    """From the columns that are known and its own row of the others; the other rows are left alone."""
    asked: list[tuple[str, tuple[int, ...]]] = []

    def column(name: str, rows: Sequence[int]) -> list[Any]:
        asked.append((name, tuple(rows)))
        return [getattr(ONES[row], name) for row in rows]

    volumes = Volumes(range(len(ONES)), column)
    volumes.column("rate")
    assert volumes[at] == ONES[at]
    assert {rows for name, rows in asked if name != "rate"} == {(at % 5,)}
    assert volumes.part([4, 3, 2, 1, 0])[at] == ONES[::-1][at]
    assert volumes[1:3] == ONES[1:3]
    with pytest.raises(IndexError):
        volumes[5]


def test_bytes_are_added_up_as_far_as_they_are_known() -> None:
    """One volume whose size is unknown hides nothing of the others; where none is known, the sum is not 0."""
    known = busy_volume()._replace(rate=10.0, size=4096.0)
    unknown = busy_volume()._replace(rate=10.0, size=GONE)
    assert carried_by((known, unknown)) == bytes_of((known, unknown)) == 40960.0
    assert carried_by((unknown,)) == GONE
    assert carried_by(()) == 0.0


def test_the_use_of_a_volume_is_shared_by_what_serves_it() -> None:
    """A base with an alias of its own is half as busy; without times it is not known."""
    one = volume("a", 100.0)
    assert one.use == pytest.approx(0.3)
    assert one._replace(servers=2).use == pytest.approx(0.15)
    assert one._replace(conn=NOT_TIMED).use == NOT_TIMED


MIXED: Final = volume("a", 400.0, reads=0.9, disc=6e-3, read_response=8e-3, write_response=3e-4)
"""Its reads take 7.7 ms longer than its writes, and Disc is long."""


@pytest.mark.parametrize(
    ("change", "seconds"),
    [
        ({}, 7.7e-3),
        ({"write_response": 4.5e-3}, None),  # writes wait, too
        ({"size": 131_072.0}, None),  # large reads are read ahead
        ({"disc": 1e-3}, None),  # reads wait before the LCU
        ({"reads": 1.0}, None),  # nothing is written
        ({"reads": 0.9995}, None),  # hardly anything is
        ({"write_response": NOT_TIMED}, None),
        ({"size": GONE}, None),
        ({"estimated": True, "disc": 0.0, "pend": 0.0}, 7.7e-3),
        ({"estimated": True, "disc": 0.0, "pend": 0.0, "rate": 4000.0}, None),  # most of them wait in Linux
    ],
)
def test_reads_that_wait_alone_wait_for_disks(change: dict[str, Any], seconds: float | None) -> None:
    """What writes to the same volumes do not wait for is neither the LCU nor a path."""
    lcu = ObservedLcu("A", "LCU A", "box", ("50",), aliases=4)
    mixed = MIXED._replace(response=7e-3, **change)
    observed = ObservedLoad(10.0, (mixed,), (lcu,), {}, False, ObservedProcessors(4, 0.1))
    beyond = reads_beyond_writes(observed, lcu)
    assert waits_for_disks(observed, lcu) == (seconds is not None)
    assert isinstance(beyond, Absent) if seconds is None else beyond == pytest.approx(seconds)


def test_most_reads_must_be_of_volumes_that_are_written_too() -> None:
    """Quick writes of a log say nothing of the volumes that are only read."""
    lcu = ObservedLcu("A", "LCU A", "box", ("50",))
    log = MIXED._replace(key="b", reads=0.5, rate=20.0)
    volumes = (MIXED._replace(reads=1.0), log)
    observed = ObservedLoad(10.0, volumes, (lcu,), {}, False, ObservedProcessors(4, 0.1))
    assert isinstance(reads_beyond_writes(observed, lcu), Absent)
