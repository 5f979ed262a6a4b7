"""What DIAGNOSE dates is an exception that begins then, and an exception names what DIAGNOSE does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from zmon.base.clock import MINUTE
from zmon.diagnosis.judged import verdict_of
from zmon.diagnosis.related import diagnosis_of
from zmon.lab.scenario import load_scenario
from zmon.machine.topology import units_of
from zmon.machine.view import no_inputs
from zmon.session.machines import simulated
from zmon.session.navigator import Navigator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.base.event import ExceptionEntry
    from zmon.machine.view import View


def judged(name: str) -> tuple[View, Sequence[ExceptionEntry]]:
    """Return a view of the last interval of a simulated machine, and its exceptions."""
    navigator = Navigator(simulated([load_scenario(name)]))
    navigator.end()
    navigator.log.complete()
    view = navigator.view()
    assert view is not None
    view.inputs = no_inputs
    return view, navigator.log.entries()


@pytest.mark.parametrize(
    "name",
    [
        "remote-mirror",
        pytest.param("who-loads", marks=pytest.mark.whole_days),
        pytest.param("write-cache-full", marks=pytest.mark.whole_days),
        "path-lost",
        "fcp-one-adapter",
    ],
)
def test_what_a_verdict_dates_is_an_exception_that_begins_then(name: str) -> None:
    """So the line of time has a mark there, and the next day it is found without looking at each interval."""
    view, entries = judged(name)
    dated = [one.since for one in verdict_of(view).diagnoses if one.since is not None]
    assert dated
    assert all(any(abs(entry.begin - since) <= MINUTE for entry in entries) for since in dated)


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("remote-mirror", {"lcu-writes": "D8"}),
        pytest.param(
            "swap-begins",
            dict.fromkeys(["lcu-queue", "paging", "memory-pressure", "volume-queue"], "D16"),
            marks=pytest.mark.whole_days,
        ),
        ("shark-before", {"lcu-share": "D3", "lcu-service": "D3", "path-busy": None}),
        pytest.param("who-loads", {"alias-use": "D23", "lcu-disks": "D23"}, marks=pytest.mark.whole_days),
        ("fcp-one-adapter", {"path-down": "D13"}),
        pytest.param("fcp-path-slow", {"path-slow": "D14"}, marks=pytest.mark.whole_days),
    ],
)
def test_an_exception_is_of_the_diagnosis_that_explains_it(name: str, ids: dict[str, str | None]) -> None:
    """Or of none: the paths of shark-before are busy, but nothing waits for them.

    An exception of a path to a SCSI disk is about the adapter that those of its group have in common.
    """
    view, entries = judged(name)
    verdict, homes = verdict_of(view), units_of(view).of
    for entry in entries:
        diagnosis = diagnosis_of(verdict, entry, homes.get(entry.key, ""))
        assert (None if diagnosis is None else diagnosis.id) == ids[entry.rule]
    assert {entry.rule for entry in entries} == ids.keys()


def test_what_is_told_beside_the_begin_says_that_it_is_of_the_worst_interval() -> None:
    """Its figures are not those of the begin, unless it was worst then."""
    _, (entry, *_) = judged("remote-mirror")
    assert entry.worst_begin > entry.begin
    assert entry.told.removeprefix(entry.words)
    first = entry._replace(worst_begin=entry.begin)
    assert first.told == first.words
