"""OVERVIEW: the verdict, the state of each resource, what is busiest, and what cannot be seen here and why.

One row per line of the screen, in sections.  Everything that says whether something is short comes from the
one verdict, and all figures of resources and lists from the load that it is drawn from.
"""

from __future__ import annotations

from collections import Counter
from heapq import nlargest
from itertools import starmap
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent, ratio
from zmon.base.clock import SECOND, clock, length
from zmon.base.event import LEVELS, LOOK
from zmon.base.mistake import REASONS, contained
from zmon.base.ranges import FEW_NAMED, names, ranges
from zmon.base.record import NamedTuple
from zmon.base.sizes import MB
from zmon.diagnosis.judged import (
    SLOW,
    calm_on,
    calm_time_on,
    claim_on,
    judged_view,
    mean_lcu_uses,
    situation_of,
    time_on,
    verdict_of,
)
from zmon.diagnosis.processors import may_be_full
from zmon.diagnosis.recent import recent_loads
from zmon.diagnosis.resource_state import Shortage, shortages
from zmon.diagnosis.resources import (
    NO_ALIASES,
    NO_DASD,
    NO_DISC,
    NO_LCUS,
    NO_PATHS,
    RESOURCES,
    Said,
    fullness,
)
from zmon.diagnosis.stretch import times
from zmon.kinds import LPAR, LPAR_CPU, MACHINE, MEMORY, PHYSICAL_CPU, PROCESS, UNIT_IO
from zmon.machine.channel_paths import UNTIMED
from zmon.machine.devices import NO_DISKS
from zmon.machine.figure import Needs, TimedValue
from zmon.machine.observation import NOT_TIMED, Volumes, requests_of, utilisation
from zmon.machine.observed import KINDS
from zmon.machine.topology import TOPOLOGY, has_files, machine_of, no_files, units_of
from zmon.machine.unit_loads import KINDS as UNIT_KINDS
from zmon.machine.unit_loads import DiskPlaces, UnitLoads, total_of, unit_loads
from zmon.machine.view import GAP
from zmon.placement.file_traffic import attribution_of
from zmon.placement.pieces import pieces, tablespace_of
from zmon.queueing.waiting import CERTAINLY_FULL
from zmon.sample import pick
from zmon.tables.diagnosed import lcu_door
from zmon.tables.exceptions import earlier, examined_of, is_complete, still_judged
from zmon.tables.filled import TableDefinition, resource_in, shown_on
from zmon.tables.table import Table
from zmon.tables.user import PROCESSES, REST, REST_DISKS, lcu_doors, without_units
from zmon.topology.volumes import short
from zmon.values.unit_name import title_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from zmon.base.absent import Number, Value
    from zmon.base.event import ExceptionEntry, Exceptions
    from zmon.diagnosis.diagnosis import Diagnosis, Verdict
    from zmon.diagnosis.resources import LcuLoad, RecentLoad
    from zmon.machine.observation import ObservedLoad
    from zmon.machine.view import View
    from zmon.placement.traffic import Space

NEEDS: Final = Needs(
    (*KINDS, LPAR, LPAR_CPU, MACHINE, MEMORY, PHYSICAL_CPU, PROCESS, *UNIT_KINDS),
    history=True, topology=TOPOLOGY, exceptions=True,
)  # fmt: skip
MOST: Final = 10
"""Rows of a list; a screen shows at least the first five."""
NO_VALUE: Final = ""
NO_USER: Final = "(no user)"
"""What stands among users for what is accounted to none of them."""
LEAST_REST: Final = 0.1
"""The part of all bytes from which on it is worth a line."""
PERHAPS_FULL: Final = "perhaps full: tasks that wait are not counted"
TITLES: Final = {resource.key: resource.title for resource in RESOURCES}
NONE_OPEN: Final = "No exception is open"
SEE_BELOW: Final = ": see Looked at, below."
OTHERWISE: Final = ": rules watch limits over some time, the verdict what waits now"
UNJUDGED: Final = absent("the rules are still being applied to the samples")
ADAPTERS: Final = {
    "D13": "has lost paths",
    "D13b": "has all paths",
    "D14": "is unlike its siblings",
    "D14b": "does all",
}
"""What is said of an adapter by the diagnosis that it is the first subject of."""
NONE: Final = frozenset({NO_ALIASES, NO_DASD, NO_DISKS, NO_LCUS, NO_PATHS})
"""Why a resource has no figure where the machine has no such thing."""


