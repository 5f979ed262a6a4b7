from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.goldens import facts
from zmon.base.absent import Absent, absent
from zmon.kinds import CHANNEL, INTERFACE, QETH
from zmon.machine.view import View
from zmon.sample import empty_frame
from zmon.tables.network_cards import NO_PATH, NO_SPEED, NOT_HERE, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from zmon.interval import Interval

COUNTERS = (
    "received", "sent", "packets_in", "packets_out", "errors_in", "errors_out", "dropped_in", "dropped_out",
)  # fmt: skip


def interface(bus: str, device: str, **counts: int) -> dict[str, Any]:
    """Return the row of an interface."""
    return {"bus": bus, "device": device, "state": "up", **dict.fromkeys(COUNTERS, 0), **counts}


def card(kind: str, chpid: str, **more: Any) -> dict[str, Any]:
    """Return the row of a card."""
    return {"card": kind, "chpid": chpid, "state": "UP (LAN ONLINE)", "online": 1, "layer2": 1, "port": 0,
            "buffers": 64, "isolation": "none", "interface": "encf500", **more}  # fmt: skip


CARDS = {
    "0.0.f500": card("OSD_10GIG", "0.4e"),
    "0.0.f600": card("OSD_10GIG", "0.4e", state="DOWN", interface="encf600"),
}
PATHS = {"0.4e": {"timestamp": 0, "shared": "1", "cmg": "2", "max_work_units": 1000, "work_units_cpc": 0}}
TICKS = 468_750


@pytest.fixture
def minute(make_interval: Callable[..., Interval]) -> Callable[..., Interval]:
    """Return a minute in which the interfaces counted this."""

    def made(**counts: dict[str, Any]) -> Interval:
        before = {
            key: {name: 0 if name in COUNTERS else cell for name, cell in row.items()}
            for key, row in counts.items()
        }
        path = {"0.4e": {**PATHS["0.4e"], "timestamp": TICKS, "work_units_cpc": 15_000}}
        return make_interval(
            {INTERFACE: before, QETH: CARDS, CHANNEL: PATHS}, {INTERFACE: counts, QETH: CARDS, CHANNEL: path}
        )

    return made


def test_an_interface_has_its_card_its_load_and_its_channel_path(minute: Callable[..., Interval]) -> None:
    """Line% is of the direction that carries more; the path's load is that of the whole machine."""
    found = table(
        View(
            minute(
                encf500=interface(
                    "qeth",
                    "0.0.f500",
                    received=7_500_000_000,
                    sent=60_000_000,
                    packets_in=6000,
                    packets_out=60,
                )
            )
        )
    )
    row = {name: found.columns[name][0] for name in found.columns}
    assert (row["name"], row["addr"], row["card"], row["state"]) == (
        "encf500",
        "F500",
        "OSD_10GIG",
        "UP (LAN ONLINE)",
    )
    assert [row[name] for name in ("inmb", "outmb", "inpackets", "outpackets", "line")] == pytest.approx(
        [125, 1, 100, 1, 10]
    )
    assert row["busy"] == pytest.approx(25)
    assert (row["chpid"], row["shared"], row["cards"]) == ("4e", "yes", 2)
    assert (row["errors"], row["drops"], row["layer"], row["buffers"]) == (0, 0, 2, 64)
    assert row["door"] == "CHANNEL chpid=4e"
    assert found.notes == ()


def test_a_card_that_is_off_line_has_a_row_without_figures(minute: Callable[..., Interval]) -> None:
    """They are not zero; its channel path is known."""
    found = table(View(minute(encf500=interface("qeth", "0.0.f500"))))
    assert found.keys == ["encf500", "0.0.f600"]
    assert [found.columns[name][1] for name in ("name", "state", "inmb", "drops", "chpid")] == [
        "encf600", "DOWN", NOT_HERE, NOT_HERE, "4e",
    ]  # fmt: skip


def test_other_interfaces_have_no_channel_path(minute: Callable[..., Interval]) -> None:
    """A PCI function has an adapter; a virtio device has nothing that a guest sees."""
    found = table(View(minute(eno1=interface("pci", "0001:00:00.0"), enc1=interface("virtio", "0.0.1000"))))
    assert [found.columns[name][:2] for name in ("card", "state", "addr")] == [
        ["pci", "virtio"], ["up", "up"], ["0001:00:00.0", "1000"],
    ]  # fmt: skip
    assert found.columns["chpid"][:2] == found.columns["busy"][:2] == [NO_PATH, NO_PATH]
    assert found.columns["line"][:2] == [NO_SPEED, NO_SPEED]
    assert found.columns["door"][0] == "PCI"


def test_lost_packets_are_said_with_their_way(minute: Callable[..., Interval]) -> None:
    """And beside them how many there were."""
    found = table(
        View(
            minute(
                encf500=interface(
                    "qeth", "0.0.f500", dropped_in=12, errors_out=3, packets_in=6000, packets_out=600
                )
            )
        )
    )
    assert (found.columns["drops"][0], found.columns["errors"][0]) == (12, 3)
    (note,) = found.notes
    assert facts(note) == "encf500 12 3 110"


def test_a_path_that_is_not_measured_has_its_reason(make_interval: Callable[..., Interval]) -> None:
    """As in a guest, where the channel subsystem gives no load."""
    rows = {INTERFACE: {"encf500": interface("qeth", "0.0.f500")}, QETH: CARDS}
    found = table(View(make_interval(rows, rows)))
    assert isinstance(found.columns["busy"][0], Absent)
    assert found.columns["chpid"][0] == "4e"


def test_without_hardware_the_reason_is_said(make_interval: Callable[..., Interval]) -> None:
    """It is not an empty machine."""
    interval = make_interval({}, {})
    frames = {kind.name: empty_frame(kind, "no hardware") for kind in (INTERFACE, QETH)}
    after = interval.after._replace(frames={**interval.after.frames, **frames})
    found = table(View(type(interval)(interval.before, after)))
    assert (found.keys, found.missing) == ([], absent("no hardware"))
