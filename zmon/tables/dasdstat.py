"""DASDSTAT: how long requests to DASD took, how large they were and how many waited, as the driver counted.

One row per bucket of the driver's histograms, of one volume or device, or of all.  The buckets of times and
of sizes double from row to row, those of the queue grow by one; each has its labels beside it.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.absent import Absent, absent
from zmon.base.sizes import MB, SECTOR
from zmon.interval import FIRST, REPLACED
from zmon.kinds import BUCKETS, DASD, DEVICE, NO_DASD_DRIVER, PROFILE, buckets
from zmon.machine.device_names import matches
from zmon.machine.devices import label_reader
from zmon.machine.figure import Needs
from zmon.machine.topology import TOPOLOGY, volumes_of
from zmon.machine.view import NoSuchThing
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from zmon.base.absent import Number, Value
    from zmon.interval import Delta
    from zmon.machine.view import View


NOTHING: Final = absent("no request was counted")

LAST: Final = BUCKETS - 1

FULL: Final = 100.0
"""The length of the longest bar, and all of something in percent."""


def bounds(bucket: int) -> tuple[int, int]:
    """Return the first value of a bucket and the first beyond it; the last is taken to end like others."""
    return (0 if not bucket else 2 << bucket), 4 << bucket


def time_label(bucket: int) -> str:
    """Write the times of a bucket, which are microseconds: `512-1023us`, `4.1-8.2ms`."""
    low, high = bounds(bucket)
    if not bucket or bucket == LAST:
        return "<4us" if not bucket else f">{low / 1e6:.0f}s"
    if high <= 1 << 10:
        return f"{low}-{high - 1}us"
    size, unit = (1e3, "ms") if high <= 1 << 19 else (1e6, "s")
    return f"{_short(low / size)}-{_short(high / size)}{unit}"


def _short(value: float) -> str:
    return (f"{value:.1f}" if value < 9.95 else f"{value:.0f}").removeprefix("0")


def size_label(bucket: int) -> str:
    """Write the sizes of a bucket, which are sectors of 512 bytes: `4-8K` is from 4 KiB to less than 8."""
    low, high = (bound // 2 for bound in bounds(bucket))
    if not bucket or bucket == LAST:
        return "<2K" if not bucket else f">{low >> 30}T"
    from_size, other = _binary(low), _binary(high)
    return f"{from_size.removesuffix(other[-1])}-{other}"


def _binary(kibibytes: int) -> str:
    """Write a power of two."""
    power = (kibibytes.bit_length() - 1) // 10
    return f"{kibibytes >> 10 * power}{'KMGT'[power]}"


def queue_label(bucket: int) -> str:
    """Write the length of a queue, whose buckets hold one value each."""
    return f"{bucket}" if bucket < LAST else f"{bucket}+"


def bucket_mean(counts: Sequence[Number]) -> Number:
    """Estimate the mean of a histogram."""
    return _mean(counts, _middle)


def queue_mean(counts: Sequence[Number]) -> Number:
    """Return the mean of a histogram of a queue's length, of which only the last bucket is not exact."""
    return _mean(counts, lambda bucket: bucket)


def _mean(counts: Sequence[Number], value: Callable[[int], float]) -> Number:
    whole = total(counts)
    if isinstance(whole, Absent):
        return whole
    return sum((value(bucket) * count for bucket, count in enumerate(counts)), start=0.0) / whole


def _middle(bucket: int) -> float:
    """Return the mean of values that lie evenly on a logarithmic scale between the bounds of a bucket."""
    low, high = bounds(bucket)
    return (high - low) / log(high / low) if low else high / 2


def percentile(counts: Sequence[Number], percent: float) -> Number:
    """Estimate a percentile of a histogram."""
    whole = total(counts)
    if isinstance(whole, Absent):
        return whole
    left: Number = whole * percent / FULL
    for bucket, count in enumerate(counts):
        if not isinstance(count, Absent) and count and count >= left:
            low, high = bounds(bucket)
            part = left / count
            return low * (high / low) ** part if low else high * part
        left -= count
    return float(bounds(LAST)[1])  # rounding has left a rest