class OverviewLine(NamedTuple):
    """One line of the screen; what it does not have is an empty text."""

    section: str
    """`verdict`, `also`, `resource`, `exception`, `open`, `unseen`, or a list: `lcu`, `tablespace` ..."""
    key: str
    name: str
    state: Value = ""
    """`ok`, `look`, `bad` or `unknown`; of a verdict how sure it is.  Missing while rules may change it."""
    percent: Value = NO_VALUE
    """What its bar shows."""
    io: Value = NO_VALUE
    mbs: Value = NO_VALUE
    resp: Value = NO_VALUE
    where: Value = NO_VALUE
    words: str = ""
    command: str = ""
    """What ENTER does."""
    estimated: bool = False
    """Whether its percentage and MB/s are estimates."""
    sentence: str = ""
    """Of a verdict the first clause of its claim; how sure it is stands behind it."""
    brief: str = ""
    """... shorter, if there is such a clause ..."""
    why: str = ""
    """... the rest of that sentence ..."""
    besides: str = ""
    """... those behind it ..."""
    remedy: str = ""
    """... and what follows them in `words`: what to do, and what that gives ..."""
    do: str = ""
    """... or the same in fewer words."""
    level: str = ""
    """Of a verdict `bad` or `look`; empty if nothing is short."""


FIELDS: Final = (
    "section", "name", "state", "percent", "io", "mbs", "resp", "where", "words", "command",
    "sentence", "brief", "why", "besides", "remedy", "do", "level",
)  # fmt: skip


def table(view: View) -> Table:
    """Fill OVERVIEW: one row per line, keyed by section and thing."""
    recent = recent_loads(view)
    if not recent:
        why = view.interval.void or absent("figures need a second sample")
        last = view.history.last
        if view.interval.before is None and last is not None and view.history.first() == last():
            why = absent("there is only one sample (of a capture or of texts: one pass), and rates need two")
        lines = [OverviewLine("verdict", "verdict", "", "", words=f"Nothing can be said yet: {why.reason}.")]
        return _table(lines, [])
    verdict = verdict_of(view)
    exceptions = view.history.exceptions(recent[0].begin, recent[-1].end)
    held = _fullest_first(view, _that_held(view, exceptions, recent[-1]), recent[-1])
    homes = units_of(view).of if held else {}
    short = shortages(
        verdict, [(entry, resource_in(entry.table), homes.get(entry.key, "")) for entry in held]
    )
    present = recent[-1] = _speaking_of(view, recent[-1], short)
    short = _with_slow_device(present, verdict, short)
    units = unit_loads(view.interval)
    places = DiskPlaces(view, units) if units.of else None
    is_judged = is_complete(exceptions, present.end)
    sections: tuple[tuple[str, Callable[[], Iterable[OverviewLine]]], ...] = (
        ("the verdict", lambda: _verdict(view, verdict)),
        ("the resources", lambda: _resources(view, present, verdict, short, is_judged=is_judged)),
        ("LCUs", lambda: _lcus(present.lcus, {} if places is None else lcu_doors(units, places))),
        ("tablespaces", lambda: _tablespaces(view)),
        ("users", lambda: () if places is None else _users(units, places)),
        ("channel paths", lambda: _channels(present, _subjects(verdict, "D13", "path"))),
        ("devices", lambda: _devices(view, present, _subjects(verdict, "D21", "volume"))),
        ("exceptions", lambda: _exceptions(view, verdict, exceptions, present)),
        ("checks", lambda: _checks(view)),
        ("what cannot be seen", lambda: _unseen(view, present)),
    )
    lines = [line for section in starmap(_section, sections) for line in section]
    lines += _mistaken(verdict, exceptions)
    return _table(lines, recent, exceptions.entries)


