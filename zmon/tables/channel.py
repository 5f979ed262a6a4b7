"""CHANNEL (FCX107): how busy each channel path is, now and over the period.

Where estimates are shown, average and distribution are those of the estimates.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent, code_of, text_of
from zmon.kinds import BLOCK, CHANNEL, CMF, DEVICE, NOT_COLLECTED, NOT_MEASURED
from zmon.machine.channel_paths import (
    UNTIMED,
    ChannelPaths,
    lost_paths,
    own_load_with_untimed,
    paths_with_masks,
)
from zmon.machine.figure import Needs
from zmon.machine.join import by_key
from zmon.machine.observation import utilisation
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Table
from zmon.values.path_masks import NO_MASKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zmon.base.absent import Number, Value
    from zmon.interval import Delta, Interval
    from zmon.machine.period import Period
    from zmon.machine.view import View

NEEDS: Final = Needs((BLOCK, CHANNEL, CMF, DEVICE), period=True)

RANGES: Final = tuple(f"r{low}" for low in range(0, 100, 10))
"""The names of the ten columns of the distribution."""
NO_INTERVAL: Final = absent("no complete interval yet")
ONLY_NAMED: Final = absent("this kernel has no directory for the channel path; subchannels name it")
NO_LSCHP: Final = NOT_COLLECTED.about("lschp, which describes channel paths")


def _devices_per_path(interval: Interval) -> dict[str, int]:
    """Count, per CHPID, the devices that have the path installed."""
    every = Counter(interval.of(DEVICE)["chpids"])  # most devices have the same ones
    return by_key((chpid, many) for paths, many in every.items() for chpid in text_of(paths).split())


def _over_the_period(
    period: Period, channels: Delta, keys: Sequence[str], current: Sequence[Number], unlisted: Absent
) -> dict[str, list[Value]]:
    """Return the averages and the distributions; those of the estimates where nothing was measured."""
    averages: list[Value] = []
    ranges: list[list[Value]] = []
    for row, key in enumerate(keys):
        figures = None if period.channels else period.estimates.get(key)
        unknown: Value = unlisted
        if row < len(channels):
            figures = period.channels.get(channels.keys[row], figures)
            unknown = current[row] if isinstance(current[row], Absent) else NO_INTERVAL
        averages.append(figures.average if figures else unknown)
        ranges.append(list(figures.distribution) if figures else [unknown] * 10)
    return {
        "ave": averages,
        **{name: [shares[place] for shares in ranges] for place, name in enumerate(RANGES)},
    }


SHOWN: Final = tuple(key for key in ChannelPaths.figures if key not in {"pend", "waits"})
"""The figures of the screen; the others are for rules, and cost a look at each device."""


def table(view: View) -> Table:
    """Fill CHANNEL: one row per channel path, keyed by its CHPID in two hex digits."""
    interval, period = view.interval, view.period
    paths = ChannelPaths(interval)
    channels = paths.counted
    behind = _devices_per_path(interval)
    extra = sorted(set(behind) - set(paths.keys))
    unlisted = NO_LSCHP if code_of(channels.missing) == NOT_COLLECTED.code else ONLY_NAMED
    keys = paths.keys + extra
    columns_of = {
        name: values + [unlisted] * len(extra)
        for name, values in {"descr": paths.labels, **paths.columns(SHOWN)}.items()
    }
    current: list[Number] = columns_of["cur"][: len(channels)]  # type: ignore[assignment]  # percentages
    estimated: dict[str, frozenset[int] | None] = {}
    notes: list[str] = []
    cur = columns_of["cur"]
    measured = any(not isinstance(v, Absent) for v in current)
    if not measured:
        load, loaded = own_load_with_untimed(interval)
        guessed = frozenset(row for row, key in enumerate(keys) if key in load)
        for row in guessed:
            cur[row] = 100.0 * utilisation(load[keys[row]] / 100.0)
        if guessed:
            estimated["cur"] = guessed
            notes.append("~ estimate: this system's own connect time on the path, not its whole load")
            unknown = [row for row, key in enumerate(keys) if key in loaded]
            for row in unknown:
                cur[row] = UNTIMED
            if unknown:
                notes.append(f"Load unknown: {', '.join(keys[row] for row in unknown)} ({UNTIMED.reason})")
        else:
            no_load = next((v for v in current if isinstance(v, Absent)), channels.missing or NOT_MEASURED)
            notes.append(f"No channel load: {no_load.reason}")
    if extra:
        why = "the kernel lists no such channel path" if unlisted is ONLY_NAMED else unlisted.reason
        notes.append(f"CHPIDs without a description: {why}; subchannels name them")
    devices = interval.after.frame(DEVICE)
    lost, masked = lost_paths(devices, devices.keys), paths_with_masks(devices)
    notes += [
        f"Lost: {chpid}, which {many} device{'s' * (many > 1)} on line {'have' if many > 1 else 'has'} and"
        " cannot use"
        for chpid, many in sorted(lost.items())
    ]
    guesses = {} if period.channels else period.estimates
    if guesses:
        guessed = frozenset(row for row, key in enumerate(keys) if key in guesses)
        estimated |= dict.fromkeys(("ave", *RANGES), guessed)
    columns: dict[str, list[Value]] = {
        "chpid": list(keys),
        **columns_of,
        "qual": [absent("Linux does not tell the channel model group")] * len(keys),
        **_over_the_period(period, channels, keys, current, unlisted),
        "devices": [interval.of(DEVICE).missing or behind.get(key, 0) for key in keys],
        "lost": [devices.missing or (lost[key] if key in masked else NO_MASKS) for key in keys],
    }
    # before the first interval the distribution covers no time
    begin, end = period.begin or interval.after.at, period.end or interval.after.at
    if guesses and period.estimated_since is not None:
        begin = period.estimated_since
    facts: dict[str, Value] = {"begin": begin.utc, "end": end.utc}
    return Table(
        keys,
        columns,
        facts=facts,
        estimated=estimated,
        notes=tuple(notes),
        missing=channels.missing if not keys else None,
    )


DEFINITIONS: Final = {
    "channel": TableDefinition(
        NEEDS, table, things=ChannelPaths, screen="CHANNEL", resource="channel", concluded=True,
        correlated=("cur", "own", "bus", "read", "write"),
    )
}  # fmt: skip
