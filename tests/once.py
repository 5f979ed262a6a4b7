"""What follows from the shipped files alone is computed once for all tests.

Archives of `recordings/` are unpacked and screen files parsed once by a process; phases of scenarios are
simulated once and kept on disk (see `disk_cache`).  Whoever asks again gets a copy, or the same where nobody
can change it.  What a test makes itself is computed anew: the texts of screens that are written in a test
differ, and the fixture `anew` is for simulations.
"""

from __future__ import annotations

import copy
import functools
import os
import sys
from collections import defaultdict
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from tests.disk_cache import appended, digest, dump, kept, pickled, sources_digest
from zmon.kernel import capture_tar
from zmon.kernel.capture_text import NO_TEXTS
from zmon.lab import simulation
from zmon.lab.model import is_limited
from zmon.screen import definition

if TYPE_CHECKING:
    from zmon.kernel.capture_text import TextReader
    from zmon.kernel.capture_tree import CaptureContents
    from zmon.lab.model import Scenario
    from zmon.lab.simulation import FirstLook, IntervalCounts

RECORDINGS: Final = Path(__file__).resolve().parents[1] / "recordings"
FEW: Final = 2
"""Intervals of a phase that are simulated one by one; whoever wants more is likely to walk through all."""
NEXT: Final = 16
"""Intervals that are then simulated at a time."""

run_anew = simulation.PhaseRun
"""For tests that hold that a simulation gives the same again."""

_read_tar = capture_tar.read_tar


def _read_shipped(
    path: str, file: IO[bytes], reader: TextReader = NO_TEXTS, *, rooted: bool = False
) -> CaptureContents:
    if rooted or not Path(path).resolve().is_relative_to(RECORDINGS):
        return _read_tar(path, file, reader, rooted=rooted)
    found = copy.copy(_unpacked(os.path.realpath(path), reader))
    vars(found).update({name: copy.copy(value) for name, value in vars(found).items()})
    return found


_KEPT: Final[dict[tuple[str, int], CaptureContents]] = {}


def _unpacked(path: str, reader: TextReader) -> CaptureContents:
    if (path, id(reader)) not in _KEPT:
        with open(path, "rb") as file:
            _KEPT[path, id(reader)] = _read_tar(path, file, reader)
    return _KEPT[path, id(reader)]


class KeptRun:
    """The simulation of one phase, whose intervals are kept on disk one behind the other."""

    def __init__(self, plan: Scenario, phase: int, most: int) -> None:
        """Simulate nothing yet, and later `most` intervals."""
        self.phase = phase
        self._plan = plan
        self._most = most
        self._is_new = True
        self._intervals: list[IntervalCounts] = []

    @functools.cached_property
    def _digest(self) -> str:
        """The digest of all that the counts of this phase follow from."""
        machine = self._plan.in_phase(self.phase)._replace(
            name="", title="", text="", figures=(), assumed=(), begin=0, drawn=0, measured=0,
            phases=(self._plan.phases[self.phase]._replace(name="", seconds=0.0),),
        )  # fmt: skip
        limited = is_limited(self._plan)
        return digest(sources_digest("zmon.lab.simulation"), repr((self.phase, limited, machine)))

    def first(self, count: int | None = None) -> list[IntervalCounts]:
        """Return at least the first `count` intervals, as far as there are; by default all."""
        self._is_new = False
        wanted = self._most if count is None else min(count, self._most)
        if len(self._intervals) < wanted:
            known = _known[self._digest]
            if len(known) < wanted:
                self._simulate(known, wanted)
            self._intervals = known[: self._most]
        return self._intervals

    def first_look(self, count: int) -> FirstLook | None:
        """Return what is counted soon, once; None where the first `count` intervals are simulated as soon."""
        is_new, self._is_new = self._is_new, False
        if not is_new:
            return None
        look = run_anew(self._plan, self.phase, self._most).first_look
        found: FirstLook | None = kept("looks", digest(self._digest, str(count)), lambda: look(count))
        return found

    def _simulate(self, known: list[IntervalCounts], wanted: int) -> None:
        """Read what is kept of the phase; simulate and keep what is missing."""
        with appended("phases", self._digest) as file:
            known[:] = pickled(file)
            if len(known) < wanted:
                run = _runs.setdefault(self._digest, run_anew(self._plan, self.phase, sys.maxsize))
                more = wanted if wanted <= FEW else min(self._most, -(-wanted // NEXT) * NEXT)
                for interval in run.first(more)[len(known) :]:
                    dump(interval, file)
                    known.append(interval)
                if len(known) >= self._most:
                    del _runs[self._digest]


_known: Final[dict[str, list[IntervalCounts]]] = defaultdict(list)
"""The intervals of each phase that this process has read or simulated."""
_runs: Final[dict[str, simulation.PhaseRun]] = {}
"""Simulations of phases of which this process may want more intervals."""


def compute_once() -> None:
    """Put the functions that remember into the place of those that compute."""
    for module, name, function in (
        (capture_tar, "read_tar", _read_shipped),
        (simulation, "PhaseRun", KeptRun),
        (definition, "parse_screen", functools.lru_cache(256)(definition.parse_screen)),
    ):
        setattr(module, name, function)