def _section(what: str, fill: Callable[[], Iterable[OverviewLine]]) -> Sequence[OverviewLine]:
    """Return the lines of one section; of one with a mistake of its own that, and the others are shown."""
    title = what.removeprefix("the ").capitalize()
    return contained(
        f"{what} of OVERVIEW", lambda: [*fill()], lambda why: [_mistake_line(what, title, why.reason, "")]
    )


def _mistaken(verdict: Verdict, exceptions: Exceptions) -> Iterator[OverviewLine]:
    """Yield the causes and rules that have a mistake of their own: what they would say is not shown."""
    for cause in verdict.unknown:
        if cause.is_mistake:
            yield _mistake_line(cause.id, cause.id, cause.source, "DIAGNOSE")
    for rule, why in exceptions.unknown.items():
        if why.code == REASONS.code:
            yield _mistake_line(rule, rule, why.reason, "EXCEPT")


def _mistake_line(part: str, title: str, why: str, command: str) -> OverviewLine:
    return OverviewLine("unseen", f"mistake {part}", title, words=why, command=command)


def _table(
    lines: Sequence[OverviewLine],
    recent: Sequence[RecentLoad],
    exceptions: Sequence[ExceptionEntry] = (),
) -> Table:
    """Return the lines as a table, with the figures by time of those that have some."""
    keys = [f"{line.section} {line.key}" for line in lines]
    columns: dict[str, list[Value]] = {name: [getattr(line, name) for line in lines] for name in FIELDS}
    guessed = frozenset(row for row, line in enumerate(lines) if line.estimated)
    estimated = {name: guessed for name in ("percent", "mbs") if guessed}
    return Table(
        keys,
        columns,
        estimated=estimated,
        series=_series(recent)
        | {
            "exceptions": tuple(
                TimedValue(exception.begin, exception.end, 1, 1, 1) for exception in exceptions
            )
        },
    )


def _series(recent: Sequence[RecentLoad]) -> dict[str, tuple[TimedValue, ...]]:
    """Return by time how much of each resource was used, and what the LCU that is busiest now did."""
    by_time: dict[str, tuple[TimedValue, ...]] = {
        f"resource {resource.key}": _by_time(recent, [recently.percents[resource.key] for recently in recent])
        for resource in RESOURCES
    }
    loads = [interval.lcus for interval in recent]
    if loads and loads[-1]:
        key, title = loads[-1][0].lcu.key, loads[-1][0].lcu.title
        of = [next((load for load in lcus if load.lcu.key == key), None) for lcus in loads]
        gone = absent("the LCU was not there")
        by_time |= {
            f"plot {title}: MB/s": _by_time(
                recent, [gone if load is None else load.bytes / MB for load in of]
            ),
            f"plot {title}: ms": _by_time(
                recent, [gone if load is None else 1e3 * load.response for load in of]
            ),
        }
    return by_time


def _by_time(recent: Sequence[RecentLoad], values: Sequence[Number]) -> tuple[TimedValue, ...]:
    shown = (GAP if interval.gap else value for interval, value in zip(recent, values, strict=True))
    return tuple(
        TimedValue(interval.begin, interval.end, value, value, value)
        for interval, value in zip(recent, shown, strict=True)
    )


# what is wrong


