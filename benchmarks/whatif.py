"""How well predictions made before a change hold after it, and what one costs.

    python -m benchmarks.whatif

Each pair is a simulated machine before and after a change.  The prediction is made on what zmon samples of
the first; no parameter knows the second.  Wanted: throughput within 15 %, response within 25 %, for at least
twelve pairs of scenarios that come with zmon, and for as large a part of pairs that were written down before
they were predicted; what is simulated lies in the range that is printed with each number; and all predictions
cost less processor time than simulating the pairs.
"""

from __future__ import annotations

import sys
import time
from typing import Final

from tests.queueing.pairs import ADDITIONS, FURTHER, PAIRS, SHIPPED, UNSEEN, compared, observed, shares
from zmon.queueing.prediction import RESPONSE_ERROR, THROUGHPUT_ERROR, fitted_interval, predict

WANTED: Final = 12
"""Pairs of scenarios that come with zmon that hold."""


def main() -> int:
    """Print the table; 1 if fewer pairs hold, or predicting costs more than simulating."""
    held, shipped, unseen, outside, simulating, predicting = 0, 0, 0, 0, 0.0, 0.0
    print(f"{'':32}{'before':>16}{'predicted':>17}{'simulated':>17}{'error':>16}")
    print(f"{'change':32}" + f"{'I/O/s':>9}{'ms':>8}" * 3 + f"{'I/O/s':>8}{'ms':>8}  limit")
    fresh = (*UNSEEN, *FURTHER)
    for pair in (*PAIRS, *fresh, *ADDITIONS):
        begun = time.process_time()
        load = observed(pair.before, pair.phases[0])
        observed(pair.after, pair.phases[1])
        simulated = time.process_time()
        predict(fitted_interval(load, shares(pair.before)), pair.changes)
        predicting += time.process_time() - simulated
        simulating += simulated - begun
        found = compared(pair)
        whole = found.prediction.whole
        throughput, response = found.errors
        holds = abs(throughput) <= THROUGHPUT_ERROR and abs(response) <= RESPONSE_ERROR
        held += holds and pair in PAIRS
        unseen += holds and pair in fresh
        shipped += holds and pair in SHIPPED
        (low, high), (quick, slow) = found.prediction.throughput, found.prediction.response
        outside += not (low <= found.rate <= high and quick <= found.response <= slow)
        figures = (
            *(whole.rate[0], 1e3 * whole.response[0]),
            *(whole.rate[1], 1e3 * whole.response[1]),
            *(found.rate, 1e3 * found.response),
        )
        row = "".join(f"{value:{9 - at % 2}.{1 + at % 2}f}" for at, value in enumerate(figures))
        mark = f"  {found.prediction.confidence}{'' if holds else ', missed'}"
        print(f"{pair.name:32}{row}{throughput:+8.1%}{response:+8.1%}  {found.prediction.limit}{mark}")
    print(f"{shipped} of {len(SHIPPED)} pairs of scenarios hold; {WANTED} are wanted")
    print(f"{held} of all {len(PAIRS)} pairs hold; {unseen} of {len(fresh)} that were written down before")
    print(f"{outside} are outside the range that is printed")
    print(f"processor time: {predicting:.1f} s for predictions, {simulating:.1f} s for simulating the pairs")
    few = shipped < WANTED or unseen * len(SHIPPED) < shipped * len(fresh)
    return int(few or outside > 0 or predicting > simulating)


if __name__ == "__main__":
    sys.exit(main())
