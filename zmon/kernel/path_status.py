"""The state of a multipath device as the device mapper reports it: `dmsetup status`, one segment.

`0 N multipath`, two counted lists, the number of groups, the next one, then for each group its state (A:
used, E: enabled, D: disabled), a counted list, the number of paths, that of the words behind each, and for
each path its number, A or F (active, failed), how often it failed, and these words. Those of the selector
service-time are the bytes in flight and its weight.

Kernel: drivers/md/dm-mpath.c (multipath_status), dm-ps-service-time.c.
"""

from __future__ import annotations

import re

from zmon.base.light_typing import TYPE_CHECKING, Final
from zmon.base.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

GROUP_STATES: Final = {"A": "active", "E": "enabled", "D": "disabled"}
SERVICE_TIME: Final = 2
"""Words behind each path of the selector service-time; those of the others have 0, 1 or 3."""


class PathStatus(NamedTuple):
    """What the device mapper reports of one path."""

    number: str
    """major:minor of its disk."""
    group: int
    """Its path group, from 1."""
    group_state: str
    """`active`, `enabled` or `disabled`."""
    active: bool
    """False if it failed."""
    failures: int
    """How often it failed since the device was made."""
    in_flight: int | None
    """Bytes that were sent over it and not answered; None where the selector does not count them."""


def parse_path_status(status: str) -> tuple[PathStatus, ...]:
    """Return the paths of a multipath device in the order of its groups.

    Raises:
        ValueError: it has another form.
    """
    fields = iter(status.split())

    def count() -> int:
        word = next(fields, "")
        if not re.fullmatch("[0-9]{1,10}", word):
            raise ValueError(f"multipath status: a number expected, found {word[:40]!r}")
        return int(word)

    head = [next(fields, "") for _ in range(3)]
    if head[2] != "multipath":
        raise ValueError(f"multipath status: not START LENGTH multipath: {' '.join(head)[:80]!r}")
    for _ in range(2):
        _some(fields, count())
    groups = count()
    count()
    listed: list[PathStatus] = []
    for group in range(1, groups + 1):
        state = GROUP_STATES.get(next(fields, ""))
        if state is None:
            raise ValueError("multipath status: no state of a path group")
        _some(fields, count())
        paths, more = count(), count()
        for _ in range(paths):
            number, active = next(fields, ""), next(fields, "")
            if not re.fullmatch("[0-9]{1,7}:[0-9]{1,8}", number) or active not in {"A", "F"}:
                raise ValueError(f"multipath status: no path and state: {f'{number} {active}'[:80]!r}")
            failures, values = count(), _some(fields, more)
            counted = more == SERVICE_TIME and re.fullmatch("[0-9]{1,18}", values[0]) is not None
            in_flight = int(values[0]) if counted else None
            listed.append(PathStatus(number, group, state, active == "A", failures, in_flight))
    return tuple(listed)


def _some(fields: Iterator[str], count: int) -> list[str]:
    """Return so many words; the number is not believed before they are there."""
    taken = []
    for _ in range(count):
        word = next(fields, None)
        if word is None:
            raise ValueError("multipath status: it ends too early")
        taken.append(word)
    return taken