def _verdict(view: View, verdict: Verdict) -> Iterator[OverviewLine]:
    """Yield the verdict: what is wrong, what to do and what that gives; then what else is wrong."""
    others: Sequence[Diagnosis] = verdict.diagnoses
    if verdict.is_calm:
        claim = f"{calm_time_on(view)}{verdict.short}"
        yield OverviewLine("verdict", "verdict", claim, words=calm_on(view, verdict), command="DIAGNOSE")
    else:
        first, *others = verdict.diagnoses
        told = first.told
        gain = "" if first.gain is None else first.gain.short
        damaged = " What it rests on is damaged: see DIAGNOSE." if verdict.damage else ""
        remedies = [
            f" {action.removesuffix('.')}. Gain: {gain}." if gain else f" {action}"
            for action in (first.action, told.action, told.do or told.action)
        ]
        rest = f" {verdict.rest}".rstrip() + damaged
        whole, remedy, do = (f"{remedy}{rest}" for remedy in remedies)
        claim, when = claim_on(view, first), time_on(view, first)
        yield OverviewLine(
            "verdict",
            "verdict",
            claim,
            first.confidence,
            words=f"{claim}{whole}",
            command="DIAGNOSE",
            sentence=f"{when}{told.clause}",
            brief=f"{when}{told.shorter}" if told.shorter not in {"", told.clause} else "",
            why=f"{told.rest}.",
            besides=told.besides,
            remedy=remedy,
            do=do,
            level="bad" if verdict.is_bad else "look",
        )
    for diagnosis in others:
        claim_words = claim_on(view, diagnosis)
        yield OverviewLine(
            "also", diagnosis.id, "Also", diagnosis.confidence, words=claim_words, command="DIAGNOSE"
        )
    if verdict.next_limit and not verdict.is_calm:
        yield OverviewLine("also", "limit", "Next limit", words=f"{verdict.next_limit}.", command="DIAGNOSE")


def _fullest_first(
    view: View, entries: Sequence[ExceptionEntry], present: RecentLoad
) -> Sequence[ExceptionEntry]:
    """Return exceptions with those of LCUs first, the one that is fullest now before the others.

    So of several that are as bad the one is spoken of that is worst now, not the one that once was.
    """
    if view.interval.skipped:
        return entries
    nothing = (-1.0, 0.0)
    return sorted(
        entries,
        key=lambda entry: fullness(present, entry.key) if entry.table == "control_unit" else nothing,
        reverse=True,
    )


def _speaking_of(view: View, present: RecentLoad, short: Mapping[str, Shortage]) -> RecentLoad:
    """Return the present load with the LCUs that are short as those that are spoken of.

    Over a long time, how busy an LCU is is the mean of that.
    """
    lcus = {lcu.key for lcu in present.load.lcus}
    named = {
        kind: short[key].key
        for key, kind in (("lcu", "lcu"), ("alias", "aliases"))
        if key in short and short[key].kind == "lcu" and short[key].key in lcus
    }
    means = mean_lcu_uses(view)
    uses = (*(use for use in present.uses if use.kind != "lcu"), *means) if means else present.uses
    places = situation_of(judged_view(view)).waiting.places
    speaking = present._replace(uses=uses, named=named, places=places)
    own = {resource.key: resource.use(speaking) for resource in RESOURCES if resource.key in {"lcu", "alias"}}
    return speaking._replace(percents={**present.percents, **own})


def _with_slow_device(
    present: RecentLoad, verdict: Verdict, short: dict[str, Shortage]
) -> dict[str, Shortage]:
    """Return what is short, with the busiest device if it is slow because it, or its LCU, is diagnosed.

    The cause is elsewhere, but what answers in 70 ms is not ok: it deserves a look.
    """
    volume = present.load.busiest
    if "device" in short or volume is None or isinstance(volume.response, Absent) or volume.response < SLOW:
        return short
    wrong = {
        (subject.kind, subject.key)
        for diagnosis in (*verdict.diagnoses, *(explained for explained, _ in verdict.explained))
        for subject in diagnosis.subjects
    }
    if wrong.isdisjoint({("volume", volume.key), ("lcu", volume.lcu)}):
        return short
    return {**short, "device": Shortage(LOOK, "volume", volume.key, volume.title, None, None)}


def _timed(said: Said, view: View, short: Shortage, present: RecentLoad) -> str:
    """Say before the words of a resource what was short, how bad, and in which part of a long time."""
    if not view.interval.skipped or short.begin is None or short.end is None:
        return said.whole
    title = {lcu.key: lcu.title for lcu in present.load.lcus}.get(short.key, short.title)
    when = times(max(short.begin, present.begin), min(short.end, present.end))
    more = said.text if said.about == title else said.whole
    return f"{title} {LEVELS[short.level]} {when}{'; ' * bool(more)}{more}".lstrip()


