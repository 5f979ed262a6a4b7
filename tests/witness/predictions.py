"""What `zmon whatif` says of changes, and how good that is beside what the witness simulates."""

from __future__ import annotations

import contextlib
import io
import json
import re
import tempfile
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

from tests.witness.answers import MEMORY
from tests.witness.changes import readings_of
from tests.witness.looks import WITH_CACHE
from zmon.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.witness.changes import MachineChange
    from tests.witness.looks import Look

WANTED: Final = {"high": 0.95, "fair": 0.85, "low": 0.70}
"""How often the throughput is to lie in the range that is said with a confidence."""
TOLD: Final = re.compile(r"(\S+) \((\S+) to (\S+)(?:, at most (\S+))?\) (\w+)")


class Foretold(NamedTuple):
    """What was said of the throughput after a change, as a multiple of that before."""

    times: float
    low: float
    high: float
    bound: float | None
    """The most that was said to be possible; None: nothing was said."""
    confidence: str

    @property
    def words(self) -> str:
        """All of it: `1.84 (1.53 to 2.21, at most 2.40) high`."""
        bound = "" if self.bound is None else f", at most {self.bound:.2f}"
        return f"{self.times:.2f} ({self.low:.2f} to {self.high:.2f}{bound}) {self.confidence}"

    @classmethod
    def read(cls, words: str) -> Foretold:
        """Return what was said in words."""
        match = TOLD.fullmatch(words)
        assert match is not None, words
        times, low, high, bound, confidence = match.groups()
        return cls(float(times), float(low), float(high), float(bound) if bound else None, confidence)


def foretold(change: MachineChange, look: Look = WITH_CACHE) -> Foretold:
    """Ask zmon about a change of a machine that is looked at so."""
    with tempfile.TemporaryDirectory(prefix="change", dir=MEMORY) as directory:
        look.write(change.before, readings_of(change.before), f"{directory}/capture")
        arguments = ["whatif", "--from", f"{directory}/capture", "-f", "json"]
        if change.tables:
            with open(f"{directory}/tables.csv", "w", encoding="utf-8") as stream:
                stream.write(change.listing())
            arguments += ["--listing", f"{directory}/tables.csv"]
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = main([*arguments, change.words])
    assert status == 0, said.getvalue()
    told = json.loads(said.getvalue())
    names = ("times", "times_low", "times_high", "times_bound", "confidence")
    return Foretold(*map(told.__getitem__, names))


class Score(NamedTuple):
    """How good some predictions are."""

    number: int
    hold: int
    """How many ranges have the throughput that is simulated."""
    width: float
    """How many times as large the end of the range is as its beginning, ..."""
    error: float
    """... and the error of the throughput: the median of each."""
    bounds: int
    exceeded: int
    """How many say the most that is possible, and how many of these say less than what is simulated."""


def score(predictions: Sequence[tuple[float, Foretold]]) -> Score:
    """Return how good predictions are, each behind what is simulated; at least one."""
    bounds = [(times, told.bound) for times, told in predictions if told.bound is not None]
    return Score(
        len(predictions),
        sum(told.low <= times <= told.high for times, told in predictions),
        median(told.high / told.low for _, told in predictions),
        median(abs(told.times / times - 1) for times, told in predictions),
        len(bounds),
        sum(times > bound for times, bound in bounds),
    )
