"""The parts of sentences that all diagnoses share: names of things, numbers with units, gains."""

from __future__ import annotations

from functools import partial
from math import fsum
from typing import TYPE_CHECKING, Any, Final

from zmon.base.absent import Absent, absent
from zmon.base.ranges import ranges
from zmon.diagnosis.diagnosis import Gain, Subject, nothing_known
from zmon.kinds import NO_CMF_TIMES, WITHOUT_CMF
from zmon.machine.observation import NOT_TIMED
from zmon.queueing.prediction import LOW, gains_little, loss_words
from zmon.words.template import With, percent

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from zmon.diagnosis.situation import Situation
    from zmon.machine.observation import ObservedLcu, ObservedLoad
    from zmon.machine.observed_machine import UnitPart
    from zmon.machine.observed_system import ObservedSystem
    from zmon.queueing.change import Change
    from zmon.queueing.prediction import Prediction

MACHINE: Final = Subject("machine", "", "this Linux")
NO_CMF: Final = "channel measurement (CMF): zmon reads it where the kernel has cmb_enable"
UNTIMED: Final = absent(
    "channel measurement (CMF) was not read; zmon reads it where the kernel has cmb_enable"
)
UNCACHED: Final = absent("cache statistics were not read; --cache reads them")
MOST: Final = 0.5
"""The part of an LCU's bytes from which on a unit has most of them."""
SERVERS: Final = ("db2", "oracle", "postgres", "mariadb", "mysql")
"""Parts of the names of units that are database servers."""


def why_untimed(load: ObservedLoad) -> Absent:
    """Return why requests of a load have no times of channel measurement, with what CTLUNIT says of it."""
    why = load.untimed
    if why is NOT_TIMED:
        return UNTIMED
    if why.code == WITHOUT_CMF.code:
        return absent(f"channel measurement (CMF) {why.facts[0]}")
    reason = why.reason if can_be_timed(load) else why.facts[0]
    return absent(f"channel measurement (CMF) gives no times: {reason}")


def no_cmf(load: ObservedLoad) -> str:
    """Return what a diagnosis lacks without channel measurement, and why."""
    return NO_CMF if load.untimed is NOT_TIMED else why_untimed(load).reason


def can_be_timed(load: ObservedLoad) -> bool:
    """Return whether channel measurement would give times here: some hypervisors count starts alone."""
    return load.untimed.code != NO_CMF_TIMES.code


def of_paths(key: str) -> Subject:
    """Return a group of channel paths, by their CHPIDs in words, as a subject."""
    return Subject("path", key, f"channel paths {ranges(key.split())}")


def percents(parts: Sequence[float]) -> list[str]:
    """Write parts of one whole as percentages that add up: `84 %` and `16 %` of 0.836 and 0.164.

    They add up to the sum of the parts, rounded: each is rounded down, and those that lose most get one more.
    Counters that are read one after the other may give parts that are more than 1 together: then they are
    parts of their sum.
    """
    whole = max(1.0, fsum(parts))
    parts = [part / whole for part in parts]
    whole_percents = [int(100 * part) for part in parts]
    left = round(100 * fsum(parts)) - sum(whole_percents)
    losers = sorted(range(len(parts)), key=lambda at: whole_percents[at] - 100 * parts[at])
    for at in losers[: max(0, left)]:
        whole_percents[at] += 1
    return [f"{number} %" for number in whole_percents]


def said_of_units(
    lcus: Sequence[tuple[ObservedLcu, Sequence[UnitPart]]], databases: Collection[str] = ()
) -> dict[str, Any]:
    """Return what is said of the units that do the I/O on LCUs, as fields of sentences.

    `shares` is what each has of the bytes of an LCU, and what is left where that is most of them; `mostly`
    the units that have most of one: one that does it on several LCUs is named once; `slowed` what can be
    slowed down at once.  A server of one of the `databases`, by its name, is never slowed down.
    """
    shares: list[With] = []
    most: dict[str, list[tuple[str, str]]] = {}
    for lcu, units in lcus:
        written = percents([unit.part for unit in units])
        for unit, share in zip(units, written, strict=True):
            named = {"kind": "unit", "key": unit.title, "title": unit.title, "rest": False}
            shares.append(With(unit, share=share, lcu=lcu, **named))
        rest = 1.0 - sum(unit.part for unit in units)
        if units and rest >= MOST:
            shares.append(With(lcu, part=rest, share=percent(rest), lcu=lcu, rest=True))
        if units and units[0].part >= MOST:
            most.setdefault(units[0].title, []).append((lcu.title, written[0]))
    return {
        "shares": shares,
        "mostly": [
            With(None, unit=unit, where=[f"{title} ({share})" for title, share in on], several=len(on) > 1,
                 lcu=on[0][0], share=on[0][1])
            for unit, on in most.items()
        ],
        "slowed": [unit for unit in most if not is_database(unit, databases)],
    }  # fmt: skip


def waiting_tasks(system: ObservedSystem) -> list[With]:
    """Return this Linux with each task that waits uninterruptibly, and for how long, the longest first."""
    return [With(MACHINE, who=who, seconds=seconds) for who, seconds in system.waiting]


def is_database(unit: str, databases: Collection[str]) -> bool:
    """Return whether a unit may be the server of a database, by its name."""
    name = unit.casefold()
    return any(word and word.casefold() in name for word in (*databases, *SERVERS))


def gain(situation: Situation, changes: Sequence[Change], what: str = "") -> Callable[[], Gain | None]:
    """Return what tells, when it is called, what changes give, as `zmon whatif` predicts it, after `what`.

    It tells nothing if that is not known.
    """
    # a verdict without a model goes to another process
    return nothing_known if situation.predict is None else partial(_gain, situation, tuple(changes), what)


def _gain(situation: Situation, changes: tuple[Change, ...], what: str) -> Gain | None:
    predicted = prediction(situation, changes)
    return None if predicted is None or predicted.is_unsure_loss else gain_of(predicted, what)


def prediction(situation: Situation, changes: Sequence[Change]) -> Prediction | None:
    """Return what changes give; None if it is not known."""
    if situation.predict is None:
        return None
    try:
        return situation.predict(tuple(changes))
    except ValueError:
        return None


def gain_of(prediction: Prediction, what: str = "") -> Gain:
    """Return the gain that is predicted."""
    low, high = (rate / prediction.whole.rate[0] for rate in prediction.throughput)
    now, then = prediction.whole.response
    return Gain(
        prediction.times,
        low,
        high,
        prediction.confidence != LOW,
        now,
        then,
        len(prediction.units) > 1,
        prediction.limit,
        prediction.next_limit,
        loss_words(prediction),
        gains_little(prediction),
        what,
        prediction.is_within_error,
    )