def _resources(
    view: View, present: RecentLoad, verdict: Verdict, short: Mapping[str, Shortage], *, is_judged: bool
) -> Iterator[OverviewLine]:
    """Yield each resource with its state, and what its percentage is of."""
    hung, held = (_subjects(verdict, "D21", kind) for kind in ("volume", "disk"))
    of_paths = _of_paths(verdict)
    for resource in RESOURCES:
        percent = present.percents[resource.key]
        is_short, is_seen = resource.key in short, not isinstance(percent, Absent) or percent == NO_DISC
        state: Value = LEVELS[short[resource.key].level] if is_short else "ok" if is_judged else UNJUDGED
        if not is_seen and not is_short:
            state = "none" if percent in NONE else "unknown"
        undecided = resource.key == "cpu" and not is_short and may_be_full(verdict.unknown)
        state = "unknown" if undecided else state
        niced = present.load.processors.giving_way
        if resource.key == "cpu" and state == "ok" and percent >= 100 * (CERTAINLY_FULL + niced):
            state = "look"  # nothing waits, or zmon itself fills them: but no room is left
        said = resource.said(view, present) if is_short or is_seen else Said("")
        if isinstance(percent, Absent) and not said.whole:
            said = Said(short[resource.key].what if is_short else percent.short)
        if resource.key == "device" and hung:
            said = Said(f"hang{'s' * (len(hung) == 1)}; {said.whole}", " ".join(hung.values()))
        elif resource.key == "device" and held:
            said = Said(f"{'is' if len(held) == 1 else 'are'} suspended; {said.whole}", " ".join(held))
        elif resource.key == "channel" and of_paths is not None:
            more = "" if isinstance(percent, Absent) else f"; {said.whole}"
            said = of_paths._replace(text=f"{of_paths.text}{more}")
        elif undecided:
            said = Said(f"{said.whole}; {PERHAPS_FULL}")
        sentence = _timed(said, view, short[resource.key], present) if is_short else said.whole
        if is_short and short[resource.key].by:
            sentence = f"see {TITLES[short[resource.key].by]}{'; ' * bool(sentence)}{sentence}"
        yield OverviewLine(
            "resource", resource.key, resource.title, state, percent, words=sentence,
            command=resource.command, estimated=_is_estimate(resource.key, present),
        )  # fmt: skip


def _is_estimate(resource: str, present: RecentLoad) -> bool:
    """Return whether the percentage of a resource is an estimate: connect time, or what waits tell."""
    if resource == "lcu":
        return any(use.kind == "lcu" and use.estimated for use in present.uses)
    return resource == "channel" and not present.load.paths_measured


def _of_paths(verdict: Verdict) -> Said | None:
    """Say, in the words of a resource, which paths are lost or slow, or for what requests pend."""
    lost = _subjects(verdict, "D13", "path")
    if lost:
        return Said(f"{'is' if len(lost) == 1 else 'are'} lost", ranges(lost))
    for ident, what in ADAPTERS.items():
        adapters = _subjects(verdict, ident, "adapter")
        if adapters:
            return Said(what, next(iter(adapters)))
    pending = ", ".join(_subjects(verdict, "D5", "lcu").values())
    return Said(f"requests pend for {pending}") if pending else None


def _subjects(verdict: Verdict, ident: str, kind: str) -> dict[str, str]:
    """Return the titles of the single things of a kind that a diagnosis is about, by their keys."""
    return {
        subject.key: subject.title
        for diagnosis in verdict.diagnoses
        if diagnosis.id == ident
        for subject in diagnosis.subjects
        if subject.kind == kind and " " not in subject.key
    }


# what is busiest


