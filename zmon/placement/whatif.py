"""What is needed of a view for "what if": the model of its interval, names, and changes in words.

MOVES, SPREAD and `zmon whatif` ask here, so that they give the same answer to the same question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.clock import written_out
from zmon.base.record import NamedTuple
from zmon.machine.blocks import Blocks
from zmon.machine.cpus import Processors
from zmon.machine.figure import Needs
from zmon.machine.observed import KINDS, load_of, load_with
from zmon.machine.topology import TOPOLOGY, has_files, machine_of, units_of, volumes_of
from zmon.placement.file_traffic import attribution_of
from zmon.placement.items import LOGS
from zmon.placement.pieces import pieces, tablespace_of
from zmon.queueing.change import Change, FileMove, StripedSpace
from zmon.queueing.change_words import KnownNames
from zmon.queueing.computing import background
from zmon.queueing.fit import FlowShare
from zmon.queueing.prediction import (
    WITHIN_ERROR,
    FittedInterval,
    Prediction,
    bound_of_placements,
    fitted_interval,
    gains_little,
    loss_words,
    predict,
)
from zmon.topology.volumes import titles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from zmon.base.absent import Number
    from zmon.interval import Interval
    from zmon.machine.observation import ObservedLoad
    from zmon.machine.view import View
    from zmon.placement.items import FileItem, Placement, Unit
    from zmon.placement.planner import PlanStep
    from zmon.placement.spread_report import SpreadQuery, SpreadReport, WhatIf
    from zmon.queueing.prediction import ThroughputBound
    from zmon.queueing.waiting import Waiting
    from zmon.topology.data_files import DataFile
    from zmon.topology.machine import Machine
    from zmon.topology.volumes import Lcu

NO_NUMBER: Final = absent(f"the gain is {WITHIN_ERROR}")
NEEDS: Final = Needs(KINDS, topology=TOPOLOGY)
MAX_INTERVALS: Final = 60
"""Intervals that are looked at for what processors do besides requests ..."""
MAX_VOLUMES: Final = 100_000
"""... and fewer with many volumes: so many pairs of a volume and an interval."""
MAX_FLOWS: Final = 1000
"""Files on volumes beyond which screens show bounds: the model would take seconds."""
MAX_SPREAD: Final = 4000
"""Files on volumes after a spread of each over all volumes, beyond which bounds are shown as well."""

PREDICTIONS: Final = 200
"""Predictions that the search for the best few moves asks for at most ..."""
PREDICTED_FLOWS: Final = 8000
"""... and flows of requests in all of them: so it takes about a second."""


def model_of(view: View, load: ObservedLoad | None = None) -> FittedInterval:
    """Return the model that is fitted to a view's interval, whose `load` may be known.

    Raises:
        ValueError: there is no I/O of which the times were measured.
    """
    load = load_of(view) if load is None else load
    return _fitted(view, load, flow_shares(view, load) if has_files(view) else ())


def _fitted(view: View, load: ObservedLoad, shares: tuple[FlowShare, ...]) -> FittedInterval:
    return fitted_interval(_with_background(view, load), shares)


def _with_background(view: View, load: ObservedLoad) -> ObservedLoad:
    """Return a load with what processors do besides requests, as far as the intervals before tell it."""
    apart = background(_processor_points(view, load))
    return load._replace(processors=load.processors._replace(background=apart))


def _processor_points(view: View, load: ObservedLoad) -> list[tuple[float, float]]:
    """Return the requests per second of the volumes and the processors in use, the present interval first.

    Intervals with another number of processors are left out.
    """
    numbers = frozenset(volume.number for volume in load.used)
    processors = load.processors.number
    if isinstance(processors, Absent) or isinstance(load.processors.busy, Absent):
        return []
    points = [(sum(volume.rate for volume in load.used), float(load.processors.busy * processors))]
    most = max(1, min(MAX_INTERVALS, MAX_VOLUMES // max(1, len(load.volumes))))

    def figures(interval: Interval) -> dict[str, Number]:
        blocks, processors = Blocks(interval), Processors(interval)
        rows = [row for row, number in enumerate(blocks.counted["number"]) if number in numbers]
        rate = blocks.of("ios", rows)
        return {"rate": rate, "busy": processors.average(processors.busy), "number": processors.running}

    name = "processors by requests", hash(numbers)
    for row in view.history.rows_before(view.interval, name, figures, most):
        rate, busy, number = (row.cells[key] for key in ("rate", "busy", "number"))
        if number == processors and isinstance(rate, float | int) and isinstance(busy, float | int):
            points.append((float(rate), float(busy) / 100.0 * float(number)))
    return points


def flow_shares(view: View, load: ObservedLoad) -> tuple[FlowShare, ...]:
    """Return the traffic of each file as a part of that of its volumes."""
    machine, traffic = machine_of(view), attribution_of(view)
    keys = {volume.number: volume.key for volume in load.volumes}
    flows = []
    for piece in pieces(machine):
        part = traffic.part(piece.file.path, piece.number)
        if isinstance(part, Absent) or part <= 0 or piece.number not in keys:
            continue
        owner = owner_of(piece.file.database, tablespace_of(piece.file))
        steady = _is_log(piece.file, machine)
        flows.append(FlowShare(owner, piece.file.path, keys[piece.number], part, steady=steady))
    return tuple(flows)


def _is_log(file: DataFile, machine: Machine) -> bool:
    return file.role in LOGS or machine.site.is_log(file.path)


def owner_of(database: str, tablespace: str) -> str:
    """Return the class of requests of a tablespace."""
    return f"{database}.{tablespace}" if database else tablespace or "files of no known tablespace"


class ThroughputModel(NamedTuple):
    """Predicts the throughput after moves."""

    base: FittedInterval
    volumes: Mapping[str, str]
    """The volumes that data can be spread over, each by the key of its disk; of several LCUs none."""

    @property
    def affordable(self) -> int:
        """The number of predictions that a search may ask for: each takes the longer, the more flows."""
        return min(PREDICTIONS, PREDICTED_FLOWS // len(self.base.model.flows))

    def __call__(self, places: Sequence[tuple[FileItem, Unit]]) -> float:
        """Return the throughput with files on other units, as a multiple of the present one.

        Raises:
            ValueError: it cannot be predicted.
        """
        moves = [_moved(item.name, unit.key, self.volumes) for item, unit in places]
        return predict(self.base, moves).times


def report_of(
    view: View, placement: Placement, wanted: SpreadQuery, waiting: Waiting | None = None
) -> SpreadReport:
    """Return the report on LCUs or disks with what the model of queues predicts, where it has bounds else.

    Where all is on one LCU, its volumes are what data can be spread over.  Bounds stay where the interval
    lacks channel measurement, and where moves are of no use.

    Raises:
        ValueError: a name of `wanted.available` names no unit.
    """
    from zmon.placement.spread_report import report_spread  # noqa: PLC0415 - OVERVIEW starts without it

    is_of_use = waiting is None or waiting.spreading_helps
    if not wanted.asked:
        wanted = wanted._replace(asked=tuple(_asked(view)))
    try:
        model = _throughput_model(view, placement, wanted) if wanted.traffic and is_of_use else None
        if model is not None:
            return _predicted(report_spread(placement, wanted, waiting, model), model)
    except ValueError:
        pass  # there is no answer of the model: the bounds are left
    return report_spread(placement, wanted, waiting, most=_most(view) if wanted.traffic else None)


def _asked(view: View) -> Iterator[str]:
    """Yield the options that name the source of a view, and its time unless it is the last."""
    history, utc = view.history, view.interval.after.at.utc
    yield from history.asked
    if "--from" in history.asked and (history.last is None or utc != history.last()):
        yield from ("--at", written_out(utc))


def _most(view: View) -> ThroughputBound | None:
    """Return the most throughput that any placement may have; None where nothing of it is measured."""
    try:
        return bound_of_placements(_with_background(view, load_of(view)))
    except ValueError:  # no I/O of which the times were measured
        return None


def _throughput_model(view: View, placement: Placement, wanted: SpreadQuery) -> ThroughputModel | None:
    """Return the model of a view; None where it has too much to predict, or was not measured.

    Raises:
        ValueError: no model fits, or a name of `wanted.available` names no unit.
    """
    from zmon.placement.spread_report import available  # noqa: PLC0415 - OVERVIEW starts without it

    if wanted.what not in {"LCU", "disk"}:
        return None
    machine = machine_of(view)
    load = load_with(view, machine.lcus, machine.site)
    shares = flow_shares(view, load)
    volumes = _volumes_of(wanted, available(placement, wanted.available), machine, load)
    most = MAX_SPREAD // max(1, len(volumes)) if volumes else MAX_FLOWS
    if any(volume.estimated for volume in load.used) or not 0 < len(shares) <= min(most, MAX_FLOWS):
        return None
    return ThroughputModel(_fitted(view, load, shares), volumes)


def _volumes_of(
    wanted: SpreadQuery, units: Sequence[Unit], machine: Machine, load: ObservedLoad
) -> dict[str, str]:
    """Return the volumes that data can be spread over, each by the key of its disk; of several LCUs none.

    They are the disks of the report, or those of the only LCU that hold more than logs.
    """
    if wanted.what == "LCU" and len(units) != 1:
        return {}
    keys = {volume.number: volume.key for volume in load.volumes}
    disks = {volume.spindle: keys[number] for number, volume in machine.volumes.items() if number in keys}
    if wanted.what == "LCU":
        chosen = {
            machine.volumes[piece.number].spindle
            for piece in pieces(machine)
            if piece.number in machine.volumes and not _is_log(piece.file, machine)
        }
    else:
        chosen = {unit.key for unit in units if unit.open}
    return {disk: disks[disk] for disk in sorted(chosen) if disk in disks}


def _predicted(report: SpreadReport, model: ThroughputModel) -> SpreadReport:
    """Return a report with what an even spread gives, and its plan.

    Raises:
        ValueError: that cannot be predicted.
    """
    base, volumes = model
    lcus = () if volumes else tuple(unit.key for unit in report.units if unit.open)
    owners = dict.fromkeys(
        flow.owner for flow in base.model.flows if flow.file and not (volumes and flow.steady)
    )
    even = predict(base, tuple(StripedSpace(owner, lcus, tuple(volumes.values())) for owner in owners))
    report = report._replace(even=_effect(even), wider=_wider(report, base, owners))
    if report.wanted.what == "LCU" and not gains_little(even):
        report = report._replace(volumes=len(volumes))
    if report.plan is None or not report.plan.steps:
        return report
    steps = []
    for many, step in enumerate(report.plan.steps, 1):
        prediction = predict(base, changes_of(report.plan.steps[:many], volumes))
        ratio = NO_NUMBER if prediction.is_within_error else prediction.times
        steps.append(step._replace(ratio=ratio, full=prediction.limit))
    longer = report.plan.longer
    if longer is not None and longer.first_times < 1 + prediction.error:
        longer = longer._replace(first_times=NO_NUMBER)
    plan = report.plan._replace(steps=tuple(steps), longer=longer)
    return report._replace(plan=plan, moved=_effect(prediction))


def _wider(report: SpreadReport, base: FittedInterval, owners: Iterable[str]) -> WhatIf | None:
    """Return what an even spread over the LCUs gives that hold none of the files, too; None without any."""
    if report.wider is None:
        return None
    every = tuple(unit.key for unit in (*report.units, *report.beside))
    try:
        return _effect(predict(base, [StripedSpace(owner, every, ()) for owner in owners]))
    except ValueError:  # an LCU that the model does not know
        return report.wider


def _effect(prediction: Prediction) -> WhatIf:
    from zmon.placement.spread_report import WhatIf  # noqa: PLC0415 - OVERVIEW starts without the planner

    low, high = (rate / prediction.whole.rate[0] for rate in prediction.throughput)
    now, then = (1e3 * time for time in prediction.whole.response)
    counted = f"over {prediction.lcus} LCU{'s' * (prediction.lcus != 1)} and {prediction.paths} channel paths"
    if not prediction.is_within_error:  # else no number is more than the model errs by
        counted = f"{then:.1f} ms instead of {now:.1f} ms for a request, {counted}"
    busy = (
        (prediction.busiest_now or prediction.limit_before,),
        (prediction.next_limit or prediction.limit,),
    )
    return WhatIf(
        prediction.times, *busy, low, high, counted, gains_little(prediction), loss_words(prediction),
        prediction.is_within_error,
    )  # fmt: skip


def changes_of(steps: Iterable[PlanStep], volumes: Mapping[str, str] = {}) -> tuple[Change, ...]:
    """Return the moves of a plan as changes; `volumes` are the targets where disks are units."""
    return tuple(_moved(move.item.name, move.target.key, volumes) for step in steps for move in step.moves)


def _moved(file: str, unit: str, volumes: Mapping[str, str]) -> FileMove:
    files = frozenset({file})
    return FileMove(files, "", volumes[unit]) if unit in volumes else FileMove(files, unit)


def _lcu_names(units: Mapping[str, Lcu]) -> dict[str, str]:
    """Return the key of each LCU by its names, in small letters; a name that two LCUs have is none."""
    title = titles(units)
    keys: dict[str, set[str]] = {}
    for key, unit in units.items():
        names = {key, unit.name, unit.short, unit.ssid, f"SSID {unit.ssid}", unit.called, title[key]}
        for name in names - {""}:
            for word in (name.casefold(), name.casefold().removeprefix("lcu ")):
                keys.setdefault(word, set()).add(key)
    return {name: keys_of.pop() for name, keys_of in keys.items() if len(keys_of) == 1}


def known_names(view: View) -> KnownNames:
    """Return what words may name in a view, in small letters."""
    machine = machine_of(view)
    files: dict[str, frozenset[str]] = {}
    spaces: dict[str, str] = {}
    several: dict[str, set[str]] = {}
    for file in machine.files:
        owner, space = owner_of(file.database, tablespace_of(file)), tablespace_of(file)
        for name in {owner.casefold(), space.casefold()} - {""}:
            if spaces.setdefault(name, owner) != owner:
                several.setdefault(name, {spaces[name]}).add(owner)
            files[name] = files.get(name, frozenset()) | {file.path}
        files[file.path.casefold()] = frozenset({file.path})
    lcus = _lcu_names(units_of(view).lcus)
    volumes: dict[str, str] = {}
    labels = volumes_of(view)
    for volume in load_of(view).volumes:
        labelled = labels.get(volume.key)
        more = (labelled.volser, labelled.disk, labelled.rdev) if labelled is not None else ()
        for name in (volume.key, volume.title, *(str(name) for name in more if isinstance(name, str))):
            volumes.setdefault(name.casefold(), volume.key)
    for name in several:
        del spaces[name], files[name]
    return KnownNames(files, spaces, lcus, volumes, {name: sorted(several[name]) for name in several})