def total(counts: Sequence[Number]) -> Number:
    """Return how many there are; absent when there are none."""
    whole: Number = sum(counts)
    return whole or NOTHING


def peak_bucket(shares: Sequence[Number]) -> int | None:
    """Return the fullest bucket, of several the first; None when there is none."""
    ranked = [(-share, bucket) for bucket, share in enumerate(shares) if not isinstance(share, Absent)]
    share, bucket = min(ranked, default=(0.0, 0))
    return bucket if share else None


def percents(counts: Sequence[Number]) -> list[Number]:
    """Return what part of all each bucket holds."""
    whole = total(counts)
    return [FULL * count / whole for count in counts]


def bars(shares: Sequence[Number], longest: Number) -> list[Number]:
    """Return how long a bar stands for each share, in percent of the longest bar."""
    return [FULL * share / longest if longest else share for share in shares]


def reach(*histograms: Sequence[Number]) -> range:
    """Return the buckets from the first to the last that hold anything in one of several histograms."""
    held = [
        bucket
        for bucket in range(BUCKETS)
        if any(not isinstance(counts[bucket], Absent) and counts[bucket] for counts in histograms)
    ]
    return range(held[0], held[-1] + 1) if held else range(0)


NEEDS: Final = Needs((PROFILE, DASD, DEVICE), topology=TOPOLOGY)

GLOBAL: Final = "global"
READS: Final = "READS"
WRITES: Final = "WRITES"
TOTAL: Final = "TOTAL"
WORDS: Final = (READS, WRITES, TOTAL)
"""What may be asked for of a thing: a part of its requests, and what was counted since the start."""
_SHORTEST: Final = 3

TIMES: Final = {"time": "Total time", "wait": "Till SSCH", "device": "SSCH to irq", "end": "Irq to end"}
"""The histograms of times, and what each is called in sentences."""
SHOWN: Final = (*TIMES, "size", "queue")
LABELS: Final = {
    "bucket": time_label,
    "sizes": size_label,
    "queued": queue_label,
}
"""The labels beside the bars: the range of each bucket of times, sizes and queues."""

RESET: Final = absent("the statistics were switched on or reset in this interval")
IDLE: Final = absent("no request was done in this interval")
BEFORE: Final = absent("the first sample has no interval: TOTAL shows what was counted since the start")
NO_TIME: Final = absent("the driver does not say since when")
NOT_READ: Final = absent("/proc/dasd/statistics was not captured, or this kernel does not have it")

EVERYTHING: Final = "All DASD, this interval"
"""The default subject."""

PERCENTILES: Final = (50, 95, 99)
SAID: Final = (50, 90, 99)
IN_WORDS: Final = ("time", "wait", "device")
"""What the sentence gives: these percentiles of these histograms."""
UNITS: Final = ((1e6, "s"), (1e3, "ms"), (1.0, "us"))
FIGURES: Final = (
    "rate", "mbs", "kib", "reads", "pav", "hpf", "since",
    *(f"{name}_{figure}" for name in TIMES for figure in ("mean", *PERCENTILES)),
)  # fmt: skip
ESTIMATE: Final = "Mean    ~ms"
EXACT: Final = "Mean     ms"
FROM_BUCKETS: Final = "~ Estimated from the buckets: the exact mean is Resp of DEVICE"


class ProfileQuery(NamedTuple):
    """What is to be shown: of which row of the sample, which of its requests, and since when."""

    key: str
    part: str = ""
    """READS, WRITES, or empty for both."""
    whole: bool = False
    """Whether all is meant that was counted since the start, or the interval."""