def _lcus(loads: Sequence[LcuLoad], doors: Mapping[str, str]) -> Iterator[OverviewLine]:
    """Yield the LCUs with most I/O and their shares; those in `doors` lead to who uses them."""
    everything = sum(load.rate for load in loads)
    for load in loads[:MOST]:
        name = short(load.lcu.title)
        yield OverviewLine(
            "lcu", load.lcu.key, name, "", 100.0 * ratio(load.rate, everything), load.rate,
            load.bytes / MB, 1e3 * load.response,
            command=doors.get(load.lcu.key) or lcu_door(load.lcu.key),
        )  # fmt: skip


def _tablespaces(view: View) -> list[OverviewLine]:
    """Return the tablespaces with most traffic: the share of each, and the LCU that has most of it.

    A name that several databases use is shown with the database.
    """
    if not has_files(view):
        return []
    traffic_of = attribution_of(view)
    loads: dict[Space, dict[str, float]] = {}
    for piece in pieces(machine_of(view)):
        name, traffic = tablespace_of(piece.file), traffic_of.of(piece.file.path, piece.number)
        if not name or piece.share is None or isinstance(traffic, Absent):
            continue
        lcu = piece.share.volume.lcu_name
        where = "" if isinstance(lcu, Absent) else str(lcu)
        on = loads.setdefault((piece.file.database, name), {})
        on[where] = on.get(where, 0.0) + traffic
    everything = sum(sum(on.values()) for on in loads.values())
    databases = Counter(name for _, name in loads)
    busiest = nlargest(MOST, loads.items(), key=lambda item: sum(item[1].values()))
    return [
        OverviewLine(
            "tablespace", title, title, "", 100.0 * ratio(sum(on.values()), everything),
            mbs=sum(on.values()) / MB, where=_most(on), command=f"FILES {name}", estimated=True,
        )
        for (database, name), on in busiest
        for title in (f"{database}.{name}" if database and databases[name] > 1 else name,)
    ]  # fmt: skip


def _users(loads: UnitLoads, places: DiskPlaces) -> Iterator[OverviewLine]:
    """Yield the services, containers and sessions with most I/O, and the LCU that has most of it.

    What is accounted to none stands among them, if it is worth a line.
    """
    everything = sum(loads.bytes.values())
    users = [(unit, title_of(unit), devices, f"UDETAIL {unit}") for unit, devices in loads.of.items()]
    rest = {number: counts for number, counts in loads.rest.items() if counts.bytes > 0}
    if loads.of and total_of(rest.values()).bytes >= LEAST_REST * everything:
        users.append((REST, NO_USER, rest, REST_DISKS))
    sums = [total_of(devices.values()) for _, _, devices, _ in users]
    for at in nlargest(
        MOST, (at for at, counts in enumerate(sums) if counts.bytes), key=lambda at: sums[at].bytes
    ):
        key, title, devices, command = users[at]
        yield OverviewLine(
            "user", key, title, "", 100.0 * ratio(sums[at].bytes, everything),
            sums[at].ios, sums[at].bytes / MB, where=_most(places.by_lcu(devices)), command=command,
        )  # fmt: skip


def _most(on: dict[str, float]) -> str:
    """Return the LCU that has most of a traffic, with a plus if others have some; empty without one."""
    most = short(max(on, key=lambda lcu: on[lcu]))
    return f"{most}{'+' * (len(on) > 1)}" if most else ""


def _channels(present: RecentLoad, lost: Collection[str]) -> Iterator[OverviewLine]:
    """Yield lost channel paths, then the busiest: on one line those that follow one another and are alike."""
    load = present.load
    for key in lost:
        yield OverviewLine(
            "channel", key, key, "bad", 100.0 * utilisation(load.paths.get(key, 0.0)), words="lost",
            command=f"DEVICE CHPID {key}", estimated=not load.paths_measured,
        )  # fmt: skip
    measured = [
        (100.0 * use, key)
        for key, use in load.paths.items()
        if not isinstance(use, Absent) and use <= 1.0 and key not in lost
    ]
    groups: dict[int, list[tuple[float, str]]] = {}
    for use, key in sorted(measured, key=lambda pair: (-pair[0], pair[1])):
        groups.setdefault(round(use), []).append((use, key))
    lines = [
        (max(group)[0], chpids)
        for group in groups.values()
        for chpids in ranges(key for _, key in group).split()
    ]
    for why, chpids in _unmeasured(load, lost):
        command = "CHANNEL" if "-" in chpids else f"DEVICE CHPID {chpids}"
        yield OverviewLine("channel", chpids, chpids, "", why, command=command)
    for use, chpids in lines[:MOST]:
        command = "CHANNEL" if "-" in chpids else f"DEVICE CHPID {chpids}"
        yield OverviewLine(
            "channel", chpids, chpids, "", use, command=command, estimated=not load.paths_measured
        )


