"""More of a resource never predicts less throughput, and more of what is not short changes nothing."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.queueing.pairs import observed, shares
from zmon.machine.observation import ObservedLcu, ObservedLoad, ObservedProcessors, ObservedVolume
from zmon.queueing.change import AliasNumber, PathNumber, ProcessorNumber
from zmon.queueing.prediction import fitted_interval, predict

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.queueing.change import Change
    from zmon.queueing.prediction import FittedInterval

SLACK: Final = 0.03
"""The part of the throughput that the approximation may be wrong by."""
SAME: Final = 0.03
"""The part by which throughput changes where a resource was not short."""
IDLE: Final = 0.3
"""Utilisation up to which a resource is not short."""
CHPIDS: Final = ("50", "51", "52", "53")


@st.composite
def loads(draw: st.DrawFn) -> ObservedLoad:
    """Return an interval of up to two LCUs that share paths, whose utilisation follows from Conn."""
    lcus, volumes = [], []
    for lcu in range(draw(st.integers(1, 2))):
        aliases = draw(st.sampled_from([0, 0, 4, 10]))
        lcus.append(ObservedLcu(f"B.{lcu}", f"LCU {lcu}", "B", CHPIDS, aliases, aliases * 0.1, misses=0.05))
        for number in range(draw(st.integers(1, 4))):
            rate = draw(st.floats(5.0, 400.0))
            pend, conn = draw(st.floats(0.0001, 0.0005)), draw(st.floats(0.0002, 0.002))
            disc = draw(st.floats(0.0, 0.002))
            serv = pend + disc + conn
            queued = draw(st.floats(0.0, 3.0)) * serv * min(1.0, rate * serv)
            key = f"0.0.{lcu}{number:03d}"
            volumes.append(
                ObservedVolume(
                    key, key[4:], f"94:{4 * (10 * lcu + number)}", f"B.{lcu}", rate, serv + queued, pend,
                    disc, conn, 8192.0, 0.8, 1,
                )
            )  # fmt: skip
    use = float(sum(one.rate * one.conn for one in volumes)) / len(CHPIDS)  # type: ignore[arg-type]  # known
    busy = draw(st.floats(0.02, 0.97))
    stolen = draw(st.sampled_from([0.0, 0.0, 0.3])) * (1.0 - busy)
    return ObservedLoad(
        60.0, tuple(volumes), tuple(lcus), dict.fromkeys(CHPIDS, min(0.99, use)), True,
        ObservedProcessors(draw(st.integers(1, 8)), busy, stolen),
    )  # fmt: skip


MORE: Final[dict[str, tuple[tuple[int, ...], Callable[[int], Change]]]] = {
    "processors": ((1, 2, 4, 8, 16), lambda many: ProcessorNumber(float(many))),
    "paths": ((2, 4, 6, 8, 16), lambda many: PathNumber(float(many))),
    "aliases": ((0, 1, 2, 4, 8, 16), AliasNumber),
}


def times(base: FittedInterval, kind: str) -> list[float]:
    """Return the throughput with more and more of a resource."""
    numbers, change = MORE[kind]
    return [predict(base, (change(number),)).times for number in numbers]


@pytest.mark.parametrize("kind", MORE)
@given(load=loads())
def test_more_is_never_less(kind: str, load: ObservedLoad) -> None:
    """Throughput does not fall from any number of processors, paths or aliases to a larger one."""
    found = times(fitted_interval(load), kind)
    assert [pair for pair in pairwise(found) if pair[1] < pair[0] * (1 - SLACK)] == []
    if kind == "aliases":  # the approximation of a small pool may give more than that of a larger one
        assert [*map(max, accumulate(found[:5], max), found[:5])] == pytest.approx(found[:5])


@pytest.mark.parametrize("kind", MORE)
@pytest.mark.parametrize(
    "name",
    [
        "shark-before",
        "hyperpav-20",
        "pav-3",
        "logs-mixed",
        "zvm-steal",
        "guest-swapping",
    ],
)
def test_more_is_never_less_in_the_laboratory(name: str, kind: str) -> None:
    """The same on simulated machines, whose times fit together."""
    found = times(fitted_interval(observed(name, -1), shares(name)), kind)
    assert [pair for pair in pairwise(found) if pair[1] < pair[0] * (1 - SLACK)] == []


@given(load=loads())
def test_more_of_what_is_not_short_changes_nothing(load: ObservedLoad) -> None:
    """Twice the processors or paths, where these are used little, and other work does not wait for them."""
    base = fitted_interval(load)
    number, _busy = load.processors[:2]
    if load.processors.taken <= IDLE:
        assert predict(base, (ProcessorNumber(2.0 * float(number)),)).times == pytest.approx(1.0, abs=SAME)  # type: ignore[arg-type]  # known
    if max(float(use) for use in load.paths.values()) <= IDLE:  # type: ignore[arg-type]  # known
        assert predict(base, (PathNumber(2.0, times=True),)).times == pytest.approx(1.0, abs=SAME)
