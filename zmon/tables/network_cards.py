"""NETWORK: what each network card and interface carries, and the channel path that an OSA card is on.

A row is an interface with hardware behind it; a card of the qeth driver whose interface is not in this
network namespace has a row of its own.  The load of the channel path is that of the whole machine, where the
channel subsystem measures it: it holds what other partitions send over a shared OSA.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from zmon.base.absent import Absent, absent
from zmon.base.sizes import MB
from zmon.kinds import CHANNEL, INTERFACE, QETH
from zmon.machine.channel_paths import busy_percents
from zmon.machine.devices import address
from zmon.machine.figure import Needs
from zmon.machine.join import Joined, plus, total
from zmon.tables.filled import TableDefinition
from zmon.tables.table import Table, summed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zmon.base.absent import Number, Value
    from zmon.machine.view import View

NEEDS: Final = Needs((CHANNEL, INTERFACE, QETH))

SPEEDS: Final = {
    "OSD_100": 100, "OSD_1000": 1_000, "OSD_GbE_LANE": 1_000, "OSD_10GIG": 10_000, "OSD_25GIG": 25_000,
    "OSM_1000": 1_000, "OSX_10GIG": 10_000,
}  # fmt: skip
"""Megabits per second of the line of each type of card that says it: drivers/s390/net/qeth_core_main.c."""
BITS: Final = 8
NOT_HERE: Final = absent("the card has no interface in this network namespace")
NO_CARD: Final = absent("the interface is of no card of the qeth driver")
NO_PATH: Final = absent("only cards of the qeth driver have a channel path")
NO_CHANNEL: Final = absent("the channel path is not described here")
NO_SPEED: Final = absent("the type of the card does not say the speed of its line")
NO_DOOR: Final = absent("nothing more is known of the interface")
SUMMED: Final = ("inmb", "outmb", "inpackets", "outpackets", "errors", "drops")
MAX_NOTES: Final = 4


def table(view: View) -> Table:
    """Fill NETWORK, keyed by the interface, or by the bus id of a card without one."""
    interfaces, cards = view.interval.of(INTERFACE), view.interval.of(QETH)
    shown = {device for device in interfaces["device"] if isinstance(device, str)}
    alone = [key for key in cards.keys if key not in shown]
    keys = [*interfaces.keys, *alone]
    devices: list[Value] = [*interfaces["device"], *alone]
    card = Joined(cards, devices, NO_CARD)
    counted = Joined(interfaces, keys, NOT_HERE)
    chpids = [NO_PATH if value is NO_CARD else value for value in card["chpid"]]
    received, sent = ([rate / MB for rate in counted.rate(name)] for name in ("received", "sent"))
    columns: dict[str, list[Value]] = {
        "name": [*interfaces.keys, *Joined(cards, alone, NO_CARD)["interface"]],
        "addr": [
            address(value) if isinstance(value, str) and ":" not in value else value for value in devices
        ],
        "card": _either(card["card"], counted["bus"]),
        "state": _either(card["state"], counted["state"]),
        "inmb": list(received),
        "outmb": list(sent),
        "inpackets": list(counted.rate("packets_in")),
        "outpackets": list(counted.rate("packets_out")),
        "errors": list(plus(counted.numbers("errors_in"), counted.numbers("errors_out"))),
        "drops": list(plus(counted.numbers("dropped_in"), counted.numbers("dropped_out"))),
        "port": card["port"],
        "buffers": card["buffers"],
        "layer": [_layer(value) for value in card["layer2"]],
        "isolation": card["isolation"],
        "line": list(_line(card["card"], received, sent)),
        **_of_paths(view, chpids),
    }
    columns["door"] = [
        f"CHANNEL chpid={chpid}" if isinstance(chpid, str) else "PCI" if bus == "pci" else NO_DOOR
        for chpid, bus in zip(columns["chpid"], counted["bus"], strict=True)
    ]
    return Table(
        keys,
        columns,
        summed("", columns, SUMMED) if keys else None,
        notes=tuple(_notes(keys, columns, counted)),
        missing=None if keys else interfaces.missing,
    )


def _either(ones: Sequence[Value], others: Sequence[Value]) -> list[Value]:
    """Return what the card says, else what the interface says, else the first reason."""
    pairs = zip(ones, others, strict=True)
    return [
        other if isinstance(value, Absent) and not isinstance(other, Absent) else value
        for value, other in pairs
    ]


def _layer(layer2: Value) -> Value:
    return layer2 if not isinstance(layer2, int) else 2 if layer2 == 1 else 3


def _of_paths(view: View, chpids: Sequence[Value]) -> dict[str, list[Value]]:
    """Return what is known of the channel path of each card."""
    paths = view.interval.of(CHANNEL)
    of_chpid = Joined(paths, chpids, NO_CHANNEL)
    busy: Mapping[str, Number] = dict(zip(paths.keys, busy_percents(paths), strict=True))
    many = Counter(chpid for chpid in chpids if isinstance(chpid, str))

    def of(values: Sequence[Value]) -> list[Value]:
        pairs = zip(chpids, values, strict=True)
        return [chpid if isinstance(chpid, Absent) else value for chpid, value in pairs]

    return {
        "chpid": [value.rpartition(".")[2] if isinstance(value, str) else value for value in chpids],
        "busy": of([busy.get(str(chpid), paths.missing or NO_CHANNEL) for chpid in chpids]),
        "shared": of([_yes(value) for value in of_chpid["shared"]]),
        "cards": of([many[str(chpid)] for chpid in chpids]),
    }


def _yes(shared: Value) -> Value:
    return shared if isinstance(shared, Absent) else {"1": "yes", "0": "no"}.get(str(shared), shared)


def _line(cards: Sequence[Value], received: Sequence[Number], sent: Sequence[Number]) -> list[Number]:
    """Return the use of each line in percent, of the direction that carries more: it can do both at once."""
    rates: list[Number] = []
    for card, received_rate, other in zip(cards, received, sent, strict=True):
        speed = SPEEDS.get(str(card))
        most = (
            received_rate
            if isinstance(received_rate, Absent)
            else other
            if isinstance(other, Absent)
            else max(received_rate, other)
        )
        rates.append(most * (100.0 * BITS / speed) if speed else NO_SPEED)
    return rates


def _notes(keys: Sequence[str], columns: Mapping[str, Sequence[Value]], counted: Joined) -> list[str]:
    """Name the interfaces that lost packets, and on which way."""
    names = ("dropped_in", "dropped_out", "errors_in", "errors_out")
    lost = []
    for row, key in enumerate(keys):
        many = [counted.numbers(name)[row] for name in names]
        said = [
            f"{count:,.0f} {what}"
            for count, what in zip(
                many,
                ("received dropped", "sent dropped", "received with errors", "sent with errors"),
                strict=True,
            )
            if not isinstance(count, Absent) and count > 0
        ]
        if said:
            packets = total([columns["inpackets"][row], columns["outpackets"][row]])  # type: ignore[list-item]  # rates
            of = "" if isinstance(packets, Absent) else f", of {packets:,.0f} packets a second"
            lost.append(f"{key}: {', '.join(said)}{of}")
    return lost[:MAX_NOTES]


DEFINITIONS: Final = {"network": TableDefinition(NEEDS, table, screen="NETWORK")}