def _unmeasured(load: ObservedLoad, lost: Collection[str]) -> Iterator[tuple[Absent, str]]:
    """Yield the paths that carry I/O and that nobody measured, each with the reason."""
    busy = (lcu for lcu in load.lcus if any(volume.rate for volume in load.volumes_of(lcu.key)))
    used = {chpid for lcu in busy for chpid in lcu.chpids}
    reasons: dict[Absent, list[str]] = {}
    for key in sorted(used - set(lost)):
        use = utilisation(load.paths.get(key, UNTIMED))
        if isinstance(use, Absent):
            reasons.setdefault(use, []).append(key)
    yield from ((why, chpids) for why, keys in reasons.items() for chpids in ranges(keys).split())


def _devices(view: View, present: RecentLoad, hung: Collection[str]) -> Iterator[OverviewLine]:
    """Yield the devices that hang, then those with most requests in them or waiting for them."""
    units, volumes = units_of(view), Volumes.of(present.load.volumes)
    keys, ranks = volumes.column("key"), list(map(requests_of, *map(volumes.column, ("rate", "response"))))
    used = (at for at, key in enumerate(keys) if key in hung or any(ranks[at]))
    most = nlargest(MOST, used, key=lambda at: (keys[at] in hung, ranks[at]))
    for volume, busy in zip(volumes.some(most), pick(present.busy, most), strict=True):
        unit = units.lcus.get(units.of.get(volume.key, ""))
        yield OverviewLine(
            "device", volume.key, volume.title, "bad" if volume.key in hung else "", busy, volume.rate,
            volume.rate * volume.size / MB if volume.rate else 0.0, 1e3 * volume.response,
            NO_VALUE if unit is None else unit.short, "hangs" if volume.key in hung else "",
            f"DEVICE {volume.title}",
        )  # fmt: skip


# what is open, and what cannot be seen


def _that_held(view: View, log: Exceptions, present: RecentLoad) -> list[ExceptionEntry]:
    """Return the exceptions that held in the present interval or period, the heaviest first.

    One that is open but has ceased to hold makes no resource short.
    """
    if not view.interval.skipped:
        return [entry for entry in log.open_at(present.end) if entry.end >= present.end]
    held = (entry for entry in log.entries if entry.begin < present.end and entry.end > present.begin)
    return sorted(held, key=lambda entry: entry.heaviness)


def _in_period(present: RecentLoad, entries: Sequence[ExceptionEntry], still: int) -> str:
    """Say of what the figures of a period are, and how many exceptions it has."""
    figures = f"All figures are means of {length((present.end - present.begin) / SECOND)}."
    many = f"{len(entries) or 'No'} exception{'s' * (len(entries) > 1)} in this time"
    ends = f", {still or 'none'} open at its end" if entries else ""
    return f"{figures} {many}{ends}."