def table(view: View) -> Table:
    """Fill DASDSTAT: one row per bucket that holds anything, keyed by its number.

    `view.argument` names a volume or a device, by default all DASD, and READS, WRITES or TOTAL behind it.

    Raises:
        NoSuchThing: the argument names nothing that is counted.
    """
    interval = view.interval
    profiles = interval.of(PROFILE)
    if not len(profiles):
        none = _missing(view)
        return Table([], {}, facts=dict.fromkeys(FIGURES, none) | {"mean_of": ESTIMATE}, missing=none)
    counts = ProfileCounts(profiles, parse(view.argument, view))
    held = {name: counts.histogram(name) for name in SHOWN}
    rows = reach(*held.values())
    shares = {name: percents(values) for name, values in held.items()}
    columns: dict[str, list[Value]] = {name: [label(row) for row in rows] for name, label in LABELS.items()}
    columns["requests"] = [held["time"][row] for row in rows]
    for name, values in shares.items():
        longest = _longest(values)
        columns[name] = [values[row] for row in rows]
        columns[f"{name}_bar"] = list(bars([values[row] for row in rows], longest))
    scaled = counts.scaled
    return Table(
        [f"{row:02}" for row in rows],
        columns,
        facts=_facts(counts, held, view),
        estimated=dict.fromkeys([*held, "requests"]) if scaled else {},
        notes=tuple(_notes(counts, held)),
        missing=None if rows else counts.missing,
        home=_fullest(held["time"]),
    )


def _missing(view: View) -> Absent:
    """Return why nothing is counted; a reader that found no driver is wrong where there are DASD."""
    why = view.interval.of(PROFILE).missing or NOTHING
    return NOT_READ if why.code == NO_DASD_DRIVER.code and view.interval.of(DASD).keys else why


class ProfileCounts:
    """The counts of one thing: in the interval, or since the start."""

    def __init__(self, profiles: Delta, asked: ProfileQuery) -> None:
        """Look at what is asked for."""
        self.asked = asked
        self._profiles = profiles
        self._row = profiles.index[asked.key]

    def cell(self, name: str) -> Value:
        """Return a figure as it was read."""
        return self._profiles.frame.column(name)[self._row]

    @property
    def scaled(self) -> bool:
        """Whether counts were divided, and so are not exact."""
        return self.cell("scale") not in {1, ""} and not isinstance(self.cell("scale"), Absent)

    @property
    def seconds(self) -> Number:
        """How long was counted."""
        seconds = self._profiles.seconds[self._row]
        return RESET if seconds is REPLACED else seconds

    @property
    def missing(self) -> Absent:
        """Why nothing is shown."""
        count = self.number("requests")
        if isinstance(count, Absent):
            return BEFORE if count is FIRST else count
        return NOTHING if self.asked.whole else IDLE

    def number(self, name: str) -> Number:
        """Return a count of the requests that are asked for."""
        if self.asked.part == READS:
            return self._count(f"read_{name}")
        if self.asked.part == WRITES:
            return self._count(name) - self._count(f"read_{name}")
        return self._count(name)

    def histogram(self, name: str) -> list[Number]:
        """Return the counts of a histogram."""
        return [self.number(bucket) for bucket in buckets(name)]

    def all(self, name: str) -> Number:
        """Return a count of all requests, reads and writes."""
        return self._count(name)

    def _count(self, name: str) -> Number:
        if self.asked.whole:
            return self._profiles.frame.column(name)[self._row]  # type: ignore[return-value]  # a counter
        value = self._profiles.numbers(name)[self._row]
        return RESET if value is REPLACED else value


def _longest(shares: Iterable[Number]) -> Number:
    return max((share for share in shares if not isinstance(share, Absent)), default=0.0)


def parse(argument: str, view: View) -> ProfileQuery:
    """Read what a person asks for: `dasdb`, `7001 reads`, `global total`.

    A volume is meant by a device number where its aliases are counted with it, else the device alone.

    Raises:
        NoSuchThing: there is no such thing, or nothing is counted of it.
    """
    key = part = ""
    whole = False
    for word in argument.split():
        meant = next((w for w in WORDS if len(word) >= _SHORTEST and w.startswith(word.upper())), "")
        if meant == TOTAL:
            whole = True
        elif meant:
            part = meant
        elif key:
            raise NoSuchThing(f"{word!r} is no word here; behind {key} may stand {', '.join(WORDS)}")
        else:
            key = _find(word, view)
    return ProfileQuery(key or _default(view.interval.of(PROFILE)), part, whole)


