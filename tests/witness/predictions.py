"""What `zmon whatif` says of changes, and how good that is beside what the witness simulates."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

from tests.witness.answers import MEMORY
from tests.witness.changes import effect, readings_of
from tests.witness.looks import WITH_CACHE
from zmon.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.witness.changes import Effect, MachineChange
    from tests.witness.looks import Look

CONFIDENCES: Final = {"high": 0.95, "fair": 0.85, "low": 0.70}
"""How often the throughput lies in the range that is said with a confidence, at least."""


class Foretold(NamedTuple):
    """What was said of a change, beside what it does; all as multiples of what is before it."""

    times: float
    range: tuple[float, float]
    bound: float | None
    """The most that was said to be possible; None: nothing was said."""
    longer: float
    longer_range: tuple[float, float]
    """Of the mean response."""
    confidence: str
    effect: Effect
    missing: tuple[str, ...]

    @property
    def error(self) -> float:
        """Of the throughput, as a part of what is simulated."""
        return self.times / self.effect.times - 1

    @property
    def holds(self) -> bool:
        """Whether the throughput that is simulated lies in the range, as it is written with two digits."""
        low, high = (round(end, 2) for end in self.range)
        return low <= round(self.effect.times, 2) <= high

    @property
    def response_holds(self) -> bool:
        """Whether the response does."""
        quick, slow = self.longer_range
        return quick <= self.effect.longer <= slow

    @property
    def width(self) -> float:
        """How many times as large the end of the range is as its beginning."""
        return self.range[1] / self.range[0]

    @property
    def exceeds(self) -> bool:
        """Whether more is simulated than was said to be possible."""
        return self.bound is not None and round(self.effect.times, 2) > round(self.bound, 2)


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
    now = told["rows"][-1]
    before, after = now["resp_now"], now["resp_then"]
    return Foretold(
        told["times"],
        (told["times_low"], told["times_high"]),
        told["times_bound"],
        after / before,
        (told["resp_low"] / before, told["resp_high"] / before),
        told["confidence"],
        effect(change),
        tuple(told["missing"]),
    )


class Score(NamedTuple):
    """How good some predictions are."""

    number: int
    hold: int
    """Ranges that have the throughput that is simulated, ..."""
    responses_hold: int
    """... and the response."""
    width: float
    error: float
    """The median of each."""
    bounds: int
    exceeded: int


def score(predictions: Iterable[Foretold]) -> Score:
    """Return how good predictions are."""
    listed = list(predictions)
    return Score(
        len(listed),
        sum(one.holds for one in listed),
        sum(one.response_holds for one in listed),
        median(one.width for one in listed) if listed else 0.0,
        median(abs(one.error) for one in listed) if listed else 0.0,
        sum(one.bound is not None for one in listed),
        sum(one.exceeds for one in listed),
    )
