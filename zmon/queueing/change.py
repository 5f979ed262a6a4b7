"""Changes of a machine that a prediction is for, and what each does to a fitted model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.base.record import NamedTuple
from zmon.queueing.fit import WITHHELD, paths_pooled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from zmon.queueing.fit import FittedFlow, FittedModel, FittedPaths


class ChangeError(ValueError):
    """A change cannot be made here; the message says what to do."""


class FileMove(NamedTuple):
    """Files get another volume."""

    files: frozenset[str]
    lcu: str
    """The key of the LCU on which each gets a volume like the one that it has; empty with a volume."""
    volume: str = ""
    """The key of a volume."""


class StripedSpace(NamedTuple):
    """The files of a tablespace are spread evenly over LCUs or volumes."""

    space: str
    """The class of its requests."""
    lcus: tuple[str, ...] = ()
    """Keys; on these it gets as many volumes as it has, and at least one on each."""
    volumes: tuple[str, ...] = ()


class PathNumber(NamedTuple):
    """Channel paths are added or taken away."""

    number: float
    """How many there are then; with `times` the factor."""
    lcu: str = ""
    """The LCU whose paths they are; empty for all."""
    times: bool = False


class PathsInUse(NamedTuple):
    """Requests take all channel paths, where some were idle: multibus instead of failover."""

    lcu: str = ""
    """The LCU whose paths they are; empty for all."""


class AliasNumber(NamedTuple):
    """A pool of aliases, or the aliases of one volume, get another size."""

    number: int
    lcu: str = ""
    """The LCU of the pool; empty for each LCU."""
    volume: str = ""


class ProcessorNumber(NamedTuple):
    """Linux gets another number of processors."""

    number: float


Change = FileMove | StripedSpace | PathNumber | PathsInUse | AliasNumber | ProcessorNumber


def changed(model: FittedModel, changes: Sequence[Change]) -> FittedModel:
    """Return the model after the changes, one after the other.

    Raises:
        ChangeError: one concerns something that has no I/O or was not measured.
    """
    for change in changes:
        model = _CHANGES[type(change)](model, change)
    return model


def is_so_already(model: FittedModel, change: Change) -> bool:
    """Return whether a change leaves all as it is; it is none that more processors have no more time.

    Raises:
        ChangeError: as of `changed`.
    """
    same = changed(model, [change]) == model
    return same and not (isinstance(change, ProcessorNumber) and change.number != model.processors)


def _flows(model: FittedModel, flows: Sequence[FittedFlow], titles: Mapping[str, str]) -> FittedModel:
    return model._replace(flows=tuple(flows), titles={**model.titles, **titles})


def _with_files_moved(model: FittedModel, change: FileMove) -> FittedModel:
    if not any(flow.file in change.files for flow in model.flows):
        raise ChangeError("nothing is read or written in these files, so moving them changes nothing")
    there = model.places.get(change.volume)
    if change.volume and (there is None or there[0] not in model.lcus):
        raise ChangeError(f"the LCU of volume {change.volume} has no I/O that was measured: name another")
    flows, titles = [], dict[str, str]()
    for flow in model.flows:
        if flow.file in change.files and there is not None:
            flows.append(flow._replace(volume=change.volume, lcu=there[0], servers=there[1]))
        elif flow.file in change.files and flow.lcu != change.lcu:
            key = f"{flow.file} on {change.lcu}"
            titles[key] = f"a new volume for {flow.file}"
            flows.append(flow._replace(volume=key, lcu=change.lcu))
        else:
            flows.append(flow)
    return _flows(model, flows, titles)


def _with_space_striped(model: FittedModel, change: StripedSpace) -> FittedModel:
    own = [flow for flow in model.flows if flow.owner == change.space]
    if not own:
        raise ChangeError(f"nothing is read or written in {change.space}, so striping it changes nothing")
    servers = sum({flow.volume: flow.servers for flow in own}.values())
    targets: list[tuple[str, str, float]] = []
    titles = {}
    share = max(1, round(len({flow.volume for flow in own}) / max(1, len(change.lcus))))
    """So many volumes it gets on each LCU."""
    for lcu in change.lcus:
        for number in range(share):
            key = f"{change.space} on {lcu}, {number}"
            titles[key] = f"new volumes for {change.space}"
            targets.append((key, lcu, max(1.0, servers / len(change.lcus) / share)))
    for volume in change.volumes:
        lcu, many = model.places.get(volume, (own[0].lcu, own[0].servers))
        targets.append((volume, lcu, many))
    fewer = len({flow.volume for flow in own}) / len(targets)
    """Writes that come at once are spread over so many times fewer volumes."""
    flows = [flow for flow in model.flows if flow.owner != change.space]
    flows += [
        flow._replace(
            rate=flow.rate / len(targets),
            volume=volume,
            lcu=lcu,
            servers=many,
            ahead=flow.ahead * (fewer if paths_pooled(model, lcu) else 1.0),
        )
        for flow in own
        for volume, lcu, many in targets
    ]
    return _flows(model, flows, titles)


def _with_paths(model: FittedModel, change: PathNumber) -> FittedModel:
    groups = _groups(model, change.lcu)
    there = sum(len(model.paths[group].chpids) for group in groups)
    times = change.number if change.times else change.number / there

    def with_more(paths: FittedPaths) -> FittedPaths:
        return paths._replace(servers=paths.servers * times, outside=paths.outside / times)

    return model._replace(
        paths={key: with_more(paths) if key in groups else paths for key, paths in model.paths.items()}
    )


def _with_paths_in_use(model: FittedModel, change: PathsInUse) -> FittedModel:
    groups = _groups(model, change.lcu)
    used = {
        key: path._replace(servers=float(len(path.chpids)))
        for key, path in model.paths.items()
        if key in groups
    }
    return model._replace(paths={**model.paths, **used})


def _groups(model: FittedModel, lcu: str) -> list[str]:
    """Return the keys of the paths of an LCU, or of all."""
    groups = list(dict.fromkeys(group for key, group in model.group_of.items() if lcu in {"", key}))
    if not groups:
        if any(member.chpids for key, member in model.lcus.items() if lcu in {"", key}):
            raise ChangeError(
                "for how long a request uses a channel path is not known: no channel measurement"
            )
        raise ChangeError("the channel paths of its volumes were not read")
    return groups


def _with_aliases(model: FittedModel, change: AliasNumber) -> FittedModel:
    if change.volume:
        servers = 1.0 + change.number
        flows = [
            flow._replace(servers=servers) if flow.volume == change.volume else flow for flow in model.flows
        ]
        if tuple(flows) == model.flows and not any(flow.volume == change.volume for flow in flows):
            raise ChangeError(f"{model.titles.get(change.volume, change.volume)} has no I/O")
        return model._replace(flows=tuple(flows))
    return model._replace(
        lcus={
            key: lcu._replace(aliases=change.number) if change.lcu in {"", key} else lcu
            for key, lcu in model.lcus.items()
        }
    )


def _with_processors(model: FittedModel, change: ProcessorNumber) -> FittedModel:
    if not model.processors:
        raise ChangeError("the utilisation of the processors was not read")
    if model.withheld > WITHHELD:  # more virtual processors share what the hypervisor gives these now
        return model._replace(processors=min(change.number, model.processors))
    return model._replace(processors=change.number)


_CHANGES: Mapping[type, Callable[[FittedModel, Change], FittedModel]] = {
    FileMove: _with_files_moved,  # type: ignore[dict-item]  # each takes the changes of its type
    StripedSpace: _with_space_striped,  # type: ignore[dict-item]
    PathNumber: _with_paths,  # type: ignore[dict-item]
    PathsInUse: _with_paths_in_use,  # type: ignore[dict-item]
    AliasNumber: _with_aliases,  # type: ignore[dict-item]
    ProcessorNumber: _with_processors,  # type: ignore[dict-item]
}
