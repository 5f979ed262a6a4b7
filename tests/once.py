"""What follows from the shipped files alone is computed once for all tests of a process.

Archives of `recordings/` are unpacked, screen files parsed and phases of scenarios simulated once; whoever
asks again gets a copy, or the same where nobody can change it.  What a test makes itself is computed anew:
the texts of screens that are written in a test differ, and the fixture `anew` is for simulations.
"""

from __future__ import annotations

import copy
import functools
import os
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from zmon.kernel import capture_tar
from zmon.lab import simulation
from zmon.screen import definition

if TYPE_CHECKING:
    from zmon.kernel.capture_tree import CaptureContents

RECORDINGS: Final = Path(__file__).resolve().parents[1] / "recordings"

run_anew = simulation.PhaseRun
"""For tests that hold that a simulation gives the same again."""

_read_tar = capture_tar.read_tar


def _read_shipped(path: str, file: IO[bytes]) -> CaptureContents:
    if not Path(path).resolve().is_relative_to(RECORDINGS):
        return _read_tar(path, file)
    found = copy.copy(_unpacked(os.path.realpath(path)))
    vars(found).update({name: copy.copy(value) for name, value in vars(found).items()})
    return found


@functools.cache
def _unpacked(path: str) -> CaptureContents:
    with open(path, "rb") as file:
        return _read_tar(path, file)


def compute_once() -> None:
    """Put the functions that remember into the place of those that compute."""
    for module, name, function in (
        (capture_tar, "read_tar", _read_shipped),
        (simulation, "PhaseRun", functools.lru_cache(256)(run_anew)),
        (definition, "parse_screen", functools.lru_cache(256)(definition.parse_screen)),
    ):
        setattr(module, name, function)
