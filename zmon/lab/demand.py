"""What a load demands of each part of a box: the utilisation law, before anything is simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zmon.lab.box import Arrivals, Ask, Compute

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zmon.lab.box import Box, Load, Step


def demands(box: Box, steps: Sequence[Step]) -> dict[str, float]:
    """Return for how many microseconds all the steps, done once, keep each part of the box busy.

    Of parts that share the work, such as the paths of a group, it is the time of each.
    """
    busy: dict[str, float] = {}
    for step in steps:
        if isinstance(step, Compute):
            _add(busy, "the processors", step.mean / box.cpus)
        elif isinstance(step, Ask):
            before = 0.0
            for volume, upto in zip(step.aim.volumes, step.aim.weights, strict=True):
                _ask(busy, box, step, volume, (upto - before) * step.pieces)
                before = upto
    return busy


def _ask(busy: dict[str, float], box: Box, step: Ask, number: int, requests: float) -> None:
    aim, volume = step.aim, box.volumes[number]
    lcu = box.lcus[volume.lcu]
    group = box.paths[lcu.paths]
    service = lcu.overhead + (aim.size / lcu.speed if lcu.speed else 0.0)
    transfer = group.overhead + aim.size / group.speed
    missed = aim.reads * (1 - aim.hits)
    _add(busy, lcu.name, requests * service)
    _add(busy, f"the arrays of {lcu.name}",
         requests * lcu.miss * (missed + (1 - aim.reads) * lcu.penalty) / lcu.ranks)  # fmt: skip
    _add(busy, f"path group {group.name}",
         requests * transfer / (1 if group.policy == "failover" else len(group.chpids)))  # fmt: skip
    held = lcu.latency + max(transfer, service) + missed * (lcu.miss + service)
    _add(busy, f"volume {volume.devno:04X}", requests * held / (1 + volume.pav + lcu.aliases))


def _add(busy: dict[str, float], part: str, time: float) -> None:
    busy[part] = busy.get(part, 0.0) + time


def overloaded(box: Box, loads: Iterable[Load]) -> tuple[str, float] | None:
    """Return the part that those who come by chance would keep busy for more than all of the time.

    Those who wait for their answers cannot overload anything; they wait longer.
    """
    busy: dict[str, float] = {}
    for load in loads:
        if isinstance(load, Arrivals):
            for part, time in demands(box, load.steps).items():
                _add(busy, part, load.rate * time / 1e6)
    part = max(busy, key=lambda part: busy[part], default="")
    return (part, busy[part]) if part and busy[part] >= 1 else None
