"""Which guest fills an LCU at which guests wait, and the evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from zmon.base.absent import Absent, absent
from zmon.base.limits import limit
from zmon.fleet.member import Weighed, lcu_parts, together

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from zmon.base.absent import Number

WAITING: Final = limit("lcu-waits")
"""Requests of all guests in an LCU, on average, from which on they wait; as the rules of storage have it."""
SLOWER: Final = limit("lcu-slower")
"""How many times the response time of the other LCUs of its box an LCU's is then; likewise."""
MAJORITY: Final = 50.0
"""Percent of the data, or of the I/O, from which on one guest fills an LCU."""
NO_DATA: Final = absent("no data are counted there")
NOBODY: Final = absent("no other guest that reports uses it")
NOWHERE: Final = absent("they use no other LCU of this box")


class Filling(NamedTuple):
    """An LCU at which guests wait, and the guest that moves most data there."""

    box: str
    lcu: str
    io: float
    """Per second, of all guests that report."""
    mbs: float
    queue: float
    """Requests in it or before it."""
    resp: float
    """ms."""
    guest: str
    """The one that moves most data."""
    of_data: Number
    """Its percent of them; absent where no data are counted."""
    of_io: float
    busiest: str
    """The guest with most I/O, which may be another one."""
    busiest_io: float
    """Its percent."""
    others: int
    """Other guests that do I/O there."""
    there: Number
    """Their response time there, ms."""
    elsewhere: Number
    """Their response time on the other LCUs of the box, ms."""

    @property
    def sentence(self) -> str:
        """Say who fills it, by what one sees that, and what it costs the others."""
        data = 0.0 if isinstance(self.of_data, Absent) else self.of_data
        share = f"{data:.0f} % of {self.mbs:,.1f} MB/s and " * (not isinstance(self.of_data, Absent))
        share += f"{self.of_io:.0f} % of {self.io:,.0f} I/O/s"
        if max(data, self.of_io) >= MAJORITY:
            said = f"{self.guest} fills LCU {self.lcu} of box {self.box}: it does {share} there."
        else:
            said = f"Many guests fill LCU {self.lcu} of box {self.box}: {self.guest} does most, {share}."
        if self.busiest != self.guest:
            said += f" {self.busiest} does most I/O there, {self.busiest_io:.0f} %."
        return f"{said} {self._cost()}"

    def _cost(self) -> str:
        if isinstance(self.there, Absent):
            return f"It gets an answer in {self.resp:.1f} ms; no other guest that reports uses this LCU."
        plural = "s wait" if self.others > 1 else " waits"
        waits = f"{self.others} other guest{plural} {self.there:.1f} ms for an answer there"
        if isinstance(self.elsewhere, Absent):
            return f"{waits}."
        return f"{waits}, and {self.elsewhere:.1f} ms on the other LCUs of this box."


def filling_of(shares: Mapping[str, Mapping[str, Mapping[str, Weighed]]]) -> Filling | None:
    """Return of the LCUs at which guests wait that with most requests; None if there is none.

    `shares` are figures by LCU (VENDOR.SERIAL.SSID), guest and name.
    """
    fillings = [filling for key in shares if (filling := _filling(shares, key)) is not None]
    return max(fillings, key=lambda candidate: candidate.queue, default=None)


def _filling(shares: Mapping[str, Mapping[str, Mapping[str, Weighed]]], key: str) -> Filling | None:
    """Return what is known of an LCU if guests wait there."""
    vendor, box, lcu = lcu_parts(key)
    guests = {name: figures for name, figures in shares[key].items() if _mean(figures, "io") > 0}
    beside = [other for other in shares if other != key and lcu_parts(other)[:2] == (vendor, box)]
    queue = sum(_mean(figures, "queue") for figures in guests.values())
    resp = _response(guests.values())
    usual = _response(figures for other in beside for figures in shares[other].values())
    if isinstance(resp, Absent) or isinstance(usual, Absent) or queue < WAITING or resp < SLOWER * usual:
        return None
    data = {name: _mean(figures, "mbs") for name, figures in guests.items()}
    requests = {name: _mean(figures, "io") for name, figures in guests.items()}
    guest = max(guests, key=lambda name: (data[name], requests[name]))
    busiest = max(guests, key=lambda name: (requests[name], name == guest))
    others = [name for name in guests if name != guest]
    elsewhere = [shares[other][name] for other in beside for name in others if name in shares[other]]
    there, slow = _response(guests[name] for name in others), _response(elsewhere)
    return Filling(
        box, lcu, sum(requests.values()), sum(data.values()), queue, float(resp), guest,
        _percent(data, guest) if data[guest] else NO_DATA, _percent(requests, guest), busiest,
        _percent(requests, busiest), len(others),
        NOBODY if isinstance(there, Absent) else there, NOWHERE if isinstance(slow, Absent) else slow,
    )  # fmt: skip


def _mean(figures: Mapping[str, Weighed], name: str) -> float:
    mean = figures.get(name, Weighed()).mean
    return 0.0 if isinstance(mean, Absent) else float(mean)


def _response(things: Iterable[Mapping[str, Weighed]]) -> Number:
    return together(things).get("resp", Weighed()).mean


def _percent(of: Mapping[str, float], name: str) -> float:
    return 100 * of[name] / sum(of.values())
