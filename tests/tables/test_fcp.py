"""FCP: adapters, and what the LUNs behind them have together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.goldens import facts
from tests.tables.test_user import simulated
from zmon.base.absent import Absent
from zmon.base.clock import HOUR, clock
from zmon.interval import Interval
from zmon.kinds import ADAPTER, BLOCK, DEVICE, LUN, NO_ADAPTER
from zmon.machine.view import History, View
from zmon.sample import empty_frame, not_simulated
from zmon.tables.fcp import UNUSED, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zmon.base.absent import Value

ADAPTER_ROW: dict[str, Value] = {
    "port_state": "Online", "port_type": "NPIV VPORT", "speed": "16 Gbit", "port_name": "0xc05076ffe4801a51",
    "processor": 3, "bus": 2, "port": 11, "inputs": 0, "outputs": 0, "controls": 0, "megabytes_in": 0,
    "megabytes_out": 0, "queue_full": 0, "queue_used": 0, "ports": 2, "ports_online": 1,
}  # fmt: skip
WORKED = ADAPTER_ROW | {
    "inputs": 600, "outputs": 1200, "megabytes_in": 60, "queue_full": 4, "queue_used": 120_000_000,
}  # fmt: skip
LUN_ROW: dict[str, Value] = {
    "adapter": "0.0.fc60", "errors": 0, "timeouts": 0,
    **{f"{what}_{part}": 0 for what in ("read", "write", "cmd") for part in ("fabric", "channel", "count")},
}  # fmt: skip
READ = LUN_ROW | {"read_fabric": 200_000, "read_channel": 20_000, "read_count": 100, "errors": 2}
WRITTEN = LUN_ROW | {"write_fabric": 900_000, "write_channel": 30_000, "write_count": 100}

DISK: dict[str, Value] = {
    "busid": "0.0.fc60", "reads": 0, "writes": 0, "read_ms": 0, "write_ms": 0,
}  # fmt: skip
QUICK = DISK | {"reads": 900, "read_ms": 900}
SLOW = DISK | {"writes": 300, "write_ms": 3300}


@pytest.fixture
def view(make_interval: Callable[..., Interval]) -> View:
    """A minute in which one adapter of two did something, for two LUNs."""
    still = {"0.0.fc60": ADAPTER_ROW, "0.0.fc61": ADAPTER_ROW | {"ports_online": 2}}
    luns = {"0:0:0:0": LUN_ROW, "0:0:0:1": LUN_ROW}
    ccw = {key: {"online": 1, "chpids": key[-2:], "driver": "zfcp"} for key in still}
    return View(
        make_interval(
            {ADAPTER: still, LUN: luns, DEVICE: ccw, BLOCK: {"sda": DISK, "sdb": DISK}},
            {
                ADAPTER: still | {"0.0.fc60": WORKED},
                LUN: {"0:0:0:0": READ, "0:0:0:1": WRITTEN},
                DEVICE: ccw,
                BLOCK: {"sda": QUICK, "sdb": SLOW},
            },
        )
    )


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("addr", "FC60"),
        ("chpids", "60"),
        ("npiv", "yes"),
        ("requests", 30.0),
        ("mbin", 1.0),
        ("queue", 2.0),
        ("full", 4),
        ("luns", 2),
        ("fabric", 5.5),
        ("chan", 0.25),
        ("errors", 2),
        ("io", 20.0),
        ("resp", 3.5),
    ],
)
def test_the_figures_of_an_adapter(view: View, column: str, value: object) -> None:
    """Requests a second, and means of the requests of all LUNs, each with its number."""
    assert table(view).column(column)[0] == pytest.approx(value)


def test_an_adapter_without_luns_has_no_latency(view: View) -> None:
    """That is not a latency of zero."""
    found = table(view)
    assert found.column("luns")[1] == 0
    assert isinstance(found.column("fabric")[1], Absent)
    assert isinstance(found.column("resp")[1], Absent)


def test_ports_that_are_not_online_are_told(view: View) -> None:
    """The other adapter sees both of its own."""
    assert [*map(facts, table(view).notes)] == ["FC60 1 2"]


def test_of_many_adapters_with_ports_that_are_not_online_the_first_are_named(
    make_interval: Callable[..., Interval],
) -> None:
    """And the others are counted, so that six do not look like four."""
    rows = {ADAPTER: {f"0.0.fc6{at}": ADAPTER_ROW for at in range(6)}, LUN: {}, DEVICE: {}, BLOCK: {}}
    notes = table(View(make_interval(rows, rows))).notes
    assert [*map(facts, notes)] == [*(f"FC6{at} 1 2" for at in range(4)), "2"]


def test_a_machine_without_fcp_says_why(make_interval: Callable[..., Interval]) -> None:
    """No row and no sum."""
    found = table(View(make_interval({}, {})))
    assert (found.keys, found.summary) == ([], None)
    assert found.missing is not None


def test_what_the_laboratory_does_not_simulate_is_said_not_to_be_simulated() -> None:
    """That adapters see no LUN would be wrong where they have I/O."""
    found = table(simulated("fcp-path-slow", 5, 6))
    assert all(isinstance(value, float) and value > 0 for value in found.columns["io"])
    for name in ("fabric", "chan", "errors", "timeouts", "luns"):
        assert set(found.columns[name]) == {not_simulated(LUN).missing}


def test_an_adapter_that_was_lost_has_a_row() -> None:
    """It is offline; its other cells say so, and nothing is added for it to the sums."""
    early, late = table(simulated("fcp-one-adapter", 5, 6)), simulated("fcp-one-adapter", 125, 126)
    assert (early.column("state"), early.notes) == (["Online", "Online"], ())
    found = table(late)
    assert (found.column("addr"), found.column("state")) == (["FC60", "FC61"], ["Online", "Offline"])
    assert (found.column("chpids"), found.notes) == (["60", "61"], ("FC61 is offline",))
    assert {found.column(name)[1] for name in ("io", "resp", "luns", "ports")} == {UNUSED}
    assert found.summary
    assert found.summary.cells["io"] == found.column("io")[0]
    late.figures_only = True
    assert table(late).keys == ["0.0.fc60"]


def test_lost_adapters_are_those_that_were_online(make_interval: Callable[..., Interval]) -> None:
    """One that the machine has no more is gone, also if there is no other; spare ones have no row."""

    def rows(adapters: tuple[str, ...], *offline: str) -> dict[object, object]:
        ccw: dict[str, dict[str, Value]] = {key: {"online": 1, "driver": "zfcp"} for key in adapters}
        ccw |= {key: {"online": 0, "driver": "zfcp", "chpids": "61"} for key in offline}
        return {ADAPTER: dict.fromkeys(adapters, ADAPTER_ROW | {"ports": 1}), DEVICE: ccw}

    both, none = rows(("0.0.fc60", "0.0.fc61"), "0.0.fc62"), rows((), "0.0.fc61", "0.0.fc62")
    early, late = make_interval(both, both), make_interval(none, none)
    frames = {**late.after.frames, ADAPTER.name: empty_frame(ADAPTER, NO_ADAPTER)}
    begin = early.after.at.utc
    at = late.after.at._replace(utc=begin + 2 * HOUR)
    now = late.after._replace(at=at, frames=frames)

    def past(utc: int, **_more: object) -> Iterator[Interval]:
        yield early if utc < begin + HOUR else Interval(late.before, now)

    found = table(View(Interval(late.before, now), history=History(past, first=lambda: begin)))
    assert (found.keys, found.missing) == (["0.0.fc60", "0.0.fc61"], None)
    assert found.column("state") == ["Gone", "Offline"]
    since = clock(begin + HOUR, "%H:%M")
    assert found.notes == (f"FC60 is gone since {since}", f"FC61 is offline since {since}")
