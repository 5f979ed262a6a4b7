"""Random machines with what makes planning hard: hot LCUs, logs, pinned files, channels, little free room."""

from __future__ import annotations

from random import Random

from zmon.base.absent import absent
from zmon.base.record import NamedTuple
from zmon.placement.items import FileItem, Hindrance, Unit
from zmon.placement.planner_state import PlannerState, SharedResource

CAPACITY = 40.0


class RandomCase(NamedTuple):
    """A machine, and what counts on it."""

    items: tuple[FileItem, ...]
    units: tuple[Unit, ...]
    shared: tuple[SharedResource, ...]
    traffic: bool

    def state(self) -> PlannerState:
        """Return the state before any move."""
        return PlannerState(self.items, self.units, traffic=self.traffic, shared=self.shared)


def random_case(seed: int, files: tuple[int, int] = (6, 40), lcus: tuple[int, int] = (3, 16)) -> RandomCase:
    """Return a machine with so many files and LCUs, sizes and traffic over two orders of magnitude."""
    rng = Random(seed)  # noqa: S311 - cases, no secrets
    count, many, spaces = rng.randint(*files), rng.randint(*lcus), rng.randint(2, 6)
    heat = [rng.random() ** 2 + 0.02 for _ in range(many)]
    by_traffic, rooms, channels, logs = (rng.random() < part for part in (0.5, 0.3, 0.3, 0.4))
    items = []
    for number in range(count):
        home = str(rng.choices(range(many), heat)[0])
        is_log = logs and rng.random() < 0.1
        items.append(
            FileItem(
                f"/f{number:02}",
                "(log)" if is_log else f"T{rng.randrange(spaces)}",
                "D",
                "log" if is_log else "data",
                {home: round(100 * 10 ** rng.uniform(0, 2))},
                {home: 10 ** rng.uniform(0, 2)},
                pinned=Hindrance.PINNED if rng.random() < 0.08 else None,
            )
        )
    total = sum(item.size for item in items)
    units = tuple(
        Unit(
            str(number),
            f"LCU {number}",
            capacity=CAPACITY if channels else absent("not given"),
            free=round(total / many * rng.uniform(0.2, 1.5)) if rooms else absent("not given"),
        )
        for number in range(many)
    )
    shared = tuple(
        SharedResource(
            f"channels {first}",
            dict.fromkeys(
                map(str, range(first, many, 2)), 1 / rng.uniform(0.4, 1.0) / ((many + 1 - first) // 2)
            ),
        )
        for first in (range(2) if channels else ())
    )
    return RandomCase(tuple(items), units, shared, by_traffic)