def _default(profiles: Delta) -> str:
    return GLOBAL if GLOBAL in profiles.index else profiles.keys[0]


def _find(word: str, view: View) -> str:
    """Return the key of a volume or device by any of its names."""
    profiles, wanted = view.interval.of(PROFILE), word.casefold()
    if wanted in profiles.index:
        return wanted
    disks = view.interval.of(DASD)
    names = dict(zip(disks.keys, disks["name"], strict=True))
    for busid in matches(view, word, disks.keys):
        for key in (str(names[busid]), busid):
            if key in profiles.index:
                return key
    ends = [key for key in profiles.keys if key.rpartition(".")[2] == wanted]
    if len(ends) == 1:
        return ends[0]
    some = ", ".join(sorted(profiles.keys, key=lambda key: (key != GLOBAL, "." in key, key))[:6])
    raise NoSuchThing(f"nothing is counted of {word!r}; counted are {some}{' ...' * (len(profiles) > 6)}")


def _facts(counts: ProfileCounts, held: dict[str, list[Number]], view: View) -> dict[str, Value]:
    asked = counts.asked
    start = counts.cell("start")
    since: Value = NO_TIME if isinstance(start, Absent) else int(float(str(start)) * 1e9)
    requests, seconds = counts.number("requests"), counts.seconds
    if asked.whole:
        seconds = (view.interval.after.at.utc - since) / 1e9 if isinstance(since, int) else NO_TIME
    facts: dict[str, Value] = {
        "subject": _subject(asked, view),
        "since": since,
        "count": requests,
        "rate": requests / seconds if isinstance(seconds, Absent) or seconds > 0 else NO_TIME,
        "mbs": counts.number("sectors") * SECTOR / MB / seconds if seconds else NO_TIME,
        "reads": _percent(counts.all("read_requests"), counts.all("requests")),
        "pav": _percent(counts.number("pav"), requests),
        "hpf": _percent(counts.number("hpf"), requests),
        "kib": counts.number("sectors") / 2 / requests if requests else IDLE,
        "queue_mean": queue_mean(held["queue"]),
    }
    exact = asked.whole and not asked.part and not isinstance(counts.cell("mean_time"), Absent)
    facts["mean_of"] = EXACT if exact else ESTIMATE
    for name in TIMES:
        read = counts.cell(f"mean_{name}")
        mean: Number = read if exact and not isinstance(read, str) else bucket_mean(held[name])
        facts[f"{name}_mean"] = mean / 1000
        for percent in PERCENTILES:
            facts[f"{name}_{percent}"] = percentile(held[name], percent) / 1000
    return facts


def _percent(part: Number, whole: Number) -> Number:
    if isinstance(whole, Absent) or not whole:
        return whole if isinstance(whole, Absent) else IDLE
    return 100 * part / whole


def _subject(asked: ProfileQuery, view: View) -> str:
    """Say what is shown: `all DASD, reads`."""
    what = "All DASD" if asked.key == GLOBAL else asked.key
    disks, volumes = view.interval.of(DASD), volumes_of(view)
    for busid, name, volser in zip(disks.keys, disks["name"], disks["volser"], strict=True):
        if name == asked.key:
            uid = view.interval.of(DEVICE).cell(busid, "uid")
            own = label_reader(view.interval)(busid, uid, volser)
            label = volumes[busid].volser if busid in volumes else own
            what = " ".join([what, busid, *([label] if isinstance(label, str) else [])])
    part = {READS: ", reads", WRITES: ", writes"}.get(asked.part, "")
    return f"{what}{part}, {'since the start' if asked.whole else 'this interval'}"


def _fullest(times: list[Number]) -> str:
    """Return the key of the bucket with most requests."""
    place = peak_bucket(times)
    return "" if place is None else f"{place:02}"


