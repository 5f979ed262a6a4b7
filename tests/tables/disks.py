"""A machine of disks without channel paths, whose work is told second by second."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.conftest import ListTimeline
from zmon.kinds import BLOCK
from zmon.sample import Frame, Instant, Sample
from zmon.session.navigator import Navigator

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.base.absent import Value
    from zmon.machine.view import View

SECOND = 1_000_000_000
NOON = 1_800_014_400 * SECOND


def sample(at: int, totals: Mapping[str, int], boot: str = "boot") -> Sample:
    """Return what is read at a second: of each disk how many requests of 1 ms and 8 sectors it has done."""
    counts = list(totals.values())
    nothing: list[Value] = [0] * len(counts)
    columns: dict[str, list[Value]] = {
        "reads": [*counts], "writes": nothing, "read_ms": [*counts], "write_ms": nothing,
        "sectors_read": [8 * count for count in counts], "sectors_written": nothing, "in_flight": nothing,
        "weighted_ms": [*counts],
    }  # fmt: skip
    utc = NOON + at * SECOND
    frame = Frame(BLOCK, list(totals), columns, [utc] * len(counts))
    return Sample(Instant(utc, utc, boot), {BLOCK.name: frame}, "disks in memory", 1.0)


def samples(work: Mapping[str, Sequence[int]], left_out: Sequence[int] = ()) -> list[Sample]:
    """Return a sample a second, but those left out; each disk does so many requests in each second."""
    length = len(next(iter(work.values())))
    return [
        sample(at, {name: sum(done[:at]) for name, done in work.items()})
        for at in range(length + 1)
        if at not in left_out
    ]


def watch(work: Mapping[str, Sequence[int]], left_out: Sequence[int] = ()) -> Navigator:
    """Look at the last of these samples."""
    found = Navigator(ListTimeline(samples(work, left_out)))
    found.end()
    return found


def seen(looked: Navigator) -> View:
    """Return what tables of the present interval are filled from."""
    view = looked.view()
    assert view is not None
    return view
