"""IOCHANGE: changes of the I/O configuration by time, each with the value before and the one after.

They are events of a recording, a capture or a simulated machine; of live samples that nobody keeps, the
changes of the present interval are found here.  What appeared or disappeared is among the events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from zmon.base.absent import absent
from zmon.base.clock import DATED, clock
from zmon.base.event import Event, What
from zmon.configuration_change import ConfigurationChange, changes_between, parse_change
from zmon.kinds import (
    ADAPTER,
    BLOCK,
    CHANNEL,
    DASD,
    DEVICE,
    INTERFACE,
    MULTIPATH,
    PATH,
    PCI_FUNCTION,
    QETH,
    TARGET_PORT,
)
from zmon.machine.figure import Needs
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from zmon.base.absent import Value
    from zmon.machine.view import View

NEEDS: Final = Needs(
    (ADAPTER, BLOCK, CHANNEL, DASD, DEVICE, INTERFACE, MULTIPATH, PATH, PCI_FUNCTION, QETH, TARGET_PORT),
    history=True,
)
NONE: Final = absent("the I/O configuration did not change in this time")
NO_VALUE: Final = absent("the thing came or went as a whole")
NO_MEANING: Final = absent("nothing certain follows from it")
MOVED: Final = {What.CAME: "appeared", What.WENT: "disappeared"}
CALLED: Final = {
    "block": "disk", "channel": "channel path", "dasd": "DASD", "lpar": "partition",
    "adapter": "FCP adapter", "target_port": "port", "qeth": "network card", "interface": "interface",
    "pci_function": "PCI function",
}  # fmt: skip
"""What kinds are called, where their own name is another."""


def table(view: View) -> Table:
    """Fill IOCHANGE; the keys are the numbers of the changes by time, from 1, the newest comes first."""
    happened = sorted(_events(view), key=lambda event: event.end)
    days = {clock(event.end, "%m-%d") for event in happened}
    events, changes = _together(happened)
    order = range(len(events) - 1, -1, -1)
    columns: dict[str, list[Value]] = {
        "time": [events[at].end for at in order],
        "shown": [_shown(events[at], DATED if len(days) > 1 else "%H:%M:%S") for at in order],
        "kind": [CALLED.get(changes[at].kind, changes[at].kind) for at in order],
        "thing": [changes[at].thing for at in order],
        "others": [changes[at].others for at in order],
        "what": [changes[at].what for at in order],
        "was": [changes[at].was or NO_VALUE for at in order],
        "now": [changes[at].now or NO_VALUE for at in order],
        "means": [changes[at].means or NO_MEANING for at in order],
    }
    before = view.interval.before
    return Table(
        [str(at + 1) for at in order],
        columns,
        missing=None if events else NONE,
        span=None if not events or before is None else (events[0].begin, view.interval.after.at.utc),
    )


def _events(view: View) -> Iterable[Event]:
    """Return the changes up to the end of the interval, of a longer one those within it.

    Live samples that nobody keeps have no events: then the ends of a longer interval are compared, and it is
    only known that something changed in between.
    """
    interval = view.interval
    begin = interval.before.at.utc + 1 if interval.skipped and interval.before is not None else 0
    kinds = {What.CHANGE, *MOVED}
    events = [event for event in view.history.happened(begin, interval.after.at.utc) if event.what in kinds]
    if interval.before is None:
        return events
    told = {(event.begin, event.text) for event in events}
    if interval.skipped and events:  # they say when; here is only what differs in the end
        return events
    since = interval.before.at.utc if interval.skipped else interval.after.at.utc
    here = (
        change.event(interval.after.at.utc)._replace(begin=since)
        for change in changes_between(interval.before, interval.after)
    )
    return [*events, *(event for event in here if (event.begin, event.text) not in told)]


def _together(events: Sequence[Event]) -> tuple[list[Event], list[ConfigurationChange]]:
    """Return events with the changes that they state; things that came or went at once are one change."""
    joined: dict[object, tuple[Event, ConfigurationChange]] = {}
    for number, event in enumerate(events):
        change = _change(event)
        key: object = (event.end, event.what, change.kind) if event.what in MOVED else number
        if key in joined:
            first, same_change = joined[key]
            joined[key] = first, same_change._replace(others=same_change.others + 1)
        else:
            joined[key] = event, change
    return [event for event, _ in joined.values()], [change for _, change in joined.values()]


def _shown(event: Event, form: str) -> str:
    """Write when something changed; of what lies between two distant samples only the end is known."""
    return f"{'by ' if event.begin < event.end else ''}{clock(event.end, form)}"


def _change(event: Event) -> ConfigurationChange:
    """Return what an event says; one of another form is told as it is."""
    if event.what in MOVED:
        return ConfigurationChange(event.kind, event.thing, MOVED[event.what], "", "")
    return parse_change(event.text) or ConfigurationChange("", event.thing, event.text, "", "")


DEFINITIONS: Final = {"io_changes": TableDefinition(NEEDS, table)}