def _exceptions(view: View, verdict: Verdict, log: Exceptions, present: RecentLoad) -> Iterator[OverviewLine]:
    """Yield how many exceptions are open and since when, then each, the heaviest first.

    Where nothing is short all the same it is said why, as EXCEPT and DIAGNOSE do.
    """
    entries, is_whole = log.open_at(present.end), is_complete(log, present.end)
    looked_at = examined_of(verdict, entries) if verdict.is_calm else []
    inside = [entry for entry in log.entries if entry.until > present.begin]
    sentence = f"{NONE_OPEN}."
    if view.interval.skipped and (inside or is_whole):
        sentence = _in_period(present, inside, len(entries))
    elif entries:
        many = (
            f"{len(entries)} exceptions are open, the oldest" if len(entries) > 1 else "An exception is open"
        )
        last = max(entry.end for entry in entries)
        sentence = f"{many} since {clock(min(entry.begin for entry in entries))}"
        if not is_whole:
            sentence += f", as far as the rules were applied: up to {clock(log.until)}"
        elif last < present.end:
            sentence += f", last seen at {clock(last)}"
        sentence += SEE_BELOW if looked_at else "."
    elif not is_whole:
        sentence = still_judged(log)
    elif present.gap:
        sentence = f"{NONE_OPEN}; only states were judged, because samples are missing."
    else:
        why = "" if verdict.is_calm else OTHERWISE
        past = earlier(view.history.exceptions(0, present.end).entries, present.end)
        sentence = f"{NONE_OPEN}{why}{f'; {past}' if past else ''}."
    if log.anew and inside:
        sentence += " Judged by the rules of then: see EXCEPT."
    state = LEVELS[max((entry.level for entry in entries), default=0)]
    yield OverviewLine("exception", "all", "Exceptions", state, words=sentence, command="EXCEPT")
    for number, told in enumerate(looked_at, 1):
        yield OverviewLine("also", f"looked-{number}", "Looked at", words=told, command="EXCEPT")
    for entry in entries[:MOST]:
        seen = f" to {clock(entry.end)}" * (is_whole and entry.end < present.end)  # it ends if it stays away
        yield OverviewLine(
            "open", str(entry.number), f"{clock(entry.begin)}{seen}", LEVELS[entry.level], where=entry.where,
            words=entry.told,
            command=shown_on(entry.table),
        )  # fmt: skip


def _checks(view: View) -> Iterator[OverviewLine]:
    """Yield which settings are bad, if any are."""
    from zmon.tables.checked import bad_of  # noqa: PLC0415 - a screen starts without checks

    bad = [f"{result.check.title} ({result.check.id})" for result in bad_of(view)]
    if bad:
        sentence = f"Not as CHECK advises: {names(bad, FEW_NAMED)}."
        yield OverviewLine("exception", "checks", "Checks", LEVELS[LOOK], words=sentence, command="CHECK")


def _unseen(view: View, present: RecentLoad) -> Iterator[OverviewLine]:
    """Yield what is not visible here, each with its reason; its screen says more."""
    load = present.load
    if load.paths and not load.paths_measured:
        sentence = "~ is the connect time of this system alone"
        yield OverviewLine("unseen", "channel", "Channel load of others", words=sentence, command="CHANNEL")
    misses = (lcu.misses for lcu in load.lcus if isinstance(lcu.misses, Absent))
    reasons: tuple[tuple[str, str, Absent | None], ...] = (
        ("LPAR", "Other LPARs", view.interval.of(LPAR).missing),
        ("DEVICE", "Pend, Disc, Conn", _untimed(load)),
        ("CACHEXT", "Cache hits", next(misses, None)),
        ("FILES", "Tablespaces", None if has_files(view) else no_files(view)),
    )
    for command, name, why in reasons:
        if why is not None:
            yield OverviewLine("unseen", command.lower(), name, words=why.reason, command=command)
    nobody = without_units(view, view.interval.after.frame(UNIT_IO).missing)
    if nobody.missing is not None and nobody.facts:
        yield OverviewLine("unseen", "users", "Users", words=nobody.missing.reason, command=PROCESSES)


def _untimed(load: ObservedLoad) -> Absent | None:
    """Return why requests are not timed: of those that wait, else of the first disk."""
    if load.is_untimed and load.untimed is not NOT_TIMED:
        return load.untimed
    return absent(load.missing[0]) if load.missing else None


DEFINITIONS: Final = {"overview": TableDefinition(NEEDS, table, has_status=True)}