def _notes(counts: ProfileCounts, held: dict[str, list[Number]]) -> list[str]:
    """Return within which times requests were done, and what is not as it should be."""
    notes = []
    for name in IN_WORDS:
        below = [percentile(held[name], percent) for percent in SAID]
        times = [time for time in below if not isinstance(time, Absent)]
        if len(times) == len(below):
            notes.append(f"{TIMES[name]} {_times(times)}")
    every = ", ".join(f"{percent} %" for percent in SAID)
    said = [f"{every} of the requests are below: {'; '.join(notes)}"] if notes else []
    if counts.scaled:
        said.append(f"Counts are exact to {counts.cell('scale')} requests, because /proc divides them")
    if counts.cell("via") == "proc":
        said.append("Reads, volumes and devices are in debugfs only: run zmon as root")
    if notes and not counts.asked.part and not counts.asked.whole:
        said.append(FROM_BUCKETS)
    return said


def _times(microseconds: Sequence[float]) -> str:
    """Write estimated times in three digits and the unit of the longest: `0.724~, 1.02~ ms`."""
    size, unit = next((unit for unit in UNITS if max(microseconds) >= unit[0]), UNITS[-1])
    shown = [f"{time / size:#.3g}".rstrip(".") + "~" for time in microseconds]
    return f"{', '.join(shown)} {unit}"


def together(then: Table, now: Table) -> tuple[Table, Table]:
    """Bring two tables to the same rows and bars to the same scale, and say in words what has moved."""
    held = sorted(map(int, {*then.keys, *now.keys}))
    rows = range(held[0], held[-1] + 1) if held else range(0)
    scale = {name: _longest([*_shares(then, name), *_shares(now, name)]) for name in SHOWN}
    said = tuple(_shifts(then, now))
    return _widened(then, rows, scale), _widened(now, rows, scale)._replace(notes=said)


def _shares(filled: Table, name: str) -> list[Number]:
    return list(filled.columns[name]) if filled.keys else []  # type: ignore[arg-type]  # they are figures


def _widened(filled: Table, rows: Sequence[int], scale: Mapping[str, Number]) -> Table:
    """Return a table with the rows of other buckets, too: those that it does not have hold nothing."""
    if not filled.keys:
        return filled
    at = {int(key): row for row, key in enumerate(filled.keys)}
    columns: dict[str, list[Value]] = {name: [label(row) for row in rows] for name, label in LABELS.items()}
    for name in ("requests", *SHOWN):
        values = _shares(filled, name)
        none = next((value for value in values if isinstance(value, Absent)), 0)
        along = [values[at[row]] if row in at else none for row in rows]
        columns[name] = list(along)
        if name in scale:
            columns[f"{name}_bar"] = list(bars(along, scale[name]))
    return filled._replace(keys=[f"{row:02}" for row in rows], columns=columns, notes=())


def _shifts(then: Table, now: Table) -> Iterator[str]:
    """Say of each histogram of times how its peak and its mean have moved."""
    if not then.keys or not now.keys:
        return
    if now.facts["subject"] != EVERYTHING:
        yield str(now.facts["subject"])
    for name, title in TIMES.items():
        peak = _moved(_peak(then, name), _peak(now, name))
        mean = _changed(*(filled.facts[f"{name}_mean"] for filled in (then, now)))
        yield f"{title}: peak {peak}; mean {mean}"


def _peak(filled: Table, name: str) -> str:
    place = peak_bucket(_shares(filled, name))
    return "unknown" if place is None else time_label(int(filled.keys[place]))


def _moved(then: str, now: str) -> str:
    return f"{now} as before" if then == now else f"{then}, now {now}"


def _changed(then: Value, now: Value) -> str:
    if isinstance(then, (Absent, str)) or isinstance(now, (Absent, str)) or not then:
        return "not known"
    return f"{then:.3g}~, now {now:.3g}~ ms ({100 * (now - then) / then:+.0f} %)"


DEFINITIONS: Final = {"dasdstat": TableDefinition(NEEDS, table, together=together, screen="DASDSTAT")}
